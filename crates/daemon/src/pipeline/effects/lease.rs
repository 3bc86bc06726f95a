//! Takes, lends, ends and queues for files as the round says.

use super::EventScope;
use engine::effect::{Audience, Effect, Owed};
use engine::event::EventKind;
use engine::id::{EventSeq, LeaseId};
use engine::lease::{LeaseEffect, Means};
use engine::round::Round;
use store::StoreError;
use store::life::{self, LeaseMoment};
use store::table::leases::{self, TakeResult, Taking};
use store::table::notices;
use store::table::tickets::{self, Queueing};

impl EventScope<'_> {
    /// What a call wrote counts before it closes: whatever it held without writing is free then.
    pub fn apply_writes(&self, round: &Round, now: &LeaseMoment) -> Result<(), StoreError> {
        for effect in &round.effects {
            match effect {
                Effect::Lease(LeaseEffect::Wrote { lease }) => leases::wrote(self.db, *lease, now.moment)?,
                Effect::Lease(LeaseEffect::TakeWritten { key, means }) => {
                    let taken = leases::take(self.db, &self.taking(*means, None, now), key)?;
                    if let TakeResult::New(lease) | TakeResult::Again(lease) = taken {
                        leases::wrote(self.db, lease, now.moment)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Everything else about leases. Who is put in line comes before what ends, so that it is offered to them.
    pub fn apply_leases(&self, round: &Round, now: &LeaseMoment) -> Result<(), StoreError> {
        let changes = || {
            round.effects.iter().filter_map(|effect| match effect {
                Effect::Lease(change) => Some(change),
                _ => None,
            })
        };
        for change in changes() {
            self.apply_lease(change, now)?;
        }
        for change in changes() {
            if let LeaseEffect::End { lease, reason } = change {
                life::end_lease(self.db, *lease, *reason, now)?;
            }
        }
        Ok(())
    }

    fn apply_lease(&self, change: &LeaseEffect, now: &LeaseMoment) -> Result<(), StoreError> {
        match change {
            LeaseEffect::Take {
                key,
                means,
                background,
                call_only,
            } => {
                let taken = leases::take(self.db, &self.taking(*means, self.call(), now), key)?;
                match taken {
                    TakeResult::New(lease) | TakeResult::Again(lease) if *background => {
                        leases::go_on_in_background(self.db, lease)?;
                    }
                    TakeResult::New(lease) if *call_only => leases::end_with_call(self.db, lease)?,
                    TakeResult::New(_) | TakeResult::Again(_) | TakeResult::Held(_) => {}
                }
            }
            LeaseEffect::TakeAll { worktree, command } => {
                let taking = self.taking(Means::Shell, self.call(), now);
                leases::take_all(self.db, &taking, *worktree, command)?;
            }
            LeaseEffect::Lend { lease } => self.lend(*lease, now)?,
            LeaseEffect::Touch { lease, background } => {
                let means = self.means();
                leases::touch(self.db, *lease, &self.taking(means, self.call(), now))?;
                if *background {
                    leases::go_on_in_background(self.db, *lease)?;
                }
            }
            LeaseEffect::Queue { key, .. } => {
                tickets::queue(
                    self.db,
                    &Queueing {
                        actor: self.actor,
                        key,
                        denied: true,
                        at: now.moment,
                    },
                )?;
            }
            LeaseEffect::Tell {
                actor,
                kind,
                key,
                text,
            } => {
                let owed = Owed {
                    audience: Audience::Actor,
                    kind: (*kind).to_owned(),
                    key: key.clone(),
                    text: text.clone(),
                };
                notices::owe(self.db, &owed, Some(*actor), self.at)?;
            }
            LeaseEffect::Told { kind, key } => {
                notices::told(self.db, self.actor, kind, key, self.event, self.at)?;
            }
            // Carried out before the call closes, and after everybody is in line.
            LeaseEffect::Wrote { .. } | LeaseEffect::TakeWritten { .. } | LeaseEffect::End { .. } => {}
        }
        Ok(())
    }

    fn lend(&self, lease: LeaseId, now: &LeaseMoment) -> Result<(), StoreError> {
        leases::lend(self.db, lease, &self.taking(self.means(), self.call(), now))
    }

    fn taking(&self, means: Means, call: Option<EventSeq>, now: &LeaseMoment) -> Taking {
        Taking {
            actor: self.actor,
            project: self.project,
            call,
            means,
            at: now.moment,
        }
    }

    /// The call this event opens.
    fn call(&self) -> Option<EventSeq> {
        matches!(self.subject.kind, EventKind::ToolBefore { .. }).then_some(self.event)
    }

    fn means(&self) -> Means {
        let call = self.subject.kind.call();
        let runs = call.is_some_and(|call| matches!(call.action(), engine::tool::Action::RunCommand { .. }));
        if runs { Means::Shell } else { Means::Tool }
    }
}
