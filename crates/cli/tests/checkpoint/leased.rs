//! Who holds files while others are put back: what another holds is a conflict, and until all is done agents wait.

use crate::stage::{Stage, Talk};
use serde_json::{Value, json};
use std::process::{Child, Stdio};
use testkit::process::{go_on, kill};
use testkit::{Agent, Output, World, eventually};

/// A session that has written two files, and another one that is about to edit the first.
fn contested() -> Stage {
    let stage = Stage::new();
    contest(&stage);
    stage
}

/// The same where every hook decides by itself.
fn without_a_daemon() -> Stage {
    Stage {
        world: World::new(env!("CARGO_BIN_EXE_toprope")).with("TOPROPE_DAEMON", "never"),
    }
}

fn contest(stage: &Stage) {
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("a.txt", "by s1\n")
        .writes("b.txt", "by s1\n");
    agent.agent.stops().ok();
    let other = stage.agent("s2");
    other.asked("Something else");
    other.agent.reads("a.txt");
    assert_eq!(denied(&other.agent, "a.txt"), None);
}

/// The agent wants to edit a file; its denial, if it gets one.
fn denied(agent: &Agent<'_>, path: &str) -> Option<String> {
    let file = agent.folder().join(path);
    let input = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    agent.call("Edit", &input).begins().denial()
}

/// What is held, by path and label.
fn held(stage: &Stage) -> Vec<String> {
    let list = stage.world.toprope(&["lease", "list", "--json"]);
    let list = list.json().expect("a list");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |lease: &Value| format!("{} {}", text(&lease["path"]), text(&lease["actor"]["label"]));
    let leases = list["leases"].as_array().expect("leases").clone();
    leases.iter().map(line).collect()
}

macro_rules! assert_waits {
    ($denial:expr, @$text:literal) => {
        insta::with_settings!({ filters => vec![(r"\(\d+ s\)", "([time])")] }, {
            insta::assert_snapshot!($denial.unwrap_or_default(), @$text);
        });
    };
}

/// A command that stands still at a step, until it is told to go on.
struct Standing {
    child: Child,
}

