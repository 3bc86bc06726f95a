//! Agents that take files, wait for them and let go of them.

use super::{Sent, Stage, Who, call};
use crate::leases::{self, TakeResult, Taking};
use crate::life::{self, ExpiryScope};
use crate::tickets::{self, Queued, Queueing};
use engine::event::{BackgroundTask, EventKind};
use engine::lease::{EndReason, FileKey, Means};
use serde_json::json;

impl Stage {
    pub fn file(&self, path: &str) -> FileKey {
        FileKey {
            worktree: Some(self.worktree("/repo")),
            path: path.to_owned(),
            file_id: None,
        }
    }

    /// How an actor takes things now, for the call an event opened.
    pub fn taking(&self, sent: &Sent) -> Taking {
        Taking {
            actor: sent.actor.id,
            project: Some(sent.project),
            call: Some(sent.seq),
            means: Means::Tool,
            at: self.moment(),
        }
    }

    /// The call before a write, and the lease if it is free.
    pub fn edits(&mut self, who: &Who, id: &str, path: &str) -> TakeResult {
        let sent = self.calls(who, "Edit", id, json!({}));
        let (key, taking) = (self.file(path), self.taking(&sent));
        self.write(|db| leases::take(db, &taking, &key))
    }

    /// The same, and the call after it.
    pub fn writes(&mut self, who: &Who, id: &str, path: &str) -> TakeResult {
        let taken = self.edits(who, id, path);
        self.returns(who, id);
        taken
    }

    /// A whole command that changes everything, up to its end.
    pub fn overruns(&mut self, who: &Who, id: &str) -> TakeResult {
        let sent = self.calls(who, "Bash", id, json!({}));
        let taking = Taking {
            means: Means::Shell,
            ..self.taking(&sent)
        };
        self.write(|db| leases::take_all(db, &taking, sent.worktree, "git stash"))
    }

    pub fn fails(&mut self, who: &Who, id: &str) -> Sent {
        let kind = EventKind::ToolFailed {
            call: call("Edit", id, json!({})),
            error: "no".to_owned(),
            interrupted: false,
            duration_ms: None,
        };
        self.send(who, "PostToolUseFailure", kind)
    }

    pub fn is_refused(&mut self, who: &Who, id: &str) -> Sent {
        let kind = EventKind::PermissionDenied {
            call: call("Edit", id, json!({})),
            reason: "no".to_owned(),
        };
        self.send(who, "PermissionDenied", kind)
    }

    pub fn batches(&mut self, who: &Who) -> Sent {
        self.send(who, "PostToolBatch", EventKind::ToolBatch { calls: Vec::new() })
    }

    /// A stop of the main thread while these agents run.
    pub fn stops_beside(&mut self, who: &Who, running: &[&str]) -> Sent {
        let task = |id: &&str| BackgroundTask {
            id: (*id).to_owned(),
            kind: "subagent".to_owned(),
            status: "running".to_owned(),
        };
        let kind = EventKind::TurnEnd {
            already_continued: false,
            last_message: None,
            background: Some(running.iter().map(task).collect()),
        };
        self.send(who, "Stop", kind)
    }

    /// Denied a file, and in line for it.
    pub fn waits(&mut self, who: &Who, path: &str) -> Queued {
        let (actor, key, at) = (self.actor(who).id, self.file(path), self.moment());
        let queueing = Queueing {
            actor,
            key: &key,
            denied: true,
            at,
        };
        self.write(|db| tickets::queue(db, &queueing))
    }

    pub fn settles(&mut self, path: &str) {
        let (key, now) = (self.file(path), self.hour());
        self.write(|db| life::settle(db, ExpiryScope::File(&key), &now));
    }

    /// What the pipeline does before an actor is told what it is owed.
    pub fn looks_up(&mut self, who: &Who) {
        let (actor, now) = (self.actor(who).id, self.hour());
        self.write(|db| life::settle_waits(db, actor, &now));
    }

    pub fn releases(&mut self, path: &str, reason: EndReason) -> bool {
        let (key, now) = (self.file(path), self.hour());
        let Some(lease) = leases::held(&self.read(), &key).unwrap() else {
            return false;
        };
        self.write(|db| life::end_lease(db, lease.id, reason, &now))
    }

    /// Live leases: path, holder, whose it is where it is lent, writes.
    pub fn held(&self) -> Vec<String> {
        self.rows(
            "SELECT COALESCE(pattern, path) || ' ' || COALESCE(borrower.label || ' from ', '') || owner.label || ' ' || writes
             FROM leases JOIN actors AS owner ON owner.id = leases.actor_id
                 LEFT JOIN actors AS borrower ON borrower.id = leases.lent_to
             WHERE ended_at IS NULL ORDER BY path",
        )
    }

    /// Leases that are over: path, owner, reason; in the order they were taken.
    pub fn over(&self) -> Vec<String> {
        self.rows(
            "SELECT COALESCE(pattern, path), label, leases.end_reason FROM leases JOIN actors ON actors.id = leases.actor_id
             WHERE ended_at IS NOT NULL ORDER BY leases.id",
        )
    }

    /// Tickets: path, whose, state; in order.
    pub fn line(&self) -> Vec<String> {
        self.rows(
            "SELECT path, label, tickets.state FROM tickets JOIN actors ON actors.id = tickets.actor_id ORDER BY tickets.id",
        )
    }

    /// Offers that are still to be told.
    pub fn told(&self) -> Vec<String> {
        self.rows(
            "SELECT label || ': ' || text FROM notices JOIN actors ON actors.id = actor_id
             WHERE kind = 'lease.offer' AND delivered_at IS NULL ORDER BY notices.id",
        )
    }
}
