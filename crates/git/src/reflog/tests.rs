use std::fmt::Write;

use super::*;
use crate::fixture::{Bench, PLENTY};

fn look(bench: &Bench, since: Option<&Position>) -> ReflogNews {
    look_knowing(bench, since, &|_| false)
}

fn look_knowing(bench: &Bench, since: Option<&Position>, is_known: &dyn Fn(Id) -> bool) -> ReflogNews {
    let place = crate::place::find(&bench.path("repo"));
    follow(&place, &bench.environment(), since, is_known, PLENTY).unwrap()
}

fn start(bench: &Bench) -> Position {
    look(bench, None).position
}

fn head(bench: &Bench) -> Id {
    bench.git("repo", &["rev-parse", "HEAD"]).parse().unwrap()
}

fn whats(followed: &ReflogNews) -> Vec<MoveCause> {
    followed.moves.iter().map(|moved| moved.what).collect()
}

fn change(bench: &Bench, content: &str) {
    bench.write("repo/file", content);
    bench.commit("repo", content.trim());
}

#[test]
fn the_first_look_begins_at_the_end() {
    let bench = Bench::with_repository();
    let followed = look(&bench, None);
    assert_eq!(followed.moves, []);
    assert_eq!(followed.position.head(), Some(head(&bench)));
}

#[test]
fn commits_since_the_last_look_come_once_and_in_order() {
    let bench = Bench::with_repository();
    let first = head(&bench);
    let position = start(&bench);
    change(&bench, "two\n");
    let second = head(&bench);
    change(&bench, "three\n");
    let followed = look(&bench, Some(&position));
    let expected = [(first, second), (second, head(&bench))].map(|(from, to)| HeadMovement {
        from: Some(from),
        to,
        what: MoveCause::Commit,
    });
    assert_eq!(followed.moves, expected);
    assert!(followed.is_complete);
    assert_eq!(look(&bench, Some(&followed.position)).moves, []);
}

#[test]
fn a_commit_that_head_was_at_is_enough_to_follow_it() {
    let bench = Bench::with_repository();
    let then = head(&bench);
    change(&bench, "two\n");
    bench.git("repo", &["commit", "-q", "--amend", "-m", "amended"]);
    let followed = look(&bench, Some(&Position::at(then)));
    assert_eq!(whats(&followed), [MoveCause::Commit, MoveCause::Amend]);
    assert_eq!(look(&bench, Some(&Position::at(head(&bench)))).moves, []);
    assert_eq!(look(&bench, Some(&followed.position)).moves, []);
    fs_err::remove_file(bench.path("repo/.git/logs/HEAD")).unwrap();
    assert_eq!(
        whats(&look(&bench, Some(&Position::at(then)))),
        [MoveCause::Other]
    );
}

#[test]
fn a_position_survives_being_kept_as_text() {
    let bench = Bench::with_repository();
    let position = start(&bench);
    assert_eq!(position.to_string().parse::<Position>(), Ok(position));
    for text in ["", "1:2", "x:0:-", "1:0:nonsense", "1:zz:-"] {
        assert_eq!(text.parse::<Position>(), Err(NotAPosition), "{text}");
    }
}

#[test]
fn every_way_to_move_is_told_from_the_others() {
    let bench = Bench::with_repository();
    let git = |arguments: &[&str]| bench.git("repo", arguments);
    change(&bench, "two\n");
    git(&["checkout", "-q", "-b", "other", "HEAD~1"]);
    bench.write("repo/other", "x\n");
    bench.commit("repo", "other");
    let position = start(&bench);
    git(&["commit", "-q", "--amend", "-m", "reworded"]);
    git(&["rebase", "-q", "main"]);
    git(&["checkout", "-q", "main"]);
    git(&["cherry-pick", "other"]);
    git(&["revert", "--no-edit", "HEAD"]);
    git(&["reset", "-q", "--hard", "HEAD~2"]);
    git(&["merge", "-q", "--no-ff", "-m", "joined", "other"]);
    git(&["reset", "-q", "--hard", "HEAD~1"]);
    git(&["pull", "-q", ".", "other"]);
    let found = whats(&look(&bench, Some(&position)));
    let mut distinct = found.clone();
    distinct.dedup();
    assert_eq!(
        distinct,
        [
            MoveCause::Amend,
            MoveCause::Rebase,
            MoveCause::Checkout,
            MoveCause::CherryPick,
            MoveCause::Revert,
            MoveCause::Reset,
            MoveCause::Merge,
            MoveCause::Reset,
            MoveCause::Pull
        ]
    );
}

#[test]
fn a_linked_worktree_has_movements_of_its_own() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../linked"]);
    let place = crate::place::find(&bench.path("linked"));
    let see = |since| follow(&place, &bench.environment(), since, &|_| false, PLENTY).unwrap();
    let position = see(None).position;
    change(&bench, "two\n");
    assert_eq!(see(Some(&position)).moves, []);
    bench.write("linked/file", "three\n");
    bench.commit("linked", "three");
    assert_eq!(whats(&see(Some(&position))), [MoveCause::Commit]);
}

#[test]
fn the_first_commit_of_all_comes_from_nowhere() {
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "-b", "main", "repo"]);
    let position = start(&bench);
    assert_eq!(position.head(), None);
    change(&bench, "one\n");
    let expected = HeadMovement {
        from: None,
        to: head(&bench),
        what: MoveCause::Commit,
    };
    assert_eq!(look(&bench, Some(&position)).moves, [expected]);
}

