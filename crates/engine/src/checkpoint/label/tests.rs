use super::*;
use proptest::prelude::*;

#[test]
fn a_turn_is_named_by_its_first_line_that_says_something() {
    for (prompt, expected) in [
        ("Add the login form\n\nIt should be blue.", "Add the login form"),
        ("\n \t\n  fix   the\tbug ", "fix the bug"),
        ("# Task\nrest", "Task"),
        ("> quoted\nanswer", "quoted"),
        ("> > - nested", "nested"),
        ("- [ ] buy milk", "buy milk"),
        ("* one\n* two", "one"),
        ("2. second step", "second step"),
        ("---\ntitle: x", "title: x"),
        ("\"do it\"", "do it"),
        ("“do it”", "do it"),
        ("`cargo test` fails", "`cargo test` fails"),
        ("\"a\" and \"b\"", "\"a\" and \"b\""),
        ("#123 is broken", "#123 is broken"),
        ("-v prints nothing", "-v prints nothing"),
        ("42", "42"),
        ("3.5 is slower than 4", "3.5 is slower than 4"),
        ("👍", "👍"),
        ("a\rb", "a"),
    ] {
        assert_eq!(turn(prompt, 7), expected, "{prompt:?}");
    }
}

#[test]
fn an_empty_prompt_gives_the_number_of_the_turn() {
    for prompt in ["", " \n\t\n", "```\n```", "> \n#\n-", "\u{1b}[0m\u{200b}", "\"\""] {
        assert_eq!(turn(prompt, 3), "Turn 3", "{prompt:?}");
    }
}

#[test]
fn a_fence_that_comes_first_is_passed_over() {
    assert_eq!(turn("```rust\nfn main() {}\n```\nExplain.", 1), "fn main() {}");
    assert_eq!(turn("~~~\nerror: no such file\n~~~", 1), "error: no such file");
    assert_eq!(turn("```ls -la```", 1), "ls -la");
}

#[test]
fn a_long_prompt_is_cut_between_words() {
    let prompt = "word ".repeat(60);
    assert_eq!(prompt.chars().count(), 300);
    let label = turn(&prompt, 1);
    assert_eq!(label, format!("{}word…", "word ".repeat(13)));
    assert!(label.chars().count() <= LONGEST);
    assert_eq!(turn(&"x".repeat(300), 1), format!("{}…", "x".repeat(71)));
    assert_eq!(turn(&"x".repeat(72), 1), "x".repeat(72));
}

#[test]
fn escape_sequences_and_controls_are_no_part_of_a_label() {
    assert_eq!(
        turn(
            "\u{1b}]0;owned\u{7}\u{1b}[31mFix\u{1b}[0m the \u{8}bug\u{202e}",
            1
        ),
        "Fix the bug"
    );
}

#[test]
fn an_emoji_at_the_cut_stays_whole_or_goes() {
    let family = "👩\u{200d}👩\u{200d}👧";
    let label = turn(&format!("{}{family}{}", "x".repeat(68), "y".repeat(20)), 1);
    assert_eq!(label, format!("{}…", "x".repeat(68)));
    let label = turn(&format!("{}{family}{}", "x".repeat(66), "y".repeat(20)), 1);
    assert_eq!(label, format!("{}{family}…", "x".repeat(66)));
}

#[test]
fn a_subagent_is_named_by_what_it_was_told() {
    assert_eq!(
        agent(
            AgentMoment::Starting,
            Some("write the\nform"),
            Some("general-purpose")
        ),
        "Starting: write the form"
    );
    assert_eq!(
        agent(AgentMoment::Finished, Some(" "), Some("Explore")),
        "Finished: Explore"
    );
    assert_eq!(agent(AgentMoment::Failed, None, None), "Failed: agent");
    let long = agent(AgentMoment::Starting, Some(&"task ".repeat(50)), None);
    assert!(long.chars().count() <= LONGEST && long.ends_with("task…"));
}

#[test]
fn what_was_kept_before_a_command_shows_the_command() {
    assert_eq!(before("git reset --hard\n"), "Before: git reset --hard");
    let long = before(&"rm -rf ".repeat(40));
    assert_eq!(long.chars().count(), "Before: ".len() + 59);
}

#[test]
fn a_step_is_named_by_its_files_and_else_by_its_command() {
    assert_eq!(step(&["src/a.rs"], Some("ls")).as_deref(), Some("Edit src/a.rs"));
    assert_eq!(
        step(&["src/a.rs", "b"], None).as_deref(),
        Some("Edit src/a.rs (+1 file)")
    );
    assert_eq!(
        step(&["src/a.rs", "b", "c"], None).as_deref(),
        Some("Edit src/a.rs (+2 files)")
    );
    assert_eq!(step(&[], Some("cargo  fmt\n")).as_deref(), Some("cargo fmt"));
    assert_eq!(step(&[], Some(" ")), None);
    assert_eq!(step(&[], None), None);
    let deep = format!("{}/name.rs", "folder/".repeat(20));
    let label = step(&[&deep, "b"], None).unwrap();
    assert!(label.ends_with("/name.rs (+1 file)"), "{label}");
    assert_eq!(label.chars().count(), LONGEST);
}

#[test]
fn a_baseline_says_what_was_there_before() {
    assert_eq!(baseline(3, 1), "(3 files were already changed, 1 untracked)");
    assert_eq!(baseline(1, 0), "(1 file was already changed)");
    assert_eq!(baseline(0, 2), "(2 untracked)");
    assert_eq!(baseline(0, 0), "(nothing was changed yet)");
    assert_eq!(outside(1), "(1 file changed outside the agents)");
    assert_eq!(outside(2), "(2 files changed outside the agents)");
}

proptest! {
    #[test]
    fn whatever_was_typed_the_label_is_one_short_line(prompt in "(?s).{0,300}", path in "(?s).{1,200}") {
        for label in [turn(&prompt, 1), before(&prompt), step(&[&path, &path], None).unwrap()] {
            prop_assert!(!label.is_empty());
            prop_assert!(label.chars().count() <= LONGEST, "{}", label);
            prop_assert!(!label.chars().any(char::is_control));
        }
    }
}
