//! What a checkpoint says about itself, put together from the rows of everybody it is about.

use super::chain::PathPassage;
use super::cutter::{CutBase, CutError, Cutter};
use super::metadata::{FORMAT, FileChange, MAIN, Metadata, MetadataPath, ScanMetadata};
use super::path_text::PathText;
use super::people::ActorNames;
use super::putting::{Draft, base};
use engine::checkpoint::label;
use engine::id::{ActorId, AgentId, CheckpointId};
use std::collections::BTreeMap;
use store::StoreError;
use store::table::actors;
use store::table::checkpoint_files::{ChangeOrigin, NewFile};
use store::table::checkpoints::{self, CheckpointKind};
use store::table::touches::Touch;

/// The names of those that changes are put down to, as commits know them.
#[derive(Default)]
struct CommitNames {
    /// Subagents; empty for main threads.
    agents: BTreeMap<ActorId, String>,
    /// Client sessions, by the row of their main thread.
    sessions: BTreeMap<ActorId, String>,
}

impl Cutter<'_> {
    /// Everything a checkpoint says about itself, but for the conversation.
    pub(super) fn story(
        &self,
        ground: &CutBase<'_>,
        draft: &Draft<'_>,
        people: &ActorNames,
        id: &CheckpointId,
        (files, account): (&[NewFile], Option<&[NewFile]>),
    ) -> Result<Metadata, CutError> {
        let order = draft.order;
        let run = people.actor.as_ref().map_or(1, |actor| actor.run);
        let names = self.names(files.iter().chain(account.unwrap_or_default()))?;
        let told = |files: &[NewFile]| files.iter().map(|file| names.told(file, order.session)).collect();
        let prompts = people.turn.iter().map(|turn| turn.prompt.clone()).collect();
        Ok(Metadata {
            format: FORMAT,
            checkpoint_id: id.to_string(),
            agent: people
                .conversation
                .as_ref()
                .map(|session| session.agent_kind.to_string()),
            session_id: people
                .conversation
                .as_ref()
                .map(|session| session.client_session.to_string()),
            session_alias: people
                .conversation
                .as_ref()
                .and_then(|session| session.alias.clone()),
            actor: people.actor.as_ref().map(|actor| {
                let agent = actor.key.agent.as_ref();
                agent.map_or_else(|| MAIN.to_owned(), AgentId::to_string)
            }),
            agent_type: people.actor.as_ref().and_then(|actor| actor.agent_type.clone()),
            description: people.actor.as_ref().and_then(|actor| actor.description.clone()),
            parent_agent: people
                .parent
                .as_ref()
                .and_then(|parent| Some(parent.key.agent.as_ref()?.to_string())),
            tool_use_id: order.call.as_ref().map(ToString::to_string),
            run,
            sequence: self.read(|db| checkpoints::next_sequence(db, order.actor, run))?,
            turn: order.turn,
            prompt_id: people
                .turn
                .as_ref()
                .and_then(|turn| Some(turn.prompt_id.as_ref()?.to_string())),
            kind: draft.trigger.kind.as_str().to_owned(),
            label: self.label(ground, draft, people),
            prompts,
            branch: ground.branch.clone(),
            head: ground.head.map(|head| head.to_string()),
            base_commit: Some(base(ground)),
            worktree: self.root(),
            strategy: self.settings.strategy.word().to_owned(),
            files: told(account.unwrap_or(files)),
            changed: account.map(|_| told(files)),
            transcript: None,
            token_usage: None,
            touches: draft.settled.iter().map(touched).collect(),
            begun: draft.begun.iter().map(touched).collect(),
            look: ground.scan().map(|scan| ScanMetadata {
                event: scan.event.0,
                began: scan.began.0,
                dated: scan.looked,
                took: scan.took_ms,
            }),
            degraded: draft.degraded.clone(),
            trigger: order.trigger.clone(),
            partner: order.partner.as_ref().map(ToString::to_string),
            undoes: order.undoes.as_ref().map(ToString::to_string),
            stash: Vec::new(),
            lost: Vec::new(),
            names: Vec::new(),
            created_at: self.now().0,
            toprope_version: env!("CARGO_PKG_VERSION").to_owned(),
            foreign_id: None,
        })
    }

    #[expect(clippy::unused_self, reason = "a step of cutting, like those beside it")]
    fn label(&self, ground: &CutBase<'_>, draft: &Draft<'_>, people: &ActorNames) -> String {
        if let Some(label) = &draft.order.label {
            return label.clone();
        }
        let is_named = |passage: &&PathPassage| passage.owner.origin != ChangeOrigin::Shell;
        let touched = draft.link.iter().filter(|(_, passage)| is_named(passage));
        // Its own files come first: what others did meanwhile is in it too.
        let is_own = |passage: &PathPassage| passage.owner.actor == draft.order.actor;
        let (own, others): (Vec<_>, Vec<_>) = touched.partition(|(_, passage)| is_own(passage));
        let named: Vec<String> = own
            .iter()
            .chain(&others)
            .map(|(path, _)| path.to_string())
            .collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        match draft.trigger.kind {
            CheckpointKind::Baseline => {
                let (changed, untracked) = ground.seen.as_ref().map_or((0, 0), |seen| seen.dirty);
                label::baseline(changed, untracked)
            }
            CheckpointKind::Outside => label::outside(u64::try_from(draft.link.len()).unwrap_or(u64::MAX)),
            _ => label::step(&named, draft.order.command.as_deref()).unwrap_or_else(|| {
                let turn = people.turn.as_ref();
                label::turn(
                    turn.map_or("", |turn| &turn.prompt),
                    turn.map_or(0, |turn| turn.number),
                )
            }),
        }
    }

    fn names<'f>(&self, files: impl Iterator<Item = &'f NewFile>) -> Result<CommitNames, StoreError> {
        let mut names = CommitNames::default();
        for file in files {
            for actor in file.actor.into_iter().chain(file.session) {
                if names.agents.contains_key(&actor) {
                    continue;
                }
                let key = self.read(|db| actors::by_id(db, actor))?.map(|found| found.key);
                let agent = key.as_ref().and_then(|key| key.agent.as_ref());
                names
                    .agents
                    .insert(actor, agent.map_or_else(String::new, ToString::to_string));
                let session = key.map_or_else(String::new, |key| key.session.to_string());
                names.sessions.insert(actor, session);
            }
        }
        Ok(names)
    }
}

