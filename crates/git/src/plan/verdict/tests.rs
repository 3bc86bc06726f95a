use super::*;
use crate::path::RepoPath;

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

#[test]
fn reasons_read_as_people_are_told_them() {
    let who = || "session 2026-11-15-77c0ffee".to_owned();
    let reasons = [
        (Reason::EditedSince, "edited since"),
        (
            Reason::AlsoChangedBy(who()),
            "also changed by session 2026-11-15-77c0ffee",
        ),
        (Reason::LeasedBy(who()), "leased by session 2026-11-15-77c0ffee"),
        (
            Reason::NotInTheCheckpoint("212 MB, limit 50".to_owned()),
            "not in the checkpoint: 212 MB, limit 50",
        ),
        (
            Reason::Obstacle(Obstacle::Link(path("src"))),
            "a parent is now a link: src",
        ),
        (
            Reason::Obstacle(Obstacle::File(path("src"))),
            "a file stands where a folder must be: src",
        ),
        (
            Reason::Obstacle(Obstacle::Folder(vec![path("a/b")])),
            "a folder stands where the file must be",
        ),
        (
            Reason::Obstacle(Obstacle::CaseTwin(path("README"))),
            "differs only in case from README",
        ),
        (Reason::Obstacle(Obstacle::Unmerged), "unmerged in the index"),
        (
            Reason::Running {
                command: "git rebase main".to_owned(),
                who: "main@ab31".to_owned(),
            },
            "`git rebase main` of main@ab31 is changing the whole tree",
        ),
        (
            Reason::Head {
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
        (Why::Outside, "changed outside the agents", "outside"),
        (
            Why::Other("session 2026-11-15-77c0ffee".to_owned()),
            "changed by session 2026-11-15-77c0ffee",
            "other",
        ),
        (Why::Git, "changed by git", "git"),
        (Why::ExistedBefore, "existed before", "existed"),
        (
            Why::MadeBy("claude·main".to_owned()),
            "made by claude·main",
            "made",
        ),
        (
            Why::Repository,
            "a submodule or a nested repository",
            "repository",
        ),
        (Why::Conflict(Reason::EditedSince), "edited since", "conflict"),
    ];
    for (why, text, word) in left {
        assert_eq!((why.to_string().as_str(), why.word()), (text, word));
    }
}

#[test]
fn a_restore_that_keeps_an_edit_says_so() {
    let to = State::Absent;
    let plain = Verdict::Restore { to, note: None };
    let keeps = Verdict::Restore {
        to,
        note: Some(KeepsYourEdit),
    };
    assert_eq!(plain.to_string(), "restore");
    assert_eq!(keeps.to_string(), "restore (keeps your edit)");
    assert_eq!(keeps.action(), "restore");
}
