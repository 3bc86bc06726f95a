//! The undo stack: each undo goes one step further back, redo goes forward, and a new act forgets what lies forward.

use crate::stage::Stage;

/// What can be undone and what can be redone, each in the order in which that would be done.
fn sides(stage: &Stage) -> (Vec<String>, Vec<String>) {
    let listed = stage.toprope(&["undo", "--list", "--json"]).json().unwrap();
    let of = |state: &str| -> Vec<String> {
        let all = listed["operations"].as_array().unwrap().iter();
        let of_it = all.filter(|one| one["state"] == state);
        of_it
            .map(|one| one["undo"].as_str().unwrap().to_owned())
            .collect()
    };
    let mut undone = of("undone");
    undone.reverse();
    (of("done"), undone)
}

/// Four turns, with the tree after each; the first is that before all of them.
fn turns(stage: &Stage) -> Vec<crate::stage::Tree> {
    let agent = stage.agent("s1");
    let mut trees = vec![stage.tree()];
    for number in 1..=4 {
        agent
            .asked(&format!("turn {number}"))
            .writes("a.txt", &format!("{number}\n"))
            .writes(&format!("made/{number}.txt"), "made\n")
            .stops();
        trees.push(stage.tree());
    }
    trees
}

#[test]
fn each_undo_goes_one_step_further_back_and_each_redo_one_forward() {
    let stage = Stage::new();
    let trees = turns(&stage);
    for target in ["t3", "t2", "t1", "start"] {
        stage.rewind(&[target]);
    }
    for (number, wanted) in trees.iter().enumerate().skip(1) {
        stage.undo(&[]);
        assert_eq!(&stage.tree(), wanted, "undo {number}");
        if number == 2 {
            stage.world.toprope(&["daemon", "restart"]).ok();
        }
    }
    assert_eq!(stage.toprope(&["undo", "--yes"]).code, Some(4));
    for (number, wanted) in trees.iter().enumerate().take(4).rev() {
        stage.redo();
        assert_eq!(&stage.tree(), wanted, "redo to {number}");
        if number == 2 {
            stage.world.toprope(&["daemon", "stop"]).ok();
        }
    }
    let nothing = stage.toprope(&["redo", "--yes"]);
    assert_said!(nothing.whole(), @"
    exit 4
    --- stdout
    --- stderr
    Nothing to redo in this worktree.
    ");
    stage.undo(&[]);
    stage.undo(&[]);
    stage.redo();
    stage.undo(&[]);
    assert_eq!(stage.tree(), trees[2]);
}

#[test]
fn the_list_shows_the_stack_with_a_mark_where_one_stands() {
    let stage = Stage::new();
    let _ = turns(&stage);
    for target in ["t3", "t2", "t1"] {
        stage.rewind(&[target]);
    }
    let shown = || {
        let list = stage.toprope(&["undo", "--list"]);
        ageless(&list.whole())
    };
    assert_said!(shown(), @"
    exit 0
    --- stdout
    -- you are here --
    undo  [id]  rewind   Rewound to t1 ([id])
    undo  [id]  rewind   Rewound to t2 ([id])
    undo  [id]  rewind   Rewound to t3 ([id])
    --- stderr
    ");
    stage.undo(&[]);
    stage.undo(&[]);
    assert_said!(shown(), @"
    exit 0
    --- stdout
    redo  [id]  rewind   Rewound to t1 ([id])
    redo  [id]  rewind   Rewound to t2 ([id])
    -- you are here --
    undo  [id]  rewind   Rewound to t3 ([id])
    --- stderr
    ");
    stage.undo(&[]);
    assert_said!(shown(), @"
    exit 0
    --- stdout
    redo  [id]  rewind   Rewound to t1 ([id])
    redo  [id]  rewind   Rewound to t2 ([id])
    redo  [id]  rewind   Rewound to t3 ([id])
    -- you are here --
    --- stderr
    ");
}

/// Ages differ from run to run.
fn ageless(text: &str) -> String {
    let words = text.split("  ").filter(|word| {
        let age = word.trim().strip_suffix('s');
        !word.is_empty() && age.is_none_or(|age| age.parse::<u64>().is_err())
    });
    words.collect::<Vec<_>>().join("  ")
}

#[test]
fn a_new_rewind_forgets_what_lies_forward() {
    let stage = Stage::new();
    let trees = turns(&stage);
    stage.rewind(&["t3"]);
    stage.rewind(&["t2"]);
    stage.undo(&[]);
    stage.undo(&[]);
    assert_eq!(sides(&stage).1.len(), 2);
    stage.rewind(&["t1"]);
    let (done, undone) = sides(&stage);
    assert_eq!((done.len(), undone.len()), (1, 0));
    assert_eq!(stage.toprope(&["redo", "--yes"]).code, Some(4));
    assert_eq!(stage.tree(), trees[1]);
    stage.undo(&[]);
    assert_eq!(stage.tree(), trees[4]);
    assert_eq!(
        stage.toprope(&["undo", "--yes"]).code,
        Some(4),
        "undone ones stay undone"
    );
    stage.redo();
    assert_eq!(stage.tree(), trees[1]);
}

#[test]
fn undo_of_a_command_and_undo_again_goes_to_what_was_before_it_and_never_does_the_damage_again() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one by the agent\n").stops();
    agent.asked("two").writes("b.txt", "two\n").stops();
    let before = stage.tree();
    stage.rewind(&["t1"]);
    let rewound = stage.tree();
    stage.write("notes/plan.md", "never committed\n");
    let noted = stage.tree();
    agent.asked("three").insists("rm -rf notes").stops();
    let damaged = stage.tree();
    assert!(!stage.has("notes"));

    stage.undo(&[]);
    assert_eq!(stage.tree(), noted);
    let again = stage.toprope(&["undo", "--yes"]);
    assert_eq!(again.code, Some(0), "{}", again.whole());
    assert!(again.stdout.starts_with("Undo rewind "), "{}", again.whole());
    assert_eq!(stage.read("notes/plan.md"), "never committed\n");
    assert_eq!(stage.read("b.txt"), "two\n");
    stage.redo();
    assert_eq!(stage.tree(), noted);
    stage.redo();
    assert_eq!(stage.tree(), damaged);
    stage.undo(&[]);
    stage.undo(&[]);
    fs_err::remove_dir_all(stage.path("notes")).unwrap();
    assert_eq!(stage.tree(), before);
    assert_ne!(rewound, before);
}

#[test]
fn a_destructive_command_that_ran_forgets_what_lies_forward_and_one_that_did_not_run_does_not() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one by the agent\n").stops();
    stage.write("notes.md", "mine\n");
    stage.rewind(&["start"]);
    stage.undo(&[]);
    assert_eq!(sides(&stage).1.len(), 1);
    agent.asked("two");
    agent.agent.is_held_before("rm -f notes.md");
    // The second time it may run, but the person says no.
    let call = agent.agent.is_about_to_run("rm -f notes.md");
    call.ends_step().ok();
    agent.stops();
    assert_eq!(sides(&stage), (vec![], sides(&stage).1));
    assert_eq!(sides(&stage).1.len(), 1, "it did not run");
    agent.asked("three").runs("rm -f notes.md").stops();
    let (done, undone) = sides(&stage);
    assert_eq!((done.len(), undone.len()), (1, 0), "it ran");
    stage.undo(&[]);
    assert_eq!(stage.read("notes.md"), "mine\n");
}

#[test]
fn one_operation_is_undone_by_its_id_alone() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a", "a1\n").writes("b", "b1\n").stops();
    agent.asked("two").writes("a", "a2\n").writes("b", "b2\n").stops();
    let first = stage.rewind(&["t1", "--path", "a"]);
    stage.rewind(&["t1", "--path", "b"]);
    stage.undo(&[first["undo"].as_str().unwrap()]);
    assert_eq!((stage.read("a"), stage.read("b")), ("a2\n".into(), "b1\n".into()));
    let (done, undone) = sides(&stage);
    assert_eq!((done.len(), undone.len()), (1, 1));
    stage.undo(&[]);
    assert_eq!((stage.read("a"), stage.read("b")), ("a2\n".into(), "b2\n".into()));
    stage.redo();
    stage.redo();
    assert_eq!((stage.read("a"), stage.read("b")), ("a1\n".into(), "b1\n".into()));
}

#[test]
fn an_agent_may_not_redo() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "b\n").stops();
    stage.rewind(&["start"]);
    stage.undo(&[]);
    let mut command = stage.world.command(&["redo", "--yes"]);
    // The test itself stands for the agent.
    command
        .env("CLAUDECODE", "1")
        .env("CLAUDE_PID", std::process::id().to_string());
    let output = testkit::run(command, b"");
    assert_eq!(output.code, Some(5), "{}", output.whole());
    assert!(stage.has("b.txt"));
    let denied = agent.agent.is_about_to_run_maybe("toprope redo --yes");
    assert!(denied.is_some(), "the guard keeps it from agents too");
    assert_eq!(
        stage.toprope(&["redo"]).code,
        Some(2),
        "without a terminal a yes is needed"
    );
}
