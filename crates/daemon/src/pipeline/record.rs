//! One event in one transaction: who acts, what is known, what is decided, what changes, what was answered.

use super::attended;
use super::background;
use super::effects::{EventScope, SUGGESTED};
use super::guard;
use super::journal;
use super::lease::{self, Gathering};
use super::pending_elsewhere;
use super::place_rows::{Whereabouts, whereabouts};
use super::reply_wait::PendingReply;
use super::session_start;
use super::token;
use super::wrong_settings;
use super::{AgentEvent, EventSubject, PreparedEvent};
use crate::checkpoint::intake::{FollowUp, Intake, PriorTurn};
use crate::client::said;
use crate::frame::reply::PrintedReply;
use crate::judge::Judge;
use crate::process::Process;
use agents::claude_code::PROBE_SESSION;
use engine::answer::Answers;
use engine::decision::Outcome;
use engine::event::{Context, Event, EventKind};
use engine::facts::Facts;
use engine::id::{EventSeq, SessionId, WorktreeId};
use engine::lease::{LeaseFacts, notice};
use engine::lifecycle::{self, LifecycleStep};
use engine::policy::skills::SkillFacts;
use engine::question::Question;
use engine::round::{Round, person};
use engine::settings::Mode;
use engine::time::Timestamp;
use engine::tool::Action;
use std::sync::Arc;
use std::time::Instant;
use store::life::LeaseMoment;
use store::table::actors::{self, Actor, Sighting};
use store::table::events::{self, NewEvent, StoredReply};
use store::table::verdicts::{self, LONGEST_FACTS};
use store::table::{calls, counters, notices, session_notes, sessions, warnings};
use store::{ClientProcess, Db, LeaseTerms, Moment, StoreError, life};

/// A client reports a changed file about a second after it was written.
const SETTLES_MS: i64 = 2_000;

/// The counter of probes; its text is the session of the newest.
pub const PROBED: &str = "probe";

/// What came of an event that is in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// What the hook prints.
    pub printed: PrintedReply,
    /// There is work to do after the reply.
    pub has_jobs: bool,
    /// The agent's process, to be watched.
    pub client: Option<Process>,
    /// Where it happened.
    pub worktree: Option<WorktreeId>,
    /// What is to be done for checkpoints.
    pub after: Arc<FollowUp>,
    /// The decision, where its answer waits for a checkpoint.
    pub waiting: Option<Arc<PendingReply>>,
}

impl RecordedEvent {
    fn only(printed: PrintedReply) -> Self {
        Self {
            printed,
            has_jobs: false,
            client: None,
            worktree: None,
            after: Arc::default(),
            waiting: None,
        }
    }
}

/// Decides one event and writes down everything about it. All of it, or on an error nothing.
pub fn record(db: &Db, prepared: &PreparedEvent, judge: &Judge) -> Result<RecordedEvent, StoreError> {
    if let Some((_, Some(reply))) = events::reply_of_delivery(db, &prepared.delivery)? {
        return Ok(RecordedEvent::only(printed(reply)));
    }
    match &prepared.subject {
        EventSubject::Disabled { .. } | EventSubject::TakenBack => {
            Ok(RecordedEvent::only(PrintedReply::default()))
        }
        EventSubject::Unreadable { why } => record_unreadable(db, prepared, why),
        EventSubject::Event(subject) if is_probe(subject) => try_out_event(db, prepared, subject, judge),
        EventSubject::Event(subject) => record_event(db, prepared, subject, judge),
    }
}

/// Whether `init` or `doctor` asks, and no agent.
fn is_probe(subject: &AgentEvent) -> bool {
    subject.event.actor.session.as_str().starts_with(PROBE_SESSION)
}

