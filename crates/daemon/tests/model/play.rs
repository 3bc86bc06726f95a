//! Plays the same steps in the plain model and in the product, and compares them after each.

use super::compare::{Seen, check_shadow, compare_with_git};
use super::plain::{Call, Doing, Model};
use super::real::Real;
use super::rewinding::{Want, Whose};
use super::step::{Actor, Edit, Listing, Rewind, Scope, Stage, Step};
use super::tree::{NAMES, followed};
use serde_json::{Value, json};
use tempfile::TempDir;

pub struct Play {
    model: Model,
    real: Real,
    seen: Seen,
    /// Steps that still pass before anybody does the jobs.
    lag: u8,
}

impl Play {
    pub fn new(template: &TempDir) -> Self {
        Self {
            model: Model::new(),
            real: Real::new(template),
            seen: Seen::default(),
            lag: 0,
        }
    }

    pub fn all(mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
        self.lag = 0;
        self.work();
        compare_with_git(&self.real, &self.model);
        check_shadow(&self.real);
    }

    fn step(&mut self, step: &Step) {
        self.lag = self.lag.saturating_sub(1);
        match step {
            Step::Person(edits) => self.person(edits),
            Step::Prompt(session) => self.prompt(*session),
            Step::Tool(actor, name, content, stage) => self.tool(*actor, NAMES[*name], *content, *stage),
            Step::Shell(actor, edits, listing, stage) => {
                let doing = Doing::Shell {
                    edits: edits.clone(),
                    listing: *listing,
                };
                self.call(*actor, doing, *stage);
            }
            Step::Finish(actor) => {
                if !self.model.open_calls(*actor).is_empty() {
                    self.finish(*actor);
                }
            }
            Step::Stop(actor) => self.stop(*actor),
            Step::Lag(steps) => self.lag = *steps,
            Step::Rewind(rewind) => self.rewind(rewind),
            Step::Undo(conflicts, dies) => {
                self.settle();
                self.real.crash = dies.or(self.real.crash);
                if let Some(want) = self.model.undoable(*conflicts) {
                    self.put_back(&want);
                }
            }
        }
        self.work();
    }

    /// A process that begins does what the one before left.
    fn started_anew(&mut self) {
        self.model.awaited.clear();
        self.lag = 0;
    }

    fn work(&mut self) {
        if self.lag == 0 {
            self.real.work();
            self.model.work();
        }
        self.seen.compare(&self.real, &self.model);
    }

    fn person(&mut self, edits: &[Edit]) {
        for edit in edits {
            let deed = self.model.repo.apply(edit);
            self.real.act(deed.as_slice());
        }
    }

    fn prompt(&mut self, session: Actor) {
        let is_first = !self.model.is_spoken_to(session);
        self.model.prompt(session);
        self.real
            .hook(session, "UserPromptSubmit", &json!({ "prompt": "Go on" }));
        if is_first {
            // From here on it is known that this client reports batches.
            self.real
                .hook(session, "PostToolBatch", &json!({ "tool_calls": [] }));
        }
        self.work();
    }

    /// Nobody works without having been asked to.
    fn ready(&mut self, actor: Actor) {
        if !self.model.is_spoken_to(actor.session()) {
            self.prompt(actor.session());
        }
        match actor {
            Actor::Sub if !self.model.runs() => {
                self.model.begin_agent();
                self.real.hook(Actor::Sub, "SubagentStart", &json!({}));
                self.work();
            }
            Actor::Main | Actor::Other if !self.model.is_in_turn(actor) => self.prompt(actor),
            Actor::Sub | Actor::Main | Actor::Other => {}
        }
    }

    fn tool(&mut self, actor: Actor, name: &[u8], content: u8, stage: Stage) {
        let is_text = std::str::from_utf8(name).is_ok();
        let Some(named) = followed(&self.model.repo.files, name).filter(|_| is_text) else {
            return;
        };
        let doing = Doing::Tool { name: named, content };
        self.call(actor, doing, stage);
    }

    fn call(&mut self, actor: Actor, doing: Doing, stage: Stage) {
        self.ready(actor);
        let id = self.model.begin(actor, doing);
        let call = self.model.calls.last().unwrap().clone();
        self.real.hook(actor, "PreToolUse", &self.about(&call));
        if self.model.awaited.get(&actor.session()) == Some(&true) {
            // It waits for the scan of its prompt.
            self.model.work();
        }
        self.write(id);
        if stage >= Stage::Ended {
            self.end(id);
        }
        if stage >= Stage::Batched {
            self.finish(actor);
        }
    }

    fn write(&mut self, id: usize) {
        let deeds = self.model.run(id);
        self.real.act(&deeds);
    }

    fn end(&mut self, id: usize) {
        let Some(call) = self.model.calls.iter().find(|call| call.id == id).cloned() else {
            return;
        };
        let mut fields = self.about(&call);
        let object = fields.as_object_mut().unwrap();
        let name = if call.wrote == Some(false) {
            object.insert("error".to_owned(), json!("EISDIR"));
            "PostToolUseFailure"
        } else {
            object.insert("tool_response".to_owned(), self.answer(&call));
            "PostToolUse"
        };
        self.model.end(id);
        self.real.hook(call.actor, name, &fields);
    }

