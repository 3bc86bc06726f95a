//! Any bytes as the journal of a restore, or as a path in one: refused, or exactly what we would have written, and no
//! path of it leads out of the worktree or into git's own files.

use git::object::EntryMode;
use git::path::RepoPath;
use git::restore::journal::{Journal, JournalId};
use sha2::{Digest, Sha256};
use std::path::{Component, Path};

/// The journal every input of the corpus is called.
const ID: &str = "c0de55aa0912";

/// Reads the bytes as a journal, as the body of one whose checksums are right, and as a path.
///
/// # Panics
///
/// If a promise is broken.
pub fn check(bytes: &[u8]) {
    journal(bytes);
    // Nobody invents a checksum: the forger gets it for nothing.
    let mut forged = bytes.to_vec();
    forged.extend(seal("end", &forged));
    let is_read = journal(&forged);
    forged.extend(seal("staged", &forged));
    assert_eq!(journal(&forged), is_read, "a mark changes what a journal says");
    if let Ok(path) = RepoPath::new(bytes) {
        assert_eq!(path.as_bytes(), bytes);
        inside(&path);
    }
}

/// Whether they are a journal; then all that must hold does.
fn journal(bytes: &[u8]) -> bool {
    let id = JournalId::new(ID).expect("the name of a journal");
    let Ok((journal, is_staged)) = Journal::read(&id, bytes) else {
        return false;
    };
    let mut again = journal.written().expect("what was read can be written");
    assert!(bytes.starts_with(&again), "read, but not what we write");
    if is_staged {
        again.extend(journal.mark().expect("what was read can be marked"));
        assert_eq!(bytes, again, "marked, but not by us");
    }
    assert_eq!(journal.id, id);
    for change in &journal.changes {
        inside(&change.path);
        for state in [change.from, change.to] {
            let mode = state.entry().map(|entry| entry.mode);
            assert_ne!(mode, Some(EntryMode::Commit), "a repository is never put back");
        }
    }
    for folder in &journal.folders {
        inside(&folder.path);
        assert!(folder.bits <= 0o777);
    }
    true
}

/// The path is plain names all the way, none of them git's.
fn inside(path: &RepoPath) {
    let seen: &Path = path.to_path();
    for component in seen.components() {
        let is_plain = matches!(component, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
        assert!(is_plain, "{path:?} leads elsewhere or into git's files");
    }
    let root = Path::new("/worktree");
    assert!(root.join(seen).starts_with(root), "{path:?} leads out");
    assert_eq!(seen.components().count(), path.components().count());
}

fn seal(word: &str, before: &[u8]) -> Vec<u8> {
    let mut sum = Sha256::new();
    sum.update(word.as_bytes());
    sum.update(before);
    let digits: Vec<String> = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{word} {}\n", digits.concat()).into_bytes()
}
