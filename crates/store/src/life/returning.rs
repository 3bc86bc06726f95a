//! Who was cut off and goes on gets back what nobody took meanwhile.

use super::LeaseMoment;
use crate::StoreError;
use crate::db::Db;
use crate::table::actors::Actor;
use crate::table::leases::{self, Taking};
use crate::table::tickets;

/// Silence shorter than this ends no lease, whatever the settings say.
const SHORTEST_IDLE_MS: u64 = 60_000;

/// Whether an actor was silent for so long before this event that leases may have ended as idle.
pub(super) fn may_have_lost(actor: &Actor) -> bool {
    actor.last().since(actor.previous) >= SHORTEST_IDLE_MS
}

/// Brings back the leases that ended while the actor was away, as far as nobody took, reserved or was promised them.
pub(super) fn bring_back(db: &Db, actor: &Actor, now: &LeaseMoment) -> Result<(), StoreError> {
    for lease in leases::cut_off_after(db, actor.id, actor.previous.at)? {
        let is_taken = leases::held(db, &lease.key)?.is_some()
            || leases::everything(db, lease.key.worktree)?.is_some_and(|all| all.holder() != actor.id)
            || leases::reservations_over(db, &lease.key)?
                .iter()
                .any(|reserved| reserved.owner != actor.id)
            || tickets::offered(db, &lease.key)?.is_some_and(|ticket| ticket.actor != actor.id);
        if !is_taken && leases::bring_back(db, &lease)? {
            let taking = Taking {
                actor: actor.id,
                project: lease.project,
                call: None,
                means: lease.means,
                at: now.moment,
            };
            leases::touch(db, lease.id, &taking)?;
            tickets::used(db, actor.id, &lease.key)?;
        }
    }
    Ok(())
}