impl Standing {
    fn at(stage: &Stage, step: &str, arguments: &[&str]) -> Self {
        let mut command = stage.world.command(arguments);
        command
            .env("TOPROPE_FAULT", format!("{step}:stop"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().expect("a command");
        let stat = format!("/proc/{}/stat", child.id());
        eventually(step, || {
            let stat = fs_err::read_to_string(&stat).expect("it still runs");
            stat.contains(") T ").then_some(())
        });
        Self { child }
    }

    fn goes_on(self) -> Output {
        go_on(self.child.id());
        let output = self.child.wait_with_output().expect("its end");
        Output {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn dies(mut self) {
        kill(self.child.id());
        self.child.wait().expect("its end");
    }
}

const REWIND: [&str; 6] = ["rewind", "start", "--session", "s1", "--while-running", "--yes"];

#[test]
fn a_file_that_another_session_is_editing_refuses_the_rewind() {
    let stage = contested();
    let files = stage.files();
    let refused = stage.toprope(&REWIND);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
      delete  b.txt  created in t1
    --- stderr
    Nothing was changed: 1 file cannot be put back safely.
      a.txt  leased by main@s2
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    assert_eq!(stage.files(), files);
    let shown = stage.toprope(&["rewind", "start", "--session", "s1", "--dry-run"]);
    assert_eq!(shown.whole(), refused.whole(), "a dry run says the same");
    let report = stage.toprope(&[&REWIND[..], &["--json"]].concat());
    assert_eq!(report.code, Some(3));
    assert_eq!(
        report.json().unwrap()["conflicts"],
        json!([{ "path": "a.txt", "reason": "leased by main@s2" }])
    );
    assert_eq!(held(&stage), ["a.txt main@s2"]);
}

#[test]
fn a_file_that_another_edits_under_a_second_name_is_theirs_as_well() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    fs_err::hard_link(stage.path("a.txt"), stage.path("second.txt")).unwrap();
    let other = stage.agent("s2");
    other.asked("Something else");
    other.agent.reads("second.txt");
    assert_eq!(denied(&other.agent, "second.txt"), None);
    let refused = stage.toprope(&REWIND);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused.stderr.contains("a.txt  leased by main@s2"),
        "{}",
        refused.whole()
    );
}

#[test]
fn what_another_holds_can_be_left_out() {
    let stage = contested();
    stage.rewind(&["start", "--session", "s1", "--while-running", "--skip-conflicts"]);
    assert_eq!(stage.read("a.txt"), "by s1\n");
    assert!(!stage.has("b.txt"));
    assert_eq!(held(&stage), ["a.txt main@s2"]);
}

#[test]
fn what_another_holds_can_be_forced_and_stays_theirs() {
    let stage = contested();
    let files = stage.files();
    let forced = stage.at_a_terminal(
        &["rewind", "start", "--session", "s1", "--while-running", "--force"],
        &[("Go ahead? [y/N] ", "y")],
    );
    assert_eq!(forced.code, Some(0), "{}", forced.whole());
    assert_eq!(stage.read("a.txt"), "one\n");
    assert_eq!(held(&stage), ["a.txt main@s2"]);
    let undone = stage.at_a_terminal(
        &["undo", "--while-running", "--force"],
        &[("Go ahead? [y/N] ", "y")],
    );
    assert_eq!(undone.code, Some(0), "{}", undone.whole());
    assert_eq!(stage.files(), files);
}

#[test]
fn an_undo_is_refused_where_another_session_is_editing() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    stage.rewind(&["start"]);
    let other = stage.agent("s2");
    other.asked("Something else");
    other.agent.reads("a.txt");
    assert_eq!(denied(&other.agent, "a.txt"), None);
    let refused = stage.toprope(&["undo", "--while-running", "--yes"]);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Undo rewind [id] "Rewound to start ([id])", [age] ago
    --- stderr
    Nothing was changed: 1 file cannot be put back safely.
      a.txt  leased by main@s2
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    assert_eq!(stage.read("a.txt"), "one\n");
    other.agent.stops().ok();
    stage.undo(&[]);
    assert_eq!(stage.read("a.txt"), "by s1\n");
}

#[test]
fn what_the_session_itself_holds_is_no_conflict() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    agent.asked("two").writes("a.txt", "again by s1\n");
    let helper = agent.launches("a3f2");
    helper.writes("b.txt", "by its agent\n");
    assert_eq!(held(&stage), ["a.txt main@s1", "b.txt general-purpose@a3f2"]);
    stage.rewind(&["t1", "--while-running"]);
    assert_eq!(stage.read("a.txt"), "by s1\n");
    assert!(!stage.has("b.txt"));
    assert_eq!(held(&stage), ["a.txt main@s1", "b.txt general-purpose@a3f2"]);
    stage.undo(&["--while-running"]);
    assert_eq!(stage.read("a.txt"), "again by s1\n");
}

#[test]
fn what_a_sibling_holds_is_a_conflict_for_one_agent_and_none_for_the_session() {
    let stage = Stage::new();
    let main = stage.agent("s1");
    main.asked("one");
    let (one, two) = (main.launches("one"), main.launches("two"));
    one.writes("b.txt", "by one\n");
    one.finishes();
    stage.settle();
    two.agent.reads("b.txt");
    assert_eq!(denied(&two.agent, "b.txt"), None);
    let refused = stage.toprope(&[
        "rewind",
        "start",
        "--agent",
        "one",
        "--while-running",
        "--yes",
        "--json",
    ]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert_eq!(
        refused.json().unwrap()["conflicts"],
        json!([{ "path": "b.txt", "reason": "leased by general-purpose@two" }])
    );
    stage.rewind(&["start", "--while-running"]);
    assert!(!stage.has("b.txt"));
}

#[test]
fn a_reservation_is_a_conflict_unless_it_is_the_persons_own() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("docs/guide.md", "by s1\n").stops();
    stage.world.toprope(&["lease", "reserve", "docs/**"]).ok();
    stage.rewind(&["start"]);
    stage.undo(&[]);
    stage.world.toprope(&["lease", "release", "--all"]).ok();
    let other = stage.agent("s2");
    other.asked("Something else");
    reserve(&stage, &other.agent, "docs/**");
    let refused = stage.toprope(&REWIND);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused.stderr.contains("docs/guide.md  leased by main@s2"),
        "{}",
        refused.whole()
    );
}

