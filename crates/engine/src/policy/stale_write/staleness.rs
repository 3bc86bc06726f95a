//! Whether a file changed after an actor last saw it, and by whose hand.

use crate::lease::{
    ActorLabel, ContentIdentity, FileChangeKind, FileObservation, FileTarget, LastChange, Me, Means,
    TargetFacts,
};

/// A change by an actor longer ago than this is not held against one who never saw the file.
const RECENT_MS: u64 = 24 * 60 * 60 * 1000;

/// A change the actor has not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unseen<'a> {
    /// Whose it is.
    pub by: ChangedBy<'a>,
    /// The actor knew the file before.
    pub was_seen: bool,
}

/// Whose a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedBy<'a> {
    /// Another actor's.
    Of {
        /// Whose.
        who: &'a ActorLabel,
        /// How long ago.
        ago_ms: u64,
    },
    /// Nobody's we know; of this formatter, if we ran one.
    Outside {
        /// Its name.
        formatter: Option<&'a str>,
    },
}

/// The change that writing this file would overlook; `None`: none that is known, or none that matters to a command: logs and
/// build output change by themselves, and what no agent wrote counts only where a file that git tracks is replaced.
pub fn unseen<'a>(me: &Me, facts: &'a TargetFacts) -> Option<Unseen<'a>> {
    let unseen = overlooked(me, facts)?;
    let target = &facts.target;
    let matters = match (target.means, unseen.by) {
        (Means::Tool, _) => true,
        (Means::Shell, ChangedBy::Of { .. }) => !target.untracked,
        (Means::Shell, ChangedBy::Outside { .. }) => {
            target.tracked && target.how == FileChangeKind::Overwrite
        }
    };
    matters.then_some(unseen)
}

/// The last change of the file that the actor has not seen, whatever it is about to do.
pub fn overlooked<'a>(me: &Me, facts: &'a TargetFacts) -> Option<Unseen<'a>> {
    let was_seen = facts.seen.as_ref().is_some_and(FileObservation::is_of_content);
    let is_as_seen = facts
        .seen
        .as_ref()
        .is_some_and(|seen| !seen.behind && !differs(seen, &facts.target));
    if !facts.target.exists || is_as_seen {
        return None;
    }
    let is_behind = facts.seen.as_ref().is_some_and(|seen| seen.behind);
    let was_there = was_seen || is_behind;
    let by = match &facts.last_change {
        LastChange::Of { who, ago_ms, means }
            if !me.is(who) && (was_there || (*ago_ms <= RECENT_MS && *means == Means::Tool)) =>
        {
            ChangedBy::Of { who, ago_ms: *ago_ms }
        }
        LastChange::Outside { formatter } if was_there => ChangedBy::Outside {
            formatter: formatter.as_deref(),
        },
        LastChange::Nobody if was_there => ChangedBy::Outside { formatter: None },
        LastChange::Mine | LastChange::Of { .. } | LastChange::Outside { .. } | LastChange::Nobody => {
            return None;
        }
    };
    Some(Unseen { by, was_seen })
}

/// Whether the content is another than the one that was seen. What could not be read in time is taken for the same.
fn differs(seen: &FileObservation, target: &FileTarget) -> bool {
    if target.stamp.as_ref().is_some_and(|stamp| seen.still_is(stamp)) {
        return false;
    }
    match (&seen.content, &target.content) {
        (ContentIdentity::Hash(seen), ContentIdentity::Hash(now)) => seen != now,
        (ContentIdentity::TooBig, ContentIdentity::TooBig) => match (&seen.stamp, &target.stamp) {
            (Some(seen), Some(now)) => (seen.size, seen.mtime_ns) != (now.size, now.mtime_ns),
            (None, _) | (_, None) => false,
        },
        // It grew or shrank across the limit.
        (ContentIdentity::Hash(_), ContentIdentity::TooBig)
        | (ContentIdentity::TooBig, ContentIdentity::Hash(_)) => true,
        (ContentIdentity::Nothing, _) | (_, ContentIdentity::Nothing) => false,
    }
}
