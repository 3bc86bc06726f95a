//! Who knows what is in a file: formatters, reads by commands, copies of a session, edits over what was not seen.

use crate::{OTHER, SESSION, world};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::{Agent, Call, Output, World, eventually};

/// Times of files are noted by a clock that may be so far behind.
const COARSE: Duration = Duration::from_millis(30);

/// A session in the middle of a turn.
fn at_work<'a>(world: &'a World, session: &str) -> Agent<'a> {
    let agent = world.agent(session);
    agent.starts().ok();
    agent.is_asked("Go on.").ok();
    agent
}

/// The person changes a file, a moment after whatever came before.
fn person_writes(world: &World, path: &str, content: &str) {
    let since = Instant::now();
    eventually("times of files tell the two apart", || {
        (since.elapsed() > COARSE).then_some(())
    });
    world.write(path, content);
}

fn write<'a>(agent: &Agent<'a>, path: &str) -> Call<'a> {
    let input = json!({ "file_path": agent.folder().join(path), "content": "mine\n" });
    agent.call("Write", &input)
}

fn edit<'a>(agent: &Agent<'a>, path: &str) -> Call<'a> {
    let input = json!({ "file_path": agent.folder().join(path), "old_string": "a", "new_string": "b" });
    agent.call("Edit", &input)
}

fn reads_by(agent: &Agent<'_>, input: &Value) {
    let call = agent.call("Read", input);
    call.begins().ok();
    call.ends(&json!({})).ok();
}

/// One of the file tools, called with a path.
type Tool = for<'a> fn(&Agent<'a>, &str) -> Call<'a>;

/// A call of a file tool runs, and before its step ends a formatter of the client changes the file.
fn runs_with_formatter(world: &World, call: &Call<'_>, path: &str, content: &str) -> Output {
    let begun = call.begins();
    assert_eq!(begun.denial(), None);
    world.write(path, content);
    call.ends(&json!({})).ok();
    world.write(path, &format!("{content}formatted\n"));
    call.ends_step().ok();
    begun
}

#[test]
fn a_formatter_of_the_client_does_not_make_the_next_write_stale() {
    let world = world();
    let agent = at_work(&world, SESSION);
    agent.reads("src/parser.rs");
    let tools: [Tool; 5] = [edit, edit, write, write, edit];
    for (number, tool) in tools.into_iter().enumerate() {
        let call = tool(&agent, "src/parser.rs");
        let begun = runs_with_formatter(&world, &call, "src/parser.rs", &format!("{number}\n"));
        assert_eq!(begun.context(), "", "{number}");
    }
    person_writes(&world, "src/parser.rs", "the person's\n");
    let denial = write(&agent, "src/parser.rs")
        .begins()
        .denial()
        .unwrap_or_default();
    assert!(denial.contains("by something outside the agents"), "{denial}");
}

#[test]
fn a_formatter_between_two_calls_of_one_step_is_the_agents_own_hand() {
    let world = world();
    let agent = at_work(&world, SESSION);
    agent.reads("src/parser.rs");
    let (first, second) = (edit(&agent, "src/parser.rs"), write(&agent, "src/parser.rs"));
    first.begins().ok();
    world.write("src/parser.rs", "edited\n");
    first.ends(&json!({})).ok();
    world.write("src/parser.rs", "formatted\n");
    let begun = second.begins();
    assert!(begun.json().is_none(), "{}", begun.whole());
}

#[test]
fn what_a_command_showed_counts_as_read() {
    let world = world();
    let commands = [
        "cat src/parser.rs",
        "cat -n src/parser.rs | less",
        "nl src/parser.rs",
        "cat src/*.rs",
        "cd src && sed -n 1,20p parser.rs",
        "head -5 src/parser.rs",
        "cat src/parser.rs | tail -n 3",
    ];
    for (number, command) in commands.into_iter().enumerate() {
        let agent = at_work(&world, SESSION);
        agent.reads("src/parser.rs");
        person_writes(&world, "src/parser.rs", &format!("{number}\n"));
        assert!(
            write(&agent, "src/parser.rs").begins().denial().is_some(),
            "{command}"
        );
        agent.shell("wc -l src/parser.rs");
        assert!(
            write(&agent, "src/parser.rs").begins().denial().is_some(),
            "{command}"
        );
        agent.shell(command);
        assert_eq!(
            write(&agent, "src/parser.rs").begins().denial(),
            None,
            "{command}"
        );
        agent.stops().ok();
    }
}

