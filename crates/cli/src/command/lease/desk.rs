//! Where a command about leases acts: the database, the worktree of the folder it was given in, the settings there, and
//! whoever gave it.

use crate::caller::Caller;
use crate::command::config;
use crate::failure::{Failure, FailureKind};
use crate::here;
use ::daemon::checkpoint::naming::root_of;
use ::daemon::clock;
use ::daemon::config::{SettingsPaths, user_file};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::pipeline::PipelineContext;
use ::daemon::pipeline::lease::Surroundings;
use ::daemon::pipeline::place_rows::{Whereabouts, of_place};
use engine::id::{ProjectId, WorktreeId};
use engine::lease::{FileKey, FileTarget};
use engine::settings::LeaseSettings;
use engine::text::one_line;
use git::place::Place;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::life::LeaseMoment;
use store::table::{projects, worktrees};
use store::{Db, LeaseTerms, Store, StoreError};

/// How long another writer may hold the database.
const WAIT: Duration = Duration::from_secs(5);

/// The database, and everything else.
pub struct Desk {
    /// Everything but the database.
    pub scene: LeaseContext,
    store: Store,
}

/// Where a command was given, and by whom.
pub struct LeaseContext {
    /// Who gave the command.
    pub caller: Caller,
    /// The settings in force here.
    pub settings: LeaseSettings,
    /// Where it was given.
    pub place: Arc<Place>,
    world: PipelineContext,
    folder: PathBuf,
}

impl Desk {
    /// Where something was recorded before; `None` where nothing ever was.
    pub fn open(environment: &Environment, token: Option<&str>) -> Result<Option<Self>, Failure> {
        let home = Home::of(environment);
        if let Some(store) = here::store(&home)? {
            return Self::at(environment, home, store, token).map(Some);
        }
        Caller::of(environment, None, token)?;
        Ok(None)
    }

    /// The same, made where nothing was recorded yet.
    pub fn make(environment: &Environment, token: Option<&str>) -> Result<Self, Failure> {
        let home = Home::of(environment);
        home.make()?;
        let store = Store::open(&home.database(), WAIT)?;
        Self::at(environment, home, store, token)
    }

    fn at(
        environment: &Environment,
        home: Home,
        mut store: Store,
        token: Option<&str>,
    ) -> Result<Self, Failure> {
        let caller = Caller::of(environment, Some(&mut store), token)?;
        let folder = here::folder()?;
        let world = PipelineContext::new(home, environment);
        let mut place = world.place_of(&folder);
        if place.project.kind == git::place::PlaceKind::Folder
            && let Some(known) = here::project(&store.read(), &folder)?
        {
            // Without git a project is the folder a session began in.
            place = world.place_of(&known.place.root);
        }
        let scene = LeaseContext {
            caller,
            settings: settings_at(environment, &place),
            place,
            world,
            folder,
        };
        Ok(Self { scene, store })
    }

    /// Changes the store, all or nothing.
    pub fn change<T>(
        &mut self,
        change: impl FnOnce(&LeaseContext, &Db) -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        let mut tx = self.store.begin()?;
        let done = tx.unit(|db| change(&self.scene, db))?;
        tx.commit()?;
        Ok(done)
    }

    /// What tells cheaply whether anybody else changed the store.
    pub fn version(&self) -> Result<u64, Failure> {
        Ok(self.store.version()?)
    }
}

impl LeaseContext {
    /// This moment, and on which terms files are held here.
    pub fn now(&self) -> LeaseMoment {
        LeaseMoment {
            moment: clock::moment(),
            terms: LeaseTerms::of(&self.settings),
        }
    }

    /// The folder the command was given in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether two spellings that differ in case are one here.
    pub fn folds_case(&self) -> bool {
        self.world.folds_case(self.root())
    }

    /// The root of the worktree here.
    pub fn root(&self) -> &Path {
        root_of(&self.place)
    }

    /// The file a path means, seen from the current folder.
    pub fn file(&self, path: &OsStr) -> Result<FileTarget, Failure> {
        let whole = here::file(Path::new(path), &self.folder);
        let found = whole.and_then(|whole| self.world.file_at(&whole, &self.place));
        found.ok_or_else(|| {
            let shown = one_line(&path.to_string_lossy(), 120);
            Failure::saying(FailureKind::WrongUse, format!("\"{shown}\" leads nowhere"))
        })
    }

    /// The rows of this place; made where nobody was ever seen in it.
    pub fn rows(&self, db: &Db) -> Result<Whereabouts, StoreError> {
        of_place(db, &self.place, clock::now())
    }

    /// The same, as far as anybody was ever seen here.
    pub fn known_rows(&self, db: &Db) -> Result<(Option<ProjectId>, Option<WorktreeId>), StoreError> {
        let Some(project) = self.project(db)? else {
            return Ok((None, None));
        };
        let known = worktrees::of(db, project)?;
        let known = known.into_iter().find(|known| known.root == self.root());
        Ok((Some(project), known.map(|known| known.id)))
    }

    /// The project here, if anybody was ever seen in it.
    pub fn project(&self, db: &Db) -> Result<Option<ProjectId>, StoreError> {
        Ok(projects::by_key(db, &self.place.project.key)?.map(|project| project.id))
    }

    /// The key of a file, as far as its worktree was ever seen; `None` where it was not, so that nobody can hold it.
    pub fn key(&self, db: &Db, target: &FileTarget) -> Result<Option<FileKey>, StoreError> {
        let Some(root) = &target.root else {
            return Ok(Some(target.key.clone()));
        };
        let there = self.world.place_of(root);
        let Some(project) = projects::by_key(db, &there.project.key)? else {
            return Ok(None);
        };
        let known = worktrees::of(db, project.id)?;
        let known = known.into_iter().find(|known| known.root == *root);
        Ok(known.map(|known| FileKey {
            worktree: Some(known.id),
            ..target.key.clone()
        }))
    }
}

/// The settings about leases at a place.
pub fn settings_at(environment: &Environment, place: &Place) -> LeaseSettings {
    let places = SettingsPaths::at(user_file(environment), Some(place));
    config::load(environment, &places).settings.lease
}
