//! Calls of the mongo shell, found by the same token scan as other JavaScript.

use super::{Statement, shortened};
use crate::code::{self, Language};

/// Calls that drop or empty something, and the verb they count as.
const DROPS: &[(&str, &str)] = &[
    ("dropDatabase", "dropDatabase"),
    ("drop", "drop"),
    ("dropIndexes", "drop"),
    ("dropCollection", "drop"),
    ("deleteMany", "delete"),
    ("deleteOne", "delete"),
    ("remove", "delete"),
    ("updateMany", "update"),
    ("dropUser", "drop"),
    ("dropAllUsers", "drop"),
];

pub(super) fn statements(text: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    for call in code::calls(Language::JavaScript, text) {
        let name = call.path.rsplit('.').next().unwrap_or_default();
        let is_method = call.path.contains('.');
        if let Some((_, verb)) = DROPS.iter().find(|(method, _)| *method == name && is_method) {
            let has_where = matches!(*verb, "delete" | "update") && !call.first_is_empty;
            found.push(Statement {
                verb: (*verb).to_owned(),
                has_where,
                text: shortened(&format!("{}(…)", call.path)),
            });
        }
    }
    found
}