#[test]
fn what_may_not_have_run_shows_nothing() {
    let world = world();
    // Whether the client tells of a success, and whether the file was then read.
    for (number, (command, succeeds, is_read)) in [
        ("false && cat src/parser.rs", false, false),
        ("git status && cat src/parser.rs", true, true),
        ("git status && cat src/parser.rs", false, false),
        (
            "git status && cat src/parser.rs | head -20 && git log",
            true,
            true,
        ),
        ("false && cat src/parser.rs; echo done", true, false),
        ("true || cat src/parser.rs", true, false),
        ("git status || cat src/parser.rs", true, false),
        ("cat missing && cat src/parser.rs || true", true, false),
        ("cat src/parser.rs && false", false, true),
        ("cat src/parser.rs || true", true, true),
        ("cd src && cat parser.rs && false", false, true),
        ("echo one && cat src/parser.rs; false", false, true),
        ("set -e; cat src/parser.rs; false", false, true),
        ("git status; cat src/parser.rs", true, true),
    ]
    .into_iter()
    .enumerate()
    {
        let agent = at_work(&world, SESSION);
        agent.reads("src/parser.rs");
        person_writes(&world, "src/parser.rs", &format!("{number}\n"));
        let call = agent.is_about_to_run(command);
        if succeeds {
            call.ends(&json!({ "stdout": "", "stderr": "", "interrupted": false }));
        } else {
            call.fails("Exit code 1");
        }
        call.ends_step();
        assert_eq!(
            write(&agent, "src/parser.rs").begins().denial().is_none(),
            is_read,
            "{command}"
        );
        agent.stops().ok();
    }
}

#[test]
fn who_saw_a_part_of_a_file_does_not_know_what_changed_in_the_rest() {
    let world = world();
    let agent = at_work(&world, SESSION);
    agent.reads("src/parser.rs");
    let long = "a line of theirs\n".repeat(2_000);
    for (number, command) in [
        "grep -n one src/parser.rs",
        "grep -q one src/parser.rs",
        "rg one src/parser.rs",
        "head -1 src/parser.rs",
        "tail -1 src/parser.rs",
        "sed -n 2p src/parser.rs",
        "sed -n /one/p src/parser.rs",
        "cat src/parser.rs | head -1",
        "cat src/parser.rs | grep one",
        "git diff src/parser.rs",
        "wc -l src/parser.rs",
    ]
    .into_iter()
    .enumerate()
    {
        person_writes(
            &world,
            "src/parser.rs",
            &format!("one\ntwo\nthe person's {number}\n"),
        );
        agent.shell(command);
        let denial = write(&agent, "src/parser.rs").begins().denial();
        assert!(
            denial.is_some_and(|text| text.contains("outside the agents")),
            "{command}"
        );
    }
    for part in [
        json!({ "limit": 1 }),
        json!({ "offset": 2 }),
        json!({ "offset": 2, "limit": 1 }),
    ] {
        let mut input = part;
        input["file_path"] = json!(agent.folder().join("src/parser.rs"));
        reads_by(&agent, &input);
        assert!(
            write(&agent, "src/parser.rs").begins().denial().is_some(),
            "{input}"
        );
    }
    let input = json!({ "file_path": agent.folder().join("src/parser.rs"), "limit": 100 });
    reads_by(&agent, &input);
    assert_eq!(
        write(&agent, "src/parser.rs").begins().denial(),
        None,
        "that was all of it"
    );
    person_writes(&world, "src/parser.rs", &long);
    agent.shell("cat src/parser.rs");
    assert!(
        write(&agent, "src/parser.rs").begins().denial().is_some(),
        "the client cuts off what is so long"
    );
}

