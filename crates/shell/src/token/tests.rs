use super::with_token;
use crate::{Budget, Intent, Scene, Unasked, UserWrappers, Word, read};
use proptest::prelude::*;

const TOKEN: &str = "0123456789abcdef";

fn scene(wrappers: &UserWrappers) -> Scene<'_> {
    Scene {
        cwd: Some("/w".to_owned()),
        home: Some("/home/me".to_owned()),
        user: None,
        tmpdir: None,
        budget: Budget::default(),
        wrappers,
        known: &Unasked,
    }
}

fn stamped(text: &str) -> Option<String> {
    let wrappers = UserWrappers::default();
    with_token(text, TOKEN, &scene(&wrappers)).map(|text| text.replace(TOKEN, "T"))
}

#[test]
fn our_commands_get_the_token_behind_their_subcommand() {
    for (text, expected) in [
        (
            "toprope lease wait src/a.rs",
            "toprope lease wait --as T src/a.rs",
        ),
        ("toprope lease wait", "toprope lease wait --as T"),
        ("toprope lease", "toprope lease --as T"),
        ("toprope lease --json list", "toprope lease --json list --as T"),
        (
            "toprope --cwd lease lease list",
            "toprope --cwd lease lease list --as T",
        ),
        ("toprope lease wait -- -x", "toprope lease wait --as T -- -x"),
        (
            "toprope lease reserve --for 1h 'a b'",
            "toprope lease reserve --as T --for 1h 'a b'",
        ),
        (
            "toprope lease reserve - <<E\ntoprope lease wait x\nE",
            "toprope lease reserve --as T - <<E\ntoprope lease wait x\nE",
        ),
        ("toprope session actors", "toprope session actors --as T"),
        ("'toprope' \"lease\" wait x", "'toprope' \"lease\" wait --as T x"),
        (
            "/usr/bin/toprope lease wait x",
            "/usr/bin/toprope lease wait --as T x",
        ),
        (
            "X=1 toprope lease wait x >o 2>&1",
            "X=1 toprope lease wait --as T x >o 2>&1",
        ),
        ("toprope lease \\\n  wait x", "toprope lease \\\n  wait --as T x"),
    ] {
        assert_eq!(stamped(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn they_get_it_wherever_they_run() {
    for (text, expected) in [
        (
            "cd a && toprope lease wait x && echo got; toprope lease release x",
            "cd a && toprope lease wait --as T x && echo got; toprope lease release --as T x",
        ),
        (
            "timeout 9 toprope lease wait x",
            "timeout 9 toprope lease wait --as T x",
        ),
        (
            "env A=1 toprope lease wait x &",
            "env A=1 toprope lease wait --as T x &",
        ),
        (
            "echo \"$(toprope lease list)\"",
            "echo \"$(toprope lease list --as T)\"",
        ),
        ("echo `toprope lease list`", "echo `toprope lease list --as T`"),
        (
            "if ! toprope lease wait x; then exit; fi",
            "if ! toprope lease wait --as T x; then exit; fi",
        ),
        ("(toprope lease list | cat)", "(toprope lease list --as T | cat)"),
        (
            "f() { toprope lease wait \"$1\"; }; f a; f b",
            "f() { toprope lease wait --as T \"$1\"; }; f a; f b",
        ),
        (
            "for f in a b; do toprope lease wait $f; done",
            "for f in a b; do toprope lease wait --as T $f; done",
        ),
        (
            "echo ü; toprope lease wait 'ö'",
            "echo ü; toprope lease wait --as T 'ö'",
        ),
    ] {
        assert_eq!(stamped(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_token_the_model_wrote_is_replaced() {
    for (text, expected) in [
        ("toprope lease wait --as forged x", "toprope lease wait --as T x"),
        ("toprope lease wait --as=forged x", "toprope lease wait --as T x"),
        (
            "toprope lease wait x --as 'forged one'",
            "toprope lease wait x --as T",
        ),
        ("toprope lease wait x --as", "toprope lease wait x --as T"),
        (
            "toprope lease wait --as a x --as=b",
            "toprope lease wait --as T x ",
        ),
        (
            "A=--as; toprope lease wait $A b x",
            "A=--as; toprope lease wait --as T x",
        ),
        ("toprope lease wait $X --as a", "toprope lease wait $X --as T"),
        ("toprope lease --as a wait x", "toprope lease --as T wait x"),
        ("toprope lease --as a", "toprope lease --as T"),
        (
            "toprope lease wait -- --as x",
            "toprope lease wait --as T -- --as x",
        ),
    ] {
        assert_eq!(stamped(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn everything_else_stays_as_it_is() {
    for text in [
        "",
        "ls",
        "toprope",
        "toprope status",
        "toprope log --follow",
        "toprope guard check 'toprope lease wait x'",
        "echo toprope lease wait x",
        "echo 'toprope lease wait x'",
        "grep 'toprope lease' README.md",
        "cat <<E\ntoprope lease wait x\nE",
        "bash -c 'toprope lease wait x'",
        "eval 'toprope lease wait x'",
        "ssh host toprope lease wait x",
        "alias t='toprope lease wait'; t x",
        "# toprope lease wait x",
        "toprope -- lease wait x",
        "toprope $X wait x",
        "toprope gate check a --as edit",
        "toprope gate run test",
        "toprope note the lexer is done",
        "toprope task list",
        "toprope effort show",
        "toprope handover write",
        "toprope-lease wait x",
        "S=lease; if a; then S=session; fi; toprope $S x",
    ] {
        assert_eq!(stamped(text), None, "{text}");
    }
    let wrappers = UserWrappers::default();
    for token in ["", "a b", "a;b", "$x"] {
        assert_eq!(
            with_token("toprope lease list", token, &scene(&wrappers)),
            None,
            "{token}"
        );
    }
}

/// The commands without their tokens and without where they stand.
fn commands(read: &Intent) -> Vec<(Vec<Word>, Option<String>, usize)> {
    let commands = read.commands.iter();
    commands
        .map(|command| {
            let mut words = command.argv.clone();
            if let Some(at) = words.iter().position(|word| word.literal() == Some(TOKEN)) {
                words.drain(at - 1..=at);
            }
            (words, command.cwd.clone(), command.redirects.len())
        })
        .collect()
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "toprope lease wait x",
        "toprope lease list",
        "toprope lease wait 'a b'",
        "toprope lease wait",
        "toprope session actors --json",
        " \"$(toprope lease list)\"",
        "toprope",
        "echo",
        " x",
        " --",
        " 'y z'",
        " \"q\"",
        " > f",
        " && ",
        "; ",
        " | ",
        "\n",
        " &",
        "(",
        ")",
        "cd d && ",
        "env A=1 ",
        "sudo ",
        "$(",
        "`",
        "{ ",
        "; }",
        "if a; then ",
        "; fi",
        "for i in a b; do ",
        "; done",
        " $i",
        "bash -c 'toprope lease list'",
        " <<E\nbody\nE\n",
        "ü ",
        " # c\n",
    ])
}

proptest! {
    #[test]
    fn the_text_says_the_same_but_for_the_token(pieces in prop::collection::vec(piece(), 1..10)) {
        let text = pieces.concat();
        let wrappers = UserWrappers::default();
        let scene = scene(&wrappers);
        let Some(stamped) = with_token(&text, TOKEN, &scene) else {
            return Ok(());
        };
        prop_assert_eq!(stamped.replace(&format!(" --as {TOKEN}"), ""), text.as_str());
        let (before, after) = (read(&text, &scene), read(&stamped, &scene));
        prop_assert_eq!(commands(&before), commands(&after), "{} {}", text, stamped);
        prop_assert_eq!(with_token(&stamped, TOKEN, &scene), Some(stamped));
    }
}
