//! The parts of a filter: what each asks of a row, and where it finds its own rows.

use super::probe::{QueryProbe, Values};
use super::{LogFilter, path};
use crate::StoreError;
use crate::db::Db;
use crate::table::events::named::{self, EventToolName};
use crate::table::{actors, projects, verdicts};
use engine::id::ProjectId;
use engine::verdict::VerdictKind;

/// More places than this are not looked at one by one: what is in so many is soon met anyway. `SQLite` joins 500.
const MOST: usize = 200;

/// A project; `None` stands for events without one.
type ProjectFilter = Option<ProjectId>;

/// One part of a filter, with what the database knows of it.
#[derive(Debug)]
pub enum FilterPart {
    /// About these paths.
    Path(Vec<(ProjectFilter, String)>),
    /// Of these actors.
    Actor(Vec<i64>),
    /// With what these policies said, or where none said anything.
    Verdict {
        /// Policies with their words.
        said: Vec<(String, String)>,
        /// Silence is meant as well.
        or_nothing: bool,
    },
    /// With these tools and these names, where a list is not empty.
    Kind {
        tools: Vec<String>,
        names: Vec<String>,
        /// Where there are such events.
        found: Vec<(ProjectFilter, EventToolName)>,
    },
    /// Of this project.
    Project(ProjectId),
}

/// The parts of a filter, those first that let through least as a rule.
pub fn all(db: &Db, filter: &LogFilter) -> Result<Vec<FilterPart>, StoreError> {
    let places = places(db, filter)?;
    let mut parts = Vec::new();
    if !filter.paths.is_empty() {
        let found = path::targets(db, &places, &filter.paths)?;
        parts.push(FilterPart::Path(found.into_iter().collect()));
    }
    if !filter.agents.is_empty() || !filter.sessions.is_empty() {
        let found = actors::named(db, &filter.agents, &filter.sessions)?;
        parts.push(FilterPart::Actor(found.into_iter().map(|id| id.0).collect()));
    }
    if !filter.verdicts.is_empty() || !filter.policies.is_empty() {
        parts.push(of_verdict(db, filter)?);
    }
    if !filter.tools.is_empty() || !filter.events.is_empty() {
        parts.push(of_kind(db, filter, &places)?);
    }
    parts.extend(filter.project.map(FilterPart::Project));
    Ok(parts)
}

impl FilterPart {
    /// Whether it lets nothing through.
    pub fn is_nothing(&self) -> bool {
        match self {
            Self::Path(found) => found.is_empty(),
            Self::Actor(found) => found.is_empty(),
            Self::Verdict { said, or_nothing } => said.is_empty() && !or_nothing,
            Self::Kind { found, .. } => found.is_empty(),
            Self::Project(_) => false,
        }
    }

    /// Whether its own rows are in few enough places to be looked for there.
    pub fn leads(&self) -> bool {
        match self {
            Self::Path(found) => found.len() <= MOST,
            Self::Actor(found) => found.len() <= MOST,
            Self::Verdict { said, or_nothing } => said.len() <= MOST && !or_nothing,
            Self::Kind { found, .. } => found.len() <= MOST,
            Self::Project(_) => true,
        }
    }

    /// What it asks of a row that was found elsewhere. A plus keeps the database from looking for it.
    pub fn condition(&self, values: &mut Values) -> Result<String, StoreError> {
        Ok(match self {
            Self::Path(found) => {
                let targets: Vec<&str> = found.iter().map(|(_, target)| target.as_str()).collect();
                let list = values.list(&targets)?;
                format!("+events.target IN (SELECT value FROM json_each({list})) AND {NO_COMMAND}")
            }
            Self::Actor(found) => {
                let list = values.list(found)?;
                format!("+events.actor_id IN (SELECT value FROM json_each({list}))")
            }
            Self::Verdict { said, or_nothing } => {
                let said = format!(
                    "EXISTS (SELECT 1 FROM verdicts JOIN json_each({}) AS wanted
                         ON +policy = wanted.value ->> 0 AND +verdict = wanted.value ->> 1
                         WHERE verdicts.event = events.seq)",
                    values.list(said)?
                );
                if *or_nothing {
                    format!(
                        "({said} OR NOT EXISTS (SELECT 1 FROM verdicts WHERE verdicts.event = events.seq))"
                    )
                } else {
                    said
                }
            }
            Self::Kind { tools, names, .. } => {
                let mut conditions = Vec::new();
                for (column, wanted) in [("tool", tools), ("event", names)] {
                    if !wanted.is_empty() {
                        let list = values.list(wanted)?;
                        conditions.push(format!(
                            "+events.{column} IN (SELECT value FROM json_each({list}))"
                        ));
                    }
                }
                conditions.join(" AND ")
            }
            Self::Project(project) => format!("+events.project_id = {}", values.add(project.0)),
        })
    }

    /// Where its own rows are.
    pub fn probes(&self, values: &mut Values) -> Vec<QueryProbe> {
        match self {
            Self::Path(found) => found.iter().map(|one| at_path(one, values)).collect(),
            Self::Actor(found) => found
                .iter()
                .map(|id| QueryProbe::of_events(format!("events.actor_id = {}", values.add(*id))))
                .collect(),
            Self::Verdict { said, .. } => said.iter().map(|one| at_verdict(one, values)).collect(),
            Self::Kind { found, .. } => found.iter().map(|one| at_kind(one, values)).collect(),
            Self::Project(project) => vec![QueryProbe::of_events(format!(
                "events.project_id = {}",
                values.add(project.0)
            ))],
        }
    }
}

