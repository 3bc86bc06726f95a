//! A reported start: the window it opens, and the one it follows.

use super::{Acting, end, release};
use crate::StoreError;
use crate::db::Db;
use crate::table::sessions::{self, WindowStart};
use crate::table::{actors, events, turns};
use engine::event::StartSource;
use engine::id::SessionId;
use engine::lifecycle::{CallEnd, TurnEnd};

/// Opens the window a start reports, and ends the one before.
pub(super) fn open(
    db: &Db,
    acting: &Acting<'_>,
    source: &StartSource,
    model: Option<&str>,
) -> Result<SessionId, StoreError> {
    let is_compaction = *source == StartSource::Compact;
    if !is_compaction {
        // A turn goes on across a compaction; any other start finds only what was cut off.
        let occasion = acting.occasion();
        end::close_calls(db, acting.actor.id, false, CallEnd::Interrupted, occasion)?;
        turns::close(db, acting.actor.id, TurnEnd::Interrupted, acting.at)?;
        actors::set_turn_open(db, acting.actor.id, false)?;
        if *source == StartSource::Resume {
            release::resumed(db, acting.actor.id, &occasion.now)?;
        } else {
            release::turn(db, acting.actor, &occasion.now)?;
        }
    }
    // Some events come before the start is reported, the start itself included: their window is this one.
    let is_this = !is_compaction && sessions::is_untouched(db, acting.session)?;
    let own = if is_this {
        sessions::previous_of(db, acting.session)?
    } else {
        Some(acting.session)
    };
    let opening = WindowStart {
        source,
        model,
        previous: own.map_or_else(|| of_process(db, acting, source), |own| Ok(Some(own)))?,
        at: acting.at,
    };
    if is_this {
        sessions::adopt(db, acting.session, &opening)?;
        return Ok(acting.session);
    }
    sessions::end_of_actor(db, acting.actor.id, source.as_str(), acting.at)?;
    let session = sessions::follow(db, acting.session, &opening)?;
    events::set_session(db, acting.event, session)?;
    Ok(session)
}

/// What a session with a new id goes on from: the last conversation in the same process.
fn of_process(db: &Db, acting: &Acting<'_>, source: &StartSource) -> Result<Option<SessionId>, StoreError> {
    match source {
        StartSource::Clear | StartSource::Fork => {
            sessions::latest_of_process(db, acting.client, acting.session)
        }
        StartSource::Startup | StartSource::Resume | StartSource::Compact | StartSource::Other(_) => Ok(None),
    }
}
