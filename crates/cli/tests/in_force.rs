//! What `status` and `doctor` say is what is in force: a guard that is off or has holes, and entries that were changed.

use serde_json::{Value, json};
use testkit::World;

const TOPROPE: &str = env!("CARGO_BIN_EXE_toprope");

/// A world in which `init` has written its entries into the settings of this user.
fn installed() -> World {
    let world = World::new(TOPROPE);
    world.toprope(&["init", "--scope", "user"]).ok();
    world
}

/// A line of `status`.
fn status(world: &World, name: &str) -> String {
    let status = world.toprope(&["status"]).ok();
    let lines = status.lines().filter(|line| line.starts_with(name));
    lines.collect::<Vec<_>>().join("\n")
}

/// The lines of `doctor` on one subject, and its exit code.
fn doctor(world: &World, name: &str) -> (String, Option<i32>) {
    let output = world.toprope(&["doctor", "--json"]);
    let examination = output.json().expect("an answer");
    let checks = examination
        .get("checks")
        .and_then(Value::as_array)
        .expect("checks");
    let line = |check: &Value| {
        let text = |key: &str| check[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} | {}", text("state"), text("text"), text("hint"))
    };
    let named = checks.iter().filter(|check| check["name"] == name);
    (named.map(line).collect::<Vec<_>>().join("\n"), output.code)
}

/// Changes the first entry of an event.
fn change(world: &World, event: &str, change: impl FnOnce(&mut Value)) {
    let path = world.home().join(".claude/settings.json");
    let text = fs_err::read_to_string(&path).expect("settings");
    let mut settings: Value = serde_json::from_str(&text).expect("settings");
    change(
        settings
            .pointer_mut(&format!("/hooks/{event}/0"))
            .expect("an entry"),
    );
    fs_err::write(&path, settings.to_string()).expect("settings");
}

#[test]
fn a_guard_that_is_off_or_has_holes_is_not_called_fine() {
    let world = installed();
    assert!(doctor(&world, "guard").0.starts_with("ok "));
    world.has_settings("enabled = false\n");
    insta::assert_snapshot!(doctor(&world, "guard").0, @"warn off: Toprope is switched off here, so nothing is judged or stopped | toprope config set enabled true");
    assert!(status(&world, "policies").contains("guard off"));
    world.has_settings("guard.mode = \"off\"\n");
    insta::assert_snapshot!(doctor(&world, "guard").0, @"warn off: nothing is stopped but what no setting allows | toprope config set guard.mode enforce");
    world.has_settings(
        "[guard.packs]\nexec = \"advise\"\n[guard.packs.core]\ngit = \"off\"\n\
         [guard.rules.\"core.filesystem.rm\"]\nmode = \"off\"\n",
    );
    let said = doctor(&world, "guard").0;
    assert!(
        said.starts_with("warn ")
            && said.ends_with(
                "not in force: core.git off, exec advise, core.filesystem.rm off | toprope guard packs"
            ),
        "{said}"
    );
    let said = status(&world, "policies");
    assert!(
        said.contains("guard enforce (core.git off, exec advise, core.filesystem.rm off)"),
        "{said}"
    );
}

#[test]
fn an_entry_that_runs_another_program_is_a_failure_and_status_says_so() {
    let world = installed();
    assert_eq!(status(&world, "hooks"), "");
    change(&world, "PreToolUse", |entry| {
        entry["hooks"][0]["command"] = json!("/bin/true");
    });
    let (said, code) = doctor(&world, "hooks");
    assert_eq!(code, Some(11), "{said}");
    insta::assert_snapshot!(said, @"fail ~/.claude/settings.json runs another program with our arguments, so Toprope is not asked: PreToolUse runs `/bin/true` | toprope doctor --fix");
    insta::assert_snapshot!(status(&world, "hooks"), @"hooks       ~/.claude/settings.json runs another program with our arguments, so Toprope is not asked: PreToolUse runs `/bin/true`: toprope doctor");
    change(&world, "PreToolUse", |entry| entry["hooks"] = json!([]));
    let (said, code) = doctor(&world, "hooks");
    assert_eq!(code, Some(11), "{said}");
    insta::assert_snapshot!(said, @"fail ~/.claude/settings.json: PreToolUse has no entry of ours, so nothing is stopped | toprope doctor --fix");
}

#[test]
fn status_names_an_entry_whose_matcher_or_timeout_was_changed() {
    for (key, value) in [("matcher", json!("Never")), ("timeout", json!(0.001))] {
        let world = installed();
        change(&world, "PreToolUse", |entry| match key {
            "matcher" => entry[key] = value.clone(),
            _ => entry["hooks"][0][key] = value.clone(),
        });
        let said = status(&world, "hooks");
        assert!(
            said.contains("was changed, so Toprope may be asked too late or not at all: PreToolUse")
                && said.ends_with(": toprope doctor"),
            "{key}: {said}"
        );
        world.toprope(&["doctor", "--fix"]);
        assert_eq!(status(&world, "hooks"), "", "{key}");
    }
}
