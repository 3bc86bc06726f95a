//! However much has happened before, an event costs the same: what it asks of the database is compared between days.

use super::real::{self, Real};
use super::repo::Deed;
use super::step::Actor;
use serde_json::{Value, json};
use store::ledger::{self, Entries};

/// What may be gone through from one end to the other, since history does not make it longer.
const SHORT: &[&str] = &[
    "projects",
    "worktrees",
    "counters",
    "CONSTANT ROW",
    "json_each",
    // Approvals that are still good.
    "approvals USING INDEX approvals_granted",
];

/// What needs more steps on later days, and why.
const GROWING: &[(&str, &str)] = &[
    (
        "FROM warnings",
        "what one session was warned of and did not do since",
    ),
    ("UPDATE warnings", "the same"),
    (
        "FROM checkpoint_files AS files",
        "what is not committed yet, for as long as checkpoints are kept",
    ),
];

/// Who acts: of a session, and which of its agents.
#[derive(Clone)]
struct Who {
    session: String,
    agent: Option<&'static str>,
}

/// One day at work; calls have ids of their own.
struct Day<'a> {
    real: &'a mut Real,
    number: usize,
    calls: usize,
}

impl Day<'_> {
    fn sends(&mut self, who: &Who, name: &str, fields: Value) {
        let mut all = json!({ "session_id": who.session });
        let object = all.as_object_mut().unwrap();
        if let Some(agent) = who.agent {
            object.insert("agent_id".to_owned(), json!(agent));
            object.insert("agent_type".to_owned(), json!("fixer"));
        }
        let Value::Object(fields) = fields else {
            panic!("fields are an object")
        };
        object.extend(fields);
        self.real.client = u32::try_from(self.number).unwrap();
        self.real.hook(Actor::Main, name, &all);
    }

    fn begins(&mut self, who: &Who, tool: &str, input: &Value) -> Value {
        self.calls += 1;
        let id = format!("toolu_{}_{}", self.number, self.calls);
        let call = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id });
        self.sends(who, "PreToolUse", call.clone());
        call
    }

    fn ends(&mut self, who: &Who, mut call: Value, response: Value) {
        call["tool_response"] = response;
        self.sends(who, "PostToolUse", call);
    }

    fn calls(&mut self, who: &Who, tool: &str, input: &Value) {
        let call = self.begins(who, tool, input);
        self.ends(who, call, json!({ "stdout": "" }));
    }

    fn file(&self, name: &str) -> Value {
        json!(self.real.root().join(name))
    }

    fn edit(&self, name: &str) -> Value {
        json!({ "file_path": self.file(name), "old_string": "1", "new_string": "2" })
    }

    fn writes(&mut self, who: &Who, name: &str) {
        let content = format!("day {}, call {}\n", self.number, self.calls);
        let input = json!({ "file_path": self.file(name), "content": content });
        let call = self.begins(who, "Write", &input);
        fs_err::write(self.real.root().join(name), content).unwrap();
        self.ends(who, call, json!({ "type": "update" }));
    }

    fn stops(&mut self, who: &Who, name: &str) {
        let fields = json!({
            "stop_hook_active": false, "last_assistant_message": "d", "background_tasks": [], "session_crons": []
        });
        self.sends(who, name, fields);
    }

    /// Two agents of one session and another session that is never closed get in each other's way.
    fn passes(&mut self) {
        let main = Who {
            session: format!("33333333-0000-4000-8000-{:012}", self.number),
            agent: None,
        };
        let of = |agent| Who {
            agent: Some(agent),
            ..main.clone()
        };
        let (one, two) = (of("a1111111111111111"), of("a2222222222222222"));
        let other = Who {
            session: "44444444-0000-4000-8000-000000000004".to_owned(),
            agent: None,
        };
        self.sends(&main, "SessionStart", json!({ "source": "startup" }));
        self.sends(&main, "UserPromptSubmit", json!({ "prompt": "Go on." }));
        self.sends(&other, "UserPromptSubmit", json!({ "prompt": "Go on." }));
        let spawn =
            json!({ "subagent_type": "fixer", "description": "d", "prompt": "p", "run_in_background": true });
        self.calls(&main, "Agent", &spawn);
        for agent in [&one, &two] {
            self.sends(agent, "SubagentStart", json!({}));
        }
        self.calls(&one, "Read", &json!({ "file_path": self.file("a") }));
        self.writes(&one, "a");
        self.begins(&two, "Edit", &self.edit("a"));
        self.begins(&other, "Edit", &self.edit("a"));
        self.sends(&two, "PostToolBatch", json!({ "tool_calls": [] }));
        self.begins(&two, "Bash", &json!({ "command": "toprope lease wait a" }));
        self.begins(&other, "Bash", &json!({ "command": "git stash" }));
        self.begins(&other, "Bash", &json!({ "command": "git reset --hard" }));
        self.begins(&other, "Bash", &json!({ "command": "rm -rf d" }));
        self.sends(&other, "PostToolBatch", json!({ "tool_calls": [] }));
        let mut failing = self.begins(&other, "Bash", &json!({ "command": "./gen.sh" }));
        fs_err::write(self.real.root().join("a"), format!("gen {}\n", self.number)).unwrap();
        failing["error"] = json!("Exit code 1");
        self.sends(&other, "PostToolUseFailure", failing);
        self.stops(&one, "SubagentStop");
        self.calls(&two, "Read", &json!({ "file_path": self.file("a") }));
        self.writes(&two, "a");
        self.writes(&other, "b");
        self.begins(&other, "Edit", &self.edit("b"));
        self.sends(&other, "UserPromptSubmit", json!({ "prompt": "Something else." }));
        self.stops(&other, "Stop");
        self.stops(&two, "SubagentStop");
        self.stops(&main, "Stop");
        self.sends(&main, "SessionEnd", json!({ "reason": "other" }));
        self.real.work();
        let words = |words: &[&str]| words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let commit = vec![words(&["add", "-A"]), words(&["commit", "-qm", "day"])];
        self.real.act(&[Deed::Git(commit)]);
    }
}

