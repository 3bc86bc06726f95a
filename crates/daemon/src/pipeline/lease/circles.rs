//! Notices about circles: whoever stands in none any more is not told of one.

use engine::facts::OwedNotice;
use engine::id::ActorId;
use engine::lease::notice::CYCLE;
use store::table::notices;
use store::{Db, StoreError, life};

/// Takes what is over out of what an actor is owed.
pub fn forget_broken(db: &Db, actor: ActorId, owed: &mut Vec<OwedNotice>) -> Result<(), StoreError> {
    if !owed.iter().any(|notice| notice.kind == CYCLE) || stands_in_one(db, actor)? {
        return Ok(());
    }
    for notice in owed.extract_if(.., |notice| notice.kind == CYCLE) {
        notices::forget(db, notice.id)?;
    }
    Ok(())
}

/// Whether one of those that keep an actor waiting waits for it in turn.
fn stands_in_one(db: &Db, actor: ActorId) -> Result<bool, StoreError> {
    let waits = life::waits(db, actor)?;
    Ok(waits.iter().any(|wait| wait.lease.holder() == actor))
}
