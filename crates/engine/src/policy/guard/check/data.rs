//! Statements that take data away: held once where the database is a file of this worktree.

use super::CheckContext;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::verdict::{HarmClass, Ruling};
use crate::policy::guard::zone::{Zone, is_void};
use shell::CommandHost;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let mut hit = Hit::yes();
    if let Some(statement) = seen.command.statements.iter().find(|statement| {
        !matches!(
            statement.verb.as_str(),
            "select" | "insert" | "create" | "explain" | "pragma" | "show" | "describe"
        )
    }) {
        hit.targets.push(statement.text.clone());
    }
    let is_file =
        seen.is(&["sqlite3", "sqlite", "duckdb", "litecli"]) && seen.command.place == CommandHost::Local;
    if is_file && let Some(file) = seen.operands().first() {
        if file
            .word
            .literal()
            .is_some_and(|text| text == ":memory:" || is_void(text))
        {
            return None;
        }
        let zone = seen.zone(file.word, look.world).zone;
        match zone {
            Zone::Created | Zone::Regenerable => return None,
            Zone::Tree | Zone::Ignored | Zone::Scratch => {
                hit.class = Some(HarmClass::Recoverable);
                hit.verdict = Some(Ruling::OneStrike);
            }
            Zone::Unknown
            | Zone::Elsewhere
            | Zone::Home
            | Zone::Secret
            | Zone::Own
            | Zone::Git
            | Zone::System => {}
        }
        hit.zone = Some(zone);
        hit.targets.push(shown_word(file.word));
    }
    Some(hit)
}