/// Decides a probe as any event, and keeps no more of it than that it came.
fn try_out_event(
    db: &Db,
    prepared: &PreparedEvent,
    subject: &AgentEvent,
    judge: &Judge,
) -> Result<RecordedEvent, StoreError> {
    let recorded = store::try_out(db, |db| record_event(db, prepared, subject, judge))?;
    let session = subject.event.actor.session.as_str();
    counters::note(db, PROBED, session, prepared.at)?;
    Ok(RecordedEvent::only(recorded.printed))
}

fn record_unreadable(db: &Db, prepared: &PreparedEvent, why: &str) -> Result<RecordedEvent, StoreError> {
    counters::note(db, "unreadable", why, prepared.at)?;
    let client = prepared.client.into();
    let event = NewEvent {
        name: "unreadable",
        target: Some(why),
        ..blank(prepared, &client)
    };
    let seq = events::insert(db, &event)?;
    let said = said(why);
    events::set_reply(
        db,
        seq,
        &stored(&said),
        "unreadable",
        microseconds(prepared.began),
    )?;
    Ok(RecordedEvent::only(said))
}

fn record_event(
    db: &Db,
    prepared: &PreparedEvent,
    subject: &AgentEvent,
    judge: &Judge,
) -> Result<RecordedEvent, StoreError> {
    let (event, at) = (&*subject.event, prepared.at);
    let client = prepared.client.into();
    let place = whereabouts(db, event, subject.place.as_deref(), at)?;
    let known = known_actor(db, event)?;
    // Before the actor is touched: a repetition must not bring back one that has ended.
    if let (Some(id), Some(known)) = (event.tool_use_id(), &known)
        && let Some((_, reply)) = events::reply_of_open_call(db, known.id, &event.name, id, &client)?
    {
        return Ok(RecordedEvent::only(printed(reply)));
    }
    let now = moment_of(prepared, subject);
    let Entered {
        seq,
        actor,
        session,
        outlived,
        lease,
    } = enter(db, prepared, subject, known, place)?;
    let before = PriorTurn::of(db, &actor, event)?;
    let mut known = facts(db, prepared, subject, &actor, place)?;
    known.event = Some(seq);
    known.lease = lease.map(Box::new);
    let mut round = judge.decide(&subject.event, known.clone());
    let acting = life::Acting {
        actor: &actor,
        key: &event.actor,
        session,
        event: seq,
        client: &client,
        at,
        boot: prepared.boot,
        terms: now.terms,
        prompt_id: event.prompt_id.as_ref(),
    };
    let mut source = EventScope {
        event: seq,
        actor: actor.id,
        key: &event.actor,
        session,
        project: place.project,
        at,
        db,
        subject: event,
    };
    source.apply_writes(&round, &now)?;
    source.session = live_on(&source, subject, &round, &acting, &now)?;
    source.apply_leases(&round, &now)?;
    token::sign(&source, subject, &mut round, &now)?;
    lease::see(&source, subject, &known, &round, &now)?;
    let opened = session_start::open(&source, subject, prepared, place.worktree, actor.is_new)?;
    let has_jobs = source.apply(&round)? || opened;
    journal::note(&source, subject)?;
    background::note(&source, subject)?;
    let after = Intake {
        source: &source,
        subject,
        prepared,
        actor: &actor,
        worktree: place.worktree,
        before,
        outlived: outlived.as_ref(),
    }
    .note(&round)?;
    let reply = answer(db, seq, prepared, subject, &round)?;
    let waiting = PendingReply::of(
        seq,
        &after,
        &round,
        &actor,
        attended::is_attended(&prepared.env, event),
    );
    let held = waiting.as_ref().map(|waiting| waiting.hold(db, subject));
    held.transpose()?;
    Ok(RecordedEvent {
        waiting: waiting.map(Arc::new),
        printed: printed(reply),
        has_jobs: has_jobs || after.has_jobs,
        client: Some(prepared.client),
        worktree: place.worktree,
        after: Arc::new(after),
    })
}