/// The agent reserves something with a command of its own.
fn reserve(stage: &Stage, agent: &Agent<'_>, glob: &str) {
    let line = format!("toprope lease reserve {glob}");
    let answer = agent.call("Bash", &json!({ "command": line })).begins();
    let answer = answer.json().expect("it is signed");
    let signed = answer["hookSpecificOutput"]["updatedInput"]["command"].clone();
    let signed = signed.as_str().expect("a command");
    let words: Vec<&str> = signed.split(' ').skip(1).collect();
    let mut command = stage.world.command(&words);
    command.env("CLAUDECODE", "1");
    testkit::run(command, b"").ok();
}

#[test]
fn who_is_gone_holds_nothing_against_a_rewind() {
    let mut stage = without_a_daemon();
    contest(&stage);
    stage.world.restart_client();
    let done = stage.world.toprope(&REWIND);
    assert_eq!(done.code, Some(0), "{}", done.whole());
    assert_eq!(stage.read("a.txt"), "one\n");
}

#[test]
fn a_file_taken_while_the_person_thinks_is_shown_anew() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    let other = stage.agent("s2");
    other.asked("Something else");
    other.agent.reads("a.txt");
    stage.settle();
    let mut talk = Talk::begin(&stage, &["rewind", "start", "--session", "s1", "--while-running"]);
    talk.hears("Go ahead? [y/N] ");
    assert_eq!(denied(&other.agent, "a.txt"), None);
    talk.says("y");
    let output = talk.ends();
    assert_eq!(output.code, Some(3), "{}", output.whole());
    assert!(
        output.stdout.contains("a.txt  leased by main@s2"),
        "{}",
        output.whole()
    );
    assert_eq!(stage.read("a.txt"), "by s1\n");
}

#[test]
fn a_file_taken_at_the_last_moment_is_not_pulled_from_under_its_holder() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    let other = stage.agent("s2");
    other.asked("Something else");
    other.agent.reads("a.txt");
    let rewind = Standing::at(&stage, "restore-staged-file", &REWIND);
    assert_eq!(denied(&other.agent, "a.txt"), None, "nothing is taken yet");
    let refused = rewind.goes_on();
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused.stderr.contains("a.txt  leased by main@s2"),
        "{}",
        refused.whole()
    );
    assert_eq!(stage.read("a.txt"), "by s1\n");
    assert_eq!(held(&stage), ["a.txt main@s2"]);
    let journals = fs_err::read_dir(stage.path(".git/toprope/shadow.git/journal"));
    assert_eq!(journals.map_or(0, Iterator::count), 0, "nothing is left of it");
}

#[test]
fn while_files_are_put_back_no_agent_writes_not_even_its_own() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    agent.asked("two").writes("c.txt", "by s1\n");
    let other = stage.agent("s2");
    other.asked("Something else");
    stage.write("src/d.txt", "mine\n");
    other.agent.is_held_before("rm -r src");
    let rewind = Standing::at(&stage, "rewind-before", &REWIND);
    assert_waits!(denied(&agent.agent, "c.txt"), @"`toprope rewind` of the user is changing the whole tree ([time]). Nothing was written. Try again when it ends.");
    assert!(denied(&other.agent, "b.txt").is_some());
    assert_waits!(other.agent.is_about_to_run_maybe("git merge main"), @"`toprope rewind` of the user is changing the whole tree ([time]). Yours was not run. Try again when it ends.");
    assert_waits!(other.agent.is_about_to_run_maybe("rm -r src"), @"`toprope rewind` of the user is changing the whole tree ([time]). Nothing was written. Try again when it ends.");
    assert_eq!(held(&stage), ["c.txt main@s1", "** you"]);
    let done = rewind.goes_on();
    assert_eq!(done.code, Some(0), "{}", done.whole());
    assert_eq!(held(&stage), ["c.txt main@s1"]);
    assert_eq!(denied(&other.agent, "b.txt"), None);
}

