//! Putting files back, with real files.

mod crash;
mod recovering;
mod refusing;
mod writing;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::*;
use crate::fixture::Bench;
use crate::object::{EntryMode, TreeLeaf};
use crate::place;
use crate::shadow::ShadowSite;

/// What is at a path, as a test sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Thing {
    File(Vec<u8>),
    Exec(Vec<u8>),
    Link(Vec<u8>),
    Folder,
}

#[expect(clippy::unnecessary_wraps, reason = "it stands where a missing file can")]
fn file(content: &str) -> Option<Thing> {
    Some(Thing::File(content.into()))
}

/// A worktree with its shadow.
struct Desk {
    _bench: Option<Bench>,
    root: PathBuf,
    shadow: Shadow,
}

impl Desk {
    fn new() -> Self {
        Self::with_format("sha1")
    }

    fn with_format(format: &str) -> Self {
        let bench = Bench::new();
        let option = format!("--object-format={format}");
        bench.git(".", &["init", "-q", "-b", "main", &option, "repo"]);
        let desk = Self::at(&bench.path("repo"));
        Self {
            _bench: Some(bench),
            ..desk
        }
    }

    /// A desk in a repository that is there.
    fn at(root: &Path) -> Self {
        let site = ShadowSite::of(&place::find(root), &root.join("outside")).unwrap();
        Self {
            _bench: None,
            root: root.to_path_buf(),
            shadow: Shadow::make(&site).unwrap(),
        }
    }

    fn ground(&self) -> RestoreTarget<'_> {
        RestoreTarget {
            root: &self.root,
            name: b"",
            modes: Modes::Kept,
        }
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(name))
    }

    /// Puts a thing at a path, whatever was there.
    fn put(&self, name: &[u8], thing: Option<&Thing>) {
        let path = self.path(name);
        let _ = fs::remove_file(&path);
        let Some(thing) = thing else { return };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match thing {
            Thing::File(content) => fs::write(&path, content).unwrap(),
            Thing::Exec(content) => {
                fs::write(&path, content).unwrap();
                fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            }
            Thing::Link(target) => symlink(OsStr::from_bytes(target), &path).unwrap(),
            Thing::Folder => fs::create_dir(&path).unwrap(),
        }
    }

    fn write(&self, name: &str, content: &str) {
        self.put(name.as_bytes(), file(content).as_ref());
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name.as_bytes())).unwrap()
    }

    /// The state with this content, which the shadow then has.
    fn state(&self, thing: Option<&Thing>) -> PathState {
        let (mode, bytes) = match thing {
            None | Some(Thing::Folder) => return PathState::Absent,
            Some(Thing::File(bytes)) => (EntryMode::File, bytes),
            Some(Thing::Exec(bytes)) => (EntryMode::Exec, bytes),
            Some(Thing::Link(bytes)) => (EntryMode::Link, bytes),
        };
        let id = self.shadow.write_blob(bytes).unwrap();
        PathState::plain(TreeLeaf { mode, id })
    }

    fn change(&self, name: &[u8], from: Option<&Thing>, to: Option<&Thing>) -> PathChange {
        PathChange {
            path: RepoPath::new(name).unwrap(),
            from: self.state(from),
            to: self.state(to),
        }
    }

    /// The change of a file from one text to another; a text of `-` is no file.
    fn edit(&self, name: &str, from: &str, to: &str) -> PathChange {
        let thing = |text: &str| if text == "-" { None } else { file(text) };
        self.change(name.as_bytes(), thing(from).as_ref(), thing(to).as_ref())
    }

    fn apply(&self, changes: Vec<PathChange>) -> Result<usize, RestoreError> {
        self.apply_watched(changes, &|_| {})
    }

    fn apply_watched(&self, changes: Vec<PathChange>, observe: Observe<'_>) -> Result<usize, RestoreError> {
        let applied = apply(&self.shadow, &self.ground(), restore(changes), observe)?;
        let total = applied.total();
        applied.close(observe).unwrap();
        Ok(total)
    }

    /// Recovers and closes, and says what became of what was found.
    fn recover(&self) -> Vec<RecoveryOutcome> {
        let recovered = recover(&self.shadow, &self.ground(), &|_| {}).unwrap();
        recovered
            .into_iter()
            .map(|one| {
                let outcome = one.outcome.clone();
                one.close(&|_| {}).unwrap();
                outcome
            })
            .collect()
    }

    /// Everything in the worktree but git's own folder.
    fn tree(&self) -> BTreeMap<Vec<u8>, Thing> {
        let mut found = BTreeMap::new();
        walk(&self.root, &self.root, &mut found);
        found
    }

    /// Whether neither a journal nor a stage folder is left.
    fn is_tidy(&self) -> bool {
        let is_empty = |path: &Path| fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        let stage = self.shadow.folder().parent().unwrap().join("stage");
        let inside = fs::read_dir(&self.root).unwrap().any(|entry| {
            let name = entry.unwrap().file_name();
            name.as_bytes().starts_with(b".toprope-stage")
        });
        is_empty(&self.shadow.journal_folder()) && is_empty(&stage) && !inside
    }
}

