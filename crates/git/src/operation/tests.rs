use super::*;
use crate::fixture::{Bench, PLENTY};

/// A repository in which `main` and `other` changed the same line.
fn conflicting() -> Bench {
    let bench = Bench::with_repository();
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    bench.write("repo/file", "theirs\n");
    bench.commit("repo", "theirs");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.write("repo/file", "ours\n");
    bench.commit("repo", "ours");
    bench
}

fn found(bench: &Bench) -> Option<GitOperation> {
    let place = crate::place::find(&bench.path("repo"));
    in_progress(&place, &bench.environment(), PLENTY)
}

#[test]
fn nothing_is_in_progress_in_a_repository_at_rest() {
    assert_eq!(found(&conflicting()), None);
    let outside = Bench::new();
    outside.folder("repo");
    assert_eq!(found(&outside), None);
}

#[test]
fn every_operation_that_stops_is_named_until_it_ends() {
    for (command, abort, operation) in [
        (
            &["rebase", "other"][..],
            &["rebase", "--abort"][..],
            GitOperation::Rebase,
        ),
        (
            &["rebase", "--apply", "other"],
            &["rebase", "--abort"],
            GitOperation::Rebase,
        ),
        (&["merge", "other"], &["merge", "--abort"], GitOperation::Merge),
        (
            &["cherry-pick", "other"],
            &["cherry-pick", "--abort"],
            GitOperation::CherryPick,
        ),
        (
            &["revert", "main~1"],
            &["revert", "--abort"],
            GitOperation::Revert,
        ),
        (&["bisect", "start"], &["bisect", "reset"], GitOperation::Bisect),
    ] {
        let bench = conflicting();
        let _ = bench.try_git("repo", command);
        assert_eq!(found(&bench), Some(operation), "{command:?}");
        bench.git("repo", abort);
        assert_eq!(found(&bench), None, "{abort:?}");
    }
}

#[test]
fn a_sequence_whose_stop_was_committed_by_hand_is_still_in_progress() {
    let bench = conflicting();
    bench.git("repo", &["checkout", "-q", "other"]);
    bench.write("repo/another", "x\n");
    bench.commit("repo", "second");
    bench.git("repo", &["checkout", "-q", "main"]);
    let _ = bench.try_git("repo", &["cherry-pick", "main..other"]);
    bench.write("repo/file", "settled\n");
    bench.commit("repo", "settled");
    assert_eq!(found(&bench), Some(GitOperation::CherryPick));
}

#[test]
fn refs_in_tables_hide_nothing() {
    let Some(bench) = Bench::with_refs_in_tables() else {
        return;
    };
    bench.write("repo/file", "one\n");
    bench.commit("repo", "first");
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    bench.write("repo/file", "theirs\n");
    bench.commit("repo", "theirs");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.write("repo/file", "ours\n");
    bench.commit("repo", "ours");
    let _ = bench.try_git("repo", &["cherry-pick", "other"]);
    assert_eq!(found(&bench), Some(GitOperation::CherryPick));
}
