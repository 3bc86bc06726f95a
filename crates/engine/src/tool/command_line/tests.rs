//! Which inputs hold a command line, and which only look like it.

use super::*;
use crate::testing::object;
use serde_json::json;

fn found(input: Value) -> Option<String> {
    in_input("mcp__box__call", &object(input))
}

#[test]
fn a_text_a_list_of_words_and_a_program_with_arguments_are_command_lines() {
    for input in [
        json!({ "command": "git push --force" }),
        json!({ "cmd": ["git", "push", "--force"] }),
        json!({ "command": "git", "args": ["push", "--force"] }),
        json!({ "program": "git", "args": ["push", "--force"] }),
        json!({ "commands": ["git push --force"] }),
        json!({ "script": "git push --force", "timeout": 3 }),
        json!({ "argv": ["git", "push", "--force"] }),
        json!({ "args": ["git", "push", "--force"] }),
        json!({ "exec": "git push --force" }),
        json!({ "exec": ["git push --force"] }),
        json!({ "shell": "git push --force" }),
        json!({ "command": "git push --force", "shell": "bash" }),
        json!({ "code": "git push --force" }),
        json!({ "code": "git push --force", "language": "bash" }),
        json!({ "Command": "git push --force" }),
        json!({ "COMMAND_LINE": "git push --force" }),
        json!({ "shell-command": "git push --force" }),
        json!({ "params": { "command": "git push --force" } }),
        json!({ "request": { "params": [{ "cmd": "git push --force" }] } }),
        json!({ "steps": [{ "name": "one", "run": "git push --force" }] }),
        json!({ "jobs": { "a": { "steps": [{ "run": "git push --force" }] } } }),
    ] {
        assert_eq!(
            found(input.clone()).as_deref(),
            Some("git push --force"),
            "{input}"
        );
    }
}

#[test]
fn words_stay_what_they_are_and_none_of_several_lines_is_left_out() {
    let quoting = json!({ "argv": ["x"], "command": ["sh", "-c", "echo 'a b'"] });
    assert_eq!(found(quoting).as_deref(), Some(r"sh -c 'echo '\''a b'\''' x"));
    let several = json!({ "script": "rm -rf build", "command": "ls" });
    assert_eq!(found(several).as_deref(), Some("ls\nrm -rf build"));
    let steps = json!({ "steps": [{ "run": "ls" }, { "run": "rm -rf build" }] });
    assert_eq!(found(steps).as_deref(), Some("ls\nrm -rf build"));
}

#[test]
fn a_line_runs_in_the_folder_that_the_input_names() {
    for input in [
        json!({ "command": "rm -rf *", "cwd": "/home/x" }),
        json!({ "command": "rm -rf *", "workdir": "/home/x" }),
        json!({ "command": "rm -rf *", "directory": "/home/x" }),
        json!({ "command": "rm -rf *", "workingDirectory": "/home/x" }),
        json!({ "command": "rm -rf *", "working_dir": "/home/x" }),
        json!({ "command": "rm -rf *", "options": { "cwd": "/home/x" } }),
        json!({ "cwd": "/home/x", "steps": [{ "run": "rm -rf *" }] }),
    ] {
        let line = found(input.clone());
        assert_eq!(line.as_deref(), Some("cd /home/x && rm -rf *"), "{input}");
    }
    let home = json!({ "command": "ls; rm x", "cwd": "~/a b" });
    assert_eq!(found(home).as_deref(), Some("cd ~/'a b'\nls; rm x"));
    let apart = json!({ "steps": [{ "run": "ls", "cwd": "/a" }, { "run": "rm x" }] });
    assert_eq!(found(apart).as_deref(), Some("(\ncd /a && ls\n)\nrm x"));
}

#[test]
fn code_is_given_to_its_interpreter() {
    let python = json!({ "code": "import os\nos.remove('x')", "language": "python" });
    let read = Some(r"python3 -c $'import os\nos.remove(\'x\')'");
    assert_eq!(found(python).as_deref(), read);
    let notebook = object(json!({ "code": "os.remove(1)" }));
    assert_eq!(
        in_input("mcp__ide__executeCode", &notebook).as_deref(),
        Some("python3 -c 'os.remove(1)'")
    );
    let page = object(json!({ "script": "() => document.title" }));
    assert_eq!(
        in_input("mcp__playwright__evaluate", &page).as_deref(),
        Some("node -e '() => document.title'")
    );
    assert_eq!(found(json!({ "code": "select 1", "language": "sql" })), None);
}

