//! What an event means for checkpoints, as rows in the event's own transaction. The work itself comes after the reply.

mod finished;
mod outlived;
mod running;
mod touch;

use super::agent_label;
use super::naming::PlacedFile;
use super::order::{Order, ScanOrder};
use crate::pipeline::effects::EventScope;
use crate::pipeline::{AgentEvent, PreparedEvent};
use agents::Agent;
use engine::checkpoint::label;
use engine::checkpoint::todo::{self, TodoLabel};
use engine::checkpoint::trigger;
use engine::checkpoint::{
    CheckpointKind, CheckpointOwner, CheckpointTask, CutKey, CutOrder, CutTime, LabelRule, Roaming, ScanNeed,
    TranscriptJob, TranscriptOf,
};
use engine::decision::Outcome;
use engine::effect::{Effect, JobKind, NewJob};
use engine::event::{Event, EventKind};
use engine::id::{ActorId, EventSeq, TouchId, WorktreeId};
use engine::round::Round;
use engine::time::Timestamp;
use engine::tool::Action;
use git::object::PathState;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use store::table::actors::{self, Actor};
use store::table::calls;
use store::table::checkpoints;
use store::table::jobs::{self, Added, WorktreeJob};
use store::table::session_notes;
use store::table::turns;
use store::{Db, StoreError};

/// What is still to be done for an event once it is committed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FollowUp {
    /// The call may write, so it waits until what came before it was read.
    pub waits: bool,
    /// A look at the worktree that the event asks for is on its way: a prompt's, or the session's first here.
    pub expects_look: Option<EventSeq>,
    /// It is the session's first.
    pub begins_here: bool,
    /// Files that were written and are to be read now.
    pub unread: Vec<(TouchId, PlacedFile)>,
    /// The checkpoint the reply waits for: the call may destroy something.
    pub before: Option<Order>,
    /// Why the call does not pass if that cannot be cut.
    pub otherwise: Option<String>,
    /// The event of a call that may write anything: it begins when it is let go.
    pub lets_go: Option<EventSeq>,
    /// There are jobs that nobody was told of, or that are due.
    pub has_jobs: bool,
    /// The main thread of the session.
    pub session: Option<ActorId>,
}

/// A file that a tool writes, as it was found before the call or after it.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// Which.
    pub named: PlacedFile,
    /// What is there, if it was captured.
    pub state: Option<PathState>,
    /// Why it was not.
    pub skip: Option<String>,
    /// When it last changed, as files are dated.
    pub dated: Option<i64>,
    /// What the tool met there, and since when that may be: not what was there before the call.
    pub met: Option<(PathState, i64)>,
}

/// What a job that reads a transcript has to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingOrder {
    /// Whose.
    pub actor: ActorId,
    /// Where it is, as the payload says.
    pub path: Option<PathBuf>,
    /// Its end is awaited.
    pub closing: bool,
    /// How often it was tried.
    #[serde(default)]
    pub tries: u32,
}

/// What was known of the actor before this event changed it.
#[derive(Debug, Clone, Copy, Default)]
pub struct PriorTurn {
    /// It was in the middle of a turn.
    pub turn_open: bool,
    /// The number of that turn, or of the last one.
    pub turn: Option<u64>,
}

impl PriorTurn {
    /// Looks it up for the events that may cut a turn off; others need not know.
    pub fn of(db: &Db, actor: &Actor, event: &Event) -> Result<Self, StoreError> {
        if !trigger::may_interrupt(event) {
            return Ok(Self::default());
        }
        let current = turns::current(db, actor.id)?;
        Ok(Self {
            turn_open: current.as_ref().is_some_and(|turn| turn.is_open),
            turn: current.map(|turn| turn.number),
        })
    }
}

/// One event on its way into the rows.
pub struct Intake<'a> {
    /// Where its rows go.
    pub source: &'a EventScope<'a>,
    /// What it is.
    pub subject: &'a AgentEvent,
    /// How it came.
    pub prepared: &'a PreparedEvent,
    /// Who acts.
    pub actor: &'a Actor,
    /// Where.
    pub worktree: Option<WorktreeId>,
    /// What was before.
    pub before: PriorTurn,
    /// Who the acting agent was under the session before, if it goes on under another with this event.
    pub outlived: Option<&'a Actor>,
}

