//! Whose changes a rewind takes back: a session's, one agent's, everybody's.

use crate::stage::Stage;
use serde_json::json;

#[test]
fn rewinding_one_session_leaves_the_files_of_another() {
    let stage = Stage::new();
    let (one, two) = (stage.agent("s1"), stage.agent("s2"));
    one.asked("a")
        .writes("one.txt", "1\n")
        .writes("shared.txt", "1\n")
        .stops();
    two.asked("b").writes("two.txt", "1\n").stops();
    one.asked("c").writes("one.txt", "2\n").stops();
    two.asked("d")
        .writes("two.txt", "2\n")
        .runs("echo by-shell > two-shell")
        .stops();
    let report = stage.rewind(&["t1", "--session", "s1"]);
    assert_eq!(stage.read("one.txt"), "1\n");
    assert_eq!(stage.read("two.txt"), "2\n");
    assert!(stage.has("two-shell"));
    let left: Vec<&str> = report["left"]
        .as_array()
        .unwrap()
        .iter()
        .map(|left| left["path"].as_str().unwrap())
        .collect();
    assert_eq!(left, ["two-shell", "two.txt"]);
    two.asked("e")
        .reads("shared.txt")
        .writes("shared.txt", "2\n")
        .stops();
    one.asked("f")
        .reads("shared.txt")
        .writes("shared.txt", "3\n")
        .stops();
    let refused = stage.toprope(&["rewind", "start", "--session", "s1", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
      delete  one.txt    created in t1
      leave   two-shell  changed by session [day]-s2
      leave   two.txt    changed by session [day]-s2
    --- stderr
    Nothing was changed: 1 file cannot be put back safely.
      shared.txt  also changed by session [day]-s2
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    assert_eq!(stage.read("shared.txt"), "3\n");
}

#[test]
fn a_rewind_to_just_before_a_subagent_takes_back_all_of_it() {
    let stage = Stage::new();
    let main = stage.agent("s1");
    main.asked("one").writes("main.txt", "before\n");
    let agent = main.launches("a3f2");
    agent.writes("form.rs", "1\n").runs("echo helper > helper.rs");
    agent.finishes();
    main.stops();
    stage.rewind(&["agent:a3f2^"]);
    assert_eq!(stage.read("main.txt"), "before\n");
    assert!(!stage.has("form.rs") && !stage.has("helper.rs"));
    stage.undo(&[]);
    assert!(stage.has("form.rs") && stage.has("helper.rs"));
}

#[test]
fn a_point_between_two_edits_of_a_subagent_can_be_gone_back_to() {
    let stage = Stage::new();
    let main = stage.agent("s1");
    main.asked("one");
    let agent = main.launches("a3f2");
    agent.writes("form.rs", "1\n");
    stage.settle();
    agent.writes("form.rs", "2\n").writes("more.rs", "2\n");
    agent.finishes();
    main.stops();
    let points = stage
        .world
        .database()
        .rows("SELECT 't' || turn || '.' || point FROM checkpoints WHERE kind = 'step' ORDER BY seq");
    stage.rewind(&[&points[0]]);
    assert_eq!(stage.read("form.rs"), "1\n");
    assert!(!stage.has("more.rs"));
}

#[test]
fn one_of_five_parallel_subagents_alone_is_taken_back() {
    let stage = Stage::new();
    let main = stage.agent("s1");
    main.asked("all at once");
    let agents: Vec<_> = (1..=5)
        .map(|number| main.launches(&format!("agent{number}")))
        .collect();
    for round in 1..=2 {
        for (number, agent) in (1..).zip(&agents) {
            agent.writes(&format!("file{number}"), &format!("{round}\n"));
        }
    }
    agents.iter().for_each(super::stage::Worker::finishes);
    main.stops();
    let report = stage.rewind(&["start", "--agent", "agent3"]);
    assert_eq!(report["scope"], json!("agent"));
    let actions = report["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 1);
    assert_eq!(actions[0]["by"], json!("agent3"));
    let left: Vec<bool> = (1..=5)
        .map(|number| stage.has(&format!("file{number}")))
        .collect();
    assert_eq!(left, [true, true, false, true, true]);
}

#[test]
fn what_two_agents_may_have_done_is_one_agents_alone_for_nobody() {
    let stage = Stage::new();
    let main = stage.agent("s1");
    main.asked("together");
    let (one, two) = (main.launches("one"), main.launches("two"));
    let (first, second) = (
        one.agent.is_about_to_run("build"),
        two.agent.is_about_to_run("build"),
    );
    stage.write("built", "by one of them\n");
    for call in [first, second] {
        call.ends(&json!({ "stdout": "" })).ok();
        call.ends_step().ok();
    }
    one.finishes();
    two.finishes();
    main.stops();
    let refused = stage.toprope(&["rewind", "start", "--agent", "one", "--yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(stage.has("built"));
    stage.rewind(&["start"]);
    assert!(!stage.has("built"), "it is the session's in any case");
}

#[test]
fn everybodys_changes_are_conflicts_until_they_are_forced() {
    let stage = Stage::new();
    let (one, two) = (stage.agent("s1"), stage.agent("s2"));
    one.asked("a").writes("one.txt", "1\n").stops();
    two.asked("b").writes("two.txt", "1\n").stops();
    stage.write("mine.txt", "mine\n");
    let files = stage.files();
    let refused = stage.toprope(&["rewind", "start", "--session", "s1", "--scope", "all", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind everything to start "(nothing was changed yet)" ([id])
      delete  one.txt  created in t1
    --- stderr
    Nothing was changed: 2 files cannot be put back safely.
      mine.txt  edited since
      two.txt   changed by session [day]-s2
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    let arguments = [
        "rewind",
        "start",
        "--session",
        "s1",
        "--scope",
        "all",
        "--force",
        "--yes",
    ];
    let forced = stage.at_a_terminal(&arguments, &[]);
    assert_eq!(forced.code, Some(0), "{}", forced.whole());
    assert!(!stage.has("one.txt") && !stage.has("two.txt") && !stage.has("mine.txt"));
    stage.undo(&[]);
    assert_eq!(stage.files(), files);
}
