//! One setting: its name, what it accepts, and what a project's file may do to it.

use super::{KEYS, Profile, SettingValue, Settings, Slot};
use crate::lease::cover;

/// Most entries of a list; beyond it a file is a mistake or an attack.
const MOST_WORDS: usize = 256;
/// Most characters of one entry of a list.
const LONGEST_WORD: usize = 250;

/// One setting.
#[derive(Debug)]
pub struct SettingKey {
    /// Its dotted name: `structure.max_chars`.
    pub name: &'static str,
    /// What it accepts.
    pub kind: ValueKind,
    /// What a project's own files may do to it.
    pub restraint: Restraint,
    /// Its meaning in one sentence.
    pub doc: &'static str,
    /// Its field.
    pub slot: fn(&mut Settings) -> Slot<'_>,
}

/// What a key accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `true` or `false`.
    Bool,
    /// A whole number between the two, both included.
    Int {
        /// The least.
        min: u32,
        /// The most.
        max: u32,
    },
    /// One of these words, the loosest first.
    Word(&'static [&'static str]),
    /// A path below the worktree, or nothing.
    Folder,
    /// A list of words without spaces.
    Words,
    /// A list of patterns of paths, none of which stands for every path.
    Globs,
    /// A list of patterns of paths, `!` in front for those that are taken back.
    Patterns,
    /// A list of commands, or how they begin.
    Commands,
    /// A list of folders, anywhere.
    Folders,
}

/// What a project's own files may do to a key, unless the person trusted their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restraint {
    /// The project chooses.
    Free,
    /// It protects the person: `false`, an earlier word or a lower number is loosening.
    NoLowering,
    /// It protects the person: taking an entry away is loosening.
    NoRemoving,
    /// It is the person's choice in every direction: what it keeps may be too little, or more than they want kept.
    Trusted,
    /// Only the person's own layers set it: no file of a project, trusted or not.
    Person,
    /// One value serves all projects (there is one daemon, one database): no project sets it, trusted or not.
    Shared,
}

impl SettingKey {
    /// The key of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The value it has in these settings.
    pub fn value(&self, settings: &Settings) -> SettingValue {
        (self.slot)(&mut settings.clone()).value()
    }

    /// Its built-in value in a profile.
    pub fn default(&self, profile: Profile) -> SettingValue {
        (self.slot)(&mut Settings::of(profile)).value()
    }

    /// Whether the value, put in place of `below`, would protect the person less.
    pub fn loosens(&self, below: &SettingValue, value: &SettingValue) -> bool {
        self.restrained(below, value) != *value
    }

    /// The value as far as it does not loosen `below`.
    pub fn restrained(&self, below: &SettingValue, value: &SettingValue) -> SettingValue {
        match self.restraint {
            Restraint::Free => value.clone(),
            Restraint::Trusted | Restraint::Person | Restraint::Shared => below.clone(),
            Restraint::NoLowering => {
                if self.rank(value) < self.rank(below) {
                    below.clone()
                } else {
                    value.clone()
                }
            }
            Restraint::NoRemoving => joined(below, value),
        }
    }

    fn rank(&self, value: &SettingValue) -> Option<i64> {
        match (self.kind, value) {
            (ValueKind::Word(words), SettingValue::Word(word)) => words
                .iter()
                .position(|known| known == word)
                .and_then(|index| i64::try_from(index).ok()),
            (_, SettingValue::Bool(value)) => Some(i64::from(*value)),
            (_, SettingValue::Int(value)) => Some(*value),
            (_, SettingValue::Word(_) | SettingValue::Words(_)) => None,
        }
    }
}

/// `value` itself if nothing of `below` is missing from it, else `below` with what `value` adds.
fn joined(below: &SettingValue, value: &SettingValue) -> SettingValue {
    let (SettingValue::Words(kept), SettingValue::Words(wanted)) = (below, value) else {
        return value.clone();
    };
    if kept.iter().all(|word| wanted.contains(word)) {
        return value.clone();
    }
    let mut all = kept.clone();
    all.extend(wanted.iter().filter(|word| !kept.contains(word)).cloned());
    SettingValue::Words(all)
}

