//! `toprope guard allow`: what the guard stopped, and what a person lets through, once or a few times.

mod request;

use crate::command::rewind::flags::ask;
use crate::failure::{Failure, FailureKind};
use crate::{here, lifetime, person, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::process::Process;
use clap::Args;
use engine::id::ClientSessionId;
use engine::policy::guard::message;
use engine::text::one_line;
use request::{ApprovalEntry, shown};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use store::table::actors;
use store::table::approvals::{
    self, AnswerEffect, Approval, ApprovalId, ApprovalSubject, Grant, InAdvance, RequestState, Via,
};
use store::table::events::{self, PersonAct};
use store::table::trusts::Fingerprint;
use store::{Db, Store, StoreError};

/// How long another writer may hold the database.
const WAIT: Duration = Duration::from_secs(5);
/// Most uses of one approval.
const MOST_USES: u64 = 20;

/// Let through what the guard stopped
///
/// Without an id: the requests that wait. With one: shows the command, where it would run and why it was stopped, and asks.
/// An approval holds for exactly that command, folder and session. Only a person can give one, in a terminal of their own.
#[derive(Args)]
pub struct AllowArgs {
    /// The request, as the denial named it
    #[arg(value_name = "ID", value_parser = id, conflicts_with_all = ["refuse", "revoke", "command"])]
    grant: Option<ApprovalId>,
    /// Refuse a request
    #[arg(long, value_name = "ID", value_parser = id, conflicts_with_all = ["revoke", "command"])]
    refuse: Option<ApprovalId>,
    /// Take an approval back
    #[arg(long, value_name = "ID", value_parser = id, conflicts_with = "command")]
    revoke: Option<ApprovalId>,
    /// How long it holds, at most 24h; 15m unless set otherwise
    #[arg(long = "for", value_name = "TIME", value_parser = lifetime::parse)]
    lasts: Option<u64>,
    /// How often it may be used, at most 20
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_USES))]
    times: u64,
    /// Allow a command in advance
    #[arg(long, value_name = "COMMAND", requires = "session")]
    command: Option<String>,
    /// The session that may run it
    #[arg(long, value_name = "ID", requires = "command")]
    session: Option<String>,
    /// With `--command`: the folder it runs in
    #[arg(long, value_name = "DIR", requires = "command")]
    cwd: Option<PathBuf>,
    /// One JSON object per request, without an id
    #[arg(long, conflicts_with_all = ["grant", "refuse", "revoke", "command"])]
    json: bool,
}

fn id(text: &str) -> Result<ApprovalId, String> {
    ApprovalId::parse(text)
        .ok_or_else(|| "accepted: an id such as g-ab2345, as the denial named it".to_owned())
}