#[test]
fn who_saw_a_part_of_a_file_first_is_told_what_changes_from_then_on() {
    let world = world();
    let agent = at_work(&world, SESSION);
    agent.shell("grep -n one src/parser.rs");
    assert_eq!(write(&agent, "src/parser.rs").begins().denial(), None);
    person_writes(&world, "src/parser.rs", "the person's\n");
    assert!(write(&agent, "src/parser.rs").begins().denial().is_some());
}

#[test]
fn a_command_does_not_overwrite_what_the_person_changed_in_a_file_that_git_tracks() {
    let world = world();
    world.write("new.rs", "mine\n");
    let agent = at_work(&world, SESSION);
    for (number, command) in [
        "cat > src/parser.rs <<'EOF'\nmine\nEOF",
        "cp new.rs src/parser.rs",
        "echo mine | tee src/parser.rs",
    ]
    .into_iter()
    .enumerate()
    {
        agent.reads("src/parser.rs");
        person_writes(&world, "src/parser.rs", &format!("the person's {number}\n"));
        let denial = agent.is_about_to_run_maybe(command).unwrap_or_default();
        insta::allow_duplicates! {
            insta::assert_snapshot!(denial, @"src/parser.rs changed after you last read it: by something outside the agents. Your version would undo that. Nothing was written. Read it again, then write.");
        }
        for harmless in [
            "echo more >> src/parser.rs",
            "touch src/parser.rs",
            "chmod +x src/parser.rs",
        ] {
            assert_eq!(agent.is_about_to_run_maybe(harmless), None, "{harmless}");
        }
        agent.shell("cat src/parser.rs");
        assert_eq!(agent.is_about_to_run_maybe(command), None, "{command}");
    }
}

#[test]
fn logs_and_build_output_that_changed_outside_stop_no_command() {
    let world = world();
    let agent = at_work(&world, SESSION);
    for path in ["test.log", "target/out.txt"] {
        world.write(path, "one\n");
        agent.shell(&format!("cat {path}"));
        person_writes(&world, path, "two\n");
        let command = format!("make test > {path} 2>&1");
        assert_eq!(agent.is_about_to_run_maybe(&command), None, "{command}");
    }
}

#[test]
fn a_log_of_an_earlier_conversation_stops_no_command() {
    let world = world();
    let earlier = at_work(&world, SESSION);
    earlier.shell("echo one > test.log; cat test.log");
    earlier.stops().ok();
    let later = at_work(&world, OTHER);
    later.shell("echo two > test.log");
    later.stops().ok();
    earlier.is_asked("Again.").ok();
    earlier.shell("echo three > test.log");
    later.is_asked("Again.").ok();
    earlier.stops().ok();
    later.shell("echo four > test.log 2>&1");
}

#[test]
fn a_command_does_not_overwrite_what_another_wrote_in_a_file_that_git_tracks() {
    let world = world();
    let earlier = at_work(&world, SESSION);
    earlier.writes("src/parser.rs", "two\n");
    earlier.stops().ok();
    let later = at_work(&world, OTHER);
    let denial = later
        .is_about_to_run_maybe("echo x > src/parser.rs")
        .unwrap_or_default();
    assert!(
        denial.starts_with("src/parser.rs was written by main@ab31"),
        "{denial}"
    );
    later.shell("cat src/parser.rs");
    assert_eq!(later.is_about_to_run_maybe("echo x > src/parser.rs"), None);
}

/// The session's transcript, with the calls it made or took over.
fn keeps_transcript(agent: &Agent<'_>, calls: &[&Call<'_>]) {
    let path = agent.transcript();
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let line = |call: &&Call<'_>| -> String {
        let block = json!({ "type": "tool_use", "id": call.id, "name": "Write", "input": {} });
        json!({ "type": "assistant", "uuid": call.id, "message": { "id": "m", "content": [block] } })
            .to_string()
    };
    let lines: Vec<String> = calls.iter().map(line).collect();
    fs_err::write(path, format!("{}\n", lines.join("\n"))).expect("a transcript");
}

