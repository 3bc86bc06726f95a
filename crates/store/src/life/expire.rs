//! Ends what nobody ended: leases of the silent, reservations whose time is up, offers that were let pass.
//!
//! No timer runs for any of it; whoever asks about a file or a worktree, or waits for one, settles it first.

use super::offer::{offer_next, tell_anew};
use super::{LeaseMoment, Occasion, end, release};
use crate::StoreError;
use crate::db::Db;
use crate::table::actors::{self, Actor, ActorState};
use crate::table::calls;
use crate::table::leases::{self, Lease, LeaseFilter};
use crate::table::tickets::{self, Ticket, TicketState};
use crate::terms::{LONGEST_WAIT_MS, SILENCE_MS};
use engine::id::{ActorId, WorktreeId};
use engine::lease::{EndReason, FileKey, LeaseKind};
use std::collections::BTreeSet;

/// What is asked about.
#[derive(Debug, Clone, Copy)]
pub enum ExpiryScope<'a> {
    /// One file, with all that covers it.
    File(&'a FileKey),
    /// One worktree.
    Worktree(WorktreeId),
    /// Everything there is.
    All,
}

/// Brings the leases and tickets of a scope up to the moment. False if there was none, and so is none now.
pub fn settle(db: &Db, scope: ExpiryScope<'_>, now: &LeaseMoment) -> Result<bool, StoreError> {
    let mut at_work = BTreeSet::new();
    let (mut found_any, mut ended_any) = (false, false);
    for lease in leases_in(db, scope)? {
        found_any = true;
        if lease.kind == LeaseKind::Edit && at_work.contains(&lease.holder()) {
            continue;
        }
        // One that ended may have taken others along.
        let is_over = |lease: &Lease| -> Result<bool, StoreError> {
            let row = leases::by_id(db, lease.id)?;
            Ok(row.is_none_or(|row| row.ended.is_some()))
        };
        if ended_any && is_over(&lease)? {
            continue;
        }
        if is_settled(db, &lease, now)? {
            ended_any = true;
        } else if lease.kind == LeaseKind::Edit {
            at_work.insert(lease.holder());
        }
    }
    for ticket in tickets_in(db, scope)? {
        found_any = true;
        settle_ticket(db, &ticket, now)?;
    }
    Ok(found_any)
}

/// Brings everything an actor waits for up to the moment, so that it hears of what is its own now, and of nothing else.
pub fn settle_waits(db: &Db, actor: ActorId, now: &LeaseMoment) -> Result<(), StoreError> {
    for ticket in tickets::of_actor(db, actor)? {
        settle(db, ExpiryScope::File(&ticket.key), now)?;
        if let Some(ticket) = tickets::open_of(db, actor, &ticket.key)? {
            tell_anew(db, &ticket, now)?;
        }
    }
    Ok(())
}

fn leases_in(db: &Db, scope: ExpiryScope<'_>) -> Result<Vec<Lease>, StoreError> {
    let mut found = Vec::new();
    match scope {
        ExpiryScope::File(key) => {
            found.extend(leases::held(db, key)?);
            found.extend(leases::everything(db, key.worktree)?);
            found.extend(leases::reservations(db, key.worktree)?);
        }
        ExpiryScope::Worktree(id) => {
            found.extend(leases::in_worktree(db, Some(id))?);
            found.extend(leases::reservations(db, Some(id))?);
        }
        ExpiryScope::All => found.extend(leases::list(db, &LeaseFilter::default())?),
    }
    Ok(found)
}

fn tickets_in(db: &Db, scope: ExpiryScope<'_>) -> Result<Vec<Ticket>, StoreError> {
    match scope {
        ExpiryScope::File(key) => tickets::waiting(db, key),
        ExpiryScope::Worktree(id) => tickets::in_worktree(db, Some(id)),
        ExpiryScope::All => tickets::all_open(db),
    }
}

