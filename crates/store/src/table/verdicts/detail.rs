//! What a guard's verdict rests on: enough to explain it later, and to judge the same again.

use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, CheckpointId, EventSeq, ToolUseId};
use rusqlite::named_params;

/// The longest facts that are kept. Half of them would be no facts at all, so longer ones are not.
pub const LONGEST_FACTS: usize = 8 * 1024;

/// What a verdict rests on. What does not apply is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Detail {
    /// The rule that decided.
    pub rule_id: Option<String>,
    /// Its class.
    pub class: Option<String>,
    /// The part of the command that was judged, redacted.
    pub segment: Option<String>,
    /// How much of the command could be read: `full`, `partial`, `opaque`.
    pub coverage: Option<String>,
    /// The command that ran instead.
    pub rewritten: Option<String>,
    /// The warning it gave or passed.
    pub strike_id: Option<i64>,
    /// The approval it asked for or used.
    pub approval_id: Option<String>,
    /// The checkpoint that was taken before it.
    pub checkpoint_id: Option<CheckpointId>,
    /// What was known, as JSON; see [`LONGEST_FACTS`].
    pub facts: Option<String>,
    /// The hash of the rules in force.
    pub rules_hash: Option<String>,
}

/// A policy's verdict with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// What was said.
    pub verdict: super::StoredVerdict,
    /// What it rests on.
    pub detail: Detail,
}

macro_rules! detail_columns {
    () => {
        "policy, verdict, reason, applied, took_us, rule_id, class, segment, coverage, rewritten, strike_id, approval_id, \
         checkpoint_id, verdicts.facts, rules_hash"
    };
}
pub(super) use detail_columns;

/// Says what the newest verdict of a policy on an event rests on; false if it gave none.
pub fn set_detail(db: &Db, event: EventSeq, policy: &str, detail: &Detail) -> Result<bool, StoreError> {
    let facts = detail
        .facts
        .as_deref()
        .filter(|facts| facts.len() <= LONGEST_FACTS);
    let changed = db.execute(
        "UPDATE verdicts SET rule_id = :rule, class = :class, segment = :segment, coverage = :coverage,
             rewritten = :rewritten, strike_id = :strike, approval_id = :approval, checkpoint_id = :checkpoint,
             facts = :facts, rules_hash = :rules
         WHERE id = (SELECT MAX(id) FROM verdicts WHERE event = :event AND policy = :policy)",
        named_params! {
            ":rule": detail.rule_id,
            ":class": detail.class,
            ":segment": detail.segment,
            ":coverage": detail.coverage,
            ":rewritten": detail.rewritten,
            ":strike": detail.strike_id,
            ":approval": detail.approval_id,
            ":checkpoint": detail.checkpoint_id.as_ref().map(CheckpointId::as_str),
            ":facts": facts,
            ":rules": detail.rules_hash,
            ":event": event.0,
            ":policy": policy,
        },
    )?;
    Ok(changed > 0)
}

/// Says which checkpoint was taken before the command of an event; it is known only once the event is committed.
pub fn set_checkpoint(
    db: &Db,
    event: EventSeq,
    policy: &str,
    checkpoint: &CheckpointId,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE verdicts SET checkpoint_id = :checkpoint
         WHERE id = (SELECT MAX(id) FROM verdicts WHERE event = :event AND policy = :policy)",
        named_params! {
            ":checkpoint": checkpoint.as_str(),
            ":event": event.0,
            ":policy": policy,
        },
    )?;
    Ok(())
}

/// The command that was sent instead of the one of a call, if one was.
pub fn rewritten(db: &Db, actor: ActorId, call: &ToolUseId) -> Result<Option<String>, StoreError> {
    db.value(
        "SELECT rewritten FROM events JOIN verdicts ON verdicts.event = events.seq
         WHERE actor_id = :actor AND tool_use_id = :call AND tool_use_id IS NOT NULL
             AND rewritten IS NOT NULL AND applied AND verdict IN ('rewrite', 'ask')
         ORDER BY verdicts.id DESC LIMIT 1",
        named_params! { ":actor": actor.0, ":call": call.as_str() },
    )
}

/// What the policies said about an event, each with what it rests on, in the order they were asked.
pub fn explained(db: &Db, event: EventSeq) -> Result<Vec<Explained>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            detail_columns!(),
            " FROM verdicts WHERE event = :event ORDER BY id"
        ),
        named_params! { ":event": event.0 },
        super::read_explained,
    )
}

#[cfg(test)]
mod tests;
