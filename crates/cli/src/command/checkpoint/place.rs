//! Where a checkpoint command acts: the store, and the worktree of the folder the person stands in with its shadow.

use crate::command::{config, status};
use crate::failure::{Failure, FailureKind};
use crate::{here, show};
use ::daemon::checkpoint::adoption::moved_here;
use ::daemon::checkpoint::cutter::{CutError, Cutter};
use ::daemon::checkpoint::links::link_commits;
use ::daemon::checkpoint::naming::root_of;
use ::daemon::checkpoint::rewind::Rewinder;
use ::daemon::checkpoint::worker::settle;
use ::daemon::checkpoint::worksite::{Borrowed, WorktreeContext};
use ::daemon::clock;
use ::daemon::config::{SettingsPaths, user_file};
use ::daemon::environment::Environment;
use ::daemon::group_commit::GroupCommit;
use ::daemon::home::Home;
use ::daemon::judge::Judge;
use ::daemon::pipeline::PipelineContext;
use ::daemon::pipeline::place_rows::of_place;
use engine::id::{ProjectId, WorktreeId};
use engine::policy::ORDER;
use engine::settings::{Mode, Settings};
use git::place::{self, Place};
use git::shadow::{ShadowError, Track};
use git::worktree::GitWorktree;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::table::projects::{self, Project, ProjectKind};
use store::table::worktrees;
use store::{Db, LeaseTerms, Store, StoreError};

/// How long a command waits for work that others have in hand.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same for a command that only shows something.
const GLANCE: Duration = Duration::from_secs(2);

/// How long the database may be somebody else's.
const WAIT: Duration = Duration::from_secs(5);

/// See the module.
pub struct CheckpointPlace {
    /// The worktree's files and its shadow.
    pub site: Arc<WorktreeContext>,
    /// The project.
    pub project: ProjectId,
    /// The worktree.
    pub worktree: WorktreeId,
    /// The settings in force.
    pub settings: Settings,
    /// The folder the person stands in; a path they name is relative to it.
    pub folder: PathBuf,
    world: PipelineContext,
    writer: GroupCommit,
}

impl CheckpointPlace {
    /// The worktree of this folder, where an agent was seen before. What happened a moment ago belongs into what is
    /// shown; where it takes longer, it is shown without.
    pub fn open(environment: &Environment) -> Result<Self, Failure> {
        let here = Self::find(environment, |store, folder| {
            status::close_lost(store, clock::now());
            follow_move(store, &place::find(folder))
        })?;
        settle(&here.world, &here.writer, here.worktree, GLANCE)?;
        here.settle_rewinds();
        here.link_commits();
        Ok(here)
    }

    /// Links commits made in this folder's worktree since anybody looked, for commands that need nothing else of it.
    pub fn link_new_commits(environment: &Environment) {
        // Where no checkpoints are kept there is nothing to link.
        if let Ok(here) = Self::find(environment, |_, _| Ok(())) {
            here.link_commits();
        }
    }

    /// The same in the other worktrees of the project.
    pub fn link_commits_elsewhere(&self) -> Result<(), Failure> {
        for row in self.read(|db| worktrees::of(db, self.project))? {
            let is_other = row.id != self.worktree;
            // One that is gone has no new commits.
            if let Some(Ok(Some((site, _)))) = is_other.then(|| self.world.worksite(&row.root)) {
                self.link(&site, row.id);
            }
        }
        Ok(())
    }

    fn link_commits(&self) {
        self.link(&self.site, self.worktree);
    }

    /// Follows `HEAD` to where it is now: nobody else may have noticed what the person committed.
    fn link(&self, site: &WorktreeContext, worktree: WorktreeId) {
        if !site.worktree.is_in_git() {
            return;
        }
        let cutter = Cutter {
            site,
            worktree,
            ..self.cutter()
        };
        if let Err(error) = link_commits(&cutter) {
            show::talk(&format!("new commits could not be linked: {error}"));
        }
    }

    fn find(
        environment: &Environment,
        prepare: impl FnOnce(&mut Store, &Path) -> Result<(), StoreError>,
    ) -> Result<Self, Failure> {
        let home = Home::of(environment);
        let folder = here::folder()?;
        let settings = settings_at(environment, &place::find(&folder))?;
        let mut store = here::store(&home)?.ok_or_else(|| nobody(&folder))?;
        prepare(&mut store, &folder)?;
        let (project, worktree, root) = {
            let db = store.snapshot()?;
            let project = here::project(&db, &folder)?.ok_or_else(|| nobody(&folder))?;
            let root = root_for(&project, &folder);
            let known = worktrees::of(&db, project.id)?;
            let worktree = known.into_iter().find(|known| known.root == root);
            let worktree = worktree.ok_or_else(|| nobody(&root))?.id;
            (project.id, worktree, root)
        };
        let (world, site) = worksite(environment, home, &root)?;
        Ok(Self {
            site,
            project,
            worktree,
            settings,
            folder,
            world,
            writer: GroupCommit::new(store, Judge::new(ORDER)),
        })
    }

    /// The worktree of this folder; recorded if nobody was ever seen in it.
    pub fn make(environment: &Environment) -> Result<Self, Failure> {
        let home = Home::of(environment);
        let folder = here::folder()?;
        let place = place::find(&folder);
        settings_at(environment, &place)?;
        home.make()?;
        let mut store = Store::open(&home.database(), WAIT)?;
        if here::project(&store.read(), &folder)?.is_none() || place.project.kind != place::PlaceKind::Folder
        {
            let mut tx = store.begin()?;
            tx.unit(|db| of_place(db, &place, clock::now()))?;
            tx.commit()?;
        }
        drop(store);
        Self::open(environment)
    }