impl AllowArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let home = Home::of(environment);
        let is_listing =
            self.grant.is_none() && self.refuse.is_none() && self.revoke.is_none() && self.command.is_none();
        if is_listing {
            return self.list(&home);
        }
        person::may_approve(environment)?;
        if let Some(id) = &self.refuse {
            let answered = write(&home, |db| {
                noted(db, id, "refused", approvals::refuse(db, id, Via::Terminal)?)
            })?;
            return told(id, answered, "refused", RequestState::Pending);
        }
        if let Some(id) = &self.revoke {
            let answered = write(&home, |db| {
                noted(db, id, "taken back", approvals::revoke(db, id, Via::Terminal)?)
            })?;
            return told(id, answered, "taken back", RequestState::Granted);
        }
        if let (Some(command), Some(session)) = (&self.command, &self.session) {
            return self.in_advance(&home, environment, command, session);
        }
        match &self.grant {
            Some(id) => self.grant(&home, environment, id),
            None => self.list(&home),
        }
    }

    fn list(&self, home: &Home) -> Result<ExitCode, Failure> {
        let waiting = match here::store(home)? {
            Some(store) => approvals::pending(&store.read(), None)?,
            None => Vec::new(),
        };
        if self.json {
            for approval in &waiting {
                show::json(&ApprovalEntry::of(approval))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        if waiting.is_empty() {
            show::talk("Nothing waits for you.");
        }
        for approval in &waiting {
            show::line(&request::line(approval, clock::now()));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn grant(&self, home: &Home, environment: &Environment, id: &ApprovalId) -> Result<ExitCode, Failure> {
        let approval = match here::store(home)? {
            Some(store) => approvals::by_id(&store.read(), id)?,
            None => None,
        };
        let Some(approval) = approval else {
            return Err(unknown(id));
        };
        if approval.state != RequestState::Pending {
            return Err(already(id, approval.state));
        }
        show::talk(&shown(&approval, home, environment));
        if !ask("Allow it?")? {
            show::talk("Nothing was changed.");
            return Ok(FailureKind::NotObtained.exit());
        }
        let yes = self.terms(environment);
        let answered = write(home, |db| {
            noted(db, id, &self.granted(&yes), approvals::grant(db, id, &yes)?)
        })?;
        told(id, answered, &self.granted(&yes), RequestState::Pending)
    }

    fn in_advance(
        &self,
        home: &Home,
        environment: &Environment,
        command: &str,
        session: &str,
    ) -> Result<ExitCode, Failure> {
        let folder = match &self.cwd {
            Some(cwd) => fs_err::canonicalize(cwd)?,
            None => here::folder()?,
        };
        let yes = self.terms(environment);
        let id = ApprovalId::from_random(random());
        let fingerprint = Fingerprint::of(command.as_bytes());
        let text = message::command(command);
        let session = whole(home, session)?;
        show::talk(&format!(
            "  {text}\n  in {}\n  by session {}\n",
            one_line(&folder.to_string_lossy(), usize::MAX),
            one_line(session.as_str(), 80)
        ));
        if !ask("Allow it?")? {
            show::talk("Nothing was changed.");
            return Ok(FailureKind::NotObtained.exit());
        }
        home.make()?;
        write(home, |db| {
            let project = here::project(db, &folder)?.map(|project| project.id);
            let advance = InAdvance {
                id: &id,
                subject: ApprovalSubject {
                    session: &session,
                    command: &fingerprint,
                    cwd: &folder,
                },
                project,
                shown: &text,
            };
            approvals::grant_in_advance(db, &advance, &yes)?;
            noted(db, &id, &self.granted(&yes), AnswerEffect::Done)
        })?;
        told(
            &id,
            AnswerEffect::Done,
            &self.granted(&yes),
            RequestState::Pending,
        )
    }

    fn terms(&self, environment: &Environment) -> Grant {
        let usual = || {
            let places = crate::command::config::places(environment);
            let settings = crate::command::config::load(environment, &places).settings;
            u64::from(settings.guard.approval_minutes) * 60_000
        };
        Grant {
            ttl_ms: self.lasts.unwrap_or_else(usual),
            times: self.times,
            via: Via::Terminal,
            at: clock::now(),
        }
    }

    fn granted(&self, yes: &Grant) -> String {
        let times = message::count(self.times, "time", "times");
        format!("allowed {times}, for {}", engine::time::short(yes.ttl_ms))
    }
}

/// Writes down in the log what the person answered, if it counts.
fn noted(
    db: &Db,
    id: &ApprovalId,
    outcome: &str,
    answered: AnswerEffect,
) -> Result<AnswerEffect, StoreError> {
    let approval = approvals::by_id(db, id)?;
    if let (AnswerEffect::Done, Some(approval)) = (&answered, approval) {
        events::note_act(
            db,
            &PersonAct {
                name: "Approval",
                key: &format!("{id}-{}", clock::now().0),
                at: clock::now(),
                project: approval.project,
                worktree: None,
                target: &approval.shown,
                outcome,
                process: &Process::own().into(),
            },
        )?;
    }
    Ok(answered)
}

fn told(
    id: &ApprovalId,
    answered: AnswerEffect,
    done: &str,
    wanted: RequestState,
) -> Result<ExitCode, Failure> {
    match answered {
        AnswerEffect::Done => {
            show::line(&format!("{id} {done}"));
            Ok(ExitCode::SUCCESS)
        }
        AnswerEffect::Unknown => Err(unknown(id)),
        AnswerEffect::Already(state) if state == wanted => Err(unknown(id)),
        AnswerEffect::Already(state) => Err(already(id, state)),
    }
}

fn unknown(id: &ApprovalId) -> Failure {
    Failure::saying(FailureKind::NoMatch, format!("there is no request {id}")).hint("toprope guard allow")
}

fn already(id: &ApprovalId, state: RequestState) -> Failure {
    let failure = Failure::saying(
        FailureKind::NoMatch,
        format!("{id} is {} already", state.as_str()),
    );
    match state {
        RequestState::Granted => failure.hint(format!("toprope guard allow --revoke {id}")),
        RequestState::Pending => Failure::saying(FailureKind::NoMatch, format!("{id} still waits"))
            .hint(format!("toprope guard allow --refuse {id}")),
        RequestState::Refused | RequestState::Used | RequestState::Expired => {
            failure.hint("toprope guard allow")
        }
    }
}

/// The whole id of a session that was seen; one that was not is taken as it is.
fn whole(home: &Home, session: &str) -> Result<ClientSessionId, Failure> {
    let mut known: Vec<ClientSessionId> = match here::store(home)? {
        Some(store) => actors::list(&store.read(), None, false)?
            .into_iter()
            .map(|actor| actor.key.session)
            .filter(|known| known.as_str().starts_with(session))
            .collect(),
        None => Vec::new(),
    };
    known.sort();
    known.dedup();
    match known.as_slice() {
        [only] => Ok(only.clone()),
        [] => Ok(ClientSessionId::new(session.to_owned())),
        _ => Err(Failure::saying(
            FailureKind::NoMatch,
            format!("\"{}\" fits {} sessions", one_line(session, 60), known.len()),
        )
        .hint("toprope status")),
    }
}

fn write<T>(home: &Home, change: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, Failure> {
    let mut store = Store::open(&home.database(), WAIT)?;
    let mut tx = store.begin()?;
    let done = tx.unit(change)?;
    tx.commit()?;
    Ok(done)
}

/// The standard library seeds its hashers from the system. The id is no secret.
fn random() -> u32 {
    let bits = RandomState::new().hash_one(std::process::id());
    u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default()
}

impl ApprovalEntry<'_> {
    /// A request as data.
    fn of(approval: &Approval) -> ApprovalEntry<'_> {
        ApprovalEntry {
            id: approval.id.as_str(),
            session: approval.session.as_str(),
            agent: approval.agent.as_ref().map(engine::id::AgentId::as_str),
            command: &approval.shown,
            cwd: approval.cwd.to_string_lossy(),
            rule: &approval.rule_id,
            event: approval.asked_event.map(|event| event.0),
            at: crate::moment::rfc3339(approval.asked_at),
        }
    }
}
