//! Tools of servers.

use super::*;
use crate::settings::{LeaseTool, ToolEffect};

fn check(cases: &[(&str, Value, &str)]) {
    for (tool, input, expected) in cases {
        assert_eq!(shown(&of(tool, input.clone())), *expected, "{tool} {input}");
    }
}

#[test]
fn tools_nobody_declared_are_known_by_their_words() {
    check(&[
        (
            "mcp__fs__write_file",
            json!({"path": "a", "content": "/x"}),
            "/w/a",
        ),
        ("mcp__fs__writeFile", json!({"filePath": "a"}), "/w/a"),
        ("mcp__fs__edit_file", json!({"path": "a", "edits": []}), "~/w/a"),
        ("mcp__fs__edit_file", json!({"path": "a", "dryRun": true}), ""),
        ("mcp__fs__append", json!({"filename": "a"}), "~/w/a"),
        ("mcp__fs__delete_file", json!({"file": "a"}), "-/w/a"),
        (
            "mcp__x__replace_symbol_body",
            json!({"relative_path": "s/a.rs", "name_path": "f"}),
            "~/w/s/a.rs",
        ),
        ("mcp__x__save_all", json!({"files": ["b", "a"]}), "/w/a; /w/b"),
        (
            "mcp__x__patch",
            json!({"uri": "file:///w/a%20b.rs"}),
            "~/w/a b.rs",
        ),
        ("mcp__x__patch", json!({"uri": "file://localhost/w/a"}), "~/w/a"),
        ("ApplyPatch", json!({"file_path": "a"}), "~/w/a"),
        (
            "mcp__x__write_files",
            json!({"files": [{"path": "b", "content": "x"}, {"file_path": "a"}]}),
            "/w/a; /w/b",
        ),
        (
            "mcp__x__write",
            json!({"dest": "a", "output_path": "b"}),
            "/w/a; /w/b",
        ),
    ]);
}

#[test]
fn a_move_names_two_files() {
    check(&[
        (
            "mcp__fs__move_file",
            json!({"source": "a", "destination": "b"}),
            "-/w/a; /w/b",
        ),
        (
            "mcp__fs__rename",
            json!({"old_path": "a", "new_path": "b"}),
            "-/w/a; /w/b",
        ),
    ]);
}

#[test]
fn tools_that_write_no_file_here_are_left_alone() {
    check(&[
        ("mcp__fs__read_file", json!({"path": "a"}), ""),
        ("mcp__fs__list_updates", json!({"path": "a"}), ""),
        ("mcp__editor__open", json!({"path": "a"}), ""),
        ("mcp__fs__create_directory", json!({"path": "a"}), ""),
        (
            "mcp__github__create_or_update_file",
            json!({"owner": "o", "repo": "r", "path": "a"}),
            "",
        ),
        (
            "mcp__tickets__create_issue",
            json!({"title": "a", "body": "b"}),
            "",
        ),
        ("mcp__web__update", json!({"target": "https://a/b"}), ""),
        (
            "mcp__graph__create_edges",
            json!({"edges": [{"source": "a", "target": "b", "from": "c", "to": "d"}]}),
            "",
        ),
        (
            "mcp__x__write",
            json!({"path": 3, "file": ["", 4], "uri": "file://%zz"}),
            "",
        ),
        ("mcp__x__write", json!({"uri": "file://host/a"}), ""),
    ]);
}

#[test]
fn what_the_settings_declare_counts_whatever_the_name() {
    let mut settings = settings();
    let effects = [ToolEffect::Overwrite, ToolEffect::Change, ToolEffect::Delete];
    for (effect, expected) in effects
        .into_iter()
        .zip(["/w/a; /w/b", "~/w/a; ~/w/b", "-/w/a; -/w/b"])
    {
        settings.tool = vec![LeaseTool {
            name: "mcp__x__go".to_owned(),
            path: vec!["one".to_owned(), "more".to_owned()],
            effect,
        }];
        let input = json!({"one": "a", "more": ["b"], "path": "c"});
        let call = testing::call("mcp__x__go", input);
        assert_eq!(shown(&in_w(&call, &settings)), expected);
    }
    let call = testing::call("mcp__x__write", json!({"path": "c"}));
    assert_eq!(shown(&in_w(&call, &settings)), "/w/c");
}
