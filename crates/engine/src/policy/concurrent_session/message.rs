//! What is said about another session's work. Everything in it is foreign text.

use crate::facts::{Activity, PendingWork};
use crate::text::{plain, shortened};
use crate::time::{Timestamp, short};

/// Sessions told of in one text.
const MOST_SESSIONS: usize = 3;
/// Files named of one session.
const MOST_PATHS: usize = 2;
/// Digits of a commit that people recognise.
const COMMIT_DIGITS: usize = 7;
const LONGEST_PROMPT: usize = 80;
const LONGEST_PATH: usize = 120;
const LONGEST_NAME: usize = 100;
const LONGEST_COMMAND: usize = 300;

/// One sentence or two per session.
pub(super) fn told(news: &[&PendingWork], now: Timestamp) -> String {
    let mut texts: Vec<String> = news
        .iter()
        .take(MOST_SESSIONS)
        .map(|work| one(work, now))
        .collect();
    match news.len().saturating_sub(MOST_SESSIONS) {
        0 => {}
        1 => texts.push("1 more session has uncommitted work here.".to_owned()),
        count => texts.push(format!("{count} more sessions have uncommitted work here.")),
    }
    texts.join("\n")
}

/// The same, for a prompt that was held.
pub(super) fn held(text: &str) -> String {
    format!("{text} To go on here anyway, send your prompt again.")
}

fn one(work: &PendingWork, now: Timestamp) -> String {
    let alias = shortened(&plain(&work.session_alias), LONGEST_NAME);
    let activity = match work.activity {
        Activity::WorkingNow => "working now".to_owned(),
        Activity::Idle { since } => format!("idle {}", short(now.since(since))),
        Activity::Ended => "ended".to_owned(),
    };
    let files = if work.files == 1 {
        "1 file".to_owned()
    } else {
        format!("{} files", work.files)
    };
    let clash = format!(
        "Another session has uncommitted work in this worktree: {alias} ({activity}), {files} {}{}.",
        base(&work.head),
        paths(work)
    );
    let began = said(work.first_prompt.as_deref(), LONGEST_PROMPT)
        .map(|prompt| format!("It began with: \"{prompt}\"."));
    // Who resumes a session that is open somewhere has two of it.
    let resume = match work.activity {
        Activity::WorkingNow => None,
        Activity::Idle { .. } => Some("It is still open: go on there, or close it first.".to_owned()),
        Activity::Ended => said(Some(work.resume.as_str()), LONGEST_COMMAND)
            .map(|command| format!("To continue it: {command}.")),
    };
    let sentences: Vec<String> = [Some(clash), began, resume].into_iter().flatten().collect();
    sentences.join(" ")
}

/// The text as it can be shown, if it says anything.
fn said(text: Option<&str>, limit: usize) -> Option<String> {
    text.map(plain)
        .filter(|text| !text.is_empty())
        .map(|text| shortened(&text, limit))
}

fn base(head: &str) -> String {
    let digits: String = plain(head).chars().take(COMMIT_DIGITS).collect();
    if digits.chars().all(|digit| digit == '0') {
        "before the first commit".to_owned()
    } else {
        format!("on {digits}")
    }
}

/// `: a, b, +1`, or nothing where no file is named.
fn paths(work: &PendingWork) -> String {
    let mut named: Vec<String> = work
        .paths
        .iter()
        .take(MOST_PATHS)
        .map(|path| shortened(&plain(path), LONGEST_PATH))
        .collect();
    if named.is_empty() {
        return String::new();
    }
    let shown = u64::try_from(named.len()).unwrap_or(u64::MAX);
    let others = work.files.saturating_sub(shown);
    if others > 0 {
        named.push(format!("+{others}"));
    }
    format!(": {}", named.join(", "))
}