/// An event that is in the log, and whose it is.
struct Entered {
    seq: EventSeq,
    actor: Actor,
    session: SessionId,
    /// Who the actor was in a process before this one.
    outlived: Option<Actor>,
    /// What is known about leases; `None` where the event is about no files.
    lease: Option<LeaseFacts>,
}

/// Enters the event in the log, as one of whoever really acts.
fn enter(
    db: &Db,
    prepared: &PreparedEvent,
    subject: &AgentEvent,
    known: Option<Actor>,
    place: Whereabouts,
) -> Result<Entered, StoreError> {
    let (event, at) = (&*subject.event, prepared.at);
    let client = prepared.client.into();
    let actor = actors::see(db, known, &sighting(subject, place, prepared))?;
    let (actor, outlived) = life::take_over(db, actor, &client, at)?;
    let transcript = event.transcript.as_deref();
    let session = sessions::ensure(db, actor.id, place.worktree, &client, transcript, at)?;
    let facts_text = facts_text(subject);
    let seq = events::insert(
        db,
        &NewEvent {
            actor: Some(actor.id),
            session: Some(session),
            facts: facts_text.as_deref(),
            ..entry(prepared, subject, place, &client)
        },
    )?;
    let now = moment_of(prepared, subject);
    if let Some(project) = place.project.filter(|_| lease::may_end(event)) {
        lease::end_deserted(db, project, &now)?;
    }
    let gathering = Gathering {
        db,
        subject: Some(subject),
        actor: &actor,
        place,
        now: &now,
    };
    let met = gathering.met(seq, &sighting(subject, place, prepared))?;
    let (actor, session) = match met.itself {
        None => (actor, session),
        Some(itself) => {
            let session = sessions::ensure(db, itself.id, place.worktree, &client, transcript, at)?;
            events::set_actor(db, seq, itself.id, Some(session))?;
            (itself, session)
        }
    };
    Ok(Entered {
        seq,
        actor,
        session,
        outlived,
        lease: met.facts,
    })
}

/// The row of whoever acts, if there is one.
fn known_actor(db: &Db, event: &Event) -> Result<Option<Actor>, StoreError> {
    if event.kind == EventKind::AgentStart {
        actors::part(db, &event.actor)?;
    }
    actors::by_key(db, &event.actor)
}

/// Takes the event's steps, with what follows from them for files. Says in which window the actor is then.
fn live_on(
    source: &EventScope<'_>,
    subject: &AgentEvent,
    round: &Round,
    acting: &life::Acting<'_>,
    now: &LeaseMoment,
) -> Result<SessionId, StoreError> {
    let steps = steps(subject, round);
    if steps.iter().any(LifecycleStep::may_cut_off) {
        lease::count_writes(source.db, source.key, now)?;
    }
    let session = life::apply(source.db, &steps, acting)?;
    lease::own_up(source, &steps, &subject.loaded.settings.lease)?;
    Ok(session)
}

/// What the agent gets, written down.
fn answer(
    db: &Db,
    seq: EventSeq,
    prepared: &PreparedEvent,
    subject: &AgentEvent,
    round: &Round,
) -> Result<StoredReply, StoreError> {
    let reply = reply(db, prepared, subject, round)?;
    let came = subject.outline.outcome(&subject.event, &round.decision);
    events::set_reply(db, seq, &reply, &came, microseconds(prepared.began))?;
    Ok(reply)
}

/// When it happens, and on which terms files are held then.
fn moment_of(prepared: &PreparedEvent, subject: &AgentEvent) -> LeaseMoment {
    LeaseMoment {
        moment: Moment {
            at: prepared.at,
            boot: prepared.boot,
        },
        terms: LeaseTerms::of(&subject.loaded.settings.lease),
    }
}

