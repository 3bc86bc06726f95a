//! A rule as a rule set lists it: what it is found by is at hand, the rest of a built-in one is read when it is first needed.

use super::loading::built;
use super::rule::Rule;
use super::verdict::{HarmClass, Ruling};
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// One listed rule.
#[derive(Debug, Clone)]
pub struct ListedRule {
    /// `pack.name`
    pub id: String,
    /// What kind of harm it is about.
    pub class: HarmClass,
    /// What it says, before attendance and strikes are looked at.
    pub verdict: Ruling,
    /// It is on only in `strict`.
    pub strict: bool,
    /// What it is found by.
    pub found_by: FoundBy,
    text: &'static str,
    rule: OnceLock<Arc<Rule>>,
}

/// What leads to a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundBy {
    /// A call of another tool.
    Tool,
    /// Any command.
    Command,
    /// A command of one of these programs.
    Programs {
        /// Base names.
        programs: Vec<Cow<'static, str>>,
        /// The first names of its subcommands: an unknown program may be one of those.
        subs: Vec<Cow<'static, str>>,
    },
}

impl ListedRule {
    /// A rule that was read.
    pub fn of(rule: &Arc<Rule>) -> Self {
        Self {
            id: rule.id.clone(),
            class: rule.class,
            verdict: rule.verdict,
            strict: rule.strict,
            found_by: FoundBy::of(rule),
            text: "",
            rule: OnceLock::from(Arc::clone(rule)),
        }
    }

    /// A built-in rule from the line that the build wrote.
    pub(super) fn listed(line: &'static str) -> Option<Self> {
        let mut fields = line.splitn(8, '\t');
        let id = fields.next()?.to_owned();
        let class = HarmClass::named(fields.next()?)?;
        let verdict = match fields.next()? {
            "" => class.ruling(),
            word => Ruling::named(word)?,
        };
        let strict = fields.next()? == "true";
        let kind = fields.next()?;
        let mut list = || -> Option<Vec<Cow<'static, str>>> {
            let words = fields.next()?.split('|').filter(|word| !word.is_empty());
            Some(words.map(Cow::Borrowed).collect())
        };
        let (programs, subs) = (list()?, list()?);
        let found_by = match kind {
            "tool" => FoundBy::Tool,
            "any" => FoundBy::Command,
            "programs" => FoundBy::Programs { programs, subs },
            _ => return None,
        };
        Some(Self {
            id,
            class,
            verdict,
            strict,
            found_by,
            text: fields.next()?,
            rule: OnceLock::new(),
        })
    }

    /// The whole rule.
    pub fn rule(&self) -> &Arc<Rule> {
        // A test holds that every built-in one can be read; one that could not would match nothing.
        self.rule
            .get_or_init(|| Arc::new(built(self.text).unwrap_or_else(|_| Rule::nothing(&self.id))))
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

impl Deref for ListedRule {
    type Target = Rule;

    fn deref(&self) -> &Rule {
        self.rule()
    }
}

impl FoundBy {
    fn of(rule: &Rule) -> Self {
        if rule.tool.is_some() {
            return Self::Tool;
        }
        let is_bound = !rule.any.is_empty()
            && rule.any.iter().all(|pattern| {
                !pattern.program.is_empty() && !pattern.program.iter().any(|name| name.contains('*'))
            });
        if !is_bound {
            return Self::Command;
        }
        let first = |sub: &String| Cow::Owned(sub.split(' ').next().unwrap_or(sub).to_owned());
        Self::Programs {
            programs: rule
                .any
                .iter()
                .flat_map(|pattern| &pattern.program)
                .cloned()
                .map(Cow::Owned)
                .collect(),
            subs: rule
                .any
                .iter()
                .flat_map(|pattern| &pattern.sub)
                .map(first)
                .collect(),
        }
    }
}
