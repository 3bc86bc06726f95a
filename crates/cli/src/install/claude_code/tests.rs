use super::*;
use std::collections::BTreeSet;

/// The harness that drives the real client knows every event it can fire.
const HARNESS: &str = include_str!("../../../../../tests/real-client/scenario.py");

fn program() -> HookProgram {
    HookProgram::at(Path::new("/opt/bin/toprope"), Path::new("/state")).unwrap()
}

fn blocks(more: &[&str]) -> BrokenHook {
    BrokenHook::BlocksShell(ShellTools::with(more.iter().copied()))
}

fn shown(event: &str, broken: &BrokenHook) -> String {
    let entries = entries(event, broken);
    let shown: Vec<_> = entries
        .iter()
        .map(|entry| entry.value(&program(), &[]).to_string())
        .collect();
    shown.join("\n")
}

#[test]
fn every_event_of_the_client_is_registered_but_three() {
    let listed = HARNESS
        .split_once("EVENTS = \"\"\"")
        .unwrap()
        .1
        .split_once("\"\"\"")
        .unwrap()
        .0;
    let mut all: BTreeSet<&str> = listed.split_whitespace().collect();
    assert_eq!(all.len(), 31);
    assert!(all.remove("MessageDisplay"));
    assert_eq!(all, BTreeSet::from(EVENTS));
    for left_out in ["MessageDisplay", "WorktreeCreate", "WorktreeRemove"] {
        assert!(entries(left_out, &BrokenHook::GoesOn).is_empty());
    }
}

#[test]
fn an_entry_starts_the_program_without_a_shell() {
    insta::assert_snapshot!(shown("PreToolUse", &BrokenHook::GoesOn), @r#"{"hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":60}]}"#);
    insta::assert_snapshot!(shown("SessionEnd", &BrokenHook::GoesOn), @r#"{"hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":10}]}"#);
    insta::assert_snapshot!(shown("UserPromptSubmit", &BrokenHook::GoesOn), @r#"{"hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":30}]}"#);
}

#[test]
fn file_changes_are_watched_for_the_files_that_steer_us() {
    insta::assert_snapshot!(shown("FileChanged", &BrokenHook::GoesOn), @r#"{"matcher":"toprope.toml|toprope.local.toml|CLAUDE.md|.env|.envrc","hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":60}]}"#);
}

#[test]
fn shell_commands_alone_are_blocked_when_the_hook_breaks() {
    insta::assert_snapshot!(shown("PreToolUse", &blocks(&[])), @r#"
    {"matcher":"Bash|Monitor|PowerShell","hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":60,"onFailure":"block"}]}
    {"matcher":"^(?!(?:Bash|Monitor|PowerShell)$)","hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":60}]}
    "#);
    for event in EVENTS.iter().filter(|event| **event != "PreToolUse") {
        assert_eq!(shown(event, &blocks(&[])), shown(event, &BrokenHook::GoesOn));
    }
}

#[test]
fn tools_that_run_shell_text_too_are_blocked_with_it() {
    insta::assert_snapshot!(shown("PreToolUse", &blocks(&["Bash", "Monitor", "mcp__box__run", "a.b", ""])), @r#"
    {"matcher":"Bash|Monitor|PowerShell|mcp__box__run","hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":60,"onFailure":"block"}]}
    {"matcher":"^(?!(?:Bash|Monitor|PowerShell|mcp__box__run)$)","hooks":[{"type":"command","command":"/opt/bin/toprope","args":["hook","claude-code","--home","/state"],"timeout":60}]}
    "#);
}

#[test]
fn a_committed_file_names_no_machines_path() {
    let program = HookProgram::by_name();
    assert_eq!(program.as_str(), "toprope");
    assert_eq!(program.arguments(), ["hook", "claude-code"]);
}

#[test]
fn a_program_the_settings_could_not_name_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let refused = |path: &[u8]| {
        let path = Path::new(std::ffi::OsStr::from_bytes(path));
        HookProgram::at(path, Path::new("/state"))
            .unwrap_err()
            .to_string()
    };
    let shown = [
        &b"bin/toprope"[..],
        b"/bin/toprope-0.1",
        b"/b\xffn/toprope",
        b"/${HOME}/toprope",
    ]
    .map(refused);
    insta::assert_snapshot!(shown.join("\n"), @"
    the program's path `bin/toprope` is not absolute
    the program's path `/bin/toprope-0.1` is not called `toprope`, so its entries could not be told from foreign ones
    the program's path `/b�n/toprope` is not UTF-8, so JSON cannot hold it
    the program's path `/${HOME}/toprope` contains `${`, which the client would replace
    ");
}
