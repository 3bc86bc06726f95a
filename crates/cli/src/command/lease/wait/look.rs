//! One look at a file that somebody waits for, in one transaction with what follows from it.

use crate::command::lease::HolderNames;
use crate::command::lease::desk::LeaseContext;
use ::daemon::pipeline::lease::Gathering;
use engine::effect::{Audience, Effect, Owed};
use engine::id::ActorId;
use engine::lease::{FileKey, FileTarget, LeaseEffect, TargetFacts};
use engine::policy::lease::{LeaseObstacle, QueueStanding, waiting};
use engine::text::one_line;
use store::life::{self, LeaseMoment};
use store::table::actors::{self, Actor, ActorState};
use store::table::notices;
use store::table::tickets::{self, Queued, Queueing};
use store::{Db, StoreError};

/// Characters of a command that are shown.
const LONGEST_COMMAND: usize = 80;

/// What is waited for, and what is known from the looks before.
pub struct WaitWatch {
    /// The file.
    pub target: FileTarget,
    /// Who waits.
    actor: Option<ActorId>,
    /// It was in line at the last look.
    in_line: bool,
}

/// What a look found.
pub enum WaitResult {
    /// Nobody has to wait; this is to be said.
    Done(String),
    /// Something was ended that was in the way.
    Again,
    /// Whoever waits is not known.
    NoActor,
    /// It waits for too much already.
    TooMany,
    /// Its place in line is gone.
    Over,
    /// Something is in the way.
    Stopped(WaitObstacle),
}

/// What is in the way.
pub struct WaitObstacle {
    /// As one sentence, without its full stop.
    pub still: String,
    /// The place in line.
    pub place: Option<usize>,
    /// What to know where waiting is in vain.
    pub circle: Option<String>,
}

impl WaitWatch {
    /// Nothing known yet.
    pub fn at(target: FileTarget) -> Self {
        Self {
            target,
            actor: None,
            in_line: false,
        }
    }

    /// Looks.
    pub fn once(&mut self, scene: &LeaseContext, db: &Db) -> Result<WaitResult, StoreError> {
        let now = scene.now();
        let Some(actor) = self.waiter(scene, db, &now)? else {
            return Ok(WaitResult::NoActor);
        };
        let by_person = scene.caller.is_person();
        if !by_person && actor.state != ActorState::Live {
            return Ok(WaitResult::Over);
        }
        let gathering = Gathering {
            db,
            subject: None,
            actor: &actor,
            place: scene.rows(db)?,
            now: &now,
        };
        let facts = gathering.about(self.target.clone())?;
        let Some(file) = facts.targets.first() else {
            return Ok(WaitResult::NoActor);
        };
        let shown = &self.target.shown;
        match waiting(&scene.settings, &facts, &actor.label) {
            QueueStanding::Unconcerned => Ok(WaitResult::Done(format!(
                "{shown} is free: leases do not concern it here."
            ))),
            QueueStanding::Has => Ok(WaitResult::Done(format!("{shown} is yours."))),
            QueueStanding::Free if by_person => Ok(WaitResult::Done(format!("{shown} is free."))),
            QueueStanding::Free => offered(db, file, &actor, &now),
            QueueStanding::Stopped {
                obstacle,
                circle,
                effects,
            } => {
                let mut stopped = WaitObstacle {
                    still: still(shown, obstacle, &HolderNames::to(by_person)),
                    place: None,
                    circle,
                };
                if by_person {
                    stopped.circle = None;
                    return Ok(WaitResult::Stopped(stopped));
                }
                if let Some(found) = self.stand_in_line(db, &file.target.key, &actor, &now)? {
                    return Ok(found);
                }
                if follow(db, &effects, &actor, &now)? {
                    return Ok(WaitResult::Again);
                }
                let line = tickets::waiting(db, &file.target.key)?;
                let ahead = line.iter().position(|ticket| ticket.actor == actor.id);
                stopped.place = ahead.map(|ahead| ahead + 1);
                Ok(WaitResult::Stopped(stopped))
            }
        }
    }

