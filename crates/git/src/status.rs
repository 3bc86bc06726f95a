//! Reads what `git status --porcelain=v2 --branch -z` says, record by record or counted.

use crate::object::{EntryMode, TreeLeaf};
use crate::state::{ChangeCounts, UpstreamDistance};

/// The command; submodules are not entered, and renames are not searched for.
pub const ARGUMENTS: [&str; 7] = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=normal",
    "--no-renames",
    "--ignore-submodules=dirty",
];

/// What a status says, as far as a project's state needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// The branch, or `detached at` and seven digits.
    pub branch: Option<String>,
    pub upstream: Option<UpstreamDistance>,
    pub changes: ChangeCounts,
}

/// One record of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusRecord<'text> {
    /// A fact about the branch.
    Header { name: &'text [u8], value: &'text [u8] },
    /// A tracked file that differs somewhere.
    Changed(StatusChange<'text>),
    /// A file with more than one version in the index.
    Unmerged {
        is_submodule: bool,
        ours: Option<TreeLeaf>,
        path: &'text [u8],
    },
    /// A file git does not know; with a slash at its end a repository of its own.
    Untracked(&'text [u8]),
}

/// A tracked file that differs in the index, in the working tree or in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusChange<'text> {
    /// The index against the commit, and the working tree against the index; a dot where nothing differs.
    pub letters: [u8; 2],
    pub is_submodule: bool,
    pub head: Option<TreeLeaf>,
    pub index: Option<TreeLeaf>,
    pub path: &'text [u8],
}

/// The records of a status, in git's order. Those of a kind not known yet are passed over.
pub fn records(text: &[u8]) -> impl Iterator<Item = StatusRecord<'_>> {
    let mut lines = text.split(|&byte| byte == 0);
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            let record = record(line);
            if line.starts_with(b"2 ") {
                // The name it had before is a record of its own.
                lines.next();
            }
            if record.is_some() {
                return record;
            }
        }
    })
}

fn record(line: &[u8]) -> Option<StatusRecord<'_>> {
    let (kind, rest) = cut(line)?;
    match kind {
        b"#" => {
            let (name, value) = cut(rest)?;
            Some(StatusRecord::Header { name, value })
        }
        b"1" => change(rest, false).map(StatusRecord::Changed),
        b"2" => change(rest, true).map(StatusRecord::Changed),
        b"u" => unmerged(rest),
        b"?" => Some(StatusRecord::Untracked(rest)),
        _ => None,
    }
}

/// `XY sub mH mI mW hH hI [score] path`
fn change(rest: &[u8], is_scored: bool) -> Option<StatusChange<'_>> {
    let ([letters, sub, head_mode, index_mode, _, head_id, index_id], path) = words(rest)?;
    Some(StatusChange {
        letters: letters.try_into().ok()?,
        is_submodule: sub.starts_with(b"S"),
        head: entry(head_mode, head_id),
        index: entry(index_mode, index_id),
        path: if is_scored { cut(path)?.1 } else { path },
    })
}

/// `XY sub m1 m2 m3 mW h1 h2 h3 path`
fn unmerged(rest: &[u8]) -> Option<StatusRecord<'_>> {
    let ([_, sub, _, mode, _, _, _, id, _], path) = words(rest)?;
    Some(StatusRecord::Unmerged {
        is_submodule: sub.starts_with(b"S"),
        ours: entry(mode, id),
        path,
    })
}

/// So many words, and what follows them.
fn words<const COUNT: usize>(mut rest: &[u8]) -> Option<([&[u8]; COUNT], &[u8])> {
    let mut words: [&[u8]; COUNT] = [b""; COUNT];
    for word in &mut words {
        (*word, rest) = cut(rest)?;
    }
    Some((words, rest))
}

fn cut(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|&byte| byte == b' ')?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// Nothing where the mode is zero.
fn entry(mode: &[u8], id: &[u8]) -> Option<TreeLeaf> {
    Some(TreeLeaf {
        mode: EntryMode::parse(std::str::from_utf8(mode).ok()?)?,
        id: std::str::from_utf8(id).ok()?.parse().ok()?,
    })
}

