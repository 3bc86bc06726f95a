//! Toprope's own files and secrets, through tools that are no shell.

use crate::policy::guard::facts::WorldQuestion;
use crate::policy::guard::layer::LayerRules;
use crate::policy::guard::loading::RuleSource;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::tool::{ToolUse, judge_tool};
use crate::policy::guard::verdict::Ruling;
use crate::settings::Settings;
use crate::testing::object;
use serde_json::{Value, json};

fn judged_by(rules: &RuleSet, tool: &str, input: Value) -> (Ruling, String) {
    let world = Synthetic::default();
    let input = object(input);
    let call = ToolUse {
        tool,
        input: &input,
        writes_nothing: false,
    };
    let mut facts = world.facts();
    for _ in 0..4 {
        for asked in judge_tool(call, rules, &facts).asked {
            world.answer(&asked, &mut facts);
        }
    }
    let judged = judge_tool(call, rules, &facts);
    let rule = judged
        .rules()
        .first()
        .map(|rule| (*rule).to_owned())
        .unwrap_or_default();
    (judged.ruling, rule)
}

fn judged(tool: &str, input: Value) -> (Ruling, String) {
    judged_by(&RuleSet::built_in(&Settings::default()), tool, input)
}

#[test]
fn writing_toprope_s_own_files_is_denied_and_reading_them_is_not() {
    for path in [
        "toprope.toml",
        "toprope.local.toml",
        "/home/dev/.config/toprope/config.toml",
        "~/.local/state/toprope/toprope.db",
        "src/../toprope.toml",
    ] {
        for tool in ["Write", "Edit", "MultiEdit", "mcp__fs__write_file"] {
            assert_eq!(
                judged(tool, json!({"file_path": path})),
                (Ruling::Deny, "self.files".to_owned()),
                "{tool} {path}"
            );
        }
        assert_eq!(judged("Read", json!({"file_path": path})).0, Ruling::Silent);
    }
    assert_eq!(
        judged("Write", json!({"file_path": "docs/toprope.toml"})).0,
        Ruling::Silent
    );
    assert_eq!(
        judged("Write", json!({"file_path": "src/main.rs"})).0,
        Ruling::Silent
    );
}

#[test]
fn a_tool_that_names_a_file_asks_where_that_is_and_not_what_git_says_of_it() {
    let (world, rules) = (Synthetic::default(), RuleSet::built_in(&Settings::default()));
    for tool in ["Write", "Edit", "Read", "NotebookEdit", "mcp__fs__write_file"] {
        let input = object(json!({"file_path": "src/main.rs"}));
        let mut facts = world.facts();
        for _ in 0..4 {
            let call = ToolUse {
                tool,
                input: &input,
                writes_nothing: false,
            };
            for asked in judge_tool(call, &rules, &facts).asked {
                let is_cheap = matches!(
                    asked,
                    WorldQuestion::Identity { .. } | WorldQuestion::Repository { .. }
                );
                assert!(is_cheap, "{tool}: {asked:?}");
                world.answer(&asked, &mut facts);
            }
        }
    }
}

#[test]
fn an_edit_of_settings_that_leaves_our_entries_alone_is_silent() {
    let path = "/home/dev/.claude/settings.json";
    let ours = "    { \"command\": \"toprope\", \"args\": [\"hook\", \"claude-code\"] }";
    let kept = json!({"file_path": path, "content": format!("{{\n  \"theme\": \"dark\",\n  \"hooks\": [\n{ours}\n  ]\n}}")});
    assert_eq!(judged("Write", kept).0, Ruling::Silent);
    for input in [
        json!({"file_path": path, "content": "{}"}),
        json!({"file_path": path, "old_string": "\"toprope\"", "new_string": "\"true\""}),
        json!({"file_path": path, "old_string": "{\n  \"hooks\"", "new_string": "{\n  \"disableAllHooks\": true,\n  \"hooks\""}),
    ] {
        assert_eq!(judged("Edit", input), (Ruling::Deny, "self.settings".to_owned()));
    }
    let other = json!({"file_path": path, "old_string": "{\n  \"hooks\"", "new_string": "{\n  \"theme\": \"dark\",\n  \"hooks\""});
    assert_eq!(judged("Edit", other).0, Ruling::Silent);
}

