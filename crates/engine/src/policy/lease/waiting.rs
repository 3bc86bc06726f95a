//! Whoever waits for a file without writing it: whether it may go on, what is in its way, and what becomes of a circle
//! that its waiting closes.

use super::cycle::{self, Cycle};
use super::judging::{self, LeaseObstacle, LeaseStanding};
use crate::effect::Effect;
use crate::lease::LeaseFacts;
use crate::lease::cover::LeaseCover;
use crate::settings::{LeaseSettings, Mode};

/// Where somebody stands who waits for a file.
#[derive(Debug, Clone, PartialEq)]
pub enum QueueStanding<'a> {
    /// Leases are off, or do not concern this file.
    Unconcerned,
    /// It has the file, or is lent it as soon as it writes.
    Has,
    /// Nothing is in its way.
    Free,
    /// Something is.
    Stopped {
        /// What.
        obstacle: LeaseObstacle<'a>,
        /// What it should know if nobody can go on.
        circle: Option<String>,
        /// What follows from getting in line.
        effects: Vec<Effect>,
    },
}

/// Where the actor of this label stands with the one file the facts are about.
pub fn waiting<'a>(settings: &LeaseSettings, facts: &'a LeaseFacts, label: &str) -> QueueStanding<'a> {
    let (Some(target), Ok(cover)) = (
        facts.targets.first(),
        LeaseCover::new(&settings.include, &settings.exclude),
    ) else {
        return QueueStanding::Unconcerned;
    };
    if judging::mode_of(settings, &cover, target) == Mode::Off {
        return QueueStanding::Unconcerned;
    }
    let obstacle = match judging::standing(&facts.me, target) {
        LeaseStanding::Holds(_) | LeaseStanding::Borrows(_) => return QueueStanding::Has,
        LeaseStanding::Free => return QueueStanding::Free,
        LeaseStanding::Stopped(obstacle) => obstacle,
    };
    let is_new = !target.waiting.iter().any(|who| facts.me.is(who));
    let cycle = cycle::found(facts, label, target, obstacle).filter(|_| is_new);
    let (circle, effects) = match (&cycle, cycle.as_ref().and_then(Cycle::breakable)) {
        (None, _) => (None, Vec::new()),
        (Some(_), Some(wait)) => (None, cycle::broken(wait, &facts.me)),
        (Some(cycle), None) => (Some(cycle.text()), cycle.notices()),
    };
    QueueStanding::Stopped {
        obstacle,
        circle,
        effects,
    }
}
