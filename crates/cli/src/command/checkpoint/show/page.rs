//! A checkpoint as people read it.

use super::facts::{ChangedFile, CheckpointFacts};
use crate::command::checkpoint::address::short;
use crate::moment;
use crate::terminal::{padded, width};
use engine::text::{one_line, plain, shortened};
use engine::time::Timestamp;
use engine::usage::Tokens;
use jiff::tz::TimeZone;
use std::fmt::Write as _;

/// Characters of a prompt or a summary in the overview.
const LONGEST: usize = 160;
/// Files in the overview; `--files` shows all.
const MOST_FILES: usize = 50;

/// Everything, in short.
pub fn text(facts: &CheckpointFacts, now: Timestamp, zone: &TimeZone) -> String {
    let point = facts.point.as_deref().map(|point| format!(" · {point}"));
    let mut page = format!(
        "checkpoint {}{} · {}\n",
        facts.id,
        point.unwrap_or_default(),
        facts.kind
    );
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{}\n", shortened(&plain(&facts.label), LONGEST));
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(page, "  {name:<9} {value}");
        }
    };
    line("session", facts.words.title.clone());
    line("by", Some(facts.words.who.clone()));
    let made = facts.words.made;
    line(
        "made",
        Some(format!(
            "{} ({})",
            moment::day_and_clock(made, zone),
            moment::ago(made, now)
        )),
    );
    line("worktree", facts.words.root.clone());
    line("branch", branch(facts));
    line("commits", commits(facts));
    line("prompt", first_line(facts.prompts.last().map(String::as_str)));
    line("summary", first_line(facts.summary.as_deref()));
    line("tokens", usage(facts));
    line("pinned", facts.pinned.then(|| "it is never dropped".to_owned()));
    line("undoes", facts.undoes.clone());
    line("undone by", facts.undone_by.clone());
    for sentence in &facts.words.degraded {
        let _ = writeln!(page, "! {sentence}");
    }
    if !facts.files.is_empty() {
        let _ = write!(page, "\n{}", table(&facts.files, MOST_FILES));
    }
    page
}

/// Every file it changed.
pub fn files(facts: &CheckpointFacts) -> String {
    table(&facts.files, usize::MAX)
}

/// The tokens of its turn.
pub fn usage(facts: &CheckpointFacts) -> Option<String> {
    let usage = facts.usage.as_ref()?;
    if usage.total == Tokens::default() {
        return None;
    }
    let tokens = |tokens: &Tokens| {
        format!(
            "{} in, {} written to cache, {} read from cache, {} out",
            tokens.input,
            tokens.cache_write(),
            tokens.cache_read,
            tokens.output
        )
    };
    let mut text = tokens(&usage.total);
    if usage.subagents != Tokens::default() {
        let _ = write!(text, "; of these by subagents: {}", tokens(&usage.subagents));
    }
    if !usage.complete {
        text.push_str(" (so far)");
    }
    Some(text)
}

fn table(files: &[ChangedFile], most: usize) -> String {
    let shown: Vec<(&ChangedFile, String)> = files
        .iter()
        .take(most)
        .map(|file| (file, super::shown(&file.bytes)))
        .collect();
    let widest = shown
        .iter()
        .map(|(_, path)| width(path))
        .max()
        .unwrap_or(0)
        .min(60);
    let mut text = String::new();
    for (file, path) in &shown {
        let line = format!("  {:<8}  {}  {}", file.change, padded(path, widest), doer(file));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if files.len() > shown.len() {
        let _ = writeln!(text, "  and {} more: --files", files.len() - shown.len());
    }
    text
}

/// Who did it, and what else there is to say.
fn doer(file: &ChangedFile) -> String {
    let mut words = match &file.who {
        Some(who) => vec![who.clone(), file.origin.to_owned()],
        None => vec![file.origin.to_owned()],
    };
    if file.place != "files" {
        words.push(file.place.to_owned());
    }
    words.extend(file.skip_reason.as_deref().map(|reason| one_line(reason, 80)));
    words.join(", ")
}

fn branch(facts: &CheckpointFacts) -> Option<String> {
    let base = facts.base_commit.bytes().any(|digit| digit != b'0');
    let base = base.then(|| format!("base {}", short(&facts.base_commit)));
    let branch = facts.branch.as_deref().map(|branch| one_line(branch, 80));
    let words: Vec<String> = branch.into_iter().chain(base).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn commits(facts: &CheckpointFacts) -> Option<String> {
    let live = facts.commits.iter().filter(|link| link.superseded_by.is_none());
    let words: Vec<String> = live
        .map(|link| format!("{} ({})", short(&link.commit), link.how))
        .collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn first_line(text: Option<&str>) -> Option<String> {
    let line = text?.lines().map(plain).find(|line| !line.is_empty())?;
    Some(shortened(&line, LONGEST))
}