fn sighting<'a>(subject: &'a AgentEvent, place: Whereabouts, prepared: &PreparedEvent) -> Sighting<'a> {
    Sighting {
        key: &subject.event.actor,
        agent_type: subject.event.agent_type.as_deref(),
        project: place.project,
        worktree: place.worktree,
        cwd: subject.event.cwd.as_deref(),
        at: prepared.at,
        boot: prepared.boot,
    }
}

fn steps(subject: &AgentEvent, round: &Round) -> Vec<LifecycleStep> {
    match round.decision.outcome {
        Outcome::Deny { .. } => lifecycle::steps_if_denied(&subject.event),
        Outcome::Pass | Outcome::Ask { .. } => lifecycle::steps(&subject.event),
    }
}

/// The bytes the agent gets; an event we do not know is answered with nothing but a word on the side.
fn reply(
    db: &Db,
    prepared: &PreparedEvent,
    subject: &AgentEvent,
    round: &Round,
) -> Result<StoredReply, StoreError> {
    let event = &*subject.event;
    let reply = subject.agent.reply(event, &round.decision);
    let mut reply = StoredReply {
        exit: reply.exit.into(),
        stdout: reply.stdout,
        stderr: reply.stderr,
    };
    if event.actor.session.is_unknown() {
        counters::note(db, "event without a session", &event.name, prepared.at)?;
    }
    if event.kind == EventKind::Unknown {
        counters::note(db, "unknown event", &event.name, prepared.at)?;
        reply.stderr = said(&unknown(&event.name)).stderr;
    }
    Ok(reply)
}

fn unknown(name: &str) -> String {
    let name = engine::text::one_line(name, 40);
    format!("recorded `{name}`, an event this version does not know")
}

/// An event whose actor is not known yet.
fn entry<'a>(
    prepared: &'a PreparedEvent,
    subject: &'a AgentEvent,
    place: Whereabouts,
    client: &'a ClientProcess,
) -> NewEvent<'a> {
    let (event, outline) = (&subject.event, &subject.outline);
    NewEvent {
        project: place.project,
        worktree: place.worktree,
        name: &event.name,
        tool: event.kind.call().map(engine::tool::ToolCall::tool),
        tool_use_id: event.tool_use_id(),
        target: outline.target.as_deref(),
        input: outline.input.as_deref(),
        prompt_id: event.prompt_id.as_ref(),
        duration_ms: outline.duration_ms,
        ..blank(prepared, client)
    }
}

/// An event of which only the delivery is known.
fn blank<'a>(prepared: &'a PreparedEvent, client: &'a ClientProcess) -> NewEvent<'a> {
    NewEvent {
        delivery: &prepared.delivery,
        at: prepared.at,
        project: None,
        worktree: None,
        actor: None,
        session: None,
        name: "",
        tool: None,
        tool_use_id: None,
        target: None,
        input: None,
        payload: &prepared.payload,
        client,
        prompt_id: None,
        duration_ms: None,
        facts: None,
        degraded: None,
    }
}

