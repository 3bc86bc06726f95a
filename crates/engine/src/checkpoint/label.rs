//! What a checkpoint is called: one line, at most 72 characters, plain text.

use crate::text::{plain, shortened};

/// Most characters of a label.
pub const LONGEST: usize = 72;
/// Most characters of a command in the label of what was kept before it.
const LONGEST_COMMAND: usize = 60;

/// A moment in a subagent's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentMoment {
    /// It begins.
    Starting,
    /// It came to its end.
    Finished,
    /// It ended otherwise.
    Failed,
}

impl AgentMoment {
    /// The word its label begins with.
    pub fn word(self) -> &'static str {
        match self {
            Self::Starting => "Starting",
            Self::Finished => "Finished",
            Self::Failed => "Failed",
        }
    }
}

/// The label of a turn: the first line of its last prompt by a person that says something.
pub fn turn(prompt: &str, number: u64) -> String {
    prompt
        .split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
        .map(|line| bare(&plain(line)))
        .find(|line| !line.is_empty())
        .map_or_else(|| format!("Turn {number}"), |line| shortened(&line, LONGEST))
}

/// The label of a subagent's start or end: by its description, else by its kind.
pub fn agent(moment: AgentMoment, description: Option<&str>, agent_type: Option<&str>) -> String {
    let word = moment.word();
    let task = [description, agent_type]
        .into_iter()
        .flatten()
        .map(plain)
        .find(|text| !text.is_empty())
        .unwrap_or_else(|| "agent".to_owned());
    shortened(&format!("{word}: {task}"), LONGEST)
}

/// The label of what was kept before a destructive command.
pub fn before(command: &str) -> String {
    format!("Before: {}", shortened(&plain(command), LONGEST_COMMAND))
}

/// The label of a step: by the files its calls named, else by its command; `None` if there was neither.
pub fn step(files: &[&str], command: Option<&str>) -> Option<String> {
    if let Some((first, others)) = files.split_first() {
        let others = match others.len() {
            0 => String::new(),
            1 => " (+1 file)".to_owned(),
            count => format!(" (+{count} files)"),
        };
        let room = LONGEST.saturating_sub("Edit ".len() + others.len());
        return Some(format!("Edit {}{others}", path_end(&plain(first), room)));
    }
    let command = plain(command?);
    (!command.is_empty()).then(|| shortened(&command, LONGEST))
}

/// The label of a baseline: what the person had not committed yet.
pub fn baseline(changed: u64, untracked: u64) -> String {
    let changed_text = match changed {
        0 => None,
        1 => Some("1 file was already changed".to_owned()),
        count => Some(format!("{count} files were already changed")),
    };
    let untracked_text = (untracked > 0).then(|| format!("{untracked} untracked"));
    let parts: Vec<String> = [changed_text, untracked_text].into_iter().flatten().collect();
    if parts.is_empty() {
        "(nothing was changed yet)".to_owned()
    } else {
        format!("({})", parts.join(", "))
    }
}

/// The label of changes that nobody's call made.
pub fn outside(files: u64) -> String {
    match files {
        1 => "(1 file changed outside the agents)".to_owned(),
        count => format!("({count} files changed outside the agents)"),
    }
}

/// The end of a path that is too long: its file name tells more than its first folders.
fn path_end(path: &str, room: usize) -> String {
    let length = path.chars().count();
    if length <= room {
        return path.to_owned();
    }
    let kept: String = path
        .chars()
        .skip(length.saturating_sub(room.saturating_sub(1)))
        .collect();
    format!("…{kept}")
}

/// The line without the marks of a quotation, a list, a heading or a piece of code around it.
fn bare(line: &str) -> String {
    let mut rest = line;
    while let Some(inner) = without_mark(rest) {
        rest = inner;
    }
    if is_rule(rest) {
        return String::new();
    }
    unquoted(rest).to_owned()
}

/// The line without the first mark, if it begins with one.
fn without_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    fence(line)
        .or_else(|| line.strip_prefix('>'))
        .or_else(|| heading(line))
        .or_else(|| bullet(line))
        .or_else(|| number(line))
}

/// What is in a fence that ends on its own line; the rest of a line that only opens one names a language.
fn fence(line: &str) -> Option<&str> {
    let mark = ['`', '~'].into_iter().find(|mark| {
        let fence: String = std::iter::repeat_n(*mark, 3).collect();
        line.starts_with(&fence)
    })?;
    let inner = line.trim_start_matches(mark);
    Some(match inner.find(mark) {
        Some(_) => inner.trim_end_matches(mark).trim(),
        None => "",
    })
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    ((1..=6).contains(&depth) && begins_apart(rest)).then_some(rest)
}

fn bullet(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+', '•', '–', '‣', '◦'])?;
    if !begins_apart(rest) {
        return None;
    }
    let item = rest.trim_start();
    let box_less = ["[ ]", "[x]", "[X]"]
        .iter()
        .find_map(|mark| item.strip_prefix(mark));
    Some(box_less.filter(|rest| begins_apart(rest)).unwrap_or(item))
}

fn number(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = line.len() - rest.len();
    let rest = rest.strip_prefix(['.', ')'])?;
    // A line that is nothing but a number says something: the answer to a question.
    ((1..=3).contains(&digits) && rest.starts_with(' ')).then_some(rest)
}

fn begins_apart(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(char::is_whitespace)
}

/// A line that only separates.
fn is_rule(line: &str) -> bool {
    ['-', '=', '*', '_']
        .into_iter()
        .any(|mark| line.len() >= 3 && line.chars().all(|character| character == mark))
}

/// The line without quotation marks around all of it.
fn unquoted(line: &str) -> &str {
    let pairs = [
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('“', '”'),
        ('‘', '’'),
        ('„', '“'),
        ('«', '»'),
    ];
    let line = line.trim();
    pairs
        .into_iter()
        .find_map(|(open, close)| {
            let inner = line.strip_prefix(open)?.strip_suffix(close)?;
            (!inner.contains([open, close])).then(|| inner.trim())
        })
        .unwrap_or(line)
}

#[cfg(test)]
mod tests;
