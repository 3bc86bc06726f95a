//! The rules, in the order they are tried for one actor and one file.

use crate::lease::cover::LeaseCover;
use crate::lease::{HeldLease, Me, Means, Offered, Reserved, TargetFacts};
use crate::settings::{LeaseSettings, Mode};

/// Where an actor stands with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseStanding<'a> {
    /// It holds it.
    Holds(&'a HeldLease),
    /// It borrows it from an ancestor that waits for it.
    Borrows(&'a HeldLease),
    /// Nothing is in its way.
    Free,
    /// Something is.
    Stopped(LeaseObstacle<'a>),
}

/// What is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseObstacle<'a> {
    /// Somebody edits the file.
    Held(&'a HeldLease),
    /// Somebody's command changes the whole tree.
    Running(&'a HeldLease),
    /// Somebody reserved it.
    Reserved(&'a Reserved),
    /// It is promised to somebody.
    Offered(&'a Offered),
}

impl LeaseObstacle<'_> {
    /// Whether it makes sense to stand in line.
    pub fn has_line(&self) -> bool {
        match self {
            // A log is free again as soon as the command that writes it ends.
            Self::Held(held) => !held.call_only,
            Self::Offered(_) => true,
            Self::Reserved(reserved) => !reserved.who.is_person,
            Self::Running(_) => false,
        }
    }
}

/// How far the settings go for this file; `Off` where leases do not concern it.
pub fn mode_of(settings: &LeaseSettings, cover: &LeaseCover, facts: &TargetFacts) -> Mode {
    let target = &facts.target;
    let is_outside = target.key.worktree.is_none();
    if !target.leasable || !cover.has(&target.key.path) {
        return Mode::Off;
    }
    match target.means {
        Means::Tool => settings.mode,
        // What a command writes elsewhere is rarely anybody's work: logs, caches, temporary files.
        Means::Shell if is_outside => Mode::Off,
        Means::Shell => settings.mode.min(settings.bash),
    }
}

/// Where the actor stands with the file.
pub fn standing<'a>(me: &Me, facts: &'a TargetFacts) -> LeaseStanding<'a> {
    let held = facts.held.as_ref();
    // A command's own `**` ends with it, so a file it covers is still to be taken.
    if let Some(held) = held.filter(|held| me.is(&held.who) && !held.is_everything()) {
        return LeaseStanding::Holds(held);
    }
    if let Some(reserved) = facts.reserved.iter().find(|reserved| !me.passes(reserved)) {
        return LeaseStanding::Stopped(LeaseObstacle::Reserved(reserved));
    }
    match held.filter(|held| !me.is(&held.who)) {
        Some(held) if me.may_borrow(held) => return LeaseStanding::Borrows(held),
        Some(held) if held.is_everything() => return LeaseStanding::Stopped(LeaseObstacle::Running(held)),
        Some(held) => return LeaseStanding::Stopped(LeaseObstacle::Held(held)),
        None => {}
    }
    match &facts.offered {
        Some(offered) if !me.is(&offered.who) => LeaseStanding::Stopped(LeaseObstacle::Offered(offered)),
        Some(_) | None => LeaseStanding::Free,
    }
}
