//! Short ways to say who holds what.

use super::{call, event, facts};
use crate::decision::Outcome;
use crate::effect::Effect;
use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::id::{ActorId, LeaseId, WorktreeId};
use crate::lease::facts::Bulk;
use crate::lease::held::WHOLE_TREE;
use crate::lease::{
    ActorLabel, Ancestor, ContentIdentity, ContentStamp, FileChangeKind, FileKey, FileTarget, HeldLease,
    LeaseEffect, LeaseFacts, LeaseKind, Me, Means, Offered, Reserved, TargetFacts, WaitEdge,
};
use crate::round::Round;
use serde_json::json;

/// The actor of every event.
pub const ME: ActorId = ActorId(1);
/// The worktree of every file.
pub const TREE: WorktreeId = WorktreeId(7);

/// An agent of another session, with a task.
pub fn agent(id: i64, label: &str, task: &str) -> ActorLabel {
    ActorLabel {
        actor: ActorId(id),
        label: label.to_owned(),
        description: (!task.is_empty()).then(|| task.to_owned()),
        is_person: false,
        in_my_session: false,
    }
}

/// The one that holds things in most tests.
pub fn fixer() -> ActorLabel {
    agent(2, "general-purpose@a3f2", "fix parser")
}

/// Another one.
pub fn reviewer() -> ActorLabel {
    agent(3, "reviewer@a91c", "")
}

/// The actor of the event, as others see it.
pub fn myself() -> ActorLabel {
    ActorLabel {
        actor: ME,
        in_my_session: true,
        ..agent(1, "main@7c1e", "")
    }
}

/// The person.
pub fn person() -> ActorLabel {
    ActorLabel {
        is_person: true,
        ..agent(99, "you", "")
    }
}

/// An announced actor whose ancestors are these, its parent first.
pub fn me(ancestors: &[(i64, bool)]) -> Me {
    Me {
        actor: ME,
        description: None,
        announced: true,
        ancestors: ancestors
            .iter()
            .map(|(actor, blocked)| Ancestor {
                actor: ActorId(*actor),
                blocked: *blocked,
            })
            .collect(),
        subagent: false,
        by_session: false,
    }
}

/// The key of a file.
pub fn key(path: &str) -> FileKey {
    FileKey {
        worktree: Some(TREE),
        path: path.to_owned(),
        file_id: None,
    }
}

/// A file that a tool edits.
pub fn target(path: &str) -> FileTarget {
    FileTarget {
        key: key(path),
        root: None,
        shown: path.to_owned(),
        how: FileChangeKind::Change,
        means: Means::Tool,
        folder: false,
        background: false,
        moved: false,
        incidental: false,
        untracked: false,
        tracked: false,
        exists: true,
        leasable: true,
        stamp: Some(ContentStamp {
            size: 10,
            mtime_ns: 5,
            inode: 3,
        }),
        content: ContentIdentity::Nothing,
    }
}

/// A free file that a tool edits.
pub fn free(path: &str) -> TargetFacts {
    TargetFacts::free(target(path))
}

/// A lease on a file, taken three minutes ago and written to six times.
pub fn held(path: &str, who: ActorLabel) -> HeldLease {
    HeldLease {
        lease: LeaseId(40 + who.actor.0),
        key: key(path),
        shown: path.to_owned(),
        owner: who.actor,
        who,
        lent_to: None,
        held_ms: 190_000,
        last_write_ms: Some(12_000),
        writes: 6,
        open_call: false,
        background: false,
        call_only: false,
        permission: None,
    }
}

/// A command's lease on everything.
pub fn everything(command: &str, who: ActorLabel) -> HeldLease {
    HeldLease {
        key: key(WHOLE_TREE),
        shown: command.to_owned(),
        held_ms: 4_000,
        last_write_ms: None,
        writes: 0,
        open_call: true,
        background: false,
        ..held(WHOLE_TREE, who)
    }
}

/// The file somebody edits.
pub fn taken(path: &str, who: ActorLabel) -> TargetFacts {
    TargetFacts {
        held: Some(held(path, who)),
        ..free(path)
    }
}

/// A reservation with 38 minutes left.
pub fn reservation(pattern: &str, who: ActorLabel, reason: &str) -> Reserved {
    Reserved {
        lease: LeaseId(60 + who.actor.0),
        who,
        pattern: pattern.to_owned(),
        reason: (!reason.is_empty()).then(|| reason.to_owned()),
        ends_in_ms: 38 * 60_000,
    }
}

/// An offer with 90 seconds left.
pub fn offer(who: ActorLabel) -> Offered {
    Offered { who, for_ms: 90_000 }
}

/// One waits for a file that another wrote.
pub fn wait(who: ActorLabel, path: &str, held_by: ActorLabel) -> WaitEdge {
    WaitEdge {
        lease: LeaseId(40 + held_by.actor.0),
        who,
        key: key(path),
        shown: path.to_owned(),
        held_by,
        kind: LeaseKind::Edit,
        is_unused: false,
    }
}

/// What is known when these files are written by an announced actor without ancestors.
pub fn writing(targets: Vec<TargetFacts>) -> LeaseFacts {
    LeaseFacts {
        targets,
        ..LeaseFacts::of(me(&[]))
    }
}

/// What is known when a command changes everything while these leases live.
pub fn sweeping(command: &str, editing: Vec<HeldLease>) -> LeaseFacts {
    LeaseFacts {
        bulk: Some(Bulk {
            worktree: TREE,
            scope: None,
            command: command.to_owned(),
        }),
        editing,
        ..LeaseFacts::of(me(&[]))
    }
}

/// The same, as the facts of an event under the settings of `standard`.
pub fn knowing(lease: LeaseFacts) -> Facts {
    Facts {
        label: "main@7c1e".to_owned(),
        lease: Some(Box::new(lease)),
        ..facts()
    }
}

/// An edit is about to happen; which file it names does not matter to a judgement.
pub fn edit() -> Event {
    event(EventKind::ToolBefore {
        call: call("Edit", json!({"file_path": "/project/src/parser.rs"})),
    })
}

/// The text of a denial.
pub fn denial(round: &Round) -> Option<&str> {
    match &round.decision.outcome {
        Outcome::Deny { reason, .. } => Some(reason),
        Outcome::Pass | Outcome::Ask { .. } => None,
    }
}

/// What the round changes about leases.
pub fn changes(round: &Round) -> Vec<LeaseEffect> {
    let effects = round.effects.iter();
    effects
        .filter_map(|effect| match effect {
            Effect::Lease(effect) => Some(effect.clone()),
            _ => None,
        })
        .collect()
}

/// The file is taken by a tool.
pub fn take(path: &str) -> LeaseEffect {
    LeaseEffect::Take {
        key: key(path),
        means: Means::Tool,
        background: false,
        call_only: false,
    }
}

/// The actor gets its place in line.
pub fn queue(path: &str) -> LeaseEffect {
    LeaseEffect::Queue {
        key: key(path),
        shown: path.to_owned(),
    }
}