#[test]
fn entries_that_were_expired_from_the_front_do_not_hide_what_came_after() {
    let bench = Bench::with_repository();
    change(&bench, "two\n");
    let position = start(&bench);
    change(&bench, "three\n");
    let log = bench.path("repo/.git/logs/HEAD");
    let text = fs_err::read_to_string(&log).unwrap();
    fs_err::write(&log, text.split_once('\n').unwrap().1).unwrap();
    let followed = look(&bench, Some(&position));
    assert_eq!(whats(&followed), [MoveCause::Commit]);
    assert!(followed.is_complete);
}

#[test]
fn after_everything_was_expired_the_commits_stand_in() {
    let bench = Bench::with_repository();
    let position = start(&bench);
    change(&bench, "two\n");
    change(&bench, "three\n");
    bench.git("repo", &["reflog", "expire", "--expire=all", "--all"]);
    let followed = look(&bench, Some(&position));
    assert_eq!(whats(&followed), [MoveCause::Other, MoveCause::Other]);
    assert_eq!(followed.moves.last().unwrap().to, head(&bench));
    assert!(!followed.is_complete);
    assert_eq!(look(&bench, Some(&followed.position)).moves, []);
}

#[test]
fn without_a_reflog_the_commits_stand_in_and_come_once() {
    let bench = Bench::with_repository();
    bench.git("repo", &["config", "core.logAllRefUpdates", "false"]);
    fs_err::remove_file(bench.path("repo/.git/logs/HEAD")).unwrap();
    let position = start(&bench);
    change(&bench, "two\n");
    let followed = look(&bench, Some(&position));
    assert_eq!(whats(&followed), [MoveCause::Other]);
    assert_eq!(look(&bench, Some(&followed.position)).moves, []);
    bench.git("repo", &["commit", "-q", "--amend", "-m", "reworded"]);
    let amended = look(&bench, Some(&followed.position));
    assert_eq!(amended.moves.len(), 1, "only the commit that is new");
}

#[test]
fn a_reflog_that_is_no_longer_written_is_not_believed() {
    let bench = Bench::with_repository();
    let position = start(&bench);
    let log = bench.path("repo/.git/logs/HEAD");
    let before = fs_err::read(&log).unwrap();
    change(&bench, "two\n");
    fs_err::write(&log, before).unwrap();
    assert_eq!(whats(&look(&bench, Some(&position))), [MoveCause::Other]);
}

#[test]
fn a_walk_stops_after_five_hundred_commits_or_at_one_that_is_known() {
    let bench = Bench::with_repository();
    let position = start(&bench);
    let mut script = String::new();
    for n in 0..520 {
        let from = if n == 0 { "from refs/heads/main^0\n" } else { "" };
        let at = 1_700_000_000 + n;
        writeln!(
            script,
            "commit refs/heads/long\ncommitter C <c@example.org> {at} +0000\ndata 1\nx\n{from}"
        )
        .unwrap();
    }
    bench.write("script", script);
    let import = "alias.import=!git fast-import --quiet < ../script";
    bench.git("repo", &["-c", import, "import"]);
    // A branch that is moved by hand leaves no trace in the reflog.
    let tip = bench.git("repo", &["rev-parse", "long"]);
    bench.write("repo/.git/refs/heads/main", tip + "\n");
    let all = look(&bench, Some(&position));
    assert_eq!(all.moves.len(), LONGEST_WALK);
    let known: Id = bench.git("repo", &["rev-parse", "HEAD~3"]).parse().unwrap();
    let few = look_knowing(&bench, Some(&position), &|id| id == known);
    assert_eq!(few.moves.len(), 3);
}

#[test]
fn refs_in_tables_are_followed_through_git() {
    let Some(bench) = Bench::with_refs_in_tables() else {
        return;
    };
    let unborn = start(&bench);
    change(&bench, "one\n");
    let position = look(&bench, Some(&unborn)).position;
    change(&bench, "two\n");
    let before = head(&bench);
    bench.git("repo", &["commit", "-q", "--amend", "-m", "reworded"]);
    let followed = look(&bench, Some(&position));
    assert_eq!(whats(&followed), [MoveCause::Commit, MoveCause::Amend]);
    assert_eq!(followed.moves.last().unwrap().from, Some(before));
    assert_eq!(look(&bench, Some(&followed.position)).moves, []);
}

#[test]
fn hostile_bytes_in_a_reflog_are_passed_over() {
    let bench = Bench::with_repository();
    let position = start(&bench);
    let log = bench.path("repo/.git/logs/HEAD");
    let mut text = fs_err::read(&log).unwrap();
    text.extend(b"\n\n\xff\xfe nonsense\n0123 4567 x\n");
    text.extend(vec![b'a'; 200_000]);
    text.extend(b"\n");
    fs_err::write(&log, &text).unwrap();
    change(&bench, "two\n");
    let mut torn = fs_err::read(&log).unwrap();
    let whole = torn.len();
    torn.extend(b"half a line without its end");
    fs_err::write(&log, &torn).unwrap();
    let followed = look(&bench, Some(&position));
    assert_eq!(whats(&followed), [MoveCause::Commit]);
    assert_eq!(followed.position.offset, u64::try_from(whole).unwrap());
    fs_err::remove_file(&log).unwrap();
    crate::fixture::make_pipe(&log);
    assert_eq!(look(&bench, Some(&followed.position)).moves, []);
}
