//! The checkpoints of this project, when Toprope goes: kept, unless the person says otherwise.

use crate::command::init::context::Site;
use crate::command::init::counted;
use crate::command::init::output::AlignedLines;
use crate::command::rewind::flags::ask;
use crate::failure::Failure;
use crate::{here, person};
use git::keep_refs;
use git::run::Limits;
use git::shadow;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use store::table::checkpoints;

const WORD: &str = "checkpoints";
const GIT_TIME: Duration = Duration::from_secs(20);

/// What there is of them.
pub struct ShadowSummary {
    /// Folders of ours, the shadow repository among them.
    folders: Vec<PathBuf>,
    /// Commits that are held in the person's repository.
    held: Vec<git::object::Id>,
}

impl ShadowSummary {
    /// Looks for them; none where there are none.
    pub fn here(site: &Site<'_>) -> Option<Self> {
        let shadow = shadow::ShadowSite::of(&site.place, &site.home.shadows())
            .ok()?
            .shadow;
        let folders = match (&site.place.common_dir, &site.place.git_dir) {
            (Some(common), Some(own)) => vec![common.join("toprope"), own.join("toprope")],
            _ => vec![shadow.clone()],
        };
        let held = match &site.place.common_dir {
            Some(_) => keep_refs::held(&site.git(), Limits::within(GIT_TIME)).unwrap_or_default(),
            None => Vec::new(),
        };
        let mut folders: Vec<PathBuf> = folders.into_iter().filter(|folder| folder.is_dir()).collect();
        folders.dedup();
        (shadow.is_dir() || !held.is_empty()).then_some(Self { folders, held })
    }

    fn shown(&self, site: &Site<'_>) -> String {
        self.folders
            .first()
            .map_or_else(|| "refs/toprope/keep".to_owned(), |folder| site.shown(folder))
    }

    /// Says what would become of them.
    pub fn foretell(&self, site: &Site<'_>, purge: bool, block: &mut AlignedLines) {
        let text = if purge {
            "would be removed, with what holds commits for them"
        } else {
            "would be kept; `--purge-checkpoints` would remove them"
        };
        block.say_of(WORD, self.shown(site), text);
    }

    /// Removes or keeps them, as the person wants it; a person at a terminal is asked.
    pub fn settle(&self, site: &Site<'_>, purge: bool, block: &mut AlignedLines) -> Result<(), Failure> {
        let is_wanted = purge || (person::is_at_a_terminal() && self.ask(site)?);
        if !is_wanted {
            let text = "kept; `toprope uninstall --purge-checkpoints` removes them";
            block.say_of(WORD, self.shown(site), text);
            return Ok(());
        }
        self.remove(site)?;
        let commits = match self.held.len() {
            0 => String::new(),
            some => format!(", and {} no longer held", counted(some, "commit")),
        };
        block.say_of(WORD, self.shown(site), format!("removed{commits}"));
        Ok(())
    }

    fn ask(&self, site: &Site<'_>) -> io::Result<bool> {
        let place = self.shown(site);
        ask(&format!(
            "Remove the checkpoints of this project as well ({place})? Nothing can be put back without them."
        ))
    }

    /// First what is known of them, so that nobody is told of what is not there.
    fn remove(&self, site: &Site<'_>) -> Result<(), Failure> {
        if let Some(mut store) = here::store(&site.home)?
            && let Some(project) = here::project(&store.read(), &site.root)?
        {
            let tx = store.begin()?;
            tx.only(|db| checkpoints::forget(db, project.id))?;
        }
        for folder in &self.folders {
            match fs_err::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
        }
        if !self.held.is_empty() {
            keep_refs::release(&site.git(), &self.held, Limits::within(GIT_TIME))?;
        }
        Ok(())
    }
}
