//! What a decision about one file costs, however many others there are: rows met, not time.

use crate::db::Spent;
use crate::leases::{self, LeaseFilter, Reservation, Taking};
use crate::life::{self, ExpiryScope};
use crate::seen::{self, KnowledgeSource, Look};
use crate::stage::{Stage, Who, main_of};
use crate::{notices, tickets};
use engine::effect::{Audience, Owed};
use engine::id::EventSeq;
use engine::lease::{ContentIdentity, Means};
use engine::time::Timestamp;

/// So many leases, tickets and things seen of another agent in the same worktree.
fn crowded(stage: &mut Stage, who: &Who, count: usize) {
    let sent = stage.prompts(who, "go");
    let (taking, key, at) = (
        Taking {
            call: None,
            ..stage.taking(&sent)
        },
        stage.file(""),
        stage.moment(),
    );
    stage.write(|db| {
        for number in 0..count {
            let key = engine::lease::FileKey {
                path: format!("many/{number}.rs"),
                ..key.clone()
            };
            leases::take(db, &taking, &key)?;
            seen::note(
                db,
                &Look {
                    actor: sent.actor.id,
                    key: &key,
                    content: &ContentIdentity::Nothing,
                    stamp: None,
                    way: KnowledgeSource::Wrote {
                        by: Means::Tool,
                        whole: true,
                    },
                    event: sent.seq,
                    at,
                },
            )?;
        }
        Ok(())
    });
}

/// Everything a write of one file asks and does: facts, lease, ticket, end.
fn cost(stage: &mut Stage, round: usize) -> Spent {
    let (main, other) = (main_of("7c1e"), main_of("5555"));
    stage.prompts(&other, "go");
    stage.read().spent();
    let id = format!("toolu_{round}");
    let sent = stage.calls(&main, "Edit", &id, serde_json::json!({}));
    let (key, taking, now) = (stage.file("one.rs"), stage.taking(&sent), stage.hour());
    stage.write(|db| {
        life::settle(db, ExpiryScope::File(&key), &now)?;
        leases::held(db, &key)?;
        leases::everything(db, key.worktree)?;
        leases::reservations_over(db, &key)?;
        leases::elsewhere(db, sent.project, &key, 3)?;
        leases::newest_ended(db, &key)?;
        tickets::waiting(db, &key)?;
        tickets::live_of(db, sent.actor.id)?;
        seen::of(db, sent.actor.id, &key)?;
        seen::last_change(db, &key)?;
        life::waits(db, sent.actor.id)?;
        leases::take(db, &taking, &key)?;
        seen::note(
            db,
            &Look {
                actor: sent.actor.id,
                key: &key,
                content: &ContentIdentity::Nothing,
                stamp: None,
                way: KnowledgeSource::Wrote {
                    by: Means::Tool,
                    whole: true,
                },
                event: EventSeq(1),
                at: now.moment,
            },
        )
    });
    stage.waits(&other, "one.rs");
    stage.returns(&main, &id);
    stage.stops(&main);
    stage.stops(&other);
    stage.read().spent()
}

#[test]
fn a_decision_costs_the_same_among_ten_thousand_leases() {
    let spent = |count: usize| {
        let mut stage = Stage::new();
        crowded(&mut stage, &main_of("9999"), count);
        for warm in 0..5 {
            cost(&mut stage, warm);
        }
        cost(&mut stage, 9)
    };
    let (few, many) = (spent(10), spent(10_000));
    assert_eq!((few.scanned, many.scanned), (0, 0), "no table is looked through");
    assert_eq!(few.statements, many.statements);
    assert!(many.steps <= few.steps + few.steps / 20, "{few:?} {many:?}");
}

#[test]
fn reservations_cost_only_where_they_are() {
    let spent = |here: u64, elsewhere: u64| {
        let mut stage = Stage::new();
        let owner = main_of("9999").in_worktree("/linked");
        let sent = stage.prompts(&owner, "go");
        stage.prompts(&main_of("7c1e"), "go");
        let (near, at) = (stage.worktree("/repo"), stage.moment());
        for (worktree, count) in [(near, here), (sent.worktree, elsewhere)] {
            let patterns: Vec<String> = (0..count).map(|number| format!("dir{number}/**")).collect();
            let wanted = Reservation {
                actor: sent.actor.id,
                project: Some(sent.project),
                worktree,
                patterns: &patterns,
                for_ms: 3_600_000,
                reason: None,
                at,
            };
            stage.write(|db| leases::reserve(db, &wanted));
        }
        for warm in 0..5 {
            cost(&mut stage, warm);
        }
        cost(&mut stage, 9)
    };
    let (none, far, half, all) = (spent(0, 0), spent(0, 200), spent(100, 0), spent(200, 0));
    assert_eq!(far.scanned, 0);
    assert_eq!(all.statements, none.statements, "none is looked at on its own");
    assert!(far.steps <= none.steps + none.steps / 20, "{none:?} {far:?}");
    let (first, second) = (half.steps - none.steps, all.steps - half.steps);
    assert!(second <= first + first / 10, "linear: {none:?} {half:?} {all:?}");
}