/// A command can begin with a path, and is none.
const NO_COMMAND: &str = "events.tool IS NOT 'Bash'";

fn at_path((project, target): &(ProjectFilter, String), values: &mut Values) -> QueryProbe {
    let (project, target) = (id(*project, values), values.add(target.clone()));
    // The first condition is that of the index, and says nothing else. It is no range, or SQLite would walk it.
    QueryProbe::of_events(format!(
        "substr(events.target, 1, 1) = '/' AND events.project_id IS {project}
         AND events.target = {target} AND {NO_COMMAND}"
    ))
}

fn at_verdict((policy, word): &(String, String), values: &mut Values) -> QueryProbe {
    let (policy, word) = (values.add(policy.clone()), values.add(word.clone()));
    QueryProbe::of_verdicts(format!(
        "verdicts.policy = {policy} AND verdicts.verdict = {word}"
    ))
}

fn at_kind((project, (name, tool)): &(ProjectFilter, EventToolName), values: &mut Values) -> QueryProbe {
    let (project, name) = (id(*project, values), values.add(name.clone()));
    let tool = values.add(tool.clone());
    QueryProbe::of_events(format!(
        "events.project_id IS {project} AND events.event = {name} AND events.tool IS {tool}"
    ))
}

fn id(project: ProjectFilter, values: &mut Values) -> String {
    values.add(project.map(|project| project.0))
}

/// The projects whose events are wanted.
fn places(db: &Db, filter: &LogFilter) -> Result<Vec<ProjectFilter>, StoreError> {
    if filter.project.is_some() {
        return Ok(vec![filter.project]);
    }
    let known = projects::list(db)?.into_iter().map(|project| Some(project.id));
    Ok(known.chain([None]).collect())
}

fn of_verdict(db: &Db, filter: &LogFilter) -> Result<FilterPart, StoreError> {
    let is_wanted = |(policy, word): &(String, String)| {
        (filter.policies.is_empty() || filter.policies.contains(policy))
            && (filter.verdicts.is_empty() || filter.verdicts.iter().any(|kind| kind.as_str() == word))
    };
    Ok(FilterPart::Verdict {
        said: verdicts::spoken(db)?.into_iter().filter(is_wanted).collect(),
        or_nothing: filter.verdicts.contains(&VerdictKind::Silent) && filter.policies.is_empty(),
    })
}

fn of_kind(db: &Db, filter: &LogFilter, places: &[ProjectFilter]) -> Result<FilterPart, StoreError> {
    let tools = one_tool(&filter.tools);
    let is_wanted = |(name, tool): &EventToolName| {
        (filter.events.is_empty() || filter.events.contains(name))
            && (tools.is_empty() || tool.as_ref().is_some_and(|tool| tools.contains(tool)))
    };
    let mut found = Vec::new();
    for place in places {
        let kinds = named::kinds(db, *place)?.into_iter();
        found.extend(kinds.filter(is_wanted).map(|kind| (*place, kind)));
    }
    Ok(FilterPart::Kind {
        names: filter.events.clone(),
        tools,
        found,
    })
}

/// `Task` is how older clients called `Agent`.
fn one_tool(wanted: &[String]) -> Vec<String> {
    let mut tools = wanted.to_vec();
    for (one, other) in [("Task", "Agent"), ("Agent", "Task")] {
        if wanted.iter().any(|tool| tool == one) {
            tools.push(other.to_owned());
        }
    }
    tools
}