#[test]
fn a_copy_of_a_session_knows_what_its_original_saw_before() {
    let world = world();
    let original = at_work(&world, SESSION);
    let wrote = original.writes("src/parser.rs", "two\n");
    original.stops().ok();
    let start = |session: &str, source: &str| {
        let agent = world.agent(session);
        agent.sends("SessionStart", &json!({ "source": source })).ok();
        agent.is_asked("Go on.").ok();
        agent
    };
    let stranger = start(OTHER, "startup");
    keeps_transcript(&stranger, &[]);
    assert!(write(&stranger, "src/parser.rs").begins().denial().is_some());
    let copy = start("ef53c0de-0000-4000-8000-000000000003", "fork");
    keeps_transcript(&copy, &[&wrote]);
    assert_eq!(write(&copy, "src/parser.rs").begins().denial(), None);
    copy.stops().ok();
    original.is_asked("And more.").ok();
    let later = original.writes("src/lexer.rs", "two\n");
    original.stops().ok();
    copy.is_asked("Go on.").ok();
    assert_ne!(later.id, wrote.id);
    assert!(
        write(&copy, "src/lexer.rs").begins().denial().is_some(),
        "that was after the copy"
    );
}

#[test]
fn an_agent_that_is_forked_off_knows_what_its_parent_saw() {
    let world = world();
    let main = at_work(&world, SESSION);
    main.reads("src/lexer.rs");
    person_writes(&world, "src/parser.rs", "two\n");
    main.writes("src/parser.rs", "three\n");
    for (id, kind, knows) in [
        ("a1111111111111111", "fork", true),
        ("a2222222222222222", "tester", false),
    ] {
        let spawn: Value =
            json!({ "subagent_type": kind, "description": "d", "prompt": "p", "run_in_background": false });
        let call = main.call("Agent", &spawn);
        call.begins().ok();
        let child = main.subagent(id, kind);
        child.begins().ok();
        let begun = write(&child, "src/parser.rs").begins();
        assert_eq!(begun.denial().is_none(), knows, "{kind}: {}", begun.whole());
        child.ends().ok();
        call.ends(&json!({ "status": "completed", "agentId": id, "totalToolUseCount": 1 }))
            .ok();
        call.ends_step().ok();
    }
}

#[test]
fn an_edit_does_not_make_an_unseen_change_seen() {
    let world = world();
    let agent = at_work(&world, SESSION);
    agent.reads("src/parser.rs");
    person_writes(&world, "src/parser.rs", "the person's\none\n");
    let call = edit(&agent, "src/parser.rs");
    let advice = call.begins().context();
    insta::assert_snapshot!(advice, @"src/parser.rs changed after you last read it, by something outside the agents. Your edit applies to the new text; read it again before you write more.");
    world.write("src/parser.rs", "the person's\ntwo\n");
    call.ends(&json!({})).ok();
    call.ends_step().ok();
    let denial = write(&agent, "src/parser.rs")
        .begins()
        .denial()
        .unwrap_or_default();
    insta::assert_snapshot!(denial, @"src/parser.rs changed after you last read it: by something outside the agents. Your version would undo that. Nothing was written. Read it again, then write.");
    agent.reads("src/parser.rs");
    assert_eq!(write(&agent, "src/parser.rs").begins().denial(), None);
}

#[test]
fn an_edit_over_another_agents_change_names_that_agent_at_the_next_write() {
    let world = world();
    let agent = at_work(&world, SESSION);
    agent.reads("src/parser.rs");
    let other = at_work(&world, OTHER);
    other.writes("src/parser.rs", "theirs\none\n");
    other.stops().ok();
    let call = edit(&agent, "src/parser.rs");
    assert_ne!(call.begins().context(), "");
    world.write("src/parser.rs", "theirs\ntwo\n");
    call.ends(&json!({})).ok();
    call.ends_step().ok();
    let denial = write(&agent, "src/parser.rs")
        .begins()
        .denial()
        .unwrap_or_default();
    assert!(denial.contains("by main@cd42"), "{denial}");
}
