//! Which statements a thread runs, and what each of them costs; test builds only.
//!
//! An event must cost the same on the thousandth day as on the first: what it asks is written down here, and a test
//! compares days and looks at plans.

use crate::StoreError;
use crate::db::Db;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The statements of a thread, each with the most steps that one run of it took.
pub type Entries = BTreeMap<String, i32>;

thread_local! {
    static OPEN: RefCell<Option<Entries>> = const { RefCell::new(None) };
}

/// From now on, what this thread runs is written down.
pub fn open() {
    OPEN.set(Some(Entries::new()));
}

/// What was written down. Nothing is from now on.
pub fn close() -> Entries {
    OPEN.take().unwrap_or_default()
}

/// One run of a statement.
pub(crate) fn note(sql: &str, steps: i32) {
    OPEN.with_borrow_mut(|open| {
        if let Some(entries) = open {
            let most = entries.entry(sql.to_owned()).or_default();
            *most = steps.max(*most);
        }
    });
}

/// How the database goes about a statement, step by step.
pub fn plan(db: &Db, sql: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = db.connection().prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        steps.push(row.get("detail")?);
    }
    Ok(steps)
}
