//! A person's yes counts for one command in one folder of one session, as often as was said, and no longer.

use super::*;
use crate::stage::{Stage, WAIT, main_of};
use crate::{Store, events};
use engine::id::ToolUseId;
use proptest::prelude::*;
use std::sync::{Arc, Barrier};

const MINUTE: u64 = 60_000;

struct Scene {
    stage: Stage,
    project: ProjectId,
    event: EventSeq,
    made: u32,
}

fn session(name: &str) -> ClientSessionId {
    ClientSessionId::new(name)
}

impl Scene {
    fn new() -> Self {
        let mut stage = Stage::new();
        let sent = stage.prompts(&main_of("7c1e"), "go");
        Self {
            stage,
            project: sent.project,
            event: sent.seq,
            made: 0,
        }
    }

    fn parks(&mut self, who: &str, command: &str, cwd: &str, rule: &str) -> ApprovalId {
        self.made += 1;
        let (id, who) = (ApprovalId::from_random(self.made), session(who));
        let request = Request {
            id: &id,
            subject: ApprovalSubject {
                session: &who,
                command: &Fingerprint::of(command.as_bytes()),
                cwd: Path::new(cwd),
            },
            project: Some(self.project),
            agent: None,
            rule_id: rule,
            shown: command,
            event: self.event,
            at: self.stage.now(),
        };
        self.stage.write(|db| park(db, &request))
    }

    fn grants(&mut self, id: &ApprovalId, minutes: u64, times: u64) -> AnswerEffect {
        let yes = Grant {
            ttl_ms: minutes * MINUTE,
            times,
            via: Via::Terminal,
            at: self.stage.now(),
        };
        self.stage.write(|db| grant(db, id, &yes))
    }

    fn live(&self, who: &str, command: &str, cwd: &str) -> Option<ApprovalId> {
        let subject = ApprovalSubject {
            session: &session(who),
            command: &Fingerprint::of(command.as_bytes()),
            cwd: Path::new(cwd),
        };
        let found = live(&self.stage.read(), &subject, self.stage.now()).unwrap();
        found.map(|approval| approval.id)
    }

    fn spends(&mut self, id: &ApprovalId, call: &str) -> bool {
        let (call, event, at) = (ToolUseId::new(call), self.event, self.stage.now());
        let used = Use {
            approval: id,
            call: &call,
            event,
            at,
        };
        self.stage.write(|db| spend(db, &used))
    }

    fn state(&self, id: &ApprovalId) -> RequestState {
        by_id(&self.stage.read(), id).unwrap().unwrap().state
    }
}

