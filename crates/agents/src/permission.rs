//! The person's own permission rules: whether one of them speaks about a command.
//!
//! A client judges a rewritten call by the rewritten text alone, so a rule about the original would be lost. Whoever
//! rewrites asks here first. Where it is not certain what a rule means, it is taken to speak: the price is one denial
//! with the corrected command instead of a rewrite.

use std::path::{Path, PathBuf};

/// A longer command is spoken about by every rule of its tool: nobody reads so far.
const LONGEST_TEXT: usize = 64 * 1024;

/// The folders that say where an agent looks for its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Folders<'a> {
    /// The folder of the person's settings.
    pub config: Option<&'a Path>,
    /// The folder the agent was started in.
    pub project: Option<&'a Path>,
    /// The root of the worktree.
    pub worktree: Option<&'a Path>,
    /// The root of the main worktree.
    pub main_worktree: Option<&'a Path>,
}

/// Where an agent's settings are, in every layer it reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettingsSources {
    /// Files that may exist.
    pub files: Vec<PathBuf>,
    /// Folders whose files count, each a settings file of its own.
    pub folders: Vec<PathBuf>,
}

/// What a rule says is to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// Never.
    Deny,
    /// Only if a person says so.
    Ask,
}

/// One rule of the person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRule {
    /// What it says.
    pub speech: Speech,
    /// As the person wrote it: `Bash(git push:*)`.
    pub text: String,
    tool: String,
    about: RuleTarget,
}

/// Which calls of its tool a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleTarget {
    /// All of them.
    Every,
    /// Commands that begin with these words.
    Words(String),
    /// Commands that look like this: pieces with anything in between. An open end is an empty last piece.
    Pieces(Vec<String>),
}

/// The rules of every layer together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PermissionRules {
    rules: Vec<PermissionRule>,
}

impl PermissionRule {
    pub(crate) fn new(speech: Speech, text: &str, tool: &str, about: RuleTarget) -> Self {
        Self {
            speech,
            text: text.to_owned(),
            tool: tool.to_owned(),
            about,
        }
    }

    fn is_about(&self, tool: &str, command: &str) -> bool {
        (self.tool == tool || self.tool == "*")
            && match &self.about {
                RuleTarget::Every => true,
                RuleTarget::Words(_) | RuleTarget::Pieces(_) if command.len() > LONGEST_TEXT => true,
                RuleTarget::Words(words) => {
                    starts(command, words).any(|at| ends_word(command, at + words.len()))
                }
                RuleTarget::Pieces(pieces) => fits(command, pieces),
            }
    }
}

impl PermissionRules {
    /// Adds the rules of another layer.
    pub fn add(&mut self, more: Self) {
        self.rules.extend(more.rules);
    }

    pub(crate) fn of(rules: Vec<PermissionRule>) -> Self {
        Self { rules }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The first rule that speaks about a command, or about a part of it; denials first.
    pub fn about(&self, tool: &str, command: &str) -> Option<&PermissionRule> {
        let command = one_blank(command);
        let of = |speech: Speech| {
            self.rules
                .iter()
                .find(|rule| rule.speech == speech && rule.is_about(tool, &command))
        };
        of(Speech::Deny).or_else(|| of(Speech::Ask))
    }
}

/// Runs of blanks become one: a rule is written with one between its words.
pub(crate) fn one_blank(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut after_blank = true;
    for letter in text.chars() {
        let is_blank = matches!(letter, ' ' | '\t');
        if !is_blank {
            whole.push(letter);
        } else if !after_blank {
            whole.push(' ');
        }
        after_blank = is_blank;
    }
    whole
}

/// Every place where these words stand and a word begins. What is quoted or substituted counts, too.
fn starts<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(words)
        .map(|(at, _)| at)
        .filter(|at| begins_word(text, *at))
}

fn begins_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    before.is_none_or(|letter| !is_of_word(letter))
}

fn ends_word(text: &str, at: usize) -> bool {
    let after = text.get(at..).and_then(|after| after.chars().next());
    after.is_none_or(|letter| !is_of_word(letter))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '+' | '@' | ':' | '%')
}

/// Where a command of a text ends: at its end, or before what separates commands.
fn ends_command(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default().trim_start_matches([' ', '\t']);
    rest.chars().next().is_none_or(|letter| {
        matches!(
            letter,
            ';' | '|' | '&' | '\n' | '\r' | ')' | '}' | '`' | '<' | '>' | '"' | '\''
        )
    })
}

/// Whether some command of the text is made of the pieces, with anything in between.
fn fits(text: &str, pieces: &[String]) -> bool {
    let Some((first, rest)) = pieces.split_first() else {
        return true;
    };
    let Some((last, middle)) = rest.split_last() else {
        return starts(text, first).any(|at| ends_command(text, at + first.len()));
    };
    // Anything may follow the first piece: its first place is as good as any later one.
    let Some(at) = starts(text, first).next() else {
        return false;
    };
    let mut from = at + first.len();
    for piece in middle {
        match text.get(from..).and_then(|rest| rest.find(piece.as_str())) {
            Some(found) => from += found + piece.len(),
            None => return false,
        }
    }
    let rest = text.get(from..).unwrap_or_default();
    last.is_empty()
        || rest
            .match_indices(last.as_str())
            .any(|(found, _)| ends_command(rest, found + last.len()))
}

#[cfg(test)]
mod tests;
