//! What is free when something ends: a call, a turn, an actor, a worktree. Whoever waited for it is next.

use super::offer::offer_next;
use super::{LeaseMoment, offer};
use crate::db::Db;
use crate::table::actors::{self, Actor, ActorState};
use crate::table::leases::{self, Lease};
use crate::table::tickets::{self, TicketState};
use crate::table::tokens;
use crate::{StoreError, fault};
use engine::id::{ActorId, EventSeq, LeaseId, WorktreeId};
use engine::lease::{EndReason, LeaseKind, Means};
use engine::lifecycle::CallEnd;

/// Ends one lease, whatever its kind, and offers what is free now; false if it had ended before.
pub fn end_lease(db: &Db, id: LeaseId, reason: EndReason, now: &LeaseMoment) -> Result<bool, StoreError> {
    let Some(lease) = leases::by_id(db, id)?.filter(|lease| lease.ended.is_none()) else {
        return Ok(false);
    };
    end(db, &lease, reason, now)?;
    Ok(true)
}

/// The folder of a worktree is gone: so is everything held or waited for in it.
pub fn end_worktree(
    db: &Db,
    worktree: WorktreeId,
    reason: EndReason,
    now: &LeaseMoment,
) -> Result<(), StoreError> {
    for ticket in tickets::in_worktree(db, Some(worktree))? {
        tickets::leave(db, &ticket, TicketState::Dropped)?;
    }
    let held = leases::in_worktree(db, Some(worktree))?;
    for lease in held.into_iter().chain(leases::reservations(db, Some(worktree))?) {
        leases::close(db, lease.id, reason, now.moment.at)?;
    }
    Ok(())
}

/// Calls closed: what they wrote stays, what they only held is free.
pub(super) fn calls(db: &Db, closed: &[EventSeq], how: CallEnd, now: &LeaseMoment) -> Result<(), StoreError> {
    for call in closed {
        for lease in leases::under_call(db, *call)? {
            if how == CallEnd::Done && lease.means == Means::Tool && !lease.is_everything() {
                leases::wrote(db, lease.id, now.moment)?;
            } else if lease.is_everything()
                || (lease.writes == 0 || ends_with(&lease, how)) && !lease.background
            {
                end(db, &lease, unwritten(&lease, how), now)?;
            } else {
                leases::detach(db, lease.id)?;
            }
        }
    }
    Ok(())
}

/// Whether a lease was taken for its call alone, and that ran to its end.
fn ends_with(lease: &Lease, how: CallEnd) -> bool {
    lease.call_only && matches!(how, CallEnd::Done | CallEnd::Failed)
}

fn unwritten(lease: &Lease, how: CallEnd) -> EndReason {
    match how {
        CallEnd::Interrupted => EndReason::Interrupted,
        CallEnd::SessionEnd => EndReason::SessionEnd,
        CallEnd::Done | CallEnd::Failed | CallEnd::NotRun if lease.is_everything() => EndReason::Released,
        CallEnd::Done | CallEnd::Failed if ends_with(lease, how) => EndReason::CallEnd,
        CallEnd::Done | CallEnd::Failed | CallEnd::NotRun => EndReason::NoWrite,
    }
}

/// A turn is over: its files are free, unless a main thread keeps them, and it stands in line no more. A main thread hears with
/// its next prompt what it waited for.
pub(super) fn turn(db: &Db, actor: &Actor, now: &LeaseMoment) -> Result<(), StoreError> {
    tokens::end_background(db, actor.id)?;
    let becomes = if actor.key.agent.is_none() {
        TicketState::Remembered
    } else {
        TicketState::Dropped
    };
    leave_lines(db, actor.id, becomes, now)?;
    if now.terms.past_turn && actor.key.agent.is_none() {
        return Ok(());
    }
    for lease in leases::held_by(db, actor.id)? {
        if lease.kind == LeaseKind::Edit {
            let_go(db, actor.id, &lease, EndReason::TurnEnd, now)?;
        }
    }
    Ok(())
}

/// A conversation goes on that was cut off: it has what it wrote until it stops, and waits for nothing.
pub(super) fn resumed(db: &Db, actor: ActorId, now: &LeaseMoment) -> Result<(), StoreError> {
    tokens::end_background(db, actor)?;
    leave_lines(db, actor, TicketState::Remembered, now)?;
    for lease in leases::held_by(db, actor)? {
        if lease.kind == LeaseKind::Edit && lease.writes == 0 {
            let_go(db, actor, &lease, EndReason::Interrupted, now)?;
        }
    }
    Ok(())
}

/// An actor is over, and with it all it held or waited for.
pub(super) fn actor(db: &Db, actor: ActorId, reason: EndReason, now: &LeaseMoment) -> Result<(), StoreError> {
    tokens::end_background(db, actor)?;
    // A conversation that is taken up again hears of what it waited for with its first prompt.
    let may_return = actors::by_id(db, actor)?.is_some_and(|actor| actor.key.agent.is_none());
    let becomes = if may_return {
        TicketState::Remembered
    } else {
        TicketState::Dropped
    };
    leave_lines(db, actor, becomes, now)?;
    for ticket in tickets::remembered(db, actor)?.iter().filter(|_| !may_return) {
        tickets::forget(db, ticket.id)?;
    }
    for lease in leases::held_by(db, actor)? {
        let_go(db, actor, &lease, reason, now)?;
    }
    Ok(())
}

/// What is borrowed goes back, what is lent becomes the borrower's own, the rest ends.
fn let_go(
    db: &Db,
    actor: ActorId,
    lease: &Lease,
    reason: EndReason,
    now: &LeaseMoment,
) -> Result<(), StoreError> {
    let other = match lease.lent_to {
        Some(borrower) if borrower == actor => lease.owner,
        Some(borrower) => borrower,
        None => return end(db, lease, reason, now),
    };
    if !is_live(db, other)? {
        end(db, lease, reason, now)
    } else if other == lease.owner {
        leases::give_back(db, lease.id)
    } else {
        leases::hand_over(db, lease.id)
    }
}

fn is_live(db: &Db, actor: ActorId) -> Result<bool, StoreError> {
    Ok(actors::by_id(db, actor)?.is_some_and(|actor| actor.state == ActorState::Live))
}

/// Ends a lease, and offers what it held to the next in line.
pub(super) fn end(db: &Db, lease: &Lease, reason: EndReason, now: &LeaseMoment) -> Result<(), StoreError> {
    leases::close(db, lease.id, reason, now.moment.at)?;
    fault::point("lease-end");
    if lease.pattern.is_some() {
        offer::offer_under(db, lease, now)
    } else {
        offer_next(db, &lease.key, now).map(drop)
    }
}

/// An actor stands in line no more; what was promised to it goes to the next.
fn leave_lines(db: &Db, actor: ActorId, becomes: TicketState, now: &LeaseMoment) -> Result<(), StoreError> {
    for ticket in tickets::of_actor(db, actor)? {
        tickets::leave(db, &ticket, becomes)?;
        if ticket.state == TicketState::Offered {
            offer_next(db, &ticket.key, now)?;
        }
    }
    Ok(())
}
