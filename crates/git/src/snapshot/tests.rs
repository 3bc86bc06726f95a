//! What a snapshot promises, with `git add -A && git write-tree` as the judge.

mod conversions;
mod hostile;
mod repositories;

use std::process::Command;

use super::*;
use crate::capture::Exclude;
use crate::fixture::{Bench, PLENTY};
use crate::place;
use crate::run::Git;
use crate::scan::{Ground, scan};
use crate::shadow::ShadowSite;

const MEBI: u64 = 1024 * 1024;
/// Far enough ahead that every file's times lie well before it, in milliseconds.
const LATER: i64 = 10_000_000_000_000;

/// A repository `repo`, its shadow, and what is known of its files.
struct World {
    bench: Bench,
    folder: String,
    shadow: Shadow,
    rules: Rules,
    cache: StatCache,
    /// The tree of the checkpoint before.
    previous: Option<Id>,
    now_ms: i64,
}

impl World {
    /// A repository made with these options, with one commit.
    fn new(options: &[&str]) -> Self {
        let bench = Bench::new();
        let arguments = [&["init", "-q", "-b", "main"][..], options, &["repo"]].concat();
        bench.git(".", &arguments);
        bench.write("repo/file", "one\n");
        bench.write("repo/folder/inner", "inner\n");
        bench.write("repo/same", "same\n");
        bench.commit("repo", "first");
        Self::at(bench, "repo")
    }

    fn at(bench: Bench, folder: &str) -> Self {
        let site = ShadowSite::of(&place::find(&bench.path(folder)), &bench.path("outside")).unwrap();
        Self {
            shadow: Shadow::make(&site).unwrap(),
            bench,
            folder: folder.to_owned(),
            rules: Rules {
                max_file: 50 * MEBI,
                max_total: 500 * MEBI,
                exclude: Exclude::default(),
            },
            cache: StatCache::default(),
            previous: None,
            now_ms: 0,
        }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.bench.write(&format!("{}/{name}", self.folder), content);
    }

    fn remove(&self, name: &str) {
        fs_err::remove_file(self.file(name)).unwrap();
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.bench.path(&self.folder).join(name)
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.bench.git(&self.folder, arguments)
    }

    fn commit(&self) {
        self.bench.commit(&self.folder, "next");
    }

    fn settings(&self) -> GitSettings {
        let worktree = self.worktree();
        let git = Git::new(&worktree.root, &self.bench.environment());
        GitSettings::read(&git, &worktree, self.shadow.folder(), PLENTY).unwrap()
    }

    fn worktree(&self) -> GitWorktree {
        GitWorktree::of(&place::find(&self.bench.path(&self.folder))).unwrap()
    }

    fn scan(&self) -> WorktreeScan {
        let worktree = self.worktree();
        let ground = if worktree.is_in_git() {
            Ground::Repository
        } else {
            Ground::Folder {
                shadow: self.shadow.folder(),
                max_files: 100,
            }
        };
        let git = Git::new(&worktree.root, &self.bench.environment());
        scan(&worktree, &git, ground, PLENTY).unwrap()
    }

    fn snapshot(&mut self) -> Snapshot {
        let (worktree, settings, scan) = (self.worktree(), self.settings(), self.scan());
        let previous = |path: &RepoPath| self.shadow.entry(self.previous?, path).unwrap();
        let sources = SnapshotSources {
            shadow: &self.shadow,
            worktree: &worktree,
            settings: &settings,
            rules: &self.rules,
            scan: &scan,
            previous: &previous,
            now_ms: self.now_ms,
        };
        let snapshot = Snapshot::take(&sources, &mut self.cache).unwrap();
        self.is_complete(&snapshot);
        snapshot
    }

    /// The bytes of every file that was captured can be had from our own objects.
    fn is_complete(&self, snapshot: &Snapshot) {
        let below = crate::nofollow::OpenFolder::open_root(&self.bench.path(&self.folder)).unwrap();
        for (path, state) in &snapshot.states {
            let file = self.bench.path(&self.folder).join(path.to_path());
            let Some(id) = state.bytes() else {
                assert!(below.open_file(path).is_err(), "{path} is there");
                continue;
            };
            match state.entry().unwrap().mode {
                EntryMode::Commit => continue,
                EntryMode::Link if file.is_symlink() => {}
                EntryMode::Link | EntryMode::File | EntryMode::Exec => {
                    let is_left_out = !file.exists();
                    let content = self.shadow.blob(id, 50 * MEBI).unwrap();
                    assert!(is_left_out || content == fs_err::read(&file).unwrap(), "{path}");
                }
            }
            assert!(self.shadow.owns(id), "{path} is somebody else's");
        }
    }

