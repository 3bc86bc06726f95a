//! Programs of this machine: where one is, and which version.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that is there.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Where.
    pub path: PathBuf,
    /// What it says of itself, without its name.
    pub version: String,
}

/// Finds a program in the folders of a search path. Scripts that choose a version first (shims) are passed over:
/// they would cost a peer time that is not its own.
pub fn find(name: &str, search: &OsStr, version_arguments: &[&str]) -> Option<Tool> {
    let path = std::env::split_paths(search)
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))?;
    let output = Command::new(&path).args(version_arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(Tool {
        path,
        version: version(&text)?.to_owned(),
    })
}

/// The search path of this machine with the tools of the workspace in front.
pub fn search_path(workspace: &Path, inherited: Option<&OsString>) -> OsString {
    let ours = workspace.join(".cache").join("tools");
    let rest: Vec<PathBuf> = inherited
        .map(|path| std::env::split_paths(path).collect())
        .unwrap_or_default();
    std::env::join_paths(std::iter::once(ours).chain(rest)).unwrap_or_default()
}

fn is_program(path: &Path) -> bool {
    let mut start = [0; 2];
    let read = fs_err::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && &start != b"#!"
}

/// The first word of the first line that looks like a version.
fn version(text: &str) -> Option<&str> {
    let words = text
        .lines()
        .next()?
        .split([' ', '-'])
        .map(|word| word.trim_start_matches('v'));
    words
        .into_iter()
        .find(|word| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit()))
}

/// Whether a version is at least this major and minor one.
pub fn is_at_least(version: &str, wanted: (u32, u32)) -> bool {
    let mut numbers = version
        .split(|other: char| !other.is_ascii_digit())
        .map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        assert_eq!(version("jq-1.6"), Some("1.6"));
        assert_eq!(version("Python 3.11.2\n"), Some("3.11.2"));
        assert_eq!(version("v20.20.2"), Some("20.20.2"));
        assert_eq!(
            version("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)"),
            Some("5.2.15(1)")
        );
        assert_eq!(version("no idea"), None);
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(is_at_least("1.10", (1, 7)));
        assert!(is_at_least("2.0", (1, 7)));
        assert!(!is_at_least("1.6", (1, 7)));
    }
}
