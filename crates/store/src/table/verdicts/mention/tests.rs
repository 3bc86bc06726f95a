use super::*;
use crate::stage::{Stage, main_of};
use crate::verdicts::insert;
use engine::round::VerdictRecord;
use engine::verdict::VerdictKind;
use serde_json::json;

/// One call for each of these reasons, each denied with it.
fn denied(reasons: &[&str]) -> Stage {
    let mut stage = Stage::new();
    for (number, reason) in reasons.iter().enumerate() {
        let call = stage.calls(&main_of("7c1e"), "Bash", &format!("toolu_{number}"), json!({}));
        let record = VerdictRecord {
            policy: "lease",
            verdict: VerdictKind::Deny,
            reason: (*reason).to_owned(),
            applied: true,
            took_us: 1,
        };
        stage.write(|db| insert(db, call.seq, &record));
    }
    stage
}

fn reasons(found: Vec<(EventSeq, StoredVerdict)>) -> Vec<String> {
    found.into_iter().map(|(_, verdict)| verdict.reason).collect()
}

#[test]
fn what_names_a_text_is_found_newest_first() {
    let stage = denied(&["a.rs is held", "b.rs is held", "wait for a.rs", "100% a_rs"]);
    let project = ProjectId(1);
    let found = |text: &str, most| reasons(mentioning(&stage.read(), project, text, most).unwrap());
    assert_eq!(found("a.rs", 9), ["wait for a.rs", "a.rs is held"]);
    assert_eq!(found("a.rs", 1), ["wait for a.rs"]);
    assert_eq!(found("%", 9), ["100% a_rs"]);
    assert!(
        mentioning(&stage.read(), ProjectId(99), "a.rs", 9)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn only_the_newest_verdicts_are_looked_through() {
    let stage = denied(&["a.rs is held", "b.rs is held", "wait for a.rs"]);
    let project = ProjectId(1);
    let found = |newest| reasons(among(&stage.read(), project, "a.rs", 9, newest).unwrap());
    assert_eq!(found(2), ["wait for a.rs"]);
    assert_eq!(found(3), ["wait for a.rs", "a.rs is held"]);
}

#[test]
fn nothing_is_found_where_nothing_was_said() {
    let stage = denied(&[]);
    assert!(
        mentioning(&stage.read(), ProjectId(1), "a", 9)
            .unwrap()
            .is_empty()
    );
}
