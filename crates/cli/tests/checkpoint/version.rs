//! `toprope why <path>` offers a version only if it exists and is not what is there.

use crate::stage::Stage;

fn why(stage: &Stage, path: &str) -> String {
    stage.toprope(&["why", path]).ok()
}

/// The command that is offered.
fn offered(text: &str) -> Option<Vec<String>> {
    let command = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("put one back: toprope "))?;
    Some(command.split(' ').map(str::to_owned).collect())
}

/// Does what is offered.
#[track_caller]
fn follow(stage: &Stage, path: &str) {
    let text = why(stage, path);
    let mut words = offered(&text).unwrap_or_else(|| panic!("{text}"));
    words.push("--yes".to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    stage.toprope(&words).ok();
}

#[test]
fn of_a_deleted_file_the_version_before_the_deletion_is_offered() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("One").writes("notes.txt", "one\n").stops();
    agent.asked("Two").writes("notes.txt", "two\n").stops();
    agent.asked("Three").runs_as("make", "rm notes.txt").stops();
    let text = why(&stage, "notes.txt");
    assert!(text.contains("deleted  by a command of"), "{text}");
    assert!(text.contains("versions kept: 2\n"), "{text}");
    follow(&stage, "notes.txt");
    assert_eq!(stage.read("notes.txt"), "two\n");
}

/// Names that a shell or a terminal would take for something else.
const ODD: [&str; 13] = [
    "sp ace.txt",
    "it's.txt",
    "d\"q.txt",
    "new\nline.txt",
    "esc\u{1b}[31m.txt",
    "-n",
    "\u{e9}.txt",
    "$(touch pwned).txt",
    "back`touch pwned`.txt",
    "n.txt; touch pwned #",
    "*.txt",
    "tab\t.txt",
    "turn\u{202e}ed.txt",
];

#[test]
fn what_is_offered_can_be_pasted_whatever_the_name_and_runs_nothing_else() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    for content in ["one\n", "two\n"] {
        agent.asked("Go");
        for name in ODD {
            agent.writes(name, content);
        }
        agent.stops();
    }
    let program = stage.world.command(&[]).get_program().to_owned();
    for name in ODD {
        let text = stage.toprope(&["why", "--", name]).ok();
        let offered = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("put one back: toprope "));
        let offered = offered.unwrap_or_else(|| panic!("{name:?}: {text}"));
        let mut shell = stage.world.person("bash");
        shell
            .args(["-c", &format!("\"$0\" {offered} --yes")])
            .arg(&program);
        let said = shell.output().unwrap();
        assert!(said.status.success(), "{offered}: {said:?}");
        assert_eq!(stage.read(name), "one\n", "{offered}");
        assert!(!stage.has("pwned"), "{offered}");
    }
}

#[test]
fn what_is_there_is_never_offered() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("One").writes("new.txt", "one\n").stops();
    let text = why(&stage, "new.txt");
    assert!(text.contains("versions kept: 1\n"), "{text}");
    assert!(
        text.contains("none of them is known to differ from what is there"),
        "{text}"
    );
    assert_eq!(offered(&text), None);
    // Also where the newest version is an older one again.
    agent.asked("Two").writes("new.txt", "two\n").stops();
    agent.asked("Three").writes("new.txt", "one\n").stops();
    follow(&stage, "new.txt");
    assert_eq!(stage.read("new.txt"), "two\n");
}

#[test]
fn what_was_there_before_the_first_change_is_a_version_too() {
    let stage = Stage::new();
    let original = stage.read("a.txt");
    let agent = stage.agent("s1");
    agent
        .asked("One")
        .reads("a.txt")
        .writes("a.txt", "changed\n")
        .stops();
    let text = why(&stage, "a.txt");
    assert!(
        text.contains("versions kept: 2\n") && text.contains("as it was before"),
        "{text}"
    );
    follow(&stage, "a.txt");
    assert_eq!(stage.read("a.txt"), original);
}

#[test]
fn after_a_clean_and_its_undo_the_file_is_as_it_was_and_nothing_else_is_offered() {
    let stage = Stage::new();
    stage.write(".gitignore", ".env\n");
    stage.write(".env", "KEY=1\n");
    stage.world.git(&["add", ".gitignore"]);
    stage.world.git(&["commit", "-qm", "ignore"]);
    let agent = stage.agent("s1");
    agent.asked("Clean").insists("git clean -fdx").stops();
    assert!(!stage.has(".env"));
    follow(&stage, ".env");
    assert_eq!(stage.read(".env"), "KEY=1\n", "the one that was removed");
    let text = why(&stage, ".env");
    assert_eq!(offered(&text), None, "{text}");
}

#[test]
fn how_many_there_are_is_said_and_the_newest_are_shown() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    for number in 1..=5 {
        agent.asked("Go").writes("n.txt", &format!("{number}\n")).stops();
    }
    let text = why(&stage, "n.txt");
    assert!(text.contains("versions kept: 5, the newest 3 are\n"), "{text}");
    // The person changes it: what the agent left differs from that.
    stage.write("n.txt", "mine\n");
    let newest = offered(&why(&stage, "n.txt")).unwrap();
    assert!(text.contains(&format!("  {}  modified", newest[1])), "{text}");
}
