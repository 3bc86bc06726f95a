//! A random day: an agent works in turns, and a person edits, makes, removes and renames files at any moment of them.
//!
//! The day knows the truth: who changed which file last, and when. It shares no code with the product, and looks at the
//! files alone: type, mode and bytes. After every rewind
//!
//! - no file that the person changed last is another than before, with one exception;
//! - a file that goes back, and that the person had changed after the point, is what they left there;
//! - a file that the agent alone changed, in calls that ended, is as it was at the start;
//! - an undo brings every byte back.
//!
//! The exception: what a person saves while a command runs that may write anything, in a file that was not theirs before.
//! Nothing can tell it from what the command writes, and a client that lists what changed lists it too.

use crate::tick;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where a day is played: the product, in one process or in many.
pub trait Desk {
    /// The worktree.
    fn root(&self) -> PathBuf;
    /// An event of the agent's.
    fn hook(&mut self, event: &str, fields: &Value);
    /// All that was left for after a reply is done.
    fn settle(&mut self);
    /// Puts files back to the start, or to the end of a turn, but for conflicts; false if there is no such point.
    fn rewind(&mut self, turn: Option<u64>) -> bool;
    /// Takes that back.
    fn undo(&mut self);
}

/// What is at a path: mode, and bytes or where a link leads.
type Node = (u32, Vec<u8>);
type Files = BTreeMap<PathBuf, Node>;

/// Files that anybody may touch; the first three are there in the morning.
const NAMES: [&str; 6] = ["a.txt", "d/b.txt", "d/c.txt", "n.txt", "d/m.txt", "e/f/k.txt"];
/// The files that are there in the morning.
pub const MORNING: [&str; 3] = ["a.txt", "d/b.txt", "d/c.txt"];

/// Who changed a file last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// Nobody since the morning.
    Nobody,
    Person,
    Agent,
}

/// What is known of one file.
#[derive(Debug, Clone)]
struct Truth {
    by: By,
    /// What the person left there last, and when.
    theirs: Option<(u64, Option<Node>)>,
    /// What the agent left there last: a person who comes back to it has nothing to lose.
    left: Option<Node>,
    /// Somebody else than an agent whose call ended had a part in it.
    is_mixed: bool,
}

/// What came of a day.
#[derive(Debug, Default, Clone, Copy)]
pub struct Tally {
    /// Rewinds that were tried.
    pub rewinds: u64,
    /// Files that a rewind changed.
    pub put_back: u64,
    /// Changes of the person's.
    pub edits: u64,
    /// Those of them that count as a command's.
    pub excepted: u64,
}

