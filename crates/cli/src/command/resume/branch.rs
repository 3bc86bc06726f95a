//! The sessions whose work is on a branch: those linked to the newest of its commits that has a link.

use super::target::{ResumeQuery, ResumeTarget};
use crate::command::checkpoint::address::{Address, commit, short};
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::session::alias;
use crate::failure::{Failure, FailureKind};
use crate::show;
use engine::text::{one_line, plain, shortened};
use git::run::{GitError, Limits};
use serde::Serialize;
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;
use store::table::checkpoints::{self, Checkpoint};
use store::table::{actors, commit_links, turns};

/// Commits of a branch that are looked at.
const MOST: usize = 100;
/// To list them takes no longer.
const TIME: Duration = Duration::from_secs(5);

/// Several sessions to choose from.
pub struct Choices {
    branch: String,
    choices: Vec<BranchChoice>,
}

/// One of them. The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
struct BranchChoice {
    session: String,
    alias: String,
    turn: Option<u64>,
    checkpoint: String,
    commit: String,
    prompt: Option<String>,
}

/// What is linked to a branch; `None` where there is no such branch.
pub fn find(here: &CheckpointPlace, name: &str) -> Result<Option<ResumeQuery>, Failure> {
    let mut tip = None;
    for prefix in ["refs/heads/", "refs/remotes/"] {
        tip = tip.or(commit(here, &format!("{prefix}{name}"))?);
    }
    let Some(tip) = tip else { return Ok(None) };
    // It may be checked out in any of them.
    here.link_commits_elsewhere()?;
    for commit in line(here, &tip)? {
        let linked = linked(here, &commit)?;
        if let [only] = linked.as_slice() {
            let mut target = ResumeTarget::at(here, only, &Address::Id(only.id.to_string()))?;
            target.branch = Some(name.to_owned());
            return Ok(Some(ResumeQuery::one(target)));
        }
        if !linked.is_empty() {
            return Choices::of(here, name, &commit, &linked)
                .map(|choices| Some(ResumeQuery::Several(choices)));
        }
    }
    Err(Failure::saying(
        FailureKind::NoMatch,
        format!(
            "no session is linked to the last {MOST} commits of {}",
            one_line(name, 80)
        ),
    )
    .hint("`toprope checkpoint link <commit> <checkpoint>` links one"))
}

/// The branch's newest commits, newest first.
fn line(here: &CheckpointPlace, tip: &str) -> Result<Vec<String>, Failure> {
    let most = format!("--max-count={MOST}");
    match here
        .site
        .git()
        .run(&["rev-list", &most, tip], Limits::within(TIME))
    {
        Ok(printed) => {
            let text = String::from_utf8_lossy(&printed).into_owned();
            Ok(text.lines().map(str::to_owned).collect())
        }
        Err(GitError::Failed { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The newest checkpoint of each session that is linked to a commit, newest first.
fn linked(here: &CheckpointPlace, commit: &str) -> Result<Vec<Checkpoint>, Failure> {
    let links = here.read(|db| commit_links::of_commit(db, here.project, commit))?;
    let mut found = Vec::new();
    for link in links.iter().filter(|link| link.session.is_some()) {
        found.extend(here.read(|db| checkpoints::by_id(db, &link.checkpoint))?);
    }
    found.sort_by_key(|checkpoint| std::cmp::Reverse(checkpoint.seq));
    let mut seen = BTreeSet::new();
    found.retain(|checkpoint| seen.insert(checkpoint.session.map(|id| id.0)));
    Ok(found)
}

impl Choices {
    fn of(
        here: &CheckpointPlace,
        branch: &str,
        commit: &str,
        linked: &[Checkpoint],
    ) -> Result<Self, Failure> {
        let mut choices = Vec::new();
        for checkpoint in linked {
            let Some(session) = checkpoint.session else {
                continue;
            };
            let Some(known) = here.read(|db| actors::conversation(db, session))? else {
                continue;
            };
            choices.push(BranchChoice {
                session: known.client_session.to_string(),
                alias: alias(&known),
                turn: checkpoint.turn,
                checkpoint: checkpoint.id.to_string(),
                commit: commit.to_owned(),
                prompt: here.read(|db| turns::first_prompt(db, session))?,
            });
        }
        Ok(Self {
            branch: branch.to_owned(),
            choices,
        })
    }

    /// One line each, newest first. Nothing is continued: the person has to choose.
    pub fn tell(&self, json: bool) -> Result<ExitCode, Failure> {
        if json {
            show::json(&serde_json::json!({ "branch": self.branch, "sessions": self.choices }))?;
        } else {
            for choice in &self.choices {
                let turn = choice.turn.map(|turn| format!("t{turn}")).unwrap_or_default();
                let prompt = choice.prompt.as_deref().map(plain).unwrap_or_default();
                let line = format!(
                    "toprope resume {}  {}  {turn}  \"{}\"",
                    choice.checkpoint,
                    choice.alias,
                    shortened(&prompt, 60)
                );
                show::line(&line);
            }
        }
        let commit = self.choices.first().map(|choice| choice.commit.clone());
        show::talk(&format!(
            "{} sessions are linked to {} of {}: choose one",
            self.choices.len(),
            short(&commit.unwrap_or_default()),
            one_line(&self.branch, 80)
        ));
        // Several fit: the same as for every other address.
        Ok(ExitCode::from(4))
    }
}
