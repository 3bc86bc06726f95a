//! Brings rows back that a killed process did not write: the commit says everything about its checkpoint.

use super::cutter::{CutError, Cutter};
use super::metadata::Metadata;
use super::tip::Tip;
use engine::id::{ActorId, ActorKey, AgentId, AgentKind, CheckpointId, ClientSessionId, ToolUseId};
use engine::time::Timestamp;
use git::object::Id;
use git::path::RepoPath;
use git::shadow::{Shadow, trailers};
use store::table::actors;
use store::table::checkpoint_files::{Change, NewFile, Origin};
use store::table::checkpoints::{self, Kind, NewCheckpoint, Source, Trigger, counts};
use store::{Db, FileState, Place, StoreError};

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
            let found = trailers(&read.message);
            let trailer = |name: &str| {
                found
                    .iter()
                    .find(|(key, _)| key == name)
                    .map(|(_, value)| value.clone())
            };
            let id = trailer("Toprope-Checkpoint").and_then(|id| CheckpointId::parse(&id));
            let is_seal = trailer("Toprope-Kind").as_deref() == Some("seal");
            if let Some(id) = id {
                let known = self.read(|db| checkpoints::by_id(db, &id))?;
                let is_known = known.is_some_and(|row| {
                    let name = commit.to_string();
                    row.commit == name || row.sealed_commit.as_deref() == Some(&name)
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
        let page = RepoPath::new("metadata.json").ok();
        let entry = match (layout.session, page) {
            (Some(session), Some(page)) => shadow.entry(session, &page)?,
            _ => None,
        };
        let Some(entry) = entry else { return Ok(()) };
        let Some(story) = Metadata::parse(&shadow.blob(entry.id, LARGEST)?) else {
            return Ok(());
        };
        self.write(|db| {
            let Some((new, files)) = self.rows_of(db, &story, commit, layout.files)? else {
                return Ok(());
            };
            checkpoints::insert(db, &new, &files).map(drop)
        })?;
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
            Kind::from_word(&story.kind),
        ) else {
            return Ok(None);
        };
        let key = |session: &str, agent: Option<&str>| -> Option<ActorKey> {
            Some(ActorKey {
                agent_kind: AgentKind::new(story.agent.clone()?),
                session: ClientSessionId::new(session),
                agent: agent.filter(|agent| !agent.is_empty()).map(AgentId::new),
            })
        };
        let find = |session: Option<&str>, agent: Option<&str>| -> Result<Option<ActorId>, StoreError> {
            let Some(key) = session.and_then(|session| key(session, agent)) else {
                return Ok(None);
            };
            Ok(actors::by_key(db, &key)?.map(|actor| actor.id))
        };
        let own = story.session_id.as_deref();
        let session = find(own, None)?;
        let actor = find(own, story.actor.as_deref())?;
        let mut files = Vec::new();
        for file in story.changed.as_ref().unwrap_or(&story.files) {
            let Ok(path) = file.path.path() else { continue };
            let whose = file.session.as_deref().or(own);
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
            let origin = Origin::parse(&file.origin);
            files.push(NewFile {
                path: path.as_bytes().to_vec(),
                place: if file.place == "ignored" {
                    Place::Ignored
                } else {
                    Place::Files
                },
                change: Change::parse(&file.change),
                before: state(&file.before, &file.before_mode, &file.before_raw),
                after: state(&file.after, &file.mode, &file.after_raw),
                session: if origin == Origin::Outside {
                    None
                } else {
                    find(whose, None)?
                },
                actor: by,
                origin,
                tool_use_id: file.tool_use_id.clone().map(ToolUseId::new),
                skip_reason: file.skip_reason.clone(),
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
            source: Source::Local,
            foreign_id: story.foreign_id.clone(),
            partner: story.partner.as_deref().and_then(CheckpointId::parse),
            undoes: story.undoes.as_deref().and_then(CheckpointId::parse),
            created_at: Timestamp(story.created_at),
            counts: story
                .changed
                .as_ref()
                .map(|_| counts(story.files.iter().map(|file| Change::parse(&file.change)))),
            id,
        };
        Ok(Some((new, files)))
    }
}
