use super::*;
use crate::stage::{Stage, main_of};
use crate::verdicts::{Detail, insert, set_detail};
use engine::round::VerdictRecord;
use engine::verdict::VerdictKind;
use serde_json::json;

fn shells() -> ReplayFilter {
    ReplayFilter {
        event: "PreToolUse".to_owned(),
        tools: vec!["Bash".to_owned()],
        policy: "guard".to_owned(),
        ..ReplayFilter::default()
    }
}

fn seen(stage: &Stage, filter: &ReplayFilter) -> Vec<String> {
    let mut seen = Vec::new();
    each(&stage.read(), filter, |call| {
        let rule = call.verdict.and_then(|verdict| verdict.detail.rule_id);
        let payload = call.payload.and_then(|payload| payload.bytes().ok());
        assert_eq!(payload.as_deref(), Some(&b"{\"a\":1}"[..]));
        seen.push(format!(
            "{} {} {}",
            call.session,
            call.event,
            rule.as_deref().unwrap_or("-")
        ));
        ControlFlow::Continue(())
    })
    .unwrap();
    seen
}

#[test]
fn a_replay_meets_every_call_of_a_shell_with_what_was_said_of_it() {
    let mut stage = Stage::new();
    let (one, other) = (main_of("7c1e"), main_of("ab31"));
    let first = stage.calls(&one, "Bash", "toolu_1", json!({"command": "rm -rf x"}));
    stage.calls(&one, "Write", "toolu_2", json!({}));
    stage.returns(&one, "toolu_1");
    stage.pass(1_000);
    let since = stage.now();
    let second = stage.calls(
        &other.agent("a1", "x"),
        "Bash",
        "toolu_3",
        json!({"command": "ls"}),
    );
    let record = VerdictRecord {
        policy: "guard",
        verdict: VerdictKind::Deny,
        reason: "held".to_owned(),
        applied: true,
        took_us: 1,
    };
    let detail = Detail {
        rule_id: Some("core.filesystem.rm".to_owned()),
        ..Detail::default()
    };
    stage.write(|db| {
        insert(db, first.seq, &record)?;
        set_detail(db, first.seq, "guard", &detail)
    });
    let held = format!("7c1e {} core.filesystem.rm", first.seq);
    let silent = format!("ab31 {} -", second.seq);
    assert_eq!(seen(&stage, &shells()), [held.clone(), silent.clone()]);
    let late = ReplayFilter {
        since: Some(since),
        ..shells()
    };
    assert_eq!(seen(&stage, &late), [silent]);
    let of_session = ReplayFilter {
        session: Some("7c".to_owned()),
        ..shells()
    };
    assert_eq!(seen(&stage, &of_session), [held]);
    let elsewhere = ReplayFilter {
        project: Some(ProjectId(99)),
        ..shells()
    };
    assert!(seen(&stage, &elsewhere).is_empty());
}

#[test]
fn a_replay_stops_where_it_is_told_to() {
    let mut stage = Stage::new();
    for number in 0..5 {
        stage.calls(&main_of("7c1e"), "Bash", &format!("toolu_{number}"), json!({}));
    }
    let mut met = 0;
    each(&stage.read(), &shells(), |_| {
        met += 1;
        if met == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    assert_eq!(met, 2);
}