impl CommitNames {
    fn told(&self, file: &NewFile, own: Option<ActorId>) -> FileChange {
        let session = match file.session {
            session if session == own => None,
            Some(session) => self.sessions.get(&session).cloned(),
            None => (file.origin != ChangeOrigin::Outside).then(String::new),
        };
        FileChange {
            path: PathText::of(&file.path),
            change: file.change.as_str().to_owned(),
            before: file.before.as_ref().map(|state| state.id.clone()),
            after: file.after.as_ref().map(|state| state.id.clone()),
            before_mode: file.before.as_ref().map(|state| state.mode.clone()),
            mode: file.after.as_ref().map(|state| state.mode.clone()),
            before_raw: file.before.as_ref().and_then(|state| state.raw.clone()),
            after_raw: file.after.as_ref().and_then(|state| state.raw.clone()),
            place: file.place.as_str().to_owned(),
            actor: file.actor.and_then(|actor| self.agents.get(&actor).cloned()),
            session,
            origin: ChangeOrigin::as_str(file.origin).to_owned(),
            tool_use_id: file.tool_use_id.as_ref().map(ToString::to_string),
            skip_reason: file.skip_reason.clone(),
            doubt: file.doubt.map(|doubt| doubt.as_str().to_owned()),
        }
    }
}

fn touched(touch: &Touch) -> MetadataPath {
    MetadataPath {
        path: PathText::of(&touch.path),
        tool_use_id: touch.call.to_string(),
    }
}