    /// What git would store of the working tree, through an index of its own.
    fn oracle(&self) -> String {
        let index = self.bench.path("oracle-index");
        let own = self.git(&["rev-parse", "--path-format=absolute", "--git-path", "index"]);
        let _ = fs_err::remove_file(&index);
        if let Ok(written) = fs_err::metadata(&own).and_then(|metadata| metadata.modified()) {
            // By its own time git knows which of its entries it cannot trust.
            fs_err::copy(own, &index).unwrap();
            let copy = std::fs::File::options().write(true).open(&index).unwrap();
            copy.set_modified(written).unwrap();
        }
        let ask = |arguments: &[&str]| {
            let output = Command::new("git")
                .args(arguments)
                .current_dir(self.bench.path(&self.folder))
                .env("GIT_INDEX_FILE", &index)
                .env("HOME", self.bench.path("."))
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .unwrap();
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "git {arguments:?}: {complaint}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        ask(&["add", "-A"]);
        ask(&["write-tree"])
    }

    /// Takes a snapshot and lets git judge it; nothing of the user's may have changed.
    fn agrees(&mut self) -> Snapshot {
        let index = self.bench.path(&self.folder).join(".git/index");
        let before = fs_err::read(&index).ok();
        let snapshot = self.snapshot();
        assert_eq!(fs_err::read(&index).ok(), before, "the index changed");
        let oracle = self.oracle();
        let theirs = self
            .shadow
            .diff(Some(snapshot.files), oracle.parse().ok())
            .unwrap();
        assert!(theirs.is_empty(), "git has it otherwise: {theirs:?}");
        assert_eq!(snapshot.files.to_string(), oracle);
        assert_eq!((snapshot.skipped.len(), snapshot.filter_failed.len()), (0, 0));
        snapshot
    }
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

#[test]
fn a_clean_repository_is_its_commits_tree() {
    let mut world = World::new(&[]);
    let snapshot = world.agrees();
    assert_eq!(
        snapshot.files.to_string(),
        world.git(&["rev-parse", "HEAD^{tree}"])
    );
    assert!(snapshot.states.is_empty());
}

#[test]
fn changed_new_deleted_and_staged_files_are_as_they_are_in_the_worktree() {
    let mut world = World::new(&[]);
    world.write("file", "two\n");
    world.write("new/er", "new\n");
    world.write(".gitignore", "*.log\n");
    world.write("a.log", "ignored\n");
    world.remove("folder/inner");
    world.git(&["rm", "-q", "--cached", "same"]);
    let snapshot = world.agrees();
    let names: Vec<String> = snapshot.states.keys().map(ToString::to_string).collect();
    assert_eq!(names, [".gitignore", "file", "folder/inner", "new/er", "same"]);
    assert_eq!(
        snapshot.states.get(&path("folder/inner")),
        Some(&PathState::Absent)
    );
    assert!(snapshot.raw.is_empty() && snapshot.staged.is_empty());
}

#[test]
fn what_is_staged_and_then_changed_again_is_kept_beside_the_tree() {
    let mut world = World::new(&[]);
    world.write("file", "staged\n");
    world.write("added", "staged too\n");
    world.write("same", "staged only\n");
    world.git(&["add", "-A"]);
    world.write("file", "worktree\n");
    world.remove("added");
    let snapshot = world.agrees();
    let staged: Vec<String> = snapshot.staged.keys().map(ToString::to_string).collect();
    assert_eq!(staged, ["added", "file"]);
    let id = snapshot.staged.get(&path("file")).unwrap().id;
    assert!(world.shadow.owns(id));
    assert_eq!(world.shadow.blob(id, 100).unwrap(), b"staged\n");
}

#[test]
fn a_file_that_became_a_folder_in_between_gives_way_to_what_was_seen_last() {
    let world = World::new(&[]);
    let (worktree, settings, scan) = (world.worktree(), world.settings(), world.scan());
    let sources = SnapshotSources {
        shadow: &world.shadow,
        worktree: &worktree,
        settings: &settings,
        rules: &world.rules,
        scan: &scan,
        previous: &|_| None,
        now_ms: 0,
    };
    let mut cache = StatCache::default();
    let mut draft = SnapshotDraft::new(&sources, None, &mut cache).unwrap();
    let entry = TreeLeaf {
        mode: EntryMode::File,
        id: world.shadow.write_blob(b"x").unwrap(),
    };
    draft.put(&path("a"), Some(entry));
    draft.put(&path("a/b/gone"), None);
    draft.put(&path("a/b/c"), Some(entry));
    let (changes, parts) = draft.finish();
    assert_eq!(changes.get(&path("a")), Some(&None));
    assert_eq!(parts.moving, [path("a")]);
    let tree = world.shadow.edit(None, None, &changes).unwrap();
    assert_eq!(world.shadow.leaves(tree).unwrap(), [(path("a/b/c"), entry)]);
}

/// Whether a file would be answered without being read.
fn is_known(world: &mut World, name: &str) -> bool {
    let (worktree, settings) = (world.worktree(), world.settings());
    let index = world.scan().dirty.get(&path(name)).unwrap().index;
    let capture = Capture::new(&world.shadow, &worktree, &settings, &world.rules);
    capture
        .unwrap()
        .with_memory(&mut world.cache, 0)
        .remembers(&path(name), index)
}

#[test]
fn a_file_nobody_touched_is_not_read_again_and_a_touched_one_is() {
    let mut world = World::new(&[]);
    world.now_ms = LATER;
    world.write("file", "two\n");
    let first = world.agrees();
    assert!(is_known(&mut world, "file"));
    assert_eq!(world.agrees().files, first.files);
    world.write("file", "three\n");
    assert!(!is_known(&mut world, "file"));
    assert_ne!(world.agrees().files, first.files);
}

#[test]
fn a_file_read_in_the_moment_it_was_written_is_read_again() {
    let mut world = World::new(&[]);
    world.write("file", "two\n");
    let below = crate::nofollow::OpenFolder::open_root(&world.bench.path("repo")).unwrap();
    let changed = below.metadata(&path("file")).unwrap().changed;
    let changed_ms = i64::try_from(changed / 1_000_000).unwrap();
    for (after_ms, is_settled) in [(0, false), (50, false), (52, true)] {
        world.now_ms = changed_ms + after_ms;
        world.agrees();
        assert_eq!(is_known(&mut world, "file"), is_settled, "{after_ms}");
        world.cache = StatCache::default();
    }
}

#[test]
fn only_files_that_differ_are_remembered() {
    let mut world = World::new(&[]);
    world.write("file", "two\n");
    world.agrees();
    assert_eq!(world.cache.len(), 1);
    world.git(&["checkout", "-q", "file"]);
    world.agrees();
    assert!(world.cache.is_empty());
}
