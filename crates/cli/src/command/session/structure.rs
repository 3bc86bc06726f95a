//! `toprope session structure`: what a session was told about the project when it began.

use super::chosen;
use crate::failure::{Failure, FailureKind};
use crate::{here, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::pipeline::PipelineContext;
use clap::Args;
use engine::answer::ProjectState;
use engine::id::SessionId;
use engine::policy::structure::{self, Company};
use engine::text::one_line;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use store::table::actors::{self, Actor};
use store::table::sessions;
use store::{Db, Store};

/// A person waits longer for the whole of it than a session that starts.
const BUDGET: Duration = Duration::from_secs(5);

/// Show the project's structure as a session was told it
///
/// Branch, changes, last commits and tree. Without a session: the newest one of this project that was told.
#[derive(Args)]
pub struct StructureArgs {
    /// The beginning of a session's id or name, or `main@7c1e`
    #[arg(value_name = "SESSION", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    session: Option<String>,
    /// Look at the project now, and keep that for the session
    #[arg(long)]
    refresh: bool,
}

impl StructureArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let home = Home::of(environment);
        let mut store = here::store(&home)?;
        let main = match &store {
            Some(store) => self.main(&*store.snapshot()?)?,
            None if self.session.is_some() => return Err(chosen::nobody()),
            None => None,
        };
        let state = if self.refresh {
            let folder = folder(main.as_ref())?;
            let state = PipelineContext::new(home, environment).project_state(&folder, BUDGET);
            if let (Some(store), Some(main)) = (&mut store, &main) {
                keep(store, main, &state)?;
            }
            state
        } else {
            let (Some(store), Some(main)) = (&store, &main) else {
                return Err(chosen::nobody());
            };
            stored(&*store.snapshot()?, main)?
        };
        tell(&state);
        Ok(ExitCode::SUCCESS)
    }

    /// The main thread of the session that is meant; `None` where none was seen here.
    fn main(&self, db: &Db) -> Result<Option<Actor>, Failure> {
        if let Some(text) = &self.session {
            let hint = "`toprope session actors` shows those at work here";
            let found = chosen::one(db, text, hint)?;
            return Ok(actors::by_id(db, found.session)?);
        }
        let Some(project) = here::project(db, &here::folder()?)? else {
            return Ok(None);
        };
        let mains = actors::list(db, Some(project.id), false)?;
        let mut mains = mains.into_iter().filter(|actor| actor.key.agent.is_none());
        let newest = mains.next();
        if self.refresh {
            return Ok(newest);
        }
        for main in newest.iter().chain(mains.collect::<Vec<_>>().iter()) {
            if sessions::captured(db, main.id)?.is_some() {
                return Ok(Some(main.clone()));
            }
        }
        Ok(newest)
    }
}

/// Where the session works, or where the person is.
fn folder(main: Option<&Actor>) -> Result<PathBuf, Failure> {
    let of_session = main.and_then(|main| main.cwd.clone()).filter(|cwd| cwd.is_dir());
    of_session.map_or_else(here::folder, Ok)
}

fn stored(db: &Db, main: &Actor) -> Result<ProjectState, Failure> {
    let text = sessions::captured(db, main.id)?;
    let state = text.and_then(|text| serde_json::from_str(&text).ok());
    state.ok_or_else(|| {
        let label = one_line(&main.label, 60);
        Failure::saying(
            FailureKind::NoMatch,
            format!("no structure was captured for {label}"),
        )
        .hint(format!("toprope session structure {label} --refresh"))
    })
}

fn keep(store: &mut Store, main: &Actor, state: &ProjectState) -> Result<(), Failure> {
    let window: Option<SessionId> = sessions::newest_of(&store.read(), main.id)?;
    let Some(window) = window else { return Ok(()) };
    let text = serde_json::to_string(state)?;
    let mut tx = store.begin()?;
    tx.unit(|db| sessions::set_structure(db, window, &text))?;
    Ok(tx.commit()?)
}

fn tell(state: &ProjectState) {
    match structure::text(Some(state), &Company::default(), clock::now(), usize::MAX) {
        Some(text) => show::line(&text),
        None => show::talk("there is nothing to tell"),
    }
    if !state.late.is_empty() {
        show::talk(&format!("not in time: {}", state.late.join(", ")));
    }
}