/// Counts a whole status.
pub fn parse(text: &[u8]) -> Status {
    let mut status = Status::default();
    let mut commit = String::new();
    let mut upstream = None;
    for record in records(text) {
        match record {
            StatusRecord::Header { name, value } => {
                let value = String::from_utf8_lossy(value);
                match name {
                    b"branch.oid" => commit = value.into_owned(),
                    b"branch.head" if value == "(detached)" => {
                        status.branch = Some(format!("detached at {}", commit.get(..7).unwrap_or(&commit)));
                    }
                    b"branch.head" => status.branch = Some(value.into_owned()),
                    b"branch.upstream" => upstream = Some(value.into_owned()),
                    b"branch.ab" => status.upstream = distance(upstream.take(), &value),
                    _ => {}
                }
            }
            StatusRecord::Changed(change) => {
                let [index, tree] = change.letters;
                status.changes.staged += u64::from(index != b'.');
                status.changes.modified += u64::from(tree != b'.');
            }
            StatusRecord::Unmerged { .. } => status.changes.modified += 1,
            StatusRecord::Untracked(_) => status.changes.untracked += 1,
        }
    }
    status
}

fn distance(name: Option<String>, text: &str) -> Option<UpstreamDistance> {
    let (ahead, behind) = text.split_once(' ')?;
    Some(UpstreamDistance {
        name: name?,
        ahead: ahead.strip_prefix('+')?.parse().ok()?,
        behind: behind.strip_prefix('-')?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_is_counted_once() {
        let text = b"# branch.oid 0123456789012345678901234567890123456789\0# branch.head main\0\
            # branch.upstream origin/main\0# branch.ab +2 -13\0# future thing\0\
            1 .M N... 100644 100644 100644 a a one\0\
            1 M. N... 100644 100644 100644 a a two\0\
            1 MM N... 100644 100644 100644 a a three\0\
            2 R. N... 100644 100644 100644 a a R100 new\0? old\0\
            u UU N... 100644 100644 100644 100644 a a a four\0? five\0? six\nseven\0! eight\0";
        assert_eq!(
            parse(text),
            Status {
                branch: Some("main".to_owned()),
                upstream: Some(UpstreamDistance {
                    name: "origin/main".to_owned(),
                    ahead: 2,
                    behind: 13,
                }),
                changes: ChangeCounts {
                    modified: 3,
                    staged: 3,
                    untracked: 2,
                },
            }
        );
    }

    #[test]
    fn a_record_says_what_the_commit_and_the_index_hold() {
        let id = "0123456789012345678901234567890123456789";
        let zero = "0".repeat(40);
        let text = format!(
            "1 AD N... 000000 100755 000000 {zero} {id} a b\n\0\
             1 .M SC.. 160000 160000 160000 {id} {id} sub\0\
             2 R. N... 100644 120000 120000 {id} {id} R100 new name\0old name\0\
             u AA N... 000000 100644 100755 100644 {zero} {id} {id} both\0? nested/\0"
        );
        let file = |mode| {
            Some(TreeLeaf {
                mode,
                id: id.parse().unwrap(),
            })
        };
        let change = |letters: &[u8; 2], is_submodule, head, index, path| {
            StatusRecord::Changed(StatusChange {
                letters: *letters,
                is_submodule,
                head,
                index,
                path,
            })
        };
        assert_eq!(
            records(text.as_bytes()).collect::<Vec<_>>(),
            [
                change(b"AD", false, None, file(EntryMode::Exec), b"a b\n"),
                change(
                    b".M",
                    true,
                    file(EntryMode::Commit),
                    file(EntryMode::Commit),
                    b"sub"
                ),
                change(
                    b"R.",
                    false,
                    file(EntryMode::File),
                    file(EntryMode::Link),
                    b"new name"
                ),
                StatusRecord::Unmerged {
                    is_submodule: false,
                    ours: file(EntryMode::File),
                    path: b"both"
                },
                StatusRecord::Untracked(b"nested/"),
            ]
        );
    }

    #[test]
    fn an_upstream_that_is_gone_has_no_distance() {
        assert_eq!(
            parse(b"# branch.head a\0# branch.upstream origin/a\0").upstream,
            None
        );
    }

    #[test]
    fn garbage_is_passed_over() {
        assert_eq!(
            parse(b"\0\0 \0#\0# \0# branch.ab x\x001\x001 \0\xff\xfe\0"),
            Status::default()
        );
    }
}
