//! A random day: an agent, its subagent and an agent of another session work in turns, and a person edits, makes, removes,
//! renames and commits files at any moment of them. Processes die at any step.
//!
//! The day knows the truth: who changed which file last, and when. It shares no code with the product, and looks at the
//! files alone: type, mode and bytes. After every rewind of the first session
//!
//! - no file that the person or the other session changed last is another than before, with one exception;
//! - a file that goes back, and that they had changed after the point, is what they left there;
//! - a file that the session alone changed, in calls that ended, is as it was at the start;
//! - an undo brings every byte back, and a redo what the undo took.
//!
//! The exception: what a person saves while a command runs that may write anything, in a file that was not theirs before.
//! Nothing can tell it from what the command writes, and a client that lists what changed lists it too.

mod answer;
mod files;
mod tally;
mod truth;

pub use tally::Tally;

use crate::tick;
use answer::{How, answer, set};
use files::{Files, Node, commit, files, put_folder};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use truth::{By, Truth};

/// Who acts beside the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// The main thread of the session that is rewound.
    Main,
    /// A subagent of it.
    Sub,
    /// The main thread of another session.
    Other,
}

/// A point to go back to.
pub type Turn = Option<u64>;

/// Where a day is played: the product, in one process or in many.
pub trait Desk {
    /// The worktree.
    fn root(&self) -> PathBuf;
    /// An event of an agent's; false if it may not do that.
    fn hook(&mut self, agent: Agent, event: &str, fields: &Value) -> bool;
    /// All that was left for after a reply is done.
    fn settle(&mut self);
    /// The process dies at the so many-th step of what it does next.
    fn crash_at(&mut self, step: u8);
    /// Puts files back to the start, or to the end of a turn, but for conflicts; false if there is no such point.
    fn rewind(&mut self, turn: Turn) -> bool;
    /// Takes that back.
    fn undo(&mut self);
    /// Does it again.
    fn redo(&mut self);
}

type Truths = BTreeMap<PathBuf, Truth>;

/// Files that anybody may touch; the first three are there in the morning.
const NAMES: [&str; 6] = ["a.txt", "d/b.txt", "d/c.txt", "n.txt", "d/m.txt", "e/f/k.txt"];
/// The files that are there in the morning.
pub const MORNING: [&str; 3] = ["a.txt", "d/b.txt", "d/c.txt"];
/// More steps than most events have: some processes are done before they would die.
const STEPS: u64 = 60;

struct Day<'a> {
    desk: &'a mut dyn Desk,
    random: u64,
    moment: u64,
    contents: u64,
    calls: u64,
    truths: Truths,
    morning: Files,
    /// What was there since the product last looked at everything, at each event: what the person took back to one of
    /// these was never there, as far as anybody can tell.
    seen: Vec<(Files, Truths)>,
    /// Whose command runs that may write anything.
    roams: Option<By>,
    /// The file that a tool wrote whose step has not ended: the client's own hooks may format it until then.
    formats: Option<(PathBuf, By, Truth)>,
    /// Agents that were begun and did not end.
    at_work: BTreeSet<&'static str>,
    /// When the turns ended.
    ends: Vec<u64>,
    turn: u64,
    told: Vec<String>,
    tally: Tally,
}

/// Plays the day of a seed.
///
/// # Panics
/// If the person's files are not as they left them. The seed and the whole day are told.
pub fn play(seed: u64, desk: &mut dyn Desk) -> Tally {
    let morning = files(&desk.root());
    let mut day = Day {
        desk,
        random: seed,
        moment: 0,
        contents: 0,
        calls: 0,
        truths: BTreeMap::new(),
        seen: vec![(morning.clone(), BTreeMap::new())],
        morning,
        roams: None,
        formats: None,
        at_work: BTreeSet::new(),
        ends: Vec::new(),
        turn: 0,
        told: vec![format!("day {seed}")],
        tally: Tally::default(),
    };
    // What the person did before a session began is not theirs against it.
    day.hook(Agent::Other, "UserPromptSubmit", &json!({ "prompt": "Go on" }));
    day.stops(Agent::Other);
    for _ in 0..=day.below(3) {
        day.turn();
        if day.chance(2) {
            day.person();
        }
        if day.chance(2) {
            day.rewind();
        }
    }
    day.rewind();
    day.tally
}

