//! `toprope checkpoint link` and `unlink`: says which commit holds a checkpoint's work, where that was not found out.

use super::address::{self, short};
use super::entry;
use super::place::{CheckpointPlace, unreadable};
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::checkpoint::comparison::layout_of;
use ::daemon::clock;
use ::daemon::environment::Environment;
use clap::Args;
use engine::text::one_line;
use git::commit_facts::{self, CommitFacts};
use git::object::Id;
use git::patch_id;
use std::process::ExitCode;
use std::time::Duration;
use store::table::checkpoints::Checkpoint;
use store::table::commit_links::{self, LinkKind};

/// To read one commit takes no longer.
const TIME: Duration = Duration::from_secs(10);

/// Link a commit to a checkpoint
///
/// Commits are linked by themselves; this is for one that was not. It replaces the commit's link to the same session.
#[derive(Args)]
pub struct LinkArgs {
    /// The commit, as git names it
    #[arg(value_name = "COMMIT")]
    commit: String,
    /// The checkpoint: an id, `@`, `start`, `t3`, `t3.2`, `agent:a3f2`
    #[arg(value_name = "AT")]
    at: String,
    /// In this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

/// Take back the links of a commit
#[derive(Args)]
pub struct UnlinkArgs {
    /// The commit, as git names it
    #[arg(value_name = "COMMIT")]
    commit: String,
}

impl LinkArgs {
    /// Links it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = CheckpointPlace::open(environment)?;
        let commit = known(&here, &self.commit)?;
        let found = address::find(&here, environment, &self.at, self.session.as_deref())?.checkpoint;
        let (matched, total, patch) = compared(&here, &commit, &found)?;
        let link = commit_links::CommitLink {
            project: here.project,
            commit: commit.clone(),
            checkpoint: found.id.clone(),
            session: found.session,
            how: LinkKind::Manual,
            paths_matched: matched,
            paths_total: total,
            patch_id: patch.map(|id| id.to_string()),
            superseded_by: None,
            linked_at: clock::now(),
        };
        here.write(|db| commit_links::link(db, &link))?;
        let mut said = format!(
            "commit {} is linked to {} \"{}\"",
            short(&commit),
            found.id,
            entry::label(&found)
        );
        if total > 0 {
            said = format!("{said}; {matched} of its {total} files are as in the checkpoint");
        }
        show::line(&said);
        Ok(ExitCode::SUCCESS)
    }
}

impl UnlinkArgs {
    /// Takes them back.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = CheckpointPlace::open(environment)?;
        let commit = known(&here, &self.commit)?;
        if here.write(|db| commit_links::unlink(db, here.project, &commit))? == 0 {
            return Err(Failure::saying(
                FailureKind::NoMatch,
                format!("commit {} is linked to no checkpoint", short(&commit)),
            ));
        }
        show::line(&format!(
            "commit {} is linked to no checkpoint any more",
            short(&commit)
        ));
        Ok(ExitCode::SUCCESS)
    }
}

fn known(here: &CheckpointPlace, rev: &str) -> Result<String, Failure> {
    address::commit(here, rev)?.ok_or_else(|| {
        Failure::saying(
            FailureKind::NoMatch,
            format!("git knows no commit \"{}\"", one_line(rev, 80)),
        )
    })
}

/// How many of a commit's files are as in the checkpoint, how many it has, and what its change is called.
fn compared(
    here: &CheckpointPlace,
    commit: &str,
    checkpoint: &Checkpoint,
) -> Result<(u64, u64, Option<Id>), Failure> {
    let Ok(id) = commit.parse::<Id>() else {
        return Ok((0, 0, None));
    };
    let git = here.site.git();
    let facts = commit_facts::read(&git, &[id], TIME)?;
    let names = patch_id::of_commits(&git, &facts, TIME)?;
    let changes = facts
        .first()
        .and_then(|facts: &CommitFacts| facts.changes.as_ref());
    let shadow = here.shadow()?;
    let files = layout_of(&shadow, checkpoint).map_err(unreadable)?.files;
    let (mut matched, mut total) = (0, 0);
    for change in changes.into_iter().flatten() {
        total += 1;
        if shadow.entry(files, &change.path).map_err(unreadable)? == change.after {
            matched += 1;
        }
    }
    Ok((matched, total, names.get(&id).copied()))
}
