//! Commits exactly the given paths in the person's name, with their hooks, and leaves everything else as it is: what
//! they staged stays staged, what they did not stays unstaged, no file is touched, nothing is pushed.
//!
//! The commit is made from an index of our own: `HEAD` with those paths laid over it. As soon as `HEAD` has moved, the
//! person's index gets the same paths under its lock. If that fails the commit is taken back. A note on disk
//! lets the next call finish what a crash cut short.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::commit_facts::{self, CommitFacts};
use crate::head::{self, Head};
use crate::object::{Id, TreeLeaf};
use crate::operation::GitOperation;
use crate::path::RepoPath;
use crate::place::Place;
use crate::run::{Git, GitEnvironment, GitError, Limits, PersonsCall};

mod adoption;
mod index_lock;
mod message;
mod own_index;
mod preflight;
mod workshop;

use adoption::Adoption;
use own_index::OwnIndex;
use workshop::Workshop;

pub use message::CommitMessage;

/// For a question to git beside the commit itself.
const QUESTION: Duration = Duration::from_secs(20);
/// How soon a commit is noticed while a hook that runs after it is still busy.
const GLANCE: Duration = Duration::from_millis(20);

/// A commit to be made.
pub struct CommitRequest<'a> {
    /// Where.
    pub place: &'a Place,
    /// What git needs to know of the person's environment.
    pub environment: &'a GitEnvironment,
    /// What their hooks may need of it.
    pub variables: &'a [(OsString, OsString)],
    /// The paths, and what is to be there; nothing deletes.
    pub entries: &'a BTreeMap<RepoPath, Option<TreeLeaf>>,
    /// The content of an object that the person's repository may lack.
    pub content: &'a dyn Fn(Id) -> io::Result<Vec<u8>>,
    /// What the commit says.
    pub message: &'a CommitMessage<'a>,
    /// Whether nobody but a person commits on this branch.
    pub is_protected: &'a dyn Fn(&str) -> bool,
    /// Whether the person's hooks run.
    pub has_hooks: bool,
    /// Whether it is signed.
    pub is_signed: bool,
    /// What git and the hooks may take.
    pub time: Duration,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitMade {
    /// A commit.
    Commit {
        /// Its id.
        id: Id,
        /// On which branch.
        branch: String,
        /// Paths the person staged otherwise in these moments: their index keeps that.
        kept_staged: Vec<RepoPath>,
    },
    /// `HEAD` has all of it already.
    Nothing,
}

/// Why no commit was made, though everything worked. `HEAD`, index and files are as they were, except for what a
/// hook itself did to files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitRefusal {
    /// No branch is checked out.
    #[error("no branch is checked out")]
    Detached,
    /// The branch has no commit yet.
    #[error("the branch has no commit yet")]
    Unborn,
    /// Git is in the middle of something.
    #[error("a {0} is in progress")]
    InProgress(GitOperation),
    /// The branch is protected.
    #[error("it is protected")]
    Protected(String),
    /// Somebody held the index too long.
    #[error("the index was locked")]
    IndexLocked,
    /// A hook did not let it pass.
    #[error("a hook refused it: {0}")]
    HookFailed(String),
    /// The person has staged something else there.
    #[error("`{0}` is staged differently")]
    StagedDifferently(RepoPath),
    /// Nothing would be left of what `HEAD` has.
    #[error("no file would be left")]
    EmptyTree,
    /// It took too long.
    #[error("it took too long")]
    Late,
    /// Somebody else moved `HEAD` in these moments.
    #[error("`HEAD` moved meanwhile")]
    Moved,
}

