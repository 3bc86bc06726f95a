//! Seals a turn or an agent's run: when the last lines of its conversation have come, they are added to what its
//! checkpoint holds.
//!
//! The line only grows. A seal is a commit of its own behind the newest checkpoint, with that one's files and with the
//! complete conversation of the sealed one.

use super::cutter::{CutBase, CutError, Cutter};
use super::metadata::{self, Metadata};
use super::order::Order;
use super::people::ActorNames;
use super::session_part::SessionPart;
use engine::id::{ActorId, TurnId};
use git::path::RepoPath;
use git::shadow::{CommitAuthor, NewCommit, Shadow, ShadowLayout};
use store::fault;
use store::table::checkpoints::{self, Checkpoint, CheckpointKind};
use store::table::{actors, transcripts, turns};

/// A page about one checkpoint is never larger.
const LARGEST: u64 = 64 * 1024 * 1024;

impl Cutter<'_> {
    /// Adds the end of a turn's conversation to its checkpoint. A turn that changed nothing has none of its own.
    pub(super) fn seal(&self, turn: TurnId) -> Result<(), CutError> {
        let Some(row) = self.read(|db| {
            let Some(turn) = turns::by_id(db, turn)? else {
                return Ok(None);
            };
            let Some(id) = &turn.checkpoint else {
                return Ok(None);
            };
            let row = checkpoints::by_id(db, id)?;
            Ok(row.filter(|row| row.turn == Some(turn.number) && row.session == Some(turn.actor)))
        })?
        else {
            return Ok(());
        };
        match row.kind {
            CheckpointKind::Turn | CheckpointKind::Interrupted => self.add_once(&row),
            _ => Ok(()),
        }
    }

    /// Adds what a subagent said last to the end of its run, if that was cut before it came.
    pub(super) fn seal_agent(&self, agent: ActorId) -> Result<(), CutError> {
        let (stop, read_until) = self.read(|db| {
            let Some(agent) = actors::by_id(db, agent)? else {
                return Ok((None, None));
            };
            let ends = checkpoints::ends_of_run(db, agent.id, agent.run)?;
            let file = transcripts::of_actor(db, agent.id)?.into_iter().next();
            Ok((
                ends.into_iter()
                    .find(|row| row.kind == CheckpointKind::AgentStop && row.worktree == self.worktree),
                file.map(|file| file.end()),
            ))
        })?;
        match stop {
            Some(stop) if stop.transcript_end < read_until => self.add_once(&stop),
            _ => Ok(()),
        }
    }

    fn add_once(&self, row: &Checkpoint) -> Result<(), CutError> {
        if row.sealed_commit.is_some() {
            return Ok(());
        }
        let Some(shadow) = self.site.shadow()? else {
            return Ok(());
        };
        let _alone = shadow.lock_line(&self.site.line)?;
        self.add_seal(&shadow, row)
    }

    fn add_seal(&self, shadow: &Shadow, row: &Checkpoint) -> Result<(), CutError> {
        let tip = self.tip(shadow)?;
        let (Some(parent), Some(layout)) = (tip.commit, tip.layout) else {
            return Ok(());
        };
        let now = self.read(|db| checkpoints::by_id(db, &row.id))?;
        if now.is_some_and(|row| row.sealed_commit.is_some()) {
            // It was on the line already, and only its row did not know.
            return Ok(());
        }
        let Some(story) = story_of(shadow, row)? else {
            return Ok(());
        };
        if story.transcript.as_ref().is_some_and(|part| part.sealed) {
            // The end had come before the checkpoint was cut: it is its own seal.
            self.write(|db| checkpoints::set_sealed(db, &row.id, &row.commit))?;
            return Ok(());
        }
        let order = Order {
            session: row.session,
            actor: row.actor,
            turn: row.turn,
            label: Some(row.label.clone()),
            summary: row.summary.clone(),
            ..Order::new(row.kind, &*row.trigger_key)
        };
        let people = self.read(|db| ActorNames::of(db, &order))?;
        let ground = CutBase::standing(shadow, tip);
        let session = SessionPart::of(
            self,
            &ground,
            (&order, &people),
            &story,
            people.conversation_end(),
        )?;
        let tree = shadow.write_layout(&ShadowLayout {
            session: Some(session.tree),
            ..layout
        })?;
        let mut sealed = story;
        "seal".clone_into(&mut sealed.kind);
        let commit = shadow.commit(&NewCommit {
            tree,
            parent: Some(parent),
            message: metadata::message(&sealed).as_bytes(),
            author: &CommitAuthor::toprope(),
            at_ms: self.now().0,
        })?;
        fault::point("seal-committed");
        shadow.advance(&self.site.line, Some(parent), commit)?;
        fault::point("seal-on-line");
        self.write(|db| checkpoints::set_sealed(db, &row.id, &commit.to_string()))?;
        fault::point("seal-recorded");
        Ok(())
    }
}

/// What a checkpoint's commit says about it.
pub fn story_of(shadow: &Shadow, row: &Checkpoint) -> Result<Option<Metadata>, CutError> {
    let commit = row.sealed_commit.as_ref().unwrap_or(&row.commit);
    let Ok(commit) = commit.parse() else {
        return Ok(None);
    };
    let layout = shadow.read_layout(shadow.tree_of(commit)?)?;
    let (Some(session), Ok(page)) = (layout.session, RepoPath::new("metadata.json")) else {
        return Ok(None);
    };
    match shadow.entry(session, &page)? {
        Some(entry) => Ok(Metadata::parse(&shadow.blob(entry.id, LARGEST)?)),
        None => Ok(None),
    }
}
