//! One event in one transaction: who acts, what is known, what is decided, what changes, what was answered.

use super::outline::outcome;
use super::{Prepared, Subject, Subjected};
use crate::client::said;
use crate::environment::is_for_jobs;
use crate::frame::reply::Printed;
use crate::judge::Judge;
use crate::process::Process;
use engine::decision::Outcome;
use engine::effect::Effect;
use engine::event::{Context, Event, EventKind};
use engine::facts::Facts;
use engine::id::{EventSeq, ProjectId, SessionId, WorktreeId};
use engine::lifecycle;
use engine::round::{Cause, Degraded, Round};
use git::place::{Kind, Place};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Instant;
use store::table::events::{NewEvent, StoredReply};
use store::table::projects::{ProjectKind, ProjectPlace};
use store::table::{actors, counters, events, jobs, notices, projects, sessions, verdicts, worktrees};
use store::{Db, StoreError, life};

/// What came of an event that is in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// What the hook prints.
    pub printed: Printed,
    /// There is work to do after the reply.
    pub has_jobs: bool,
    /// The agent's process, to be watched.
    pub client: Option<Process>,
}

impl Recorded {
    fn only(printed: Printed) -> Self {
        Self {
            printed,
            has_jobs: false,
            client: None,
        }
    }
}

/// Where an event belongs, as rows.
struct Rows {
    project: Option<ProjectId>,
    worktree: Option<WorktreeId>,
}

/// Decides one event and writes down everything about it. All of it, or on an error nothing.
pub fn record(db: &Db, prepared: &Prepared, judge: &Judge) -> Result<Recorded, StoreError> {
    if let Some((_, Some(reply))) = events::reply_of_delivery(db, &prepared.delivery)? {
        return Ok(Recorded::only(printed(reply)));
    }
    match &prepared.subject {
        Subject::Disabled { .. } => Ok(Recorded::only(Printed::default())),
        Subject::Unreadable { why } => record_unreadable(db, prepared, why),
        Subject::Event(subject) => record_event(db, prepared, subject, judge),
    }
}

fn record_unreadable(db: &Db, prepared: &Prepared, why: &str) -> Result<Recorded, StoreError> {
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
    Ok(Recorded::only(said))
}

fn record_event(
    db: &Db,
    prepared: &Prepared,
    subject: &Subjected,
    judge: &Judge,
) -> Result<Recorded, StoreError> {
    let event = &*subject.event;
    let client = prepared.client.into();
    let place = place(db, event, subject.place.as_deref(), prepared)?;
    let actor = actors::ensure(
        db,
        &actors::Sighting {
            key: &event.actor,
            agent_type: event.agent_type.as_deref(),
            project: place.project,
            worktree: place.worktree,
            cwd: event.cwd.as_deref(),
            at: prepared.at,
        },
    )?;
    if let Some(id) = event.tool_use_id()
        && let Some((_, reply)) = events::reply_of_open_call(db, actor.id, &event.name, id, &client)?
    {
        return Ok(Recorded::only(printed(reply)));
    }
    let session = sessions::ensure(
        db,
        actor.id,
        place.worktree,
        &client,
        event.transcript.as_deref(),
        prepared.at,
    )?;
    let facts_text = facts_text(subject);
    let seq = events::insert(
        db,
        &NewEvent {
            project: place.project,
            worktree: place.worktree,
            actor: Some(actor.id),
            session: Some(session),
            name: &event.name,
            tool: event.kind.call().map(engine::tool::ToolCall::tool),
            tool_use_id: event.tool_use_id(),
            target: subject.outline.target.as_deref(),
            input: subject.outline.input.as_deref(),
            prompt_id: event.prompt_id.as_ref(),
            duration_ms: subject.outline.duration_ms,
            facts: facts_text.as_deref(),
            ..blank(prepared, &client)
        },
    )?;
    let round = judge.decide(
        &subject.event,
        facts(db, prepared, subject, &actor, place.project)?,
    );
    let denied = matches!(round.decision.outcome, Outcome::Deny { .. });
    let steps = if denied {
        lifecycle::steps_if_denied(event)
    } else {
        lifecycle::steps(event)
    };
    let acting = life::Acting {
        actor: &actor,
        key: &event.actor,
        session,
        event: seq,
        client: &client,
        at: prepared.at,
        prompt_id: event.prompt_id.as_ref(),
    };
    let session = life::apply(db, &steps, &acting)?;
    describe_session(db, event, &actor, session, &prepared.env)?;
    let has_jobs = apply(db, &round, seq, &actor, session, place.project, prepared)?;
    let reply = subject.agent.reply(event, &round.decision);
    let mut reply = StoredReply {
        exit: reply.exit.into(),
        stdout: reply.stdout,
        stderr: reply.stderr,
    };
    if event.kind == EventKind::Unknown {
        counters::note(db, "unknown event", &event.name, prepared.at)?;
        reply.stderr = said(&unknown(&event.name)).stderr;
    }
    events::set_reply(
        db,
        seq,
        &reply,
        outcome(event, &round.decision),
        microseconds(prepared.began),
    )?;
    Ok(Recorded {
        printed: printed(reply),
        has_jobs,
        client: Some(prepared.client),
    })
}

fn unknown(name: &str) -> String {
    let name = engine::text::one_line(name, 40);
    format!("recorded `{name}`, an event this version does not know")
}