#[test]
fn no_tool_changes_our_entries_by_a_byte_or_sets_what_steers_us() {
    let entry = |more: &str| format!(r#"{{ "command": "toprope", "args": ["hook", "claude-code"]{more} }}"#);
    let settings = |entries: &str, more: &str| format!(r#"{{ "hooks": [{entries}]{more} }}"#);
    let reordered = r#"{ "args": ["hook", "claude-code"], "command": "toprope" }"#;
    for (content, expected) in [
        (settings(&entry(""), ""), ""),
        (settings(reordered, r#", "env": { "EDITOR": "vi" }"#), ""),
        (settings(&entry(r#", "timeout": 0.001"#), ""), "self.settings"),
        (settings(&entry(r#", "async": true"#), ""), "self.settings"),
        (settings(&format!("{0}, {0}", entry("")), ""), "self.settings"),
        (
            settings(&entry(""), r#", "disableAllHooks": true"#),
            "self.settings",
        ),
        (
            settings(&entry(""), r#", "env": { "TOPROPE_HOME": "/x" }"#),
            "self.variables",
        ),
        (
            settings(&entry(""), r#", "env": { "PATH": "/x" }"#),
            "self.variables",
        ),
        (
            settings(&entry(""), r#", "env": { "HOME": "/x" }"#),
            "self.variables",
        ),
        (
            settings(&entry(""), r#", "env": { "XDG_CONFIG_HOME": "/x" }"#),
            "self.variables",
        ),
    ] {
        let path = "/home/dev/project/.claude/settings.local.json";
        let edits = json!([{ "old_string": "", "new_string": content }]);
        for (tool, input) in [
            ("Write", json!({ "file_path": path, "content": content })),
            ("MultiEdit", json!({ "file_path": path, "edits": edits })),
            (
                "mcp__fs__write_file",
                json!({ "path": path, "contents": content }),
            ),
        ] {
            assert_eq!(judged(tool, input).1, expected, "{tool} {content}");
        }
    }
    let unread = json!({ "path": "/home/dev/.claude/settings.json", "patch": "@@" });
    assert_eq!(judged("mcp__fs__edit", unread).1, "self.settings");
    let pushed =
        json!({ "owner": "o", "repo": "r", "files": [{ "path": ".claude/settings.json", "content": "{" }] });
    assert_eq!(
        judged("mcp__hub__push_files", pushed),
        (Ruling::Ask, "self.settings".to_owned()),
        "likely no file of here"
    );
}

#[test]
fn secrets_are_asked_for_and_those_outside_the_project_denied() {
    let read = |path: &str| judged("Read", json!({"file_path": path}));
    assert_eq!(read(".env"), (Ruling::Ask, "secrets.env-file".to_owned()));
    assert_eq!(
        read("/home/dev/project/.env.local"),
        (Ruling::Ask, "secrets.env-file".to_owned())
    );
    assert_eq!(
        read("certs/private.pem"),
        (Ruling::Ask, "secrets.file".to_owned())
    );
    assert_eq!(read("~/.ssh/id_rsa"), (Ruling::Deny, "secrets.file".to_owned()));
    assert_eq!(read("/home/dev/.aws/credentials").0, Ruling::Deny);
    for path in [".env.example", "~/.ssh/id_rsa.pub", "cert.pem", "src/main.rs"] {
        assert_eq!(read(path).0, Ruling::Silent, "{path}");
    }
    let grep = |mode: &str| {
        judged(
            "Grep",
            json!({"path": ".env", "pattern": "x", "output_mode": mode}),
        )
        .0
    };
    assert_eq!(
        (grep("content"), grep("files_with_matches")),
        (Ruling::Ask, Ruling::Silent)
    );
    assert_eq!(
        judged("Glob", json!({"pattern": "**/.env", "path": "."})).0,
        Ruling::Silent
    );
    assert_eq!(
        judged("mcp__fs__read_file", json!({"path": "/home/dev/.netrc"})).0,
        Ruling::Deny
    );
}

#[test]
fn a_person_s_rule_about_a_tool_holds() {
    let text = "[[rule]]\nid = \"team.infra\"\nclass = \"irreversible\"\nverdict = \"ask\"\ntool = [\"Write\", \"mcp__*__delete_*\"]\npath = \"infra/**\"\nwhat = \"w\"\nwhy = \"y\"\nhits = [\"Write infra/main.tf\"]\nmisses = [\"Write src/main.rs\", \"Read infra/main.tf\"]\n";
    let layer = LayerRules::read(RuleSource::User, "team.toml", text);
    assert_eq!(layer.problems, []);
    let rules = RuleSet::new(&Settings::default(), &[layer]);
    assert_eq!(
        judged_by(&rules, "Write", json!({"file_path": "infra/a/b.tf"})).0,
        Ruling::Ask
    );
    assert_eq!(
        judged_by(&rules, "mcp__x__delete_file", json!({"path": "infra/a"})).0,
        Ruling::Ask
    );
    assert_eq!(
        judged_by(&rules, "Edit", json!({"file_path": "infra/a/b.tf"})).0,
        Ruling::Silent
    );
}