impl Day<'_> {
    /// One of the numbers below one, by the seed (`splitmix64`).
    fn below(&mut self, most: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).checked_rem(most).unwrap_or(0)
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    fn name(&mut self) -> PathBuf {
        let at = usize::try_from(self.below(u64::try_from(NAMES.len()).unwrap_or(1))).unwrap_or(0);
        PathBuf::from(NAMES.get(at).copied().unwrap_or("a.txt"))
    }

    fn tell(&mut self, text: impl Into<String>) {
        self.told.push(text.into());
    }

    /// An event. Whoever works on it may die of it.
    fn hook(&mut self, agent: Agent, event: &str, fields: &Value) -> bool {
        if self.chance(20) {
            self.crash();
        }
        let may = self.desk.hook(agent, event, fields);
        let is_command = fields.pointer("/tool_input/command") == Some(&json!("./run"));
        if event == "UserPromptSubmit" || event == "PreToolUse" && is_command {
            self.seen.clear();
        }
        self.seen.push((files(&self.desk.root()), self.truths.clone()));
        may
    }

    /// What comes next is cut short. The files are copies of themselves afterwards, with new dates: whose they are may
    /// be in doubt.
    fn crash(&mut self) {
        let step = self.below(STEPS) + 1;
        self.tell(format!("  dies at step {step}"));
        self.tally.crashes += 1;
        self.desk.crash_at(u8::try_from(step).unwrap_or(1));
        for truth in self.truths.values_mut() {
            truth.is_mixed = true;
        }
    }

    fn turn(&mut self) {
        self.turn += 1;
        let turn = self.turn;
        self.tell(format!("turn {turn}"));
        self.hook(Agent::Main, "UserPromptSubmit", &json!({ "prompt": "Go on" }));
        if turn == 1 {
            self.desk.settle();
        }
        for _ in 0..=self.below(3) {
            self.maybe_person();
            let agent = self.agent_at_work();
            match self.below(8) {
                0 | 1 => self.writes(agent),
                2 | 3 => self.runs(agent, How::Listed),
                4 => self.runs(agent, How::Silent),
                5 => self.runs(agent, How::Failing),
                6 => self.runs(agent, How::Background),
                _ => self.runs(agent, How::Reading),
            }
            if agent == Agent::Other {
                self.stops(Agent::Other);
            }
        }
        self.maybe_person();
        if self.at_work.contains("sub") {
            self.stops(Agent::Sub);
        }
        self.stops(Agent::Main);
        self.desk.settle();
        self.moment += 1;
        self.ends.push(self.moment);
    }

    /// Who goes on; a subagent or another session begins first.
    fn agent_at_work(&mut self) -> Agent {
        match self.below(6) {
            4 => {
                if self.at_work.insert("sub") {
                    self.hook(Agent::Sub, "SubagentStart", &json!({}));
                }
                Agent::Sub
            }
            5 => {
                self.hook(Agent::Other, "UserPromptSubmit", &json!({ "prompt": "Go on" }));
                Agent::Other
            }
            _ => Agent::Main,
        }
    }

    fn stops(&mut self, agent: Agent) {
        self.tell(format!("{agent:?} stops"));
        let event = match agent {
            Agent::Sub => "SubagentStop",
            Agent::Main | Agent::Other => "Stop",
        };
        if agent == Agent::Sub {
            self.at_work.remove("sub");
        }
        let end = json!({ "stop_hook_active": false, "last_assistant_message": "done" });
        self.hook(agent, event, &end);
    }

    fn maybe_person(&mut self) {
        if self.chance(3) {
            self.person();
        }
    }

    /// The person changes one or two files.
    fn person(&mut self) {
        for _ in 0..=self.below(2) {
            tick();
            let before = files(&self.desk.root());
            let what = self.change("person");
            self.tell(format!("  person: {what}"));
            tick();
            self.note(&before, None);
        }
    }

    /// One change of a file, by whoever makes it.
    fn change(&mut self, who: &str) -> String {
        let root = self.desk.root();
        let (name, other) = (self.name(), self.name());
        let path = root.join(&name);
        self.contents += 1;
        let content = format!("{who} {}\n", self.contents);
        match self.below(14) {
            0 | 1 if path.exists() => {
                fs_err::remove_file(&path).expect("a file that goes");
                format!("removes {}", name.display())
            }
            2 | 3 if path.exists() && name != other => {
                put_folder(&root.join(&other));
                fs_err::rename(&path, root.join(&other)).expect("a file that moves");
                format!("moves {} to {}", name.display(), other.display())
            }
            4 | 5 if path.exists() => {
                let mode = fs_err::metadata(&path).expect("a file").permissions().mode();
                let permissions = PermissionsExt::from_mode(mode ^ 0o111);
                fs_err::set_permissions(&path, permissions).expect("a mode that changes");
                format!("turns the exec bit of {}", name.display())
            }
            6 => {
                commit(&root);
                "commits everything".to_owned()
            }
            _ => {
                put_folder(&path);
                fs_err::write(&path, &content).expect("a file that is written");
                format!("writes {}: {}", name.display(), content.trim_end())
            }
        }
    }

    /// Notes who changed what between a state of the files and now: an agent, or the person.
    fn note(&mut self, before: &Files, by: Option<Agent>) {
        self.moment += 1;
        let after = files(&self.desk.root());
        let names: BTreeSet<PathBuf> = before.keys().chain(after.keys()).cloned().collect();
        for name in names {
            if before.get(&name) == after.get(&name) {
                continue;
            }
            let (moment, now, roams) = (self.moment, after.get(&name).cloned(), self.roams);
            let seen = self
                .seen
                .iter()
                .rev()
                .find(|(files, _)| files.get(&name) == now.as_ref());
            let seen = seen.map(|(_, truths)| truths.get(&name).cloned().unwrap_or_default());
            let formats = self.formats.clone();
            let formats = formats.filter(|(file, _, _)| *file == name && now.is_some());
            let truth = self.truths.entry(name).or_default();
            let mut by = match by {
                Some(Agent::Main | Agent::Sub) => {
                    if let Some(seen) = seen {
                        // What came and went within one command nobody saw.
                        truth.theirs = seen.theirs;
                        truth.is_mixed = true;
                    }
                    (truth.by, truth.left) = (By::Session, now);
                    continue;
                }
                Some(Agent::Other) => By::Other,
                None => By::Person,
            };
            self.tally.edits += u64::from(by == By::Person);
            if let Some((_, _, left)) = &formats {
                // What came and went until the step ended nobody saw.
                truth.theirs.clone_from(&left.theirs);
            }
            let taken_for = roams.filter(|_| truth.by != By::Person);
            let taken_for = taken_for.or(formats.map(|(_, by, _)| by));
            if let (By::Person, Some(taken_for)) = (by, taken_for) {
                // Nothing tells it from what the command does, or from a formatter.
                by = taken_for;
                self.tally.excepted += 1;
            }
            if let Some(seen) = seen {
                *truth = seen;
            } else if by == By::Session {
                (truth.by, truth.left) = (By::Session, now);
            } else if truth.by != By::Nobody && truth.left == now {
                (truth.by, truth.theirs) = (By::Session, None);
            } else {
                truth.by = by;
                truth.theirs = Some((moment, vec![now]));
            }
            truth.is_mixed = true;
        }
    }

    /// An agent changes files, as part of a call. What runs in the background nobody is held to know.
    fn does(&mut self, agent: Agent, most: u64, is_known: bool) {
        for _ in 0..=self.below(most) {
            let before = files(&self.desk.root());
            let what = self.change("agent");
            self.tell(format!("  {agent:?}: {what}"));
            self.note(&before, Some(agent));
            if is_known {
                continue;
            }
            let after = files(&self.desk.root());
            for name in before.keys().chain(after.keys()) {
                if before.get(name) != after.get(name)
                    && let Some(truth) = self.truths.get_mut(name)
                {
                    truth.is_mixed = true;
                    if let Some((_, theirs)) = &mut truth.theirs {
                        theirs.push(after.get(name).cloned());
                    }
                }
            }
        }
    }

    fn call(&mut self, tool: &str, input: &Value) -> Value {
        self.calls += 1;
        json!({ "tool_name": tool, "tool_input": input, "tool_use_id": format!("toolu_{}", self.calls) })
    }

    /// Whether an agent may make a call; one that is denied ends with its batch.
    fn begins(&mut self, agent: Agent, call: &Value) -> bool {
        let may = self.hook(agent, "PreToolUse", call);
        if !may {
            self.tell("  denied");
            self.tally.denied += 1;
            self.batch(agent, call);
        }
        may
    }

    fn batch(&mut self, agent: Agent, call: &Value) {
        self.hook(agent, "PostToolBatch", &json!({ "tool_calls": [call] }));
        self.roams = None;
    }

    /// A tool that writes one file, which the agent has read or not.
    fn writes(&mut self, agent: Agent) {
        let name = self.name();
        let path = self.desk.root().join(&name);
        if path.exists() && !self.chance(4) {
            self.reads(agent, &path);
        }
        self.contents += 1;
        let content = format!("agent {}\n", self.contents);
        self.tell(format!(
            "{agent:?}: Write {}: {}",
            name.display(),
            content.trim_end()
        ));
        let mut call = self.call("Write", &json!({ "file_path": path, "content": content }));
        if !self.begins(agent, &call) {
            return;
        }
        if self.chance(6) {
            self.tell("  it fails");
            self.maybe_person();
            set(
                &mut call,
                "error",
                json!("File has been modified since it was read."),
            );
            self.hook(agent, "PostToolUseFailure", &call);
            self.batch(agent, &call);
            return;
        }
        let before = files(&self.desk.root());
        put_folder(&path);
        fs_err::write(&path, &content).expect("a file that is written");
        self.note(&before, Some(agent));
        set(&mut call, "tool_response", json!({ "type": "create" }));
        self.hook(agent, "PostToolUse", &call);
        let left = self.truths.get(&name).cloned().unwrap_or_default();
        self.formats = Some((name, session_of(agent), left));
        self.maybe_person();
        self.batch(agent, &call);
        self.formats = None;
    }

    fn reads(&mut self, agent: Agent, path: &Path) {
        let mut call = self.call("Read", &json!({ "file_path": path }));
        if self.begins(agent, &call) {
            set(&mut call, "tool_response", json!({ "type": "text" }));
            self.hook(agent, "PostToolUse", &call);
            self.batch(agent, &call);
        }
    }

    /// A command, with the person at any moment of it.
    fn runs(&mut self, agent: Agent, how: How) {
        self.tell(format!("{agent:?}: a command, {how:?}"));
        let command = if how == How::Reading {
            "git log --oneline"
        } else {
            "./run"
        };
        let mut input = json!({ "command": command, "description": "run" });
        if how == How::Background {
            set(&mut input, "run_in_background", json!(true));
        }
        let mut call = self.call("Bash", &input);
        if !self.begins(agent, &call) {
            return;
        }
        let before = files(&self.desk.root());
        self.roams = (how != How::Reading).then(|| session_of(agent));
        self.maybe_person();
        if how != How::Reading {
            self.does(agent, 3, how != How::Background);
        }
        self.maybe_person();
        let event = answer(&self.desk.root(), &mut call, how, &before);
        self.hook(agent, event, &call);
        // What a list has was all there was when the command ended.
        self.roams = self.roams.filter(|_| how != How::Listed);
        self.maybe_person();
        self.batch(agent, &call);
        if how == How::Background && self.chance(2) {
            self.tell("it goes on");
            self.does(agent, 1, false);
        }
    }

    /// Files are put back, and the person's are as they left them.
    fn rewind(&mut self) {
        self.desk.settle();
        let turn = self.below(self.turn + 1);
        let point = (turn > 0).then_some(turn);
        self.tell(format!("rewind to {point:?}"));
        let since = match usize::try_from(turn).ok().and_then(|turn| turn.checked_sub(1)) {
            Some(index) => self.ends.get(index).copied().unwrap_or(0),
            None => 0,
        };
        if self.chance(4) {
            self.crash();
        }
        tick();
        let before = files(&self.desk.root());
        if !self.desk.rewind(point) {
            return;
        }
        tick();
        self.tally.rewinds += 1;
        let after = files(&self.desk.root());
        self.check(&before, &after, (point, since));
        let truths = self.truths.clone();
        self.put_back(&before, &after);
        if before != after && self.chance(2) {
            self.undo(&before, truths);
            if self.chance(3) {
                self.tell("redo");
                self.desk.redo();
                tick();
                self.agree(files(&self.desk.root()) == after, || {
                    "a redo brings every byte back".to_owned()
                });
                self.put_back(&before, &after);
            }
        }
        self.seen = vec![(files(&self.desk.root()), self.truths.clone())];
    }

    /// What was put back is nobody's until somebody changes it.
    fn put_back(&mut self, before: &Files, after: &Files) {
        for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            if before.get(name) == after.get(name) {
                continue;
            }
            self.tally.put_back += 1;
            if let Some(truth) = self.truths.get_mut(name) {
                (truth.by, truth.theirs) = (By::Nobody, None);
                truth.left = after.get(name).cloned();
                truth.is_mixed = true;
            }
        }
    }

    fn undo(&mut self, before: &Files, truths: Truths) {
        self.tell("undo");
        self.desk.undo();
        tick();
        let undone = files(&self.desk.root());
        self.agree(undone == *before, || "an undo brings every byte back".to_owned());
        self.truths = truths;
        for truth in self.truths.values_mut() {
            truth.is_mixed = true;
        }
    }

    fn check(&self, before: &Files, after: &Files, (point, since): (Turn, u64)) {
        for (name, truth) in &self.truths {
            let (old, new) = (before.get(name), after.get(name));
            let shown = name.display();
            if old != new {
                self.agree(!matches!(truth.by, By::Person | By::Other), || {
                    format!("{shown} is the person's or another's and was put back")
                });
                if let Some((_, theirs)) = truth.theirs.as_ref().filter(|(at, _)| *at > since) {
                    self.agree(theirs.iter().any(|theirs| theirs.as_ref() == new), || {
                        format!("{shown} goes back over what the person left there")
                    });
                }
            } else if point.is_none() && !truth.is_mixed && !Self::is_only_copy(name, old, after) {
                self.agree(new == self.morning.get(name), || {
                    format!("{shown} is the agent's alone and is not as in the morning")
                });
            }
        }
    }

    /// Whether what is there is the only copy of something that no agent wrote.
    fn is_only_copy(name: &Path, node: Option<&Node>, after: &Files) -> bool {
        let Some((_, bytes)) = node else { return false };
        let mut others = after.iter().filter(|(other, _)| *other != name);
        !bytes.starts_with(b"agent") && !others.any(|(_, (_, other))| other == bytes)
    }

    fn agree(&self, holds: bool, what: impl FnOnce() -> String) {
        assert!(holds, "{}:\n{}", what(), self.told.join("\n"));
    }
}

/// Whose doing it is what an agent does.
fn session_of(agent: Agent) -> By {
    match agent {
        Agent::Main | Agent::Sub => By::Session,
        Agent::Other => By::Other,
    }
}