struct Day<'a> {
    desk: &'a mut dyn Desk,
    random: u64,
    moment: u64,
    contents: u64,
    calls: u64,
    truths: BTreeMap<PathBuf, Truth>,
    morning: Files,
    /// A command runs that may write anything.
    roams: bool,
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
        morning,
        roams: false,
        ends: Vec::new(),
        turn: 0,
        told: vec![format!("day {seed}")],
        tally: Tally::default(),
    };
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

    fn turn(&mut self) {
        self.turn += 1;
        let turn = self.turn;
        self.tell(format!("turn {turn}"));
        self.desk.hook("UserPromptSubmit", &json!({ "prompt": "Go on" }));
        if turn == 1 {
            self.desk.settle();
        }
        for _ in 0..=self.below(3) {
            self.maybe_person();
            match self.below(8) {
                0 | 1 => self.writes(),
                2 | 3 => self.runs(How::Listed),
                4 => self.runs(How::Silent),
                5 => self.runs(How::Failing),
                6 => self.runs(How::Background),
                _ => self.runs(How::Reading),
            }
        }
        self.maybe_person();
        self.tell("stop");
        let end = json!({ "stop_hook_active": false, "last_assistant_message": "done" });
        self.desk.hook("Stop", &end);
        self.desk.settle();
        self.moment += 1;
        self.ends.push(self.moment);
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
            self.note(&before, By::Person);
        }
    }

    /// One change of a file, by whoever makes it.
    fn change(&mut self, who: &str) -> String {
        let root = self.desk.root();
        let (name, other) = (self.name(), self.name());
        let path = root.join(&name);
        self.contents += 1;
        let content = format!("{who} {}\n", self.contents);
        match self.below(6) {
            0 if path.exists() => {
                fs_err::remove_file(&path).expect("a file that goes");
                format!("removes {}", name.display())
            }
            1 if path.exists() && name != other => {
                put_folder(&root.join(&other));
                fs_err::rename(&path, root.join(&other)).expect("a file that moves");
                format!("moves {} to {}", name.display(), other.display())
            }
            2 if path.exists() => {
                let mode = fs_err::metadata(&path).expect("a file").permissions().mode();
                let permissions = PermissionsExt::from_mode(mode ^ 0o111);
                fs_err::set_permissions(&path, permissions).expect("a mode that changes");
                format!("turns the exec bit of {}", name.display())
            }
            _ => {
                put_folder(&path);
                fs_err::write(&path, &content).expect("a file that is written");
                format!("writes {}: {}", name.display(), content.trim_end())
            }
        }
    }

    /// Notes who changed what between a state of the files and now.
    fn note(&mut self, before: &Files, by: By) {
        self.moment += 1;
        let after = files(&self.desk.root());
        let names: BTreeSet<PathBuf> = before.keys().chain(after.keys()).cloned().collect();
        for name in names {
            if before.get(&name) == after.get(&name) {
                continue;
            }
            let (moment, now, roams) = (self.moment, after.get(&name).cloned(), self.roams);
            let truth = self.truths.entry(name).or_insert(Truth {
                by: By::Nobody,
                theirs: None,
                left: None,
                is_mixed: false,
            });
            if by != By::Person {
                (truth.by, truth.left) = (by, now);
                continue;
            }
            truth.is_mixed = true;
            self.tally.edits += 1;
            if roams && truth.by != By::Person {
                // Nothing tells it from what the command does.
                (truth.by, truth.left) = (By::Agent, now);
                self.tally.excepted += 1;
            } else if truth.by != By::Nobody && truth.left == now {
                (truth.by, truth.theirs) = (By::Agent, None);
            } else {
                truth.by = By::Person;
                truth.theirs = Some((moment, now));
            }
        }
    }

    /// The agent changes files, as part of a call. What runs in the background nobody is held to know.
    fn agent(&mut self, most: u64, is_known: bool) {
        for _ in 0..=self.below(most) {
            let before = files(&self.desk.root());
            let what = self.change("agent");
            self.tell(format!("  agent: {what}"));
            self.note(&before, By::Agent);
            if !is_known {
                let after = files(&self.desk.root());
                for name in before.keys().chain(after.keys()) {
                    if before.get(name) != after.get(name)
                        && let Some(truth) = self.truths.get_mut(name)
                    {
                        truth.is_mixed = true;
                    }
                }
            }
        }
    }

    fn call(&mut self, tool: &str, input: &Value) -> Value {
        self.calls += 1;
        json!({ "tool_name": tool, "tool_input": input, "tool_use_id": format!("toolu_{}", self.calls) })
    }

    fn batch(&mut self, call: &Value) {
        self.desk.hook("PostToolBatch", &json!({ "tool_calls": [call] }));
        self.roams = false;
    }

    /// A tool that writes one file.
    fn writes(&mut self) {
        let name = self.name();
        let path = self.desk.root().join(&name);
        self.contents += 1;
        let content = format!("agent {}\n", self.contents);
        self.tell(format!("agent: Write {}: {}", name.display(), content.trim_end()));
        let mut call = self.call("Write", &json!({ "file_path": path, "content": content }));
        self.desk.hook("PreToolUse", &call);
        let before = files(&self.desk.root());
        put_folder(&path);
        fs_err::write(&path, &content).expect("a file that is written");
        self.note(&before, By::Agent);
        set(&mut call, "tool_response", json!({ "type": "create" }));
        self.desk.hook("PostToolUse", &call);
        self.maybe_person();
        self.batch(&call);
    }

    /// A command, with the person at any moment of it.
    fn runs(&mut self, how: How) {
        self.tell(format!("agent: a command, {how:?}"));
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
        self.desk.hook("PreToolUse", &call);
        let before = files(&self.desk.root());
        self.roams = how != How::Reading;
        self.maybe_person();
        if how != How::Reading {
            self.agent(3, how != How::Background);
        }
        self.maybe_person();
        let root = self.desk.root();
        let after = files(&root);
        let mut event = "PostToolUse";
        match how {
            How::Failing => {
                event = "PostToolUseFailure";
                set(&mut call, "error", json!("exit 1"));
            }
            How::Silent => set(&mut call, "tool_response", silent()),
            How::Background => {
                set(
                    &mut call,
                    "tool_response",
                    json!({ "stdout": "", "backgroundTaskId": "b1" }),
                );
            }
            // The difference of two snapshots, whoever made it; modes are not compared.
            How::Listed | How::Reading => {
                let names = before.keys().chain(after.keys()).collect::<BTreeSet<_>>();
                let bytes = |files: &Files, name: &PathBuf| files.get(name).map(|(_, bytes)| bytes.clone());
                let changed = names
                    .into_iter()
                    .filter(|name| bytes(&before, name) != bytes(&after, name))
                    .map(|name| root.join(name));
                let list =
                    json!({ "files": [], "moreFiles": 0, "changedFiles": changed.collect::<Vec<_>>() });
                let mut answer = silent();
                set(&mut answer, "bashEditDiff", list);
                set(&mut call, "tool_response", answer);
            }
        }
        self.desk.hook(event, &call);
        // What a list has was all there was when the command ended.
        self.roams &= how != How::Listed;
        self.maybe_person();
        self.batch(&call);
        if how == How::Background && self.chance(2) {
            self.tell("it goes on");
            self.agent(1, false);
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
        for name in before.keys().chain(after.keys()) {
            if before.get(name) == after.get(name) {
                continue;
            }
            self.tally.put_back += 1;
            if let Some(truth) = self.truths.get_mut(name) {
                // What was put back is nobody's until somebody changes it.
                (truth.by, truth.theirs) = (By::Nobody, None);
                truth.is_mixed = true;
            }
        }
        if before != after && self.chance(2) {
            self.tell("undo");
            self.desk.undo();
            tick();
            let undone = files(&self.desk.root());
            self.agree(undone == before, || "an undo brings every byte back".to_owned());
            self.truths = truths;
            for truth in self.truths.values_mut() {
                truth.is_mixed = true;
            }
        }
    }

    fn check(&self, before: &Files, after: &Files, (point, since): (Option<u64>, u64)) {
        for (name, truth) in &self.truths {
            let (old, new) = (before.get(name), after.get(name));
            let shown = name.display();
            if old != new {
                self.agree(truth.by != By::Person, || {
                    format!("{shown} is the person's and was put back")
                });
                if let Some((_, theirs)) = truth.theirs.as_ref().filter(|(at, _)| *at > since) {
                    self.agree(theirs.as_ref() == new, || {
                        format!("{shown} goes back over what the person left there")
                    });
                }
            } else if point.is_none() && !truth.is_mixed && !is_by_person(old) {
                self.agree(new == self.morning.get(name), || {
                    format!("{shown} is the agent's alone and is not as in the morning")
                });
            }
        }
    }

    fn agree(&self, holds: bool, what: impl FnOnce() -> String) {
        assert!(holds, "{}:\n{}", what(), self.told.join("\n"));
    }
}

/// What is told of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// All files that changed.
    Listed,
    /// Nothing.
    Silent,
    /// Nothing, because it failed.
    Failing,
    /// Nothing, because it goes on.
    Background,
    /// It only reads, and what the person saved meanwhile is listed.
    Reading,
}

/// Whether what is there was typed by the person, whoever moved it there: it may be its only copy.
fn is_by_person(node: Option<&Node>) -> bool {
    node.is_some_and(|(_, bytes)| bytes.starts_with(b"person"))
}

fn silent() -> Value {
    json!({ "stdout": "", "stderr": "", "interrupted": false })
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

fn put_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder).expect("a folder");
    }
}

/// Every file below a folder, but for git's own.
fn files(root: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("a path inside").to_path_buf();
            let stat = fs_err::symlink_metadata(&path).expect("a file");
            if name == Path::new(".git") {
            } else if stat.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs_err::read(&path).expect("a file that can be read");
                found.insert(name, (stat.permissions().mode(), bytes));
            }
        }
    }
    found
}
