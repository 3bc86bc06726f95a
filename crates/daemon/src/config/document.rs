//! One settings file, read into checked entries. What is wrong in it is told with its place, and left out.

use super::guard_tables::{GuardTables, NamedValue};
use super::problem::{FilePosition, LineIndex, SettingsProblem};
use super::source::digest;
use engine::settings::{KEYS, LeaseTool, SettingKey, SettingValue, ValueKind, nearest};
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
pub(super) struct SettingsDocument {
    /// The hash of its bytes.
    pub digest: [u8; 32],
    /// Its values, in the order of the file.
    pub entries: Vec<FileSetting>,
    /// The guard's open tables.
    pub guard: GuardTables,
    /// Its `[[lease.tool]]` tables.
    pub lease_tools: Vec<NamedValue<LeaseTool>>,
    /// Its `[skills.map]`.
    pub skills_map: Vec<NamedValue<Vec<String>>>,
    /// Its text, if it holds rules of its own.
    pub rules: Option<String>,
    /// Its `[project."<root>"]` tables.
    pub projects: Vec<ProjectTable>,
    /// What was left out.
    pub problems: Vec<SettingsProblem>,
}

/// One value that its key accepts.
#[derive(Debug)]
pub(super) struct FileSetting {
    pub key: &'static SettingKey,
    pub value: SettingValue,
    pub spot: FilePosition,
}

/// The person's values for one project.
#[derive(Debug)]
pub(super) struct ProjectTable {
    pub root: String,
    pub entries: Vec<FileSetting>,
    /// The guard's open tables.
    pub guard: GuardTables,
    /// Its `[[lease.tool]]` tables.
    pub lease_tools: Vec<NamedValue<LeaseTool>>,
    /// Its `[skills.map]`.
    pub skills_map: Vec<NamedValue<Vec<String>>>,
    /// The rules it holds, as a file of rules would.
    pub rules: Option<String>,
}

impl SettingsDocument {
    /// Reads the bytes; fails only if they are not TOML at all.
    pub(super) fn parse(path: &Path, bytes: &[u8], holder: Holder) -> Result<Self, SettingsProblem> {
        let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(path, bytes, &error))?;
        let lines = LineIndex::new(text);
        let table = DeTable::parse(text).map_err(|error| {
            let problem = SettingsProblem::with_file(path, one_line(error.message(), LONGEST_SHOWN * 2));
            match error.span() {
                Some(span) => problem.at(lines.spot(span.start)),
                None => problem,
            }
        })?;
        let mut walk = DocumentWalk {
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

fn not_utf8(path: &Path, bytes: &[u8], error: &std::str::Utf8Error) -> SettingsProblem {
    let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let good = std::str::from_utf8(good).unwrap_or_default();
    SettingsProblem::with_file(path, "is not UTF-8 text").at(LineIndex::new(good).spot(good.len()))
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
pub(super) struct DocumentPart<'a> {
    pub name: &'a str,
    pub name_at: usize,
    pub value: &'a DeValue<'a>,
    pub value_at: usize,
}

pub(super) fn in_order<'a>(table: &'a DeTable<'a>) -> Vec<DocumentPart<'a>> {
    let mut parts: Vec<DocumentPart<'a>> = table
        .iter()
        .map(|(name, value)| DocumentPart {
            name: name.get_ref(),
            name_at: name.span().start,
            value: value.get_ref(),
            value_at: value.span().start,
        })
        .collect();
    parts.sort_by_key(|part| part.name_at);
    parts
}

pub(super) struct DocumentWalk<'a> {
    path: &'a Path,
    pub lines: LineIndex<'a>,
    problems: Vec<SettingsProblem>,
    untold: usize,
    /// The guard's open tables of what is being read: the file, or one project in it.
    pub guard: GuardTables,
    /// The same of `[[lease.tool]]`.
    pub lease_tools: Vec<NamedValue<LeaseTool>>,
    /// The same of `[skills.map]`.
    pub skills_map: Vec<NamedValue<Vec<String>>>,
    /// The rules the file holds for the project of that root, as a file of rules would.
    own_rules: &'a dyn Fn(&str) -> Option<String>,
}

impl DocumentWalk<'_> {
    fn projects(&mut self, part: &DocumentPart, projects: &mut Vec<ProjectTable>) {
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
    fn part(&mut self, prefix: &str, part: &DocumentPart, entries: &mut Vec<FileSetting>) {
        let path = format!("{prefix}{}", part.name);
        if let Some(key) = SettingKey::named(&path) {
            match checked(key, part) {
                Ok(value) => entries.push(FileSetting {
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

    fn unknown(&mut self, path: &str, part: &DocumentPart) {
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
        let problem = SettingsProblem::with_file(self.path, message)
            .at(self.lines.spot(at))
            .about(key)
            .hinting(hint);
        self.problems.push(problem);
    }

    fn told(mut self) -> Vec<SettingsProblem> {
        if self.untold > 0 {
            let message = format!("has {} more problems like these", self.untold);
            self.problems.push(SettingsProblem::with_file(self.path, message));
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
fn checked(key: &SettingKey, part: &DocumentPart) -> Result<SettingValue, Unfit> {
    let value = read(part)?;
    if key.kind.accepts(&value) {
        return Ok(value);
    }
    let of_its_kind = matches!(
        (key.kind, &value),
        (ValueKind::Int { .. }, SettingValue::Int(_))
            | (ValueKind::Word(_), SettingValue::Word(_))
            | (
                ValueKind::Words
                    | ValueKind::Globs
                    | ValueKind::Patterns
                    | ValueKind::Commands
                    | ValueKind::Folders,
                SettingValue::Words(_)
            )
    );
    let hint = match (key.kind, &value) {
        (ValueKind::Word(words), SettingValue::Word(word)) => nearest(word, words.iter().copied()).map(meant),
        (
            ValueKind::Bool
            | ValueKind::Int { .. }
            | ValueKind::Word(_)
            | ValueKind::Folder
            | ValueKind::Words
            | ValueKind::Globs
            | ValueKind::Patterns
            | ValueKind::Commands
            | ValueKind::Folders,
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
pub(super) fn read(part: &DocumentPart) -> Result<SettingValue, Unfit> {
    let unfit = |at: usize, found: String| Unfit {
        at,
        found,
        hint: None,
    };
    match part.value {
        DeValue::Boolean(value) => Ok(SettingValue::Bool(*value)),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(SettingValue::Int)
            .map_err(|_| {
                let shown = one_line(&number.to_string(), LONGEST_SHOWN);
                unfit(part.value_at, format!("`{shown}`"))
            }),
        DeValue::String(text) => Ok(SettingValue::Word(text.clone().into_owned())),
        DeValue::Array(items) => {
            let mut words = Vec::new();
            for item in items {
                let DeValue::String(text) = item.get_ref() else {
                    let found = format!("a list with {} in it", kind_of(item.get_ref()));
                    return Err(unfit(item.span().start, found));
                };
                words.push(text.clone().into_owned());
            }
            Ok(SettingValue::Words(words))
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
pub(super) fn list(text: &str) -> Option<SettingValue> {
    let parsed = DeValue::parse(text).ok()?;
    let part = DocumentPart {
        name: "",
        name_at: 0,
        value: parsed.get_ref(),
        value_at: 0,
    };
    read(&part)
        .ok()
        .filter(|value| matches!(value, SettingValue::Words(_)))
}

#[cfg(test)]
mod tests;
