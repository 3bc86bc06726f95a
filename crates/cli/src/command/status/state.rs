//! What Toprope keeps, how much room it takes, and what went wrong so far.

use crate::disk;
use crate::error_counters::is_trouble;
use crate::moment;
use ::daemon::home::Home;
use engine::time::Timestamp;
use serde::Serialize;
use store::table::{counters, notices};
use store::{Store, StoreError};

/// See the module.
#[derive(Debug, Serialize)]
pub struct HealthState {
    pub folder: String,
    /// Bytes of all files in it.
    pub bytes: u64,
    /// What is counted because it should not happen: unreadable payloads, degraded decisions.
    pub counters: Vec<CounterEntry>,
    /// Texts the person is still owed.
    pub notices: Vec<Notice>,
}

/// How often something happened.
#[derive(Debug, Serialize)]
pub struct CounterEntry {
    pub name: String,
    pub count: u64,
    pub last: Option<String>,
    pub last_at: Option<String>,
    #[serde(skip)]
    pub when: Option<Timestamp>,
}

/// A text the person is owed.
#[derive(Debug, Serialize)]
pub struct Notice {
    pub text: String,
    pub since: String,
    #[serde(skip)]
    pub when: Timestamp,
}

impl HealthState {
    /// What is kept, as it is now.
    pub fn of(home: &Home, store: Option<&Store>) -> Result<Self, StoreError> {
        let (mut counted, mut owed) = (Vec::new(), Vec::new());
        if let Some(store) = store {
            let db = store.snapshot()?;
            counted = counters::list(&db)?;
            counted.retain(|counter| is_trouble(&counter.name));
            owed = notices::for_person(&db)?;
        }
        Ok(Self {
            folder: home.folder().to_string_lossy().into_owned(),
            bytes: disk::used(home.folder()),
            counters: counted.into_iter().map(counter).collect(),
            notices: owed
                .into_iter()
                .map(|notice| Notice {
                    text: notice.text,
                    since: moment::rfc3339(notice.created_at),
                    when: notice.created_at,
                })
                .collect(),
        })
    }
}

fn counter(counter: counters::Counter) -> CounterEntry {
    CounterEntry {
        name: counter.name,
        count: counter.count,
        last: counter.last_text,
        last_at: counter.last_at.map(moment::rfc3339),
        when: counter.last_at,
    }
}
