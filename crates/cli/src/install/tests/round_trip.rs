use super::super::claude_code::EVENTS;
use super::super::json::JsonDocument;
use super::super::plan::{is_blank, plan};
use super::super::strip::strip;
use super::{Place, RemoveOutcome, at, options};
use serde_json::{Value, json};

/// Settings as people have them, each with something an edit could spoil.
fn settings() -> Vec<(&'static str, String)> {
    let foreign = foreign_in_every_event();
    let pretty = format!("{foreign:#}\n");
    let nested = format!(r#"{{"deep": {}1{}}}"#, "{\"a\": [".repeat(80), "]}".repeat(80));
    vec![
        ("nothing", String::new()),
        ("blanks", " \n\t\n".to_owned()),
        ("crlf blanks", "\r\n".to_owned()),
        ("only a byte order mark", "\u{feff}".to_owned()),
        ("an empty object", "{}".to_owned()),
        ("an empty object over lines", "{\n}\n".to_owned()),
        ("an empty object with a blank", "{ }".to_owned()),
        (
            "two spaces",
            "{\n  \"model\": \"opus\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n".to_owned(),
        ),
        ("four spaces", pretty.replace("  ", "    ")),
        ("tabs", pretty.replace("  ", "\t")),
        ("crlf", pretty.replace('\n', "\r\n")),
        ("no newline at the end", pretty.trim_end().to_owned()),
        ("one line", foreign.to_string()),
        (
            "one spaced line",
            r#"{ "a": 1, "hooks": { "Stop": [ ] } }"#.to_owned(),
        ),
        ("byte order mark", format!("\u{feff}{pretty}")),
        (
            "escapes",
            "{\n  \"\\u0068ooks\": {\"St\\u006fp\": [ ]},\n  \"x\": \"\\u00e9\\/\\ud800 é 1e5\"\n}"
                .to_owned(),
        ),
        (
            "keys out of order, odd numbers",
            "{\"z\": 1.50e+3, \"hooks\": {}, \"a\": -0,\n\"m\": 12345678901234567890123}".to_owned(),
        ),
        ("foreign hooks in every event", pretty.clone()),
        ("deeply nested", nested),
        (
            "blank lines and odd indentation",
            "\n\n{\n\n      \"hooks\":\n {\n  \"Stop\": [\n{}  ]  } \n\n , \"a\":[] }\n\n\n".to_owned(),
        ),
    ]
}

fn foreign_in_every_event() -> Value {
    let entry = |event: &&str| {
        let hook = json!({"type": "command", "command": format!("mine --on {event}")});
        ((*event).to_owned(), json!([{"matcher": "*", "hooks": [hook]}]))
    };
    let hooks: serde_json::Map<String, Value> = EVENTS.iter().chain(&["WorktreeCreate"]).map(entry).collect();
    json!({"permissions": {"allow": ["Bash(ls:*)"]}, "hooks": hooks, "model": "opus"})
}

#[test]
fn uninstall_restores_every_byte() {
    for (name, before) in settings() {
        let place = Place::with(before.as_bytes());
        let installed = place.init(&options()).unwrap();
        assert_eq!(installed.plan.added.len(), 30, "{name}");
        assert_ne!(place.text(), before, "{name}");
        assert_eq!(place.outcome(), RemoveOutcome::Restored, "{name}");
        assert_eq!(place.text(), before, "{name}");
    }
}

#[test]
fn cutting_our_entries_out_again_gives_the_bytes_that_were_there() {
    for (name, before) in settings().into_iter().filter(|(_, text)| !is_blank(text)) {
        let after = plan(Some(before.as_bytes()), &options()).unwrap().bytes;
        let original = JsonDocument::parse(before.clone()).unwrap();
        let cut = strip(&JsonDocument::from_bytes(&after).unwrap(), Some(&original)).unwrap();
        assert_eq!(cut.document.text(), before, "{name}");
        assert_eq!(cut.events.len(), 30, "{name}");
    }
}

#[test]
fn init_twice_is_init_once() {
    for (name, before) in settings() {
        let place = Place::with(before.as_bytes());
        place.init(&options()).unwrap();
        let once = place.text();
        let second = place.init(&options()).unwrap();
        assert!(second.plan.is_already_installed(), "{name}");
        assert_eq!(place.text(), once, "{name}");
        assert_eq!(place.outcome(), RemoveOutcome::Restored, "{name}");
        assert_eq!(place.text(), before, "{name}");
    }
}

#[test]
fn without_a_file_one_is_made_and_taken_away_with_its_folder() {
    let place = Place::new();
    assert_eq!(place.init(&options()).unwrap().plan.added.len(), 30);
    assert_eq!(place.listing(), [".claude", ".claude/settings.local.json"]);
    let removed = place.remove();
    assert_eq!(
        removed.visits.first().unwrap().outcome.as_ref().unwrap(),
        &RemoveOutcome::Deleted
    );
    assert_eq!(removed.folders, [place.project().join(".claude")]);
    assert!(place.listing().is_empty());
}

#[test]
fn a_program_that_moved_is_repaired_and_uninstall_still_restores() {
    for (name, before) in settings() {
        let place = Place::with(before.as_bytes());
        place.init(&options()).unwrap();
        let repaired = place.init(&at("/home/ada/.cargo/bin/toprope")).unwrap();
        assert_eq!(
            (repaired.plan.added.len(), repaired.plan.repaired.len()),
            (0, 30),
            "{name}"
        );
        assert!(!place.text().contains("/opt/bin/toprope"), "{name}");
        assert_eq!(place.outcome(), RemoveOutcome::Restored, "{name}");
        assert_eq!(place.text(), before, "{name}");
    }
}

#[test]
fn what_the_person_changed_since_stays() {
    for (name, before) in settings()
        .into_iter()
        .filter(|(name, _)| name.starts_with("foreign"))
    {
        let place = Place::with(before.as_bytes());
        place.init(&options()).unwrap();
        fs_err::write(place.settings(), place.text().replace("opus", "haiku")).unwrap();
        assert!(
            matches!(place.outcome(), RemoveOutcome::EntriesRemoved { events } if events.len() == 30),
            "{name}"
        );
        assert_eq!(place.text(), before.replace("opus", "haiku"), "{name}");
    }
}

#[test]
fn a_repair_over_the_persons_edit_does_not_undo_the_edit() {
    let place = Place::with(b"{\n  \"model\": \"opus\"\n}\n");
    place.init(&options()).unwrap();
    fs_err::write(place.settings(), place.text().replace("opus", "haiku")).unwrap();
    place.init(&at("/elsewhere/toprope")).unwrap();
    place.outcome();
    assert_eq!(place.text(), "{\n  \"model\": \"haiku\"\n}\n");
}

#[test]
fn a_file_the_client_wrote_anew_loses_exactly_our_entries() {
    let place = Place::new();
    place.init(&options()).unwrap();
    let mut settings: Value = serde_json::from_str(&place.text()).unwrap();
    settings["permissions"] = json!({"allow": ["Bash(ls:*)"]});
    fs_err::write(place.settings(), format!("{settings:#}")).unwrap();
    assert!(matches!(place.outcome(), RemoveOutcome::EntriesRemoved { .. }));
    let left = "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}";
    assert_eq!(place.text(), left);
}
