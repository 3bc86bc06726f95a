//! A person at random moments of an agent's turns (see [`testkit::day`]), with the product in one process.
//!
//! `TOPROPE_DAYS` says how many days are played, and `TOPROPE_DAY` plays one again.

use super::real::{self, Real};
use super::step::Actor;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use store::table::checkpoints::{self, Checkpoint, CheckpointKind};
use testkit::day::{self, Agent, Desk, MORNING, Tally, Turn};

/// Days in a normal run.
const DAYS: u64 = 40;
/// They wait for the clock more than they work.
const AT_ONCE: u64 = 6;

impl Desk for Real {
    fn root(&self) -> PathBuf {
        Real::root(self)
    }

    fn hook(&mut self, agent: Agent, event: &str, fields: &Value) -> bool {
        let actor = match agent {
            Agent::Main => Actor::Main,
            Agent::Sub => Actor::Sub,
            Agent::Other => Actor::Other,
        };
        let answer = Real::hook(self, actor, event, fields);
        self.work();
        answer.pointer("/hookSpecificOutput/permissionDecision") != Some(&json!("deny"))
    }

    fn settle(&mut self) {
        self.work();
    }

    fn crash_at(&mut self, step: u8) {
        self.crash = Some(step);
    }

    fn rewind(&mut self, turn: Turn) -> bool {
        let line = self
            .worktree
            .map(|worktree| self.read(|db| checkpoints::line(db, worktree)));
        let main = self.id(Actor::Main);
        let is_meant = |row: &&Checkpoint| match turn {
            None => row.kind == CheckpointKind::Baseline,
            Some(turn) => row.kind == CheckpointKind::Turn && row.turn == Some(turn),
        };
        let line = line.into_iter().flatten().filter(|row| row.session == main);
        let Some(point) = line.collect::<Vec<_>>().iter().find(is_meant).cloned() else {
            return false;
        };
        // Killed while it cuts the checkpoint before it, a rewind has done nothing yet.
        let armed = self.arm(Some("rewind-before"));
        self.rewind_to(&point);
        if armed.is_some() {
            drop(armed);
            if self.die() {
                // Whoever comes next finishes it or takes it back.
                self.create();
            }
        }
        true
    }

    fn undo(&mut self) {
        self.undo_last();
    }

    fn redo(&mut self) {
        self.redo_last();
    }
}

fn number(name: &str) -> Option<u64> {
    let value = std::env::vars().find(|(known, _)| known == name);
    value.and_then(|(_, value)| value.parse().ok())
}

fn play(seed: u64, template: &tempfile::TempDir) -> Tally {
    day::play(seed, &mut Real::new(template))
}

#[test]
fn no_rewind_goes_over_what_the_person_did_at_any_moment() {
    let template = real::template_with(&MORNING);
    if let Some(seed) = number("TOPROPE_DAY") {
        play(seed, &template);
        return;
    }
    let (first, days) = (
        number("TOPROPE_FIRST_DAY").unwrap_or(0),
        number("TOPROPE_DAYS").unwrap_or(DAYS),
    );
    let next = AtomicU64::new(first);
    let (total, disagreed) = (Mutex::new(Tally::default()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + days {
                        return;
                    }
                    // The day tells itself; the others are played all the same.
                    match std::panic::catch_unwind(|| play(seed, &template)) {
                        Ok(tally) => total.lock().unwrap().add(tally),
                        Err(_) => disagreed.lock().unwrap().push(seed),
                    }
                }
            });
        }
    });
    let (total, disagreed) = (total.into_inner().unwrap(), disagreed.into_inner().unwrap());
    eprintln!("{days} days: {total:?}");
    assert!(
        disagreed.is_empty(),
        "{} of {days} days went wrong; play one again with TOPROPE_DAY=<its number>: {disagreed:?}",
        disagreed.len()
    );
    assert!(total.put_back > days / 4, "rewinds that do nothing prove nothing");
}
