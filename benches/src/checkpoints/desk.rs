//! One repository with a store, an agent's session and a line of checkpoints: what the daemon has, without the daemon.

use super::repository::Repository;
use anyhow::Context;
use daemon::checkpoint::cutter::{Cut, Cutter};
use daemon::checkpoint::order::{Order, ScanOrder};
use daemon::checkpoint::worksite::WorktreeContext;
use daemon::clock;
use daemon::config::LoadedSettings;
use daemon::environment::Environment;
use daemon::group_commit::GroupCommit;
use daemon::home::Home;
use daemon::judge::Judge;
use daemon::pipeline::PipelineContext;
use engine::id::{ActorId, ActorKey, AgentKind, ClientSessionId, EventSeq, ProjectId, ToolUseId, WorktreeId};
use engine::policy::ORDER;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::table::checkpoints::{Checkpoint, CheckpointKind};
use store::table::projects::{self, ProjectKind, ProjectPlace};
use store::table::touches::{self, Naming};
use store::table::{actors, worktrees};
use store::{Db, Store, StoreError};
use tempfile::TempDir;

const DATABASE_WAIT: Duration = Duration::from_secs(10);
/// How long a look may take.
const LOOK: Duration = Duration::from_mins(1);

/// See the module.
pub struct Desk {
    /// The repository.
    pub repository: Repository,
    /// The store.
    pub writer: GroupCommit,
    /// The repository's row.
    pub project: ProjectId,
    /// The worktree's row.
    pub worktree: WorktreeId,
    /// The session that works here.
    pub session: ActorId,
    /// The worktree, as the daemon knows it.
    pub site: Arc<WorktreeContext>,
    loaded: Arc<LoadedSettings>,
    number: u64,
    changed: BTreeSet<String>,
    _state: TempDir,
}

impl Desk {
    /// A new line of checkpoints that begins with what is there.
    pub fn new(repository: Repository, path: &OsStr) -> anyhow::Result<Self> {
        let state = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
        let root = fs_err::canonicalize(&repository.root)?;
        let world = world(&repository, path, state.path())?;
        let (site, loaded) = world
            .worksite(&root)?
            .context("the repository of the bench has no files to keep")?;
        let mut store = Store::open(&state.path().join("toprope.db"), DATABASE_WAIT)?;
        let (project, worktree, session) = store.begin()?.only(|db| rows(db, &site, &root))?;
        let mut desk = Self {
            repository,
            writer: GroupCommit::new(store, Judge::new(ORDER)),
            project,
            worktree,
            session,
            site,
            loaded,
            number: 0,
            changed: BTreeSet::new(),
            _state: state,
        };
        desk.order(CheckpointKind::Baseline, ScanOrder::Always)?;
        Ok(desk)
    }

    /// What cuts checkpoints here.
    pub fn cutter(&self) -> Cutter<'_> {
        Cutter {
            site: &self.site,
            writer: &self.writer,
            worktree: self.worktree,
            settings: &self.loaded.settings.checkpoints,
            limit: LOOK,
        }
    }

    /// Changes files, as an agent does, in a way nobody saw before.
    pub fn edit(&mut self, paths: &[String]) -> anyhow::Result<()> {
        self.number += 1;
        self.changed.extend(paths.iter().cloned());
        self.repository.write(paths, self.number)
    }

    /// Puts all files back to how they were committed, in the line and in what git remembers of them too.
    pub fn restore(&mut self) -> anyhow::Result<()> {
        let paths: Vec<String> = std::mem::take(&mut self.changed).into_iter().collect();
        if !paths.is_empty() {
            self.repository.write(&paths, 0)?;
            self.name(&paths)?;
            self.order(CheckpointKind::Step, ScanOrder::Never)?;
            self.repository.git(&["update-index", "-q", "--refresh"])?;
        }
        Ok(())
    }

    /// A checkpoint of files that a call named: read, kept, laid over the tree before, committed, recorded.
    pub fn cut(&mut self, paths: &[String]) -> anyhow::Result<(Duration, Checkpoint)> {
        self.name(paths)?;
        let (took, cut) = self.order(CheckpointKind::Step, ScanOrder::Never)?;
        match cut {
            Cut::New(made) => Ok((took, *made)),
            Cut::Known(_) | Cut::Nothing(_) => anyhow::bail!("no checkpoint was cut of files that changed"),
        }
    }

    /// A call has written these files.
    fn name(&mut self, paths: &[String]) -> anyhow::Result<()> {
        self.number += 1;
        let call = ToolUseId::new(format!("toolu_{:012}", self.number));
        let event = EventSeq(i64::try_from(self.number)?);
        self.write(|db| {
            for path in paths {
                let naming = Naming {
                    worktree: self.worktree,
                    path: path.as_bytes(),
                    actor: self.session,
                    call: &call,
                };
                touches::finish(db, &naming, event)?;
            }
            Ok(())
        })
    }

    /// Orders a checkpoint, and takes the time.
    pub fn order(&mut self, kind: CheckpointKind, look: ScanOrder) -> anyhow::Result<(Duration, Cut)> {
        self.number += 1;
        let order = Order {
            session: Some(self.session),
            actor: Some(self.session),
            event: Some(EventSeq(i64::try_from(self.number)?)),
            look,
            ..Order::new(kind, format!("bench{}", self.number))
        };
        let began = Instant::now();
        let cut = self.cutter().cut(&order, &[])?;
        Ok((began.elapsed(), cut))
    }

    /// Changes the store, all or nothing.
    pub fn write<T>(&self, change: impl FnOnce(&Db) -> Result<T, StoreError>) -> anyhow::Result<T> {
        Ok(self.writer.store().begin()?.only(change)?)
    }

    /// The folder of the shadow repository.
    pub fn shadow_folder(&self) -> PathBuf {
        self.site.site().shadow.clone()
    }
}

/// The row of a session's main thread.
pub fn session_row(
    db: &Db,
    name: &str,
    project: ProjectId,
    worktree: WorktreeId,
) -> Result<ActorId, StoreError> {
    let key = ActorKey {
        agent_kind: AgentKind::new("claude-code"),
        session: ClientSessionId::new(name),
        agent: None,
    };
    let sighting = actors::Sighting {
        key: &key,
        agent_type: None,
        project: Some(project),
        worktree: Some(worktree),
        cwd: None,
        at: clock::now(),
        boot: clock::boot(),
    };
    Ok(actors::ensure(db, &sighting)?.id)
}

fn world(repository: &Repository, path: &OsStr, state: &Path) -> anyhow::Result<PipelineContext> {
    let (home, state) = (
        repository.home().display().to_string(),
        state.display().to_string(),
    );
    let environment = Environment::of(&[
        ("PATH", path.to_str().context("PATH is not text")?),
        ("HOME", &home),
        ("TOPROPE_HOME", &state),
    ]);
    Ok(PipelineContext::new(Home::of(&environment), &environment))
}

fn rows(
    db: &Db,
    site: &WorktreeContext,
    root: &Path,
) -> Result<(ProjectId, WorktreeId, ActorId), StoreError> {
    let place = ProjectPlace {
        key: site.place.project.key.clone(),
        root: site.place.project.root.clone(),
        kind: ProjectKind::Git,
    };
    let project = projects::ensure(db, &place, clock::now())?;
    let worktree = worktrees::ensure(db, project, root, clock::now())?;
    let session = session_row(db, "bench", project, worktree)?;
    Ok((project, worktree, session))
}
