//! How files are put back: the switches that `rewind` and `undo` share, and who may use them.

use crate::failure::Failure;
use crate::{person, show};
use ::daemon::checkpoint::rewind::Conflicts;
use ::daemon::environment::Environment;
use clap::Args;
use std::io::{self, BufRead, Write};

/// The switches that `rewind` and `undo` share.
#[derive(Debug, Clone, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are switches of the command line, each by itself"
)]
pub struct RewindFlags {
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Leave files that cannot be put back safely as they are
    #[arg(long, conflicts_with = "force")]
    pub skip_conflicts: bool,
    /// Put them back all the same; what they hold is kept, and `toprope undo` brings it back
    #[arg(long)]
    pub force: bool,
    /// Also while an agent is at work in this worktree
    #[arg(long)]
    pub while_running: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    /// Another command's data is on standard output: everything is said beside it.
    #[arg(skip)]
    pub aside: bool,
}

impl RewindFlags {
    /// Refuses where nobody can be asked, and where an agent asks.
    pub fn check(&self, environment: &Environment) -> Result<(), Failure> {
        if !self.dry_run {
            person::may_put_back(environment, self.yes)?;
        }
        if self.force {
            person::must_be_a_person(environment)?;
        }
        Ok(())
    }

    /// Says a line where it belongs.
    pub fn say(&self, text: &str) {
        if self.aside {
            show::talk(text);
        } else {
            show::line(text);
        }
    }

    /// What becomes of paths in conflict.
    pub fn conflicts(&self) -> Conflicts {
        match (self.force, self.skip_conflicts) {
            (true, _) => Conflicts::Force,
            (false, true) => Conflicts::Skip,
            (false, false) => Conflicts::Refuse,
        }
    }
}

/// Asks; anything but a yes is a no.
pub fn ask(question: &str) -> io::Result<bool> {
    let mut stderr = io::stderr();
    // In one piece: whoever answers has seen all of it.
    stderr.write_all(format!("{question} [y/N] ").as_bytes())?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
