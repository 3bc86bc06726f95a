//! Tools of servers that write files: however a path is named in their input, the client's settings are among them.

use super::{decision, installed};
use serde_json::{Value, json};
use testkit::World;

fn settings(world: &World) -> String {
    let file = world.home().join(".claude/settings.json");
    file.to_str().unwrap().to_owned()
}

/// Inputs that name a settings file, and would leave something else there.
fn naming(world: &World) -> Vec<(&'static str, Value)> {
    let file = settings(world);
    let folder = file.strip_suffix("/settings.json").unwrap();
    let written = |key: &str| ("mcp__fs__write_file", json!({ key: file, "content": "{}" }));
    let mut ways: Vec<_> = [
        "filePath",
        "filename",
        "file_name",
        "relative_path",
        "absolute-path",
        "target",
        "target_file",
        "targetPath",
        "dest",
        "destination",
        "destination_path",
        "new_path",
        "old_path",
        "output_path",
        "location",
        "wherever",
    ]
    .into_iter()
    .map(written)
    .collect();
    let twice = json!({ "old_string": "toprope", "new_string": "x" });
    let edit = |key: &str| {
        let mut edit = twice.clone();
        edit[key] = json!(file);
        json!({ "edits": [{ "path": "a.txt", "old_string": "a", "new_string": "b" }, edit] })
    };
    ways.extend([
        ("mcp__fs__write", json!({ "uri": format!("file://{file}"), "content": "{}" })),
        (
            "mcp__fs__write",
            json!({ "uri": format!("file://{}", file.replace(".json", "%2Ejson")), "content": "{}" }),
        ),
        ("mcp__fs__write", json!({ "path": "~/.claude/settings.json", "content": "{}" })),
        ("mcp__fs__write_files", json!({ "files": [{ "path": file, "content": "{}" }] })),
        ("mcp__fs__write_files", json!({ "files": { &file: "{}" } })),
        ("mcp__fs__write_files", json!({ "files": [{ "name": file, "data": "{}" }] })),
        ("mcp__fs__multi_edit", edit("path")),
        ("mcp__fs__multi_edit", edit("file_path")),
        ("mcp__fs__rename", json!({ "rename": { "from": file, "to": "/tmp/x" } })),
        ("mcp__fs__rename", json!({ "rename": { "from": "a.txt", "to": file } })),
        ("mcp__fs__move", json!({ "src": file, "dst": "/tmp/x" })),
        ("mcp__fs__copy_file", json!({ "from": "evil.json", "to": file })),
        ("mcp__fs__truncate_file", json!({ "path": file })),
        ("mcp__fs__search_and_replace", json!({ "path": file, "pattern": "toprope", "with": "x" })),
        ("mcp__fs__put", json!({ "folder": folder, "name": "settings.json", "body": "{}" })),
        ("mcp__fs__remove", json!({ "items": [folder] })),
        ("mcp__web__download", json!({ "url": "http://localhost/x", "save_to": file })),
        ("mcp__web__fetch", json!({ "url": "http://localhost/x", "output": file })),
        ("mcp__hub__call_tool", json!({ "name": "write", "arguments": { "path": file, "text": "{}" } })),
        (
            "mcp__hub__call_tool",
            json!({ "name": "write", "arguments": json!({ "path": file, "text": "{}" }).to_string() }),
        ),
        (
            "mcp__fs__apply_patch",
            json!({ "patch": "*** Begin Patch\n*** Update File: .claude/settings.local.json\n+{\"disableAllHooks\":true}\n*** End Patch\n" }),
        ),
        (
            "mcp__fs__apply_diff",
            json!({ "diff": "--- /dev/null\n+++ b/.claude/settings.json\n@@ -0,0 +1 @@\n+{\"disableAllHooks\":true}\n" }),
        ),
        ("SomethingNew", json!({ "into": file, "lines": ["{}"] })),
    ]);
    // What is there already, written a second time behind it, is no JSON any more.
    let before = fs_err::read_to_string(&file).unwrap();
    ways.extend([
        ("mcp__fs__append_file", json!({ "path": file, "content": before })),
        (
            "mcp__fs__write_file",
            json!({ "path": file, "content": before, "mode": "append" }),
        ),
        ("mcp__fs__delete_file", json!({ "path": file, "content": before })),
        (
            "mcp__fs__multi_edit",
            json!({ "path": file, "edits": [
                { "path": file, "oldText": "toprope", "newText": "x" },
                { "path": "a.txt", "oldText": "x", "newText": "toprope" },
            ] }),
        ),
    ]);
    ways
}

