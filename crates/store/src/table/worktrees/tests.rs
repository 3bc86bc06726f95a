//! A worktree keeps its line wherever its folder goes.

use super::*;
use crate::events;
use crate::stage::{Stage, main_of};
use engine::event::StartSource;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

fn named<'a>(project: ProjectId, root: &'a Path, line: &'a str) -> GitWorktreeName<'a> {
    GitWorktreeName {
        project,
        root,
        name: line.as_bytes(),
        line,
    }
}

fn told(stage: &Stage) -> Vec<String> {
    stage.rows("SELECT id, line, CAST(root AS TEXT) FROM worktrees ORDER BY id")
}

#[test]
fn a_folder_learns_its_line_and_keeps_its_row() {
    let mut stage = Stage::new();
    let sent = stage.starts(&main_of("7c1e"), StartSource::Startup);
    let here = named(sent.project, Path::new("/repo"), "e3b0c44298fc");
    let unnamed = known(&stage.read(), sent.project, here.root, here.name).unwrap();
    assert_eq!(unnamed, None, "its line is not known yet");
    for _ in 0..2 {
        assert_eq!(
            stage.write(|db| ensure_named(db, &here, Timestamp(1))),
            sent.worktree
        );
    }
    let worktree = by_id(&stage.read(), sent.worktree).unwrap().unwrap();
    assert_eq!(worktree.name.as_deref(), Some(&b"e3b0c44298fc"[..]));
    let found = |root: &str, name: &[u8]| known(&stage.read(), sent.project, Path::new(root), name).unwrap();
    assert_eq!(found("/repo", b"e3b0c44298fc"), Some(sent.worktree));
    assert_eq!(found("/repo", b"other"), None);
    assert_eq!(found("/elsewhere", b"e3b0c44298fc"), None);
    assert_eq!(told(&stage), ["1 e3b0c44298fc /repo"]);
}

#[test]
fn a_worktree_that_was_moved_is_the_same_though_events_came_from_its_new_folder_first() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let project = stage.starts(&main, StartSource::Startup).project;
    let old = Path::new(OsStr::from_bytes(b"/old-\xff"));
    let new = Path::new(OsStr::from_bytes(b"/new-\xff"));
    let id = stage.write(|db| ensure_named(db, &named(project, old, "aaaaaaaaaaaa"), Timestamp(1)));
    let bare = stage.write(|db| ensure(db, project, new, Timestamp(2)));
    assert_ne!(id, bare);
    let moved = stage.write(|db| ensure_named(db, &named(project, new, "aaaaaaaaaaaa"), Timestamp(3)));
    assert_eq!(moved, id);
    assert_eq!(stage.write(|db| ensure(db, project, new, Timestamp(4))), id);
    assert_eq!(by_id(&stage.read(), id).unwrap().unwrap().root, new);
    assert!(
        by_id(&stage.read(), bare)
            .unwrap()
            .unwrap()
            .root
            .as_os_str()
            .as_bytes()
            .contains(&0)
    );
    let third = Path::new("/third");
    let again = stage.write(|db| ensure_named(db, &named(project, third, "aaaaaaaaaaaa"), Timestamp(5)));
    assert_eq!(again, id);
}

#[test]
fn another_worktree_in_the_same_folder_is_another_row() {
    let mut stage = Stage::new();
    let project = stage.starts(&main_of("7c1e"), StartSource::Startup).project;
    let place = Path::new("/wt");
    let first = stage.write(|db| ensure_named(db, &named(project, place, "aaaaaaaaaaaa"), Timestamp(1)));
    let second = stage.write(|db| ensure_named(db, &named(project, place, "bbbbbbbbbbbb"), Timestamp(2)));
    assert_ne!(first, second);
    assert_eq!(stage.write(|db| ensure(db, project, place, Timestamp(3))), second);
    let kept = by_id(&stage.read(), first).unwrap().unwrap();
    assert_eq!(kept.line.as_deref(), Some("aaaaaaaaaaaa"));
}

#[test]
fn head_says_when_it_moved_and_a_branch_alone_is_no_move() {
    let mut stage = Stage::new();
    let id = stage.starts(&main_of("7c1e"), StartSource::Startup).worktree;
    let mut at = |head, branch| stage.write(|db| set_head(db, id, head, branch));
    assert!(!at(None, Some("main")), "no commit yet");
    assert!(at(Some("4c1f"), Some("main")));
    assert!(!at(Some("4c1f"), Some("other")));
    assert!(!at(Some("4c1f"), None));
    assert!(at(Some("9e02"), None));
    stage.write(|db| set_reflog(db, id, "12:9e02"));
    let worktree = by_id(&stage.read(), id).unwrap().unwrap();
    assert_eq!(
        (worktree.head.as_deref(), worktree.branch.as_deref()),
        (Some("9e02"), None)
    );
    assert_eq!(worktree.reflog.as_deref(), Some("12:9e02"));
}

#[test]
fn a_scan_that_ends_late_does_not_forget_a_newer_one() {
    let mut stage = Stage::new();
    assert_eq!(events::newest(&stage.read()).unwrap(), EventSeq(0));
    let id = stage.starts(&main_of("7c1e"), StartSource::Startup).worktree;
    assert_eq!(events::newest(&stage.read()).unwrap(), EventSeq(1));
    let scan = |event, took_ms| FinishedScan {
        event: EventSeq(event),
        began: Timestamp(1),
        looked: 1,
        took_ms,
    };
    stage.write(|db| scanned(db, id, &scan(7, 30)));
    stage.write(|db| scanned(db, id, &scan(5, 40)));
    let worktree = by_id(&stage.read(), id).unwrap().unwrap();
    assert_eq!(
        (worktree.scanned_event, worktree.scan_ms),
        (Some(EventSeq(7)), Some(40))
    );
}