impl ValueKind {
    /// Whether the value is of this kind and within its range.
    pub fn accepts(self, value: &SettingValue) -> bool {
        match (self, value) {
            (Self::Bool, SettingValue::Bool(_)) => true,
            (Self::Int { min, max }, SettingValue::Int(number)) => {
                (i64::from(min)..=i64::from(max)).contains(number)
            }
            (Self::Word(words), SettingValue::Word(word)) => words.contains(&word.as_str()),
            (Self::Folder, SettingValue::Word(path)) => is_folder(path),
            (Self::Words, SettingValue::Words(words)) => {
                words.len() <= MOST_WORDS && words.iter().all(|word| is_word(word))
            }
            (Self::Globs, SettingValue::Words(globs)) => {
                globs.len() <= MOST_WORDS && globs.iter().all(|glob| is_glob(glob))
            }
            (Self::Patterns, SettingValue::Words(patterns)) => {
                patterns.len() <= MOST_WORDS && patterns.iter().all(|pattern| is_pattern(pattern))
            }
            (Self::Commands | Self::Folders, SettingValue::Words(texts)) => {
                texts.len() <= MOST_WORDS && texts.iter().all(|text| is_text(text))
            }
            (
                Self::Bool
                | Self::Int { .. }
                | Self::Word(_)
                | Self::Folder
                | Self::Words
                | Self::Globs
                | Self::Patterns
                | Self::Commands
                | Self::Folders,
                _,
            ) => false,
        }
    }

    /// The value a variable or a command line means by this text; whether it fits is for `accepts` to say.
    pub fn read(self, text: &str) -> Option<SettingValue> {
        let text = text.trim();
        match self {
            Self::Bool => text.parse().ok().map(SettingValue::Bool),
            Self::Int { .. } => text.replace('_', "").parse().ok().map(SettingValue::Int),
            Self::Word(_) | Self::Folder => Some(SettingValue::Word(text.to_owned())),
            Self::Words | Self::Globs | Self::Patterns | Self::Commands | Self::Folders => {
                Some(SettingValue::Words(
                    text.split(',')
                        .map(|word| word.trim().to_owned())
                        .filter(|word| !word.is_empty())
                        .collect(),
                ))
            }
        }
    }

    /// What it accepts, in words.
    pub fn expected(self) -> String {
        match self {
            Self::Bool => "`true` or `false`".to_owned(),
            Self::Int { min, max } => format!("a whole number from {min} to {max}"),
            Self::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                match quoted.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    Some(_) | None => quoted.join(""),
                }
            }
            Self::Folder => "a path below the worktree, or nothing".to_owned(),
            Self::Words => "a list of words without spaces".to_owned(),
            Self::Globs => "a list of globs, none of which matches everything".to_owned(),
            Self::Patterns => "a list of globs".to_owned(),
            Self::Commands => "a list of commands".to_owned(),
            Self::Folders => "a list of folders".to_owned(),
        }
    }
}

fn is_folder(path: &str) -> bool {
    path.chars().count() <= LONGEST_WORD
        && !path.starts_with(['/', '~', '-'])
        && path.split('/').all(|part| part != ".." && part != ".git")
        && path
            .chars()
            .all(|character| character.is_alphanumeric() || matches!(character, '/' | '.' | '_' | '-'))
}

fn is_word(word: &str) -> bool {
    !word.is_empty()
        && word.chars().count() <= LONGEST_WORD
        && !word
            .chars()
            .any(|character| character.is_control() || character.is_whitespace() || character == ',')
}

fn is_glob(glob: &str) -> bool {
    !glob.trim().is_empty()
        && glob.chars().count() <= LONGEST_WORD
        && !glob.chars().any(char::is_control)
        && !matches_everything(glob)
}

fn is_pattern(pattern: &str) -> bool {
    pattern.chars().count() <= LONGEST_WORD
        && !pattern.chars().any(char::is_control)
        && cover::check(pattern).is_ok()
}

fn is_text(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST_WORD && !text.chars().any(char::is_control)
}

/// `*`, `**`, `**/*` and their like: folders of any depth, then any name.
fn matches_everything(glob: &str) -> bool {
    let glob = glob.trim().trim_start_matches("./").trim_matches('/');
    let is_any = |name: &str| {
        name.contains('*')
            && name.chars().all(|character| matches!(character, '*' | '?'))
            && name.matches('?').count() <= 1
    };
    match glob.rsplit_once('/') {
        None => glob.is_empty() || is_any(glob),
        Some((folders, name)) => is_any(name) && folders.split('/').all(|folder| folder == "**"),
    }
}
