//! Which policies ever said what: a handful of pairs, found without looking at every verdict.

use crate::StoreError;
use crate::db::Db;
use rusqlite::named_params;

/// Every policy with every word it ever said.
pub(crate) fn spoken(db: &Db) -> Result<Vec<(String, String)>, StoreError> {
    let policies: Vec<String> = db.values(
        "WITH RECURSIVE found (word) AS (
             SELECT MIN(policy) FROM verdicts
             UNION ALL SELECT (SELECT MIN(policy) FROM verdicts WHERE policy > found.word) FROM found
                 WHERE found.word IS NOT NULL)
         SELECT word FROM found WHERE word IS NOT NULL",
        &[],
    )?;
    let mut pairs = Vec::new();
    for policy in policies {
        let words: Vec<String> = db.values(
            "WITH RECURSIVE found (word) AS (
                 SELECT MIN(verdict) FROM verdicts WHERE policy = :policy
                 UNION ALL SELECT (SELECT MIN(verdict) FROM verdicts WHERE policy = :policy AND verdict > found.word)
                     FROM found WHERE found.word IS NOT NULL)
             SELECT word FROM found WHERE word IS NOT NULL",
            named_params! { ":policy": policy },
        )?;
        pairs.extend(words.into_iter().map(|word| (policy.clone(), word)));
    }
    Ok(pairs)
}
