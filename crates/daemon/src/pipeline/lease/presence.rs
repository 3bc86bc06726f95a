//! Who is still there: without a daemon nobody else notices that a process is gone, so it is looked for wherever one stands
//! in the way.

use super::cut_off::close_lost;
use super::gathering::Gathering;
use super::orphan::end_orphan;
use crate::pipeline::AgentEvent;
use crate::process;
use engine::event::EventKind;
use engine::id::{ActorId, WorktreeId};
use engine::lease::FileKey;
use std::collections::BTreeSet;
use store::table::leases::{self, Lease};
use store::table::sessions;
use store::table::tickets::{self, Ticket, TicketState};
use store::{StoreError, life};

impl Gathering<'_> {
    /// The lease on a file, once what is over has ended, of somebody who is still there.
    pub(super) fn holder(&self, key: &FileKey) -> Result<Option<Lease>, StoreError> {
        if let Some(worktree) = key.worktree {
            end_orphan(self.db, worktree, self.now)?;
        }
        let found = self.of_the_present(|| self.covering(key), |lease| Some(lease.holder()))?;
        Ok(found.into_iter().next())
    }

    /// Another's lease on the whole worktree, else the one on the file. Who puts files back takes the worktree though
    /// others hold files in it: they wait as well.
    fn covering(&self, key: &FileKey) -> Result<Vec<Lease>, StoreError> {
        let found = match leases::everything(self.db, key.worktree)? {
            Some(all) if all.holder() != self.actor.id => Some(all),
            all => leases::held(self.db, key)?.or(all),
        };
        Ok(found.into_iter().collect())
    }

    /// The reservations over a file of those who are still there.
    pub(super) fn reserved_over(&self, key: &FileKey) -> Result<Vec<Lease>, StoreError> {
        self.of_the_present(
            || leases::reservations_over(self.db, key),
            |lease| Some(lease.owner),
        )
    }

    /// The same in a whole worktree.
    pub(super) fn reserved_in(&self, worktree: WorktreeId) -> Result<Vec<Lease>, StoreError> {
        self.of_the_present(
            || leases::reservations(self.db, Some(worktree)),
            |lease| Some(lease.owner),
        )
    }

    /// The line before a file; whoever it is promised to is still there.
    pub(super) fn line(&self, key: &FileKey) -> Result<Vec<Ticket>, StoreError> {
        self.of_the_present(
            || tickets::waiting(self.db, key),
            |ticket| (ticket.state == TicketState::Offered).then_some(ticket.actor),
        )
    }

    /// Brings what the actor waits for up to the moment, before it is told what it is owed.
    pub fn settle_waits(&self) -> Result<(), StoreError> {
        let prompted = |subject: &AgentEvent| matches!(subject.event.kind, EventKind::Prompt { .. });
        if self.subject.is_some_and(prompted) {
            life::remind(self.db, self.actor.id, self.now)?;
        }
        for ticket in tickets::of_actor(self.db, self.actor.id)? {
            self.holder(&ticket.key)?;
            self.reserved_over(&ticket.key)?;
            self.line(&ticket.key)?;
        }
        life::settle_waits(self.db, self.actor.id, self.now)
    }

    /// What a question finds once everybody it finds is still there. Whoever is gone has ended, which may let others in.
    fn of_the_present<T>(
        &self,
        ask: impl Fn() -> Result<Vec<T>, StoreError>,
        whose: impl Fn(&T) -> Option<ActorId>,
    ) -> Result<Vec<T>, StoreError> {
        loop {
            let found = ask()?;
            let others: BTreeSet<i64> = found
                .iter()
                .filter_map(&whose)
                .filter(|actor| *actor != self.actor.id)
                .map(|actor| actor.0)
                .collect();
            let mut any_gone = false;
            for actor in others {
                any_gone |= self.ends_if_gone(ActorId(actor))?;
            }
            if !any_gone {
                return Ok(found);
            }
        }
    }

    /// Ends an actor whose process is gone, and everybody else of that process; false if it is there.
    fn ends_if_gone(&self, actor: ActorId) -> Result<bool, StoreError> {
        match sessions::process_of(self.db, actor)?.filter(process::is_gone) {
            Some(client) => Ok(close_lost(self.db, &client, *self.now)? > 0),
            None => Ok(false),
        }
    }
}