#[test]
fn a_settings_file_is_known_by_whatever_key_a_tool_names_it() {
    for (attended, expected) in [("1", &["ask", "deny"][..]), ("0", &["deny"])] {
        let world = installed().with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        let agent = world.agent("s1");
        agent.starts().ok();
        let mut passed = Vec::new();
        for (number, (tool, input)) in naming(&world).into_iter().enumerate() {
            let answer = agent.before(&format!("t{number}"), tool, &input);
            let said = decision(&answer);
            let is_stopped = expected.contains(&&*said) && answer.whole().contains("self.settings");
            if !is_stopped {
                passed.push(format!("{tool} {input}: {}", answer.whole()));
            }
        }
        assert!(passed.is_empty(), "{}", passed.join("\n"));
    }
}

#[test]
fn tools_that_read_or_only_speak_of_the_settings_are_not_stopped() {
    let world = installed();
    let agent = world.agent("s1");
    agent.starts().ok();
    let file = settings(&world);
    let ours = fs_err::read_to_string(&file).unwrap();
    let mut changed: Value = serde_json::from_str(&ours).unwrap();
    changed["model"] = json!("opus");
    let changed = format!("{changed:#}");
    let mut stopped = Vec::new();
    for (number, (tool, input)) in [
        ("mcp__fs__read_file", json!({ "path": file })),
        ("mcp__fs__readFile", json!({ "filePath": file })),
        (
            "mcp__fs__read_multiple_files",
            json!({ "paths": [file, "a.txt"] }),
        ),
        ("mcp__fs__get_file_info", json!({ "target": file })),
        ("mcp__fs__list_directory", json!({ "path": format!("{file}/..") })),
        (
            "mcp__fs__search_files",
            json!({ "path": ".claude", "pattern": "settings.json" }),
        ),
        (
            "mcp__x__find_symbol",
            json!({ "relative_path": file, "name": "x" }),
        ),
        (
            "mcp__fs__copy_file",
            json!({ "source": file, "destination": "/tmp/copy.json" }),
        ),
        (
            "mcp__git__git_add",
            json!({ "repo_path": world.repo(), "files": [".claude/settings.json"] }),
        ),
        ("mcp__git__git_diff", json!({ "target": file })),
        (
            "mcp__fs__write_file",
            json!({ "filePath": file, "content": changed }),
        ),
        (
            "mcp__fs__write_files",
            json!({ "files": [{ "path": file, "content": changed }, { "path": "a", "content": "b" }] }),
        ),
        (
            "mcp__fs__write_file",
            json!({ "path": "notes.md", "content": file }),
        ),
        (
            "mcp__fs__write_file",
            json!({ "path": "notes.md", "content": format!("see\n+++ {file}\n") }),
        ),
        (
            "mcp__fs__write_file",
            json!({ "path": ".claude/commands/x.md", "content": "hello" }),
        ),
        ("mcp__fs__create_directory", json!({ "path": ".claude/commands" })),
        (
            "mcp__chat__post",
            json!({ "channel": "c", "text": file, "message": file }),
        ),
        (
            "mcp__hub__create_issue",
            json!({ "title": file, "body": format!("{file} is odd") }),
        ),
        ("mcp__web__search", json!({ "query": file })),
        ("mcp__ai__ask", json!({ "prompt": file })),
        (
            "mcp__app__update_settings",
            json!({ "settings": { "theme": "dark" } }),
        ),
        (
            "mcp__app__save",
            json!({ "path": "config/settings.json", "content": "{}" }),
        ),
        (
            "TodoWrite",
            json!({ "todos": [{ "content": file, "status": "pending" }] }),
        ),
        ("TaskCreate", json!({ "subject": file, "description": file })),
        ("Grep", json!({ "pattern": file, "path": "." })),
        (
            "Write",
            json!({ "file_path": world.repo().join("n.md"), "content": file }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = agent.before(&format!("t{number}"), tool, &input);
        if answer.whole().contains("self.") || decision(&answer) != "passed" {
            stopped.push(format!("{tool} {input}: {}", answer.whole()));
        }
    }
    assert!(stopped.is_empty(), "{}", stopped.join("\n"));
}
