//! What the shadow promises, against real git.

mod edit;

use std::collections::BTreeMap;

use super::{Line, NewCommit, ObjectFormat, Person, Shadow, ShadowError, Site};
use crate::fixture::Bench;
use crate::object::{Entry, Id, Mode};
use crate::path::RepoPath;
use crate::place;

/// A repository of the user's, and its shadow.
struct World {
    bench: Bench,
    site: Site,
    shadow: Shadow,
}

impl World {
    fn new() -> Self {
        Self::with_format("sha1")
    }

    fn with_format(format: &str) -> Self {
        let bench = Bench::new();
        let option = format!("--object-format={format}");
        bench.git(".", &["init", "-q", "-b", "main", &option, "repo"]);
        bench.write("repo/file", "one\n");
        bench.write("repo/src/lib.rs", "lib\n");
        bench.write("repo/src/deep/er/mod.rs", "mod\n");
        bench.commit("repo", "first");
        Self::around(bench)
    }

    fn around(bench: Bench) -> Self {
        let site = Site::of(&place::find(&bench.path("repo")), &bench.path("outside")).unwrap();
        let shadow = Shadow::make(&site).unwrap();
        Self { bench, site, shadow }
    }

    /// What real git says in the shadow.
    fn git(&self, arguments: &[&str]) -> String {
        self.bench.git("repo/.git/toprope/shadow.git", arguments)
    }

    fn head_tree(&self) -> Id {
        id(&self.bench.git("repo", &["rev-parse", "HEAD^{tree}"]))
    }

    fn file(&self, content: &str) -> Entry {
        Entry {
            mode: Mode::File,
            id: self.shadow.write_blob(content.as_bytes()).unwrap(),
        }
    }

    /// A commit of this tree on a line, and the line moved to it.
    fn checkpoint(&self, line: &Line, tree: Id) -> Id {
        let parent = self.shadow.tip(line).unwrap();
        let id = self.commit(tree, parent);
        self.shadow.advance(line, parent, id).unwrap();
        id
    }

    fn commit(&self, tree: Id, parent: Option<Id>) -> Id {
        let new = NewCommit {
            tree,
            parent,
            message: b"A label\n\nToprope-Kind: turn\n",
            author: &Person::toprope(),
            at_ms: 1_700_000_000_000,
        };
        self.shadow.commit(&new).unwrap()
    }
}

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn path(text: impl AsRef<[u8]>) -> RepoPath {
    RepoPath::new(text.as_ref()).unwrap()
}

fn changes<const N: usize>(changes: [(&str, Option<Entry>); N]) -> BTreeMap<RepoPath, Option<Entry>> {
    changes
        .into_iter()
        .map(|(name, entry)| (path(name), entry))
        .collect()
}