/// Why no commit was made.
#[derive(Debug, thiserror::Error)]
pub enum NotMade {
    /// It is not to be made here, or not now.
    #[error(transparent)]
    Refused(#[from] CommitRefusal),
    /// There is no worktree, or what is checked out cannot be read.
    #[error("no worktree with a readable `HEAD`")]
    NoWorktree,
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file of ours, or content that is to be committed, cannot be read or written.
    #[error("a file could not be read or written")]
    File(#[from] io::Error),
    /// The content of an object is not what its id says.
    #[error("the content of {0} is damaged")]
    Damaged(Id),
}

/// Makes the commit.
pub fn commit(request: &CommitRequest<'_>) -> Result<CommitMade, NotMade> {
    let workshop = Workshop::enter(request.place)?;
    let git = Git::new(&workshop.worktree, request.environment);
    settle(&workshop, &git, request)?;
    let (branch, head) = preflight::check(request, &workshop)?;
    preflight::wait_for_index(&workshop)?;
    let staged = own_index::staged(&git, head, None)?;
    preflight::check_staged(request.entries, &staged)?;
    let index = OwnIndex::build(&workshop, &git, request, head)?;
    if !index.differs {
        return Ok(CommitMade::Nothing);
    }
    let attempt = Attempt {
        request,
        workshop: &workshop,
        git: &git,
        branch,
        head,
        tree: index.tree,
    };
    workshop.note(head, request.message.checkpoint)?;
    let made = attempt.run(&index);
    workshop.forget();
    made
}

/// Whether a crash cut a commit short. A look at one file.
pub fn is_unfinished(place: &Place) -> bool {
    let git_dir = place.git_dir.as_ref();
    git_dir.is_some_and(|folder| fs_err::symlink_metadata(workshop::note_in(folder)).is_ok())
}

/// Finishes what a crash cut short: a commit that was made while the person's index did not follow. Whether there
/// was something to do.
pub fn recover(place: &Place, environment: &GitEnvironment) -> Result<bool, NotMade> {
    let workshop = Workshop::enter(place)?;
    let git = Git::new(&workshop.worktree, environment);
    finish(&workshop, &git, place, environment)
}

fn settle(workshop: &Workshop, git: &Git, request: &CommitRequest<'_>) -> Result<(), NotMade> {
    finish(workshop, git, request.place, request.environment).map(drop)
}

fn finish(
    workshop: &Workshop,
    git: &Git,
    place: &Place,
    environment: &GitEnvironment,
) -> Result<bool, NotMade> {
    let Some((old, checkpoint)) = workshop.noted() else {
        return Ok(false);
    };
    let now = read_head(place, environment).and_then(|(_, commit)| facts(git, commit).ok());
    let is_ours =
        |facts: &CommitFacts| facts.parents.first() == Some(&old) && facts.checkpoints.contains(&checkpoint);
    if let Some(new) = now.filter(is_ours) {
        Adoption::new(workshop, git, old, &new, &BTreeMap::new()).carry_out()?;
    }
    workshop.forget();
    Ok(true)
}

/// One try at a commit, after everything was found in order.
struct Attempt<'a> {
    request: &'a CommitRequest<'a>,
    workshop: &'a Workshop,
    git: &'a Git,
    branch: String,
    head: Id,
    tree: Id,
}

/// How far the person's index has followed.
enum IndexFollow {
    NotYet,
    Done(Id, Vec<RepoPath>),
    Failed(NotMade),
}

impl Attempt<'_> {
    fn run(&self, index: &OwnIndex) -> Result<CommitMade, NotMade> {
        let mut follow = IndexFollow::NotYet;
        let end = thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(1);
            let (git, call) = (self.git, self.call(index));
            let (arguments, limits) = (self.arguments(), Limits::within(self.request.time));
            let work = move || sender.send(git.run_as_person(&arguments, call, limits));
            thread::Builder::new()
                .name("git-commit".to_owned())
                .spawn_scoped(scope, work)
                .map_err(GitError::Start)?;
            loop {
                match receiver.recv_timeout(GLANCE) {
                    Ok(end) => return end,
                    Err(RecvTimeoutError::Disconnected) => return Err(GitError::Late),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if matches!(follow, IndexFollow::NotYet) {
                    follow = self.glance();
                }
            }
        });
        if matches!(follow, IndexFollow::NotYet) {
            follow = self.look(end.is_ok());
        }
        match (follow, end) {
            (IndexFollow::Done(id, kept_staged), _) => Ok(CommitMade::Commit {
                id,
                branch: self.branch.clone(),
                kept_staged,
            }),
            (IndexFollow::Failed(error), _) => Err(error),
            (IndexFollow::NotYet, Ok(_)) => Err(CommitRefusal::Moved.into()),
            (IndexFollow::NotYet, Err(error)) => Err(self.explained(error)),
        }
    }

    fn arguments(&self) -> Vec<&'static str> {
        let mut arguments = vec!["-c", "gc.auto=0", "-c", "maintenance.auto=false"];
        if !self.request.has_hooks {
            arguments.extend(["-c", "core.hooksPath=/dev/null"]);
        }
        let signing = if self.request.is_signed {
            "--gpg-sign"
        } else {
            "--no-gpg-sign"
        };
        arguments.extend([
            "commit",
            "--quiet",
            "--no-status",
            "--cleanup=whitespace",
            signing,
            "--file=-",
        ]);
        arguments
    }

    fn call<'call>(&'call self, index: &'call OwnIndex) -> PersonsCall<'call> {
        PersonsCall {
            index: &index.path,
            input: self.request.message.text(),
            variables: self.request.variables,
        }
    }

    /// While git is at work: only files are read, and only a commit of ours is followed.
    fn glance(&self) -> IndexFollow {
        let moved = head::from_files(self.request.place)
            .and_then(|head| head.commit()?.parse().ok())
            .is_some_and(|now: Id| now != self.head);
        if moved {
            self.look(false)
        } else {
            IndexFollow::NotYet
        }
    }

    /// Sees whether our commit is made, and if so lets the index follow.
    fn look(&self, has_succeeded: bool) -> IndexFollow {
        let Some((branch, now)) = read_head(self.request.place, self.request.environment) else {
            return IndexFollow::NotYet;
        };
        if now == self.head {
            return IndexFollow::NotYet;
        }
        let new = match facts(self.git, now) {
            Ok(new) => new,
            Err(error) => return IndexFollow::Failed(error),
        };
        let is_marked = new
            .checkpoints
            .iter()
            .any(|id| id == self.request.message.checkpoint);
        let is_ours = is_marked || new.tree == self.tree || has_succeeded;
        let is_in_place = new.parents == [self.head] && branch == self.branch;
        match (is_ours, is_in_place) {
            (false, _) => IndexFollow::NotYet,
            (true, true) => self.adopt(&new),
            // Made on another commit than it was made for: it would take back what that one did.
            (true, false) if is_marked => {
                self.take_back(&new);
                IndexFollow::Failed(CommitRefusal::Moved.into())
            }
            (true, false) => IndexFollow::Failed(CommitRefusal::Moved.into()),
        }
    }

    fn adopt(&self, new: &CommitFacts) -> IndexFollow {
        let adoption = Adoption::new(self.workshop, self.git, self.head, new, self.request.entries);
        match adoption.carry_out() {
            Ok(kept_staged) => IndexFollow::Done(new.id, kept_staged),
            Err(error) => {
                self.take_back(new);
                IndexFollow::Failed(error)
            }
        }
    }

    /// Puts the branch back, unless it has moved on.
    fn take_back(&self, new: &CommitFacts) {
        let Some(parent) = new.parents.first() else {
            return;
        };
        let (old, new) = (parent.to_string(), new.id.to_string());
        let reason = "toprope: the commit could not be completed";
        let _ = self.git.run(
            &["update-ref", "-m", reason, "HEAD", &old, &new],
            Limits::within(QUESTION),
        );
    }

    fn explained(&self, error: GitError) -> NotMade {
        let has_moved = read_head(self.request.place, self.request.environment)
            .is_none_or(|(branch, now)| now != self.head || branch != self.branch);
        match error {
            _ if has_moved => CommitRefusal::Moved.into(),
            GitError::Late => CommitRefusal::Late.into(),
            GitError::Failed {
                code: Some(1),
                stderr,
            } => CommitRefusal::HookFailed(String::from_utf8_lossy(stderr.trim_ascii()).into_owned()).into(),
            error => error.into(),
        }
    }
}

/// The branch and its commit, if both are there.
fn read_head(place: &Place, environment: &GitEnvironment) -> Option<(String, Id)> {
    match head::read(place, environment, QUESTION) {
        Head::Branch {
            name,
            commit: Some(commit),
        } => Some((name, commit.parse().ok()?)),
        Head::Branch { commit: None, .. } | Head::Unborn { .. } | Head::Detached { .. } | Head::Unknown => {
            None
        }
    }
}

fn facts(git: &Git, commit: Id) -> Result<CommitFacts, NotMade> {
    let mut found = commit_facts::read(git, &[commit], QUESTION)?;
    found.pop().ok_or(NotMade::NoWorktree)
}

#[cfg(test)]
mod tests;
