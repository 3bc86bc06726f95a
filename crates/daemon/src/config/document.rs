//! One settings file, read into checked entries. What is wrong in it is told with its place, and left out.

use super::guard_tables::{GuardTables, Named};
use super::problem::{Lines, Problem, Spot};
use super::source::digest;
use engine::settings::{KEYS, Key, Kind, LeaseTool, Value, nearest};
use engine::text::one_line;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// Problems told per file; a file with more is one problem.
const MOST_PROBLEMS: usize = 20;
/// Characters of a foreign name or value shown in a message.
const LONGEST_SHOWN: usize = 80;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// The person's own, with tables for single projects.
    Person,
    /// A project's.
    Project,
}

/// A settings file whose TOML is sound.
#[derive(Debug)]
pub(super) struct Document {
    /// The hash of its bytes.
    pub digest: [u8; 32],
    /// Its values, in the order of the file.
    pub entries: Vec<Entry>,
    /// The guard's open tables.
    pub guard: GuardTables,
    /// Its `[[lease.tool]]` tables.
    pub lease_tools: Vec<Named<LeaseTool>>,
    /// Its `[skills.map]`.
    pub skills_map: Vec<Named<Vec<String>>>,
    /// Its text, if it holds rules of its own.
    pub rules: Option<String>,
    /// Its `[project."<root>"]` tables.
    pub projects: Vec<ProjectTable>,
    /// What was left out.
    pub problems: Vec<Problem>,
}

/// One value that its key accepts.
#[derive(Debug)]
pub(super) struct Entry {
    pub key: &'static Key,
    pub value: Value,
    pub spot: Spot,
}

/// The person's values for one project.
#[derive(Debug)]
pub(super) struct ProjectTable {
    pub root: String,
    pub entries: Vec<Entry>,
    /// The guard's open tables.
    pub guard: GuardTables,
    /// Its `[[lease.tool]]` tables.
    pub lease_tools: Vec<Named<LeaseTool>>,
    /// Its `[skills.map]`.
    pub skills_map: Vec<Named<Vec<String>>>,
    /// The rules it holds, as a file of rules would.
    pub rules: Option<String>,
}

impl Document {
    /// Reads the bytes; fails only if they are not TOML at all.
    pub(super) fn parse(path: &Path, bytes: &[u8], holder: Holder) -> Result<Self, Problem> {
        let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(path, bytes, &error))?;
        let lines = Lines::new(text);
        let table = DeTable::parse(text).map_err(|error| {
            let problem = Problem::with_file(path, one_line(error.message(), LONGEST_SHOWN * 2));
            match error.span() {
                Some(span) => problem.at(lines.spot(span.start)),
                None => problem,
            }
        })?;
        let mut walk = Walk {
            path,
            lines,
            problems: Vec::new(),
            untold: 0,
            guard: GuardTables::default(),
            lease_tools: Vec::new(),
            skills_map: Vec::new(),
            own_rules: &|root| rules_of_project(text, root),
        };
        let mut projects = Vec::new();
        let mut entries = Vec::new();
        for part in in_order(table.get_ref()) {
            if holder == Holder::Person && part.name == "project" {
                let outer = std::mem::take(&mut walk.guard);
                let outer_tools = std::mem::take(&mut walk.lease_tools);
                let outer_map = std::mem::take(&mut walk.skills_map);
                walk.projects(&part, &mut projects);
                walk.guard = outer;
                walk.lease_tools = outer_tools;
                walk.skills_map = outer_map;
            } else {
                walk.part("", &part, &mut entries);
            }
        }
        let guard = std::mem::take(&mut walk.guard);
        Ok(Self {
            digest: digest(bytes),
            entries,
            rules: guard.has_rules.then(|| text.to_owned()),
            guard,
            lease_tools: std::mem::take(&mut walk.lease_tools),
            skills_map: std::mem::take(&mut walk.skills_map),
            projects,
            problems: walk.told(),
        })
    }
}

fn not_utf8(path: &Path, bytes: &[u8], error: &std::str::Utf8Error) -> Problem {
    let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let good = std::str::from_utf8(good).unwrap_or_default();
    Problem::with_file(path, "is not UTF-8 text").at(Lines::new(good).spot(good.len()))
}