    fn batch(&mut self, actor: Actor) {
        let open = self.model.open_calls(actor);
        self.model.batch(actor);
        let mut calls: Vec<Value> = open.iter().map(|call| self.about(call)).collect();
        calls.push(json!({ "tool_name": "Bash", "tool_use_id": "any", "tool_input": { "command": "make" } }));
        self.real
            .hook(actor, "PostToolBatch", &json!({ "tool_calls": calls }));
    }

    /// What was begun is written, what was written ends, and so does the batch.
    fn finish(&mut self, actor: Actor) {
        for call in self.model.open_calls(actor) {
            if call.wrote.is_none() && call.id % 2 == 0 {
                // It was refused: nothing but the end of its batch tells of it.
                continue;
            }
            if call.wrote.is_none() {
                self.write(call.id);
            }
            self.end(call.id);
        }
        self.batch(actor);
    }

    fn stop(&mut self, actor: Actor) {
        let is_at_work = match actor {
            Actor::Sub => self.model.runs(),
            Actor::Main | Actor::Other => self.model.is_in_turn(actor),
        };
        if is_at_work {
            self.model.stop(actor);
            let name = if actor == Actor::Sub {
                "SubagentStop"
            } else {
                "Stop"
            };
            let fields = json!({ "stop_hook_active": false, "last_assistant_message": "done" });
            self.real.hook(actor, name, &fields);
        }
    }

    /// What came before is recorded first. A crash that was asked for is for what comes then.
    fn settle(&mut self) {
        let crash = self.real.crash.take();
        self.lag = 0;
        self.work();
        self.real.crash = crash;
    }

    fn rewind(&mut self, rewind: &Rewind) {
        self.settle();
        self.real.crash = rewind.dies.or(self.real.crash);
        let points = self.model.points.len();
        let Some(back) = usize::from(rewind.back).checked_rem(points) else {
            return;
        };
        let target = points - 1 - back;
        let whose = match rewind.scope {
            Scope::Session(session) => Whose::Session(session),
            Scope::Agent(actor) => Whose::Agent(actor),
        };
        let (Whose::Session(actor) | Whose::Agent(actor)) = whose else {
            return;
        };
        if self.real.id(actor).is_some() {
            self.put_back(&Want {
                target,
                whose,
                only: rewind.only.map(|name| NAMES[name].to_vec()),
                conflicts: rewind.conflicts,
            });
        }
    }

    fn put_back(&mut self, want: &Want) {
        let changes = self.model.plan(want);
        // Killed while it cuts the checkpoint before it, a rewind has done nothing yet; that is a kill like others.
        let armed = self.real.arm(Some("rewind-before"));
        let done = self.real.put_back(want);
        assert_eq!(
            done.iter()
                .map(|change| change.path.as_bytes().to_vec())
                .collect::<Vec<_>>(),
            changes.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>(),
            "what is put back by {want:?}"
        );
        let has_died = armed.is_some() && {
            drop(armed);
            self.real.die()
        };
        let is_done = if has_died {
            // Whoever comes next finishes it or takes it back. Which of both is right depends on how far it was; that
            // it is one of them, and nothing in between, is what everything else is compared with.
            self.started_anew();
            self.real.create();
            let kinds = self.real.kinds();
            kinds[self.model.points.len()..].contains(&"rewind")
        } else {
            true
        };
        if !changes.is_empty() {
            self.model.before_rewind(want, &changes);
            if is_done {
                self.model.rewind(want, &changes);
            }
        }
        if has_died {
            self.model.create();
        }
    }

    /// A call as every event about it tells it.
    fn about(&self, call: &Call) -> Value {
        let id = format!("toolu_{}", call.id);
        match &call.doing {
            Doing::Tool { name, .. } => {
                let path = super::tree::real(&self.real.root(), name);
                let input = json!({ "file_path": path.to_str().unwrap(), "content": "" });
                json!({ "tool_name": "Write", "tool_use_id": id, "tool_input": input })
            }
            Doing::Shell { .. } => {
                json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": "make" } })
            }
        }
    }

    fn answer(&self, call: &Call) -> Value {
        match call.doing {
            Doing::Tool { .. }
            | Doing::Shell {
                listing: Listing::Nothing,
                ..
            } => json!({ "stdout": "" }),
            Doing::Shell { .. } => {
                let changed: Vec<String> = call
                    .listed
                    .iter()
                    .map(|name| {
                        super::tree::real(&self.real.root(), name)
                            .to_str()
                            .unwrap()
                            .to_owned()
                    })
                    .collect();
                let more = u8::from(!call.is_complete);
                json!({ "stdout": "", "interrupted": false,
                    "bashEditDiff": { "changedFiles": changed, "moreFiles": more } })
            }
        }
    }
}
