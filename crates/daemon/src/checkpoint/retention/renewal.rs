//! Writes a line anew without some of its checkpoints: commits only, their trees are the same.

use engine::id::CheckpointId;
use git::object::Id;
use git::shadow::{Commit, NewCommit, Shadow, ShadowError, ShadowLayout, trailers};
use std::collections::{BTreeMap, BTreeSet};

/// A line that was written anew. No ref and no row knows of it yet.
pub struct Renewal {
    /// Its newest commit.
    pub tip: Id,
    /// The commits that are on no line any more once its ref has moved.
    pub left_behind: Vec<Id>,
    /// The checkpoints that have new commits.
    pub commits: BTreeMap<CheckpointId, NewCommits>,
}

/// The new commits of a checkpoint.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewCommits {
    /// Its own; none if that stayed.
    pub commit: Option<Id>,
    /// Its seal; none if it has none.
    pub seal: Option<Id>,
}

impl Renewal {
    /// Writes the commits. Those before the first that goes stay as they are.
    pub fn write(shadow: &Shadow, tip: Id, going: &BTreeSet<&CheckpointId>) -> Result<Self, ShadowError> {
        let mut renewal = Self {
            tip,
            left_behind: Vec::new(),
            commits: BTreeMap::new(),
        };
        // The newest commit of the new line so far, and its tree.
        let mut before: Option<(Id, Id)> = None;
        let mut is_new = false;
        for (old, commit) in oldest_first(shadow, tip)? {
            let named = named_in(&commit.message);
            if named.as_ref().is_some_and(|(id, _)| going.contains(id)) {
                is_new = true;
                renewal.left_behind.push(old);
                continue;
            }
            if !is_new {
                before = Some((old, commit.tree));
                continue;
            }
            renewal.left_behind.push(old);
            let is_seal = named.as_ref().is_some_and(|(_, is_seal)| *is_seal);
            let tree = match before.filter(|_| is_seal) {
                Some((_, files)) => resealed(shadow, commit.tree, files)?,
                None => commit.tree,
            };
            let new = shadow.commit(&NewCommit {
                tree,
                parent: before.map(|(parent, _)| parent),
                message: &commit.message,
                author: &commit.author,
                at_ms: commit.at_ms,
            })?;
            if let Some((id, _)) = named {
                let of = renewal.commits.entry(id).or_default();
                *(if is_seal { &mut of.seal } else { &mut of.commit }) = Some(new);
            }
            before = Some((new, tree));
        }
        renewal.tip = before.map_or(tip, |(newest, _)| newest);
        Ok(renewal)
    }
}

/// A seal has the files of the checkpoint before it, which may be another one now.
fn resealed(shadow: &Shadow, seal: Id, before: Id) -> Result<Id, ShadowError> {
    shadow.write_layout(&ShadowLayout {
        session: shadow.read_layout(seal)?.session,
        ..shadow.read_layout(before)?
    })
}

fn oldest_first(shadow: &Shadow, tip: Id) -> Result<Vec<(Id, Commit)>, ShadowError> {
    let mut line = Vec::new();
    let mut at = Some(tip);
    while let Some(id) = at {
        let commit = shadow.read_commit(id)?;
        at = commit.parents.first().copied();
        line.push((id, commit));
    }
    line.reverse();
    Ok(line)
}

/// The checkpoint a commit is of, and whether it is its seal.
pub fn named_in(message: &[u8]) -> Option<(CheckpointId, bool)> {
    let found = trailers(message);
    let value = |name: &str| {
        let of = found.iter().find(|(key, _)| key == name);
        of.map(|(_, value)| value.as_str())
    };
    let id = CheckpointId::parse(value("Toprope-Checkpoint")?)?;
    Some((id, value("Toprope-Kind") == Some("seal")))
}
