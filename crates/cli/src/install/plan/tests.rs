use super::*;
use crate::install::claude_code::ShellTools;
use crate::install::tests::{at, options};
use serde_json::json;

fn planned(text: &str) -> InstallPlan {
    plan(Some(text.as_bytes()), &options()).unwrap()
}

fn after(text: &str, options: &InstallOptions) -> Value {
    serde_json::from_slice(&plan(Some(text.as_bytes()), options).unwrap().bytes).unwrap()
}

fn strict() -> InstallOptions {
    InstallOptions {
        broken: BrokenHook::BlocksShell(ShellTools::with(std::iter::empty())),
        ..options()
    }
}

/// Settings with these entries for one event.
fn with_entries(event: &str, entries: &Value) -> String {
    json!({"hooks": {event: entries}}).to_string()
}

fn ours(command: &str) -> Value {
    json!({"type": "command", "command": command, "args": ["hook", "claude-code", "--home", "/state"], "timeout": 60})
}

#[test]
fn a_file_that_does_not_exist_becomes_one_with_every_event() {
    let plan = plan(None, &options()).unwrap();
    assert_eq!(
        (plan.added.len(), plan.repaired.len(), plan.had_entries),
        (30, 0, false)
    );
    let text = String::from_utf8(plan.bytes).unwrap();
    let head: Vec<&str> = text.lines().take(21).collect();
    insta::assert_snapshot!(head.join("\n"), @r#"
    {
      "hooks": {
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/opt/bin/toprope",
                "args": [
                  "hook",
                  "claude-code",
                  "--home",
                  "/state"
                ],
                "timeout": 60
              }
            ]
          }
        ],
        "Setup": [
          {
    "#);
    assert!(text.ends_with("\n    ]\n  }\n}\n"));
}

#[test]
fn the_text_is_what_the_client_would_write_itself() {
    let text = String::from_utf8(plan(None, &options()).unwrap().bytes).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        text,
        format!("{value:#}\n"),
        "so that a file the client rewrites keeps our part"
    );
}

#[test]
fn entries_are_added_behind_those_of_others() {
    let text = with_entries(
        "Stop",
        &json!([{"hooks": [{"type": "command", "command": "mine"}]}]),
    );
    let plan = planned(&text);
    assert_eq!(
        plan.foreign,
        [ForeignHook {
            event: "Stop".to_owned(),
            command: "mine".to_owned()
        }]
    );
    let stop = &after(&text, &options())["hooks"]["Stop"];
    assert_eq!(stop[0]["hooks"][0]["command"], "mine");
    assert_eq!(stop[1]["hooks"][0]["command"], "/opt/bin/toprope");
}

#[test]
fn hooks_of_others_are_listed_for_events_we_leave_out_too() {
    let text = with_entries(
        "WorktreeCreate",
        &json!([{"hooks": [{"type": "http", "url": "http://localhost"}]}]),
    );
    let plan = planned(&text);
    let expected = ForeignHook {
        event: "WorktreeCreate".to_owned(),
        command: "http://localhost".to_owned(),
    };
    assert_eq!(plan.foreign, [expected]);
    assert!(!plan.had_entries);
}

#[test]
fn a_moved_program_is_repaired_in_its_place() {
    let mine = json!({"hooks": [{"type": "command", "command": "mine"}]});
    let text = with_entries("Stop", &json!([{"hooks": [ours("/old/toprope")]}, mine]));
    let plan = planned(&text);
    assert_eq!((plan.added.len(), plan.repaired), (29, vec!["Stop".to_owned()]));
    let stop = &after(&text, &options())["hooks"]["Stop"];
    assert_eq!(stop, &json!([{"hooks": [ours("/opt/bin/toprope")]}, mine]));
}

#[test]
fn a_repair_keeps_what_the_person_chose() {
    let mut old = ours("/old/toprope");
    old["timeout"] = json!(7);
    old["statusMessage"] = json!("roped");
    let text = with_entries("Stop", &json!([{"hooks": [old]}]));
    let handler = &after(&text, &options())["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(
        (&handler["timeout"], &handler["statusMessage"]),
        (&json!(60), &json!("roped"))
    );
    assert_eq!(handler["command"], "/opt/bin/toprope");
}

#[test]
fn a_message_of_the_persons_needs_no_repair() {
    let mut chosen = ours("/opt/bin/toprope");
    chosen["statusMessage"] = json!("roped");
    assert!(
        planned(&with_entries(
            "Stop",
            &json!([{"matcher": "*", "hooks": [chosen]}])
        ))
        .repaired
        .is_empty()
    );
}

