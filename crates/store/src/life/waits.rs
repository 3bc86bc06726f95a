//! Who waits for whom: the graph in which circles are looked for.

use crate::StoreError;
use crate::db::Db;
use crate::table::leases::{self, Lease};
use crate::table::tickets::{self, Ticket, TicketState};
use engine::id::ActorId;
use std::collections::BTreeSet;

/// At most so many waits are followed.
const MOST: usize = 1000;

/// One actor waits for what another holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitRow {
    /// The ticket.
    pub ticket: Ticket,
    /// The lease that stands in the way.
    pub lease: Lease,
}

/// What an actor waits for, what those wait for who have it, and so on.
pub fn waits(db: &Db, from: ActorId) -> Result<Vec<WaitRow>, StoreError> {
    let mut found = Vec::new();
    let mut known = BTreeSet::from([from]);
    let mut next = vec![from];
    while let Some(actor) = next.pop() {
        for ticket in tickets::of_actor(db, actor)? {
            if ticket.state != TicketState::Waiting || found.len() >= MOST {
                continue;
            }
            for lease in in_the_way(db, &ticket)? {
                if known.insert(lease.holder()) {
                    next.push(lease.holder());
                }
                found.push(WaitRow {
                    ticket: ticket.clone(),
                    lease,
                });
            }
        }
    }
    Ok(found)
}

fn in_the_way(db: &Db, ticket: &Ticket) -> Result<Vec<Lease>, StoreError> {
    let mut found: Vec<Lease> = leases::held(db, &ticket.key)?.into_iter().collect();
    found.extend(leases::everything(db, ticket.key.worktree)?);
    found.extend(leases::reservations_over(db, &ticket.key)?);
    found.retain(|lease| lease.holder() != ticket.actor);
    Ok(found)
}
