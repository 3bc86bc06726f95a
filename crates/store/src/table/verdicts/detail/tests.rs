use super::*;
use crate::stage::{Stage, main_of};
use crate::verdicts::insert;
use engine::round::VerdictRecord;
use engine::verdict::VerdictKind;
use serde_json::json;

fn said(policy: &'static str) -> VerdictRecord {
    VerdictRecord {
        policy,
        verdict: VerdictKind::Deny,
        reason: "no".to_owned(),
        applied: true,
        took_us: 7,
    }
}

#[test]
fn a_verdict_is_explained_by_what_it_rested_on() {
    let mut stage = Stage::new();
    let sent = stage.calls(
        &main_of("7c1e"),
        "Bash",
        "toolu_1",
        json!({"command": "rm -rf x"}),
    );
    let checkpoint = CheckpointId::from_random([7; 6]);
    let detail = Detail {
        rule_id: Some("core.filesystem.rm".to_owned()),
        class: Some("recoverable".to_owned()),
        segment: Some("rm -rf x".to_owned()),
        coverage: Some("full".to_owned()),
        rewritten: None,
        strike_id: Some(3),
        approval_id: Some("g-aaaaaa".to_owned()),
        checkpoint_id: None,
        facts: Some(r#"{"paths":{}}"#.to_owned()),
        rules_hash: Some("4c1f".to_owned()),
    };
    stage.write(|db| {
        insert(db, sent.seq, &said("lease"))?;
        insert(db, sent.seq, &said("guard"))?;
        assert!(set_detail(db, sent.seq, "guard", &detail)?);
        assert!(!set_detail(db, sent.seq, "gates", &detail)?);
        set_checkpoint(db, sent.seq, "guard", &checkpoint)
    });
    let explained = explained(&stage.read(), sent.seq).unwrap();
    assert_eq!(explained[0].verdict.policy, "lease");
    assert_eq!(explained[0].detail, Detail::default());
    let guard = &explained[1];
    assert_eq!(guard.verdict.reason, "no");
    assert_eq!(
        guard.detail,
        Detail {
            checkpoint_id: Some(checkpoint),
            ..detail
        }
    );
}

#[test]
fn facts_are_kept_whole_or_not_at_all() {
    let mut stage = Stage::new();
    let sent = stage.calls(&main_of("7c1e"), "Bash", "toolu_1", json!({"command": "x"}));
    let kept = |stage: &mut Stage, length: usize| {
        let detail = Detail {
            facts: Some("x".repeat(length)),
            ..Detail::default()
        };
        stage.write(|db| {
            insert(db, sent.seq, &said("guard"))?;
            set_detail(db, sent.seq, "guard", &detail)
        });
        let last = explained(&stage.read(), sent.seq).unwrap().pop().unwrap();
        last.detail.facts.map(|facts| facts.len())
    };
    assert_eq!(kept(&mut stage, LONGEST_FACTS), Some(LONGEST_FACTS));
    assert_eq!(kept(&mut stage, LONGEST_FACTS + 1), None);
}

#[test]
fn what_was_sent_instead_of_a_call_is_found_by_the_call() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let calls = [
        ("sent", VerdictKind::Rewrite, true, Some("b")),
        ("asked", VerdictKind::Ask, true, Some("b")),
        ("only watched", VerdictKind::Rewrite, false, None),
        ("stopped", VerdictKind::Deny, true, None),
    ];
    for (id, verdict, applied, expected) in calls {
        let sent = stage.calls(&main, "Bash", id, json!({"command": "a"}));
        let record = VerdictRecord {
            verdict,
            applied,
            ..said("guard")
        };
        let detail = Detail {
            rewritten: Some("b".to_owned()),
            ..Detail::default()
        };
        stage.write(|db| {
            insert(db, sent.seq, &record)?;
            set_detail(db, sent.seq, "guard", &detail)
        });
        let db = stage.read();
        let actor = crate::table::actors::by_key(&db, &main.key).unwrap().unwrap();
        let found = rewritten(&db, actor.id, &ToolUseId::new(id)).unwrap();
        assert_eq!(found.as_deref(), expected, "{id}");
    }
}
