//! What commands run themselves is followed, with its folder, place and environment.

use super::{World, calls, intent};
use crate::{Budget, CodeEffect, CommandHost, UnreadCause, Word};

#[test]
fn code_becomes_the_command_that_does_the_same() {
    let cases = [
        (
            "python3 -c \"import shutil; shutil.rmtree('/x')\"",
            "rm -rf -- /x",
            CodeEffect::Remove,
        ),
        (
            "python3 -c 'import os; os.remove(\"a\")'",
            "rm -f -- a",
            CodeEffect::Remove,
        ),
        (
            "node -e \"require('fs').rmSync('/x', {recursive: true})\"",
            "rm -rf -- /x",
            CodeEffect::Remove,
        ),
        ("perl -e 'system(\"rm -rf /\")'", "rm -rf /", CodeEffect::Spawn),
        (
            "python3 <<E\nimport os\nos.remove('a')\nE",
            "rm -f -- a",
            CodeEffect::Remove,
        ),
        (
            "echo 'import os; os.remove(\"a\")' | python3",
            "rm -f -- a",
            CodeEffect::Remove,
        ),
        (
            "cat > x.py <<E\nimport os\nos.remove('a')\nE\npython3 x.py",
            "rm -f -- a",
            CodeEffect::Remove,
        ),
        (
            "python3 -c \"import os; os.system('rm -rf $D')\"",
            "rm -rf ${D}",
            CodeEffect::Spawn,
        ),
    ];
    for (text, expected, effect) in cases {
        let read = intent(text);
        let command = read.commands.last().expect("a command");
        assert_eq!(super::display::written(&command.argv), expected, "{text}");
        assert_eq!(command.effect, Some(effect), "{text}");
        assert_eq!(command.span, None, "{text}");
    }
}

#[test]
fn code_that_does_nothing_of_the_kind_is_a_program() {
    for text in ["python3 -c 'print(1)'", "node -e 'console.log(\"rm -rf /\")'"] {
        let read = intent(text);
        assert_eq!(read.commands.len(), 1, "{text}");
        assert!(read.notes.is_empty(), "{text}");
    }
}

#[test]
fn statements_are_read_wherever_a_client_gets_them() {
    for text in [
        "psql -c 'DROP TABLE x'",
        "psql <<E\ndrop table x;\nE",
        "echo 'drop table x' | psql",
        "psql <<< 'drop table x'",
        "echo 'drop table x;' > f.sql; psql -f f.sql",
        "echo 'drop table x;' > f.sql; psql < f.sql",
        "sqlite3 a.db 'drop table x'",
        "bash -c \"psql -c 'drop table x'\"",
    ] {
        let read = intent(text);
        let verbs: Vec<&str> = read
            .commands
            .iter()
            .flat_map(|command| &command.statements)
            .map(|statement| statement.verb.as_str())
            .collect();
        assert_eq!(verbs, ["drop"], "{text}");
    }
}

#[test]
fn the_place_is_that_of_the_wrapper() {
    let place = |text: &str| intent(text).commands.pop().expect("a command").place;
    assert_eq!(place("rm x"), CommandHost::Local);
    assert!(matches!(place("ssh u@h rm x"), CommandHost::Remote { host } if host.contains('h')));
    assert!(matches!(place("ssh h <<E\nrm x\nE"), CommandHost::Remote { .. }));
    assert_eq!(place("docker exec c rm x"), CommandHost::Container);
    assert_eq!(place("kubectl exec p -- rm x"), CommandHost::Container);
    assert!(matches!(
        place("ssh h 'sudo bash -c \"rm x\"'"),
        CommandHost::Remote { .. }
    ));
}

#[test]
fn inputs_of_xargs_are_known_where_the_pipe_is() {
    let cases = [
        ("echo a b | xargs rm", "rm a b"),
        ("printf 'a\\nb\\n' | xargs rm -f", "rm -f a b"),
        ("xargs rm <<< 'a b'", "rm a b"),
        ("echo a | xargs -I{} rm x/{}", "rm x/a"),
        ("ls | xargs rm", "rm …"),
        ("ls | xargs -I{} rm x/{}/y", "rm x/…/y"),
        ("find /x -name '*.o' | xargs rm", "rm /x/**/*.o"),
        ("find /x -print0 | xargs -0 rm -rf", "rm -rf /x"),
        ("find /x | grep a | sort | xargs rm -rf", "rm -rf /x"),
        ("echo a | sudo xargs rm", "rm a"),
        ("echo a | xargs bash -c 'rm \"$@\"' _", "rm a"),
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
fn what_feeds_xargs_feeds_the_inner_command() {
    let read = intent("git ls-files | xargs rm");
    let rm = read.commands.last().expect("a command");
    assert_eq!(
        (rm.feeds[0].word, rm.feeds[0].commands.as_slice()),
        (1, [0].as_slice())
    );
}

#[test]
fn variables_given_by_a_wrapper_are_the_environment() {
    let read = intent("env A=1 B=$X git status");
    let git = read.commands.last().expect("a command");
    assert_eq!(git.env[0], ("A".to_owned(), Word::new("1")));
    assert!(git.env[1].1.is_unknown());
}

#[test]
fn texts_within_texts_are_followed_to_a_limit() {
    let nested = |depth: usize| {
        let mut text = "rm x".to_owned();
        for _ in 0..depth {
            text = format!("eval '{}'", text.replace('\'', "'\\''"));
        }
        text
    };
    assert_eq!(calls(&nested(7), "rm"), ["rm x"]);
    let deep = intent(&nested(9));
    assert!(
        deep.notes
            .iter()
            .any(|note| note.cause == UnreadCause::OverBudget)
    );
    let world = World {
        budget: Budget {
            reparse: 2,
            ..Budget::default()
        },
        ..World::default()
    };
    assert!(
        super::shown(&world.read(&nested(3)))
            .iter()
            .all(|command| command != "rm x")
    );
}

#[test]
fn an_unknown_program_is_noted_and_no_opacity() {
    let read = intent("$TOOL reset --hard");
    assert_eq!(read.notes[0].cause, UnreadCause::UnknownProgram);
    assert_eq!(read.coverage, crate::Coverage::Partial);
}
