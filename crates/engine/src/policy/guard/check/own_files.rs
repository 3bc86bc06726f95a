//! Toprope's own files, and our entries in agents' settings.

use super::Look;
use crate::policy::guard::entries;
use crate::policy::guard::harm::{How, harms};
use crate::policy::guard::hit::Hit;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::own::{holds_ours, is_agent_settings, names_our_refs};
use crate::policy::guard::path::is_within;
use crate::policy::guard::seen::Seen;
use crate::policy::guard::zone::{Zone, of_path};
use crate::shell::{Place, Stdin, Word};

/// Writing, removing, moving or opening up what is ours.
pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.command.place != Place::Local {
        return None;
    }
    for harm in harms(seen) {
        let zoned = seen.zone(&harm.target, look.world);
        let takes_all = harm.deep
            && !harm.narrowed
            && !zoned.whole
            && !matches!(zoned.zone, Zone::System | Zone::Git)
            && matches!(harm.how, How::Remove | How::Move)
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
fn also_written<'a>(seen: &'a Seen<'a>) -> Vec<&'a Word> {
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

/// Writing to a settings file of an agent so that our entries may change, or hooks are switched off.
pub(super) fn settings(look: &Look<'_>) -> Option<Hit> {
    changes_settings(look, |before, after| match after {
        After::Text(after) => !entries::are_kept(before, after),
        After::Gone => entries::are_in(before),
        After::Unknown => true,
    })
}

/// Writing variables that steer us under `env` of an agent's settings file.
pub(super) fn variables(look: &Look<'_>) -> Option<Hit> {
    changes_settings(look, |before, after| match after {
        After::Text(after) => entries::sets_variables(before, after),
        After::Gone | After::Unknown => false,
    })
}

/// What a settings file holds after a command.
enum After<'a> {
    Text(&'a str),
    Gone,
    /// Nobody can tell before it ran.
    Unknown,
}

fn changes_settings(look: &Look<'_>, is_wrong: impl Fn(&str, After<'_>) -> bool) -> Option<Hit> {
    let seen = look.seen;
    if seen.command.place != Place::Local {
        return None;
    }
    for harm in harms(seen) {
        let zoned = seen.zone(&harm.target, look.world);
        let Some(path) = zoned.path.as_deref() else {
            continue;
        };
        if matches!(harm.how, How::Mode) && !harm.deep && !is_agent_settings(path, look.world) {
            continue;
        }
        let deep = harm.deep && path.ends_with("/.claude");
        let file = if deep {
            format!("{path}/settings.json")
        } else {
            path.to_owned()
        };
        if is_agent_settings(&file, look.world) && is_changed(&file, harm.how, look, &is_wrong) {
            return Some(Hit {
                zone: Some(Zone::Own),
                ..Hit::yes().about(shown_word(&harm.target))
            });
        }
    }
    None
}

/// Whether a file is changed as it may not be; one nobody could read counts as one that holds our entries.
fn is_changed(path: &str, how: How, look: &Look<'_>, is_wrong: &impl Fn(&str, After<'_>) -> bool) -> bool {
    let Some(before) = look.world.text(path) else {
        return is_wrong("toprope", After::Gone);
    };
    let before = before.unwrap_or_default();
    match how {
        How::Remove | How::Move | How::Empty | How::Mode => is_wrong(before, After::Gone),
        How::Overwrite | How::Append => match entries::after(look.seen, before) {
            Some(after) => is_wrong(before, After::Text(&after)),
            None => is_wrong(before, After::Unknown),
        },
    }
}

/// A database client that writes into our database.
pub(super) fn database(look: &Look<'_>) -> Option<Hit> {
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