/// Whether the lease was over, and something was done about it.
fn is_settled(db: &Db, lease: &Lease, now: &LeaseMoment) -> Result<bool, StoreError> {
    if lease.kind == LeaseKind::Reserve {
        let is_over = lease.expires.is_some_and(|ends| now.moment.until(ends) == 0);
        if is_over {
            release::end(db, lease, EndReason::Expired, now)?;
        }
        return Ok(is_over);
    }
    let Some(holder) = actors::by_id(db, lease.holder())? else {
        release::end(db, lease, EndReason::ActorEnd, now)?;
        return Ok(true);
    };
    if is_missing(&holder, now) {
        let occasion = Occasion {
            event: None,
            now: *now,
        };
        end::agent(db, &holder, end::MISSING, occasion)?;
        return Ok(true);
    }
    let Some(reason) = overdue(db, lease, &holder, now)? else {
        return Ok(false);
    };
    match lease.lent_to {
        Some(_) => leases::give_back(db, lease.id)?,
        None => release::end(db, lease, reason, now)?,
    }
    Ok(true)
}

/// Who holds a lease at this moment; nobody if it is over, though nobody has ended it yet. Changes nothing.
pub fn holder_now(db: &Db, lease: &Lease, now: &LeaseMoment) -> Result<Option<ActorId>, StoreError> {
    if lease.kind == LeaseKind::Reserve {
        let is_over = lease.expires.is_some_and(|ends| now.moment.until(ends) == 0);
        return Ok((!is_over).then_some(lease.owner));
    }
    for holder in [lease.lent_to, Some(lease.owner)].into_iter().flatten() {
        let Some(actor) = actors::by_id(db, holder)? else {
            continue;
        };
        if !is_missing(&actor, now) && overdue(db, lease, &actor, now)?.is_none() {
            return Ok(Some(holder));
        }
    }
    Ok(None)
}

/// Why an actor's hold on a lease is over, if it is.
fn overdue(
    db: &Db,
    lease: &Lease,
    holder: &Actor,
    now: &LeaseMoment,
) -> Result<Option<EndReason>, StoreError> {
    if holder.state != ActorState::Live {
        return Ok(Some(EndReason::ActorEnd));
    }
    if lease.process.is_some() {
        // A person's command sends no events; as long as its process lives, so does it.
        let is_over = now.moment.since(lease.touched) >= now.terms.most_ms;
        return Ok(is_over.then_some(EndReason::Expired));
    }
    let silent = now.moment.since(holder.last());
    if silent >= now.terms.most_ms {
        return Ok(Some(EndReason::Expired));
    }
    let is_idle = silent >= now.terms.idle_ms && !calls::has_open(db, holder.id)?;
    Ok(is_idle.then_some(EndReason::Idle))
}

/// Whether an agent that its client no longer lists has been silent for long enough.
pub(super) fn is_missing(actor: &Actor, now: &LeaseMoment) -> bool {
    actor.state == ActorState::Live
        && actor.missing_since.is_some()
        && now.moment.since(actor.last()) >= SILENCE_MS
}

fn settle_ticket(db: &Db, ticket: &Ticket, now: &LeaseMoment) -> Result<(), StoreError> {
    // What was settled before may have moved it on.
    let Some(ticket) = tickets::open_of(db, ticket.actor, &ticket.key)?.filter(|open| open.id == ticket.id)
    else {
        return Ok(());
    };
    match ticket.offered_until {
        Some(until) if ticket.state == TicketState::Offered && now.moment.until(until) == 0 => {
            tickets::leave(db, &ticket, TicketState::Passed)?;
            offer_next(db, &ticket.key, now)?;
        }
        _ if ticket.state == TicketState::Waiting && now.moment.since(ticket.created) >= LONGEST_WAIT_MS => {
            tickets::leave(db, &ticket, TicketState::Dropped)?;
        }
        _ => {}
    }
    Ok(())
}
