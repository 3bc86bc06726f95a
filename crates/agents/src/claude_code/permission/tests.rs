use super::*;
use serde_json::json;

fn speaks(rule: &str, command: &str) -> bool {
    let settings = json!({ "permissions": { "deny": [rule] } }).to_string();
    rules(settings.as_bytes()).about("Bash", command).is_some()
}

#[test]
fn a_rule_about_a_tool_speaks_about_every_call_of_it_and_no_other() {
    for all in ["Bash", "Bash(*)", "Bash()", " Bash ", "*"] {
        assert!(speaks(all, "git push --force"), "{all}");
    }
    for other in [
        "Read",
        "Bas",
        "bash",
        "BashOutput",
        "mcp__x__y",
        "Read(git push *)",
    ] {
        assert!(!speaks(other, "git push --force"), "{other}");
    }
}

#[test]
fn a_rule_about_first_words_speaks_about_commands_that_begin_so() {
    for rule in ["Bash(git push:*)", "Bash(git push *)", "Bash(git  push *)"] {
        for command in [
            "git push",
            "git push --force origin x",
            "git   push -f",
            "cd app && git push -f",
            "(git push -f)",
            "bash -c 'git push -f'",
            "true;git push -f",
            "A=1 git push",
            "echo $(git push -f)",
            "ls\ngit push",
        ] {
            assert!(speaks(rule, command), "{rule} of {command}");
        }
        for command in [
            "git pushx",
            "git pull",
            "xgit push",
            "git -C push x",
            "git stash push",
        ] {
            assert!(!speaks(rule, command), "{rule} of {command}");
        }
    }
}

#[test]
fn stars_stand_for_anything() {
    assert!(speaks("Bash(git * main)", "git push --force origin main"));
    assert!(speaks("Bash(git * main)", "git push -f origin main && ls"));
    assert!(!speaks("Bash(git * main)", "git push -f origin mainline"));
    assert!(speaks("Bash(* --force)", "git push origin x --force"));
    assert!(speaks("Bash(* --force*)", "git push --force-with-lease"));
    assert!(speaks("Bash(ls*)", "lsof -i"));
    assert!(speaks("Bash(git push*--force*)", "git push origin --force x"));
    assert!(!speaks("Bash(git push*--force*)", "git pull --force"));
    assert!(speaks("Bash(git * push:*)", "git -C x push origin"));
}

#[test]
fn a_rule_without_stars_speaks_about_that_command_and_no_longer_one() {
    assert!(speaks("Bash(npm test)", "npm test"));
    assert!(speaks("Bash(npm test)", "cd x && npm test && ls"));
    assert!(speaks("Bash(npm test)", "npm test | tail"));
    assert!(!speaks("Bash(npm test)", "npm test --watch"));
    assert!(speaks(r"Bash(echo \(a\) \*)", "echo (a) *"));
    assert!(!speaks(r"Bash(echo \*)", "echo all"));
}

#[test]
fn denials_and_questions_count_and_permissions_do_not() {
    let settings = json!({ "permissions": {
        "allow": ["Bash(ls *)"], "ask": ["Bash(git push *)", 7, ""], "deny": ["Bash(git push --force *)", null],
    }});
    let found = rules(settings.to_string().as_bytes());
    let of = |command: &str| {
        found
            .about("Bash", command)
            .map(|rule| (rule.speech, rule.text.as_str()))
    };
    assert_eq!(
        of("git push --force x"),
        Some((Speech::Deny, "Bash(git push --force *)"))
    );
    assert_eq!(of("git push x"), Some((Speech::Ask, "Bash(git push *)")));
    assert_eq!(of("ls -la"), None);
}

#[test]
fn a_file_that_is_no_settings_file_has_no_rules() {
    for text in [
        "",
        "{",
        "[]",
        "7",
        r#"{"permissions": []}"#,
        r#"{"permissions": {"deny": "Bash"}}"#,
    ] {
        assert!(rules(text.as_bytes()).is_empty(), "{text}");
    }
}

#[test]
fn a_command_too_long_to_be_read_is_spoken_about_by_every_rule_of_its_tool() {
    let long = "x".repeat(200_000);
    assert!(speaks("Bash(git push:*)", &long));
    assert!(!speaks("Read(git push:*)", &long));
}

#[test]
fn a_text_made_to_be_slow_is_not() {
    let text = "a b ".repeat(16_000);
    assert!(!speaks("Bash(a*b*c*d*e*f)", &text));
    assert!(!speaks("Bash(a b c:*)", &text));
}

#[test]
fn every_layer_is_looked_for_once() {
    let repo = Path::new("/repo");
    let found = sources(&Folders {
        config: Some(Path::new("/home/p/.claude")),
        project: Some(repo),
        worktree: Some(Path::new("/wt")),
        main_worktree: Some(repo),
    });
    let told: Vec<String> = found
        .files
        .iter()
        .skip(1)
        .map(|file| file.display().to_string())
        .collect();
    assert_eq!(
        told,
        [
            "/home/p/.claude/settings.json",
            "/repo/.claude/settings.json",
            "/repo/.claude/settings.local.json",
            "/wt/.claude/settings.json",
            "/wt/.claude/settings.local.json",
        ]
    );
    assert!(
        found
            .files
            .first()
            .is_some_and(|file| file.ends_with("managed-settings.json"))
    );
    assert!(
        found
            .folders
            .iter()
            .all(|folder| folder.ends_with("managed-settings.d"))
    );
}

#[test]
fn the_persons_folder_is_where_they_say_or_in_their_home() {
    let home = Some(Path::new("/home/p"));
    assert_eq!(config_folder(home, None), Some("/home/p/.claude".into()));
    assert_eq!(config_folder(home, Some(Path::new("/c"))), Some("/c".into()));
    assert_eq!(config_folder(None, None), None);
}