#[test]
fn the_newest_ends_are_listed_without_a_look_at_the_others() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("9999"), main_of("7c1e"));
    crowded(&mut stage, &main, 2000);
    stage.stops(&main);
    stage.writes(&other, "toolu_1", "one.rs");
    stage.read().spent();
    let filter = LeaseFilter {
        ended: true,
        most: 200,
        ..LeaseFilter::default()
    };
    assert_eq!(leases::list(&stage.read(), &filter).unwrap().len(), 200);
    let spent = stage.read().spent();
    assert!(spent.steps < 200 * 60, "{spent:?}");
    assert_eq!(spent.scanned, 0);
    let even = |lease: &leases::Lease| lease.id.0 % 2 == 0;
    let fitting = leases::list_fitting(&stage.read(), &filter, even).unwrap();
    assert_eq!(fitting.len(), 200, "what does not fit takes nobody's place");
    let spent = stage.read().spent();
    assert!(spent.steps < 400 * 60, "{spent:?}");
    let live = leases::list(&stage.read(), &LeaseFilter::default()).unwrap();
    assert_eq!(live.len(), 1);
    assert_eq!(live[0].means, Means::Tool);
    let (worktree, now) = (stage.worktree("/repo"), stage.hour());
    stage.write(|db| {
        life::settle(db, ExpiryScope::All, &now)?;
        life::settle(db, ExpiryScope::Worktree(worktree), &now)
    });
    let spent = stage.read().spent();
    assert!(spent.steps < 2000, "{spent:?}");
}

#[test]
fn a_worktree_is_settled_holder_by_holder() {
    let mut stage = Stage::new();
    let (busy, silent) = (main_of("9999"), main_of("7c1e"));
    stage.writes(&silent, "toolu_1", "one.rs");
    stage.writes(&silent, "toolu_2", "two.rs");
    stage.pass(601_000);
    crowded(&mut stage, &busy, 3000);
    let (worktree, now) = (stage.worktree("/repo"), stage.hour());
    stage.read().spent();
    stage.write(|db| life::settle(db, ExpiryScope::Worktree(worktree), &now));
    let spent = stage.read().spent();
    assert!(spent.statements < 40, "{spent:?}");
    assert_eq!(stage.over(), ["one.rs main@7c1e idle", "two.rs main@7c1e idle"]);
}

#[test]
fn what_is_at_work_and_what_was_told_is_found_without_a_look_at_what_is_over() {
    let mut stage = Stage::new();
    let (past, now) = (main_of("9999"), main_of("7c1e"));
    crowded(&mut stage, &past, 1000);
    stage.stops(&past);
    let (told, actor) = (stage.prompts(&past, "again"), stage.actor(&past).id);
    stage.write(|db| {
        for number in 0..1000 {
            let key = format!("{number}.rs");
            notices::told(db, actor, "lease.forecast", &key, told.seq, Timestamp(1))?;
        }
        Ok(())
    });
    stage.edits(&now, "toolu_1", "one.rs");
    let owed = Owed {
        audience: Audience::Actor,
        kind: "lease.forecast".to_owned(),
        key: "7.rs".to_owned(),
        text: String::new(),
    };
    stage.read().spent();
    let db = stage.read();
    assert_eq!(leases::at_work_in_session(&db, &now.key).unwrap().len(), 1);
    assert_eq!(leases::at_work_in_session(&db, &past.key).unwrap().len(), 0);
    assert_eq!(leases::at_work_in_process(&db, &now.client).unwrap().len(), 1);
    assert!(notices::was_told(&db, actor, "lease.forecast", "7.rs").unwrap());
    assert!(notices::was_owed(&db, &owed).unwrap());
    let spent = db.spent();
    assert_eq!(spent.scanned, 0);
    assert!(spent.steps < 300, "{spent:?}");
}