/// What policies may know, read only where one could want it.
fn facts(
    db: &Db,
    prepared: &PreparedEvent,
    subject: &AgentEvent,
    actor: &Actor,
    place: Whereabouts,
) -> Result<Facts, StoreError> {
    let mut facts = Facts::empty(prepared.at, subject.loaded.settings.clone());
    facts.label.clone_from(&actor.label);
    if subject.event.can.context == Context::Heard {
        let itself = Gathering {
            db,
            subject: Some(subject),
            actor,
            place,
            now: &moment_of(prepared, subject),
        };
        itself.settle_waits()?;
        facts.owed = notices::owed_to(db, actor.id)?;
        lease::forget_broken(db, actor.id, &mut facts.owed)?;
    }
    if let (EventKind::SessionStart { .. }, Some(project)) = (&subject.event.kind, place.project) {
        facts.others = actors::others(db, project, actor.id, prepared.at)?;
    }
    if let (EventKind::Prompt { .. }, Some(worktree)) = (&subject.event.kind, place.worktree)
        && subject.loaded.settings.checkpoints.enabled
        && subject.loaded.settings.checkpoints.concurrent != Mode::Off
    {
        facts.pending_elsewhere = pending_elsewhere::pending(db, subject, actor, worktree)?;
    }
    if let (EventKind::ConfigChange { .. }, Some(project)) = (&subject.event.kind, place.project) {
        facts.agent_is_busy =
            calls::is_any_open(db, project, Timestamp(prepared.at.0.saturating_sub(SETTLES_MS)))?;
    }
    if let Some(catalogue) = &subject.skills {
        let known = session_notes::below(db, actor.id, SUGGESTED)?;
        facts.skills = Some(Arc::new(SkillFacts {
            catalogue: Arc::clone(catalogue),
            suggested: known.into_iter().map(|(skill, _)| skill).collect(),
        }));
    }
    if let EventKind::Prompt { text, .. } = &subject.event.kind {
        facts.awaited = guard::session::awaited(db, text)?;
    }
    if let EventKind::ToolAfter { call, .. } | EventKind::ToolFailed { call, .. } = &subject.event.kind
        && let (Action::RunCommand { .. }, Some(id)) = (call.action(), subject.event.tool_use_id())
    {
        facts.rewrote = verdicts::rewritten(db, actor.id, id)?;
    }
    if let EventKind::ToolBatch { .. }
    | EventKind::Prompt { .. }
    | EventKind::TurnEnd { .. }
    | EventKind::AgentStop { .. } = &subject.event.kind
    {
        facts.unheard = warnings::has_unheard(db, &subject.event.actor)?;
        let guard = &facts.settings.guard;
        // The client shows nothing of what an agent in the background is answered: what the person is owed about it comes
        // with the main thread's next event.
        let is_main = subject.event.actor.agent.is_none();
        if is_main && guard.is_attended(attended::is_attended(&prepared.env, &subject.event)) {
            wrong_settings::owe(db, subject, actor, prepared.at)?;
            for kind in ["guard", notice::PERSON, wrong_settings::KIND, person::KIND] {
                facts
                    .owed_to_person
                    .extend(notices::about_session(db, actor.id, kind)?);
            }
        }
    }
    facts.attended = attended::is_attended(&prepared.env, &subject.event);
    facts.answers = subject.answers.clone();
    if let Some(guard) = &mut facts.answers.guard {
        let moment = guard::session::JudgementTerms {
            now: prepared.at,
            attended: facts.attended,
            retry_after_ms: facts.settings.guard.retry_after_ms.into(),
        };
        guard::session::complete(db, guard, &subject.event, actor, moment)?;
    }
    Ok(facts)
}

/// What the world answered, so that a replay is exact. Half of it would be none of it.
fn facts_text(subject: &AgentEvent) -> Option<String> {
    // What the client's settings say at a start is told at once; nothing is judged again by it.
    let starts = matches!(subject.event.kind, EventKind::SessionStart { .. });
    let counts = |question: &Question| !(starts && matches!(question, Question::Guard(_)));
    if !subject.questions.iter().any(counts) {
        return None;
    }
    let whole = serde_json::to_string(&subject.answers).unwrap_or_default();
    if !starts && whole.len() <= LONGEST_FACTS || subject.answers.guard.is_none() {
        return Some(whole);
    }
    let rest = Answers {
        guard: None,
        ..subject.answers.clone()
    };
    serde_json::to_string(&rest).ok()
}

fn printed(reply: StoredReply) -> PrintedReply {
    PrintedReply {
        exit: u8::try_from(reply.exit).unwrap_or(0),
        stdout: reply.stdout,
        stderr: reply.stderr,
    }
}

pub(super) fn stored(printed: &PrintedReply) -> StoredReply {
    StoredReply {
        exit: printed.exit.into(),
        stdout: printed.stdout.clone(),
        stderr: printed.stderr.clone(),
    }
}

fn microseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