fn restore(changes: Vec<PathChange>) -> Restore<'static> {
    Restore {
        id: id(),
        changes,
        has_below: &|_| false,
        bits: &|_| None,
    }
}

fn id() -> JournalId {
    JournalId::new("c0de55aa0912").unwrap()
}

fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<Vec<u8>, Thing>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
        if name == b".git" {
            continue;
        }
        let metadata = fs::symlink_metadata(&path).unwrap();
        let thing = if metadata.is_symlink() {
            Thing::Link(fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec())
        } else if metadata.is_dir() {
            walk(root, &path, found);
            Thing::Folder
        } else if metadata.mode() & 0o100 != 0 {
            Thing::Exec(fs::read(&path).unwrap())
        } else {
            Thing::File(fs::read(&path).unwrap())
        };
        found.insert(name, thing);
    }
}

/// One of everything that can happen to a path: what it is before, and what it is put back to.
fn everything() -> Vec<(&'static [u8], Option<Thing>, Option<Thing>)> {
    let exec = |content: &str| Some(Thing::Exec(content.into()));
    let link = |target: &str| Some(Thing::Link(target.into()));
    vec![
        (b"model.rs", file("edited\n"), file("original\n")),
        (b"login/form/new.rs", file("made\n"), None),
        (b"old/deep/auth.rs", None, file("deleted\n")),
        (b"run.sh", file("#!/bin/sh\n"), exec("#!/bin/sh\n")),
        (b"tool", exec("now run\n"), file("before read\n")),
        (b"current", link("nowhere/b"), link("/nowhere/a")),
        (b"was-file", link("model.rs"), file("not a link\n")),
        (b"thing", file("a file in place of a folder\n"), None),
        (b"thing/inner", None, file("inside\n")),
        (b"other/x", file("in a folder in place of a file\n"), None),
        (b"other", None, file("a file\n")),
        (b"caf\xe9/na\xffme\n", file("odd\n"), file("odd, before\n")),
    ]
}

/// Lays out the first or the second state of everything.
fn lay_out(desk: &Desk, is_before: bool) {
    desk.write("untouched", "as it is\n");
    for (name, before, after) in everything() {
        let thing = if is_before { before } else { after };
        if thing.is_some() {
            desk.put(name, thing.as_ref());
        }
    }
}

fn everything_changed(desk: &Desk) -> Vec<PathChange> {
    everything()
        .iter()
        .map(|(name, before, after)| desk.change(name, before.as_ref(), after.as_ref()))
        .collect()
}

/// The tree that everything put back gives.
fn expected() -> BTreeMap<Vec<u8>, Thing> {
    let desk = Desk::new();
    lay_out(&desk, false);
    desk.tree()
}

/// Both steps at once.
fn apply(
    shadow: &Shadow,
    ground: &RestoreTarget<'_>,
    restore: Restore<'_>,
    observe: Observe<'_>,
) -> Result<Applied, RestoreError> {
    prepare(shadow, ground, restore, observe)?.apply()
}