#[test]
fn an_id_is_short_and_nothing_else_is_one() {
    assert_eq!(ApprovalId::from_random(0).as_str(), "g-aaaaaa");
    assert_eq!(ApprovalId::from_random(u32::MAX).as_str(), "g-777777");
    let id = ApprovalId::from_random(0x2a5f_1c3b);
    assert_eq!(ApprovalId::parse(id.as_str()).as_ref(), Some(&id));
    assert_eq!(
        ApprovalId::parse(&id.as_str().to_uppercase()).as_ref(),
        Some(&id),
        "as a person may type it"
    );
    for wrong in [
        "",
        "g-",
        "g-aaaaa",
        "g-aaaaaaa",
        "g-aaaaa1",
        "p-aaaaaa",
        "g-aaaaaé",
    ] {
        assert_eq!(ApprovalId::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn the_same_request_asked_again_keeps_its_id_and_another_rule_asks_anew() {
    let mut scene = Scene::new();
    let first = scene.parks("7c1e", "rm -rf ~/notes", "/repo", "core.filesystem.outside");
    let again = scene.parks("7c1e", "rm -rf ~/notes", "/repo", "core.filesystem.outside");
    let other = scene.parks("7c1e", "rm -rf ~/notes", "/repo", "secrets.file");
    assert_eq!(first, again);
    assert_ne!(first, other);
    let db = scene.stage.read();
    let waiting = pending(&db, Some(scene.project)).unwrap();
    let told: Vec<&str> = waiting.iter().map(|one| one.rule_id.as_str()).collect();
    assert_eq!(told, ["core.filesystem.outside", "secrets.file"]);
    assert_eq!(count_pending(&db, scene.project).unwrap(), 2);
    assert_eq!(pending(&db, Some(ProjectId(99))).unwrap(), []);
    let subject = ApprovalSubject {
        session: &session("7c1e"),
        command: &Fingerprint::of(b"rm -rf ~/notes"),
        cwd: Path::new("/repo"),
    };
    let rules = pending_about(&db, &subject).unwrap();
    assert_eq!(rules[0], ("core.filesystem.outside".to_owned(), first));
}

#[test]
fn a_changed_byte_another_folder_another_session_or_a_late_hour_is_not_what_was_granted() {
    let mut scene = Scene::new();
    let id = scene.parks("7c1e", "rm -rf x", "/repo", "r");
    assert_eq!(
        scene.live("7c1e", "rm -rf x", "/repo"),
        None,
        "asked is not granted"
    );
    assert_eq!(scene.grants(&id, 15, 1), AnswerEffect::Done);
    assert_eq!(scene.live("7c1e", "rm -rf x", "/repo"), Some(id.clone()));
    assert_eq!(scene.live("7c1e", "rm -rf x ", "/repo"), None);
    assert_eq!(scene.live("7c1e", "rm -rf x", "/repo/src"), None);
    assert_eq!(scene.live("ab31", "rm -rf x", "/repo"), None);
    scene.stage.pass(15 * 60_000);
    assert_eq!(scene.live("7c1e", "rm -rf x", "/repo"), None);
    assert!(!scene.spends(&id, "toolu_1"), "its time is over");
    let now = scene.stage.now();
    assert_eq!(scene.stage.write(|db| expire(db, now)), 1);
    assert_eq!(scene.state(&id), RequestState::Expired);
}

#[test]
fn an_approval_is_used_once_by_one_call_however_often_that_is_reported() {
    let mut scene = Scene::new();
    let id = scene.parks("7c1e", "rm -rf x", "/repo", "r");
    scene.grants(&id, 15, 1);
    assert!(scene.spends(&id, "toolu_1"));
    assert!(scene.spends(&id, "toolu_1"), "the same call");
    assert!(!scene.spends(&id, "toolu_2"));
    assert_eq!(scene.state(&id), RequestState::Used);
    assert_eq!(scene.live("7c1e", "rm -rf x", "/repo"), None);
    let next = scene.parks("7c1e", "rm -rf x", "/repo", "r");
    assert_ne!(next, id, "what was used is asked anew");
}

#[test]
fn an_event_that_is_undone_spends_nothing() {
    let mut scene = Scene::new();
    let id = scene.parks("7c1e", "rm -rf x", "/repo", "r");
    scene.grants(&id, 15, 1);
    let (call, event, at) = (ToolUseId::new("toolu_1"), scene.event, scene.stage.now());
    let mut tx = scene.stage.store.begin().unwrap();
    let undone: Result<(), StoreError> = tx.unit(|db| {
        let used = Use {
            approval: &id,
            call: &call,
            event,
            at,
        };
        assert!(spend(db, &used)?);
        Err(StoreError::Corrupt)
    });
    assert!(undone.is_err());
    tx.commit().unwrap();
    assert_eq!(scene.live("7c1e", "rm -rf x", "/repo"), Some(id));
}

#[test]
fn twenty_calls_at_once_spend_one_approval_once() {
    let mut scene = Scene::new();
    let id = scene.parks("7c1e", "rm -rf x", "/repo", "r");
    scene.grants(&id, 15, 1);
    let (path, event, at) = (scene.stage.path(), scene.event, scene.stage.now());
    let start = Arc::new(Barrier::new(20));
    let spenders: Vec<_> = (0..20)
        .map(|number| {
            let (path, id, start) = (path.clone(), id.clone(), Arc::clone(&start));
            std::thread::spawn(move || {
                let mut store = Store::open(&path, WAIT * 6).unwrap();
                let call = ToolUseId::new(format!("toolu_{number}"));
                start.wait();
                let tx = store.begin().unwrap();
                let used = Use {
                    approval: &id,
                    call: &call,
                    event,
                    at,
                };
                tx.only(|db| spend(db, &used)).unwrap()
            })
        })
        .collect();
    let won = spenders.into_iter().map(|each| each.join().unwrap());
    assert_eq!(won.filter(|won| *won).count(), 1);
    assert_eq!(scene.state(&id), RequestState::Used);
}

#[test]
fn only_what_waits_is_granted_or_refused_and_only_what_is_granted_is_revoked() {
    let mut scene = Scene::new();
    let id = scene.parks("7c1e", "a", "/repo", "r");
    assert_eq!(
        scene.stage.write(|db| revoke(db, &id, Via::Terminal)),
        AnswerEffect::Already(RequestState::Pending)
    );
    assert_eq!(
        scene.stage.write(|db| refuse(db, &id, Via::Prompt)),
        AnswerEffect::Done
    );
    assert_eq!(
        scene.grants(&id, 15, 1),
        AnswerEffect::Already(RequestState::Refused)
    );
    let unknown = ApprovalId::from_random(77);
    assert_eq!(scene.grants(&unknown, 15, 1), AnswerEffect::Unknown);

    let id = scene.parks("7c1e", "b", "/repo", "r");
    scene.grants(&id, 15, 1);
    assert_eq!(
        scene.grants(&id, 15, 20),
        AnswerEffect::Already(RequestState::Granted)
    );
    assert_eq!(
        scene.stage.write(|db| revoke(db, &id, Via::Web)),
        AnswerEffect::Done
    );
    assert_eq!(scene.live("7c1e", "b", "/repo"), None);
    assert!(!scene.spends(&id, "toolu_1"));
}

#[test]
fn a_grant_lasts_a_day_and_counts_twenty_times_at_most() {
    let mut scene = Scene::new();
    let id = scene.parks("7c1e", "a", "/repo", "r");
    let granted = scene.stage.now();
    scene.grants(&id, 10_000, 1_000);
    let found = by_id(&scene.stage.read(), &id).unwrap().unwrap();
    assert_eq!(found.uses_left, 20);
    let day = 24 * 60 * 60 * 1000;
    assert_eq!(found.expires_at, Some(Timestamp(granted.0 + day)));
    assert_eq!(
        (found.via, found.granted_at),
        (Some(Via::Terminal), Some(granted))
    );
}

#[test]
fn a_person_can_say_yes_before_anybody_asks() {
    let mut scene = Scene::new();
    let (id, who) = (ApprovalId::from_random(9), session("7c1e"));
    let yes = Grant {
        ttl_ms: MINUTE,
        times: 2,
        via: Via::Terminal,
        at: scene.stage.now(),
    };
    let advance = InAdvance {
        id: &id,
        subject: ApprovalSubject {
            session: &who,
            command: &Fingerprint::of(b"make deploy"),
            cwd: Path::new("/repo"),
        },
        project: Some(scene.project),
        shown: "make deploy",
    };
    scene.stage.write(|db| grant_in_advance(db, &advance, &yes));
    assert_eq!(scene.live("7c1e", "make deploy", "/repo"), Some(id.clone()));
    assert!(scene.spends(&id, "1") && scene.spends(&id, "2") && !scene.spends(&id, "3"));
}

#[test]
fn the_end_of_a_session_ends_its_requests_and_no_others() {
    let mut scene = Scene::new();
    let one = scene.parks("7c1e", "a", "/repo", "r");
    let other = scene.parks("ab31", "a", "/repo", "r");
    let ended = scene.stage.write(|db| expire_session(db, &session("7c1e")));
    assert_eq!(ended, 1);
    assert_eq!(
        (scene.state(&one), scene.state(&other)),
        (RequestState::Expired, RequestState::Pending)
    );
    assert_eq!(
        scene.grants(&one, 15, 1),
        AnswerEffect::Already(RequestState::Expired)
    );
}

#[test]
fn what_was_decided_long_ago_is_dropped_and_what_waits_stays() {
    let mut scene = Scene::new();
    let over = scene.parks("7c1e", "a", "/repo", "r");
    scene.stage.write(|db| refuse(db, &over, Via::Terminal));
    let waits = scene.parks("7c1e", "b", "/repo", "r");
    scene.stage.pass(1);
    let now = scene.stage.now();
    assert_eq!(scene.stage.write(|db| prune(db, now, 10)), 1);
    assert_eq!(by_id(&scene.stage.read(), &over).unwrap(), None);
    assert_eq!(scene.state(&waits), RequestState::Pending);
    assert!(events::newest(&scene.stage.read()).unwrap().0 > 0);
}

#[derive(Debug, Clone)]
enum Act {
    Park(u8),
    Grant(u8, u64),
    Refuse(u8),
    Spend(u8, u8),
    End,
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..3u8).prop_map(Act::Park),
        (0..3u8, 1..3u64).prop_map(|(which, times)| Act::Grant(which, times)),
        (0..3u8).prop_map(Act::Refuse),
        (0..3u8, 0..6u8).prop_map(|(which, call)| Act::Spend(which, call)),
        Just(Act::End),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn calls_pass_exactly_as_often_as_a_person_said(acts in prop::collection::vec(acts(), 1..40)) {
        let mut scene = Scene::new();
        // What a person said, as a model: the newest request of each command, its uses left, who used it.
        let mut model: Vec<(Option<ApprovalId>, RequestState, u64, Vec<u8>)> = vec![(None, RequestState::Expired, 0, vec![]); 3];
        for act in acts {
            match act {
                Act::Park(which) => {
                    let id = scene.parks("7c1e", &which.to_string(), "/repo", "r");
                    let known = &mut model[usize::from(which)];
                    if known.1 == RequestState::Pending {
                        prop_assert_eq!(known.0.as_ref(), Some(&id));
                    } else {
                        *known = (Some(id), RequestState::Pending, 0, vec![]);
                    }
                }
                Act::Grant(which, times) => {
                    let known = &mut model[usize::from(which)];
                    let Some(id) = known.0.clone() else { continue };
                    let done = scene.grants(&id, 15, times) == AnswerEffect::Done;
                    prop_assert_eq!(done, known.1 == RequestState::Pending);
                    if done {
                        (known.1, known.2) = (RequestState::Granted, times);
                    }
                }
                Act::Refuse(which) => {
                    let known = &mut model[usize::from(which)];
                    let Some(id) = known.0.clone() else { continue };
                    let done = scene.stage.write(|db| refuse(db, &id, Via::Terminal)) == AnswerEffect::Done;
                    prop_assert_eq!(done, known.1 == RequestState::Pending);
                    if done {
                        known.1 = RequestState::Refused;
                    }
                }
                Act::Spend(which, call) => {
                    let known = &mut model[usize::from(which)];
                    let Some(id) = known.0.clone() else { continue };
                    let may = known.3.contains(&call) || known.2 > 0;
                    prop_assert_eq!(scene.spends(&id, &call.to_string()), may);
                    if may && !known.3.contains(&call) {
                        known.3.push(call);
                        known.2 -= 1;
                        known.1 = if known.2 == 0 { RequestState::Used } else { RequestState::Granted };
                    }
                }
                Act::End => {
                    scene.stage.write(|db| expire_session(db, &session("7c1e")));
                    for known in &mut model {
                        if known.1 == RequestState::Pending {
                            known.1 = RequestState::Expired;
                        }
                    }
                }
            }
            for known in &model {
                if let Some(id) = &known.0 {
                    prop_assert_eq!(scene.state(id), known.1);
                }
            }
        }
    }
}
