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

/// The session that is made to continue from a point.
#[track_caller]
fn made(world: &World, what: &str) -> String {
    let output = world.toprope(&["resume", what, "--write"]);
    let copy = output.clone().ok();
    let lengths: Vec<usize> = copy.trim_end().split('-').map(str::len).collect();
    assert_eq!(lengths, [8, 4, 4, 4, 12], "{}", output.whole());
    copy.trim_end().to_owned()
}

/// The conversations the client would find.
fn sessions(world: &World) -> Vec<String> {
    let folder = world.agent(SESSION).transcript().parent().unwrap().to_owned();
    let mut names: Vec<String> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
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
    let copy = made(&world, "t1");
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
fn a_command_that_is_only_printed_leaves_no_session() {
    let world = talked();
    let before = (sessions(&world), world.database().rows("SELECT * FROM actors"));
    for _ in 0..2 {
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown(&world, &world.toprope(&["resume", "t1"])), @r#"
            exit 0
            --- stdout
            claude --resume "$(toprope resume t1 --write)"
            --- stderr
            Continues 2026-11-15-ab310c99 after turn 1, as a new session; the original is unchanged.
            "#);
        }
    }
    let with_session = world.toprope(&["resume", "t1", "--session", "ab31", "--print"]);
    assert_eq!(
        with_session.ok(),
        "claude --resume \"$(toprope resume t1 --session ab31 --write)\"\n"
    );
    assert_eq!(
        (sessions(&world), world.database().rows("SELECT * FROM actors")),
        before
    );
}

#[test]
fn a_session_that_waits_is_not_made_twice_and_one_that_went_on_is_left_alone() {
    let world = talked();
    let first = made(&world, "t1");
    assert_eq!(made(&world, "t1"), first);
    assert_eq!(sessions(&world).len(), 2);
    let text = fs_err::read_to_string(file_of(&world, &first)).unwrap();
    fs_err::write(file_of(&world, &first), text.clone() + "{\"uuid\":\"new\"}\n").unwrap();
    let second = made(&world, "t1");
    assert_ne!(second, first);
    assert_eq!(ids(&world, &second), ["u1", "a1"]);
    assert_eq!(made(&world, "t2"), made(&world, "t2"));
}

#[test]
fn the_printed_command_works_when_it_is_pasted() {
    let mut world = talked();
    let line = world.toprope(&["resume", "t1", "--print"]).ok();
    let bin = world.root().join("bin");
    fs_err::create_dir_all(&bin).unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_toprope")).display();
    let script = |name: &str, text: &str| {
        fs_err::write(bin.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs_err::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    script("claude", "echo started \"$@\" in \"$(pwd)\"");
    script("toprope", &format!("exec {program} \"$@\""));
    let path = format!("{}:/usr/bin:/bin", bin.display());
    world.set("PATH", &path);
    let mut shell = world.person("sh");
    shell.args(["-c", line.trim_end()]).env("PATH", &path);
    for (name, value) in world.command(&[]).get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    let pasted = testkit::run(shell, b"").ok();
    let copy = made(&world, "t1");
    assert_eq!(
        pasted,
        format!("started --resume {copy} in {}\n", world.repo().display())
    );
    let run = world.toprope(&["resume", "t1", "--run"]);
    assert_eq!(run.ok(), pasted);
    let last = world.toprope(&["resume", "t3", "--run"]).ok();
    assert_eq!(
        last,
        format!("started --resume {SESSION} in {}\n", world.repo().display())
    );
}

#[test]
fn a_turn_that_changed_nothing_is_a_point_of_the_conversation_all_the_same() {
    let world = talked();
    let copy = made(&world, "t2");
    assert_eq!(ids(&world, &copy), ["u1", "a1", "u2", "a2"]);
}

#[test]
fn what_the_copy_repeats_is_not_counted_again() {
    let world = talked();
    let used = || world.toprope(&["usage", "--by", "model"]).ok();
    let before = used();
    let copy = made(&world, "t2");
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
    assert_eq!(made(&world, "t3"), SESSION);
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
    // At the last turn too: the client would find nothing.
    for what in ["t3", "@", "ab310c99"] {
        let output = world.toprope(&["resume", what]);
        assert_eq!(
            output.stdout,
            format!("claude --resume \"$(toprope resume {what} --write)\"\n")
        );
        insta::allow_duplicates! {
            insta::assert_snapshot!(steady(&world, &output.stderr), @"Continues 2026-11-15-ab310c99 after turn 3, as a new session: the client's own file is gone, and the text comes from the checkpoints.");
        }
    }
    assert_eq!(ids(&world, &made(&world, "t1")), ["u1", "a1"]);
    let whole = made(&world, "t3");
    assert_ne!(whole, SESSION);
    assert_eq!(ids(&world, &whole), ["u1", "a1", "u2", "a2", "u3", "a3"]);
    fs_err::remove_dir_all(world.repo().join(".git/toprope")).unwrap();
    for what in ["t1", "t3", "ab310c99"] {
        let output = world.toprope(&["resume", what]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown(&world, &output), @"
            exit 4
            --- stdout
            --- stderr
            error: the conversation up to there is neither in the client's file nor in a checkpoint
            ");
        }
    }
}

#[test]
fn a_file_that_was_cut_short_is_not_the_conversation() {
    let world = talked();
    fs_err::write(world.agent(SESSION).transcript(), turn(1, "Create user model")).unwrap();
    let output = world.toprope(&["resume", "t3"]);
    assert_eq!(
        output.stdout,
        "claude --resume \"$(toprope resume t3 --write)\"\n"
    );
    assert_eq!(ids(&world, &made(&world, "t3")).len(), 6);
}

#[test]
fn a_branch_is_continued_where_its_newest_linked_commit_was_made() {
    let world = talked();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "third"]);
    world.git(&["switch", "-q", "main"]);
    world.toprope(&["checkpoint", "link", "feature/login", "t1"]).ok();
    let output = world.toprope(&["resume", "feature/login"]);
    assert_eq!(
        output.stdout,
        "claude --resume \"$(toprope resume feature/login --write)\"\n"
    );
    assert_eq!(ids(&world, &made(&world, "feature/login")), ["u1", "a1"]);
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
    insta::assert_snapshot!(steady(&world, &output.stdout), @r#"{"command":["sh","-c","claude --resume \"$(toprope resume t1 --write)\""],"session":null,"forked_from":"ab310c99-0000-4000-8000-000000000001","turn":1,"checkpoint":"c00000000003","branch":null,"folder":"/world/repo"}"#);
    let output = world.toprope(&["resume", "t1", "--write", "--json"]);
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
fn where_no_text_is_left_no_command_is_printed() {
    let world = told();
    for what in ["t1", "t2"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown(&world, &world.toprope(&["resume", what])), @"
            exit 4
            --- stdout
            --- stderr
            error: the conversation up to there is neither in the client's file nor in a checkpoint
            ");
        }
    }
}

#[test]
fn an_end_that_was_not_seen_yet_is_said_with_exit_3() {
    let world = told();
    let main = world.agent(SESSION);
    fs_err::create_dir_all(main.transcript().parent().unwrap()).unwrap();
    fs_err::write(main.transcript(), "{\"type\":\"mode\"}\n").unwrap();
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
    assert_eq!(
        output.stdout,
        "claude --resume \"$(toprope resume t1 --write)\"\n"
    );
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
    assert_eq!(command, "claude --resume \"$(toprope resume t1 --write)\"");
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
