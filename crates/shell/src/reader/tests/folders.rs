//! The folder is followed.

use super::intent;
use crate::Word;

/// The folder of the last command.
fn folder(text: &str) -> Option<String> {
    intent(text).commands.pop().expect("a command").cwd
}

#[test]
fn the_folder_is_where_the_text_leads() {
    let cases = [
        ("x", Some("/w/app")),
        ("cd a; x", Some("/w/app/a")),
        ("cd a && x", Some("/w/app/a")),
        ("cd a && cd b && x", Some("/w/app/a/b")),
        ("cd a && b; x", Some("/w/app/a")),
        ("cd ..; x", Some("/w")),
        ("cd /; x", Some("/")),
        ("cd; x", Some("/home/me")),
        ("cd ~; x", Some("/home/me")),
        ("cd ~/a; x", Some("/home/me/a")),
        ("cd -- a; x", Some("/w/app/a")),
        ("cd -P a; x", Some("/w/app/a")),
        ("cd 'a b'; x", Some("/w/app/a b")),
        ("cd a; cd -; x", Some("/w/app")),
        ("cd a; cd -; cd -; x", Some("/w/app/a")),
        ("D=a; cd $D; x", Some("/w/app/a")),
        ("cd $D; x", None),
        ("cd $D; cd /a; x", Some("/a")),
        ("cd $D; cd a; x", None),
        ("cd *; x", None),
        ("cd \"$(pwd)/a\"; x", Some("/w/app/a")),
        ("pushd a; x", Some("/w/app/a")),
        ("pushd a; popd; x", Some("/w/app")),
        ("pushd a; pushd /b; popd; x", Some("/w/app/a")),
        ("(cd a); x", Some("/w/app")),
        ("(cd a; x)", Some("/w/app/a")),
        ("{ cd a; }; x", Some("/w/app/a")),
        ("$(cd a); x", Some("/w/app")),
        ("cd a | b; x", Some("/w/app")),
        ("cd a & x", Some("/w/app")),
        ("cd a || exit; x", Some("/w/app/a")),
        ("cd a || exit 1; x", Some("/w/app/a")),
        ("cd a || { echo no; exit 1; }; x", Some("/w/app/a")),
        ("cd a || return; x", Some("/w/app/a")),
        ("cd a || cd b; x", None),
        ("cd a || x", Some("/w/app")),
        ("if b; then cd a; fi; x", None),
        ("if b; then cd a; x; fi", Some("/w/app/a")),
        ("if b; then cd a; else cd a; fi; x", Some("/w/app/a")),
        ("if cd a; then x; fi", Some("/w/app/a")),
        ("for d in a b; do cd $d; done; x", None),
        ("for d in a b; do (cd $d); done; x", Some("/w/app")),
        ("f() { cd a; }; f; x", Some("/w/app/a")),
        ("bash -c 'cd a'; x", Some("/w/app")),
        ("bash -c 'cd a; x'", Some("/w/app/a")),
        ("eval 'cd a'; x", Some("/w/app/a")),
        ("builtin cd a; x", Some("/w/app/a")),
        ("command cd a; x", Some("/w/app/a")),
        ("env -C a x", Some("/w/app/a")),
        ("git -C a status", Some("/w/app/a")),
        ("git -C a -C b status", Some("/w/app/a/b")),
        ("git -C /a status", Some("/a")),
        ("git -C $D status", None),
        ("git commit -C HEAD", Some("/w/app")),
        ("make -C a t", Some("/w/app/a")),
        ("make --directory=a t", Some("/w/app/a")),
        ("git -C a status; x", Some("/w/app")),
        ("cd a\nx", Some("/w/app/a")),
        ("set -e; cd a; x", Some("/w/app/a")),
    ];
    for (text, expected) in cases {
        assert_eq!(folder(text).as_deref(), expected, "{text}");
    }
}

/// Where the last command's first redirection leads.
fn target(text: &str) -> Option<String> {
    let command = intent(text).commands.pop().expect("a command");
    let target = command.redirects.first().map(|redirect| &redirect.target);
    target.and_then(Word::literal).map(str::to_owned)
}

#[test]
fn a_redirection_is_opened_where_the_shell_stands() {
    let cases = [
        ("git -C ../lib log > a.txt", "/w/app/a.txt"),
        ("make -C build 2> ../log", "/w/log"),
        ("cd sub && git -C /lib log >> a.txt", "/w/app/sub/a.txt"),
        ("(cd sub && x) > a.txt", "/w/app/a.txt"),
        ("(cd sub && { cd b && x; } > c.txt) > a.txt", "/w/app/a.txt"),
        ("git -C /lib log > /a.txt", "/a.txt"),
        ("git -C /lib log 2>&1", "1"),
        ("cd sub && x > a.txt", "a.txt"),
        ("x > a.txt", "a.txt"),
    ];
    for (text, expected) in cases {
        assert_eq!(target(text).as_deref(), Some(expected), "{text}");
    }
}
