//! Says what a project looks like: branch, changes, tree, last commits. What is not there in time is left out.

use std::path::Path;
use std::time::Duration;

use crate::deadline::{Deadline, DeadlineTask};
use crate::head;
use crate::place::{self, Place};
use crate::run::{Git, GitEnvironment, GitError, Limits};
use crate::status;
use crate::tree::{self, ShownTree};
use crate::walk;

/// The subjects of the last commits, each ended by a NUL byte.
const COMMITS: [&str; 5] = ["log", "-5", "--format=%s", "-z", "--encoding=UTF-8"];
/// Tracked and unignored files, each ended by a NUL byte.
const FILES: [&str; 5] = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
/// About a million names, or half as many changes.
const FILES_LIMIT: usize = 64 * 1024 * 1024;
/// No subject is shown in this length; a hostile one is kept no longer.
const SUBJECT: usize = 500;

/// Branch, changes, tree and last commits, as far as they arrived in time. All text is foreign data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorktreeSummary {
    /// The branch, or `detached at` and the short commit id.
    pub branch: Option<String>,
    /// Distance to the upstream.
    pub upstream: Option<UpstreamDistance>,
    /// Changed files.
    pub changes: Option<ChangeCounts>,
    /// Folders first, then files, to depth two.
    pub tree: Vec<TreeLine>,
    /// Entries of the tree that were left out.
    pub tree_left_out: usize,
    /// The last commit subjects, newest first.
    pub commits: Vec<String>,
    /// What came too late: `branch`, `changes`, `commits`, `tree`.
    pub late: Vec<String>,
}

/// How far a branch is from its upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamDistance {
    /// Its name.
    pub name: String,
    /// Commits only we have.
    pub ahead: u64,
    /// Commits only it has.
    pub behind: u64,
}

/// Counts of changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeCounts {
    /// Changed in the working tree.
    pub modified: u64,
    /// Changed in the index.
    pub staged: u64,
    /// Known to nobody; a folder of such files counts once.
    pub untracked: u64,
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLine {
    /// Relative to the root; folders end with a slash.
    pub path: String,
    /// For folders: the files below.
    pub files: Option<u64>,
}

/// What the project of a folder looks like, by at most three calls of git, all within one budget.
pub fn project_state(cwd: &Path, environment: &GitEnvironment, budget: Duration) -> WorktreeSummary {
    let deadline = Deadline::after(budget);
    let mut state = WorktreeSummary::default();
    let folder = cwd.to_path_buf();
    let look = DeadlineTask::start(move || {
        let place = place::find(&folder);
        let head = head::from_files(&place);
        (place, head)
    });
    let Some((place, head)) = look.finish(deadline) else {
        for part in ["branch", "changes", "commits", "tree"] {
            state.is_late(part);
        }
        return state;
    };
    // Refs in tables are git's to read: then the status says it.
    let knows_branch = head.is_some();
    state.branch = head.and_then(|head| head.label());
    let questions = Questions::ask(&place, environment, deadline);
    state.take_status(questions.status, knows_branch, deadline);
    state.take_commits(questions.commits, deadline);
    state.take_tree(questions.files, &place, deadline);
    state
}

type StateAnswer = DeadlineTask<Result<Vec<u8>, GitError>>;

/// The calls under way at the same time. A bare repository has no status and no files; a mere folder has nothing.
struct Questions {
    status: Option<StateAnswer>,
    commits: Option<StateAnswer>,
    files: Option<StateAnswer>,
}

impl Questions {
    fn ask(place: &Place, environment: &GitEnvironment, deadline: Deadline) -> Self {
        let ask = |folder: &Path, arguments: &'static [&'static str], bytes| {
            let git = Git::new(folder, environment);
            let time = deadline.remaining();
            DeadlineTask::start(move || git.run(arguments, Limits { time, bytes }))
        };
        let usual = Limits::within(Duration::ZERO).bytes;
        let worktree = place.worktree.as_deref();
        let repository = worktree.or(place.git_dir.as_deref());
        Self {
            status: worktree.map(|folder| ask(folder, &status::ARGUMENTS, FILES_LIMIT)),
            commits: repository.map(|folder| ask(folder, &COMMITS, usual)),
            files: worktree.map(|folder| ask(folder, &FILES, FILES_LIMIT)),
        }
    }
}

/// What became of a call.
enum StateResult {
    Answered(Vec<u8>),
    /// Not in time, or more than can be taken.
    Late,
    /// Git is missing, or refused.
    Failed,
}

fn outcome(answer: StateAnswer, deadline: Deadline) -> StateResult {
    match answer.finish(deadline) {
        Some(Ok(text)) => StateResult::Answered(text),
        None | Some(Err(GitError::Late | GitError::TooLong { .. })) => StateResult::Late,
        Some(Err(GitError::Missing | GitError::Start(_) | GitError::Failed { .. })) => StateResult::Failed,
    }
}

impl WorktreeSummary {
    fn is_late(&mut self, part: &str) {
        self.late.push(part.to_owned());
    }

    fn take_status(&mut self, answer: Option<StateAnswer>, knows_branch: bool, deadline: Deadline) {
        let Some(answer) = answer else { return };
        match outcome(answer, deadline) {
            StateResult::Answered(text) => {
                let status = status::parse(&text);
                if !knows_branch {
                    self.branch = status.branch;
                }
                self.upstream = status.upstream;
                self.changes = Some(status.changes);
            }
            StateResult::Late => {
                if !knows_branch {
                    self.is_late("branch");
                }
                self.is_late("changes");
            }
            StateResult::Failed => {}
        }
    }

    fn take_commits(&mut self, answer: Option<StateAnswer>, deadline: Deadline) {
        let Some(answer) = answer else { return };
        match outcome(answer, deadline) {
            StateResult::Answered(text) => self.commits = subjects(&text),
            StateResult::Late => self.is_late("commits"),
            // A branch without commits has no log.
            StateResult::Failed => {}
        }
    }

    fn take_tree(&mut self, answer: Option<StateAnswer>, place: &Place, deadline: Deadline) {
        let shown = match answer.map(|answer| outcome(answer, deadline)) {
            Some(StateResult::Answered(text)) => Some(tree::of_listing(&text)),
            Some(StateResult::Late) => None,
            // Git's own files are nobody's project structure.
            None if place.git_dir.is_some() => return,
            None | Some(StateResult::Failed) => walked(place, deadline),
        };
        match shown {
            Some(shown) => {
                self.tree = shown.entries;
                self.tree_left_out = shown.left_out;
            }
            None => self.is_late("tree"),
        }
    }
}

fn walked(place: &Place, deadline: Deadline) -> Option<ShownTree> {
    let root = place.worktree.as_ref().unwrap_or(&place.project.root).clone();
    DeadlineTask::start(move || walk::tree(&root, deadline))
        .finish(deadline)
        .flatten()
}

fn subjects(text: &[u8]) -> Vec<String> {
    let Some(text) = text.strip_suffix(b"\0") else {
        return Vec::new();
    };
    let subject = |subject: &[u8]| String::from_utf8_lossy(subject).chars().take(SUBJECT).collect();
    text.split(|&byte| byte == 0).map(subject).collect()
}

#[cfg(test)]
mod tests;