/// The `[[guard.rule]]` tables of one project's table, as the `[[rule]]` tables of a file.
fn rules_of_project(text: &str, root: &str) -> Option<String> {
    let document: toml_edit::DocumentMut = text.parse().ok()?;
    let rules = document.get("project")?.get(root)?.get("guard")?.get("rule")?;
    let mut alone = toml_edit::DocumentMut::new();
    alone.insert("rule", rules.clone());
    Some(alone.to_string())
}

/// A name and its value, with the place of each.
pub(super) struct Part<'a> {
    pub name: &'a str,
    pub name_at: usize,
    pub value: &'a DeValue<'a>,
    pub value_at: usize,
}

pub(super) fn in_order<'a>(table: &'a DeTable<'a>) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = table
        .iter()
        .map(|(name, value)| Part {
            name: name.get_ref(),
            name_at: name.span().start,
            value: value.get_ref(),
            value_at: value.span().start,
        })
        .collect();
    parts.sort_by_key(|part| part.name_at);
    parts
}

pub(super) struct Walk<'a> {
    path: &'a Path,
    pub lines: Lines<'a>,
    problems: Vec<Problem>,
    untold: usize,
    /// The guard's open tables of what is being read: the file, or one project in it.
    pub guard: GuardTables,
    /// The same of `[[lease.tool]]`.
    pub lease_tools: Vec<Named<LeaseTool>>,
    /// The same of `[skills.map]`.
    pub skills_map: Vec<Named<Vec<String>>>,
    /// The rules the file holds for the project of that root, as a file of rules would.
    own_rules: &'a dyn Fn(&str) -> Option<String>,
}

impl Walk<'_> {
    fn projects(&mut self, part: &Part, projects: &mut Vec<ProjectTable>) {
        let DeValue::Table(tables) = part.value else {
            return self.unfit("project", part.value_at, &kind_of(part.value), "a table", None);
        };
        for project in in_order(tables) {
            let name = format!("project.{:?}", one_line(project.name, LONGEST_SHOWN));
            let DeValue::Table(table) = project.value else {
                self.unfit(&name, project.value_at, &kind_of(project.value), "a table", None);
                continue;
            };
            if !Path::new(project.name).is_absolute() {
                let message = format!("`{name}` names no project: its root is an absolute path");
                self.tell(project.name_at, &name, message, None);
                continue;
            }
            let mut entries = Vec::new();
            for part in in_order(table) {
                self.part("", &part, &mut entries);
            }
            let guard = std::mem::take(&mut self.guard);
            projects.push(ProjectTable {
                root: project.name.to_owned(),
                entries,
                rules: guard.has_rules.then(|| (self.own_rules)(project.name)).flatten(),
                guard,
                lease_tools: std::mem::take(&mut self.lease_tools),
                skills_map: std::mem::take(&mut self.skills_map),
            });
        }
    }

    /// One name below `prefix`: a key, a section of keys, or unknown. Never deeper than the deepest key.
    fn part(&mut self, prefix: &str, part: &Part, entries: &mut Vec<Entry>) {
        let path = format!("{prefix}{}", part.name);
        if let Some(key) = Key::named(&path) {
            match checked(key, part) {
                Ok(value) => entries.push(Entry {
                    key,
                    value,
                    spot: self.lines.spot(part.name_at),
                }),
                Err(Unfit { at, found, hint }) => {
                    self.unfit(key.name, at, &found, &key.kind.expected(), hint);
                }
            }
            return;
        }
        if self.guard_table(&path, part)
            || self.lease_tool_table(&path, part)
            || self.skills_map_table(&path, part)
        {
            return;
        }
        let section = format!("{path}.");
        if !KEYS.iter().any(|key| key.name.starts_with(&section)) {
            return self.unknown(&path, part);
        }
        let DeValue::Table(table) = part.value else {
            return self.unfit(&path, part.value_at, &kind_of(part.value), "a table", None);
        };
        for part in in_order(table) {
            self.part(&section, &part, entries);
        }
    }

    fn unknown(&mut self, path: &str, part: &Part) {
        let sections = KEYS
            .iter()
            .filter_map(|key| key.name.rsplit_once('.').map(|(section, _)| section));
        let candidates = KEYS.iter().map(|key| key.name).chain(sections);
        // Looking for the nearest is the one slow step here; nobody would read its answer.
        let is_told = self.problems.len() < MOST_PROBLEMS;
        let hint = is_told.then(|| nearest(path, candidates).map(meant)).flatten();
        let shown = one_line(path, LONGEST_SHOWN);
        self.tell(part.name_at, &shown, format!("unknown key `{shown}`"), hint);
    }

    pub(super) fn unfit(&mut self, key: &str, at: usize, found: &str, expected: &str, hint: Option<String>) {
        self.tell(at, key, format!("`{key}` is {found}, expected {expected}"), hint);
    }

    pub(super) fn tell(&mut self, at: usize, key: &str, message: String, hint: Option<String>) {
        if self.problems.len() >= MOST_PROBLEMS {
            self.untold += 1;
            return;
        }
        let problem = Problem::with_file(self.path, message)
            .at(self.lines.spot(at))
            .about(key)
            .hinting(hint);
        self.problems.push(problem);
    }

    fn told(mut self) -> Vec<Problem> {
        if self.untold > 0 {
            let message = format!("has {} more problems like these", self.untold);
            self.problems.push(Problem::with_file(self.path, message));
        }
        self.problems
    }
}

