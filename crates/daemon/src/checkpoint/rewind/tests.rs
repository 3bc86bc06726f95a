//! What a rewind costs, counted, and what it never overwrites.

use super::execute::RewindResult;
use super::*;
#[cfg(target_os = "linux")]
use crate::checkpoint::desk::reads_and_writes;
use crate::checkpoint::desk::{Desk, git};
use store::table::checkpoints::Checkpoint;

/// A file in each of so many folders, `of` of them.
fn files(of: usize) -> Vec<String> {
    (0..of).map(|number| format!("src/part{number}/7.txt")).collect()
}

/// An agent changes the files twice; what it was after the first time.
fn changed_twice(desk: &mut Desk, paths: &[String]) -> Checkpoint {
    let target = desk.cut(paths);
    desk.cut(paths);
    target
}

fn wish(to: &Checkpoint, whose: RewindOwner) -> Wish {
    Wish {
        aim: RewindTo::Back {
            to: Box::new(to.clone()),
            name: to.id.to_string(),
            whose,
        },
        only: Vec::new(),
        conflicts: Conflicts::Refuse,
    }
}

fn rewind(desk: &Desk, wish: &Wish) -> Result<RewindResult, RewindError> {
    let rewinder = Rewinder::new(desk.cutter());
    let _alone = rewinder.lock()?;
    let proposal = rewinder.propose(wish)?;
    rewinder.carry_out(wish, &proposal)
}

fn read(desk: &Desk, path: &str) -> String {
    fs_err::read_to_string(desk.folder.join("repo").join(path)).unwrap()
}

/// What git was run for while something was done.
fn git_runs_of<T>(desk: &Desk, act: impl FnOnce() -> T) -> (T, Vec<String>) {
    let before = desk.git_runs().len();
    let done = act();
    let runs = desk.git_runs().split_off(before);
    // Before the command stand switches, settings and the folder.
    let is_command = |word: &&str| !word.starts_with(['-', '/']) && !word.contains('=');
    let word = |run: String| run.split(' ').find(is_command).unwrap().to_owned();
    (done, runs.into_iter().map(word).collect())
}

#[test]
fn a_rewind_looks_the_worktree_over_once_and_runs_git_for_nothing_else() {
    for count in [1, 20] {
        let mut desk = Desk::new(20);
        let paths = files(count);
        let target = changed_twice(&mut desk, &paths);
        let wish = wish(&target, RewindOwner::Session(desk.session));
        let (done, runs) = git_runs_of(&desk, || rewind(&desk, &wish).unwrap());
        assert_eq!(done.files, count);
        assert_eq!(runs, ["status"], "of {count} files");
    }
}

#[test]
fn a_rewind_of_all_that_differs_looks_once_to_show_it_and_once_to_do_it() {
    let mut desk = Desk::new(20);
    let target = changed_twice(&mut desk, &files(20));
    let wish = wish(&target, RewindOwner::All(Some(desk.session)));
    let (done, runs) = git_runs_of(&desk, || rewind(&desk, &wish).unwrap());
    assert_eq!(done.files, 20);
    assert_eq!(runs, ["status", "status"]);
}

#[test]
fn where_line_ends_are_converted_the_index_is_read_and_git_is_not_asked_of_every_file() {
    let mut desk = Desk::new(20);
    git(&desk.folder.join("repo"), &["config", "core.autocrlf", "input"]);
    git(&desk.folder.join("repo"), &["config", "core.fileMode", "false"]);
    let target = changed_twice(&mut desk, &files(20));
    let wish = wish(&target, RewindOwner::Session(desk.session));
    let (done, runs) = git_runs_of(&desk, || rewind(&desk, &wish).unwrap());
    assert_eq!(done.files, 20);
    assert_eq!(runs, ["status"]);
}

/// What a rewind of so many files reads and writes in a repository of so many folders.
#[cfg(target_os = "linux")]
fn cost(folders: usize, count: usize) -> u64 {
    let mut desk = Desk::new(folders);
    let target = changed_twice(&mut desk, &files(count));
    let wish = wish(&target, RewindOwner::Session(desk.session));
    let before = reads_and_writes();
    rewind(&desk, &wish).unwrap();
    reads_and_writes() - before
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_rewind_reads_and_writes_grows_with_its_files_and_not_with_the_repository() {
    let one = cost(10, 1);
    let same = cost(300, 1);
    assert!(same <= one + 16, "{same}, in a small repository {one}");
    let forty = cost(300, 40);
    assert!(forty <= one + 40 * 24, "{forty}, of one file {one}");
}

#[test]
fn a_file_saved_after_it_was_shown_is_not_overwritten_and_the_plan_is_shown_anew() {
    let mut desk = Desk::new(3);
    let target = changed_twice(&mut desk, &files(2));
    let wish = wish(&target, RewindOwner::Session(desk.session));
    let rewinder = Rewinder::new(desk.cutter());
    let proposal = rewinder.propose(&wish).unwrap();
    fs_err::write(desk.folder.join("repo/src/part1/7.txt"), "mine\n").unwrap();
    let (refused, runs) = git_runs_of(&desk, || rewinder.carry_out(&wish, &proposal));
    assert!(matches!(refused, Err(RewindError::Changed(_))), "{refused:?}");
    assert_eq!(runs, ["status"]);
    assert_eq!(read(&desk, "src/part1/7.txt"), "mine\n");
    assert_ne!(read(&desk, "src/part0/7.txt"), "src/part0/7.txt 1\n");
}

/// Saves a file whenever a rewind comes to a step, and says what became of the rewind.
#[cfg(feature = "testing")]
fn saved_at(step: &'static str) -> (Desk, Result<RewindResult, RewindError>, bool) {
    use std::cell::Cell;
    use std::rc::Rc;
    let mut desk = Desk::new(3);
    let target = changed_twice(&mut desk, &files(2));
    let wish = wish(&target, RewindOwner::Session(desk.session));
    let file = desk.folder.join("repo/src/part1/7.txt");
    let saved = Rc::new(Cell::new(false));
    let has = Rc::clone(&saved);
    store::fault::watch(move |point| {
        if point == step && !has.replace(true) {
            fs_err::write(&file, "mine\n").unwrap();
        }
    });
    let done = rewind(&desk, &wish);
    store::fault::unwatch();
    (desk, done, saved.get())
}

#[cfg(feature = "testing")]
#[test]
fn a_file_saved_while_a_rewind_is_on_its_way_is_not_overwritten_and_the_others_are_as_they_were() {
    let steps = [
        "restore-journal-written",
        "restore-staged",
        "checkpoint-written",
        "checkpoint-recorded",
        "rewind-before",
        "restore-marked",
        "restore-checked",
    ];
    for step in steps {
        let (desk, done, was_saved) = saved_at(step);
        assert!(was_saved, "{step}");
        let is_refused = matches!(done, Err(RewindError::Restore(_) | RewindError::Changed(_)));
        assert!(is_refused, "{step}: {done:?}");
        assert_eq!(read(&desk, "src/part1/7.txt"), "mine\n", "{step}");
        assert_eq!(read(&desk, "src/part0/7.txt"), "src/part0/7.txt 4\n", "{step}");
        let shadow = desk.folder.join("repo/.git/toprope");
        for left in [shadow.join("shadow.git/journal"), shadow.join("stage")] {
            assert_eq!(fs_err::read_dir(left).unwrap().count(), 0, "{step}");
        }
    }
}
