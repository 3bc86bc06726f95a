//! Every command that may run is found, in whatever construct it stands.

use super::{calls, commands, intent};
use crate::UnreadCause;

/// Every text runs `rm x`, and nothing else that is called `rm`.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn a_command_is_found_in_every_construct() {
    let cases = [
        "rm x",
        "rm x;",
        "rm x &",
        "a; rm x",
        "a\nrm x",
        "a && rm x",
        "a || rm x",
        "a | rm x",
        "a |& rm x",
        "! rm x",
        "time rm x",
        "(rm x)",
        "( (rm x) )",
        "((a)); rm x",
        "{ rm x; }",
        "{ rm x; } > f 2>&1",
        "$(rm x)",
        "`rm x`",
        "echo $(rm x)",
        "echo \"a $(rm x) b\"",
        "echo `rm x`",
        "echo \"`rm x`\"",
        "echo $(echo $(rm x))",
        "echo ${a:-$(rm x)}",
        "echo \"${a:-$(rm x)}\"",
        "echo ${a%$(rm x)}",
        "echo ${a:$(rm x)}",
        "echo $((1 + $(rm x)))",
        "a=$(rm x)",
        "a=$(rm x) b",
        "a=(b $(rm x))",
        "a[$(rm x)]=1",
        "export a=$(rm x)",
        "local a=$(rm x)",
        "a <(rm x)",
        "a >(rm x)",
        "a < <(rm x)",
        "a > $(rm x)",
        "a <<< $(rm x)",
        "a <<E\n$(rm x)\nE",
        "a <<E\n`rm x`\nE",
        "a <<E\n${b:-$(rm x)}\nE",
        "if rm x; then a; fi",
        "if a; then rm x; fi",
        "if a; then b; elif rm x; then c; fi",
        "if a; then b; elif c; then rm x; fi",
        "if a; then b; else rm x; fi",
        "while rm x; do a; done",
        "while a; do rm x; done",
        "until a; do rm x; done",
        "for a in b c; do rm x; done",
        "for a in $(rm x); do b; done",
        "for a; do rm x; done",
        "for ((a=0; a<3; a++)); do rm x; done",
        "for ((a=$(rm x); a<3; a++)); do b; done",
        "select a in b c; do rm x; done",
        "case a in a) rm x;; esac",
        "case a in (b) c;; *) rm x; esac",
        "case $(rm x) in a) b;; esac",
        "case a in $(rm x)) b;; esac",
        "[[ -n $(rm x) ]]",
        "[[ a == $(rm x) && b ]]",
        "(( a = $(rm x) ))",
        "f() { rm x; }; f",
        "function f { rm x; }; f",
        "function f() { rm x; }; f",
        "function f\n{\nrm x\n}\nf",
        "f() (rm x); f",
        "f() { g; }; g() { rm x; }; f",
        "f() { if a; then rm x; fi; }; f",
        "trap 'rm x' EXIT",
        "f() { rm x; }; trap f EXIT",
        "coproc rm x",
        "coproc N { rm x; }",
        "exec rm x",
        "eval rm x",
        "eval 'rm x'",
        "a & rm x",
        "a; # rm y\nrm x",
        "a # 'rm y\nrm x",
        "if a; then\n  b\n\n  rm x\nfi",
        "{\n rm x\n}",
        "a \\\n && rm x",
        "a &&\nrm x",
        "a && \\\n  { rm x; }",
        "a || \\\n  if b; then rm x; fi",
        "a |\nrm x",
        "(\ncd b\nrm x\n)",
        "rm x # y",
        "set -e; rm x",
        "a=1 b=2 rm x",
        "2>/dev/null rm x",
        "rm x 2>/dev/null",
        "rm >f x",
        "rm</dev/null x",
    ];
    for text in cases {
        assert_eq!(calls(text, "rm"), ["rm x"], "{text}");
        assert!(
            intent(text)
                .notes
                .iter()
                .all(|note| note.cause != UnreadCause::Unparseable),
            "{text}"
        );
    }
}

#[test]
fn a_function_that_nobody_calls_does_nothing() {
    assert_eq!(commands("f() { rm x; }"), [""; 0]);
}

#[test]
fn a_functions_body_is_read_at_each_call() {
    assert_eq!(calls("f() { rm $1; }; f a; f b", "rm"), ["rm a", "rm b"]);
}

#[test]
fn a_function_that_calls_itself_is_read_once() {
    assert_eq!(calls("f() { rm x; f; }; f", "rm"), ["rm x"]);
    assert!(intent("f() { rm x; f; }; f").notes.is_empty());
}

#[test]
fn a_function_that_starts_itself_without_end_is_noted() {
    for text in [":(){ :|:& };:", "f() { f | f & }; f", "b() { b & b; }; b"] {
        let notes = intent(text).notes;
        assert!(
            notes.iter().any(|note| note.cause == UnreadCause::CallsItself),
            "{text}"
        );
    }
}

