//! Looks for damage in the database file: all of it where that is quick or wanted, else a sample.

use crate::StoreError;
use crate::db::Db;
use rusqlite::named_params;

/// Up to so many pages everything is read: a few dozen milliseconds.
const FEW_PAGES: u64 = 8 * 1024;

/// Rows of a table in a sample, spread over all of it.
const SAMPLE: i64 = 256;

/// How much to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Bounded, however big the file is.
    Bounded,
    /// Every page, and whether every index agrees with its table.
    Whole,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Examined {
    /// What `SQLite` finds wrong; empty if nothing is.
    pub damage: Vec<String>,
    /// How many rows a sample had; none if every page was looked at.
    pub sample: Option<usize>,
}

/// Looks for damage.
pub(crate) fn examine(db: &Db, depth: Depth) -> Result<Examined, StoreError> {
    match depth {
        Depth::Whole => whole(db, "PRAGMA integrity_check"),
        Depth::Bounded if db.number("PRAGMA page_count", &[])? <= FEW_PAGES => {
            whole(db, "PRAGMA quick_check")
        }
        Depth::Bounded => sample(db),
    }
}

fn whole(db: &Db, check: &str) -> Result<Examined, StoreError> {
    let mut damage = match db.values::<String>(check, &[]) {
        // Some damage ends the search for it.
        Err(StoreError::Corrupt) => vec![StoreError::Corrupt.to_string()],
        found => found?,
    };
    damage.retain(|line| line != "ok");
    Ok(Examined { damage, sample: None })
}

/// Rows of every table, from its beginning to its end, each with all it holds.
fn sample(db: &Db) -> Result<Examined, StoreError> {
    let tables = db.all(
        "SELECT name, wr FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        &[],
        |row| Ok((row.take::<String>()?, row.take::<bool>()?)),
    )?;
    let (mut damage, mut rows) = (Vec::new(), 0);
    for (table, has_no_rowid) in tables {
        match sample_table(db, &table, has_no_rowid) {
            Ok(read) => rows += read,
            Err(StoreError::Corrupt) => damage.push(format!("the table `{table}` cannot be read")),
            Err(other) => return Err(other),
        }
    }
    Ok(Examined {
        damage,
        sample: Some(rows),
    })
}

fn sample_table(db: &Db, table: &str, has_no_rowid: bool) -> Result<usize, StoreError> {
    if has_no_rowid {
        let first = format!("SELECT * FROM \"{table}\" LIMIT {SAMPLE}");
        return Ok(db.all(&first, &[], |row| row.skim())?.len());
    }
    // Apart: only one end alone is found without reading what lies between.
    let ends = format!("SELECT (SELECT MIN(rowid) FROM \"{table}\"), (SELECT MAX(rowid) FROM \"{table}\")");
    let ends = db.one(&ends, &[], |row| {
        Ok((row.take::<Option<i64>>()?, row.take::<Option<i64>>()?))
    })?;
    let Some((Some(first), Some(last))) = ends else {
        return Ok(0);
    };
    let stride = (last.saturating_sub(first) / SAMPLE).max(1);
    let next = format!("SELECT * FROM \"{table}\" WHERE rowid >= :at ORDER BY rowid LIMIT 1");
    let mut read = 0;
    for number in 0..=SAMPLE {
        let at = first.saturating_add(stride.saturating_mul(number));
        if at > last {
            break;
        }
        read += db
            .all(&next, named_params! { ":at": at }, |row| row.skim())?
            .len();
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
