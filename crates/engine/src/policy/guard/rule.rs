//! A rule as data: what it catches, what it says, and the examples that prove it.

use super::check::Check;
use super::verdict::{HarmClass, Ruling};
use super::zone::Zone;
use serde::Deserialize;
use serde::de::{SeqAccess, Visitor};
use std::fmt;

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// `pack.name`
    pub id: String,
    /// What kind of harm it is about.
    pub class: HarmClass,
    /// What it says, before attendance and strikes are looked at.
    pub verdict: Ruling,
    /// It is on only in `strict`.
    pub strict: bool,
    /// It matches a command that fits one of these.
    pub any: Vec<CommandPattern>,
    /// It matches what this predicate finds; patterns, where there are any, narrow it down.
    pub check: Option<&'static Check>,
    /// It is about a tool instead of a command.
    pub tool: Option<ToolPattern>,
    /// It holds only then.
    pub when: RuleCondition,
    /// How the command is made safe.
    pub rewrite: Option<Rewrite>,
    /// What the command would do, as the end of a sentence.
    pub what: String,
    /// Why that is stopped.
    pub why: String,
    /// What to do instead.
    pub instead: String,
    /// Commands it must match.
    pub hits: Vec<String>,
    /// Commands it must not match.
    pub misses: Vec<String>,
}

impl Rule {
    /// A rule that matches nothing.
    pub(super) fn nothing(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            class: HarmClass::Advice,
            verdict: Ruling::Silent,
            strict: false,
            any: vec![CommandPattern::default()],
            check: None,
            tool: None,
            when: RuleCondition {
                phase: Some(String::new()),
                ..RuleCondition::default()
            },
            rewrite: None,
            what: String::new(),
            why: String::new(),
            instead: String::new(),
            hits: Vec::new(),
            misses: Vec::new(),
        }
    }

    /// The pack it belongs to: its id without the last name.
    pub fn pack(&self) -> &str {
        self.id
            .rsplit_once('.')
            .map_or(self.id.as_str(), |(pack, _)| pack)
    }

    /// Whether no layer but the person's `observe` can lower it.
    pub fn is_fixed(&self) -> bool {
        self.class == HarmClass::Floor || self.pack() == "self"
    }
}

/// What a command looks like. Every key that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CommandPattern {
    /// Base names of programs; `*` for any text.
    #[serde(deserialize_with = "one_or_many")]
    pub program: Vec<String>,
    /// Paths of subcommands, `stash drop`; `*` for any text in one name.
    #[serde(deserialize_with = "one_or_many")]
    pub sub: Vec<String>,
    /// Options.
    pub flags: Flags,
    /// One of its operands.
    pub operand: Option<Operands>,
    /// One of its redirections.
    pub redirect: Option<Redirection>,
    /// Where its standard input comes from.
    pub stdin: Option<StdinSource>,
    /// Names assigned in front of it, or `NAME=glob`.
    #[serde(deserialize_with = "one_or_many")]
    pub env: Vec<String>,
    /// What a database is told to do: `drop`, `delete without where`.
    #[serde(deserialize_with = "one_or_many")]
    pub statement: Vec<String>,
}

/// Options by long or short name; `--name=glob` also looks at the value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Flags {
    /// One of these is given.
    #[serde(deserialize_with = "one_or_many")]
    pub any: Vec<String>,
    /// All of these are given.
    #[serde(deserialize_with = "one_or_many")]
    pub all: Vec<String>,
    /// None of these is given.
    #[serde(deserialize_with = "one_or_many")]
    pub none: Vec<String>,
}

/// What one of the operands looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Operands {
    /// Patterns over its text.
    #[serde(deserialize_with = "one_or_many")]
    pub glob: Vec<String>,
    /// Exact texts.
    #[serde(deserialize_with = "one_or_many")]
    pub text: Vec<String>,
    /// Zones.
    #[serde(deserialize_with = "zones")]
    pub zone: Vec<Zone>,
    /// How many operands there are: `0`, `>0`, `<3`, `2`.
    pub count: Option<CountCondition>,
    /// Patterns of which no operand may fit any.
    #[serde(deserialize_with = "one_or_many")]
    pub none: Vec<String>,
}

