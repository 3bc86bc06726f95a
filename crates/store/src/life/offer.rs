//! Who is next: a free file is promised to the oldest live ticket, and its actor is told.

use super::LeaseMoment;
use crate::db::Db;
use crate::table::actors::{self, Actor};
use crate::table::leases::{self, Lease};
use crate::table::notices;
use crate::table::tickets::{self, Ticket, TicketState};
use crate::terms::LONGEST_WAIT_MS;
use crate::{StoreError, fault, pattern};
use engine::effect::{Audience, Owed};
use engine::id::ActorId;
use engine::lease::{FileKey, notice};
use std::collections::BTreeSet;

/// Promises a file to the next in line, if it is free and not promised already. Says to whom it is promised now.
pub fn offer_next(db: &Db, key: &FileKey, now: &LeaseMoment) -> Result<Option<Ticket>, StoreError> {
    let line = tickets::waiting(db, key)?;
    if line.is_empty() || leases::held(db, key)?.is_some() || leases::everything(db, key.worktree)?.is_some()
    {
        return Ok(None);
    }
    if let Some(offered) = line.iter().find(|ticket| ticket.state == TicketState::Offered) {
        return Ok(Some(offered.clone()));
    }
    let reserved = leases::reservations_over(db, key)?;
    for ticket in line {
        if now.moment.since(ticket.created) >= LONGEST_WAIT_MS {
            tickets::leave(db, &ticket, TicketState::Dropped)?;
        } else if may_enter(db, ticket.actor, &reserved)? {
            promise(db, &ticket, now)?;
            return tickets::open_of(db, ticket.actor, &ticket.key);
        }
    }
    Ok(None)
}

/// The same for every file under a pattern that is free again.
pub(super) fn offer_under(db: &Db, ended: &Lease, now: &LeaseMoment) -> Result<(), StoreError> {
    let glob = pattern::of(ended.reach());
    let mut seen = BTreeSet::new();
    for ticket in tickets::in_worktree(db, ended.key.worktree)? {
        if glob.fits(&ticket.key.path) && seen.insert(ticket.key.path.clone()) {
            offer_next(db, &ticket.key, now)?;
        }
    }
    Ok(())
}

/// Whoever begins a turn hears of what it waited for in the one before: that it is free, or it is in line again.
pub fn remind(db: &Db, actor: ActorId, now: &LeaseMoment) -> Result<(), StoreError> {
    for ticket in tickets::remembered(db, actor)? {
        let reserved = leases::reservations_over(db, &ticket.key)?;
        let is_held = leases::held(db, &ticket.key)?.is_some_and(|lease| lease.holder() != actor)
            || leases::everything(db, ticket.key.worktree)?.is_some()
            || !may_enter(db, actor, &reserved)?;
        let line = tickets::waiting(db, &ticket.key)?;
        if line.iter().any(|ticket| ticket.actor == actor) {
            tickets::forget(db, ticket.id)?;
        } else if is_held {
            tickets::return_to_line(db, &ticket, now.moment)?;
        } else if line.is_empty() {
            // What is promised to another is told of once it is free.
            tickets::forget(db, ticket.id)?;
            let owed = Owed {
                audience: Audience::Actor,
                kind: notice::OFFER.to_owned(),
                key: tickets::notice_key(&ticket.key),
                text: engine::lease::offer::free(&engine::text::one_line(&ticket.key.path, LONGEST_PATH)),
            };
            notices::owe(db, &owed, actor, now.moment.at)?;
        }
    }
    Ok(())
}

/// Reservations keep out everybody but their owners and the owners' descendants.
fn may_enter(db: &Db, actor: ActorId, reserved: &[Lease]) -> Result<bool, StoreError> {
    if reserved.iter().all(|lease| lease.owner == actor) {
        return Ok(true);
    }
    let above = actors::above(db, actor)?;
    Ok(reserved
        .iter()
        .all(|lease| lease.owner == actor || above.iter().any(|above| above.id == lease.owner)))
}

fn promise(db: &Db, ticket: &Ticket, now: &LeaseMoment) -> Result<(), StoreError> {
    let until = now.moment.plus(now.terms.offer_ms);
    tickets::offer(db, ticket.id, now.moment, until)?;
    fault::point("lease-offer");
    let owed = Owed {
        audience: Audience::Actor,
        kind: notice::OFFER.to_owned(),
        key: tickets::notice_key(&ticket.key),
        text: text_of(db, ticket, now.terms.offer_ms)?,
    };
    notices::owe(db, &owed, ticket.actor, now.moment.at)
}

/// What its actor was not told yet of an offer says how long it lasts from now.
pub(super) fn tell_anew(db: &Db, ticket: &Ticket, now: &LeaseMoment) -> Result<(), StoreError> {
    let key = tickets::notice_key(&ticket.key);
    let (TicketState::Offered, Some(until)) = (ticket.state, ticket.offered_until) else {
        return Ok(());
    };
    if !notices::is_owed(db, ticket.actor, notice::OFFER, &key)? {
        return Ok(());
    }
    let text = text_of(db, ticket, now.moment.until(until))?;
    notices::reword(db, ticket.actor, notice::OFFER, &key, &text)
}

fn text_of(db: &Db, ticket: &Ticket, for_ms: u64) -> Result<String, StoreError> {
    let before = leases::newest_ended(db, &ticket.key)?
        .map(|lease| actors::by_id(db, lease.holder()))
        .transpose()?
        .flatten()
        .filter(|actor| actor.id != ticket.actor);
    Ok(engine::lease::offer::offer(
        &engine::text::one_line(&ticket.key.path, LONGEST_PATH),
        before.as_ref().map(Actor::who).as_ref(),
        for_ms,
    ))
}

/// Characters of a path that are shown.
const LONGEST_PATH: usize = 200;