/// An event of which only the delivery is known.
fn blank<'a>(prepared: &'a Prepared, client: &'a store::ClientProcess) -> NewEvent<'a> {
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

/// The rows of the project and worktree. Without git or a marker, a session stays in the project it began in.
fn place(db: &Db, event: &Event, found: Option<&Place>, prepared: &Prepared) -> Result<Rows, StoreError> {
    let known = || -> Result<Option<Rows>, StoreError> {
        let main = actors::by_key(db, &event.actor.main())?;
        Ok(main.map(|main| Rows {
            project: main.project,
            worktree: main.worktree,
        }))
    };
    let Some(found) = found else {
        return Ok(known()?.unwrap_or(Rows {
            project: None,
            worktree: None,
        }));
    };
    if found.project.kind == Kind::Folder
        && let Some(known) = known()?
        && known.project.is_some()
    {
        return Ok(known);
    }
    let place = ProjectPlace {
        key: found.project.key.clone(),
        root: found.project.root.clone(),
        kind: match found.project.kind {
            Kind::Git => ProjectKind::Git,
            Kind::Marker => ProjectKind::Marker,
            Kind::Folder => ProjectKind::Folder,
        },
    };
    let project = projects::ensure(db, &place, prepared.at)?;
    let root = found.worktree.as_deref().unwrap_or(&found.project.root);
    let worktree = worktrees::ensure(db, project, root, prepared.at)?;
    Ok(Rows {
        project: Some(project),
        worktree: Some(worktree),
    })
}

/// What policies may know, read only where one could want it.
fn facts(
    db: &Db,
    prepared: &Prepared,
    subject: &Subjected,
    actor: &actors::Actor,
    project: Option<ProjectId>,
) -> Result<Facts, StoreError> {
    let mut facts = Facts::empty(prepared.at, subject.loaded.settings.clone());
    facts.label.clone_from(&actor.label);
    if subject.event.can.context == Context::Heard {
        facts.owed = notices::owed_to(db, actor.id)?;
    }
    if let (EventKind::SessionStart { .. }, Some(project)) = (&subject.event.kind, project) {
        facts.others = actors::others(db, project, actor.id, prepared.at)?;
    }
    facts.answers = subject.answers.clone();
    Ok(facts)
}

fn facts_text(subject: &Subjected) -> Option<String> {
    (!subject.questions.is_empty()).then(|| serde_json::to_string(&subject.answers).unwrap_or_default())
}

/// Keeps what the hook's environment says about a session, once it starts.
fn describe_session(
    db: &Db,
    event: &Event,
    actor: &actors::Actor,
    session: SessionId,
    env: &BTreeMap<String, String>,
) -> Result<(), StoreError> {
    let starts = matches!(event.kind, EventKind::SessionStart { .. });
    if !starts && !actor.is_new {
        return Ok(());
    }
    let kept: BTreeMap<&String, &String> = env
        .iter()
        .filter(|(name, _)| starts && is_for_jobs(name))
        .collect();
    sessions::describe(
        db,
        session,
        &sessions::Surroundings {
            attended: env.get("CLAUDE_CODE_SESSION_ATTENDED").map(|word| word == "1"),
            entrypoint: env.get("CLAUDE_CODE_ENTRYPOINT").cloned(),
            env: (!kept.is_empty()).then(|| json!(kept).to_string()),
        },
    )
}

/// Carries out what the round says; true if it left work for after the reply.
fn apply(
    db: &Db,
    round: &Round,
    seq: EventSeq,
    actor: &actors::Actor,
    session: SessionId,
    project: Option<ProjectId>,
    prepared: &Prepared,
) -> Result<bool, StoreError> {
    let mut has_jobs = false;
    for effect in &round.effects {
        match effect {
            Effect::Owe(owed) => notices::owe(db, owed, Some(actor.id), prepared.at)?,
            Effect::Delivered(notice) => {
                notices::delivered(db, *notice, seq, prepared.at)?;
            }
            Effect::Job(job) => {
                jobs::add(db, job, seq, project, Some(session), prepared.at)?;
                has_jobs = true;
            }
        }
    }
    for verdict in &round.verdicts {
        verdicts::insert(db, seq, verdict)?;
    }
    if !round.degraded.is_empty() {
        record_degraded(db, seq, &round.degraded, prepared)?;
    }
    Ok(has_jobs)
}

fn record_degraded(
    db: &Db,
    seq: EventSeq,
    degraded: &[Degraded],
    prepared: &Prepared,
) -> Result<(), StoreError> {
    let told: Vec<_> = degraded
        .iter()
        .map(|one| json!({ "policy": one.policy, "cause": cause(&one.cause) }))
        .collect();
    events::set_degraded(db, seq, &json!(told).to_string())?;
    for one in degraded {
        counters::note(
            db,
            "degraded",
            &format!("`{}` {}", one.policy, cause(&one.cause)),
            prepared.at,
        )?;
    }
    Ok(())
}

fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Panicked(message) => format!("panicked: {}", engine::text::one_line(message, 200)),
        Cause::Overran => "did not come back in time".to_owned(),
    }
}

fn printed(reply: StoredReply) -> Printed {
    Printed {
        exit: u8::try_from(reply.exit).unwrap_or(0),
        stdout: reply.stdout,
        stderr: reply.stderr,
    }
}

fn stored(printed: &Printed) -> StoredReply {
    StoredReply {
        exit: printed.exit.into(),
        stdout: printed.stdout.clone(),
        stderr: printed.stderr.clone(),
    }
}

fn microseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
