//! Decoded text that runs and that nobody can read. Literal text was decoded and is judged itself.

use super::CheckContext;
use crate::policy::guard::exec::{decodes, fetches, makers};
use crate::policy::guard::match_result::Hit;
use shell::UnreadCause;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let unread = seen.intent.notes.iter().any(|note| {
        note.command == Some(seen.index)
            && matches!(
                note.cause,
                UnreadCause::UnknownCode | UnreadCause::UnknownInput | UnreadCause::UnknownProgram
            )
    });
    let unnamed = seen.command.argv.first().is_some_and(shell::Word::is_unknown);
    let interprets = crate::policy::guard::exec::is_interpreter(seen);
    if !unread && !unnamed && !interprets {
        return None;
    }
    let makers = makers(seen, look.world);
    if makers.iter().any(|command| fetches(command)) {
        return None;
    }
    makers
        .into_iter()
        .find(|command| decodes(command))
        .map(|command| Hit::yes().about(command.text.clone()).fed_by(command))
}
