//! Says once a session that its agents cannot be told apart, so that nobody counts on more than there is.

use super::super::effects::EventScope;
use engine::effect::{Audience, Owed};
use engine::lease::notice;
use engine::lifecycle::LifecycleStep;
use engine::policy::lease::message::SESSION_IDENTITY;
use engine::settings::{LeaseSettings, Mode};
use store::StoreError;
use store::table::{actors, notices, sessions};

/// Owes the session's main thread the text, if this event showed that its client names no agents. Of such a client every
/// event is the main thread's.
pub fn own_up(
    source: &EventScope<'_>,
    steps: &[LifecycleStep],
    settings: &LeaseSettings,
) -> Result<(), StoreError> {
    let doubts = |step: &LifecycleStep| matches!(step, LifecycleStep::DoubtIdentity { .. });
    if settings.mode == Mode::Off || !steps.iter().any(doubts) {
        return Ok(());
    }
    let owed = Owed {
        audience: Audience::Actor,
        kind: notice::IDENTITY.to_owned(),
        key: source.key.session.to_string(),
        text: SESSION_IDENTITY.to_owned(),
    };
    if !sessions::is_indistinct(source.db, source.key)? || notices::was_owed(source.db, &owed)? {
        return Ok(());
    }
    match actors::by_key(source.db, &source.key.main())? {
        Some(main) => notices::owe(source.db, &owed, main.id, source.at),
        None => Ok(()),
    }
}