#[test]
fn an_input_without_one_has_none() {
    for input in [
        json!({}),
        json!({ "path": "a", "args": ["b"] }),
        json!({ "command": 3 }),
        json!({ "command": " " }),
        json!({ "path": "a.sh", "content": "rm -rf ~" }),
        json!({ "file_path": "a.sh", "code": "rm -rf ~" }),
        json!({ "filename": "a.sh", "script": "rm -rf ~" }),
        json!({ "files": [{ "path": "a.sh", "content": "rm -rf ~" }] }),
        json!({ "content": { "command": "rm -rf ~" } }),
        json!({ "query": "rm -rf ~" }),
        json!({ "prompt": "run rm -rf ~" }),
        json!({ "text": "rm -rf ~", "message": "rm -rf ~", "description": "rm -rf ~", "body": "rm -rf ~" }),
        json!({ "code": "123456" }),
        json!({ "code": 404 }),
        json!({ "run": 7 }),
        json!({ "run": "4711" }),
        json!({ "exec": true, "shell": "bash" }),
        json!({ "cwd": "/home/x" }),
    ] {
        assert_eq!(found(input.clone()), None, "{input}");
    }
}

#[test]
fn an_input_without_end_is_looked_into_up_to_a_bound() {
    let mut deep = json!({ "command": "ls" });
    for _ in 0..DEEPEST {
        deep = json!({ "a": deep });
    }
    assert_eq!(found(deep.clone()).as_deref(), Some("ls"));
    assert_eq!(found(json!({ "a": deep })), None);
    let wide: Vec<Value> = (0..100_000).map(|_| json!({})).collect();
    assert_eq!(found(json!({ "steps": wide })), None);
}

#[test]
fn variables_and_what_is_read_stand_with_the_line() {
    for (input, expected) in [
        (
            json!({ "command": "make", "env": { "A": "b c" } }),
            "export A='b c'\nmake",
        ),
        (
            json!({ "command": "make", "environment": ["A=b", "odd"] }),
            "export A=b\nmake",
        ),
        (
            json!({ "command": "make", "options": { "env": [{ "name": "A", "value": "b" }] } }),
            "export A=b\nmake",
        ),
        (json!({ "command": "make", "env": { "A;rm -rf /": "b" } }), "make"),
        (
            json!({ "command": "make", "env": { "A": "b" }, "cwd": "/x" }),
            "cd /x\nexport A=b\nmake",
        ),
        (json!({ "command": "bash", "stdin": "rm x" }), "bash <<< 'rm x'"),
        (json!({ "program": "bash", "args": "-c ls" }), "bash -c ls"),
        (
            json!({ "env": { "A": "b" }, "steps": [{ "run": "ls" }, { "run": "rm x" }] }),
            "(\nexport A=b\nls\n)\n(\nexport A=b\nrm x\n)",
        ),
        (json!({ "arguments": "{\"command\": \"rm x\"}" }), "rm x"),
    ] {
        assert_eq!(found(input.clone()).as_deref(), Some(expected), "{input}");
    }
    assert_eq!(found(json!({ "env": { "A": "b" } })), None);
}

#[test]
fn a_shell_takes_any_text_and_a_runner_what_a_shell_could_read() {
    let typed = |tool: &str, input: Value| in_input(tool, &object(input));
    let text = json!({ "text": "rm x", "title": "y" });
    assert_eq!(typed("mcp__box__terminal", text.clone()).as_deref(), Some("rm x"));
    assert_eq!(typed("mcp__box__run", text.clone()), None);
    assert_eq!(typed("mcp__box__chat", text), None);
    assert_eq!(
        typed("mcp__box__run", json!({ "input": "rm x" })).as_deref(),
        Some("rm x")
    );
    assert_eq!(typed("mcp__box__run", json!({ "input": "Don't" })), None);
    assert_eq!(typed("mcp__box__run_query", json!({ "input": "rm x" })), None);
    assert_eq!(
        typed("mcp__shell__write", json!({ "path": "a", "content": "rm x" })),
        None
    );
}
