use super::*;
use crate::path::RepoPath;

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

#[test]
fn reasons_read_as_people_are_told_them() {
    let who = || "session 2026-11-15-77c0ffee".to_owned();
    let reasons = [
        (ConflictReason::EditedSince, "edited since"),
        (
            ConflictReason::AlsoChangedBy(who()),
            "also changed by session 2026-11-15-77c0ffee",
        ),
        (
            ConflictReason::LeasedBy(who()),
            "leased by session 2026-11-15-77c0ffee",
        ),
        (
            ConflictReason::NotInTheCheckpoint("212 MB, limit 50".to_owned()),
            "not in the checkpoint: 212 MB, limit 50",
        ),
        (
            ConflictReason::Obstacle(PathObstacle::Link(path("src"))),
            "a parent is now a link: src",
        ),
        (
            ConflictReason::Obstacle(PathObstacle::File(path("src"))),
            "a file stands where a folder must be: src",
        ),
        (
            ConflictReason::Obstacle(PathObstacle::Folder(vec![path("a/b")])),
            "a folder stands where the file must be",
        ),
        (
            ConflictReason::Obstacle(PathObstacle::CaseTwin(path("README"))),
            "differs only in case from README",
        ),
        (
            ConflictReason::Obstacle(PathObstacle::Unmerged),
            "unmerged in the index",
        ),
        (
            ConflictReason::Running {
                command: "git rebase main".to_owned(),
                who: "main@ab31".to_owned(),
            },
            "`git rebase main` of main@ab31 is changing the whole tree",
        ),
        (
            ConflictReason::Head {
                by: "checkout",
                from: "9e02b11".to_owned(),
                to: "1d4c7aa".to_owned(),
                point: "t2".to_owned(),
            },
            "HEAD was moved by \"checkout\" from 9e02b11 to 1d4c7aa since t2",
        ),
    ];
    for (reason, text) in reasons {
        assert_eq!(reason.to_string(), text);
    }
}

#[test]
fn what_is_left_says_why_for_people_and_for_programs() {
    let left = [
        (LeftReason::Outside, "changed outside the agents", "outside"),
        (
            LeftReason::Other("session 2026-11-15-77c0ffee".to_owned()),
            "changed by session 2026-11-15-77c0ffee",
            "other",
        ),
        (LeftReason::Git, "changed by git", "git"),
        (LeftReason::ExistedBefore, "existed before", "existed"),
        (
            LeftReason::MadeBy("claude·main".to_owned()),
            "made by claude·main",
            "made",
        ),
        (
            LeftReason::Repository,
            "a submodule or a nested repository",
            "repository",
        ),
        (
            LeftReason::Conflict(ConflictReason::EditedSince),
            "edited since",
            "conflict",
        ),
    ];
    for (why, text, word) in left {
        assert_eq!((why.to_string().as_str(), why.word()), (text, word));
    }
}

#[test]
fn a_restore_that_keeps_an_edit_says_so() {
    let to = PathState::Absent;
    let plain = PathVerdict::Restore { to, note: None };
    let keeps = PathVerdict::Restore {
        to,
        note: Some(KeepsYourEdit),
    };
    assert_eq!(plain.to_string(), "restore");
    assert_eq!(keeps.to_string(), "restore (keeps your edit)");
    assert_eq!(keeps.action(), "restore");
}