impl Intake<'_> {
    /// Records what the event means for checkpoints.
    pub fn note(&self, round: &Round) -> Result<FollowUp, StoreError> {
        let denied = matches!(round.decision.outcome, Outcome::Deny { .. });
        let settings = &self.subject.loaded.settings.checkpoints;
        let works = trigger::work(&self.subject.event, denied, settings);
        let mut after = FollowUp::default();
        if let Some(agent) = self.outlived {
            self.read_outlived(agent, &mut after)?;
        }
        if works.is_empty() {
            return Ok(after);
        }
        let session = actors::main_of(self.db(), self.actor)?;
        after.session = Some(session);
        if !denied && matches!(self.event().kind, EventKind::Prompt { .. }) {
            let length = self.subject.transcript_length;
            turns::set_transcript_start(self.db(), self.actor.id, self.source.event, length)?;
        }
        for work in &works {
            self.carry_out(work, session, &mut after)?;
        }
        if let EventKind::ToolBatch { calls } = &self.event().kind {
            self.name_finished(calls, &mut after)?;
        }
        after.before = self.before_it_runs(round, session)?;
        after.otherwise = round.effects.iter().find_map(|effect| match effect {
            Effect::MustKeep { otherwise } => Some(otherwise.clone()),
            _ => None,
        });
        Ok(after)
    }

    /// The state before a command that may destroy something.
    fn before_it_runs(&self, round: &Round, session: ActorId) -> Result<Option<Order>, StoreError> {
        let command = round.effects.iter().find_map(|effect| match effect {
            Effect::KeepBefore { command, also } => Some((command, also)),
            _ => None,
        });
        let Some((command, also)) = command.filter(|_| self.subject.loaded.settings.checkpoints.enabled)
        else {
            return Ok(None);
        };
        let call = self.call_id(self.event().tool_use_id());
        Ok(Some(Order {
            label: Some(label::before(command)),
            call: Some(call.clone()),
            look: ScanOrder::Always,
            also: also.clone(),
            ..self.order(CheckpointKind::Before, call.to_string(), session)?
        }))
    }

    fn carry_out(
        &self,
        work: &CheckpointTask,
        session: ActorId,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        match work {
            CheckpointTask::Wait => after.waits = true,
            CheckpointTask::Baseline => self.baseline(session, after)?,
            CheckpointTask::Touch(touch) => self.touch(touch, session, after)?,
            CheckpointTask::Roam(roam) => {
                self.roam(roam.call.as_ref(), roam.state)?;
                if roam.state == Roaming::Begins {
                    after.lets_go = Some(self.source.event);
                }
                self.end_endangered(roam.call.as_ref(), roam.state, after)?;
            }
            CheckpointTask::Settle(calls) => {
                self.end_batch(calls)?;
                self.touch_again()?;
                session_notes::set(self.db(), session, "batches", "1")?;
            }
            CheckpointTask::Todo(label) => {
                if let Some(text) = self.todo(session, label)? {
                    self.note_finished(text, session, after)?;
                }
            }
            CheckpointTask::NameTask { task, subject } => {
                session_notes::set(self.db(), session, &task_key(task), subject)?;
            }
            CheckpointTask::DescribeAgent { agent, .. } => self.describe(agent)?,
            CheckpointTask::Cut(cut) => self.cut(cut, session, after)?,
            CheckpointTask::LinkCommits => self.job(JobKind::LinkCommits, "", None, None, after)?,
            CheckpointTask::TranscriptRead(reading) => self.read_transcript(reading, session, after)?,
            CheckpointTask::WarmScan => self.job(JobKind::WarmScan, "", None, None, after)?,
        }
        Ok(())
    }

    /// The session's first checkpoint in this worktree, if it has none.
    fn baseline(&self, session: ActorId, after: &mut FollowUp) -> Result<(), StoreError> {
        let Some(worktree) = self.worktree else {
            return Ok(());
        };
        if self.baseline_of(worktree, session, after)? {
            after.begins_here = true;
            after.expects_look = Some(self.source.event);
        }
        Ok(())
    }

    /// The session's first checkpoint in a worktree; false if it has one, or one waits.
    fn baseline_of(
        &self,
        worktree: WorktreeId,
        session: ActorId,
        after: &mut FollowUp,
    ) -> Result<bool, StoreError> {
        let job = NewJob {
            kind: JobKind::Checkpoint,
            key: format!("baseline/{session}"),
        };
        // One that waits is of an earlier event, and so is the state it is to hold.
        if checkpoints::has_baseline(self.db(), session, worktree)?
            || jobs::queued_for(self.db(), worktree, &job)?.is_some()
            || jobs::is_running(self.db(), worktree, &job)?
        {
            return Ok(false);
        }
        let order = Order {
            actor: Some(session),
            look: ScanOrder::Always,
            ..self.order(CheckpointKind::Baseline, "worktree".to_owned(), session)?
        };
        self.order_in(worktree, &job.key, &order, after)?;
        Ok(true)
    }

    /// An agent's description is known after its start was kept, and sometimes after its end.
    fn describe(&self, agent: &engine::id::AgentId) -> Result<(), StoreError> {
        let key = self.event().actor.sibling(agent.clone());
        match actors::by_key(self.db(), &key)? {
            Some(agent) => agent_label::complete(self.db(), agent.id),
            None => Ok(()),
        }
    }

    fn cut(&self, cut: &CutOrder, session: ActorId, after: &mut FollowUp) -> Result<(), StoreError> {
        if cut.when == CutTime::IfInterrupted && !self.before.turn_open {
            return Ok(());
        }
        // The baseline has all that the event found.
        if cut.kind == CheckpointKind::Outside && after.begins_here {
            return Ok(());
        }
        if cut.when == CutTime::Soon && session_notes::get(self.db(), session, "batches")?.is_some() {
            return Ok(());
        }
        for whose in self.whose(cut, session)? {
            self.cut_for(cut, session, &whose, after)?;
        }
        Ok(())
    }

    fn cut_for(
        &self,
        cut: &CutOrder,
        session: ActorId,
        whose: &Actor,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        let mut whose = whose.clone();
        if cut.kind == CheckpointKind::AgentStart {
            // Whether it was at work before this event is known of the actor as it was found.
            if whose.id == self.actor.id {
                whose.was = self.actor.was;
            }
            whose.run = actors::begin_run(self.db(), &whose)?;
        }
        let whose = &whose;
        let trigger = match &cut.key {
            CutKey::Event => format!("e{}", self.source.event),
            CutKey::Run => format!("run{}", whose.run),
            CutKey::Call(call) => call.to_string(),
        };
        let base = self.order(cut.kind, trigger, session)?;
        let turn = match cut.kind {
            CheckpointKind::Interrupted => self.before.turn,
            _ => base.turn,
        };
        let order = Order {
            actor: Some(whose.id),
            turn,
            label: self.label(&cut.label, session, whose, turn)?,
            summary: self.summary(cut.kind),
            look: match cut.scan {
                ScanNeed::Never => ScanOrder::Never,
                ScanNeed::IfRoamed => ScanOrder::IfWritten,
                ScanNeed::IfUnlisted => ScanOrder::IfUnlisted,
                ScanNeed::Always => ScanOrder::Always,
            },
            ..base
        };
        let key = match (cut.kind, &cut.key) {
            // Steps of one actor that wait become one, unless what they finished has a name.
            (CheckpointKind::Step, _) if order.label.is_some() => {
                format!("{}/{}", waiting_step(whose.id), order.trigger)
            }
            (CheckpointKind::Step, _) => waiting_step(whose.id),
            (kind, CutKey::Run) => format!("{}/{}/{}", kind.as_str(), whose.id, whose.run),
            (kind, _) => format!("{}/{}", kind.as_str(), order.trigger),
        };
        let not_before = (cut.when == CutTime::Soon)
            .then(|| Timestamp(self.source.at.0 + i64::try_from(trigger::COALESCED_MS).unwrap_or(0)));
        let is_awaited = matches!(
            self.event().kind,
            EventKind::Prompt { .. } | EventKind::ToolBefore { .. }
        );
        if is_awaited && cut.scan == ScanNeed::Always {
            after.expects_look = Some(self.source.event);
        }
        // An agent that works in a worktree of its own ends there, wherever its end is told.
        let there = match cut.kind {
            CheckpointKind::AgentStart | CheckpointKind::AgentStop => whose.worktree,
            _ => None,
        };
        let job = NewJob {
            kind: JobKind::Checkpoint,
            key,
        };
        let worktree = there.or(self.worktree);
        let mut order = order;
        // Several events may tell of an agent's end. Only its own has its last words, and who was left open had none.
        if let (CheckpointKind::AgentStop, Some(worktree)) = (cut.kind, worktree)
            && let Some(queued) = jobs::queued_for(self.db(), worktree, &job)?
        {
            if cut.whose == CheckpointOwner::Ended {
                return Ok(());
            }
            let known = Order::of(&queued).and_then(|queued| queued.summary);
            order.summary = order.summary.or(known);
        }
        let detail = serde_json::to_string(&order).unwrap_or_default();
        self.add(&job, worktree, Some(&detail), not_before, after)
    }

    fn whose(&self, cut: &CutOrder, session: ActorId) -> Result<Vec<Actor>, StoreError> {
        let sibling = |agent: &engine::id::AgentId| {
            actors::by_key(self.db(), &self.event().actor.sibling(agent.clone()))
        };
        let is_of_run = matches!(cut.kind, CheckpointKind::AgentStart | CheckpointKind::AgentStop);
        Ok(match &cut.whose {
            CheckpointOwner::Actor if !is_of_run => vec![self.actor.clone()],
            // Its row may have changed with this event: a new run, an end.
            CheckpointOwner::Actor => actors::by_id(self.db(), self.actor.id)?.into_iter().collect(),
            CheckpointOwner::Agent(agent) => sibling(agent)?.into_iter().collect(),
            CheckpointOwner::AgentOf(call) => {
                let agent = calls::spawned_by(self.db(), self.actor.id, call)?;
                let known = match agent {
                    Some(agent) => actors::by_id(self.db(), agent)?,
                    None => None,
                };
                known.into_iter().collect()
            }
            CheckpointOwner::Ended => checkpoints::agents_left_open(self.db(), session)?,
        })
    }

    /// The turn an event belongs to: a subagent keeps the prompt it was started for.
    fn turn(&self, session: ActorId) -> Result<Option<u64>, StoreError> {
        turns::number_for(self.db(), session, self.event().prompt_id.as_ref())
    }

    fn order(&self, kind: CheckpointKind, trigger: String, session: ActorId) -> Result<Order, StoreError> {
        Ok(Order {
            session: Some(session),
            actor: Some(self.actor.id),
            turn: self.turn(session)?,
            command: self.command(),
            event: Some(self.source.event),
            ..Order::new(kind, trigger)
        })
    }

    fn label(
        &self,
        rule: &LabelRule,
        session: ActorId,
        whose: &Actor,
        turn: Option<u64>,
    ) -> Result<Option<String>, StoreError> {
        Ok(match rule {
            LabelRule::Prompt => {
                let number = turn.unwrap_or(0);
                let prompt = turns::numbered(self.db(), session, number)?;
                Some(label::turn(
                    prompt.as_ref().map_or("", |turn| &turn.prompt),
                    number,
                ))
            }
            LabelRule::Outside | LabelRule::Step(None) => None,
            LabelRule::Step(Some(update)) => self.todo(session, update)?,
            LabelRule::Agent(moment) => Some(label::agent(
                *moment,
                whose.description.as_deref(),
                whose.agent_type.as_deref(),
            )),
            LabelRule::Text(text) => Some(text.clone()),
        })
    }

    fn todo(&self, session: ActorId, label: &TodoLabel) -> Result<Option<String>, StoreError> {
        Ok(match label {
            TodoLabel::Text(text) => Some(text.clone()),
            TodoLabel::Completed { task } => {
                let subject = session_notes::get(self.db(), session, &task_key(task))?;
                subject.and_then(|subject| todo::completed(&subject))
            }
        })
    }

    fn summary(&self, kind: CheckpointKind) -> Option<String> {
        match (kind, &self.event().kind) {
            (CheckpointKind::Turn, EventKind::TurnEnd { last_message, .. })
            | (CheckpointKind::AgentStop, EventKind::AgentStop { last_message, .. }) => last_message.clone(),
            _ => None,
        }
    }

    /// The command of a batch that ran one, for a step nobody named files of.
    fn command(&self) -> Option<String> {
        let of = |action: &Action| match action {
            Action::RunCommand { command, .. } => Some(engine::text::one_line(command, 200)),
            _ => None,
        };
        match &self.event().kind {
            EventKind::ToolBatch { calls } => calls.iter().find_map(|call| of(call.call.action())),
            EventKind::ToolAfter { call, .. } | EventKind::ToolFailed { call, .. } => of(call.action()),
            _ => None,
        }
    }

    fn read_transcript(
        &self,
        reading: &TranscriptJob,
        session: ActorId,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        let (actor, path) = match reading.of {
            TranscriptOf::Main => (session, reading.path.clone()),
            TranscriptOf::Agent | TranscriptOf::Compaction => (self.actor.id, self.agent_transcript(reading)),
        };
        let job = NewJob {
            kind: JobKind::ReadTranscript,
            key: actor.to_string(),
        };
        let order = ReadingOrder {
            actor,
            path,
            // An end that is awaited still is.
            closing: reading.closing || self.awaits_end(&job)?,
            tries: 0,
        };
        let detail = serde_json::to_string(&order).unwrap_or_default();
        self.add(&job, self.worktree, Some(&detail), None, after)
    }

    fn awaits_end(&self, job: &NewJob) -> Result<bool, StoreError> {
        let Some(worktree) = self.worktree else {
            return Ok(false);
        };
        let waiting = jobs::queued_for(self.db(), worktree, job)?.and_then(|job| job.detail);
        let order = waiting.and_then(|detail| serde_json::from_str::<ReadingOrder>(&detail).ok());
        Ok(order.is_some_and(|order| order.closing))
    }

    /// Where a subagent's transcript is: as it says, else where this agent keeps them.
    fn agent_transcript(&self, reading: &TranscriptJob) -> Option<PathBuf> {
        let event = self.event();
        let agent: &dyn Agent = self.subject.agent;
        reading.path.clone().or_else(|| {
            let main = event.transcript.as_ref()?;
            let id = event.actor.agent.as_ref()?;
            let candidates = agent.subagent_transcript(main, &event.actor.session, id);
            candidates.into_iter().next()
        })
    }

    fn job(
        &self,
        kind: JobKind,
        key: &str,
        order: Option<&Order>,
        not_before: Option<Timestamp>,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        let detail = order.map(|order| serde_json::to_string(order).unwrap_or_default());
        let job = NewJob {
            kind,
            key: key.to_owned(),
        };
        self.add(&job, self.worktree, detail.as_deref(), not_before, after)
    }

    /// A checkpoint of some worktree, wherever the agent stands.
    fn order_in(
        &self,
        worktree: WorktreeId,
        key: &str,
        order: &Order,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        let job = NewJob {
            kind: JobKind::Checkpoint,
            key: key.to_owned(),
        };
        let detail = serde_json::to_string(order).unwrap_or_default();
        self.add(&job, Some(worktree), Some(&detail), None, after)
    }

    fn add(
        &self,
        job: &NewJob,
        worktree: Option<WorktreeId>,
        detail: Option<&str>,
        not_before: Option<Timestamp>,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        let Some(worktree) = worktree else {
            return Ok(());
        };
        let new = WorktreeJob {
            job,
            worktree,
            event: self.source.event,
            project: self.source.project,
            session: Some(self.source.session),
            detail,
            not_before,
        };
        after.has_jobs |= match jobs::add_for(self.db(), &new, self.source.at)? {
            Added::Joined {
                not_before: Some(due),
            } => due <= self.source.at,
            Added::New | Added::Joined { not_before: None } => true,
        };
        Ok(())
    }

    fn event(&self) -> &Event {
        &self.subject.event
    }

    fn db(&self) -> &Db {
        self.source.db
    }
}

/// The key of an actor's step that waits to be cut.
fn waiting_step(actor: ActorId) -> String {
    format!("step/{actor}")
}

fn task_key(task: &str) -> String {
    format!("task:{task}")
}

#[cfg(test)]
mod tests;
