//! Columns: as wide as needed, never wider than the terminal, and readable without colour.

use super::*;
use engine::id::EventSeq;
use engine::time::Timestamp;

fn terminal(width: usize, colour: bool) -> Terminal {
    Terminal {
        width,
        colour,
        interactive: true,
    }
}

fn line(who: &str, what: &str, target: &str) -> LogLine {
    LogLine {
        first: EventSeq(7),
        newest: EventSeq(8),
        at: Timestamp(0),
        project: "repo".to_owned(),
        who: who.to_owned(),
        what: what.to_owned(),
        target: target.to_owned(),
        outcome: String::new(),
        tone: Tone::Plain,
        duration: String::new(),
        reason: String::new(),
        is_open: false,
    }
}

fn call(who: &str, what: &str, target: &str, outcome: &str, duration: &str) -> LogLine {
    LogLine {
        outcome: outcome.to_owned(),
        duration: duration.to_owned(),
        ..line(who, what, target)
    }
}

fn shown(mut table: TextTable, lines: &[LogLine]) -> String {
    table.zone = TimeZone::UTC;
    table.widen(lines);
    lines.iter().map(|line| table.line(line) + "\n").collect()
}

fn session() -> Vec<LogLine> {
    vec![
        line("main@ab31", "SessionStart", "startup"),
        line("main@ab31", "UserPromptSubmit", "\"add a retry to the client\""),
        call("main@ab31", "Edit", "src/client.rs", "ok", "8 ms"),
        call("Explore@a41f", "Bash", "rg -n retry src", "ok", "12 ms"),
        LogLine {
            tone: Tone::Deny,
            reason: "core.filesystem.rm-floor".to_owned(),
            ..call("main@ab31", "Bash", "rm -rf ~", "deny guard", "-")
        },
    ]
}

#[test]
fn columns_are_as_wide_as_what_they_hold() {
    let table = TextTable::new(terminal(120, false), false, false);
    insta::assert_snapshot!(shown(table, &session()), @r#"
    00:00:00  main@ab31     SessionStart      startup
    00:00:00  main@ab31     UserPromptSubmit  "add a retry to the client"
    00:00:00  main@ab31     Edit              src/client.rs    ok           8 ms
    00:00:00  Explore@a41f  Bash              rg -n retry src  ok          12 ms
    00:00:00  main@ab31     Bash              rm -rf ~         deny guard      -  core.filesystem.rm-floor
    "#);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let mut lines = session();
    lines.push(call(
        &"w".repeat(60),
        &"t".repeat(60),
        &"p".repeat(500),
        &"o".repeat(60),
        "1.0 s",
    ));
    lines.push(line("main@ab31", "UserPromptSubmit", &"日本".repeat(200)));
    lines.push(LogLine {
        reason: "r".repeat(900),
        ..call("main@ab31", "Bash", &"q".repeat(90), "deny guard", "-")
    });
    for columns in [200, 120, 80, 40] {
        let shown = shown(TextTable::new(terminal(columns, false), true, true), &lines);
        for line in shown.lines() {
            assert!(width(line) <= columns, "{columns}: {line}");
        }
        assert!(shown.contains('…'));
    }
}

#[test]
fn reasons_leave_half_of_the_room_to_targets() {
    let long = LogLine {
        reason: "r".repeat(900),
        ..call("main@ab31", "Bash", &"q".repeat(90), "deny guard", "-")
    };
    let table = TextTable::new(terminal(80, false), false, false);
    insta::assert_snapshot!(shown(table, &[long]), @"00:00:00  main@ab31  Bash  qqqqqqqqqqqqqqqqq…  deny guard  -  rrrrrrrrrrrrrrrrr…");
}

#[test]
fn ids_and_projects_are_columns_of_their_own() {
    let table = TextTable::new(terminal(120, false), true, true);
    let lines = [
        LogLine {
            first: EventSeq(12),
            ..line("main@ab31", "Stop", "")
        },
        line("main@ab31", "Stop", ""),
    ];
    insta::assert_snapshot!(shown(table, &lines), @r"
    12  00:00:00  repo  main@ab31  Stop
     7  00:00:00  repo  main@ab31  Stop
    ");
}

#[test]
fn colour_marks_the_outcome_and_nothing_else() {
    let table = TextTable::new(terminal(120, true), false, false);
    let shown = shown(table, &session());
    assert_eq!(shown.matches('\u{1b}').count(), 2);
    assert!(shown.contains("\u{1b}[31mdeny guard\u{1b}[0m"));
}

#[test]
fn a_narrow_terminal_still_shows_what_came_of_it() {
    let table = TextTable::new(terminal(76, false), false, false);
    insta::assert_snapshot!(shown(table, &session()), @r#"
    00:00:00  main@ab31     SessionStart      startup
    00:00:00  main@ab31     UserPromptSubmit  "add a retry to the client"
    00:00:00  main@ab31     Edit              src/client.…  ok           8 ms
    00:00:00  Explore@a41f  Bash              rg -n retry…  ok          12 ms
    00:00:00  main@ab31     Bash              rm -rf ~      deny guard      -  …
    "#);
}
