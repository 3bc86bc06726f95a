//! One sum per day, project, session, agent, turn or model.

use crate::failure::Failure;
use clap::ValueEnum;
use engine::time::Timestamp;
use engine::usage::Tokens;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::collections::BTreeMap;
use store::table::usage::UsageEntry;
use store::table::{actors, projects};
use store::{Db, StoreError};

/// What a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupBy {
    /// A calendar day where you are
    Day,
    /// A project
    Project,
    /// A session, its subagents included
    Session,
    /// A main thread or a subagent, without those below it
    Agent,
    /// A turn of a session
    Turn,
    /// A model
    Model,
}

/// Sums, in the order of their first messages.
#[derive(Debug, Serialize)]
pub struct Groups {
    by: GroupBy,
    /// One per thing.
    pub rows: Vec<UsageSum>,
    /// Over all of them.
    pub total: Tokens,
}

/// One sum.
#[derive(Debug, Serialize)]
pub struct UsageSum {
    /// The day, path, id, label or name; `None` where it is not known.
    pub name: Option<String>,
    /// How much.
    pub total: Tokens,
}

impl Groups {
    /// Sums up messages.
    pub fn of(db: &Db, entries: &[UsageEntry], by: GroupBy, zone: &TimeZone) -> Result<Self, Failure> {
        let mut names = UsageNames {
            db,
            zone,
            known: BTreeMap::new(),
        };
        let mut rows: Vec<UsageSum> = Vec::new();
        let mut places: BTreeMap<Option<String>, usize> = BTreeMap::new();
        for entry in entries {
            let name = names.of(entry, by)?;
            let place = *places.entry(name.clone()).or_insert_with(|| {
                rows.push(UsageSum {
                    name,
                    total: Tokens::default(),
                });
                rows.len().saturating_sub(1)
            });
            if let Some(row) = rows.get_mut(place) {
                row.total += entry.tokens;
            }
        }
        Ok(Self {
            by,
            rows,
            total: entries.iter().map(|entry| entry.tokens).sum(),
        })
    }

    /// Nothing at all.
    pub fn none(by: GroupBy) -> Self {
        Self {
            by,
            rows: Vec::new(),
            total: Tokens::default(),
        }
    }
}

/// What things are called, each looked up once.
struct UsageNames<'a> {
    db: &'a Db,
    zone: &'a TimeZone,
    known: BTreeMap<(GroupBy, i64), Option<String>>,
}

impl UsageNames<'_> {
    fn of(&mut self, entry: &UsageEntry, by: GroupBy) -> Result<Option<String>, StoreError> {
        match by {
            GroupBy::Day => Ok(Some(day(entry.at, self.zone))),
            GroupBy::Model => Ok(entry.model.clone()),
            GroupBy::Project | GroupBy::Session => self.looked_up(by, entry.session.0),
            GroupBy::Agent => self.looked_up(by, entry.actor.0),
            GroupBy::Turn => {
                let session = self
                    .looked_up(GroupBy::Session, entry.session.0)?
                    .unwrap_or_default();
                let turn = entry.turn.map_or("no turn".to_owned(), |turn| format!("t{turn}"));
                Ok(Some(format!("{session} {turn}")))
            }
        }
    }

    fn looked_up(&mut self, by: GroupBy, id: i64) -> Result<Option<String>, StoreError> {
        if let Some(name) = self.known.get(&(by, id)) {
            return Ok(name.clone());
        }
        let name = self.look_up(by, id)?;
        self.known.insert((by, id), name.clone());
        Ok(name)
    }

    fn look_up(&self, by: GroupBy, id: i64) -> Result<Option<String>, StoreError> {
        let Some(actor) = actors::by_id(self.db, engine::id::ActorId(id))? else {
            return Ok(None);
        };
        Ok(match by {
            GroupBy::Project => {
                let project = actor.project.map(|id| projects::by_id(self.db, id));
                let project = project.transpose()?.flatten();
                project.map(|project| project.place.root.display().to_string())
            }
            GroupBy::Session => Some(actor.key.session.to_string()),
            GroupBy::Agent => Some(actor.label),
            GroupBy::Day | GroupBy::Turn | GroupBy::Model => None,
        })
    }
}

fn day(at: Timestamp, zone: &TimeZone) -> String {
    let shown = crate::moment::day_and_clock(at, zone);
    shown.split(' ').next().unwrap_or_default().to_owned()
}