#[test]
fn without_a_daemon_agents_wait_for_an_undo_and_are_not_locked_out_by_one_that_is_killed() {
    let stage = without_a_daemon();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n");
    agent.agent.stops().ok();
    stage.world.toprope(&["rewind", "start", "--yes"]).ok();
    let other = stage.agent("s2");
    other.asked("Something else");
    let undo = ["undo", "--while-running", "--yes"];
    let killed = Standing::at(&stage, "rewind-before", &undo);
    assert_waits!(denied(&other.agent, "b.txt"), @"`toprope undo` of the user is changing the whole tree ([time]). Nothing was written. Try again when it ends.");
    killed.dies();
    assert_eq!(denied(&other.agent, "b.txt"), None);
    let again = Standing::at(&stage, "rewind-before", &undo);
    assert!(denied(&other.agent, "b.txt").is_some(), "though it is its own");
    let done = again.goes_on();
    assert_eq!(done.code, Some(0), "{}", done.whole());
    assert_eq!(stage.read("a.txt"), "by s1\n");
    assert_eq!(held(&stage), ["b.txt main@s2"]);
}

#[test]
fn a_rewind_that_fails_in_the_middle_gives_the_tree_back() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    let rewind = Standing::at(&stage, "rewind-before", &REWIND);
    stage.write("a.txt", "mine meanwhile\n");
    let failed = rewind.goes_on();
    assert_eq!(failed.code, Some(3), "{}", failed.whole());
    assert_eq!(stage.read("a.txt"), "mine meanwhile\n");
    assert_eq!(held(&stage), Vec::<String>::new());
}

#[test]
fn a_rewind_that_is_killed_locks_nobody_out() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    let other = stage.agent("s2");
    other.asked("Something else");
    for step in [
        "rewind-alone",
        "rewind-before",
        "rewind-applied",
        "rewind-recorded",
        "restore-closed",
    ] {
        let rewind = Standing::at(&stage, step, &REWIND);
        assert!(denied(&other.agent, "b.txt").is_some(), "{step}");
        rewind.dies();
        assert_eq!(denied(&other.agent, "b.txt"), None, "{step}");
        assert_eq!(held(&stage), ["b.txt main@s2"], "{step}");
        other.agent.stops().ok();
        let ended = stage
            .world
            .database()
            .rows("SELECT end_reason FROM leases WHERE pattern = '**' ORDER BY id DESC LIMIT 1");
        assert_eq!(ended, ["process_gone"], "{step}");
        // Whoever comes next settles what it left.
        stage.world.toprope(&["checkpoint", "create"]).ok();
        if stage.read("a.txt") == "one\n" {
            stage.undo(&[]);
        }
        other.asked("And more");
    }
}

#[test]
fn a_command_of_the_session_that_changes_the_whole_tree_is_waited_for_or_overruled() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by s1\n").stops();
    agent.asked("two");
    let call = agent.agent.is_about_to_run("git pull --rebase");
    assert_eq!(held(&stage), ["** main@s1"]);
    let refused = stage.toprope(&REWIND);
    assert_said!(refused.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
      restore  a.txt  changed in t1
    --- stderr
    Nothing was changed: `git pull --rebase` of main@s1 is changing the whole tree.
    Put files back all the same (undo brings them back): --force.
    "#);
    assert_eq!(stage.read("a.txt"), "by s1\n");
    let forced = stage.at_a_terminal(
        &["rewind", "start", "--while-running", "--force"],
        &[("Go ahead? [y/N] ", "y")],
    );
    assert_eq!(forced.code, Some(0), "{}", forced.whole());
    assert_eq!(stage.read("a.txt"), "one\n");
    assert_eq!(held(&stage), Vec::<String>::new());
    call.fails("nothing to pull");
    call.ends_step().ok();
    stage.undo(&["--while-running"]);
    assert_eq!(stage.read("a.txt"), "by s1\n");
}

#[test]
fn where_leases_are_switched_off_nobody_is_minded() {
    let stage = contested();
    stage.write("toprope.local.toml", "[lease]\nmode = \"off\"\n");
    let done = stage.toprope(&REWIND);
    assert_eq!(done.code, Some(0), "{}", done.whole());
}
