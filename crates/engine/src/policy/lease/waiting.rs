//! Whoever waits for a file without writing it: whether it may go on, what is in its way, and what becomes of a circle
//! that its waiting closes.

use super::cycle::{self, Cycle};
use super::judging::{self, Obstacle, Standing};
use crate::effect::Effect;
use crate::lease::LeaseFacts;
use crate::lease::cover::Cover;
use crate::settings::{LeaseSettings, Mode};

/// Where somebody stands who waits for a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Waiting<'a> {
    /// Leases are off, or do not concern this file.
    Unconcerned,
    /// It has the file, or is lent it as soon as it writes.
    Has,
    /// Nothing is in its way.
    Free,
    /// Something is.
    Stopped {
        /// What.
        obstacle: Obstacle<'a>,
        /// What it should know if nobody can go on.
        circle: Option<String>,
        /// What follows from getting in line.
        effects: Vec<Effect>,
    },
}

/// Where the actor of this label stands with the one file the facts are about.
pub fn waiting<'a>(settings: &LeaseSettings, facts: &'a LeaseFacts, label: &str) -> Waiting<'a> {
    let (Some(target), Ok(cover)) = (
        facts.targets.first(),
        Cover::new(&settings.include, &settings.exclude),
    ) else {
        return Waiting::Unconcerned;
    };
    if judging::mode_of(settings, &cover, target) == Mode::Off {
        return Waiting::Unconcerned;
    }
    let obstacle = match judging::standing(&facts.me, target) {
        Standing::Holds(_) | Standing::Borrows(_) => return Waiting::Has,
        Standing::Free => return Waiting::Free,
        Standing::Stopped(obstacle) => obstacle,
    };
    let is_new = !target.waiting.iter().any(|who| facts.me.is(who));
    let cycle = cycle::found(facts, label, target, obstacle).filter(|_| is_new);
    let (circle, effects) = match (&cycle, cycle.as_ref().and_then(Cycle::breakable)) {
        (None, _) => (None, Vec::new()),
        (Some(_), Some(wait)) => (None, cycle::broken(wait, &facts.me)),
        (Some(cycle), None) => (Some(cycle.text()), cycle.notices()),
    };
    Waiting::Stopped {
        obstacle,
        circle,
        effects,
    }
}
