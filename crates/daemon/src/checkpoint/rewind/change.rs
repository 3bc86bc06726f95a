//! One recorded change of a path since the target, whoever made it.

use crate::checkpoint::chain::{PathPassage, Shelf};
use crate::checkpoint::states::{from_place, from_row, to_row};
use engine::id::{ActorId, CheckpointId, FileRowId, ToolUseId};
use git::object::PathState;
use git::path::RepoPath;
use store::table::checkpoint_files::{ChangeOrigin, CheckpointFileChange, Doubt, FileRow};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindChange {
    /// Where the path is kept.
    pub shelf: Shelf,
    /// What was there.
    pub before: PathState,
    /// What was there afterwards.
    pub after: PathState,
    /// What happened.
    pub change: CheckpointFileChange,
    /// How it is known who did it.
    pub origin: ChangeOrigin,
    /// Who did it.
    pub actor: Option<ActorId>,
    /// The client's session that did it.
    pub session: Option<ActorId>,
    /// The call that did it.
    pub call: Option<ToolUseId>,
    /// The checkpoint that holds it; none yet where a call has only just ended.
    pub checkpoint: Option<CheckpointId>,
    /// Its row.
    pub row: Option<FileRowId>,
    /// Why it is not sure who did it.
    pub doubt: Option<Doubt>,
}

impl RewindChange {
    /// What a row tells. Nothing where the content was not captured, or where no state can be read from it.
    pub fn of(row: &FileRow) -> Option<(RepoPath, Self)> {
        if row.file.change == CheckpointFileChange::Skipped {
            return None;
        }
        let path = RepoPath::new(row.file.path.clone()).ok()?;
        let deed = Self {
            shelf: from_place(row.file.place),
            before: from_row(row.file.before.as_ref())?,
            after: from_row(row.file.after.as_ref())?,
            change: row.file.change,
            origin: row.file.origin,
            actor: row.file.actor,
            session: row.file.session,
            call: row.file.tool_use_id.clone(),
            checkpoint: Some(row.checkpoint.clone()),
            row: Some(row.id),
            doubt: row.file.doubt,
        };
        Some((path, deed))
    }

    /// What a call did that no checkpoint holds yet.
    pub fn uncut(passage: &PathPassage) -> Option<Self> {
        let (before, after) = (to_row(&passage.before), to_row(&passage.after));
        Some(Self {
            shelf: passage.shelf,
            before: passage.before,
            after: passage.after,
            change: CheckpointFileChange::between(before.as_ref(), after.as_ref())?,
            origin: passage.owner.origin,
            actor: passage.owner.actor,
            session: passage.owner.session,
            call: passage.owner.call.clone(),
            checkpoint: None,
            row: None,
            doubt: passage.owner.doubt,
        })
    }
}

/// The deeds that still count, of one path, oldest first: a rewind and its undo cancel each other, and so do changes
/// and the rewind that took them back.
pub fn standing(deeds: &[RewindChange], is_kept: impl Fn(&RewindChange) -> bool) -> Vec<RewindChange> {
    let mut settled: Vec<RewindChange> = Vec::new();
    for deed in deeds {
        let undoes = |last: &RewindChange| {
            last.origin == ChangeOrigin::Rewind
                && !is_kept(last)
                && last.before == deed.after
                && last.after == deed.before
        };
        if deed.origin == ChangeOrigin::Rewind && !is_kept(deed) && settled.last().is_some_and(undoes) {
            settled.pop();
        } else {
            settled.push(deed.clone());
        }
    }
    let mut standing: Vec<RewindChange> = Vec::new();
    for deed in settled {
        let is_rewind = deed.origin == ChangeOrigin::Rewind && !is_kept(&deed);
        let taken = if is_rewind {
            taken_by(&standing, &deed, &is_kept)
        } else {
            None
        };
        match taken {
            Some(first) => standing.truncate(first),
            None => standing.push(deed),
        }
    }
    standing
}

/// From which deed on a rewind took all back, if the path went from one to the next without a gap.
fn taken_by(
    deeds: &[RewindChange],
    rewind: &RewindChange,
    is_kept: impl Fn(&RewindChange) -> bool,
) -> Option<usize> {
    let mut next = rewind.before;
    for (index, deed) in deeds.iter().enumerate().rev() {
        if deed.after != next || is_kept(deed) {
            return None;
        }
        if deed.before == rewind.after {
            return Some(index);
        }
        next = deed.before;
    }
    None
}

/// Fills in bytes that were seen later: of a file nobody had looked at, the stored form alone was known.
pub fn refine(target: &mut PathState, deeds: &mut [RewindChange], now: PathState) {
    let mut next = now;
    for deed in deeds.iter_mut().rev() {
        learn(&mut deed.after, next);
        next = deed.before;
    }
    learn(target, next);
}

/// Whether a path that git may convert was seen converted. What nobody ever saw there is taken to be as git would check
/// it out; what was seen only in its stored form is taken to have always been so.
pub fn was_converted(deeds: &[RewindChange], now: PathState) -> bool {
    let seen = || deeds.iter().map(|deed| deed.after).chain([now]);
    let is_converted = |state: PathState| matches!(state, PathState::Present { raw: Some(_), .. });
    seen().any(is_converted) || seen().all(|state| state == PathState::Absent)
}

/// What the target had was there until the first change.
pub fn follow_on(target: PathState, deeds: &mut [RewindChange]) {
    if let Some(first) = deeds.first_mut() {
        learn(&mut first.before, target);
    }
}

/// Takes over the bytes of a state that has the same stored form.
fn learn(state: &mut PathState, seen: PathState) {
    if matches!(state, PathState::Present { raw: None, .. }) && state.entry() == seen.entry() {
        *state = seen;
    }
}

#[cfg(test)]
mod tests;
