//! Tools of servers that run a shell: their command line at any depth, and the folder they name for it.

use super::{decision, world};
use serde_json::json;

#[test]
fn a_command_line_is_read_wherever_an_input_holds_it() {
    let world = world();
    let force = "git push --force origin main";
    let words = ["git", "push", "--force", "origin", "main"];
    for (number, (tool, input)) in [
        ("mcp__box__call", json!({ "argv": words })),
        ("mcp__box__call", json!({ "args": words })),
        ("mcp__box__call", json!({ "program": "git", "args": &words[1..] })),
        ("mcp__box__call", json!({ "exec": force })),
        ("mcp__box__call", json!({ "shell": force })),
        ("mcp__box__call", json!({ "code": force })),
        ("mcp__box__call", json!({ "code": force, "language": "bash" })),
        ("mcp__box__call", json!({ "script": force })),
        ("mcp__box__call", json!({ "Command": force })),
        ("mcp__box__call", json!({ "COMMAND": force })),
        ("mcp__box__call", json!({ "params": { "command": force } })),
        (
            "mcp__box__call",
            json!({ "steps": [{ "name": "push", "run": force }] }),
        ),
        (
            "mcp__box__call",
            json!({ "request": { "tasks": [[{ "cmd": words }]] } }),
        ),
        (
            "mcp__repl__execute",
            json!({ "code": format!("import os\nos.system('{force}')"), "language": "python" }),
        ),
        (
            "mcp__ide__executeCode",
            json!({ "code": format!("import subprocess\nsubprocess.run('{force}', shell=True)") }),
        ),
        ("NewTool", json!({ "input": { "shellCommand": force } })),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = world.agent("s1").before(&format!("t{number}"), tool, &input);
        assert_eq!(decision(&answer), "deny", "{tool} {input}: {}", answer.whole());
    }
}

#[test]
fn a_text_of_a_file_or_a_form_is_no_command() {
    for attended in ["1", "0"] {
        let world = world().with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        let force = "git push --force origin main";
        for (number, (tool, input)) in [
            ("mcp__fs__write_file", json!({ "path": "a.sh", "content": force })),
            (
                "mcp__fs__write_file",
                json!({ "file_path": "a.sh", "code": force }),
            ),
            (
                "mcp__fs__create",
                json!({ "files": [{ "path": "a.sh", "content": force }] }),
            ),
            (
                "mcp__fs__edit",
                json!({ "path": "a.sh", "edits": [{ "oldText": "a", "newText": force }] }),
            ),
            ("mcp__web__search", json!({ "query": force })),
            ("mcp__ai__ask", json!({ "prompt": force, "model": "x" })),
            (
                "mcp__chat__post",
                json!({ "channel": "c", "text": force, "message": force }),
            ),
            (
                "mcp__hub__create_issue",
                json!({ "title": force, "body": force, "labels": ["a"] }),
            ),
            ("mcp__auth__verify", json!({ "code": "123456" })),
            (
                "mcp__browser__evaluate",
                json!({ "script": "() => document.title" }),
            ),
            (
                "mcp__box__call",
                json!({ "code": "total = sum(x for x in range(3))\nprint(total)" }),
            ),
            (
                "mcp__ide__executeCode",
                json!({ "code": "df.groupby('a').agg({'b': 'sum'})" }),
            ),
            (
                "mcp__db__query",
                json!({ "code": "select 1 from t where (a = 2)", "language": "sql" }),
            ),
        ]
        .into_iter()
        .enumerate()
        {
            let answer = world.agent("s1").before(&format!("t{number}"), tool, &input);
            assert_eq!(decision(&answer), "passed", "{tool} {input}: {}", answer.whole());
        }
    }
}

#[test]
fn a_server_s_shell_is_judged_in_the_folder_it_names() {
    let world = world();
    let agent = world.agent("s1");
    agent.starts().ok();
    agent.is_asked("tidy up").ok();
    for (number, folder) in ["cwd", "workdir", "directory", "working_directory", "workingDir"]
        .into_iter()
        .enumerate()
    {
        let input = json!({ "command": "rm -rf *", folder: world.home() });
        for attempt in ["first", "again", "and again"] {
            let answer = agent.before(&format!("t{number}{attempt}"), "mcp__box__exec", &input);
            let reason = answer.denial().unwrap_or_default();
            assert!(!reason.is_empty(), "{folder} {attempt}: {}", answer.whole());
            assert!(
                !reason.contains("undo"),
                "{folder}: promises what it does not keep: {reason}"
            );
            agent.sends("PostToolBatch", &json!({ "tool_calls": [] })).ok();
        }
    }
    let beside = json!({ "command": "rm -rf *", "options": { "cwd": world.home() } });
    assert!(
        agent
            .before("beside", "mcp__box__exec", &beside)
            .denial()
            .is_some()
    );
    // A folder of the project that builds fill is nobody's loss.
    world.write(".gitignore", "target/\n");
    world.write("target/debug/x", "x");
    let build = json!({ "command": "rm -rf debug", "cwd": world.repo().join("target") });
    agent.before("build", "mcp__box__exec", &build).allowed();
}

#[test]
fn what_a_server_s_shell_writes_in_the_folder_it_names_is_leased() {
    let world = world();
    world.write("sub/a.txt", "one\n");
    let one = world.agent("ab31c0de-0000-4000-8000-000000000001");
    one.starts().ok();
    one.is_asked("write it").ok();
    let input = json!({ "cmd": "echo two > a.txt", "cwd": world.repo().join("sub") });
    one.before("toolu_1", "mcp__box__exec", &input).allowed();
    let other = world.agent("ffee0000-0000-4000-8000-000000000002");
    other.starts().ok();
    other.is_asked("write it").ok();
    let write = json!({ "file_path": world.repo().join("sub/a.txt"), "content": "three\n" });
    let denied = other
        .before("toolu_2", "Write", &write)
        .denial()
        .expect("held by the first");
    assert!(denied.contains("sub/a.txt"), "{denied}");
}