#[test]
fn functions_are_followed_eight_deep() {
    let text = |depth: usize| {
        let bodies = (0..depth).map(|level| format!("f{level}() {{ f{}; }}; ", level + 1));
        format!("{}f{depth}() {{ rm x; }}; f0", bodies.collect::<String>())
    };
    assert_eq!(calls(&text(7), "rm"), ["rm x"]);
    assert_eq!(calls(&text(20), "rm"), [""; 0]);
    let notes = intent(&text(20)).notes;
    assert!(notes.iter().any(|note| note.cause == UnreadCause::OverBudget));
}

#[test]
fn branches_join_into_either_value() {
    let cases = [
        ("if a; then X=b; else X=c; fi; rm $X", "rm {b,c}"),
        ("X=b; if a; then X=c; fi; rm $X", "rm {b,c}"),
        ("case a in a) X=b;; *) X=c;; esac; rm $X", "rm {b,c}"),
        ("X=b; a || X=c; rm $X", "rm {b,c}"),
        ("for X in b c; do rm $X; done", "rm {b,c}"),
        ("for X in b c; do :; done; rm $X", "rm {b,c}"),
        ("for X in *.o; do rm \"$X\"; done", "rm *.o"),
        (
            "for X in b c; do for Y in 1 2; do rm $X$Y; done; done",
            "rm {b1,b2,c1,c2}",
        ),
        ("X=a; while b; do rm $X; X=c; done", "rm {a,c}"),
        ("printf 'a\\nb\\n' | while read X; do rm $X; done", "rm {a,b}"),
        ("while read X; do rm $X; done <<< a", "rm a"),
        ("while read -r X; do rm \"$X\"; done < f", "rm ${X}"),
        ("select X in b c; do rm $X; done", "rm {b,c}"),
        ("if a; then X=b; fi; rm $X", "rm b"),
        ("if a; then X=b; exit; fi; X=c; rm $X", "rm c"),
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
fn each_program_a_word_may_be_is_a_command() {
    assert_eq!(commands("for C in ls rm; do $C x; done"), ["ls x", "rm x"]);
}

#[test]
fn a_subshell_keeps_its_variables_to_itself() {
    assert_eq!(calls("X=a; (X=b); rm $X", "rm"), ["rm a"]);
    assert_eq!(calls("X=a; echo $(X=b); rm $X", "rm"), ["rm a"]);
    assert_eq!(calls("X=a; X=b | c; rm $X", "rm"), ["rm a"]);
    assert_eq!(calls("X=a; X=b & rm $X", "rm"), ["rm a"]);
    assert_eq!(calls("X=a; { X=b; }; rm $X", "rm"), ["rm b"]);
}

#[test]
fn the_background_is_noted() {
    let flags = |text: &str| -> Vec<bool> {
        intent(text)
            .commands
            .iter()
            .map(|command| command.background)
            .collect()
    };
    assert_eq!(flags("a & b"), [true, false]);
    assert_eq!(flags("{ a; b; } & c"), [true, true, false]);
    assert_eq!(flags("coproc a"), [true]);
}

#[test]
fn variables_in_front_and_exported_ones_are_the_environment() {
    let read = intent("export A=1; B=2; C=3 a; b");
    let env = |index: usize| -> Vec<String> {
        let pairs = read.commands[index].env.iter();
        pairs
            .map(|(name, word)| format!("{name}={}", word.literal().unwrap_or("?")))
            .collect()
    };
    assert_eq!(env(1), ["A=1", "C=3"]);
    assert_eq!(env(2), ["A=1"]);
}

#[test]
fn a_text_without_commands_has_none() {
    for text in ["", "  \n\t", "# only a comment", "X=1", "f() { a; }"] {
        assert_eq!(commands(text), [""; 0], "{text}");
    }
}

#[test]
fn a_redirection_alone_is_a_command_without_words() {
    let read = intent("> f");
    assert_eq!(read.commands.len(), 1);
    assert!(read.commands[0].argv.is_empty() && read.commands[0].redirects.len() == 1);
}

#[test]
fn what_stands_in_complete_lines_before_an_error_is_read() {
    for text in ["rm x\nif", "rm x\necho 'a", "rm x\n)", "rm x\n$(", "rm x\nfor"] {
        let read = intent(text);
        assert_eq!(
            super::shown(&read).first().map(String::as_str),
            Some("rm x"),
            "{text}"
        );
        assert!(
            read.notes
                .iter()
                .any(|note| note.cause == UnreadCause::Unparseable),
            "{text}"
        );
    }
}

#[test]
fn what_the_shell_refuses_is_unparseable() {
    for text in [
        "if",
        "a (",
        "'",
        "\"",
        "$(",
        "${",
        "a |",
        "case x in",
        "for",
        "a && ",
        ")",
        "fi",
        "{ a;",
        "a <",
        "f() {",
    ] {
        assert!(
            intent(text)
                .notes
                .iter()
                .any(|note| note.cause == UnreadCause::Unparseable),
            "{text}"
        );
    }
}
