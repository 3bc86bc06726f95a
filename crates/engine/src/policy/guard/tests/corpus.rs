//! Lists of commands that must all be stopped, and of commands that must all run: one command a line.

use crate::policy::guard::judged::Judged;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::verdict::Ruling;
use crate::settings::Settings;
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::built_in(&Settings::default()));

const STOPPED: [&str; 4] = [
    include_str!("corpus/stopped-files.txt"),
    include_str!("corpus/stopped-others.txt"),
    include_str!("corpus/stopped-shapes.txt"),
    include_str!("corpus/stopped-unseen.txt"),
];
const SILENT: [&str; 4] = [
    include_str!("corpus/silent-git-node.txt"),
    include_str!("corpus/silent-tools.txt"),
    include_str!("corpus/silent-shell.txt"),
    include_str!("corpus/silent-unseen.txt"),
];
/// What stands in the project of these lists.
const TRACKED: &str = "src/a.rs src/main.rs src/lib.rs src/utils/mod.rs src/index.ts src/app.py tests/it.rs \
    tests/test_app.py docs/guide.md docs/index.md README.md CHANGELOG.md Cargo.toml Cargo.lock package.json \
    package-lock.json Makefile Dockerfile config/app.yaml config/dev.json data/seed.sql data/app.db data/users.csv \
    scripts/deploy.sh scripts/build.sh infra/main.tf migrations/001.sql k8s/deploy.yaml .github/workflows/ci.yml \
    packages/core/src/i.ts packages/core/package.json old.txt notes.txt";
const IGNORED: &str = "target node_modules dist build .venv __pycache__ *.log .env .env.local *.pyc .next coverage \
    .pytest_cache .mypy_cache *.o local-data";
const EXISTS: &str = "~/.bashrc ~/.zshrc ~/.profile ~/.bash_profile ~/.bash_history ~/todo.txt ~/notes/todo.md \
    ~/Documents/thesis/t.tex /etc/hosts /etc/resolv.conf scratch.txt frontend/src/app.ts src/a/b/c.rs";

fn world(attended: bool) -> Synthetic {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Synthetic {
        attended,
        tracked: words(TRACKED),
        ignored: words(IGNORED),
        exists: words(EXISTS),
        ..Synthetic::default()
    }
}

fn commands(lists: &[&str]) -> Vec<String> {
    lists
        .iter()
        .flat_map(|list| list.lines())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.replace('⏎', "\n"))
        .collect()
}

/// Every command whose ruling does not hold, with what it got.
fn wrong(lists: &[&str], attended: bool, holds: fn(&Judged) -> bool) -> Vec<String> {
    let world = Synthetic {
        // Dangerous is a stash under another agent's hands.
        shared: lists == STOPPED,
        ..world(attended)
    };
    let judged = commands(lists).into_iter().map(|command| {
        let judged = world.judge(&command, &RULES);
        (command, judged)
    });
    judged
        .filter(|(_, judged)| !holds(judged))
        .map(|(command, judged)| format!("{} {:?}: {command:?}", judged.ruling.word(), judged.rules()))
        .collect()
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn is_stopped(judged: &Judged) -> bool {
    judged.ruling > Ruling::Rewrite
}

#[test]
fn the_lists_are_long_enough_to_tell_something() {
    assert!(commands(&STOPPED).len() >= 1_300);
    assert!(commands(&SILENT).len() >= 1_700);
}

#[test]
fn all_of_the_dangerous_list_is_stopped() {
    none(&wrong(&STOPPED, true, is_stopped));
}

#[test]
fn all_of_the_dangerous_list_is_stopped_when_nobody_watches() {
    none(&wrong(&STOPPED, false, |judged| {
        is_stopped(judged) && judged.ruling != Ruling::Ask
    }));
}

#[test]
fn none_of_the_everyday_list_is_stopped() {
    none(&wrong(&SILENT, true, |judged| judged.ruling <= Ruling::Advise));
}
