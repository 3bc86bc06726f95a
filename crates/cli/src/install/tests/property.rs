use super::super::json::JsonDocument;
use super::super::plan::plan;
use super::super::strip::strip;
use super::{Place, options};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any value, with keys and strings that tempt a careless reader.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        r#"[a-z"\\{}\[\],:/ é😀\n]{0,8}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(r#"[a-z"\\{ é]{0,5}"#, inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Settings of a person, perhaps with hooks of their own.
fn settings() -> impl Strategy<Value = Value> {
    let hook = "[a-z ]{1,8}".prop_map(|command| json!({"type": "command", "command": command}));
    let group = prop_oneof![
        prop::collection::vec(hook, 0..3).prop_map(|hooks| json!({"hooks": hooks})),
        value().prop_filter("an entry", Value::is_object),
    ];
    let event = prop::sample::select(vec![
        "PreToolUse",
        "Stop",
        "FileChanged",
        "MessageDisplay",
        "Unheard",
    ]);
    let groups = prop::collection::vec(group, 0..3).prop_map(Value::from);
    let hooks = prop::collection::btree_map(event, groups, 0..4);
    let root = prop::collection::btree_map("[a-z]{1,4}", value(), 0..4);
    (root, prop::option::of(hooks), any::<bool>()).prop_map(|(root, hooks, is_first)| {
        let hooks = hooks.map(|hooks| {
            let hooks: Map<String, Value> = hooks
                .into_iter()
                .map(|(event, groups)| (event.to_owned(), groups))
                .collect();
            ("hooks".to_owned(), Value::Object(hooks))
        });
        let (first, last) = if is_first { (hooks, None) } else { (None, hooks) };
        Value::Object(first.into_iter().chain(root).chain(last).collect())
    })
}

/// Writes a value with whatever blanks come next.
fn written(value: &Value, blanks: &mut impl Iterator<Item = String>) -> String {
    let mut blank = || blanks.next().unwrap_or_default();
    match value {
        Value::Array(elements) if elements.is_empty() => format!("[{}]", blank()),
        Value::Object(members) if members.is_empty() => format!("{{{}}}", blank()),
        Value::Array(elements) => {
            let children = elements.iter().map(|element| {
                let before = blanks.next().unwrap_or_default();
                let element = written(element, blanks);
                format!("{before}{element}{}", blanks.next().unwrap_or_default())
            });
            format!("[{}]", children.collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let children = members.iter().map(|(key, value)| {
                let [before, middle] = [(); 2].map(|()| blanks.next().unwrap_or_default());
                let value = written(value, blanks);
                format!(
                    "{before}{}:{middle}{value}{}",
                    json!(key),
                    blanks.next().unwrap_or_default()
                )
            });
            format!("{{{}}}", children.collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// Writes a value over lines, with this step of indentation.
fn indented(value: &Value, step: &str) -> String {
    let shifted = |line: &str| {
        let text = line.trim_start_matches(' ');
        step.repeat((line.len() - text.len()) / 2) + text
    };
    format!("{value:#}")
        .split('\n')
        .map(shifted)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Settings as text, laid out in one of the usual ways or at random.
fn text() -> impl Strategy<Value = (Value, String)> {
    let blanks = prop::collection::vec("[ \t\n]{0,3}|\r\n {2}", 1..24);
    (settings(), blanks, 0..5_u8, any::<bool>()).prop_map(|(value, blanks, layout, has_mark)| {
        let text = match layout {
            0 => value.to_string(),
            1 => indented(&value, "  ") + "\n",
            2 => indented(&value, "    ").replace('\n', "\r\n"),
            3 => indented(&value, "\t"),
            _ => written(&value, &mut blanks.into_iter().cycle()),
        };
        let mark = if has_mark { "\u{feff}" } else { "" };
        (value, format!("{mark}{text}"))
    })
}

/// The value without our entries, and without what is empty once they are gone.
fn without_ours(mut value: Value, original: &Value) -> Value {
    let known = |event: &str| {
        original
            .pointer("/hooks")
            .and_then(|hooks| hooks.get(event))
            .is_some()
    };
    let hooks = value["hooks"].as_object_mut().unwrap();
    for groups in hooks.values_mut() {
        groups
            .as_array_mut()
            .unwrap()
            .retain(|group| group["hooks"][0]["command"] != "/opt/bin/toprope");
    }
    hooks.retain(|event, groups| known(event) || groups != &json!([]));
    if hooks.is_empty() && original.get("hooks").is_none() {
        value.as_object_mut().unwrap().remove("hooks");
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_settings_come_back_byte_for_byte((_, before) in text()) {
        let place = Place::with(before.as_bytes());
        place.init(&options()).unwrap();
        place.outcome();
        prop_assert_eq!(place.text(), before);
    }

    #[test]
    fn any_settings_keep_their_values_and_gain_ours((value, before) in text()) {
        let plan = plan(Some(before.as_bytes()), &options()).unwrap();
        let after = String::from_utf8(plan.bytes).unwrap();
        let after: Value = serde_json::from_str(after.trim_start_matches('\u{feff}')).unwrap();
        prop_assert_eq!(plan.added.len(), 30);
        prop_assert_eq!(without_ours(after, &value), value);
    }

    #[test]
    fn a_plan_over_a_plan_changes_nothing((_, before) in text()) {
        let once = plan(Some(before.as_bytes()), &options()).unwrap();
        let twice = plan(Some(&once.bytes), &options()).unwrap();
        prop_assert!(twice.is_already_installed());
        prop_assert_eq!(once.bytes, twice.bytes);
    }

    #[test]
    fn cutting_our_entries_out_restores_every_byte_and_blindly_every_value((value, before) in text()) {
        let plan = plan(Some(before.as_bytes()), &options()).unwrap();
        let original = JsonDocument::parse(before.clone()).unwrap();
        let cut = strip(&JsonDocument::from_bytes(&plan.bytes).unwrap(), Some(&original)).unwrap();
        prop_assert_eq!(cut.document.text(), &before);
        let blind = strip(&JsonDocument::from_bytes(&plan.bytes).unwrap(), None).unwrap();
        let left: Value = serde_json::from_str(blind.document.text().trim_start_matches('\u{feff}')).unwrap();
        for (key, kept) in value.as_object().unwrap().iter().filter(|(key, _)| *key != "hooks") {
            prop_assert_eq!(left.get(key), Some(kept));
        }
    }
}
