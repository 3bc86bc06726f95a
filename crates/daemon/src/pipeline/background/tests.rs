use super::*;

fn from(began: i64, ended: Option<i64>) -> Running {
    Running {
        worktree: 1,
        began,
        ended,
        task: None,
    }
}

#[test]
fn a_command_explains_what_changed_in_its_worktree_while_it_ran() {
    let here = WorktreeId(1);
    let running = from(1_000, None);
    assert!(running.explains(here, Some(1_000)));
    assert!(running.explains(here, Some(990)), "the file's clock is behind");
    assert!(running.explains(here, Some(9_000)));
    assert!(!running.explains(here, Some(900)), "before it began");
    assert!(!running.explains(WorktreeId(2), Some(1_000)));
    let over = from(1_000, Some(2_000));
    assert!(over.explains(here, Some(1_500)), "found later");
    assert!(!over.explains(here, Some(2_001)));
}

#[test]
fn of_a_file_that_is_gone_only_what_still_runs_is_suspected() {
    assert!(from(1_000, None).explains(WorktreeId(1), None));
    assert!(!from(1_000, Some(2_000)).explains(WorktreeId(1), None));
}

#[test]
fn what_is_noted_is_read_again() {
    let running = Running {
        task: Some("b1".to_owned()),
        ..from(1, Some(2))
    };
    let note = Note {
        actor: ActorId(1),
        key: String::new(),
        text: serde_json::to_string(&running).unwrap(),
    };
    assert_eq!(super::running(&note), Some(running));
    assert_eq!(
        super::running(&Note {
            text: "?".to_owned(),
            ..note
        }),
        None
    );
}
