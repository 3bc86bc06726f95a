//! One skill, as its file describes it.

use super::front_matter;
use std::path::PathBuf;

/// Most characters of a name.
const LONGEST_NAME: usize = 64;

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// What it is called by.
    pub name: String,
    /// What it says it is for.
    pub description: String,
    /// Words and phrases that call it to mind.
    pub keywords: Vec<String>,
    /// The file it was read from.
    pub source: PathBuf,
}

/// Why a file is no skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillFault {
    /// It does not begin with a block between two lines of `---`.
    NoFrontMatter,
    /// Its name is not one a skill can have.
    Name(String),
}

impl SkillFault {
    /// What is wrong, in a few words; a name is shown as it is, and is foreign text.
    pub fn shown(&self) -> String {
        match self {
            Self::NoFrontMatter => "has no front matter".to_owned(),
            Self::Name(name) => format!("has a name that cannot be called: `{name}`"),
        }
    }
}

impl Skill {
    /// The skill a file describes; only its first [`MOST_BYTES`](super::MOST_BYTES) count. Without a name it has that
    /// of its folder.
    pub fn read(text: &str, folder: &str, source: PathBuf) -> Result<Self, SkillFault> {
        let found = front_matter::read(text).ok_or(SkillFault::NoFrontMatter)?;
        let name = found.name.unwrap_or_else(|| folder.to_owned());
        if !is_name(&name) {
            return Err(SkillFault::Name(name));
        }
        Ok(Self {
            name,
            description: found.description,
            keywords: found.keywords,
            source,
        })
    }
}

/// A letter or digit, then those, `_`, `:` and `-`.
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | ':' | '-');
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(is_part)
}
