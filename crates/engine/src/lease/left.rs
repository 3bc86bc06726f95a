//! What is to be looked at once a call ran: the files it wrote, or may have written.

use super::facts::{LastChange, Me, TargetFacts};
use super::held::HeldLease;
use super::target::{FileChangeKind, Means, WantedFile};
use super::wanted::{ReadingContext, WantedOfCall, absolute, wanted};
use crate::event::{ChangedFiles, Event, EventKind};
use crate::settings::LeaseSettings;
use crate::tool::{Action, ToolCall};
use shell::{self, Plain};
use std::path::PathBuf;
use std::sync::Arc;

/// What is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct WrittenFiles {
    /// These files.
    pub files: WantedOfCall,
    /// And every file of the worktree that somebody holds or knows: the call may have written any of them.
    pub watched: bool,
    /// What the text of a command names for certain; whatever else it changed, it changed on the way.
    pub named: WantedOfCall,
}

impl WrittenFiles {
    /// A file that a command changed.
    pub fn changed(&self, path: PathBuf) -> WantedFile {
        WantedFile {
            incidental: !self.named.names(&path),
            ..WantedFile::file(path, FileChangeKind::Change, Means::Shell)
        }
    }
}

/// What a call that is over may have left; `None` for other events, and where it can have written nothing.
pub fn left(event: &Event, settings: &LeaseSettings) -> Option<WrittenFiles> {
    let (call, changed) = match &event.kind {
        EventKind::ToolAfter { call, changed, .. } => (call, changed.as_ref()),
        EventKind::ToolFailed { call, .. } => (call, None),
        _ => return None,
    };
    let left = match call.action() {
        Action::RunCommand { .. } => of_command(event, call, changed, settings),
        Action::WriteFile { .. } | Action::EditFile { .. } | Action::Unknown => named(event, call, settings),
        Action::ReadFile { .. } | Action::SpawnAgent { .. } | Action::Other => return None,
    };
    (left.watched || !left.files.is_nothing()).then_some(left)
}

/// Whether what a call of `me` left in a file is its doing. What another actor is known to have written is that one's, and
/// so may be what a holder is writing right now; of a call that failed only what nobody else explains counts.
pub fn is_own_change(facts: &TargetFacts, me: &Me, failed: bool) -> bool {
    let is_in_the_making = |held: &HeldLease| held.open_call && !me.is(&held.who);
    if facts.held.as_ref().is_some_and(is_in_the_making) {
        return false;
    }
    let changed = facts
        .seen
        .as_ref()
        .is_some_and(|seen| seen.content != facts.target.content);
    let moved = facts.target.moved;
    let is_tool = facts.target.means == Means::Tool;
    match &facts.last_change {
        // What a tool wrote is there, unless another's later write is known to be.
        LastChange::Of { .. } => !failed && is_tool && facts.target.content.is_nothing(),
        // What the actor left there itself is no news, unless it saw something else since.
        LastChange::Mine => !failed && (is_tool || changed),
        LastChange::Outside { .. } => !failed || !is_tool || changed || moved,
        LastChange::Nobody => !failed || changed || moved,
    }
}

/// The client's list counts before what the command's text says: it is what happened.
fn of_command(
    event: &Event,
    call: &ToolCall,
    changed: Option<&ChangedFiles>,
    settings: &LeaseSettings,
) -> WrittenFiles {
    let is_told = changed.is_some_and(|changed| changed.complete);
    let paths = changed.map_or(&[][..], |changed| &changed.paths);
    let mut left = WrittenFiles {
        files: WantedOfCall::default(),
        watched: !is_told && !only_reads(event),
        named: wanted(call, event.cwd.as_deref(), settings, &ReadingContext::default()),
    };
    left.files.files = paths
        .iter()
        .filter_map(|path| absolute(path, event.cwd.as_deref()))
        .map(|path| left.changed(path))
        .collect();
    left
}

fn named(event: &Event, call: &ToolCall, settings: &LeaseSettings) -> WrittenFiles {
    WrittenFiles {
        files: WantedOfCall {
            bulk: None,
            bulk_scopes: Vec::new(),
            bulk_at: None,
            commit: None,
            ..wanted(call, event.cwd.as_deref(), settings, &ReadingContext::default())
        },
        watched: false,
        named: WantedOfCall::default(),
    }
}

/// Whether the call of this event is a command that does nothing but build, test and read.
pub fn only_builds(event: &Event) -> bool {
    plain(event).is_some_and(|plain| shell::only_builds(plain.intent()))
}

/// Whether the call of this event is a command that changes nothing, as far as it can be known.
pub fn only_reads(event: &Event) -> bool {
    plain(event).is_some_and(|plain| shell::is_read_only(plain.intent()))
}

/// Whether something that may write goes on after the answer to the command of this event: all of it where the client runs
/// it in the `background`, else what its text sends there.
pub fn goes_on(event: &Event, background: bool) -> bool {
    let may = |call: &ToolCall| match call.action() {
        Action::RunCommand { command, .. } => background || command.contains('&'),
        _ => false,
    };
    if !event.kind.call().is_some_and(may) {
        return false;
    }
    plain(event).is_some_and(|plain| shell::may_go_on(plain.intent(), background))
}

fn plain(event: &Event) -> Option<Arc<Plain>> {
    event.kind.call()?.plain_command(event.cwd.as_deref())
}

#[cfg(test)]
mod tests;