pub(super) struct Unfit {
    at: usize,
    found: String,
    hint: Option<String>,
}

/// The value, if the key accepts it.
fn checked(key: &Key, part: &Part) -> Result<Value, Unfit> {
    let value = read(part)?;
    if key.kind.accepts(&value) {
        return Ok(value);
    }
    let of_its_kind = matches!(
        (key.kind, &value),
        (Kind::Int { .. }, Value::Int(_))
            | (Kind::Word(_), Value::Word(_))
            | (
                Kind::Words | Kind::Globs | Kind::Patterns | Kind::Commands | Kind::Folders,
                Value::Words(_)
            )
    );
    let hint = match (key.kind, &value) {
        (Kind::Word(words), Value::Word(word)) => nearest(word, words.iter().copied()).map(meant),
        (
            Kind::Bool
            | Kind::Int { .. }
            | Kind::Word(_)
            | Kind::Folder
            | Kind::Words
            | Kind::Globs
            | Kind::Patterns
            | Kind::Commands
            | Kind::Folders,
            _,
        ) => None,
    };
    let found = if of_its_kind {
        format!("`{}`", one_line(&value.to_string(), LONGEST_SHOWN))
    } else {
        kind_of(part.value)
    };
    Err(Unfit {
        at: part.value_at,
        found,
        hint,
    })
}

fn meant(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// The value in our own terms, or what it is instead.
pub(super) fn read(part: &Part) -> Result<Value, Unfit> {
    let unfit = |at: usize, found: String| Unfit {
        at,
        found,
        hint: None,
    };
    match part.value {
        DeValue::Boolean(value) => Ok(Value::Bool(*value)),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(Value::Int)
            .map_err(|_| {
                let shown = one_line(&number.to_string(), LONGEST_SHOWN);
                unfit(part.value_at, format!("`{shown}`"))
            }),
        DeValue::String(text) => Ok(Value::Word(text.clone().into_owned())),
        DeValue::Array(items) => {
            let mut words = Vec::new();
            for item in items {
                let DeValue::String(text) = item.get_ref() else {
                    let found = format!("a list with {} in it", kind_of(item.get_ref()));
                    return Err(unfit(item.span().start, found));
                };
                words.push(text.clone().into_owned());
            }
            Ok(Value::Words(words))
        }
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => {
            Err(unfit(part.value_at, kind_of(part.value)))
        }
    }
}

pub(super) fn kind_of(value: &DeValue) -> String {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(true) => "`true`",
        DeValue::Boolean(false) => "`false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
    .to_owned()
}

/// The words of a TOML list given as text, as on a command line or in a variable.
pub(super) fn list(text: &str) -> Option<Value> {
    let parsed = DeValue::parse(text).ok()?;
    let part = Part {
        name: "",
        name_at: 0,
        value: parsed.get_ref(),
        value_at: 0,
    };
    read(&part).ok().filter(|value| matches!(value, Value::Words(_)))
}

#[cfg(test)]
mod tests;
