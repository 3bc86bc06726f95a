//! The committed instruction counts, and how new ones compare.

use crate::product::workspace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// More than this above the baseline is a regression; more than this below, a baseline that says too little.
const TOLERANCE_PERCENT: u64 = 5;
/// What a daemon does after its replies is counted with them, and steps that wait become one: how many are cut depends on
/// how busy the machine is.
const DAEMON_TOLERANCE_PERCENT: u64 = 15;

/// Counts, and what they depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The compiler: another one writes other instructions.
    pub rustc: String,
    /// The counter.
    pub valgrind: String,
    /// The C library that is linked in.
    pub libc: String,
    /// What keeps the C library from choosing code by the processor it meets.
    pub glibc_tunables: String,
    /// Instructions by what was run.
    pub instructions: BTreeMap<String, u64>,
}

/// How one count stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Within the tolerance.
    Same,
    /// A regression.
    Higher,
    /// Better than the baseline says: it should say so.
    Lower,
    /// Nothing to compare with.
    New,
}

impl Baseline {
    /// Reads the committed one; `None` if there is none yet.
    pub fn read() -> anyhow::Result<Option<Self>> {
        let path = path();
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(serde_json::from_str(&fs_err::read_to_string(path)?)?))
    }

    /// Makes this the committed one.
    pub fn write(&self) -> anyhow::Result<()> {
        fs_err::write(path(), format!("{}\n", serde_json::to_string_pretty(self)?))?;
        Ok(())
    }

    /// How a new count stands against this baseline.
    pub fn compare(&self, what: &str, count: u64) -> Change {
        let Some(&known) = self.instructions.get(what) else {
            return Change::New;
        };
        let percent = if what.starts_with("daemon") {
            DAEMON_TOLERANCE_PERCENT
        } else {
            TOLERANCE_PERCENT
        };
        let slack = known * percent / 100;
        if count > known + slack {
            Change::Higher
        } else if count < known - slack {
            Change::Lower
        } else {
            Change::Same
        }
    }
}

fn path() -> PathBuf {
    workspace().join("benches").join("baseline.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_either_way_is_no_change() {
        let baseline = Baseline {
            rustc: String::new(),
            valgrind: String::new(),
            libc: String::new(),
            glibc_tunables: String::new(),
            instructions: BTreeMap::from([("client".to_owned(), 1000), ("daemon".to_owned(), 1000)]),
        };
        assert_eq!(baseline.compare("client", 1050), Change::Same);
        assert_eq!(baseline.compare("client", 1051), Change::Higher);
        assert_eq!(baseline.compare("client", 950), Change::Same);
        assert_eq!(baseline.compare("client", 949), Change::Lower);
        assert_eq!(baseline.compare("request", 1), Change::New);
        assert_eq!(baseline.compare("daemon", 1150), Change::Same);
        assert_eq!(baseline.compare("daemon", 1151), Change::Higher);
    }
}
