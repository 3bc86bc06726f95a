//! Commits are git's commits, whatever a name or a message holds.

use super::*;
use crate::shadow::{Commit, trailers};

#[test]
fn a_commit_is_read_as_it_was_written_by_us_and_by_git() {
    let world = World::new();
    let first = world.commit(world.head_tree(), None);
    let author = CommitAuthor {
        name: b"Ada".to_vec(),
        email: b"ada@example.org".to_vec(),
    };
    let message = b"Label\n\nToprope-Kind: turn\n";
    let new = NewCommit {
        tree: world.head_tree(),
        parent: Some(first),
        message,
        author: &author,
        at_ms: 1_700_000_000_999,
    };
    let id = world.shadow.commit(&new).unwrap();
    let expected = Commit {
        tree: new.tree,
        parents: vec![first],
        author,
        at_ms: 1_700_000_000_000,
        message: message.to_vec(),
    };
    assert_eq!(world.shadow.read_commit(id).unwrap(), expected);
    assert_eq!(world.shadow.tree_of(id).unwrap(), world.head_tree());
    assert_eq!(
        trailers(&expected.message),
        [("Toprope-Kind".to_owned(), "turn".to_owned())]
    );
    let format = "--format=%an <%ae> %at|%cn <%ce> %ct|%s";
    assert_eq!(
        world.git(&["log", "-1", format, &id.to_string()]),
        "Ada <ada@example.org> 1700000000|Toprope <toprope@localhost> 1700000000|Label"
    );
}

#[test]
fn names_and_messages_cannot_break_a_commit() {
    let world = World::new();
    let names = [&b""[..], b"<>", b"A\nparent 00", b"\0", b"\xff<x>", b"  "];
    for (number, name) in names.iter().enumerate() {
        let author = CommitAuthor {
            name: name.to_vec(),
            email: name.to_vec(),
        };
        let new = NewCommit {
            tree: world.head_tree(),
            parent: world.shadow.tip(&main_line()).unwrap(),
            message: b"a\0b",
            author: &author,
            at_ms: [i64::MIN, -1, 0, 1, i64::from(u32::MAX) * 1000, 5][number],
        };
        let id = world.shadow.commit(&new).unwrap();
        world.shadow.advance(&main_line(), new.parent, id).unwrap();
        assert_eq!(world.shadow.read_commit(id).unwrap().message, b"ab\n");
    }
    world.fsck();
}

#[test]
fn a_users_commit_with_a_signature_and_several_parents_is_read() {
    let world = World::new();
    let head = world.bench.git("repo", &["rev-parse", "HEAD"]);
    let raw = format!(
        "tree {}\nparent {head}\nparent {head}\nauthor A <a> 5 +0200\ncommitter C <c> 7 +0200\n\
         gpgsig -----BEGIN\n line\n \n -----END\nencoding latin1\n\nSubject\n",
        world.head_tree()
    );
    let id = world
        .shadow
        .objects
        .write(gix::objs::Kind::Commit, raw.as_bytes())
        .unwrap();
    let commit = world.shadow.read_commit(id).unwrap();
    assert_eq!(commit.parents.len(), 2);
    assert_eq!(commit.at_ms, 7000);
    assert_eq!(commit.message, b"Subject\n");
}

#[test]
fn bytes_that_are_no_commit_are_an_error() {
    let world = World::new();
    let tree = world.head_tree();
    for raw in [
        String::new(),
        "tree 00\n\n".to_owned(),
        format!("tree {tree}\n\n"),
        format!("tree {tree}\nauthor A <a> 1 +0000"),
        format!("tree {}\nauthor A <a> 1 +0000\n\n", "ab".repeat(32)),
    ] {
        let id = world
            .shadow
            .objects
            .write(gix::objs::Kind::Commit, raw.as_bytes())
            .unwrap();
        assert!(
            matches!(world.shadow.read_commit(id), Err(ShadowError::Malformed { .. })),
            "{raw}"
        );
    }
}
