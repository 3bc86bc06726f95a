//! Four actors and three files, at random, against a plain model that shares no code with the store (scenario 15).
//!
//! The model knows nothing of rows: it says who holds what and who is in line after every step. What it does not play, and
//! other tests do: lending, reservations, commands that change everything.

mod plain;

use crate::leases;
use crate::life::{self, ExpiryScope};
use crate::sessions;
use crate::stage::{Stage, Who, main_of};
use crate::tickets;
use engine::lease::EndReason;
use plain::Plain;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

/// Cases in a normal run; `PROPTEST_CASES` asks for more, and other days each time.
const CASES: u32 = 40;

pub(super) const ACTORS: usize = 4;

/// What can happen. Actors are two main threads, the first with two agents.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A call before a write; denied, it puts the actor in line.
    Edit { who: usize, file: usize },
    /// The newest open call is over, and wrote.
    Done { who: usize },
    /// The newest open call failed.
    Fail { who: usize },
    /// A person speaks to a main thread.
    Prompt { who: usize },
    /// A main thread's turn or an agent ends.
    Stop { who: usize },
    /// The conversation is cleared.
    Clear { who: usize },
    /// The session ends.
    Quit { who: usize },
    /// The process is gone.
    Lose { who: usize },
    /// The holder gives the file back.
    Release { file: usize },
    /// Somebody asks about a file.
    Settle { file: usize },
    /// Time passes, in seconds.
    Pass { seconds: i64 },
    /// The clock on the wall is set.
    Shift { seconds: i64 },
    /// The process that writes dies before it commits the next step.
    Crash,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (who, file) = (0..ACTORS, 0..3_usize);
    let step = prop_oneof![
        8 => (who.clone(), file.clone()).prop_map(|(who, file)| Step::Edit { who, file }),
        4 => who.clone().prop_map(|who| Step::Done { who }),
        2 => who.clone().prop_map(|who| Step::Fail { who }),
        1 => who.clone().prop_map(|who| Step::Prompt { who }),
        3 => who.clone().prop_map(|who| Step::Stop { who }),
        1 => who.clone().prop_map(|who| Step::Clear { who }),
        1 => who.clone().prop_map(|who| Step::Quit { who }),
        1 => who.prop_map(|who| Step::Lose { who }),
        1 => file.clone().prop_map(|file| Step::Release { file }),
        3 => file.prop_map(|file| Step::Settle { file }),
        3 => prop_oneof![Just(5), Just(61), Just(121), Just(601), Just(1900), Just(15_000)]
            .prop_map(|seconds| Step::Pass { seconds }),
        1 => prop_oneof![Just(3600), Just(-3600)].prop_map(|seconds| Step::Shift { seconds }),
        1 => Just(Step::Crash),
    ];
    vec(step, 1..40)
}

fn actors() -> [Who; ACTORS] {
    let (one, two) = (main_of("1111"), main_of("2222").in_process(200, 2));
    [one.clone(), one.agent("a111", "x"), one.agent("a222", "x"), two]
}

fn path(file: usize) -> String {
    format!("{file}.rs")
}

/// The store and the model, side by side.
struct Play {
    stage: Stage,
    plain: Plain,
    actors: [Who; ACTORS],
    calls: usize,
}

impl Play {
    fn new() -> Self {
        let mut stage = Stage::new();
        let actors = actors();
        // Everybody is known, in the order of their numbers.
        for who in &actors {
            stage.calls(who, "Read", "first", json!({}));
            stage.returns(who, "first");
        }
        let plain = Plain::new(stage.moment().boot.unwrap().ms);
        Self {
            stage,
            plain,
            actors,
            calls: 0,
        }
    }

