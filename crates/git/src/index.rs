//! What the index has at a path. Git itself is asked, for one path.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use crate::object::{Entry, Mode};
use crate::path::RepoPath;
use crate::run::{Git, GitError, Limits};

/// One name in one file; longer than this and something is wrong.
const TIME: Duration = Duration::from_secs(5);

/// The entry of a path; of an unmerged one, our side.
pub fn entry(git: &Git, path: &RepoPath) -> Result<Option<Entry>, GitError> {
    let mut arguments: Vec<OsString> = ["--literal-pathspecs", "ls-files", "--stage", "-z", "--"]
        .map(OsString::from)
        .to_vec();
    arguments.push(OsString::from_vec(path.as_bytes().to_vec()));
    let told = git.run(&arguments, Limits::within(TIME))?;
    let entries = told.split(|byte| *byte == 0).filter_map(|line| parse(line, path));
    Ok(entries
        .filter(|(stage, _)| matches!(stage, 0 | 2))
        .map(|(_, entry)| entry)
        .next())
}

/// `<mode> <id> <stage>\t<name>`; other names are files in a folder of this one.
fn parse(line: &[u8], path: &RepoPath) -> Option<(u8, Entry)> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    let name = line.get(at + 1..)?;
    let facts = std::str::from_utf8(line.get(..at)?).ok()?;
    let mut facts = facts.split(' ');
    let entry = Entry {
        mode: Mode::parse(facts.next()?)?,
        id: facts.next()?.parse().ok()?,
    };
    let stage = facts.next()?.parse().ok()?;
    (name == path.as_bytes()).then_some((stage, entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Bench;

    fn of(bench: &Bench, name: &[u8]) -> Option<String> {
        let git = Git::new(&bench.path("repo"), &bench.environment());
        let found = entry(&git, &RepoPath::new(name).unwrap()).unwrap();
        found.map(|entry| format!("{} {}", entry.mode.octal(), entry.id))
    }

    #[test]
    fn what_is_staged_counts_and_not_what_is_in_the_worktree() {
        let bench = Bench::with_repository();
        bench.write("repo/new*.txt", "staged\n");
        bench.git("repo", &["add", "."]);
        let id = bench.git("repo", &["hash-object", "new*.txt"]).trim().to_owned();
        bench.write("repo/new*.txt", "more\n");
        bench.write("repo/newer.txt", "unknown\n");
        assert_eq!(of(&bench, b"new*.txt"), Some(format!("100644 {id}")));
        assert_eq!(of(&bench, b"newer.txt"), None);
        assert_eq!(of(&bench, b"new"), None);
    }

    #[test]
    fn a_folder_is_no_entry() {
        let bench = Bench::with_repository();
        bench.write("repo/folder/a", "x\n");
        bench.git("repo", &["add", "."]);
        assert_eq!(of(&bench, b"folder"), None);
        assert!(of(&bench, b"folder/a").is_some());
    }
}
