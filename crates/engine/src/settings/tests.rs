//! The registry agrees with the types, and loosening is what the specification says.

use super::*;
use std::collections::BTreeSet;

fn words(list: &[&str]) -> SettingValue {
    SettingValue::Words(list.iter().map(|word| (*word).to_owned()).collect())
}

fn word(text: &str) -> SettingValue {
    SettingValue::Word(text.to_owned())
}

fn key(name: &str) -> &'static SettingKey {
    SettingKey::named(name).unwrap()
}

#[test]
fn every_built_in_value_is_one_its_key_accepts() {
    for profile in Profile::ALL {
        for key in KEYS {
            let value = key.default(profile);
            assert!(key.kind.accepts(&value), "{} = {value}", key.name);
        }
    }
}

#[test]
fn every_field_of_the_settings_has_a_key() {
    fn leaves(at: &str, value: &serde_json::Value, found: &mut BTreeSet<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    let path = if at.is_empty() {
                        name.clone()
                    } else {
                        format!("{at}.{name}")
                    };
                    leaves(&path, value, found);
                }
            }
            _ => {
                found.insert(at.to_owned());
            }
        }
    }
    let mut fields = BTreeSet::new();
    leaves(
        "",
        &serde_json::to_value(Settings::default()).unwrap(),
        &mut fields,
    );
    let keys: BTreeSet<String> = KEYS.iter().map(|key| key.name.to_owned()).collect();
    assert_eq!(keys, fields);
}

#[test]
fn each_key_writes_the_field_it_is_named_after() {
    for key in KEYS {
        let new = match (key.kind, key.default(Profile::Standard)) {
            (ValueKind::Bool, SettingValue::Bool(value)) => SettingValue::Bool(!value),
            (ValueKind::Int { min, .. }, _) => SettingValue::Int(i64::from(min)),
            (ValueKind::Word(words), now) => word(words.iter().find(|other| word(other) != now).unwrap()),
            (ValueKind::Folder, _) => word("only"),
            (
                ValueKind::Words
                | ValueKind::Globs
                | ValueKind::Patterns
                | ValueKind::Commands
                | ValueKind::Folders,
                _,
            ) => words(&["only"]),
            (kind, value) => panic!("{}: {kind:?} holds {value}", key.name),
        };
        let mut settings = Settings::default();
        (key.slot)(&mut settings).fill(&new);
        let json = serde_json::to_value(&settings).unwrap();
        let pointer = format!("/{}", key.name.replace('.', "/"));
        assert_eq!(
            json.pointer(&pointer),
            Some(&serde_json::to_value(&new).unwrap()),
            "{}",
            key.name
        );
    }
}

#[test]
fn profiles_and_modes_have_the_names_they_are_stored_under() {
    for (profile, word) in Profile::ALL.iter().zip(Profile::WORDS) {
        assert_eq!(serde_json::to_value(profile).unwrap(), *word);
        assert_eq!(profile.word(), *word);
    }
    for (steps, word) in Steps::ALL.iter().zip(Steps::WORDS) {
        assert_eq!(serde_json::to_value(steps).unwrap(), *word);
        assert_eq!(steps.word(), *word);
    }
    for (strategy, word) in Strategy::ALL.iter().zip(Strategy::WORDS) {
        assert_eq!(serde_json::to_value(strategy).unwrap(), *word);
        assert_eq!(strategy.word(), *word);
    }
    for (mode, word) in Mode::ALL.iter().zip(Mode::WORDS) {
        assert_eq!(serde_json::to_value(mode).unwrap(), *word);
        assert_eq!(mode.word(), *word);
    }
}

#[test]
fn a_value_that_does_not_fit_leaves_the_field_alone() {
    let mut settings = Settings::default();
    (key("profile").slot)(&mut settings).fill(&SettingValue::Int(3));
    (key("profile").slot)(&mut settings).fill(&word("lenient"));
    (key("log.keep_days").slot)(&mut settings).fill(&SettingValue::Int(-1));
    assert_eq!(settings, Settings::default());
}

#[test]
fn switching_off_and_lowering_the_profile_loosen() {
    let (on, off) = (SettingValue::Bool(true), SettingValue::Bool(false));
    assert!(key("enabled").loosens(&on, &off));
    assert!(!key("enabled").loosens(&off, &on));
    let profile = key("profile");
    let order = Profile::WORDS;
    for (low, lower) in order.iter().enumerate() {
        for (high, higher) in order.iter().enumerate() {
            assert_eq!(profile.loosens(&word(higher), &word(lower)), low < high);
        }
    }
}

