use super::*;

/// A restore of `a` and `b` that stopped when `a` was done, with what happened to the files since.
fn cut_short(desk: &Desk, since: impl FnOnce()) {
    desk.write("a", "now\n");
    desk.write("b", "now\n");
    let changes = vec![
        desk.edit("a", "now\n", "then\n"),
        desk.edit("b", "now\n", "then\n"),
    ];
    let applied = apply(&desk.shadow, &desk.ground(), restore(changes), &|_| {}).unwrap();
    // Let go without closing; then `b` is taken back by hand, as if its turn had not come.
    drop(applied);
    let stage = desk.shadow.folder().parent().unwrap().join("stage/c0de55aa0912");
    fs::rename(stage.join("1"), stage.join("b")).unwrap();
    fs::rename(desk.path(b"b"), stage.join("1")).unwrap();
    fs::rename(stage.join("b"), desk.path(b"b")).unwrap();
    since();
}

fn stage(desk: &Desk) -> PathBuf {
    desk.shadow.folder().parent().unwrap().join("stage/c0de55aa0912")
}

fn contents(desk: &Desk) -> (String, String) {
    (desk.read("a"), desk.read("b"))
}

fn texts(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

fn partly(left: &[&str]) -> Vec<RecoveryOutcome> {
    vec![RecoveryOutcome::Partly {
        done: 2 - left.len(),
        total: 2,
        left: left.iter().map(|path| RepoPath::new(*path).unwrap()).collect(),
    }]
}

#[test]
fn what_is_left_is_finished() {
    let desk = Desk::new();
    cut_short(&desk, || {});
    assert_eq!(desk.recover(), [RecoveryOutcome::Finished { done: 1, total: 2 }]);
    assert_eq!(contents(&desk), texts("then\n", "then\n"));
    assert!(desk.is_tidy());
}

#[test]
fn an_edit_of_a_file_whose_turn_had_not_come_leaves_it_and_what_was_done_stands() {
    let desk = Desk::new();
    cut_short(&desk, || desk.write("b", "mine\n"));
    let recovered = recover(&desk.shadow, &desk.ground(), &|_| {}).unwrap().remove(0);
    assert_eq!(std::slice::from_ref(&recovered.outcome), partly(&["b"]));
    assert_eq!(recovered.changes, [desk.edit("a", "now\n", "then\n")]);
    recovered.close(&|_| {}).unwrap();
    assert_eq!(contents(&desk), texts("then\n", "mine\n"));
    assert!(desk.is_tidy());
}

#[test]
fn an_edit_of_a_file_that_was_done_is_kept_and_no_other_file_is_changed() {
    let desk = Desk::new();
    cut_short(&desk, || desk.write("a", "mine\n"));
    assert_eq!(desk.recover(), [RecoveryOutcome::Dropped { total: 2 }]);
    assert_eq!(contents(&desk), texts("mine\n", "now\n"), "nothing was touched");
    assert!(desk.is_tidy());
    desk.apply(vec![desk.edit("b", "now\n", "then\n")]).unwrap();
    assert_eq!(
        desk.recover(),
        [],
        "and nothing keeps the next one from beginning"
    );
}

#[test]
fn a_stage_folder_that_was_deleted_is_written_anew_from_the_checkpoint() {
    let desk = Desk::new();
    cut_short(&desk, || fs::remove_dir_all(stage(&desk)).unwrap());
    assert_eq!(desk.recover(), [RecoveryOutcome::Finished { done: 1, total: 2 }]);
    assert_eq!(contents(&desk), texts("then\n", "then\n"));
}

#[test]
fn without_the_stage_folder_what_was_done_stands_all_the_same() {
    let desk = Desk::new();
    cut_short(&desk, || {
        fs::remove_dir_all(stage(&desk)).unwrap();
        fs::remove_file(desk.path(b"b")).unwrap();
        fs::create_dir(desk.path(b"b")).unwrap();
        desk.write("b/notes", "mine\n");
    });
    assert_eq!(desk.recover(), partly(&["b"]));
    assert_eq!(desk.read("a"), "then\n");
    assert_eq!(desk.read("b/notes"), "mine\n");
}

#[test]
fn bytes_that_an_exchange_caught_in_the_last_moment_come_back() {
    let desk = Desk::new();
    // Killed between the exchange and the look at what came out of it.
    cut_short(&desk, || fs::write(stage(&desk).join("0"), "mine\n").unwrap());
    assert_eq!(desk.recover(), [RecoveryOutcome::Dropped { total: 2 }]);
    assert_eq!(contents(&desk), texts("mine\n", "now\n"));
    assert!(desk.is_tidy());
}

#[test]
fn a_link_planted_on_a_parent_leaves_what_it_leads_to_alone() {
    let desk = Desk::new();
    desk.write("dir/a", "now\n");
    let change = desk.edit("dir/a", "now\n", "then\n");
    drop(apply(&desk.shadow, &desk.ground(), restore(vec![change]), &|_| {}).unwrap());
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "then\n").unwrap();
    fs::rename(desk.path(b"dir"), desk.path(b"moved")).unwrap();
    symlink(outside.path(), desk.path(b"dir")).unwrap();
    assert_eq!(desk.recover(), [RecoveryOutcome::Dropped { total: 1 }]);
    assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "then\n");
}

#[test]
fn a_restore_that_somebody_is_still_at_is_left_to_them() {
    let desk = Desk::new();
    desk.write("a", "now\n");
    let change = desk.edit("a", "now\n", "then\n");
    let applied = apply(&desk.shadow, &desk.ground(), restore(vec![change]), &|_| {}).unwrap();
    assert_eq!(desk.recover(), []);
    let other = desk.apply(vec![desk.edit("b", "-", "then\n")]);
    assert!(matches!(other, Err(RestoreError::Pending(_))));
    applied.close(&|_| {}).unwrap();
    assert!(desk.is_tidy());
}

#[test]
fn another_worktree_of_the_repository_leaves_it_alone() {
    let desk = Desk::new();
    cut_short(&desk, || {});
    let elsewhere = tempfile::tempdir().unwrap();
    let other = RestoreTarget {
        root: elsewhere.path(),
        name: b"linked",
        modes: Modes::Kept,
    };
    assert!(recover(&desk.shadow, &other, &|_| {}).unwrap().is_empty());
    let restore = Restore {
        id: JournalId::new("d1f2034be7a9").unwrap(),
        ..restore(vec![desk.edit("new", "-", "then\n")])
    };
    let applied = apply(&desk.shadow, &other, restore, &|_| {}).unwrap();
    applied.close(&|_| {}).unwrap();
    assert_eq!(desk.recover(), [RecoveryOutcome::Finished { done: 1, total: 2 }]);
}

#[test]
fn a_journal_edited_by_hand_moves_nothing_and_is_set_aside() {
    let desk = Desk::new();
    cut_short(&desk, || {});
    let journal = desk.shadow.journal_folder().join("c0de55aa0912");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replace(" b\n", " ../b\n")).unwrap();
    assert_eq!(desk.recover(), [RecoveryOutcome::SetAside { path: None }]);
    assert_eq!(contents(&desk), texts("then\n", "now\n"));
    assert_eq!(desk.recover(), []);
    assert_eq!(contents(&desk), texts("then\n", "now\n"));
    assert!(
        desk.shadow
            .journal_folder()
            .join("unreadable.c0de55aa0912")
            .exists()
    );
}
