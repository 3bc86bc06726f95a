//! One line of the log: a tool call from its beginning to its end, or any other event.

use super::call::LogCall;
use super::names::PlaceNames;
use crate::moment;
use engine::id::EventSeq;
use engine::text::one_line;
use engine::time::Timestamp;
use engine::verdict::VerdictKind;
use std::collections::BTreeSet;
use store::table::events::EventRow;
use store::table::verdicts::{self, StoredVerdict};
use store::{Db, StoreError};

/// See the module. All texts are safe to show, and uncut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The event it begins with.
    pub first: EventSeq,
    /// The newest event it tells of.
    pub newest: EventSeq,
    /// When it began.
    pub at: Timestamp,
    /// The project's folder name.
    pub project: String,
    /// Who.
    pub who: String,
    /// The tool, or the event.
    pub what: String,
    /// What it is about.
    pub target: String,
    /// What came of it.
    pub outcome: String,
    /// How grave that is.
    pub tone: Tone,
    /// How long the tool took.
    pub duration: String,
    /// Why it was decided so.
    pub reason: String,
    /// A call whose end is not known yet.
    pub is_open: bool,
}

/// How grave an outcome is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As things go.
    Plain,
    /// A person is asked.
    Ask,
    /// It was stopped.
    Deny,
}

/// One line for each call these events are part of, and one for each other event; in the order things began.
///
/// What was `told` before is left out. `db` has to be one state of the database: a call's end must not slip in between.
pub fn joined(
    db: &Db,
    names: &mut PlaceNames,
    rows: &[EventRow],
    told: &mut BTreeSet<EventSeq>,
) -> Result<Vec<LogLine>, StoreError> {
    let mut lines = Vec::new();
    for row in rows {
        if !told.insert(row.seq) {
            continue;
        }
        match LogCall::of(db, row)? {
            Some(call) => {
                told.extend(call.events.iter().map(|event| event.seq));
                lines.extend(of_call(db, names, &call)?);
            }
            None => lines.push(of_event(db, names, row)?),
        }
    }
    lines.sort_by_key(|line| line.first);
    Ok(lines)
}

/// The line of one event, as it came.
pub fn of_event(db: &Db, names: &mut PlaceNames, row: &EventRow) -> Result<LogLine, StoreError> {
    let verdicts = verdicts::of(db, row.seq)?;
    // That an event was seen goes without saying, and so does what its name says already.
    let state = row
        .outcome
        .as_deref()
        .filter(|outcome| *outcome != "seen" && *outcome != row.name)
        .unwrap_or_default();
    let told = OutcomeText::of(state, &verdicts, row.degraded.is_some());
    let duration = row.duration_ms.map(moment::took).unwrap_or_default();
    let what = row
        .tool
        .as_ref()
        .map_or_else(|| row.name.clone(), |tool| format!("{} {tool}", row.name));
    line(
        db,
        names,
        row,
        ShownText {
            newest: row.seq,
            what: &what,
            duration,
            told,
            is_open: false,
        },
    )
}

fn of_call(db: &Db, names: &mut PlaceNames, call: &LogCall) -> Result<Option<LogLine>, StoreError> {
    let (Some(first), Some(last)) = (call.events.first(), call.events.last()) else {
        return Ok(None);
    };
    let mut said = Vec::new();
    for event in &call.events {
        said.extend(verdicts::of(db, event.seq)?);
    }
    let state = call.end.as_deref().unwrap_or("running");
    let told = OutcomeText::of(
        state,
        &said,
        call.events.iter().any(|event| event.degraded.is_some()),
    );
    let duration = call
        .events
        .iter()
        .find_map(|event| event.duration_ms)
        .map_or_else(|| "-".to_owned(), moment::took);
    let what = first.tool.as_deref().unwrap_or(&first.name);
    line(
        db,
        names,
        first,
        ShownText {
            newest: last.seq,
            what,
            duration,
            told,
            is_open: call.end.is_none(),
        },
    )
    .map(Some)
}

struct ShownText<'a> {
    newest: EventSeq,
    what: &'a str,
    duration: String,
    told: OutcomeText,
    is_open: bool,
}

fn line(
    db: &Db,
    names: &mut PlaceNames,
    row: &EventRow,
    shown: ShownText<'_>,
) -> Result<LogLine, StoreError> {
    let safe = |text: &str| one_line(text, usize::MAX);
    let veil = names.veil;
    let target = names.target(db, row)?;
    let reason = beside(shown.told.reason.trim(), &target);
    let project = names
        .project(db, row)?
        .and_then(|root| root.file_name())
        .map(|name| safe(&name.to_string_lossy()));
    Ok(LogLine {
        first: row.seq,
        newest: shown.newest,
        at: row.at,
        project: project.unwrap_or_else(|| "-".to_owned()),
        who: row
            .actor
            .as_ref()
            .map_or_else(|| nobody(row).to_owned(), |actor| safe(&actor.label)),
        what: safe(shown.what),
        target: safe(&veil.line(&target)),
        outcome: safe(&shown.told.outcome),
        tone: shown.told.tone,
        duration: shown.duration,
        reason: safe(&veil.text(reason)),
        is_open: shown.is_open,
    })
}

/// Who acted where no agent did.
fn nobody(row: &EventRow) -> &'static str {
    if row.is_persons() { "you" } else { "-" }
}

/// The reason as it stands beside its target, which need not be named twice.
fn beside<'a>(reason: &'a str, target: &str) -> &'a str {
    let rest = reason
        .strip_prefix(target)
        .and_then(|rest| rest.strip_prefix(" is "));
    rest.filter(|_| !target.is_empty()).unwrap_or(reason)
}

/// What came of something, in a few words, and why.
struct OutcomeText {
    outcome: String,
    tone: Tone,
    reason: String,
}

impl OutcomeText {
    /// Advice changes nothing that happens, so that a line has no word for it; `toprope why` has.
    fn of(state: &str, verdicts: &[StoredVerdict], is_degraded: bool) -> Self {
        let strongest = verdicts
            .iter()
            .filter(|verdict| verdict.verdict >= VerdictKind::Rewrite)
            .max_by_key(|verdict| (verdict.applied, verdict.verdict));
        let mut words = vec![state.to_owned()];
        if let Some(verdict) = strongest {
            let (kind, policy) = (verdict.verdict.as_str(), &verdict.policy);
            // The verdict is all there is to say about a call that was stopped, or that waits for a person.
            if kind == state || (verdict.applied && verdict.verdict == VerdictKind::Ask && state == "running")
            {
                words.clear();
            }
            words.push(if verdict.applied {
                format!("{kind} {policy}")
            } else {
                format!("would {kind} {policy}")
            });
        }
        if is_degraded {
            words.push("degraded".to_owned());
        }
        words.retain(|word| !word.is_empty());
        Self {
            outcome: words.join(", "),
            tone: strongest
                .filter(|verdict| verdict.applied)
                .map_or(Tone::Plain, |verdict| tone(verdict.verdict)),
            reason: strongest
                .map(|verdict| verdict.reason.clone())
                .unwrap_or_default(),
        }
    }
}

fn tone(verdict: VerdictKind) -> Tone {
    match verdict {
        VerdictKind::Deny => Tone::Deny,
        VerdictKind::Ask => Tone::Ask,
        VerdictKind::Silent | VerdictKind::Advise | VerdictKind::Rewrite => Tone::Plain,
    }
}
