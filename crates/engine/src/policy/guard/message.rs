//! Everything the guard says: what, why, instead, the way on. Short, escaped, without secrets.

use super::judged::{Finding, Judged};
use super::redact;
use super::verdict::{Class, Ruling};
use crate::shell::Word;
use crate::text::one_line;

/// Most characters of one message.
pub const LONGEST: usize = 900;
/// Most characters of a command in a message.
const LONGEST_COMMAND: usize = 120;
/// From this attempt at the same effect on, it is called one, and the person is told.
pub const INSISTS: u32 = 3;
/// Most findings told one by one.
const MOST_TOLD: usize = 3;

/// A command as people should see it: on one line, without secrets, shortened in the middle.
pub fn command(text: &str) -> String {
    middle(&one_line(&redacted(text), usize::MAX), LONGEST_COMMAND)
}

/// Longer texts are cut before they are searched for secrets, far behind what is shown of them.
const SEARCHED: usize = 4096;

/// The text without secrets; of a long one only its two ends, which are more than any message shows.
fn redacted(text: &str) -> String {
    if text.len() <= SEARCHED {
        return redact::text(text);
    }
    let head = text
        .get(..text.floor_char_boundary(SEARCHED / 2))
        .unwrap_or_default();
    let tail = text
        .get(text.ceil_char_boundary(text.len() - SEARCHED / 2)..)
        .unwrap_or_default();
    redact::text(&format!("{head} … {tail}"))
}

/// The text within `limit` characters, its middle left out.
fn middle(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let room = limit.saturating_sub(3);
    let head: String = text.chars().take(room.div_ceil(2)).collect();
    let tail: String = text.chars().skip(length - room / 2).collect();
    format!("{head} … {tail}")
}

/// A word as people should see it.
pub fn shown_word(word: &Word) -> String {
    match word {
        Word::Literal(text) => text.clone(),
        Word::OneOf(texts) => texts.join("|"),
        Word::Glob { pattern } => pattern.clone(),
        Word::Unknown {
            prefix, suffix, name, ..
        } => {
            let name = name
                .as_deref()
                .map_or_else(|| "…".to_owned(), |name| format!("${name}"));
            format!("{prefix}{name}{suffix}")
        }
    }
}

/// A number with its word.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Foreign text of a rule on one line.
fn plain(text: &str) -> String {
    one_line(&redacted(text), 300)
}

/// What the guard says about a judged command; empty where it says nothing.
pub fn of(judged: &Judged) -> String {
    let told = judged.told();
    let text = match judged.ruling {
        Ruling::Silent => String::new(),
        Ruling::Advise => advised(&told),
        Ruling::Rewrite => rewritten(judged),
        Ruling::OneStrike => held(judged, &told),
        Ruling::Ask => asked(&told),
        Ruling::Deny => denied(judged, &told),
    };
    limited(&text)
}

fn limited(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    // The way on stands at the end and must survive.
    let room = LONGEST - 3;
    let tail: String = text.chars().skip(text.chars().count() - room * 2 / 5).collect();
    let head: String = text.chars().take(room - room * 2 / 5).collect();
    format!("{head} … {tail}")
}

fn more(told: usize, all: usize) -> Option<String> {
    (all > told).then(|| format!("and {} more", all - told))
}

fn denied(judged: &Judged, told: &[&Finding]) -> String {
    let mut lines = Vec::new();
    for finding in told.iter().take(MOST_TOLD) {
        if finding.class == Class::Opaque {
            lines.push(opaque(finding));
            continue;
        }
        lines.push(format!(
            "Toprope stopped `{}` [{}].",
            command(&finding.segment),
            finding.rule
        ));
        lines.push(format!("Why: {}", plain(&finding.why)));
        let instead = match &finding.corrected {
            Some(corrected) => one_line(&redacted(corrected), 400),
            None => plain(&finding.instead),
        };
        if !instead.is_empty() {
            lines.push(format!("Instead: {instead}"));
        }
    }
    lines.extend(more(MOST_TOLD.min(told.len()), told.len()));
    if let Some(rewritten) = &judged.rewritten {
        lines.push(format!("Instead: {}", one_line(&redacted(rewritten), 400)));
    }
    if judged.attempt >= INSISTS {
        lines.push(format!("This is attempt {} at the same effect.", judged.attempt));
    }
    lines.extend(judged.left_out.clone());
    lines.extend(way_on(judged, told));
    lines.join("\n")
}

