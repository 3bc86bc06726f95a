//! Linking a commit where many sessions worked before, beside a repository where only this one did.

use super::desk::{Desk, session_row};
use super::record;
use super::repository::Repository;
use super::{Plan, judge};
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use anyhow::{Context, ensure};
use daemon::checkpoint::links;
use daemon::clock;
use engine::id::ActorId;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::time::Instant;
use store::table::checkpoint_files;
use store::table::checkpoints::{self, CheckpointKind, NewCheckpoint};
use store::table::commit_links::{self, CommitLink, LinkKind};
use store::{Db, StoreError};

/// Sessions whose work is committed.
const OLD: [u32; 2] = [0, 500];
/// Commits in the history of both repositories.
const COMMITS: u32 = 500;
/// A file that every commit changes, as a change log is; each changes two of its own beside it.
const SHARED: u32 = 0;

/// A repository with a past.
struct Past {
    old: u32,
    desk: Desk,
    number: u32,
}

/// Every round the person commits what an agent did, and the commit is linked.
pub fn run(plan: &Plan, path: &OsStr, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
    let small = Repository::of(&plan.cache, plan.smallest())?;
    let mut pasts = Vec::new();
    for old in OLD {
        let repository = small.cloned(&folder.path().join(old.to_string()))?;
        pasts.push(Past::new(repository, old, path)?);
    }
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..plan.rounds(10) {
        shuffle.order(&mut pasts);
        for past in &mut pasts {
            past.work_and_commit()?;
            let began = Instant::now();
            let linked = links::link_commits(&past.desk.cutter())?;
            series.add(&name_of(past.old), began.elapsed());
            ensure!(linked.links == 1, "a commit was not linked: {linked:?}");
        }
    }
    let [one, many] = OLD.map(name_of);
    series.show(report, "linking a commit, milliseconds", |_| series.median(&one))?;
    judge(report, target::LINKING, series.ratio(&many, &one), None);
    Ok(())
}

impl Past {
    fn new(repository: Repository, old: u32, path: &OsStr) -> anyhow::Result<Self> {
        repository.feed(&["fast-import", "--quiet"], &history(&repository))?;
        repository.git(&["reset", "--quiet", "--hard"])?;
        let desk = Desk::new(repository, path)?;
        let past = Self {
            old,
            desk,
            number: COMMITS,
        };
        for (number, commit) in (0..)
            .zip(committed(&past.desk.repository)?)
            .take(usize::try_from(old)?)
        {
            past.remember(number, &commit)?;
        }
        // From here on HEAD is followed.
        links::link_commits(&past.desk.cutter())?;
        Ok(past)
    }

    /// A session that did what is in a commit.
    fn remember(&self, number: u32, commit: &Commit) -> anyhow::Result<()> {
        let (project, worktree) = (self.desk.project, self.desk.worktree);
        self.desk.write(|db| {
            let session = session_row(db, &format!("old{number}"), project, worktree)?;
            let new = NewCheckpoint {
                files_tree: commit.tree.clone(),
                ..record::checkpoint(number, worktree, session, CheckpointKind::Turn)
            };
            insert(db, &new, &commit.files, session)?;
            for row in checkpoint_files::of(db, &new.id)? {
                checkpoint_files::set_held(db, row.id, &commit.id)?;
            }
            let link = CommitLink {
                project,
                commit: commit.id.clone(),
                checkpoint: new.id,
                session: Some(session),
                how: LinkKind::Paths,
                paths_matched: 3,
                paths_total: 3,
                patch_id: None,
                superseded_by: None,
                linked_at: clock::now(),
            };
            commit_links::link(db, &link)
        })
    }

    /// The session changes files and a checkpoint holds them; then the person commits.
    fn work_and_commit(&mut self) -> anyhow::Result<()> {
        self.number += 1;
        let (number, worktree) = (self.number, self.desk.worktree);
        let paths = paths_of(&self.desk.repository, number);
        self.desk.edit(&paths)?;
        let head = self.desk.repository.git(&["rev-parse", "HEAD"])?;
        let mut arguments = vec!["hash-object"];
        arguments.extend(paths.iter().map(String::as_str));
        let blobs = self.desk.repository.git(&arguments)?;
        let files: Vec<(String, String)> = paths
            .iter()
            .cloned()
            .zip(blobs.lines().map(str::to_owned))
            .collect();
        let session = self.desk.session;
        self.desk.write(|db| {
            let new = NewCheckpoint {
                base_commit: head.clone(),
                head: Some(head),
                ..record::checkpoint(number, worktree, session, CheckpointKind::Turn)
            };
            insert(db, &new, &files, session)
        })?;
        let subject = format!("work {number}");
        self.desk
            .repository
            .git(&["commit", "--quiet", "-a", "-m", &subject])?;
        Ok(())
    }
}

fn insert(
    db: &Db,
    new: &NewCheckpoint,
    files: &[(String, String)],
    session: ActorId,
) -> Result<(), StoreError> {
    let files: Vec<_> = files
        .iter()
        .map(|(path, blob)| record::file(path.clone(), "", blob, session))
        .collect();
    checkpoints::insert(db, new, &files).map(drop)
}

/// A commit of the history, with the blobs it put at its paths.
struct Commit {
    id: String,
    tree: String,
    files: Vec<(String, String)>,
}

/// The commits after the first, oldest first.
fn committed(repository: &Repository) -> anyhow::Result<Vec<Commit>> {
    let log = repository.git(&[
        "log",
        "--reverse",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "--format=commit %H %T",
        "origin/base..main",
    ])?;
    let mut commits: Vec<Commit> = Vec::new();
    for line in log.lines() {
        if let Some(ids) = line.strip_prefix("commit ") {
            let (id, tree) = ids.split_once(' ').context("git told a commit without a tree")?;
            commits.push(Commit {
                id: id.to_owned(),
                tree: tree.to_owned(),
                files: Vec::new(),
            });
        } else if let Some((facts, path)) = line.split_once('\t') {
            let blob = facts
                .split(' ')
                .nth(3)
                .context("git told a change without a blob")?;
            if let Some(commit) = commits.last_mut() {
                commit.files.push((path.to_owned(), blob.to_owned()));
            }
        }
    }
    Ok(commits)
}

fn paths_of(repository: &Repository, number: u32) -> Vec<String> {
    [SHARED, 2 * number + 1, 2 * number + 2]
        .map(|file| repository.path(file))
        .into()
}

/// Commits of three files each, as `git fast-import` reads them.
fn history(repository: &Repository) -> Vec<u8> {
    let mut stream = String::new();
    for number in 0..COMMITS {
        let from = if number == 0 {
            "from refs/heads/main^0\n"
        } else {
            ""
        };
        // Writing to a string cannot fail.
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter A Person <person@example.org> {} +0000\ndata 4\nwork\n{from}",
            1_700_000_001 + number
        );
        for path in paths_of(repository, number) {
            let text = repository.text(&path, u64::from(1_000_000 + number));
            let _ = writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len());
        }
    }
    stream.into_bytes()
}

fn name_of(old: u32) -> String {
    format!("beside {old} old sessions")
}
