//! Twenty agents want one file at the same moment, again and again: one gets it, the others are told who.
//!
//! As many rounds as an ordinary run has time for: each is about 0.2 s of processor time in a debug build, so three hundred
//! are under a minute on two idle cores. `TOPROPE_ROUNDS=1000` is the long run.

use crate::OTHER;
use serde_json::json;
use std::io::Write;
use std::process::{Child, Stdio};
use testkit::{Agent, Output, World};

const CONTENDERS: usize = 20;
/// Rounds, where nothing else is said.
const ROUNDS: usize = 300;
/// After so many rounds every turn ends, and with it the lines of the files before.
const ROUNDS_OF_A_TURN: usize = 10;

#[test]
fn of_twenty_who_want_a_file_one_gets_it_and_the_others_are_told_who() {
    let world = World::new(env!("CARGO_BIN_EXE_toprope"));
    world.start_daemon(&[]);
    let mut crowd = Crowd::new(&world);
    for round in 0..rounds() {
        if round > 0 && round.is_multiple_of(ROUNDS_OF_A_TURN) {
            crowd.takes_a_new_turn();
        }
        crowd.meets(round);
    }
    crowd.left_nothing_behind();
}

#[expect(
    clippy::disallowed_methods,
    reason = "how a person who runs the tests asks for the long run"
)]
fn rounds() -> usize {
    let asked = std::env::var("TOPROPE_ROUNDS").ok();
    asked.map_or(ROUNDS, |rounds| rounds.parse().expect("a number of rounds"))
}

/// Agents of sessions of their own, each in a turn that a person began.
struct Crowd<'a> {
    world: &'a World,
    agents: Vec<Agent<'a>>,
    /// Events that were sent.
    sent: usize,
    /// Files that were fought over.
    files: usize,
}

impl<'a> Crowd<'a> {
    fn new(world: &'a World) -> Self {
        let agents = (0..CONTENDERS).map(|number| world.agent(&session(number)));
        let mut crowd = Self {
            world,
            agents: agents.collect(),
            sent: 0,
            files: 0,
        };
        for number in 0..CONTENDERS {
            crowd.is_asked(number);
        }
        crowd
    }

    fn is_asked(&mut self, number: usize) {
        let output = self.agents[number].is_asked("Go on.");
        self.was_heard(&output);
    }

    fn stops(&mut self, number: usize) {
        let output = self.agents[number].stops();
        self.was_heard(&output);
    }

    fn takes_a_new_turn(&mut self) {
        for number in 0..CONTENDERS {
            self.stops(number);
            self.is_asked(number);
        }
    }

    fn was_heard(&mut self, output: &Output) {
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(0), ""),
            "{}",
            output.whole()
        );
        self.sent += 1;
    }

    /// All want the file of this round. The winner's turn ends, and the next one begins.
    fn meets(&mut self, round: usize) {
        let path = format!("src/file{round}.rs");
        let denials: Vec<Option<String>> = self
            .race(round, &path)
            .iter()
            .map(|output| {
                self.was_heard(output);
                output.denial()
            })
            .collect();
        self.files += 1;
        let granted = (0..CONTENDERS).filter(|number| denials[*number].is_none());
        let [winner] = granted.collect::<Vec<_>>()[..] else {
            panic!("not one grant in round {round}: {denials:#?}");
        };
        let told = format!("{path} is being edited by {} for ", label(winner));
        for denial in denials.iter().flatten() {
            assert!(denial.starts_with(&told), "round {round}: {denial}");
        }
        let rows = "SELECT label, leases.ended_at IS NULL FROM leases JOIN actors ON actors.id = leases.actor_id WHERE path";
        let rows = |world: &World| world.database().rows(&format!("{rows} = '{path}'"));
        assert_eq!(rows(self.world), [format!("{}|1", label(winner))]);
        self.stops(winner);
        assert_eq!(rows(self.world), [format!("{}|0", label(winner))]);
        self.is_asked(winner);
    }

    /// What each of them reads. Every process is there before the first is told what it is about; half of them ask the
    /// daemon, half decide in their own process.
    fn race(&self, round: usize, path: &str) -> Vec<Output> {
        let processes: Vec<Child> = (0..CONTENDERS)
            .map(|number| {
                let mut hook = self.world.command(&["hook", "claude-code"]);
                if (number + round).is_multiple_of(2) {
                    hook.env("TOPROPE_DAEMON", "never");
                }
                let hook = hook
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped());
                hook.spawn().expect("a hook")
            })
            .collect();
        let payloads = self.agents.iter().enumerate().map(|(number, agent)| {
            let input = json!({ "file_path": self.world.repo().join(path), "content": "x\n" });
            let call = json!({
                "tool_name": "Write", "tool_input": input, "tool_use_id": format!("toolu_{round}_{number}")
            });
            agent.payload("PreToolUse", &call).to_string()
        });
        let told: Vec<Child> = processes
            .into_iter()
            .zip(payloads.collect::<Vec<_>>())
            .map(|(mut process, payload)| {
                let mut stdin = process.stdin.take().expect("a pipe to it");
                stdin.write_all(payload.as_bytes()).expect("it reads");
                process
            })
            .collect();
        told.into_iter().map(output).collect()
    }

    /// Everybody leaves. Every event was kept, and every file of a round was one agent's, once.
    fn left_nothing_behind(mut self) {
        for number in 0..CONTENDERS {
            self.stops(number);
        }
        let database = self.world.database();
        let count = |sql: &str| usize::try_from(database.number(sql)).expect("a count");
        assert_eq!(count("SELECT count(*) FROM events"), self.sent);
        assert_eq!(count("SELECT count(DISTINCT delivery) FROM events"), self.sent);
        assert_eq!(
            count("SELECT count(*) FROM events WHERE outcome = 'deny'"),
            self.files * (CONTENDERS - 1)
        );
        assert_eq!(count("SELECT count(*) FROM leases"), self.files);
        assert_eq!(count("SELECT count(DISTINCT path) FROM leases"), self.files);
        assert_eq!(
            count("SELECT count(*) FROM leases WHERE ended_at IS NULL OR end_reason IS NULL"),
            0
        );
        assert_eq!(
            count("SELECT count(*) FROM tickets WHERE state IN ('waiting', 'offered')"),
            0
        );
        assert_eq!(database.damage(), Vec::<String>::new());
    }
}

/// Sessions differ in what their labels show of them.
fn session(number: usize) -> String {
    format!("{number:04x}{}", OTHER.get(4..).unwrap_or_default())
}

fn label(number: usize) -> String {
    format!("main@{number:04x}")
}

fn output(process: Child) -> Output {
    let output = process.wait_with_output().expect("a hook ends");
    Output {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
