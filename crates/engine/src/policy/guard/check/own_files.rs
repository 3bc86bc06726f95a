//! Toprope's own files.

use super::CheckContext;
use crate::policy::guard::command_view::CommandView;
use crate::policy::guard::loss::{HarmKind, harms};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::own::{holds_ours, names_our_refs};
use crate::policy::guard::path::is_within;
use crate::policy::guard::zone::{Zone, of_path};
use shell::{CommandHost, Stdin, Word};

/// Writing, removing, moving or opening up what is ours.
pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.command.place != CommandHost::Local {
        return None;
    }
    for harm in harms(seen) {
        let zoned = seen.zone(&harm.target, look.world);
        let takes_all = harm.deep
            && !harm.narrowed
            && !zoned.whole
            && !matches!(zoned.zone, Zone::System | Zone::Git)
            && matches!(harm.how, HarmKind::Remove | HarmKind::Move)
            && zoned
                .path
                .as_deref()
                .is_some_and(|path| holds_ours(path, look.world));
        if zoned.zone == Zone::Own || takes_all {
            return Some(Hit {
                zone: Some(Zone::Own),
                ..Hit::yes().about(shown_word(&harm.target))
            });
        }
    }
    for word in also_written(seen) {
        if seen.zone(word, look.world).zone == Zone::Own {
            return Some(Hit {
                zone: Some(Zone::Own),
                ..Hit::yes().about(shown_word(word))
            });
        }
    }
    let changes_refs = seen.program == Some("git")
        && names_our_refs(seen)
        && matches!(
            seen.usage.sub.first().copied(),
            Some(
                "update-ref" | "symbolic-ref" | "branch" | "tag" | "push" | "fetch" | "reflog" | "pack-refs"
            )
        );
    changes_refs.then(|| Hit::yes().about("refs/toprope"))
}

/// Words that are written or removed by programs which elsewhere do no harm.
fn also_written<'a>(seen: &'a CommandView<'a>) -> Vec<&'a Word> {
    let words = || seen.operands().iter().map(|operand| operand.word);
    match seen.program {
        Some("git") => {
            let changes = (seen.sub(&["rm"]) && !seen.has(&["--cached"])) || seen.sub(&["mv"]);
            if changes && !seen.has(&["-n", "--dry-run"]) {
                words().collect()
            } else {
                Vec::new()
            }
        }
        Some("ln" | "rsync") if seen.operands().len() > 1 => words().next_back().into_iter().collect(),
        Some("patch") => words().take(1).collect(),
        Some("touch") => words().collect(),
        Some("yq") if seen.has(&["-i", "--inplace"]) => words().skip(1).collect(),
        Some(_) | None => Vec::new(),
    }
}

/// A database client that writes into our database.
pub(super) fn database(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let home = look.world.facts.own.home.as_deref()?;
    let ours = seen.operands().iter().find(|operand| {
        operand.word.literal().is_some_and(|path| {
            let path = path.strip_prefix("file:").unwrap_or(path);
            let path = path.split('?').next().unwrap_or(path);
            crate::policy::guard::path::absolute(path, seen.command.cwd.as_deref()).is_some_and(|path| {
                is_within(&path, home)
                    && of_path(&path, seen.command.cwd.as_deref(), look.world).zone == Zone::Own
            })
        })
    })?;
    let reads = ["select", "explain", "pragma", "with", "analyze", "begin", "end"];
    let only_reads = !seen.command.statements.is_empty()
        && seen
            .command
            .statements
            .iter()
            .all(|statement| reads.contains(&statement.verb.as_str()));
    let tells_nothing = seen.command.statements.is_empty()
        && seen.operands().iter().skip(1).all(|operand| {
            operand.word.literal().is_some_and(|text| {
                text.starts_with('.') || text.trim_start().to_lowercase().starts_with("select")
            })
        })
        && matches!(seen.command.stdin, Stdin::Nothing)
        && seen.operands().len() > 1;
    let is_read_only = seen.has(&["-readonly", "--readonly"]);
    (!only_reads && !tells_nothing && !is_read_only).then(|| Hit::yes().about(shown_word(ours.word)))
}

/// Whether a word names something of ours, for other checks of this kind.
pub(super) fn says_toprope(word: &Word) -> bool {
    let says = |text: &str| text.to_lowercase().contains("toprope");
    match word {
        Word::Literal(text) => says(text),
        Word::OneOf(texts) => texts.iter().any(|text| says(text)),
        Word::Glob { pattern } => says(pattern),
        Word::Unknown { prefix, suffix, .. } => says(prefix) || says(suffix),
    }
}
