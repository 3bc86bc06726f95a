//! Brings rows back that a killed process did not write: the commit says everything about its checkpoint.

use super::cutter::{CutError, Cutter};
use super::metadata::{MAIN, Metadata};
use super::retention::named_in;
use super::tip::Tip;
use engine::id::{ActorId, ActorKey, AgentId, AgentKind, CheckpointId, ClientSessionId, EventSeq, ToolUseId};
use engine::time::Timestamp;
use git::object::Id;
use git::path::RepoPath;
use git::shadow::{Shadow, ShadowError};
use store::table::checkpoint_files::{ChangeOrigin, CheckpointFileChange, Doubt, NewFile};
use store::table::checkpoints::{self, CheckpointKind, CheckpointSource, NewCheckpoint, Trigger, counts};
use store::table::worktrees::{self, FinishedScan};
use store::table::{actors, events, touches, turns};
use store::{Db, FileState, StoreError, TreePart};

/// A line longer than this without a known commit is not ours to read to its end.
const MOST: usize = 10_000;
/// A page about one checkpoint is never larger.
const LARGEST: u64 = 64 * 1024 * 1024;

impl Cutter<'_> {
    /// The newest checkpoint, after rows that were lost are back.
    pub(super) fn tip(&self, shadow: &Shadow) -> Result<Tip, CutError> {
        let Some(commit) = shadow.tip(&self.site.line)? else {
            return Ok(Tip::none());
        };
        let row = self.read(|db| checkpoints::tip(db, self.worktree))?;
        let name = commit.to_string();
        if let Some(row) = row
            && (row.commit == name || row.sealed_commit.as_deref() == Some(&name))
        {
            return Ok(Tip::at(shadow, commit, Some(row))?);
        }
        let commit = self.follow_rewrite(shadow, commit)?;
        self.bring_back(shadow, commit)?;
        let row = self.read(|db| checkpoints::tip(db, self.worktree))?;
        Ok(Tip::at(shadow, commit, row)?)
    }

    /// Reads the line back to the first commit that is known, and records what is not, oldest first.
    fn bring_back(&self, shadow: &Shadow, tip: Id) -> Result<(), CutError> {
        let mut lost = Vec::new();
        let mut at = Some(tip);
        while let Some(commit) = at.filter(|_| lost.len() < MOST) {
            let read = shadow.read_commit(commit)?;
            if let Some((id, is_seal)) = named_in(&read.message) {
                let known = self.read(|db| checkpoints::by_id(db, &id))?;
                let name = commit.to_string();
                let is_known = known.is_some_and(|row| {
                    // A copy of a repository brings its line along: those are another's checkpoints.
                    row.worktree != self.worktree
                        || row.commit == name
                        || row.sealed_commit.as_deref() == Some(&name)
                });
                if is_known {
                    break;
                }
                lost.push((commit, id, is_seal));
            }
            at = read.parents.first().copied();
        }
        for (commit, id, is_seal) in lost.into_iter().rev() {
            if is_seal {
                self.write(|db| checkpoints::set_sealed(db, &id, &commit.to_string()))?;
            } else {
                self.record_again(shadow, commit)?;
            }
        }
        Ok(())
    }

    fn record_again(&self, shadow: &Shadow, commit: Id) -> Result<(), CutError> {
        let layout = shadow.read_layout(shadow.tree_of(commit)?)?;
        let told = page(shadow, layout.session, "metadata.json")?;
        let Some(story) = told.as_deref().and_then(Metadata::parse) else {
            return Ok(());
        };
        let summary = page(shadow, layout.session, "summary.txt")?;
        self.write(|db| {
            let Some((mut new, files)) = self.rows_of(db, &story, commit, layout.files)? else {
                return Ok(());
            };
            new.summary = summary.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            checkpoints::insert(db, &new, &files)?;
            self.settle_again(db, &story, (&new, &files))
        })?;
        Ok(())
    }

    /// What follows from a checkpoint in other rows: whoever comes next must not do it once more.
    fn settle_again(
        &self,
        db: &Db,
        story: &Metadata,
        (new, files): (&NewCheckpoint, &[NewFile]),
    ) -> Result<(), StoreError> {
        for touched in &story.touches {
            if let Ok(path) = touched.path.path() {
                let call = ToolUseId::new(touched.tool_use_id.clone());
                touches::consume_named(db, self.worktree, path.as_bytes(), &call, &new.id)?;
            }
        }
        for begun in &story.begun {
            if let Ok(path) = begun.path.path() {
                let call = ToolUseId::new(begun.tool_use_id.clone());
                touches::forget_named(db, self.worktree, path.as_bytes(), &call)?;
            }
        }
        let is_end = matches!(
            new.trigger.kind,
            CheckpointKind::Turn | CheckpointKind::Interrupted
        );
        if let (true, Some(session), Some(number)) = (is_end, new.trigger.session, new.turn)
            && let Some(turn) = turns::numbered(db, session, number)?
        {
            turns::set_checkpoint(db, turn.id, &new.id)?;
            if let Some(summary) = &new.summary {
                turns::set_summary(db, turn.id, summary)?;
            }
        }
        // In another database the same number is another event.
        let newest = events::newest(db)?;
        if let Some(look) = story.look.filter(|look| EventSeq(look.event) <= newest) {
            let scan = FinishedScan {
                event: EventSeq(look.event),
                began: Timestamp(look.began),
                looked: look.dated,
                took_ms: look.took,
            };
            worktrees::scanned(db, self.worktree, &scan)?;
            for file in files {
                touches::outdate(db, self.worktree, &file.path, scan.event)?;
            }
        }
        Ok(())
    }

    fn rows_of(
        &self,
        db: &Db,
        story: &Metadata,
        commit: Id,
        files_tree: Id,
    ) -> Result<Option<(NewCheckpoint, Vec<NewFile>)>, StoreError> {
        let (Some(id), Some(kind)) = (
            CheckpointId::parse(&story.checkpoint_id),
            CheckpointKind::from_word(&story.kind),
        ) else {
            return Ok(None);
        };
        let find = |session: Option<&str>, agent: Option<&str>| -> Result<Option<ActorId>, StoreError> {
            let Some(key) = session.and_then(|session| key_in(story, session, agent)) else {
                return Ok(None);
            };
            Ok(actors::by_key(db, &key)?.map(|actor| actor.id))
        };
        let own = story.session_id.as_deref();
        let session = find(own, None)?;
        let actor = match story.actor.as_deref() {
            Some(MAIN) => session,
            Some(agent) => find(own, Some(agent))?,
            None => None,
        };
        let mut files = Vec::new();
        for file in story.changed.as_ref().unwrap_or(&story.files) {
            let Ok(path) = file.path.path() else { continue };
            let whose = match file.session.as_deref() {
                Some("") => None,
                Some(other) => Some(other),
                None => own,
            };
            let state = |id: &Option<String>, mode: &Option<String>, raw: &Option<String>| {
                Some(FileState {
                    mode: mode.clone()?,
                    id: id.clone()?,
                    raw: raw.clone(),
                })
            };
            let by = match file.actor.as_deref() {
                Some(agent) => find(whose, Some(agent))?,
                None => None,
            };
            let origin = ChangeOrigin::parse(&file.origin);
            files.push(NewFile {
                path: path.as_bytes().to_vec(),
                place: if file.place == "ignored" {
                    TreePart::Ignored
                } else {
                    TreePart::Files
                },
                change: CheckpointFileChange::parse(&file.change),
                before: state(&file.before, &file.before_mode, &file.before_raw),
                after: state(&file.after, &file.mode, &file.after_raw),
                session: if origin == ChangeOrigin::Outside {
                    None
                } else {
                    find(whose, None)?
                },
                actor: by,
                origin,
                tool_use_id: file.tool_use_id.clone().map(ToolUseId::new),
                skip_reason: file.skip_reason.clone(),
                doubt: file.doubt.as_deref().map(Doubt::parse),
            });
        }
        let new = NewCheckpoint {
            trigger: Trigger {
                worktree: self.worktree,
                session,
                actor,
                kind,
                key: story.trigger.clone(),
            },
            run: Some(story.run),
            turn: story.turn,
            label: story.label.clone(),
            summary: None,
            tool_use_id: story.tool_use_id.clone().map(ToolUseId::new),
            commit: commit.to_string(),
            files_tree: files_tree.to_string(),
            base_commit: story.base_commit.clone().unwrap_or_default(),
            head: story.head.clone(),
            branch: story.branch.clone(),
            transcript_end: story.transcript.as_ref().map(|part| part.end),
            degraded: story.degraded.clone(),
            source: CheckpointSource::Local,
            foreign_id: story.foreign_id.clone(),
            partner: story.partner.as_deref().and_then(CheckpointId::parse),
            undoes: story.undoes.as_deref().and_then(CheckpointId::parse),
            created_at: Timestamp(story.created_at),
            is_late: false,
            counts: story.changed.as_ref().map(|_| {
                counts(
                    story
                        .files
                        .iter()
                        .map(|file| CheckpointFileChange::parse(&file.change)),
                )
            }),
            id,
        };
        Ok(Some((new, files)))
    }
}

/// A page of a checkpoint's `session/`. One that is damaged is as good as none: the others are still right.
pub(super) fn page(shadow: &Shadow, session: Option<Id>, name: &str) -> Result<Option<Vec<u8>>, ShadowError> {
    let (Some(session), Ok(path)) = (session, RepoPath::new(name)) else {
        return Ok(None);
    };
    let read = shadow.entry(session, &path).and_then(|entry| match entry {
        Some(entry) => shadow.blob(entry.id, LARGEST).map(Some),
        None => Ok(None),
    });
    match read {
        Err(
            ShadowError::Missing(_)
            | ShadowError::Corrupt { .. }
            | ShadowError::Malformed { .. }
            | ShadowError::TooLarge { .. },
        ) => Ok(None),
        read => read,
    }
}
/// Who acted in a session that a checkpoint tells of.
fn key_in(story: &Metadata, session: &str, agent: Option<&str>) -> Option<ActorKey> {
    Some(ActorKey {
        agent_kind: AgentKind::new(story.agent.clone()?),
        session: ClientSessionId::new(session),
        agent: agent.filter(|agent| !agent.is_empty()).map(AgentId::new),
    })
}
