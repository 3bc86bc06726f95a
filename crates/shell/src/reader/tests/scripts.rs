//! Scripts are read where somebody says what is in them.

use super::{World, intent, shown};
use crate::{Budget, UnreadCause, Want};

fn world(path: &'static str, text: &str) -> World {
    let mut world = World::asked();
    world.scripts.insert(path, text.to_owned());
    world
}

#[test]
fn a_script_is_its_text() {
    let world = world("/w/app/x.sh", "#!/bin/bash\ncd a\nrm -rf \"$1\"\n");
    for text in [
        "bash x.sh b",
        "./x.sh b",
        "source x.sh b",
        ". ./x.sh b",
        "sh ./x.sh b",
        "/w/app/x.sh b",
        "bash < x.sh",
    ] {
        let read = world.read(text);
        let rm = read
            .commands
            .iter()
            .find(|command| command.program() == Some("rm"))
            .expect(text);
        assert_eq!(rm.cwd.as_deref(), Some("/w/app/a"), "{text}");
        assert_eq!(rm.span, None, "{text}");
        if !text.contains('<') {
            assert_eq!(super::display::written(&rm.argv), "rm -rf b", "{text}");
        }
    }
}

#[test]
fn what_a_sourced_script_sets_stays() {
    let world = world("/w/app/x.sh", "X=a; cd /b");
    let read = world.read("source x.sh; rm $X");
    let rm = read.commands.last().expect("a command");
    assert_eq!((rm.argv[1].literal(), rm.cwd.as_deref()), (Some("a"), Some("/b")));
    let read = world.read("bash x.sh; rm x");
    assert_eq!(
        read.commands.last().and_then(|command| command.cwd.as_deref()),
        Some("/w/app")
    );
}

#[test]
fn a_script_of_another_language_is_scanned() {
    let python = world(
        "/w/app/x",
        "#!/usr/bin/env python3\nimport shutil\nshutil.rmtree('a')\n",
    );
    assert_eq!(shown(&python.read("./x")), ["rm -rf -- a"]);
    let python = world("/w/app/x.py", "import shutil\nshutil.rmtree('a')\n");
    assert_eq!(shown(&python.read("python3 x.py")), ["rm -rf -- a"]);
}

#[test]
fn a_script_nobody_tells_about_is_asked_for() {
    let wants = |text: &str| -> Vec<String> {
        let wants = intent(text).wants.into_iter();
        wants
            .filter_map(|want| match want {
                Want::Script { path } => Some(path),
                Want::GitAlias { .. } | Want::Root { .. } => None,
            })
            .collect()
    };
    assert_eq!(wants("bash x.sh"), ["/w/app/x.sh"]);
    assert_eq!(wants("cd a && ./x"), ["/w/app/a/x"]);
    assert_eq!(wants("source ~/x"), ["/home/me/x"]);
    assert_eq!(wants("bash $X"), [""; 0]);
    assert_eq!(wants("/usr/bin/ls; /bin/ls; ls"), [""; 0]);
    assert_eq!(wants("echo a > x.sh; bash x.sh"), [""; 0]);
}

#[test]
fn tasks_of_a_project_are_read() {
    let make = world(
        "/w/app/Makefile",
        "all: a\n\tls\nclean:\n\t@rm -rf out\n\t-rm $$HOME/x\n\nother:\n\tpwd\n",
    );
    assert_eq!(
        shown(&make.read("make clean")).get(1..),
        Some(["rm -rf out".to_owned(), "rm /home/me/x".to_owned()].as_slice())
    );
    assert_eq!(shown(&make.read("make")).get(1).map(String::as_str), Some("ls"));
    let npm = world(
        "/w/app/package.json",
        r#"{"scripts": {"pret": "ls", "t": "rm -rf out && tsc"}}"#,
    );
    assert_eq!(
        shown(&npm.read("npm run t")).get(1..),
        Some(["ls".to_owned(), "rm -rf out".to_owned(), "tsc".to_owned()].as_slice())
    );
    let just = world("/w/app/justfile", "t arg:\n    rm -rf out\n");
    assert_eq!(
        shown(&just.read("just t")).get(1).map(String::as_str),
        Some("rm -rf out")
    );
}

#[test]
fn only_so_many_scripts_of_so_many_bytes_are_read() {
    let long = world("/w/app/x.sh", &"ls\n".repeat(30_000));
    assert!(
        long.read("bash x.sh")
            .notes
            .iter()
            .any(|note| note.cause == UnreadCause::OverBudget)
    );
    let mut many = world("/w/app/x.sh", "rm a");
    many.budget = Budget {
        scripts: 2,
        ..Budget::default()
    };
    let read = many.read("bash x.sh; bash x.sh; bash x.sh");
    assert!(
        read.notes
            .iter()
            .any(|note| note.cause == UnreadCause::OverBudget)
    );
}

#[test]
fn a_script_that_runs_itself_ends() {
    let world = world("/w/app/x.sh", "bash x.sh");
    let read = world.read("bash x.sh");
    assert!(read.commands.len() < 20);
}
