//! Whether an agent is at work in a worktree, so that nothing is pulled from under it.

use super::Rewinder;
use super::error::RewindError;
use super::scope::session_name;
use engine::id::ActorId;
use engine::text::plain;
use engine::time::{self, Timestamp};
use store::table::actors::{self, Actor};
use store::table::{calls, turns};
use store::{Db, StoreError};

/// Somebody in the middle of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Working {
    /// The session's name.
    pub session: String,
    /// The number of its turn.
    pub turn: Option<u64>,
    /// The tool it has running, and since when.
    pub tool: Option<(String, Timestamp)>,
}

impl Working {
    /// Message 6.3: why nothing was changed.
    pub fn message(&self, now: Timestamp) -> String {
        let turn = self.turn.map(|turn| format!("turn {turn}"));
        let tool = self.tool.as_ref();
        let tool =
            tool.map(|(tool, since)| format!("{} for {}", plain(tool), time::short(now.since(*since))));
        let parts: Vec<String> = [turn, tool].into_iter().flatten().collect();
        let doing = if parts.is_empty() {
            String::new()
        } else {
            format!(" ({})", parts.join(", "))
        };
        format!(
            "Nothing was changed: {} is working here{doing}. Wait, interrupt it, or add --while-running.",
            self.session
        )
    }
}

impl Rewinder<'_> {
    /// Who is at work in this worktree, if anybody is.
    pub fn working(&self) -> Result<Option<Working>, RewindError> {
        let found = self.cutter.read(|db| {
            let at_work = actors::working_in(db, self.cutter.worktree)?;
            at_work.first().map(|actor| describe(db, actor)).transpose()
        })?;
        Ok(found)
    }
}

fn describe(db: &Db, actor: &Actor) -> Result<Working, StoreError> {
    let main = actors::by_key(db, &actor.key.main())?.map_or(actor.id, |main| main.id);
    let conversation = actors::conversation(db, main)?;
    let session = conversation.map_or_else(|| actor.label.clone(), |found| session_name(&found));
    Ok(Working {
        session,
        turn: turns::current(db, main)?.map(|turn| turn.number),
        tool: running(db, actor.id)?,
    })
}

/// The call that runs longest.
fn running(db: &Db, actor: ActorId) -> Result<Option<(String, Timestamp)>, StoreError> {
    let open = calls::open_of(db, actor)?;
    Ok(open.into_iter().next().map(|call| (call.tool, call.opened_at)))
}