/// What the events of some days asked of the database.
fn asked(real: &mut Real, days: std::ops::Range<usize>) -> Entries {
    real.asked.clear();
    for number in days {
        Day {
            real,
            number,
            calls: 0,
        }
        .passes();
    }
    real.asked.clone()
}

/// The steps of a plan that go through all of something that grows.
fn scans(real: &Real, sql: &str) -> Vec<String> {
    let grows = |step: &String| {
        let scanned = step.strip_prefix("SCAN ");
        scanned.is_some_and(|what| !SHORT.iter().any(|short| what.starts_with(short)))
    };
    let plan = real.read(|db| ledger::plan(db, sql));
    plan.into_iter().filter(grows).collect()
}

#[test]
fn no_event_looks_through_a_table_that_grows() {
    let template = real::template();
    let mut real = Real::new(&template);
    let statements = asked(&mut real, 0..2);
    assert!(statements.len() > 100, "it was a day: {}", statements.len());
    let found: Vec<String> = statements
        .keys()
        // What refers to a row that is made is looked for only where a reference leads nowhere, which none does.
        .filter(|sql| !sql.starts_with("INSERT INTO sessions"))
        .flat_map(|sql| {
            scans(&real, sql)
                .into_iter()
                .map(move |step| format!("{step}: {sql}"))
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn an_event_steps_through_no_more_on_a_later_day() {
    let template = real::template();
    let mut real = Real::new(&template);
    asked(&mut real, 0..3);
    let early = asked(&mut real, 3..4);
    asked(&mut real, 4..23);
    let late = asked(&mut real, 23..24);
    let found: Vec<String> = late
        .iter()
        .filter_map(|(sql, steps)| Some((sql, *steps, *early.get(sql)?)))
        .filter(|(_, late, early)| *late > early + early / 10)
        .filter(|(sql, ..)| !GROWING.iter().any(|(growing, _)| sql.contains(growing)))
        .map(|(sql, late, early)| format!("{early} -> {late}: {sql}"))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