    fn run(mut self, steps: &[Step]) -> Vec<String> {
        for step in steps {
            self.take(*step);
            self.compare(*step);
        }
        self.rows()
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Edit { who, file } => self.edit(who, file),
            Step::Done { who } => {
                if let Some(id) = self.plain.newest_call(who) {
                    self.stage.returns(&self.actors[who].clone(), &id.to_string());
                    self.plain.close(who, id, true);
                }
            }
            Step::Fail { who } => {
                if let Some(id) = self.plain.newest_call(who) {
                    self.stage.fails(&self.actors[who].clone(), &id.to_string());
                    self.plain.close(who, id, false);
                }
            }
            Step::Prompt { who } => {
                let main = plain::main_of(who);
                self.stage.prompts(&self.actors[main].clone(), "go");
                self.plain.prompt(main);
            }
            Step::Stop { who } if who == plain::main_of(who) => {
                self.stage.stops(&self.actors[who].clone());
                self.plain.stop(who);
            }
            Step::Stop { who } => {
                self.stage.agent_stops(&self.actors[who].clone());
                self.plain.agent_stop(who);
            }
            Step::Clear { who } => {
                let main = plain::main_of(who);
                self.stage.ends(&self.actors[main].clone(), "clear");
                self.plain.end_session(main, true);
            }
            Step::Quit { who } => {
                let main = plain::main_of(who);
                self.stage.ends(&self.actors[main].clone(), "other");
                self.plain.end_session(main, false);
            }
            Step::Lose { who } => {
                // It is found out after its last event.
                self.stage.pass(1);
                self.plain.now += 1;
                let (client, now) = (self.actors[who].client, self.stage.hour());
                self.stage.write(|db| sessions::close_lost(db, &client, now));
                self.plain.lose(plain::main_of(who));
            }
            Step::Release { file } => {
                self.stage.releases(&path(file), EndReason::Released);
                self.plain.release(file);
            }
            Step::Settle { file } => {
                self.stage.settles(&path(file));
                self.plain.settle(file);
            }
            Step::Pass { seconds } => {
                self.stage.pass(seconds * 1000);
                self.plain.now += seconds * 1000;
            }
            Step::Shift { seconds } => self.stage.set_wall(seconds * 1000),
            Step::Crash => self.crash(),
        }
    }

    /// What a decision does: facts are settled first, a denial leaves a ticket and no lease.
    fn edit(&mut self, who: usize, file: usize) {
        self.calls += 1;
        let (id, agent, key) = (self.calls, self.actors[who].clone(), self.stage.file(&path(file)));
        let sent = self.stage.calls(&agent, "Edit", &id.to_string(), json!({}));
        self.plain.open(who, id);
        self.stage.settles(&path(file));
        self.plain.settle(file);
        let actor = self.stage.actor(&agent).id;
        let held = leases::held(&self.stage.read(), &key).unwrap();
        let offered = tickets::offered(&self.stage.read(), &key).unwrap();
        let is_free = held.is_none_or(|lease| lease.holder() == actor)
            && offered.is_none_or(|ticket| ticket.actor == actor);
        if is_free {
            let taking = self.stage.taking(&sent);
            self.stage.write(|db| leases::take(db, &taking, &key));
        } else {
            self.stage.waits(&agent, &path(file));
            self.stage.is_refused(&agent, &id.to_string());
        }
        assert_eq!(self.plain.edit(who, file, id), is_free, "{who} {file}");
    }

    /// Everything of a transaction that never commits is as if it had not been.
    fn crash(&mut self) {
        let (before, now) = (self.rows(), self.stage.hour());
        let client = self.actors[0].client;
        let mut tx = self.stage.store.begin().unwrap();
        tx.unit(|db| {
            life::settle(db, ExpiryScope::All, &now)?;
            sessions::close_lost(db, &client, now)
        })
        .unwrap();
        drop(tx);
        assert_eq!(self.rows(), before);
    }

    fn compare(&self, step: Step) {
        assert_eq!(self.stage.held(), self.plain.held(), "after {step:?}");
        let line = self.stage.rows(
            "SELECT path, label, tickets.state FROM tickets JOIN actors ON actors.id = tickets.actor_id
             WHERE tickets.state IN ('waiting', 'offered') ORDER BY path, tickets.id",
        );
        assert_eq!(line, self.plain.line(), "after {step:?}");
        for (what, sql) in [
            (
                "two leases on one file",
                "SELECT path FROM leases WHERE ended_at IS NULL GROUP BY worktree_id, path HAVING COUNT(*) > 1",
            ),
            (
                "leases of those who are over",
                "SELECT path FROM leases JOIN actors ON actors.id = leases.actor_id
                 WHERE ended_at IS NULL AND state <> 'live'",
            ),
            (
                "tickets of those who are over",
                "SELECT path FROM tickets JOIN actors ON actors.id = tickets.actor_id
                 WHERE tickets.state IN ('waiting', 'offered') AND actors.state <> 'live'",
            ),
            (
                "ends without a reason",
                "SELECT path FROM leases WHERE (ended_at IS NULL) <> (end_reason IS NULL)",
            ),
            (
                "promises of what is held",
                "SELECT tickets.path FROM tickets JOIN leases USING (worktree_id, path)
                 WHERE tickets.state = 'offered' AND ended_at IS NULL",
            ),
            (
                "texts about nothing",
                "SELECT text FROM notices WHERE delivered_at IS NULL AND NOT EXISTS (
                     SELECT 1 FROM tickets WHERE state = 'offered' AND tickets.actor_id = notices.actor_id
                         AND notices.key = tickets.worktree_id || ' ' || tickets.path)",
            ),
            (
                "calls that are closed and hold a file",
                "SELECT path FROM leases JOIN calls ON calls.event = leases.call WHERE closed_at IS NOT NULL",
            ),
        ] {
            assert_eq!(
                self.stage.rows(sql),
                Vec::<String>::new(),
                "{what} after {step:?}"
            );
        }
    }

    /// All that is kept of leases and tickets.
    fn rows(&self) -> Vec<String> {
        let mut rows = self.stage.rows("SELECT * FROM leases ORDER BY id");
        rows.extend(self.stage.rows("SELECT * FROM tickets ORDER BY id"));
        rows.extend(
            self.stage
                .rows("SELECT id, state, end_reason FROM actors ORDER BY id"),
        );
        rows
    }
}

#[test]
fn random_days_are_held_as_the_model_says_and_the_same_twice() {
    let more = std::env::vars().find(|(name, _)| name == "PROPTEST_CASES");
    let more: Option<u32> = more.and_then(|(_, cases)| cases.parse().ok());
    let config = Config {
        cases: more.unwrap_or(CASES),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let mut runner = match more {
        Some(_) => TestRunner::new(config),
        // The same days each time, so that a change is judged by what it changes.
        None => TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32])),
    };
    let outcome = runner.run(&steps(), |steps| {
        let first = Play::new().run(&steps);
        assert_eq!(first, Play::new().run(&steps), "the same events, other rows");
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
