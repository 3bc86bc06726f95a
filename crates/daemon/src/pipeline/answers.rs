//! Asks the world what policies want to know: bounded, before the transaction opens.

use super::guard::{ROUNDS, WorldWitness};
use super::lease::Looker;
use super::{EventSubject, PipelineContext, PreparedEvent};
use engine::answer::{Answers, Changes, ProjectState, TreeEntry, Upstream};
use engine::policy::guard::facts::WorldQuestion;
use engine::policy::{Asking, ORDER, Policy, questions};
use engine::question::Question;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

impl PipelineContext {
    /// Answers the questions of a prepared event, within their limits. Policies see the answers and may ask more.
    pub fn answer(&self, prepared: &mut PreparedEvent) {
        self.answer_to(ORDER, prepared);
    }

    pub(super) fn answer_to(&self, policies: &[&dyn Policy], prepared: &mut PreparedEvent) {
        let EventSubject::Event(subject) = &mut prepared.subject else {
            return;
        };
        if subject.questions.is_empty() {
            return;
        }
        let event = Arc::clone(&subject.event);
        let place = subject.place.clone();
        let loaded = Arc::clone(&subject.loaded);
        let mut witness = WorldWitness::new(self, &event, place.as_deref(), &loaded.settings.guard);
        let actor = event.actor.clone();
        let looker = Looker {
            actor: &actor,
            call: event.tool_use_id(),
            place: place.as_ref(),
            settings: &loaded.settings,
        };
        let writes = |question: &Question| matches!(question, Question::Files(_));
        if subject.questions.iter().any(writes) {
            self.await_copy(&event);
        }
        let mut from = 0;
        for _ in 0..ROUNDS {
            let asked = subject.questions.get(from..).unwrap_or_default();
            if asked.is_empty() {
                return;
            }
            self.answer_all(asked, looker, &mut subject.answers, &mut witness);
            // Only a guard asks more once it knows something.
            if !asked
                .iter()
                .any(|question| matches!(question, Question::Guard(_)))
            {
                return;
            }
            from = subject.questions.len();
            let asking = Asking {
                settings: &subject.loaded.settings,
                answers: &subject.answers,
                is_first: false,
            };
            for question in questions(policies, &event, &asking) {
                if !subject.questions.contains(&question) {
                    subject.questions.push(question);
                }
            }
        }
    }

    fn answer_all(
        &self,
        asked: &[Question],
        looker: Looker<'_>,
        answers: &mut Answers,
        witness: &mut WorldWitness<'_>,
    ) {
        let mut guards: Vec<&WorldQuestion> = Vec::new();
        for question in asked {
            match question {
                Question::ProjectState { cwd, timeout_ms } => {
                    let budget = Duration::from_millis(*timeout_ms);
                    answers.project_state = Some(self.project_state(cwd, budget));
                }
                Question::Guard(asked) => guards.push(asked),
                Question::Uncommitted => answers.uncommitted = self.uncommitted(looker),
                // Asked again, it says all that it said before, and more.
                Question::Files(wanted) => {
                    let known = answers.lease.take().unwrap_or_default();
                    let answers = answers.lease.insert(Box::default());
                    (answers.read, answers.glimpsed) = (known.read, known.glimpsed);
                    self.look_at_files(wanted, looker, answers);
                    self.tell_untracked(answers);
                }
                Question::Seen { shown, means } => {
                    let answers = answers.lease.get_or_insert_default();
                    self.look_at_read(shown, *means, looker, answers);
                }
                Question::Left(left) => {
                    self.look_at_left(left, looker, answers.lease.get_or_insert_default());
                }
            }
        }
        if !guards.is_empty() {
            witness.answer(&guards, answers.guard.get_or_insert_default());
        }
    }

    /// The state of the project at a folder, as far as it can be had in this time.
    pub fn project_state(&self, folder: &Path, budget: Duration) -> ProjectState {
        in_our_words(git::state::project_state(folder, &self.git, budget))
    }
}

/// The same facts in the engine's vocabulary; the git crate knows nothing of policies.
fn in_our_words(state: git::state::WorktreeSummary) -> ProjectState {
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
