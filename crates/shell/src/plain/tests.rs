use super::Plain;
use crate::{Budget, Fact, Scene, UserWrapper, UserWrappers, WorldFacts, read};
use std::path::Path;

/// A world in which everything is known.
struct Everything;

impl WorldFacts for Everything {
    fn git_alias(&self, _cwd: &str, name: &str) -> Fact<String> {
        if name == "publish" {
            Fact::Is("push --force".to_owned())
        } else {
            Fact::None
        }
    }

    fn script(&self, path: &str) -> Fact<String> {
        if path.ends_with("clean.sh") {
            Fact::Is("rm -rf build".to_owned())
        } else {
            Fact::None
        }
    }

    fn root(&self, _cwd: &str) -> Fact<String> {
        Fact::Is("/w".to_owned())
    }
}

fn scene(wrappers: &UserWrappers) -> Scene<'_> {
    Scene {
        cwd: Some("/w".to_owned()),
        home: Some("/home/ada".to_owned()),
        user: Some("ada".to_owned()),
        tmpdir: Some("/var/tmp/ada".to_owned()),
        budget: Budget::default(),
        wrappers,
        known: &Everything,
    }
}

fn plain(text: &str) -> Plain {
    Plain::read(text, Some(Path::new("/w")))
}

#[test]
fn what_depends_on_the_person_or_the_world_is_read_again() {
    let wrappers = UserWrappers::default();
    let scene = scene(&wrappers);
    for text in [
        "rm -rf ~/x",
        "rm -rf ~ada/x",
        "cd && rm -rf x",
        "rm -rf \"$HOME/x\"",
        "rm -rf ${HOME:-/x}",
        "X=HOME; rm -rf ${!X}",
        "export HOME; make",
        "HOME=/x; rm -rf y",
        "if a; then HOME=/x; fi; b",
        "unset TMPDIR; x=$(mktemp -d)",
        "echo $USER $LOGNAME",
        "x=$(mktemp -d); rm -rf $x",
        "echo cm0gLXJmIH4veA== | base64 -d | sh",
        "bash -c 'rm -rf ~/x'",
        "eval 'rm -rf $HOME'",
        "f() { rm -rf ~/x; }; f",
        "python3 -c 'import shutil, os; shutil.rmtree(os.path.expanduser(\"~/x\"))'",
        "git publish",
        "bash clean.sh",
        "rm -rf \"$(git rev-parse --show-toplevel)/x\"",
    ] {
        assert!(plain(text).as_in(text, &scene).is_none(), "{text}");
    }
}

#[test]
fn what_depends_on_the_folder_alone_is_read_once() {
    let wrappers = UserWrappers::default();
    let scene = scene(&wrappers);
    for text in [
        "git status --short && rg -n 'retry' src && cargo test -p client",
        "rm -rf build",
        "cd a && rm -rf ../b",
        "for i in a b; do rm $i; done",
        "X=a; export X; ls $X",
        "cat <<E\ntext\nE",
        "ls | head -3 > out.txt 2>&1",
        "sudo env A=1 rm x",
        "bash -c 'rm x'",
        "echo cm0geAo= | base64 -d | sh",
        "if a; then X=1; else X=2; fi; rm $X",
        "rm -rf \"$UNSET/x\"",
        "python3 -c 'import os; os.remove(\"a\")' || true",
    ] {
        let plain = plain(text);
        let said = plain.as_in(text, &scene);
        // Code that changes files is always read again: it may name the home in many ways.
        assert!(said.is_some() || text.starts_with("python3"), "{text}");
        assert_eq!(*said.unwrap_or(&read(text, &scene)), read(text, &scene), "{text}");
    }
}

#[test]
fn another_text_folder_wrapper_or_budget_is_another_reading() {
    let none = UserWrappers::default();
    let plain = plain("rm x");
    assert!(plain.as_in("rm x", &scene(&none)).is_some());
    assert!(plain.as_in("rm y", &scene(&none)).is_none());
    let elsewhere = Scene {
        cwd: Some("/v".to_owned()),
        ..scene(&none)
    };
    assert!(plain.as_in("rm x", &elsewhere).is_none());
    let mut own = UserWrappers::default();
    own.programs.insert("rm".to_owned(), UserWrapper { skip: 0 });
    assert!(plain.as_in("rm x", &scene(&own)).is_none());
    let little = Scene {
        budget: Budget {
            nodes: 1,
            ..Budget::default()
        },
        ..scene(&none)
    };
    assert!(plain.as_in("rm x", &little).is_none());
    assert!(plain.is_of("rm x", Some(Path::new("/w"))) && !plain.is_of("rm x", None));
}
