//! `toprope resume`: the conversation goes on from a point, and the original stays as it was.

use crate::story::{SESSION, place, shown, steady, told};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use testkit::{Output, World};

/// A prompt and its answer, as the client writes them.
fn turn(number: u32, prompt: &str) -> String {
    let before = (number > 1).then(|| format!("a{}", number - 1));
    let lines = [
        json!({ "type": "last-prompt", "leafUuid": "gone", "sessionId": SESSION }),
        json!({ "type": "user", "uuid": format!("u{number}"), "parentUuid": before, "sessionId": SESSION,
            "promptId": format!("p{number}"), "message": { "role": "user", "content": prompt } }),
        json!({ "type": "assistant", "uuid": format!("a{number}"), "parentUuid": format!("u{number}"),
            "sessionId": SESSION, "message": { "id": format!("m{number}"), "role": "assistant", "model": "opus",
            "stop_reason": "end_turn", "content": [{ "type": "text", "text": "done" }],
            "usage": { "input_tokens": 3, "output_tokens": 7 } } }),
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

/// Three turns with a conversation; the second changes nothing.
fn talked() -> World {
    let world = place();
    let main = world.agent(SESSION);
    fs_err::create_dir_all(main.transcript().parent().unwrap()).unwrap();
    fs_err::write(main.transcript(), "").unwrap();
    main.starts().ok();
    for (number, prompt) in [(1, "Create user model"), (2, "Why?"), (3, "Add the login form")] {
        main.sends(
            "UserPromptSubmit",
            &json!({ "prompt": prompt, "prompt_id": format!("p{number}") }),
        )
        .ok();
        world.settled();
        if number != 2 {
            main.writes("src/model.rs", &format!("{number}\n"));
            world.settled();
        }
        let text = fs_err::read_to_string(main.transcript()).unwrap();
        fs_err::write(main.transcript(), text + &turn(number, prompt)).unwrap();
        main.stops().ok();
        world.settled();
    }
    main.leaves().ok();
    world.settled();
    world
}

/// The session a run's command continues.
#[track_caller]
fn continued(output: &Output) -> String {
    let command = output.clone().ok();
    command
        .trim_end()
        .strip_prefix("claude --resume ")
        .expect(&command)
        .to_owned()
}

fn file_of(world: &World, session: &str) -> PathBuf {
    world
        .agent(SESSION)
        .transcript()
        .with_file_name(format!("{session}.jsonl"))
}

/// What a conversation's file says: its ids, in order, and whether all lines belong to the session.
#[track_caller]
fn ids(world: &World, session: &str) -> Vec<String> {
    let text = fs_err::read_to_string(file_of(world, session)).unwrap();
    text.lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["sessionId"], session);
            line["uuid"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn at_an_earlier_turn_a_new_session_holds_the_conversation_up_to_there() {
    let world = talked();
    let original = fs_err::read(world.agent(SESSION).transcript()).unwrap();
    let output = world.toprope(&["resume", "t1"]);
    let copy = continued(&output);
    insta::assert_snapshot!(steady(&world, &output.stderr), @"Continues 2026-11-15-ab310c99 after turn 1, as a new session; the original is unchanged.");
    assert_eq!(ids(&world, &copy), ["u1", "a1"]);
    let mode = fs_err::metadata(file_of(&world, &copy))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs_err::read(world.agent(SESSION).transcript()).unwrap(), original);
    let fork = format!("SELECT forked_from, state FROM actors WHERE client_session_id = '{copy}'");
    assert_eq!(world.database().rows(&fork), [format!("{SESSION}|ended")]);
}

#[test]
fn a_turn_that_changed_nothing_is_a_point_of_the_conversation_all_the_same() {
    let world = talked();
    let copy = continued(&world.toprope(&["resume", "t2"]));
    assert_eq!(ids(&world, &copy), ["u1", "a1", "u2", "a2"]);
}

#[test]
fn what_the_copy_repeats_is_not_counted_again() {
    let world = talked();
    let used = || world.toprope(&["usage", "--by", "model"]).ok();
    let before = used();
    let copy = continued(&world.toprope(&["resume", "t2"]));
    let fork = world.agent(&copy);
    let path = json!({ "transcript_path": file_of(&world, &copy) });
    let with_path = |fields: &Value| {
        let mut fields = fields.clone();
        fields
            .as_object_mut()
            .unwrap()
            .extend(path.as_object().unwrap().clone());
        fields
    };
    fork.sends("SessionStart", &with_path(&json!({ "source": "resume" })))
        .ok();
    fork.sends("UserPromptSubmit", &with_path(&json!({ "prompt": "Go on" })))
        .ok();
    world.settled();
    fork.sends(
        "Stop",
        &with_path(&json!({ "stop_hook_active": false, "last_assistant_message": "" })),
    )
    .ok();
    fork.sends("SessionEnd", &with_path(&json!({ "reason": "other" })))
        .ok();
    world.settled();
    assert_eq!(used(), before);
}

#[test]
fn at_the_last_turn_the_client_continues_itself() {
    let world = talked();
    for what in ["t3", "@", "ab310c99"] {
        let output = world.toprope(&["resume", what]);
        assert_eq!(continued(&output), SESSION);
        insta::allow_duplicates! {
            insta::assert_snapshot!(steady(&world, &output.stderr), @"Continues 2026-11-15-ab310c99 after turn 3, where it ended.");
        }
    }
    let quiet = world.toprope(&["resume", "t3", "--print"]);
    assert_eq!(
        (quiet.stdout, quiet.stderr.as_str()),
        (format!("claude --resume {SESSION}\n"), "")
    );
}

#[test]
fn a_conversation_whose_file_is_gone_comes_from_the_checkpoints() {
    let world = talked();
    fs_err::remove_file(world.agent(SESSION).transcript()).unwrap();
    let copy = continued(&world.toprope(&["resume", "t1"]));
    assert_eq!(ids(&world, &copy), ["u1", "a1"]);
    fs_err::remove_dir_all(world.repo().join(".git/toprope")).unwrap();
    let output = world.toprope(&["resume", "t1"]);
    insta::assert_snapshot!(shown(&world, &output), @"
    exit 1
    --- stdout
    --- stderr
    error: the conversation up to there is neither in the client's file nor in a checkpoint any more
    ");
}

#[test]
fn a_branch_is_continued_where_its_newest_linked_commit_was_made() {
    let world = talked();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "third"]);
    world.git(&["switch", "-q", "main"]);
    world.toprope(&["checkpoint", "link", "feature/login", "t1"]).ok();
    let output = world.toprope(&["resume", "feature/login"]);
    assert_eq!(ids(&world, &continued(&output)), ["u1", "a1"]);
    insta::assert_snapshot!(steady(&world, &output.stderr), @"
    Continues 2026-11-15-ab310c99 after turn 1, as a new session; the original is unchanged.
    The branch is not checked out: git switch feature/login
    ");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["resume", "main"])), @"
    exit 4
    --- stdout
    --- stderr
    error: no session is linked to the last 100 commits of main
    hint: `toprope checkpoint link <commit> <checkpoint>` links one
    ");
}

#[test]
fn several_sessions_of_a_commit_are_shown_one_line_each() {
    let world = talked();
    let other = world.agent("77c0ffee-0000-4000-8000-000000000002");
    other.is_asked("Something\nelse").ok();
    world.settled();
    other.writes("x.txt", "x\n");
    other.stops().ok();
    world.settled();
    for (session, point) in [("ab31", "t1"), ("77c0", "t1")] {
        world
            .toprope(&["checkpoint", "link", "HEAD", point, "--session", session])
            .ok();
    }
    insta::assert_snapshot!(shown(&world, &world.toprope(&["resume", "feature/login"])), @r#"
    exit 4
    --- stdout
    toprope resume c00000000008  2026-11-15-77c0ffee  t1  "Something else"
    toprope resume c00000000003  2026-11-15-ab310c99  t1  "Create user model"
    --- stderr
    2 sessions are linked to 2222222 of feature/login: choose one
    "#);
}

#[test]
fn programs_get_the_command_in_words() {
    let world = talked();
    let output = world.toprope(&["resume", "t1", "--json"]);
    let ready = output.json().unwrap();
    let copy = ready["session"].as_str().unwrap();
    assert_eq!(ready["command"], json!(["claude", "--resume", copy]));
    let text = steady(&world, &output.stdout).replace(copy, "<copy>");
    insta::assert_snapshot!(text, @r#"{"command":["claude","--resume","<copy>"],"session":"<copy>","forked_from":"ab310c99-0000-4000-8000-000000000001","turn":1,"checkpoint":"c00000000003","branch":null,"folder":"/world/repo"}"#);
}

#[test]
fn what_cannot_be_continued_is_said() {
    let world = talked();
    let said = |what: &[&str]| {
        let all: Vec<&str> = ["resume"].iter().chain(what).copied().collect();
        shown(&world, &world.toprope(&all))
    };
    let whole = [said(&["start"]), said(&["t9"]), said(&["nowhere"]), said(&[])];
    insta::assert_snapshot!(whole.join("\n"), @r#"
    exit 4
    --- stdout
    --- stderr
    error: there is no conversation before the first turn
    hint: claude

    exit 4
    --- stdout
    --- stderr
    error: No checkpoint "t9": this session has turns 1 to 3. See: toprope checkpoint list

    exit 4
    --- stdout
    --- stderr
    error: "nowhere" is no checkpoint, no branch and no session of this project
    hint: toprope checkpoint list --all

    exit 2
    --- stdout
    --- stderr
    error: which conversation? there is no terminal to ask at
    hint: toprope resume <checkpoint, branch or session>
    "#);
    world
        .database()
        .run("UPDATE actors SET agent_kind = 'other-agent'");
    insta::assert_snapshot!(said(&["t3"]), @"
    exit 1
    --- stdout
    --- stderr
    error: sessions of other-agent cannot be continued by a command
    ");
}

#[test]
fn an_end_that_was_never_seen_is_said_with_exit_3() {
    let world = told();
    insta::assert_snapshot!(shown(&world, &world.toprope(&["resume", "t1"])), @"
    exit 3
    --- stdout
    --- stderr
    error: the end of turn 1 was not seen in the conversation, so it cannot be continued from there
    hint: the client may still be writing it: try again in a moment
    ");
}

#[test]
fn the_files_go_back_with_the_conversation() {
    let world = talked();
    let output = world.toprope(&["resume", "t1", "--files", "--yes"]);
    assert_eq!(ids(&world, &continued(&output)), ["u1", "a1"]);
    assert_eq!(world.read("src/model.rs"), "1\n");
    insta::assert_snapshot!(steady(&world, &output.stderr), @r#"
    Rewind claude-code 2026-11-15-ab310c99 to c00000000003 "Create user model" (c00000000003)
      restore  src/model.rs  changed in t3
    Rewound 1 file. Take it back with: toprope undo
    Continues 2026-11-15-ab310c99 after turn 1, as a new session; the original is unchanged.
    "#);
    world.toprope(&["undo", "--yes"]).ok();
    assert_eq!(world.read("src/model.rs"), "3\n");
}

#[test]
fn where_the_files_cannot_go_back_the_conversation_does_not_either() {
    let world = talked();
    world.write("src/model.rs", "mine\n");
    let output = world.toprope(&["resume", "t1", "--files", "--yes"]);
    insta::assert_snapshot!(shown(&world, &output), @r#"
    exit 3
    --- stdout
    --- stderr
    Rewind claude-code 2026-11-15-ab310c99 to c00000000003 "Create user model" (c00000000003)
    Nothing was changed: 1 file cannot be put back safely.
      src/model.rs  edited since
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    assert_eq!(world.read("src/model.rs"), "mine\n");
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM actors WHERE forked_from IS NOT NULL"),
        0
    );
    let unasked = world.toprope(&["resume", "t1", "--files"]);
    assert_eq!(unasked.code, Some(2), "{}", unasked.whole());
}

#[test]
fn a_rewind_can_print_how_the_conversation_goes_on() {
    let world = talked();
    let output = world.toprope(&["rewind", "t1", "--yes", "--resume"]).ok();
    let command = output.lines().last().unwrap();
    let copy = command.strip_prefix("claude --resume ").expect(command);
    assert_eq!(ids(&world, copy), ["u1", "a1"]);
}

#[test]
fn no_files_go_back_below_an_agent() {
    let mut world = talked();
    world.set("CLAUDECODE", "1");
    world.set("CLAUDE_PID", &std::process::id().to_string());
    let output = world.toprope(&["resume", "t1", "--files", "--yes"]);
    assert_eq!(output.code, Some(5), "{}", output.whole());
    assert_eq!(world.read("src/model.rs"), "3\n");
}