#[test]
fn removing_a_protected_branch_loosens_and_adding_one_does_not() {
    let branches = key("protected_branches");
    let below = words(&["main", "release/*"]);
    assert!(!branches.loosens(&below, &words(&["dev", "release/*", "main"])));
    assert!(branches.loosens(&below, &words(&["main", "dev"])));
    assert_eq!(
        branches.restrained(&below, &words(&["main", "dev"])),
        words(&["main", "release/*", "dev"]),
        "what the shorter list adds is still protected"
    );
}

#[test]
fn what_is_the_projects_to_choose_never_loosens() {
    let theirs = ["lease.", "stale_write.", "skills.", "structure."];
    let keys = KEYS.iter();
    for key in keys.filter(|key| theirs.iter().any(|section| key.name.starts_with(section))) {
        assert_eq!(key.restraint, Restraint::Free, "{}", key.name);
    }
    let leases = key("lease.mode");
    assert!(!leases.loosens(&word("enforce"), &word("off")));
}

#[test]
fn a_shared_value_is_not_a_projects_to_set() {
    let size = key("log.max_mib");
    assert!(size.loosens(&SettingValue::Int(512), &SettingValue::Int(1_024)));
    assert!(!size.loosens(&SettingValue::Int(512), &SettingValue::Int(512)));
}

#[test]
fn ranges_include_both_ends() {
    let kind = key("structure.max_chars").kind;
    assert!(kind.accepts(&SettingValue::Int(200)) && kind.accepts(&SettingValue::Int(8_000)));
    assert!(!kind.accepts(&SettingValue::Int(199)) && !kind.accepts(&SettingValue::Int(8_001)));
    assert!(!kind.accepts(&word("200")));
}

#[test]
fn list_entries_are_words() {
    for bad in ["", "two words", "line\nbreak", "a,b", &"x".repeat(251)] {
        assert!(!ValueKind::Words.accepts(&words(&[bad])), "{bad:?}");
    }
    assert!(ValueKind::Words.accepts(&words(&[])));
    assert!(ValueKind::Words.accepts(&words(&["release/*", "überarbeitung"])));
    let many: Vec<&str> = vec!["main"; 257];
    assert!(!ValueKind::Words.accepts(&words(&many)));
}

#[test]
fn text_of_a_variable_is_read_by_kind() {
    assert_eq!(ValueKind::Bool.read(" false "), Some(SettingValue::Bool(false)));
    assert_eq!(ValueKind::Bool.read("0"), None);
    assert_eq!(
        ValueKind::Int { min: 0, max: 9 }.read("1_000"),
        Some(SettingValue::Int(1_000))
    );
    assert_eq!(ValueKind::Int { min: 0, max: 9 }.read("ten"), None);
    assert_eq!(
        ValueKind::Words.read("main, release/*,"),
        Some(words(&["main", "release/*"]))
    );
    assert_eq!(ValueKind::Words.read(""), Some(words(&[])));
}

