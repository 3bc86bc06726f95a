//! What the person does is told as theirs: in every listing of checkpoints, and in the log.

use crate::stage::Stage;
use serde_json::Value;

/// Two turns, a rewind to the first, and an undo of it.
fn stage() -> Stage {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("One").writes("a.txt", "one\n").stops();
    agent.asked("Two").writes("a.txt", "two\n").stops();
    stage.rewind(&["t1"]);
    stage.undo(&[]);
    stage
}

fn is_persons(kind: &str) -> bool {
    kind.ends_with("rewind")
}

#[test]
fn a_rewind_and_its_undo_are_the_persons_in_every_listing() {
    let stage = stage();
    for arguments in [
        &["checkpoint", "list", "--steps"][..],
        &["checkpoint", "list", "--all", "--steps"],
    ] {
        let text = stage.toprope(arguments).ok();
        let made: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("Rewound") || line.contains("ewind"))
            .collect();
        assert!(made.len() >= 2, "{text}");
        for line in made {
            assert!(line.contains(" you ") && !line.contains("main"), "{line}");
        }
    }
    let listed = stage.toprope(&["checkpoint", "list", "--steps", "--json"]);
    let listed = listed.json().unwrap();
    let listed = listed["checkpoints"].as_array().unwrap();
    let (persons, agents): (Vec<&Value>, Vec<&Value>) = listed
        .iter()
        .partition(|entry| is_persons(entry["kind"].as_str().unwrap()));
    assert_eq!(persons.len(), 4, "{listed:?}");
    assert!(persons.iter().all(|entry| entry["actor"] == "you"));
    assert!(agents.iter().all(|entry| entry["actor"] != "you"));
    for entry in persons {
        let id = entry["id"].as_str().unwrap();
        let shown = stage
            .toprope(&["checkpoint", "show", id, "--json"])
            .json()
            .unwrap();
        assert_eq!(shown["actor"], "you");
        let page = stage.toprope(&["checkpoint", "show", id, "--files"]).ok();
        assert!(!page.contains("claude·main"), "{page}");
    }
}

#[test]
fn a_rewind_and_its_undo_are_lines_of_the_log() {
    let stage = stage();
    let log = stage.toprope(&["log"]).ok();
    let ours: Vec<&str> = log.lines().filter(|line| line.contains(" you ")).collect();
    assert_eq!(ours.len(), 2, "{log}");
    assert!(
        ours[0].contains("Rewind") && ours[0].contains("Rewound to t1"),
        "{log}"
    );
    assert!(ours[1].contains("Undo") && ours[1].contains("1 file"), "{log}");
    let events = stage.world.log();
    let ours: Vec<&Value> = events
        .iter()
        .filter(|event| event["actor"]["label"] == "you")
        .collect();
    assert_eq!(ours.len(), 2);
    assert_eq!(ours[0]["event"], "Rewind");
    assert!(ours.iter().all(|event| event["project"].is_string()));
    let seq = ours[0]["seq"].to_string();
    let why = stage.toprope(&["why", &seq]).ok();
    assert!(why.contains("who      you"), "{why}");
    let only = stage.toprope(&["log", "--event", "Undo"]).ok();
    assert!(only.contains("Undo") && !only.contains("Rewound"), "{only}");
    stage.toprope(&["redo", "--yes"]).ok();
    let only = stage.toprope(&["log", "--event", "Redo"]).ok();
    assert!(only.contains(" you ") && only.contains("Redone"), "{only}");
}
