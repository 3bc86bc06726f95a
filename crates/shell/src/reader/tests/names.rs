//! Names that stand for something else: aliases of the shell and of git.

use super::{World, calls, intent, shown};
use crate::Want;

#[test]
fn an_alias_of_the_shell_is_its_text() {
    let cases = [
        ("alias r='rm -rf'; r x", "rm -rf x"),
        ("alias r='rm -rf' s=r; s x", "rm -rf x"),
        ("alias rm='rm -i'; rm x", "rm -i x"),
        ("alias r='a; rm -rf'; r 'x y'", "rm -rf 'x y'"),
        ("alias r='rm -rf'; unalias r; rm x; r y", "rm x"),
        ("alias r=ls; \\r x; rm y", "rm y"),
        ("shopt -s expand_aliases\nalias r='rm -rf x'\nr", "rm -rf x"),
        ("shopt -s expand_aliases\nalias r='rm -rf'\nr x && rm y", "rm y"),
    ];
    for (text, expected) in cases {
        assert_eq!(
            calls(text, "rm").last().map(String::as_str),
            Some(expected),
            "{text}"
        );
    }
}

#[test]
fn an_alias_of_git_counts_from_where_the_text_sets_it() {
    let cases = [
        ("git config alias.rh 'rm -r x' && git rh", "git rm -r x"),
        (
            "git config --global alias.rh 'rm -r x'; git rh y",
            "git rm -r x y",
        ),
        ("git config set alias.rh 'rm -r x'; git rh", "git rm -r x"),
    ];
    for (text, expected) in cases {
        assert_eq!(
            calls(text, "git").last().map(String::as_str),
            Some(expected),
            "{text}"
        );
    }
}

#[test]
fn what_git_runs_by_its_variables_is_a_command_and_a_variable_nobody_knows_is_none() {
    let texts = [
        "GIT_EDITOR='rm -rf x' git commit",
        "export GIT_PAGER='rm -rf x'; git log",
        "env EDITOR='rm -rf x' git rebase -i main",
        "GIT_SSH_COMMAND='rm -rf x;' git fetch",
    ];
    for text in texts {
        assert_eq!(calls(text, "rm"), ["rm -rf x"], "{text}");
    }
    let read = intent("GIT_EDITOR=\"$EDITOR\" git commit");
    assert!(read.notes.is_empty());
}

#[test]
fn what_a_program_prints_for_shells_to_read_hides_nothing() {
    let known = [
        "eval \"$(ssh-agent -s)\"",
        "eval `opam env`",
        "eval \"$(/opt/homebrew/bin/brew shellenv)\"",
        "source <(kubectl completion bash)",
        "eval $(minikube docker-env)",
    ];
    for text in known {
        assert!(intent(text).notes.is_empty(), "{text}");
    }
    let hidden = [
        "eval \"$(ssh-agent -s) $MORE\"",
        "eval \"$(brew info)\"",
        "eval \"$(ssh-agent -s; cat x)\"",
        "source <(cat x)",
        "eval \"$X\"",
    ];
    for text in hidden {
        assert!(!intent(text).notes.is_empty(), "{text}");
    }
}

#[test]
fn aliases_that_lead_in_a_circle_end() {
    let read = intent("alias a=b b=c c=d d=e e=f f=a; a");
    assert!(read.commands.len() < 10);
}

fn world() -> World {
    let mut world = World::asked();
    world.aliases.insert("nuke", "!git reset --hard && git clean -fd");
    world.aliases.insert("rh", "reset --hard");
    world.aliases.insert("again", "rh HEAD~1");
    world.aliases.insert("loop", "loop");
    world.aliases.insert("args", "!f() { rm -rf \"$1\"; }; f");
    world
}

#[test]
fn an_alias_of_git_is_what_the_repository_says() {
    let cases: &[(&str, &[&str])] = &[
        ("git nuke", &["git reset --hard", "git clean -fd"]),
        ("git rh x", &["git reset --hard x"]),
        ("git again", &["git reset --hard 'HEAD~1'"]),
        ("git --no-pager rh", &["git --no-pager reset --hard"]),
        ("git -C sub rh", &["git reset --hard"]),
        ("git args x", &["rm -rf x"]),
        ("git status", &["git status"]),
        ("git unheard", &["git unheard"]),
        (
            "git -c alias.q='reset --hard' q",
            &["git -c 'alias.q=reset --hard' reset --hard"],
        ),
        ("git -c alias.q='!rm x' q y", &["rm x y"]),
        (
            "git -c alias.status='!rm x' status",
            &["git -c 'alias.status=!rm x' status"],
        ),
        (
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.q GIT_CONFIG_VALUE_0='reset --hard' git q",
            &["git reset --hard"],
        ),
        (
            "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.q GIT_CONFIG_VALUE_0='!rm x'; git q",
            &[
                "export 'GIT_CONFIG_COUNT=1' 'GIT_CONFIG_KEY_0=alias.q' 'GIT_CONFIG_VALUE_0=!rm x'",
                "rm x",
            ],
        ),
    ];
    for (text, expected) in cases {
        let found: Vec<String> = shown(&world().read(text))
            .iter()
            .map(|line| line.replace('\'', ""))
            .collect();
        let expected: Vec<String> = expected.iter().map(|line| line.replace('\'', "")).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn an_alias_of_git_runs_where_git_does() {
    let read = world().read("git -C sub rh");
    assert_eq!(
        read.commands.last().and_then(|command| command.cwd.as_deref()),
        Some("/w/app/sub")
    );
}

#[test]
fn aliases_of_git_that_lead_in_a_circle_end() {
    assert!(world().read("git loop").commands.len() < 10);
}

#[test]
fn an_alias_is_asked_for_where_git_has_no_such_command() {
    assert_eq!(
        intent("git nuke x; git status; git -C /y zap").wants,
        [
            Want::GitAlias {
                cwd: "/w/app".to_owned(),
                name: "nuke".to_owned()
            },
            Want::GitAlias {
                cwd: "/y".to_owned(),
                name: "zap".to_owned()
            }
        ]
    );
}
