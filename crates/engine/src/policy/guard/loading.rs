//! Reads rules from TOML. One that is wrong is left out and named with its line; the others stay.

use super::check::Check;
use super::rule::{CommandPattern, Rewrite, Rule, RuleCondition, ToolPattern, one_or_many};
use super::verdict::{HarmClass, Ruling};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// Where rules come from, the outermost last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleSource {
    /// Built in.
    BuiltIn,
    /// The person's.
    User,
    /// The project's.
    Project,
    /// The active effort's.
    Effort,
}

impl RuleSource {
    /// Its name in listings.
    pub fn word(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::User => "user",
            Self::Project => "project",
            Self::Effort => "effort",
        }
    }

    /// Whether rules of this layer may only tighten.
    pub fn only_tightens(self) -> bool {
        match self {
            Self::BuiltIn | Self::User => false,
            Self::Project | Self::Effort => true,
        }
    }
}

/// Most rules of a project or an effort.
pub const MOST_RULES: usize = 500;
/// Most bytes of a project's or an effort's rules.
pub const MOST_BYTES: usize = 1_048_576;

/// Most problems that are told of one file.
pub const MOST_PROBLEMS: usize = 32;
/// Most examples of one rule of a project or an effort, and their longest.
const MOST_EXAMPLES: usize = 32;
const LONGEST_EXAMPLE: usize = 1_000;

/// Rules of one file, and what was left out.
#[derive(Debug, Clone, Default)]
pub struct LoadedRules {
    /// The sound ones.
    pub rules: Vec<Rule>,
    /// What was left out.
    pub problems: Vec<RuleProblem>,
}

