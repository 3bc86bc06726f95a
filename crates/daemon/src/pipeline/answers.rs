//! Asks the world what policies want to know: bounded, before the transaction opens.

use super::{Prepared, Subject, World};
use engine::answer::{Answers, Changes, ProjectState, TreeEntry, Upstream};
use engine::question::Question;
use std::path::Path;
use std::time::Duration;

impl World {
    /// Answers the questions of a prepared event, each within its own limit.
    pub fn answer(&self, prepared: &mut Prepared) {
        if let Subject::Event(subject) = &mut prepared.subject {
            for question in &subject.questions {
                self.answer_one(question, &mut subject.answers);
            }
        }
    }

    /// The state of the project at a folder, as far as it can be had in this time.
    pub fn project_state(&self, folder: &Path, budget: Duration) -> ProjectState {
        in_our_words(git::state::project_state(folder, &self.git, budget))
    }

    fn answer_one(&self, question: &Question, answers: &mut Answers) {
        match question {
            Question::ProjectState { cwd, timeout_ms } => {
                let budget = Duration::from_millis(*timeout_ms);
                answers.project_state = Some(self.project_state(cwd, budget));
            }
        }
    }
}

/// The same facts in the engine's vocabulary; the git crate knows nothing of policies.
fn in_our_words(state: git::state::ProjectState) -> ProjectState {
    ProjectState {
        branch: state.branch,
        upstream: state.upstream.map(|upstream| Upstream {
            name: upstream.name,
            ahead: upstream.ahead,
            behind: upstream.behind,
        }),
        changes: state.changes.map(|changes| Changes {
            modified: changes.modified,
            staged: changes.staged,
            untracked: changes.untracked,
        }),
        tree: state
            .tree
            .into_iter()
            .map(|entry| TreeEntry {
                path: entry.path,
                files: entry.files,
            })
            .collect(),
        tree_left_out: state.tree_left_out,
        commits: state.commits,
        late: state.late,
    }
}
