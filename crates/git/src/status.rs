//! Reads what `git status --porcelain=v2 --branch -z` says.

use crate::state::{Changes, Upstream};

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
    pub upstream: Option<Upstream>,
    pub changes: Changes,
}

/// Understands a whole status. Lines of a kind not known yet are passed over.
pub fn parse(text: &[u8]) -> Status {
    let mut status = Status::default();
    let mut commit = String::new();
    let mut upstream = None;
    let mut records = text.split(|&byte| byte == 0);
    while let Some(record) = records.next() {
        let mut words = record.splitn(3, |&byte| byte == b' ');
        let (Some(kind), Some(first)) = (words.next(), words.next()) else {
            continue;
        };
        let rest = String::from_utf8_lossy(words.next().unwrap_or_default());
        match (kind, first) {
            (b"#", b"branch.oid") => commit = rest.into_owned(),
            (b"#", b"branch.head") if rest == "(detached)" => {
                status.branch = Some(format!("detached at {}", commit.get(..7).unwrap_or(&commit)));
            }
            (b"#", b"branch.head") => status.branch = Some(rest.into_owned()),
            (b"#", b"branch.upstream") => upstream = Some(rest.into_owned()),
            (b"#", b"branch.ab") => status.upstream = distance(upstream.take(), &rest),
            (b"1", letters) => count(&mut status.changes, letters),
            (b"2", letters) => {
                count(&mut status.changes, letters);
                // The name it had before is a record of its own.
                records.next();
            }
            (b"u", _) => status.changes.modified += 1,
            (b"?", _) => status.changes.untracked += 1,
            _ => {}
        }
    }
    status
}

fn distance(name: Option<String>, text: &str) -> Option<Upstream> {
    let (ahead, behind) = text.split_once(' ')?;
    Some(Upstream {
        name: name?,
        ahead: ahead.strip_prefix('+')?.parse().ok()?,
        behind: behind.strip_prefix('-')?.parse().ok()?,
    })
}

/// Two letters: the index against the commit, the working tree against the index.
fn count(changes: &mut Changes, letters: &[u8]) {
    if let [index, tree] = letters {
        changes.staged += u64::from(*index != b'.');
        changes.modified += u64::from(*tree != b'.');
    }
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
                upstream: Some(Upstream {
                    name: "origin/main".to_owned(),
                    ahead: 2,
                    behind: 13,
                }),
                changes: Changes {
                    modified: 3,
                    staged: 3,
                    untracked: 2,
                },
            }
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