#[test]
fn a_value_is_shown_as_it_stands_in_a_file() {
    assert_eq!(words(&["a\"b\\c\u{1}"]).to_string(), r#"["a\"b\\c\u0001"]"#);
    assert_eq!(
        key("protected_branches").default(Profile::Standard).to_string(),
        r#"["main", "master", "trunk", "release/*"]"#
    );
    assert_eq!(SettingValue::Bool(true).to_string(), "true");
}

#[test]
fn what_is_expected_is_said_in_words() {
    assert_eq!(
        key("structure.mode").kind.expected(),
        "`off`, `advise` or `enforce`"
    );
    assert_eq!(
        key("log.keep_days").kind.expected(),
        "a whole number from 1 to 3650"
    );
}

#[test]
fn a_slip_of_the_finger_finds_the_key_that_was_meant() {
    let names = || KEYS.iter().map(|key| key.name);
    assert_eq!(
        nearest("structure.max_char", names()),
        Some("structure.max_chars")
    );
    assert_eq!(nearest("porfile", names()), Some("profile"));
    assert_eq!(nearest("Profile", names()), Some("profile"));
    assert_eq!(nearest("protected-branches", names()), Some("protected_branches"));
    assert_eq!(nearest("keep_days", names()), Some("log.keep_days"));
    assert_eq!(nearest("weather", names()), None);
    assert_eq!(nearest("", names()), None);
    assert_eq!(nearest(&"profile".repeat(5_000), names()), None);
}

#[test]
fn profiles_differ_in_one_key_of_checkpoints() {
    let name = "checkpoints.concurrent";
    let shown: Vec<String> = Profile::ALL
        .map(|profile| key(name).default(profile).to_string())
        .into();
    assert_eq!(shown, [r#""off""#, r#""advise""#, r#""enforce""#]);
    for other in KEYS
        .iter()
        .filter(|key| key.name.starts_with("checkpoints.") && key.name != name)
    {
        let [observe, standard, strict] = Profile::ALL.map(|profile| other.default(profile));
        assert!(observe == standard && standard == strict, "{}", other.name);
    }
}

#[test]
fn a_project_may_make_checkpoints_finer_and_keep_them_longer() {
    assert!(!key("checkpoints.steps").loosens(&word("off"), &word("batch")));
    assert!(key("checkpoints.steps").loosens(&word("batch"), &word("todo")));
    assert!(!key("checkpoints.keep_last").loosens(&SettingValue::Int(20), &SettingValue::Int(40)));
    assert!(key("checkpoints.retention_days").loosens(&SettingValue::Int(30), &SettingValue::Int(29)));
    assert!(key("checkpoints.enabled").loosens(&SettingValue::Bool(true), &SettingValue::Bool(false)));
    assert!(key("checkpoints.concurrent").loosens(&word("enforce"), &word("advise")));
}

#[test]
fn a_persons_caps_and_privacy_stand_in_both_directions() {
    let cap = key("checkpoints.max_file_mb");
    assert!(cap.loosens(&SettingValue::Int(50), &SettingValue::Int(49)));
    assert!(cap.loosens(&SettingValue::Int(50), &SettingValue::Int(51)));
    assert!(!cap.loosens(&SettingValue::Int(50), &SettingValue::Int(50)));
    let transcript = key("checkpoints.transcript");
    assert!(transcript.loosens(&SettingValue::Bool(false), &SettingValue::Bool(true)));
    assert!(key("checkpoints.exclude").loosens(&words(&[]), &words(&["*.log"])));
    assert!(key("checkpoints.strategy").loosens(&word("shadow"), &word("commit")));
}

#[test]
fn limits_of_checkpoints_have_the_ranges_of_their_units() {
    let range = |name: &str| match key(name).kind {
        ValueKind::Int { min, max } => (min, max),
        other => panic!("{other:?}"),
    };
    assert_eq!(range("checkpoints.max_store_mb"), (1, 10_240));
    assert_eq!(range("checkpoints.barrier_ms"), (0, 60_000));
    assert_eq!(range("checkpoints.commit.timeout_ms"), (0, 60_000));
    assert_eq!(range("checkpoints.keep_last"), (0, 1_000_000));
}

#[test]
fn a_glob_for_everything_is_no_exclusion() {
    for everything in [
        "*", "**", "**/*", "./**", "/", "**/**", "?*", "**/?*", " ", "", "a\u{1b}",
    ] {
        assert!(!ValueKind::Globs.accepts(&words(&[everything])), "{everything:?}");
    }
    for some in [
        "*.log",
        "target/**",
        "My Files/*",
        "{a,b}/*.bin",
        "*/**",
        "??*",
        "**/*.pem",
    ] {
        assert!(ValueKind::Globs.accepts(&words(&[some])), "{some:?}");
    }
    assert!(!ValueKind::Globs.accepts(&words(&["*.log", "**"])));
    assert!(ValueKind::Globs.accepts(&words(&[])));
}

#[test]
fn leases_are_off_where_nothing_is_sent_and_strict_where_everything_is_enforced() {
    use Mode::{Advise, Enforce, Off};
    let modes = |profile| {
        let settings = Settings::of(profile);
        let lease = settings.lease;
        let stale = settings.stale_write;
        assert_eq!(lease.mode, lease.bash);
        assert_eq!(lease.mode, lease.bulk_mode);
        (
            lease.mode,
            lease.forecast,
            stale.mode,
            stale.changes,
            stale.max_mib,
        )
    };
    assert_eq!(modes(Profile::Observe), (Off, Off, Off, Off, 8));
    assert_eq!(modes(Profile::Standard), (Enforce, Advise, Enforce, Advise, 8));
    assert_eq!(modes(Profile::Strict), (Enforce, Advise, Enforce, Enforce, 32));
}

#[test]
fn patterns_of_leased_files_may_match_everything_and_take_back() {
    let include = key("lease.include").kind;
    assert!(include.accepts(&words(&["**", "!docs/**", "**/*.{ts,tsx}"])));
    assert!(!include.accepts(&words(&["src/[a"])), "a bad glob");
    assert!(!include.accepts(&words(&[""])));
    let bulk = key("lease.bulk").kind;
    assert!(bulk.accepts(&words(&["make format"])));
    assert!(!bulk.accepts(&words(&[" "])) && !bulk.accepts(&words(&["a\nb"])));
}

#[test]
fn lease_words_have_the_names_they_are_stored_under() {
    for (until, word) in Until::ALL.iter().zip(Until::WORDS) {
        assert_eq!(serde_json::to_value(until).unwrap(), *word);
        assert_eq!(Until::named(until.word()), Some(*until));
    }
    for effect in ToolEffect::ALL {
        assert_eq!(serde_json::to_value(effect).unwrap(), effect.word());
        assert_eq!(ToolEffect::named(effect.word()), Some(effect));
    }
}