/// Why a rule was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProblem {
    /// The file, as people know it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The rule, as far as it has a name.
    pub rule: Option<String>,
    /// What is wrong.
    pub what: RuleFault,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleFault {
    /// It is no TOML, or a key or value in it has no meaning.
    Malformed(String),
    /// Another rule has its id.
    Duplicate,
    /// Its id is no `pack.name` of small letters.
    Id,
    /// It has no example of one kind.
    NoExamples(&'static str),
    /// One of its examples does not hold.
    Example {
        /// The command.
        command: String,
        /// Whether it should have matched.
        should_hit: bool,
    },
    /// It has more or longer examples than a project's may.
    Examples,
    /// Only built-in rules may say this.
    Reserved(&'static str),
    /// Nothing tells which commands it is about.
    MatchesAll,
    /// It says `rewrite` without a way to rewrite, or the other way round.
    Rewrite,
    /// The file holds more than a project's may.
    TooMany,
}

impl std::fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if let Some(rule) = &self.rule {
            write!(f, "rule `{rule}` is left out: ")?;
        }
        match &self.what {
            RuleFault::Malformed(message) => f.write_str(message),
            RuleFault::Duplicate => f.write_str("another rule has the same id"),
            RuleFault::Id => f.write_str("its id is not of the form `pack.name`"),
            RuleFault::NoExamples(kind) => write!(f, "it has no `{kind}`"),
            RuleFault::Example { command, should_hit } => {
                let verb = if *should_hit { "does not match" } else { "matches" };
                write!(f, "it {verb} its example `{command}`")
            }
            RuleFault::Examples => write!(
                f,
                "a project's rule has at most {MOST_EXAMPLES} examples of {LONGEST_EXAMPLE} bytes"
            ),
            RuleFault::Reserved(what) => write!(f, "{what} is for built-in rules"),
            RuleFault::MatchesAll => f.write_str("it names no program, redirection, tool or statement"),
            RuleFault::Rewrite => f.write_str("`verdict = \"rewrite\"` and `rewrite` belong together"),
            RuleFault::TooMany => write!(f, "a project has at most {MOST_RULES} rules in 1 MiB"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    id: String,
    class: HarmClass,
    verdict: Option<Ruling>,
    #[serde(default)]
    strict: bool,
    check: Option<String>,
    #[serde(default)]
    any: Vec<CommandPattern>,
    #[serde(default, deserialize_with = "one_or_many")]
    program: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    sub: Vec<String>,
    #[serde(default)]
    flags: super::rule::Flags,
    operand: Option<super::rule::Operands>,
    redirect: Option<super::rule::Redirection>,
    stdin: Option<super::rule::StdinSource>,
    #[serde(default, deserialize_with = "one_or_many")]
    env: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    statement: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    tool: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    path: Vec<String>,
    #[serde(default)]
    input: BTreeMap<String, String>,
    #[serde(default)]
    when: RuleCondition,
    rewrite: Option<Rewrite>,
    what: String,
    why: String,
    #[serde(default)]
    instead: String,
    #[serde(default, deserialize_with = "one_or_many")]
    hits: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    misses: Vec<String>,
}

/// Reads every `[[rule]]` of a file. Examples are not run here: they need a rule set (see [`super::ruleset`]).
pub fn load(file: &str, text: &str, origin: RuleSource) -> LoadedRules {
    let mut reading = RuleReader {
        file,
        text,
        origin,
        loaded: LoadedRules::default(),
    };
    if origin.only_tightens() && text.len() > MOST_BYTES {
        reading.tell(0, None, RuleFault::TooMany);
        return reading.loaded;
    }
    match DeTable::parse(text) {
        Ok(table) => reading.table(table.into_inner()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            reading.tell(at, None, RuleFault::Malformed(error.message().to_owned()));
        }
    }
    reading.loaded
}

struct RuleReader<'a> {
    file: &'a str,
    text: &'a str,
    origin: RuleSource,
    loaded: LoadedRules,
}

impl RuleReader<'_> {
    fn table(&mut self, mut table: DeTable<'_>) {
        // A settings file keeps its rules below `guard`; its other keys are read elsewhere.
        if let Some(DeValue::Table(guard)) = table.get_mut("guard").map(toml::Spanned::get_mut) {
            let rules = guard.remove("rule");
            table.clear();
            if let Some(rules) = rules {
                self.rules(rules.into_inner());
            }
            return;
        }
        for (name, value) in table {
            let at = name.span().start;
            match (name.get_ref().as_ref(), value.into_inner()) {
                ("rule", rules @ DeValue::Array(_)) => self.rules(rules),
                ("about", DeValue::String(_)) => {}
                (other, _) => {
                    let message = format!("unknown key `{other}`; rules are `[[rule]]` tables");
                    self.tell(at, None, RuleFault::Malformed(message));
                }
            }
        }
    }

    fn rules(&mut self, rules: DeValue<'_>) {
        let DeValue::Array(items) = rules else {
            return self.tell(
                0,
                None,
                RuleFault::Malformed("`rule` is a list of tables".to_owned()),
            );
        };
        // Wrong ones count too, so that a project cannot keep us busy with them.
        for (count, item) in items.into_iter().enumerate() {
            let at = item.span().start;
            if self.origin.only_tightens() && count >= MOST_RULES {
                return self.tell(at, None, RuleFault::TooMany);
            }
            self.rule(at, item);
        }
    }

    fn rule(&mut self, at: usize, item: toml::Spanned<DeValue<'_>>) {
        let id = match item.get_ref() {
            DeValue::Table(table) => table.get("id").and_then(|id| match id.get_ref() {
                DeValue::String(id) => Some(id.to_string()),
                _ => None,
            }),
            _ => None,
        };
        match RuleText::deserialize(toml::de::ValueDeserializer::from(item)) {
            Ok(text) => match self.sound(text) {
                Ok(rule) => self.loaded.rules.push(rule),
                Err(wrong) => self.tell(at, id, wrong),
            },
            Err(error) => {
                let at = error.span().map_or(at, |span| span.start);
                self.tell(at, id, RuleFault::Malformed(error.message().to_owned()));
            }
        }
    }

    fn sound(&self, text: RuleText) -> Result<Rule, RuleFault> {
        let is_built_in = self.origin == RuleSource::BuiltIn;
        if !is_id(&text.id) {
            return Err(RuleFault::Id);
        }
        if self.loaded.rules.iter().any(|rule| rule.id == text.id) {
            return Err(RuleFault::Duplicate);
        }
        if text.hits.is_empty() {
            return Err(RuleFault::NoExamples("hits"));
        }
        if text.misses.is_empty() {
            return Err(RuleFault::NoExamples("misses"));
        }
        let examples = text.hits.len() + text.misses.len();
        let is_long = |example: &String| example.len() > LONGEST_EXAMPLE;
        let is_heavy = examples > MOST_EXAMPLES || text.hits.iter().chain(&text.misses).any(is_long);
        if self.origin.only_tightens() && is_heavy {
            return Err(RuleFault::Examples);
        }
        if text.class == HarmClass::Floor && !is_built_in {
            return Err(RuleFault::Reserved("class `floor`"));
        }
        if text.check.is_some() && !is_built_in {
            return Err(RuleFault::Reserved("`check`"));
        }
        let check = match &text.check {
            Some(name) => {
                let check = Check::named(name);
                Some(check.ok_or_else(|| RuleFault::Malformed(format!("there is no check `{name}`")))?)
            }
            None => None,
        };
        let verdict = text.verdict.unwrap_or_else(|| text.class.ruling());
        let rewrites = text.rewrite.is_some() || check.is_some_and(|check| check.rewrites);
        if (verdict == Ruling::Rewrite) != rewrites {
            return Err(RuleFault::Rewrite);
        }
        if text.rewrite.is_some() && self.origin.only_tightens() {
            return Err(RuleFault::Reserved("`rewrite` in a project's file"));
        }
        if let Some(prefix) = text
            .rewrite
            .as_ref()
            .and_then(|rewrite| rewrite.prefix.as_deref())
            && !Rewrite::PREFIXES.contains(&prefix)
        {
            return Err(RuleFault::Malformed(format!(
                "`{prefix}` is no prefix a rule may add"
            )));
        }
        let rule = assembled(text, verdict, check);
        let names_something = |pattern: &CommandPattern| {
            !pattern.program.is_empty() || pattern.redirect.is_some() || !pattern.statement.is_empty()
        };
        if rule.check.is_none()
            && rule.tool.is_none()
            && (rule.any.is_empty() || !rule.any.iter().all(names_something))
        {
            return Err(RuleFault::MatchesAll);
        }
        Ok(rule)
    }

    fn tell(&mut self, at: usize, rule: Option<String>, what: RuleFault) {
        if self.loaded.problems.len() >= MOST_PROBLEMS && what != RuleFault::TooMany {
            return;
        }
        let before = self.text.get(..at).unwrap_or_default();
        self.loaded.problems.push(RuleProblem {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            rule,
            what,
        });
    }
}

/// Reads a built-in rule from the JSON that the build made of it. It was checked when it was TOML, by a test.
pub(super) fn built(json: &str) -> Result<Rule, serde_json::Error> {
    let text: RuleText = serde_json::from_str(json)?;
    let verdict = text.verdict.unwrap_or_else(|| text.class.ruling());
    let check = text.check.as_deref().and_then(Check::named);
    Ok(assembled(text, verdict, check))
}

fn assembled(text: RuleText, verdict: Ruling, check: Option<&'static Check>) -> Rule {
    let tool = (!text.tool.is_empty()).then(|| ToolPattern {
        tool: text.tool,
        path: text.path,
        input: text.input.into_iter().collect(),
    });
    let own = CommandPattern {
        program: text.program,
        sub: text.sub,
        flags: text.flags,
        operand: text.operand,
        redirect: text.redirect,
        stdin: text.stdin,
        env: text.env,
        statement: text.statement,
    };
    let mut any = text.any;
    if own != CommandPattern::default() {
        any.push(own);
    }
    Rule {
        id: text.id,
        class: text.class,
        verdict,
        strict: text.strict,
        any,
        check,
        tool,
        when: text.when,
        rewrite: text.rewrite,
        what: text.what,
        why: text.why,
        instead: text.instead,
        hits: text.hits,
        misses: text.misses,
    }
}

fn is_id(id: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
    };
    id.len() <= 100 && id.contains('.') && id.split('.').all(is_name)
}
