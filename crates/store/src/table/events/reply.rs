//! What was answered to an event, so that the same event asked twice gets the same answer.

use crate::StoreError;
use crate::client::ClientProcess;
use crate::db::{Db, RowFields, column_of};
use crate::table::calls;
use engine::id::{ActorId, DeliveryId, EventSeq, ToolUseId};
use rusqlite::named_params;

/// The answer to an event, as the hook gives it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredReply {
    /// The hook's exit code.
    pub exit: i32,
    /// What it prints.
    pub stdout: Vec<u8>,
    /// What it says on the side.
    pub stderr: Vec<u8>,
}

/// Stores the answer, what came of the event, and how long the decision took.
pub fn set_reply(
    db: &Db,
    seq: EventSeq,
    reply: &StoredReply,
    outcome: &str,
    decision_us: u64,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE events SET reply_exit = :exit, reply = :stdout, reply_stderr = :stderr, outcome = :outcome,
             decision_us = :decision_us
         WHERE seq = :seq",
        named_params! {
            ":exit": reply.exit,
            ":stdout": reply.stdout,
            ":stderr": reply.stderr,
            ":outcome": outcome,
            ":decision_us": column_of(decision_us),
            ":seq": seq.0,
        },
    )?;
    Ok(())
}

/// Stores another answer to an event that was answered: it waited for something since.
pub fn replace_reply(db: &Db, seq: EventSeq, reply: &StoredReply, outcome: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE events SET reply_exit = :exit, reply = :stdout, reply_stderr = :stderr, outcome = :outcome
         WHERE seq = :seq",
        named_params! {
            ":exit": reply.exit,
            ":stdout": reply.stdout,
            ":stderr": reply.stderr,
            ":outcome": outcome,
            ":seq": seq.0,
        },
    )?;
    Ok(())
}

/// The answer to an event; `None` while it is not known.
pub fn reply_of(db: &Db, seq: EventSeq) -> Result<Option<StoredReply>, StoreError> {
    let found = db.one(
        "SELECT reply_exit, reply, reply_stderr FROM events WHERE seq = :seq",
        named_params! { ":seq": seq.0 },
        read,
    )?;
    Ok(found.flatten())
}

/// The event a delivery brought before, and the answer it got, if it got one.
pub fn reply_of_delivery(
    db: &Db,
    delivery: &DeliveryId,
) -> Result<Option<(EventSeq, Option<StoredReply>)>, StoreError> {
    db.one(
        "SELECT seq, reply_exit, reply, reply_stderr FROM events WHERE delivery = :delivery",
        named_params! { ":delivery": delivery.as_str() },
        |row| Ok((EventSeq(row.take()?), read(row)?)),
    )
}

/// The answer to the same event of the same call in the same process.
///
/// An event that opened its call counts only while that call is open; one that came later, only while no call with that
/// id is open: after a resume the client makes a deferred call anew, under its old id.
pub fn reply_of_open_call(
    db: &Db,
    actor: ActorId,
    name: &str,
    tool_use_id: &ToolUseId,
    client: &ClientProcess,
) -> Result<Option<(EventSeq, StoredReply)>, StoreError> {
    let found = db.one(
        "SELECT seq, reply_exit, reply, reply_stderr FROM events
         WHERE actor_id = :actor AND tool_use_id = :id AND event = :name AND client_pid = :pid
             AND client_pid_started = :started
         ORDER BY seq DESC LIMIT 1",
        named_params! {
            ":actor": actor.0,
            ":id": tool_use_id.as_str(),
            ":name": name,
            ":pid": client.pid_column(),
            ":started": client.started_column(),
        },
        |row| Ok((EventSeq(row.take()?), read(row)?)),
    )?;
    let Some((seq, Some(reply))) = found else {
        return Ok(None);
    };
    // Repetitions are rare: only for them is it worth asking how the call stands.
    let open_call = calls::open(db, actor, tool_use_id)?.map(|call| call.event);
    let holds = match calls::opened_by(db, seq)? {
        Some(_) => open_call == Some(seq),
        None => open_call.is_none(),
    };
    Ok(holds.then_some((seq, reply)))
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Option<StoredReply>> {
    let exit: Option<i32> = row.take()?;
    let (stdout, stderr): (Option<Vec<u8>>, Option<Vec<u8>>) = (row.take()?, row.take()?);
    Ok(exit.map(|exit| StoredReply {
        exit,
        stdout: stdout.unwrap_or_default(),
        stderr: stderr.unwrap_or_default(),
    }))
}
