use super::{WrittenFiles, goes_on, left};
use crate::event::{ChangedFiles, Event, EventKind};
use crate::settings::{LeaseSettings, Profile};
use crate::testing::{call, event};
use serde_json::{Value, json};
use std::path::PathBuf;

fn after(tool: &str, input: Value, changed: Option<ChangedFiles>) -> Event {
    event(EventKind::ToolAfter {
        call: call(tool, input),
        response: Value::Null,
        duration_ms: None,
        spawned: None,
        changed,
        todo: None,
    })
}

fn listed(paths: &[&str], complete: bool) -> ChangedFiles {
    ChangedFiles {
        paths: paths.iter().map(PathBuf::from).collect(),
        complete,
    }
}

fn of(event: &Event) -> Option<WrittenFiles> {
    left(event, &LeaseSettings::of(Profile::Standard))
}

fn paths(left: &WrittenFiles) -> Vec<String> {
    let shown = |path: &PathBuf| path.display().to_string();
    left.files.files.iter().map(|file| shown(&file.path)).collect()
}

#[test]
fn the_clients_list_says_what_a_command_wrote() {
    let event = after(
        "Bash",
        json!({ "command": "make" }),
        Some(listed(&["/p/a.rs", "/p/b.rs"], true)),
    );
    let left = of(&event).unwrap();
    assert_eq!(paths(&left), ["/p/a.rs", "/p/b.rs"]);
    assert!(!left.watched);
}

#[test]
fn a_list_that_is_cut_off_or_missing_means_that_everything_known_is_looked_at() {
    for changed in [Some(listed(&["/p/a.rs"], false)), None] {
        assert!(
            of(&after("Bash", json!({ "command": "make" }), changed))
                .unwrap()
                .watched
        );
    }
}

#[test]
fn after_a_command_that_only_reads_nothing_is_looked_at() {
    assert_eq!(of(&after("Bash", json!({ "command": "git status" }), None)), None);
    assert_eq!(
        of(&after(
            "Bash",
            json!({ "command": "make" }),
            Some(listed(&[], true))
        )),
        None
    );
}

#[test]
fn a_write_tool_left_the_file_it_names() {
    let input = json!({ "file_path": "/p/a.rs", "content": "x" });
    assert_eq!(paths(&of(&after("Write", input, None)).unwrap()), ["/p/a.rs"]);
}

#[test]
fn a_failed_command_may_have_written_anything() {
    let failed = event(EventKind::ToolFailed {
        call: call("Bash", json!({ "command": "python3 fix.py" })),
        error: "Exit code 1".to_owned(),
        interrupted: false,
        duration_ms: None,
    });
    assert!(of(&failed).unwrap().watched);
}

#[test]
fn what_goes_on_in_the_background_is_told_from_what_only_reads() {
    let goes_on = |command: &str, background: bool| {
        let event = after("Bash", json!({ "command": command }), None);
        goes_on(&event, background)
    };
    for command in ["make watch", "npm run dev", "./run.sh > log.txt", "cat a | tee b"] {
        assert!(goes_on(command, true), "{command}");
        assert!(!goes_on(command, false), "{command}");
    }
    for command in [
        "make watch &",
        "cd app && (npm run dev &)",
        "nohup ./serve.sh > log & echo started",
    ] {
        assert!(goes_on(command, false), "{command}");
    }
    for command in ["tail -f log", "sleep 60 && ls"] {
        assert!(!goes_on(command, true), "{command}");
    }
    for command in [
        "tail -f log &",
        "make && make install",
        "make 2>&1",
        "echo 'a & b' > c",
        "sleep 5 & make",
    ] {
        assert!(!goes_on(command, false), "{command}");
    }
}
