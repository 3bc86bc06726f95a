//! How one event was decided, and what was sent back.

use super::fact;
use crate::command::log::redact::Veil;
use crate::moment;
use ::daemon::clock;
use engine::id::EventSeq;
use engine::policy::guard::redact;
use engine::text::{lines, one_line};
use jiff::tz::TimeZone;
use serde_json::Value;
use store::table::events::{self, EventRow};
use store::table::{projects, verdicts};
use store::{Db, StoreError};

/// Everything there is to say about an event; `None` if there is no such event.
pub fn text(db: &Db, seq: EventSeq) -> Result<Option<String>, StoreError> {
    let Some(row) = events::by_seq(db, seq)? else {
        return Ok(None);
    };
    let sections = [
        about(db, &row)?,
        same_call(db, &row)?,
        said(db, &row)?,
        degraded(&row),
        known(&row),
        sent(db, &row)?,
    ];
    Ok(Some(sections.concat()))
}

/// The event itself, one thing per line.
fn about(db: &Db, row: &EventRow) -> Result<String, StoreError> {
    let who = row.actor.as_ref().map(|actor| {
        let agent = actor
            .agent
            .as_ref()
            .map(|agent| format!(", agent {agent}"))
            .unwrap_or_default();
        format!(
            "{} ({}, session {}{agent})",
            actor.label, actor.agent_kind, actor.session
        )
    });
    let who = who.or_else(|| row.is_persons().then(|| "you".to_owned()));
    let project = row
        .project
        .map(|id| projects::by_id(db, id))
        .transpose()?
        .flatten();
    let when = format!(
        "{}, {}",
        moment::day_and_clock(row.at, &TimeZone::system()),
        moment::ago(row.at, clock::now())
    );
    let facts = [
        ("event", Some(format!("{} {}", row.seq, row.name))),
        ("when", Some(when)),
        ("who", who),
        (
            "where",
            project.map(|project| project.place.root.display().to_string()),
        ),
        ("tool", row.tool.clone()),
        ("call", row.tool_use_id.as_ref().map(ToString::to_string)),
        ("target", row.target.as_deref().map(redact::text)),
        (
            "input",
            row.input.as_deref().map(|input| veiled(input).to_string()),
        ),
        ("outcome", row.outcome.clone()),
        ("took", row.duration_ms.map(moment::took)),
        ("decided", row.decision_us.map(decided)),
    ];
    let shown = facts
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name:<9}{}\n", one_line(&value?, usize::MAX))));
    Ok(shown.collect())
}

/// An input without its secrets.
fn veiled(input: &str) -> Value {
    Veil::Drawn.input(json(input))
}

fn decided(microseconds: u64) -> String {
    match microseconds {
        0..10_000 => format!("in {microseconds} us"),
        _ => format!("in {}", moment::took(microseconds / 1_000)),
    }
}

/// What else is known of the same call.
fn same_call(db: &Db, row: &EventRow) -> Result<String, StoreError> {
    let (Some(actor), Some(id)) = (&row.actor, &row.tool_use_id) else {
        return Ok(String::new());
    };
    let others = events::of_call(db, actor.id, id)?
        .into_iter()
        .filter(|other| other.seq != row.seq);
    let shown: Vec<String> = others
        .map(|other| {
            format!(
                "{} {} ({})",
                other.seq,
                other.name,
                other.outcome.as_deref().unwrap_or("undecided")
            )
        })
        .collect();
    Ok(if shown.is_empty() {
        String::new()
    } else {
        format!("{:<9}{}\n", "also", one_line(&shown.join(", "), usize::MAX))
    })
}

/// What each policy that had something to say said.
fn said(db: &Db, row: &EventRow) -> Result<String, StoreError> {
    let verdicts = verdicts::of(db, row.seq)?;
    if verdicts.is_empty() {
        return Ok("\nverdicts\n  none: no policy had anything to say\n".to_owned());
    }
    let shown = verdicts.iter().map(|said| {
        let counted = if said.applied { "applied" } else { "not applied" };
        let head = format!(
            "  {}: {}, {counted}, {} µs\n",
            one_line(&said.policy, 40),
            said.verdict.as_str(),
            said.took_us
        );
        head + &indented(&lines(said.reason.trim()), 4)
    });
    Ok(format!("\nverdicts\n{}", shown.collect::<String>()))
}

/// The policies that could not judge.
fn degraded(row: &EventRow) -> String {
    match &row.degraded {
        Some(told) => format!("\ncould not judge\n{}", indented(&fact::shown(&json(told)), 2)),
        None => String::new(),
    }
}

/// What the policies had asked of the world.
fn known(row: &EventRow) -> String {
    match &row.facts {
        Some(facts) => format!("\nfacts\n{}", indented(&fact::shown(&json(facts)), 2)),
        None => String::new(),
    }
}

/// What the hook printed, said, and ended with.
fn sent(db: &Db, row: &EventRow) -> Result<String, StoreError> {
    let Some(reply) = events::reply_of(db, row.seq)? else {
        return Ok("\nsent back\n  not known yet\n".to_owned());
    };
    let mut sent = format!("\nsent back\n  exit {}\n", reply.exit);
    for (name, bytes) in [("stdout", &reply.stdout), ("stderr", &reply.stderr)] {
        let text = String::from_utf8_lossy(bytes);
        if !text.trim().is_empty() {
            sent.push_str(&["  ", name, "\n", &indented(&lines(&pretty(text.trim())), 4)].concat());
        }
    }
    Ok(sent)
}

/// JSON over several lines; anything else as it is.
fn pretty(text: &str) -> String {
    let value: Option<Value> = serde_json::from_str(text).ok();
    value
        .filter(|value| value.is_object() || value.is_array())
        .map_or_else(|| text.to_owned(), |value| format!("{value:#}"))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn indented(text: &str, columns: usize) -> String {
    let indent = " ".repeat(columns);
    text.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".to_owned()
            } else {
                format!("{indent}{line}\n")
            }
        })
        .collect()
}
