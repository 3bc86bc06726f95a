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

#[test]
fn a_shell_of_a_server_is_read_whatever_its_text_is_called() {
    let world = world();
    let force = "git push --force origin main";
    let nested = "claude -p hi";
    let mut passed = Vec::new();
    for (number, (tool, input)) in [
        ("mcp__box__call", json!({ "bash_command": force })),
        ("mcp__box__call", json!({ "shellCmd": force })),
        ("mcp__box__call", json!({ "command_string": force })),
        (
            "mcp__box__call",
            json!({ "program": "git", "args": "push --force origin main" }),
        ),
        (
            "mcp__box__call",
            json!({ "command": "git", "arguments": "push --force origin main" }),
        ),
        (
            "mcp__box__call",
            json!({ "request": json!({ "command": force }).to_string() }),
        ),
        (
            "mcp__hub__call_tool",
            json!({ "name": "bash", "arguments": json!({ "command": force }).to_string() }),
        ),
        ("mcp__box__terminal", json!({ "input": force })),
        (
            "mcp__box__send_to_terminal",
            json!({ "text": format!("{force}\n") }),
        ),
        ("mcp__box__shell", json!({ "line": force })),
        ("mcp__box__shell", json!({ "lines": ["cd .", force] })),
        ("mcp__box__bash", json!({ "params": { "input": force } })),
        ("mcp__box__run", json!({ "input": force })),
        ("mcp__box__exec", json!({ "data": force })),
        ("mcp__tmux__send_keys", json!({ "pane": "1", "keys": force })),
        ("mcp__terminal__write", json!({ "id": 1, "data": force })),
        (
            "mcp__box__exec",
            json!({ "program": "bash", "args": ["-s"], "stdin": force }),
        ),
        ("mcp__box__exec", json!({ "command": "bash", "stdin": force })),
        ("mcp__box__exec", json!({ "command": "sh -s", "input": force })),
        (
            "mcp__box__exec",
            json!({ "command": nested, "env": { "HOME": "/tmp/x" } }),
        ),
        (
            "mcp__box__exec",
            json!({ "command": nested, "environment": ["CLAUDE_CONFIG_DIR=/tmp/x"] }),
        ),
        (
            "mcp__box__exec",
            json!({ "command": nested, "env": [{ "name": "HOME", "value": "/tmp/x" }] }),
        ),
        (
            "mcp__box__exec",
            json!({ "command": nested, "options": { "env": { "HOME": "/tmp/x" } } }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = world.agent("s1").before(&format!("t{number}"), tool, &input);
        if decision(&answer) != "deny" {
            passed.push(format!("{tool} {input}: {}", answer.whole()));
        }
    }
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

#[test]
fn a_text_that_no_shell_gets_is_no_command() {
    let world = world();
    let force = "git push --force origin main";
    let mut stopped = Vec::new();
    for (number, (tool, input)) in [
        ("mcp__chat__send", json!({ "input": force, "text": force })),
        ("mcp__ai__run_prompt", json!({ "input": force })),
        ("mcp__ai__run_agent", json!({ "input": force, "prompt": force })),
        ("mcp__web__search", json!({ "input": force, "query": force })),
        (
            "mcp__db__execute_sql",
            json!({ "query": "delete from t where a = 1", "input": force }),
        ),
        ("mcp__db__run_query", json!({ "query": force })),
        (
            "mcp__shell__write_file",
            json!({ "path": "a.sh", "content": force, "data": force }),
        ),
        ("mcp__box__exec", json!({ "command": "cat", "stdin": force })),
        (
            "mcp__box__exec",
            json!({ "command": "ls", "env": { "CI": "1", "PATH": "/usr/bin" } }),
        ),
        (
            "mcp__box__exec",
            json!({ "command": "ls", "description": force, "command_description": force }),
        ),
        (
            "mcp__box__terminal",
            json!({ "input": "ls", "title": force, "reason": force }),
        ),
        (
            "mcp__box__call",
            json!({ "command_id": force, "last_command_output": force }),
        ),
        (
            "mcp__http__post",
            json!({ "url": "http://localhost", "body": json!({ "command": force }).to_string() }),
        ),
        (
            "mcp__fs__write_file",
            json!({ "path": "a.json", "content": json!({ "command": force }).to_string() }),
        ),
        ("mcp__notes__add", json!({ "note": force, "input": force })),
        (
            "mcp__mail__run_campaign",
            json!({ "body": force, "text": "Don't rm -rf / it" }),
        ),
        ("mcp__mail__run_campaign", json!({ "input": "Don't rm -rf / it" })),
        (
            "mcp__browser__type",
            json!({ "element": "box", "text": force, "keys": force }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = world.agent("s1").before(&format!("t{number}"), tool, &input);
        if decision(&answer) != "passed" {
            stopped.push(format!("{tool} {input}: {}", answer.whole()));
        }
    }
    assert!(stopped.is_empty(), "{}", stopped.join("\n"));
}