/// That rules of files are not in force, and which is the first.
pub fn left_out(first: &str, count: usize) -> String {
    let first = one_line(&redacted(first), 200);
    let more = more(1, count).map_or(String::new(), |more| format!(" {more}"));
    format!("Not every rule is in force: {first}{more}. A person can see them all: toprope doctor")
}

fn way_on(judged: &Judged, told: &[&Finding]) -> Option<String> {
    if told.iter().any(|finding| finding.is_own()) {
        return None;
    }
    let id = judged.request.as_deref();
    if !judged.attended {
        let parked = id.map_or_else(
            || "The request is parked.".to_owned(),
            |id| format!("The request is parked as {id}."),
        );
        return Some(format!(
            "No person is watching this session. {parked} Do not try another spelling: go on with other work, or stop and say what you need."
        ));
    }
    id.map(|id| format!("A person can allow it once: toprope guard allow {id} (in their own terminal)."))
}

fn held(judged: &Judged, told: &[&Finding]) -> String {
    let mut lines = Vec::new();
    let rules: Vec<&str> = told
        .iter()
        .take(MOST_TOLD)
        .map(|finding| finding.rule.as_str())
        .collect();
    let more_rules = more(rules.len(), told.len()).map_or(String::new(), |more| format!(" {more}"));
    lines.push(format!(
        "Toprope held this once [{}{more_rules}, one-strike].",
        rules.join(", ")
    ));
    for finding in told.iter().take(MOST_TOLD) {
        lines.push(format!(
            "`{}` {}.",
            command(&finding.segment),
            plain(&finding.what)
        ));
    }
    let safer = match &judged.rewritten {
        Some(rewritten) => one_line(&redacted(rewritten), 400),
        None => told
            .first()
            .map(|finding| plain(&finding.instead))
            .unwrap_or_default(),
    };
    if !safer.is_empty() {
        lines.push(format!("Safer: {safer}"));
    }
    lines.push(
        "This is a destructive command. If you are sure, run it again: a checkpoint is taken first."
            .to_owned(),
    );
    if judged.unheard {
        lines.push(
            "The same rule was held a moment ago in this step. Read that message first, then decide."
                .to_owned(),
        );
    }
    lines.join("\n")
}

fn asked(told: &[&Finding]) -> String {
    let mut lines: Vec<String> = told
        .iter()
        .take(MOST_TOLD)
        .map(|finding| {
            if finding.class == Class::Opaque {
                return opaque(finding);
            }
            let mut text = format!("`{}`: {}.", command(&finding.segment), plain(&finding.what));
            let targets: Vec<String> = finding
                .targets
                .iter()
                .take(MOST_TOLD)
                .map(|target| command(target))
                .collect();
            if !targets.is_empty() {
                let more = more(targets.len(), finding.targets.len())
                    .map_or(String::new(), |more| format!(" {more}"));
                let zone = finding
                    .zone
                    .map_or(String::new(), |zone| format!(" ({})", zone.word()));
                text = format!("{text} Targets: {}{more}{zone}.", targets.join(", "));
            }
            format!("{text} Rule {}.", finding.rule)
        })
        .collect();
    lines.extend(more(lines.len(), told.len()));
    lines.join("\n")
}

fn opaque(finding: &Finding) -> String {
    format!(
        "Toprope cannot tell what `{}` would run ({}). Write the command out literally.",
        command(&finding.segment),
        plain(&finding.why)
    )
}