    /// Whoever waits; looked up anew, because turns end meanwhile.
    fn waiter(
        &mut self,
        scene: &LeaseContext,
        db: &Db,
        now: &LeaseMoment,
    ) -> Result<Option<Actor>, StoreError> {
        if let Some(id) = self.actor {
            return actors::by_id(db, id);
        }
        let place = scene.rows(db)?;
        let actor = scene
            .caller
            .actor(db, (place.project, place.worktree), now.moment)?;
        self.actor = actor.as_ref().map(|actor| actor.id);
        Ok(actor)
    }

    /// Gets in line, once. Who was in line and is no more has no turn left in which to wait.
    fn stand_in_line(
        &mut self,
        db: &Db,
        key: &FileKey,
        actor: &Actor,
        now: &LeaseMoment,
    ) -> Result<Option<WaitResult>, StoreError> {
        if self.in_line && tickets::open_of(db, actor.id, key)?.is_none() {
            return Ok(Some(WaitResult::Over));
        }
        self.in_line = true;
        Ok(match queue(db, key, actor, now)? {
            Queued::InLine(_) => None,
            Queued::TooMany => Some(WaitResult::TooMany),
        })
    }
}

/// A free file is kept for whoever waited for it.
fn offered(db: &Db, file: &TargetFacts, actor: &Actor, now: &LeaseMoment) -> Result<WaitResult, StoreError> {
    let key = &file.target.key;
    if let Queued::TooMany = queue(db, key, actor, now)? {
        return Ok(WaitResult::TooMany);
    }
    let shown = &file.target.shown;
    // A command of its own that changes everything may still run, or its client does not tell its agents apart.
    let Some(ticket) = life::offer_next(db, key, now)?.filter(|ticket| ticket.actor == actor.id) else {
        return Ok(WaitResult::Done(format!("{shown} is yours.")));
    };
    // It hears of it here.
    tickets::heard(db, &ticket)?;
    let for_ms = ticket.offered_until.map_or(0, |until| now.moment.until(until));
    Ok(WaitResult::Done(engine::lease::offer::offer(shown, None, for_ms)))
}

fn queue(db: &Db, key: &FileKey, actor: &Actor, now: &LeaseMoment) -> Result<Queued, StoreError> {
    let queueing = Queueing {
        actor: actor.id,
        key,
        denied: false,
        at: now.moment,
    };
    tickets::queue(db, &queueing)
}

/// What follows from getting in line; true if something ended that was in the way.
fn follow(db: &Db, effects: &[Effect], actor: &Actor, now: &LeaseMoment) -> Result<bool, StoreError> {
    let mut has_ended = false;
    for effect in effects {
        match effect {
            Effect::Lease(LeaseEffect::End { lease, reason }) => {
                has_ended |= life::end_lease(db, *lease, *reason, now)?;
            }
            Effect::Lease(LeaseEffect::Tell {
                actor,
                kind,
                key,
                text,
            }) => {
                let owed = Owed {
                    audience: Audience::Actor,
                    kind: (*kind).to_owned(),
                    key: key.clone(),
                    text: text.clone(),
                };
                notices::owe(db, &owed, *actor, now.moment.at)?;
            }
            Effect::Owe(owed) => notices::owe(db, owed, actor.id, now.moment.at)?,
            _ => {}
        }
    }
    Ok(has_ended)
}

fn still(path: &str, obstacle: LeaseObstacle<'_>, names: &HolderNames) -> String {
    match obstacle {
        LeaseObstacle::Held(held) => format!("{path} is held by {}", names.who(&held.who)),
        LeaseObstacle::Running(held) => format!(
            "`{}` of {} is changing the whole tree",
            one_line(&held.shown, LONGEST_COMMAND),
            names.who(&held.who)
        ),
        LeaseObstacle::Reserved(reserved) => format!("{path} is reserved by {}", names.who(&reserved.who)),
        LeaseObstacle::Offered(offered) => format!("{path} is promised to {}", names.who(&offered.who)),
    }
}
