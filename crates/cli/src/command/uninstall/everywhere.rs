//! What Toprope stored in the projects it knows: their checkpoints, and the refs that hold commits for them.

use crate::command::init::context::Site;
use crate::command::init::counted;
use crate::command::init::output::AlignedLines;
use crate::failure::{Failure, FailureKind};
use crate::here;
use engine::text::path_word;
use git::keep_refs;
use git::object::Id;
use git::run::{Git, Limits};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::table::checkpoints;
use store::table::projects::{self, ProjectKind};

const GIT_TIME: Duration = Duration::from_secs(20);

/// Every project, as far as it can be reached.
pub struct Everywhere {
    /// By the git common directory.
    repositories: BTreeMap<PathBuf, StoredRepository>,
    /// Folders without git whose checkpoints are in our own folder, and go with it.
    without_git: Vec<PathBuf>,
    /// Folders of projects with checkpoints that are not where they were.
    missing: Vec<PathBuf>,
}

/// What is stored in one repository.
struct StoredRepository {
    /// The folder people know it by.
    root: PathBuf,
    folders: Vec<PathBuf>,
    /// Commits that are held for checkpoints; why that cannot be known, if so.
    held: Result<Vec<Id>, String>,
}

impl Everywhere {
    /// Looks for them.
    pub fn look(site: &Site<'_>) -> Result<Self, Failure> {
        let mut found = Self {
            repositories: BTreeMap::new(),
            without_git: Vec::new(),
            missing: Vec::new(),
        };
        if let Some(common) = &site.place.common_dir {
            found.add(site, common, &site.root);
        }
        let Some(store) = here::store(&site.home)? else {
            return Ok(found);
        };
        let db = store.read();
        for project in projects::list(&db)? {
            let is_in_git = project.place.kind == ProjectKind::Git;
            if is_in_git && project.place.key.is_dir() {
                found.add(site, &project.place.key, &project.place.root);
            } else if checkpoints::has_any(&db, project.id)? {
                if is_in_git {
                    found.missing.push(project.place.key);
                } else {
                    found.without_git.push(project.place.root);
                }
            }
        }
        Ok(found)
    }

    fn add(&mut self, site: &Site<'_>, common: &Path, root: &Path) {
        let repository = StoredRepository {
            root: root.to_owned(),
            folders: folders(common),
            held: keep_refs::held(&git_at(site, common), Limits::within(GIT_TIME))
                .map_err(|error| error.to_string()),
        };
        if !repository.folders.is_empty() || repository.held != Ok(Vec::new()) {
            self.repositories.insert(common.to_owned(), repository);
        }
    }

    /// How many projects have something of ours, and how many more are not where they were.
    pub fn count(&self) -> (usize, usize) {
        (
            self.repositories.len() + self.without_git.len(),
            self.missing.len(),
        )
    }

    /// Removes all of it, and names what is left.
    pub fn remove(&self, site: &Site<'_>, block: &mut AlignedLines) -> Result<(), Failure> {
        let mut left: Option<Failure> = None;
        for (common, repository) in &self.repositories {
            let became = match repository.remove(&git_at(site, common)) {
                Ok(became) => became,
                Err(error) => {
                    let sentence = format!(
                        "the checkpoints of {} could not all be removed",
                        site.shown(&repository.root)
                    );
                    let hint = format!(
                        "rm -rf {}",
                        path_word(common.join("toprope").as_os_str().as_bytes())
                    );
                    left.get_or_insert_with(|| Failure::saying(FailureKind::Failed, sentence).hint(hint));
                    format!("not all removed: {error}")
                }
            };
            block.say_of("checkpoints", site.shown(&repository.root), became);
        }
        for folder in &self.without_git {
            block.say_of("checkpoints", site.shown(folder), "removed");
        }
        for gone in &self.missing {
            let text =
                "not reached: no such folder; if it comes back, remove `toprope` in it and refs/toprope";
            block.say_of("checkpoints", site.shown(gone), text);
        }
        left.map_or(Ok(()), Err)
    }
}

impl StoredRepository {
    fn remove(&self, git: &Git) -> Result<String, String> {
        for folder in &self.folders {
            match fs_err::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
                Ok(()) | Err(_) => {}
            }
        }
        let held = self.held.as_ref().map_err(Clone::clone)?;
        if held.is_empty() {
            return Ok("removed".to_owned());
        }
        keep_refs::release(git, held, Limits::within(GIT_TIME)).map_err(|error| error.to_string())?;
        Ok(format!(
            "removed, and {} no longer held",
            counted(held.len(), "commit")
        ))
    }
}

/// Our folders in a repository and in those of its worktrees.
fn folders(common: &Path) -> Vec<PathBuf> {
    let worktrees = fs_err::read_dir(common.join("worktrees"));
    let worktrees = worktrees.into_iter().flatten().flatten();
    let all = std::iter::once(common.to_owned()).chain(worktrees.map(|entry| entry.path()));
    all.map(|folder| folder.join("toprope"))
        .filter(|folder| folder.is_dir())
        .collect()
}

fn git_at(site: &Site<'_>, common: &Path) -> Git {
    Git::new(common, &site.git_environment())
}
