use super::*;
use crate::claude_code::payload::PayloadFields;
use crate::claude_code::tool;
use serde_json::json;

fn report(tool_name: &str, input: &Value, response: &Value) -> Option<ChangedFiles> {
    let payload = json!({"tool_name": tool_name, "tool_input": input}).to_string();
    let mut payload =
        PayloadFields::parse(payload.as_bytes()).unwrap_or_else(|malformed| panic!("{malformed}"));
    files(&tool::call(&mut payload), response)
}

fn of_command(response: &Value) -> Option<ChangedFiles> {
    report("Bash", &json!({"command": "make"}), response)
}

fn changed(paths: &[&str], complete: bool) -> ChangedFiles {
    ChangedFiles {
        paths: paths.iter().map(PathBuf::from).collect(),
        complete,
    }
}

#[test]
fn every_changed_file_is_named_once() {
    let diff = json!({
        "files": [{"filePath": "/p/a", "hunks": [], "created": true}, {"filePath": "/p/c"}],
        "moreFiles": 0,
        "changedFiles": ["/p/a", "/p/b", "/p/a"],
    });
    assert_eq!(
        of_command(&json!({"stdout": "", "interrupted": false, "bashEditDiff": diff})),
        Some(changed(&["/p/a", "/p/b", "/p/c"], true))
    );
}

#[test]
fn a_client_that_does_not_say_gives_no_list() {
    assert_eq!(of_command(&json!({"stdout": "ok"})), None);
    assert_eq!(of_command(&json!("ok")), None);
    assert_eq!(of_command(&json!({"bashEditDiff": null})), None);
    assert_eq!(of_command(&json!({"bashEditDiff": ["/p/a"]})), None);
}

#[test]
fn only_shell_commands_are_asked() {
    let response = json!({"bashEditDiff": {"changedFiles": ["/p/a"]}});
    assert_eq!(report("mcp__x__y", &json!({}), &response), None);
    assert_eq!(report("Write", &json!({"file_path": "b"}), &response), None);
}

#[test]
fn files_that_were_left_out_make_the_list_incomplete() {
    for more in [json!(3), json!("3"), json!(-1)] {
        let response = json!({"bashEditDiff": {"changedFiles": ["/p/a"], "moreFiles": more}});
        assert_eq!(of_command(&response), Some(changed(&["/p/a"], false)));
    }
}

#[test]
fn a_command_that_goes_on_or_was_cut_short_is_never_complete() {
    for word in ["unavailable", "shared", "skipped", "another"] {
        let response = json!({"bashEditDiff": {"files": [], "moreFiles": 0, word: true}});
        assert!(!of_command(&response).unwrap().complete, "{word}");
    }
    let diff = json!({"changedFiles": ["/p/a"], "moreFiles": 0});
    let background = json!({"command": "make", "run_in_background": true});
    assert_eq!(
        report("Bash", &background, &json!({"bashEditDiff": diff})),
        Some(changed(&["/p/a"], false))
    );
    assert_eq!(
        of_command(&json!({"bashEditDiff": diff, "backgroundTaskId": "b1"})),
        Some(changed(&["/p/a"], false))
    );
    assert_eq!(
        of_command(&json!({"bashEditDiff": diff, "interrupted": true})),
        Some(changed(&["/p/a"], false))
    );
}

#[test]
fn what_is_no_path_is_passed_over_and_told() {
    let odd = json!({"changedFiles": ["/p/a", 7, "", {"x": []}], "files": "none"});
    assert_eq!(
        of_command(&json!({"bashEditDiff": odd})),
        Some(changed(&["/p/a"], false))
    );
    assert_eq!(
        of_command(&json!({"bashEditDiff": {"changedFiles": {}, "files": [{"filePath": "/p/b"}, null]}})),
        Some(changed(&["/p/b"], false))
    );
}

#[test]
fn a_flood_of_paths_is_cut() {
    let flood: Vec<String> = (0..MOST_PATHS + 5).map(|number| format!("/p/{number}")).collect();
    let list = of_command(&json!({"bashEditDiff": {"changedFiles": flood}})).unwrap();
    assert_eq!(list.paths.len(), MOST_PATHS);
    assert!(!list.complete);
}
