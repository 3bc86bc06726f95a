//! Commits of everything while others edit: advice with the command for one's own files, never a denial.

use crate::{OTHER, SESSION, world};
use testkit::{Agent, World};

fn at_work<'a>(world: &'a World, session: &str) -> Agent<'a> {
    let agent = world.agent(session);
    agent.starts().ok();
    agent.is_asked("Go on.").ok();
    agent
}

fn told(agent: &Agent<'_>, command: &str) -> String {
    let call = agent.call("Bash", &serde_json::json!({ "command": command }));
    let answer = call.begins();
    assert_eq!(answer.denial(), None, "{command}");
    call.fails("Exit code 1").ok();
    call.ends_step().ok();
    answer.context()
}

#[test]
fn a_commit_that_takes_along_what_others_hold_is_told_how_to_commit_ones_own() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    one.writes("src/parser.rs", "two\n");
    two.writes("src/lexer.rs", "two\n");
    two.writes("src/it's new.rs", "new\n");
    world.write("notes.txt", "the person's\n");
    for command in [
        "git add -A && git commit -m done",
        "git add . && git commit -m done",
        "git add -u; git commit -m done",
        "git commit -am done",
    ] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(told(&two, command), @r"This commit would take along files that others are editing: src/parser.rs (main@ab31). To commit only your own: `git add -- 'src/it'\''s new.rs' src/lexer.rs && git commit -m done -- 'src/it'\''s new.rs' src/lexer.rs`.");
        }
    }
    let own = r"git add -- 'src/it'\''s new.rs' src/lexer.rs && git commit -m done -- 'src/it'\''s new.rs' src/lexer.rs";
    assert_eq!(told(&two, own), "");
    two.shell(own);
    let committed = world.git(&["show", "--name-only", "--format=%s"]);
    let mut committed: Vec<&str> = committed.split_whitespace().collect();
    committed.sort_unstable();
    assert_eq!(committed.join(" "), "done new.rs src/it's src/lexer.rs");
}

#[test]
fn a_commit_that_takes_along_nothing_of_others_is_silent() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    two.writes("src/lexer.rs", "two\n");
    let all = "git add -A && git commit -m done";
    assert_eq!(told(&two, all), "", "nobody else holds anything");
    one.writes("src/parser.rs", "two\n");
    world.git(&["commit", "-qm", "theirs", "--", "src/parser.rs"]);
    assert_eq!(told(&two, all), "", "what another holds is committed");
    one.writes("src/parser.rs", "three\n");
    assert_ne!(told(&two, all), "");
    one.stops().ok();
    assert_eq!(told(&two, all), "", "its turn is over");
}

#[test]
fn what_was_added_by_an_earlier_call_or_by_name_is_taken_along_too() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    one.writes("src/parser.rs", "two\n");
    two.writes("src/lexer.rs", "two\n");
    assert_eq!(told(&two, "git commit -m done"), "", "nothing is added");
    assert_eq!(told(&two, "git add src/lexer.rs && git commit -m done"), "");
    for command in [
        "git add src/parser.rs && git commit -m done",
        "git commit -m done -- src/parser.rs",
        "git commit -m done src",
    ] {
        let text = told(&two, command);
        assert!(text.contains("src/parser.rs (main@ab31)"), "{command}: {text}");
    }
    two.shell("git add -A");
    insta::assert_snapshot!(told(&two, "git commit -m done"), @"This commit would take along files that others are editing: src/parser.rs (main@ab31). To commit only your own: `git add -- src/lexer.rs && git commit -m done -- src/lexer.rs`.");
    assert_eq!(told(&two, "git commit -m done -- src/lexer.rs"), "");
    two.shell("git add -- src/lexer.rs && git commit -m done -- src/lexer.rs");
    let committed = world.git(&["show", "--name-only", "--format=%s"]);
    assert_eq!(
        committed.split_whitespace().collect::<Vec<_>>(),
        ["done", "src/lexer.rs"]
    );
}

#[test]
fn what_fits_a_pattern_of_the_commit_is_taken_along() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    one.writes("src/parser.rs", "two\n");
    two.writes("src/lexer.rs", "two\n");
    two.writes("docs/a.md", "new\n");
    for command in [
        "git add 'src/*.rs' && git commit -m done",
        "git add '*.rs' && git commit -m done",
        "git add src/*.rs && git commit -m done",
        "cd src && git add p* && git commit -m done",
        "git commit -m done -- '*.rs'",
    ] {
        let text = told(&two, command);
        assert!(text.contains("src/parser.rs (main@ab31)"), "{command}: {text}");
        assert!(!text.contains("lexer.rs (main"), "{command}: {text}");
    }
    for command in [
        "git add 'docs/*' && git commit -m done",
        "git add '*.md' && git commit -m done",
        "git add src/l* && git commit -m done",
        "git add ':!*.rs' && git commit -m done",
    ] {
        assert_eq!(told(&two, command), "", "{command}");
    }
}

#[test]
fn a_commit_from_a_subfolder_takes_along_what_is_below_it_and_is_told_a_command_that_works_anywhere() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    one.writes("src/parser.rs", "two\n");
    two.writes("src/lexer.rs", "two\n");
    two.writes("docs/a.md", "new\n");
    assert_eq!(told(&two, "cd docs && git add -A . && git commit -m done"), "");
    let text = told(&two, "cd src && git add -A . && git commit -m done");
    let (_, command) = text.split_once('`').expect("a command");
    let command = command.trim_end_matches("`.").to_owned();
    assert!(
        command.starts_with("git -C ") && !command.contains('<'),
        "{command}"
    );
    two.standing_in(&two.folder().join("docs")).shell(&command);
    let committed = world.git(&["show", "--name-only", "--format=%s"]);
    assert_eq!(
        committed.split_whitespace().collect::<Vec<_>>(),
        ["done", "docs/a.md", "src/lexer.rs"]
    );
}

#[test]
fn the_command_for_ones_own_files_can_be_pasted_whatever_the_message_is() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    one.writes("src/parser.rs", "two\n");
    world.write("message", "from a file\n");
    for (number, (options, subject)) in [
        ("-am \"it's $((1 + 1)) o'clock\"", "it's 2 o'clock"),
        ("-a -F message", "from a file"),
        ("-a -m \"$(cat <<'EOF'\nof a heredoc\nEOF\n)\"", "of a heredoc"),
        ("-qa --message='two words'", "two words"),
    ]
    .into_iter()
    .enumerate()
    {
        two.writes("src/lexer.rs", &format!("{number}\n"));
        let text = told(&two, &format!("git commit {options}"));
        let (_, command) = text.split_once('`').expect("a command");
        let command = command.trim_end_matches("`.").to_owned();
        two.shell(&command);
        assert_eq!(
            world.git(&["show", "--name-only", "--format=%s"]).trim(),
            format!("{subject}\n\nsrc/lexer.rs")
        );
    }
    for number in 0..25 {
        two.writes(&format!("many/{number}.rs"), "x\n");
    }
    let text = told(&two, "git add -A && git commit -m many");
    assert!(
        text.ends_with("`git add -- many/ && git commit -m many -- many/`."),
        "{text}"
    );
}
