//! What the shadow promises, against real git.

mod adopt;
mod commit;
mod cost;
mod edit;
mod hostile;
mod line;
mod make;
mod objects;
mod random_edits;
mod tidy;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{CommitAuthor, NewCommit, ObjectFormat, Shadow, ShadowError, ShadowLayout, ShadowSite, Track};
use crate::fixture::{Bench, PLENTY};
use crate::object::{EntryMode, Id, TreeLeaf};
use crate::path::RepoPath;
use crate::place;

const SHADOW: &str = "repo/.git/toprope/shadow.git";

/// A repository of the user's, and its shadow.
struct World {
    bench: Bench,
    site: ShadowSite,
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
        let site = site(&bench, "repo");
        let shadow = Shadow::make(&site).unwrap();
        Self { bench, site, shadow }
    }

    /// Another process's view of the same shadow.
    fn again(&self) -> Shadow {
        Shadow::open(&self.site).unwrap().unwrap()
    }

    /// What real git says in the shadow.
    fn git(&self, arguments: &[&str]) -> String {
        self.bench.git(SHADOW, arguments)
    }

    fn head_tree(&self) -> Id {
        id(&self.bench.git("repo", &["rev-parse", "HEAD^{tree}"]))
    }

    fn file(&self, content: &str) -> TreeLeaf {
        TreeLeaf {
            mode: EntryMode::File,
            id: self.shadow.write_blob(content.as_bytes()).unwrap(),
        }
    }

    /// The tree of HEAD with these changes, on HEAD.
    fn edited<const N: usize>(&self, edits: [(&str, Option<TreeLeaf>); N]) -> Id {
        let head = Some(self.head_tree());
        self.shadow.edit(head, head, &changes(edits)).unwrap()
    }

    /// A checkpoint of these files on a line.
    fn checkpoint(&self, line: &Track, files: Id) -> Id {
        let parent = self.shadow.tip(line).unwrap();
        let tree = self.shadow.write_layout(&ShadowLayout::of(files)).unwrap();
        let id = self.commit(tree, parent);
        self.shadow.advance(line, parent, id).unwrap();
        id
    }

    fn commit(&self, tree: Id, parent: Option<Id>) -> Id {
        commit_in(&self.shadow, tree, parent, "A label\n\nToprope-Kind: turn\n")
    }

    /// How many objects of its own the shadow has outside packs.
    fn loose_count(&self) -> usize {
        let listed = self.git(&["count-objects"]);
        listed.split(' ').next().unwrap().parse().unwrap()
    }

    fn fsck(&self) {
        self.git(&["fsck", "--strict", "--full", "--no-dangling"]);
    }
}

fn commit_in(shadow: &Shadow, tree: Id, parent: Option<Id>, message: &str) -> Id {
    let new = NewCommit {
        tree,
        parent,
        message: message.as_bytes(),
        author: &CommitAuthor::toprope(),
        at_ms: 1_700_000_000_000,
    };
    shadow.commit(&new).unwrap()
}

fn site(bench: &Bench, folder: &str) -> ShadowSite {
    ShadowSite::of(&place::find(&bench.path(folder)), &bench.path("outside")).unwrap()
}

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn main_line() -> Track {
    Track::of(b"")
}

fn path(text: impl AsRef<[u8]>) -> RepoPath {
    RepoPath::new(text.as_ref()).unwrap()
}

fn changes<const N: usize>(changes: [(&str, Option<TreeLeaf>); N]) -> BTreeMap<RepoPath, Option<TreeLeaf>> {
    changes
        .into_iter()
        .map(|(name, entry)| (path(name), entry))
        .collect()
}

/// All files below a folder, by relative path.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(current) = open.pop() {
        for entry in fs_err::read_dir(&current).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(folder).unwrap().to_path_buf());
            }
        }
    }
    found.sort();
    found
}