fn advised(told: &[&Finding]) -> String {
    let mut lines: Vec<String> = told
        .iter()
        .take(MOST_TOLD)
        .map(|finding| {
            let segment = command(&finding.segment);
            let instead = plain(&finding.instead);
            let instead = if instead.is_empty() {
                String::new()
            } else {
                format!(" Instead: {instead}")
            };
            if finding.softened {
                format!(
                    "Toprope would have stopped `{segment}` [{}]. {}{instead}",
                    finding.rule,
                    plain(&finding.why)
                )
            } else {
                format!(
                    "`{segment}` {} [{}]. {}{instead}",
                    plain(&finding.what),
                    finding.rule,
                    plain(&finding.why)
                )
            }
        })
        .collect();
    lines.extend(more(lines.len(), told.len()));
    lines.join("\n")
}

/// What is told beside a rewrite, also where a person is asked about the result.
pub fn rewritten(judged: &Judged) -> String {
    let Some(result) = &judged.rewritten else {
        return String::new();
    };
    let rules: Vec<&str> = judged
        .rewrites
        .iter()
        .map(|rewrite| rewrite.rule.as_str())
        .collect();
    let why = judged
        .rewrites
        .first()
        .map(|rewrite| plain(&rewrite.why))
        .unwrap_or_default();
    format!(
        "Toprope ran a safer form. You wrote `{}`; what ran is `{}` [{}]. {why}",
        middle(&one_line(&redacted(&judged.command), usize::MAX), 300),
        middle(&one_line(&redacted(result), usize::MAX), 300),
        rules.join(", ")
    )
}

/// What is told where another hook's rewrite ran instead of ours.
pub fn outrun(ours: &str, ran: &str) -> String {
    let shown = |text: &str| middle(&one_line(&redacted(text), usize::MAX), 300);
    format!(
        "Another hook changed this command after Toprope: `{}` ran, not `{}`. In this session Toprope no longer rewrites; it stops a command and names the corrected one.",
        shown(ran),
        shown(ours)
    )
}

/// What is told once the checkpoint before a held command is taken.
pub fn passed(checkpoint: &str) -> String {
    format!(
        "Checkpoint {checkpoint} was taken before this command. A person can take it back: toprope undo {checkpoint}"
    )
}

/// What is said where the checkpoint before a held command could not be taken.
pub fn no_checkpoint(segment: &str) -> String {
    format!(
        "`{}` would run without a way back: no checkpoint could be taken before it.",
        command(segment)
    )
}

/// What the person is told of an agent that tries the same in one way after another.
pub fn insists(judged: &Judged, finding: &Finding) -> String {
    format!(
        "an agent was denied the same effect {} times [{}], last as `{}`",
        judged.attempt,
        finding.rule,
        command(&finding.segment)
    )
}

/// What the person is told where another hook's rewrite won over ours.
pub fn rewrite_lost(rewrote: &str, ran: &str) -> String {
    format!(
        "another hook rewrote a command after Toprope did: `{}` ran instead of `{}`. For the rest of this session Toprope \
         denies such commands and names the safer form; see `toprope doctor`",
        command(ran),
        command(rewrote)
    )
}

/// What is said of a settings change that is not taken.
pub fn unhooking(file: &str) -> String {
    format!(
        "{} no longer calls Toprope. An agent's call was running when it changed, so the change is not taken.",
        one_line(file, LONGEST_COMMAND)
    )
}

/// What became of a settings change that ends our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unhooked {
    /// A person made it: it was let through.
    LetGo,
    /// It is not taken for now.
    Kept,
    /// It is not taken, and the file is repaired.
    PutBack,
}

/// What the person is told of a settings change that ends our hooks.
pub fn unhooked(file: &str, became: Unhooked) -> String {
    let file = one_line(file, LONGEST_COMMAND);
    match became {
        Unhooked::LetGo => format!(
            "{file} no longer calls Toprope: from here on this session goes unguarded. To undo: `toprope init`"
        ),
        Unhooked::Kept => format!(
            "{file} changed while an agent's call was running, and no longer calls Toprope; this session keeps its hooks. \
             If it was you: change it again while no agent works. If not: `toprope init`"
        ),
        Unhooked::PutBack => format!(
            "{file} changed while an agent's call was running, and no longer called Toprope; its entries are put back. \
             If it was you: change it again while no agent works"
        ),
    }
}