/// What a redirection looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Redirection {
    /// Its target, for one that writes.
    pub to: Operands,
}

/// How many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum CountCondition {
    /// Exactly.
    Is(usize),
    /// More than.
    Over(usize),
    /// Fewer than.
    Under(usize),
}

impl CountCondition {
    /// Whether the number is meant.
    pub fn holds(self, number: usize) -> bool {
        match self {
            Self::Is(wanted) => number == wanted,
            Self::Over(limit) => number > limit,
            Self::Under(limit) => number < limit,
        }
    }
}

impl TryFrom<String> for CountCondition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (make, digits): (fn(usize) -> Self, &str) = match text.split_at_checked(1) {
            Some((">", digits)) => (Self::Over, digits),
            Some(("<", digits)) => (Self::Under, digits),
            Some(("=", digits)) => (Self::Is, digits),
            Some(_) | None => (Self::Is, text.as_str()),
        };
        digits
            .trim()
            .parse()
            .map(make)
            .map_err(|_| format!("`{text}` is no count; write `0`, `>0` or `<3`"))
    }
}

/// Where standard input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StdinSource {
    /// A program that fetches from the network.
    Network,
    /// A program that decodes.
    Decoder,
}

/// What a call of another tool looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolPattern {
    /// Names of tools; `*` for any text.
    pub tool: Vec<String>,
    /// Patterns over its path, relative to the worktree's root, or absolute.
    pub path: Vec<String>,
    /// Patterns over keys of its input.
    pub input: Vec<(String, String)>,
}

/// When a rule holds. What is absent does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleCondition {
    /// `protected`, or a pattern over the branch's name.
    pub branch: Option<String>,
    /// Whether a person watches.
    pub attended: Option<bool>,
    /// A pattern over the active skill.
    pub skill: Option<String>,
    /// A pattern over the active phase.
    pub phase: Option<String>,
    /// Kinds of agents.
    #[serde(deserialize_with = "one_or_many")]
    pub agent_type: Vec<String>,
}

/// How a command is made safe. There are no free texts over command text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rewrite {
    /// Options by name, and what is written in their place.
    pub replace_flag: std::collections::BTreeMap<String, String>,
    /// An option put behind the subcommand.
    pub add_flag: Option<String>,
    /// Text in front of the command: `cd "{main_worktree}" && ` and nothing else.
    pub prefix: Option<String>,
    /// Targets below one folder go below another.
    pub operand_root: Option<OperandRoot>,
    /// Variables that must not be empty.
    pub require_set: bool,
}

/// Targets below one folder go below another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperandRoot {
    /// The folder they are below.
    pub from: String,
    /// The folder they go below; `{scratch}` is the scratch folder of the settings.
    pub to: String,
}

impl Rewrite {
    /// The prefixes a rule may put in front of a command.
    pub const PREFIXES: [&str; 2] = ["cd \"{main_worktree}\" && ", "cd \"{root}\" && "];
}

/// `"x"` and `["x"]` mean the same.
pub(super) fn one_or_many<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_any(OneOrMany)
}

/// Takes either as it stands: hundreds of them are read with the built-in rules, and a try that fails costs more than all else.
struct OneOrMany;

impl<'de> Visitor<'de> for OneOrMany {
    type Value = Vec<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or a list of texts")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<String>, E> {
        Ok(vec![text.to_owned()])
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Vec<String>, E> {
        Ok(vec![text])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
        let mut texts = Vec::with_capacity(list.size_hint().unwrap_or_default().min(MOST_AT_ONCE));
        while let Some(text) = list.next_element()? {
            texts.push(text);
        }
        Ok(texts)
    }
}

/// Room that is made before it is known to be needed.
const MOST_AT_ONCE: usize = 64;

fn zones<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Zone>, D::Error> {
    one_or_many(deserializer)?
        .into_iter()
        .map(|word| {
            Zone::named(&word).ok_or_else(|| serde::de::Error::custom(format!("`{word}` is no zone")))
        })
        .collect()
}