    /// What cuts and reads checkpoints here.
    pub fn cutter(&self) -> Cutter<'_> {
        let settings = &self.settings.checkpoints;
        Cutter {
            site: &self.site,
            writer: &self.writer,
            worktree: self.worktree,
            settings,
            limit: Duration::from_millis(u64::from(settings.scan_timeout_ms)),
        }
    }

    /// What puts files back here.
    pub fn rewinder(&self) -> Rewinder<'_> {
        let rewinder = Rewinder::new(self.cutter());
        let leases = &self.settings.lease;
        match leases.mode {
            Mode::Off => rewinder,
            Mode::Advise | Mode::Enforce => rewinder.minding(LeaseTerms::of(leases)),
        }
    }

    /// The shadow repository, which exists where there is a checkpoint.
    pub fn shadow(&self) -> Result<Borrowed<'_>, Failure> {
        self.site.shadow().map_err(unreadable)?.ok_or_else(gone)
    }

    /// The worktree's root.
    pub fn root(&self) -> &Path {
        root_of(&self.site.place)
    }

    /// Does what is still queued for this worktree and waits for what others have in hand, so that what agents did is
    /// credited before anything else is. Whoever needs longer than a person waits is left to it.
    pub fn settle(&self) -> Result<(), Failure> {
        settle(&self.world, &self.writer, self.worktree, PATIENCE)?;
        Ok(())
    }

    /// Settles rewinds that were cut short, before anything is said about files or checkpoints; the person is told.
    fn settle_rewinds(&self) {
        match self.rewinder().recover() {
            Ok(settled) => {
                for one in settled {
                    show::talk(&one.message());
                }
            }
            Err(error) => show::talk(&format!(
                "A rewind that was cut short could not be settled: {error}"
            )),
        }
    }

    /// Asks the store.
    pub fn read<T>(&self, ask: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        ask(&self.writer.store().read())
    }

    /// Changes the store, all or nothing.
    pub fn write<T>(&self, change: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut seat = self.writer.store();
        let mut tx = seat.begin()?;
        let changed = tx.unit(change)?;
        tx.commit()?;
        Ok(changed)
    }
}

/// The settings in force at a place; a failure where they keep no checkpoints.
fn settings_at(environment: &Environment, place: &Place) -> Result<Settings, Failure> {
    let places = SettingsPaths::at(user_file(environment), Some(place));
    let settings = config::load(environment, &places).settings;
    let key = if settings.enabled {
        "checkpoints.enabled"
    } else {
        "enabled"
    };
    if settings.enabled && settings.checkpoints.enabled {
        return Ok(settings);
    }
    Err(Failure::saying(
        FailureKind::NotObtained,
        format!("checkpoints are switched off here: `{key} = false`"),
    )
    .hint("toprope config show --origin"))
}

/// The root whose files are meant: the worktree of this folder, or outside git the folder the project began in.
fn root_for(project: &Project, folder: &Path) -> PathBuf {
    match project.place.kind {
        ProjectKind::Git => root_of(&place::find(folder)).to_path_buf(),
        ProjectKind::Marker | ProjectKind::Folder => project.place.root.clone(),
    }
}

/// The files at a worktree's root, and the world they are in.
pub fn worksite(
    environment: &Environment,
    home: Home,
    root: &Path,
) -> Result<(PipelineContext, Arc<WorktreeContext>), Failure> {
    let world = PipelineContext::new(home, environment);
    let found = world.worksite(root).map_err(unreadable)?;
    let (site, _) = found.ok_or_else(|| {
        Failure::saying(
            FailureKind::NoMatch,
            format!(
                "{} has no working tree, so there are no files to keep",
                root.display()
            ),
        )
    })?;
    Ok((world, site))
}

/// A repository or a worktree that was moved since its last event keeps its checkpoints.
fn follow_move(store: &mut Store, place: &Place) -> Result<(), StoreError> {
    let has_moved = {
        let db = store.read();
        match projects::by_key(&db, &place.project.key)? {
            Some(project) => {
                let known = worktrees::of(&db, project.id)?;
                !known.iter().any(|known| known.root == root_of(place))
                    && GitWorktree::of(place)
                        .map(|worktree| Track::of(&worktree.name).to_string())
                        .is_some_and(|line| known.iter().any(|known| known.line.as_ref() == Some(&line)))
            }
            None => moved_here(&db, place)?.is_some(),
        }
    };
    if has_moved {
        let mut tx = store.begin()?;
        tx.unit(|db| of_place(db, place, clock::now()))?;
        tx.commit()?;
    }
    Ok(())
}

fn nobody(folder: &Path) -> Failure {
    Failure::saying(
        FailureKind::NoMatch,
        format!(
            "no agent was seen in {} yet, so it has no checkpoints",
            folder.display()
        ),
    )
    .hint("`toprope checkpoint create` makes one, `toprope init` sets this project up")
}

/// The shadow repository cannot be read.
pub fn unreadable(error: ShadowError) -> Failure {
    match error {
        ShadowError::Missing(_) | ShadowError::Damaged { .. } => gone(),
        other => Failure::new(FailureKind::Failed, other),
    }
}

/// A checkpoint could not be cut or compared.
pub fn uncut(error: CutError) -> Failure {
    match error {
        CutError::Shadow(error) => unreadable(error),
        CutError::Scan(late) => Failure::new(FailureKind::NotObtained, late).hint(
            "`checkpoints.scan_timeout_ms` and `checkpoints.max_files_without_git` in your settings raise the limits",
        ),
        other => Failure::new(FailureKind::Failed, other),
    }
}

fn gone() -> Failure {
    Failure::saying(
        FailureKind::Failed,
        "the objects are gone: the shadow repository was removed, or an object in it was",
    )
    .hint("toprope doctor")
}
