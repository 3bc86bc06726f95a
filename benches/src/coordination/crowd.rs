//! Many agents that hold files, put into a stage's database past its daemon: making each of them write would take longer than
//! all that is measured.

use crate::stage::Stage;
use anyhow::{Context, ensure};
use daemon::clock;
use engine::id::{ActorId, ActorKey, AgentKind, ClientSessionId, ProjectId, WorktreeId};
use engine::lease::{FileKey, Means};
use std::path::PathBuf;
use store::table::leases::{self, LeaseFilter, Reservation, Reserving, TakeResult, Taking};
use store::table::{actors, worktrees};
use store::{Db, StoreError};

/// How long reservations last; longer than any run.
const HOUR: u64 = 3_600_000;
/// Reservations of one agent.
const OF_AN_AGENT: u64 = 50;

/// Who holds how much.
#[derive(Debug, Clone, Copy)]
pub struct Crowd {
    /// Agents, besides the one that is measured.
    pub actors: u64,
    /// Files they hold, together.
    pub leases: u64,
    /// Patterns they reserved, together; none of them is about the file that is measured.
    pub reservations: u64,
    /// They are in another worktree of the project.
    pub elsewhere: bool,
}

/// Fails where agents wrote and nobody was given a lease: then nothing was measured. Files below `/dev`, for instance, are
/// nobody's.
pub fn ensure_leased(stage: &Stage) -> anyhow::Result<()> {
    let store = stage.store()?;
    let filter = |ended| LeaseFilter {
        ended,
        most: 1,
        ..LeaseFilter::default()
    };
    let is_leased = |ended| -> anyhow::Result<bool> {
        let found = leases::list(&store.read(), &filter(ended))?;
        Ok(!found.is_empty())
    };
    ensure!(
        is_leased(false)? || is_leased(true)?,
        "no file of {} was leased",
        stage.project().display()
    );
    Ok(())
}

/// Where a stage's agents work.
struct Place {
    project: Option<ProjectId>,
    worktree: WorktreeId,
    /// The folder of another worktree.
    elsewhere: PathBuf,
}

impl Crowd {
    /// Joins the agent that was already seen in a stage.
    pub fn joins(self, stage: &Stage) -> anyhow::Result<()> {
        let mut store = stage.store()?;
        let known = actors::list(&store.read(), None, true)?;
        let first = known.first().context("nobody was seen in this stage")?;
        let elsewhere = stage.file("elsewhere");
        fs_err::create_dir_all(&elsewhere)?;
        let place = Place {
            elsewhere,
            project: first.project,
            worktree: first.worktree.context("the bench works in a worktree")?,
        };
        let done = store.begin()?.only(|db| self.fill(db, &place))?;
        ensure!(done, "the crowd of the bench is in its own way");
        Ok(())
    }

    fn fill(self, db: &Db, place: &Place) -> Result<bool, StoreError> {
        let actors: Vec<ActorId> = (0..self.actors)
            .map(|number| actor(db, number, place))
            .collect::<Result<_, _>>()?;
        let mut is_done = true;
        for (number, actor) in (0..self.leases).zip(actors.iter().cycle()) {
            let key = FileKey {
                worktree: Some(place.worktree),
                path: format!("held/part{}/file{number}.rs", number % 40),
                file_id: None,
            };
            let taking = Taking {
                actor: *actor,
                project: place.project,
                call: None,
                means: Means::Tool,
                at: clock::moment(),
            };
            is_done &= matches!(leases::take(db, &taking, &key)?, TakeResult::New(_));
        }
        let reserved_in = match place.project {
            Some(project) if self.elsewhere => {
                worktrees::ensure(db, project, &place.elsewhere, clock::now())?
            }
            _ => place.worktree,
        };
        let globs: Vec<String> = (0..self.reservations)
            .map(|number| format!("reserved/area{number}/**/*.rs"))
            .collect();
        let share = usize::try_from(OF_AN_AGENT).unwrap_or(usize::MAX);
        for (patterns, actor) in globs.chunks(share).zip(&actors) {
            let wanted = Reservation {
                actor: *actor,
                project: place.project,
                worktree: reserved_in,
                patterns,
                for_ms: HOUR,
                reason: Some("the bench"),
                at: clock::moment(),
            };
            is_done &= matches!(leases::reserve(db, &wanted)?, Reserving::Made(_));
        }
        Ok(is_done)
    }
}

fn actor(db: &Db, number: u64, place: &Place) -> Result<ActorId, StoreError> {
    let key = ActorKey {
        agent_kind: AgentKind::new("claude-code"),
        session: ClientSessionId::new(format!("{number:08x}-0000-4000-8000-000000000000")),
        agent: None,
    };
    let sighting = actors::Sighting {
        key: &key,
        agent_type: None,
        project: place.project,
        worktree: Some(place.worktree),
        cwd: None,
        at: clock::now(),
        boot: clock::boot(),
    };
    Ok(actors::ensure(db, &sighting)?.id)
}
