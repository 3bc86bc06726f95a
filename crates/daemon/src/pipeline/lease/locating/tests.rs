use super::{Located, Surroundings, locate};
use git::place::{Place, find};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// A volume as the test wants it.
struct Volume {
    folds: bool,
}

impl Surroundings for Volume {
    fn place_of(&self, folder: &Path) -> Arc<Place> {
        Arc::new(find(folder))
    }

    fn folds_case(&self, _root: &Path) -> bool {
        self.folds
    }
}

struct Repository {
    folder: TempDir,
}

impl Repository {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let repository = Self { folder };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.write("src/a.rs", "a");
        repository.git(&["add", "."]);
        let by = [
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@x",
            "commit",
            "-qm",
            "one",
        ];
        repository.git(&by);
        repository
    }

    fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .current_dir(self.root())
            .args(arguments)
            .status()
            .unwrap();
        assert!(done.success());
    }

    fn root(&self) -> PathBuf {
        fs_err::canonicalize(self.folder.path()).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn at(&self, path: &str) -> Located {
        self.seen_by(path, false)
    }

    fn seen_by(&self, path: &str, folds: bool) -> Located {
        let here = Arc::new(find(&self.root()));
        locate(&self.root().join(path), Some(&here), &Volume { folds }).unwrap()
    }
}

/// What tells files apart: the worktree's root and the path in it.
fn key(located: &Located) -> (Option<PathBuf>, String) {
    let root = located.place.as_ref().and_then(|place| place.worktree.clone());
    (root, located.key.path.clone())
}

#[test]
fn links_and_detours_lead_to_one_key() {
    let repository = Repository::new();
    let root = repository.root();
    std::os::unix::fs::symlink("a.rs", root.join("src/link.rs")).unwrap();
    std::os::unix::fs::symlink("src", root.join("folder")).unwrap();
    fs_err::create_dir(root.join("docs")).unwrap();
    let plain = key(&repository.at("src/a.rs"));
    assert_eq!(plain, (Some(root), "src/a.rs".to_owned()));
    for other in [
        "src/link.rs",
        "folder/a.rs",
        "docs/../src/./a.rs",
        "folder/../src/a.rs",
    ] {
        assert_eq!(key(&repository.at(other)), plain, "{other}");
    }
}

#[test]
fn a_file_with_two_names_is_known_by_its_inode() {
    let repository = Repository::new();
    assert_eq!(repository.at("src/a.rs").key.file_id, None);
    fs_err::hard_link(repository.root().join("src/a.rs"), repository.root().join("b.rs")).unwrap();
    let (one, two) = (repository.at("src/a.rs"), repository.at("b.rs"));
    assert!(one.key.file_id.is_some());
    assert_eq!(one.key.file_id, two.key.file_id);
}

#[test]
fn composed_and_decomposed_letters_are_one_name() {
    let repository = Repository::new();
    assert_eq!(
        key(&repository.at("caf\u{e9}.md")),
        key(&repository.at("cafe\u{301}.md"))
    );
}

#[test]
fn case_counts_where_the_volume_counts_it() {
    let repository = Repository::new();
    let key_of = |path, folds| key(&repository.seen_by(path, folds));
    assert_ne!(key_of("README.md", false), key_of("readme.md", false));
    assert_eq!(key_of("README.md", true), key_of("readme.md", true));
}

#[test]
fn a_file_in_folders_that_do_not_exist_has_a_key() {
    let repository = Repository::new();
    let new = repository.at("new/deep/file.rs");
    assert_eq!(new.key.path, "new/deep/file.rs");
    assert!(new.found.is_none());
    assert!(new.is_leasable());
}

#[test]
fn a_worktree_below_the_main_one_and_a_submodule_are_apart() {
    let repository = Repository::new();
    repository.git(&["worktree", "add", "-q", "trees/one", "-b", "one"]);
    let other = Repository::new();
    let url = other.root().display().to_string();
    repository.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "sub",
    ]);
    let root = repository.root();
    let key_of = |path| key(&repository.at(path));
    assert_eq!(key_of("src/a.rs"), (Some(root.clone()), "src/a.rs".to_owned()));
    assert_eq!(
        key_of("trees/one/src/a.rs"),
        (Some(root.join("trees/one")), "src/a.rs".to_owned())
    );
    assert_eq!(
        key_of("sub/src/a.rs"),
        (Some(root.join("sub")), "src/a.rs".to_owned())
    );
}

#[test]
fn without_git_the_folder_the_agent_works_in_counts() {
    let folder = TempDir::new().unwrap();
    let root = fs_err::canonicalize(folder.path()).unwrap();
    fs_err::create_dir(root.join("inner")).unwrap();
    let here = Arc::new(find(&root));
    let inside = locate(&root.join("inner/a.txt"), Some(&here), &Volume { folds: false }).unwrap();
    assert_eq!(inside.key.path, "inner/a.txt");
    assert!(inside.place.is_some());
}

#[test]
fn outside_every_worktree_the_path_is_absolute() {
    let repository = Repository::new();
    let elsewhere = TempDir::new().unwrap();
    let path = fs_err::canonicalize(elsewhere.path()).unwrap().join("a.txt");
    let here = Arc::new(find(&repository.root()));
    let outside = locate(&path, Some(&here), &Volume { folds: false }).unwrap();
    assert!(outside.place.is_none());
    assert_eq!(outside.key.path, path.display().to_string());
}

#[test]
fn devices_and_what_the_kernel_shows_are_not_leased() {
    let volume = Volume { folds: false };
    for path in ["/dev/null", "/proc/self/status", "/sys/kernel/x"] {
        assert!(
            !locate(Path::new(path), None, &volume).unwrap().is_leasable(),
            "{path}"
        );
    }
}

#[test]
fn what_leads_nowhere_has_no_key() {
    let repository = Repository::new();
    let root = repository.root();
    std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
    let volume = Volume { folds: false };
    let long = root.join("a".repeat(5_000));
    let zero = root.join(std::ffi::OsStr::from_bytes(b"a\0b"));
    for path in [Path::new("relative"), &root.join("loop"), &long, &zero] {
        assert!(locate(path, None, &volume).is_none(), "{}", path.display());
    }
}

#[test]
fn bytes_that_are_no_text_are_shown_and_told_apart() {
    let repository = Repository::new();
    let here = Arc::new(find(&repository.root()));
    let at = |name: &[u8]| {
        let path = repository.root().join(std::ffi::OsStr::from_bytes(name));
        locate(&path, Some(&here), &Volume { folds: false })
            .unwrap()
            .key
            .path
    };
    assert_eq!(at(b"a\xff"), "a\\xff");
    assert_ne!(at(b"a\xff"), at(b"a\xfe"));
}

#[test]
fn what_git_keeps_for_itself_is_in_the_worktree_around_it() {
    let repository = Repository::new();
    assert_eq!(
        key(&repository.at(".git/config")),
        (Some(repository.root()), ".git/config".to_owned())
    );
}
