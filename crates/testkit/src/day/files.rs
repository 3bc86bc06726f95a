//! The files of a worktree as anybody sees them: no index, no ignore rules, no part of the product.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is at a path: mode, and bytes.
pub(super) type Node = (u32, Vec<u8>);
pub(super) type Files = BTreeMap<PathBuf, Node>;

pub(super) fn put_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder).expect("a folder");
    }
}

/// Commits everything, by whoever does it; nothing to commit is no trouble.
pub(super) fn commit(root: &Path) {
    for words in [&["add", "-A"][..], &["commit", "-q", "-m", "some work"]] {
        let mut git = Command::new("git");
        git.current_dir(root)
            .args(["-c", "user.name=T", "-c", "user.email=t@example.invalid"]);
        git.args(["-c", "commit.gpgsign=false"]).args(words);
        git.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        git.stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        git.status().expect("git");
    }
}

/// Every file below a folder, but for git's own.
pub(super) fn files(root: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("a path inside").to_path_buf();
            let stat = fs_err::symlink_metadata(&path).expect("a file");
            if name == Path::new(".git") {
            } else if stat.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs_err::read(&path).expect("a file that can be read");
                found.insert(name, (stat.permissions().mode(), bytes));
            }
        }
    }
    found
}