#[test]
fn a_longer_watch_list_is_the_persons_to_choose_and_a_shorter_one_is_repaired() {
    let watching = |files: &str| {
        let entry = json!({"matcher": files, "hooks": [ours("/opt/bin/toprope")]});
        planned(&with_entries("FileChanged", &json!([entry]))).repaired
    };
    assert!(watching("mine.txt|toprope.toml|toprope.local.toml|CLAUDE.md|.env|.envrc").is_empty());
    assert_eq!(watching("CLAUDE.md"), ["FileChanged"]);
}

#[test]
fn whatever_would_weaken_an_entry_is_repaired() {
    let weakened = |key: &str, value: Value| {
        let mut handler = ours("/opt/bin/toprope");
        handler[key] = value;
        planned(&with_entries("Stop", &json!([{"hooks": [handler]}]))).repaired
    };
    assert_eq!(weakened("async", json!(true)), ["Stop"]);
    assert_eq!(weakened("if", json!("Bash(git *)")), ["Stop"]);
    assert_eq!(weakened("onFailure", json!("block")), ["Stop"]);
    assert_eq!(
        weakened("args", json!(["hook", "claude-code", "--old"])),
        ["Stop"]
    );
    let narrowed = json!([{"matcher": "Bash", "hooks": [ours("/opt/bin/toprope")]}]);
    assert_eq!(
        planned(&with_entries("PreToolUse", &narrowed)).repaired,
        ["PreToolUse"]
    );
}

#[test]
fn shell_form_becomes_exec_form_and_doubles_become_one() {
    let shell = json!({"type": "command", "command": "/opt/bin/toprope hook claude-code"});
    let text = with_entries(
        "Stop",
        &json!([{"hooks": [shell]}, {"hooks": [ours("/old/toprope")]}]),
    );
    assert_eq!(planned(&text).repaired, ["Stop"]);
    assert_eq!(
        after(&text, &options())["hooks"]["Stop"],
        json!([{"hooks": [ours("/opt/bin/toprope")]}])
    );
}

#[test]
fn an_old_entry_beside_a_foreign_one_moves_to_an_entry_of_its_own() {
    let mine = json!({"type": "command", "command": "mine"});
    let text = with_entries(
        "Stop",
        &json!([{"matcher": "x", "hooks": [ours("/old/toprope"), mine]}]),
    );
    let stop = &after(&text, &options())["hooks"]["Stop"];
    assert_eq!(
        stop,
        &json!([{"matcher": "x", "hooks": [mine]}, {"hooks": [ours("/opt/bin/toprope")]}])
    );
}

#[test]
fn entries_for_events_we_leave_out_are_taken_out() {
    let text = with_entries("WorktreeCreate", &json!([{"hooks": [ours("/opt/bin/toprope")]}]));
    let plan = planned(&text);
    assert_eq!(
        (plan.added.len(), plan.repaired),
        (30, vec!["WorktreeCreate".to_owned()])
    );
    assert!(after(&text, &options())["hooks"].get("WorktreeCreate").is_none());
}

#[test]
fn strict_and_back_again_is_where_it_started() {
    let standard = plan(None, &options()).unwrap();
    let strict_plan = plan(Some(&standard.bytes), &strict()).unwrap();
    assert_eq!(strict_plan.repaired, ["PreToolUse"]);
    assert!(strict_plan.added.is_empty());
    let entries: Value = serde_json::from_slice(&strict_plan.bytes).unwrap();
    let matchers: Vec<_> = entries["hooks"]["PreToolUse"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["matcher"])
        .collect();
    assert_eq!(
        matchers,
        ["Bash|Monitor|PowerShell", "^(?!(?:Bash|Monitor|PowerShell)$)"]
    );
    assert!(
        plan(Some(&strict_plan.bytes), &strict())
            .unwrap()
            .is_already_installed()
    );
    assert_eq!(
        plan(Some(&strict_plan.bytes), &options()).unwrap().bytes,
        standard.bytes
    );
}

#[test]
fn switched_off_hooks_are_noticed() {
    assert!(planned(r#"{"disableAllHooks": true}"#).hooks_are_disabled);
    assert!(!planned(r#"{"disableAllHooks": false}"#).hooks_are_disabled);
}

#[test]
fn every_repair_of_a_whole_file_settles_in_one_go() {
    let old = plan(None, &at("/old/toprope")).unwrap();
    let new = plan(Some(&old.bytes), &options()).unwrap();
    assert_eq!(
        (new.added.len(), new.repaired.len(), new.had_entries),
        (0, 30, true)
    );
    assert_eq!(new.bytes, plan(None, &options()).unwrap().bytes);
}
