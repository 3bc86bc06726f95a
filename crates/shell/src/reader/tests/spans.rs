//! Spans are exact, so that a splice changes nothing else.

use super::intent;
use crate::{RedirectOp, Span};

/// The bytes of every command with a span.
fn segments(text: &str) -> Vec<&str> {
    let spans = intent(text)
        .commands
        .into_iter()
        .filter_map(|command| command.span);
    spans
        .map(|span: Span| span.of(text).expect("bytes of the text"))
        .collect()
}

#[test]
fn a_span_is_the_written_command() {
    let cases: &[(&str, &[&str])] = &[
        ("a b", &["a b"]),
        ("  a b  ", &["a b"]),
        ("a b; c d", &["a b", "c d"]),
        ("a b;c d;", &["a b", "c d"]),
        ("a b && c d", &["a b", "c d"]),
        ("a b|c d", &["a b", "c d"]),
        ("a b &", &["a b"]),
        ("a 'b;c' # d", &["a 'b;c'"]),
        ("(a b)", &["a b"]),
        ("{ a b; }", &["a b"]),
        ("if a b; then c d; fi", &["a b", "c d"]),
        ("X=1 a b", &["X=1 a b"]),
        ("a b > f 2>&1", &["a b > f 2>&1"]),
        (">f a b", &[">f a b"]),
        ("a $(b c) d", &["b c", "a $(b c) d"]),
        ("a \"x $(b c) y\" d", &["b c", "a \"x $(b c) y\" d"]),
        ("a `b c` d", &["b c", "a `b c` d"]),
        ("a ${x:-$(b c)}", &["b c", "a ${x:-$(b c)}"]),
        ("a <(b c)", &["b c", "a <(b c)"]),
        ("a <<E\nx $(b c)\nE\nd", &["b c", "a <<E", "d"]),
        ("f() { a b; }; f", &["f", "a b"]),
        ("find . -exec a {} \\;", &["find . -exec a {} \\;"]),
        ("sudo a b", &["sudo a b", "a b"]),
        (
            "sudo -u r env X=1 a b",
            &["sudo -u r env X=1 a b", "env X=1 a b", "a b"],
        ),
        ("é b; ü 'ö' d", &["é b", "ü 'ö' d"]),
        ("a \\\n  b", &["a \\\n  b"]),
        ("export A=1; b", &["export A=1", "b"]),
        ("[[ -n $(a b) ]] && c d", &["a b", "c d"]),
        ("x=$(a b)", &["a b"]),
        ("case a in a) b c;; esac", &["b c"]),
    ];
    for (text, expected) in cases {
        assert_eq!(segments(text), *expected, "{text}");
    }
}

#[test]
fn what_came_out_of_a_string_has_no_span() {
    let cases = [
        "bash -c 'rm x'",
        "eval 'rm x'",
        "echo 'rm x' | sh",
        "alias r='rm x'; r",
        "git -c alias.r='!rm x' r",
        "trap 'rm x' EXIT",
        "bash <<E\nrm x\nE",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "echo 'rm x' > f; bash f",
        "echo `echo \\`rm x\\``",
    ];
    for text in cases {
        let read = intent(text);
        let rm = read
            .commands
            .iter()
            .find(|command| command.program() == Some("rm"));
        assert_eq!(rm.map(|command| command.span), Some(None), "{text}");
    }
}

#[test]
fn each_word_has_its_own_span() {
    let text = "git push 'a b' $X \"$Y\" {c,d} e";
    let command = super::first(text);
    let written: Vec<Option<&str>> = command
        .spans
        .iter()
        .map(|span| span.and_then(|span| span.of(text)))
        .collect();
    assert_eq!(
        written,
        [
            Some("git"),
            Some("push"),
            Some("'a b'"),
            Some("$X"),
            Some("\"$Y\""),
            None,
            None,
            Some("e")
        ]
    );
    assert_eq!(command.spans.len(), command.argv.len());
}

#[test]
fn words_behind_a_wrapper_keep_their_spans() {
    let text = "sudo git push --force origin x";
    let inner = intent(text).commands.pop().expect("a command");
    let written: Vec<Option<&str>> = inner
        .spans
        .iter()
        .map(|span| span.and_then(|span| span.of(text)))
        .collect();
    assert_eq!(
        written,
        [
            Some("git"),
            Some("push"),
            Some("--force"),
            Some("origin"),
            Some("x")
        ]
    );
}

#[test]
fn redirections_are_read_in_every_form() {
    use RedirectOp::{
        Append, AppendAll, Clobber, Duplicate, HereDoc, HereString, Read, ReadWrite, Write, WriteAll,
    };
    let cases = [
        ("> f", None, Write, "f"),
        (">f", None, Write, "f"),
        ("1> f", Some(1), Write, "f"),
        ("2>f", Some(2), Write, "f"),
        (">> f", None, Append, "f"),
        ("2>> f", Some(2), Append, "f"),
        (">| f", None, Clobber, "f"),
        ("&> f", None, WriteAll, "f"),
        ("&>> f", None, AppendAll, "f"),
        (">& f", None, WriteAll, "f"),
        ("<> f", None, ReadWrite, "f"),
        ("3<> f", Some(3), ReadWrite, "f"),
        ("< f", None, Read, "f"),
        ("0< f", Some(0), Read, "f"),
        (">&2", None, Duplicate, "2"),
        ("2>&1", Some(2), Duplicate, "1"),
        ("<&3", None, Duplicate, "3"),
        ("2>&-", Some(2), Duplicate, "-"),
        ("<<< f", None, HereString, "f"),
        ("<<f\nx\nf", None, HereDoc, "f"),
        ("> 'f'", None, Write, "f"),
        ("> \"f\"", None, Write, "f"),
    ];
    for (written, fd, op, target) in cases {
        let text = format!("a {written}");
        let command = super::first(&text);
        let [redirect] = command.redirects.as_slice() else {
            panic!("{written}: {:?}", command.redirects);
        };
        let found = (redirect.fd, redirect.op, redirect.target.literal());
        assert_eq!(found, (fd, op, Some(target)), "{written}");
        let line = written.lines().next().expect("a line");
        assert_eq!(
            redirect.span.and_then(|span| span.of(&text)),
            Some(line),
            "{written}"
        );
    }
}

#[test]
fn a_redirections_target_has_a_span_of_its_own() {
    let text = "a > 'f g' b";
    let command = super::first(text);
    let span = command.redirects[0].target_span.expect("a written target");
    assert_eq!(span.of(text), Some("'f g'"));
}

#[test]
fn commands_of_a_group_carry_its_redirections() {
    let read = intent("{ a; b > g; } > f; c");
    let counts: Vec<usize> = read
        .commands
        .iter()
        .map(|command| command.redirects.len())
        .collect();
    assert_eq!(counts, [1, 2, 0]);
    assert_eq!(read.commands[1].redirects[0].target.literal(), Some("f"));
}

#[test]
fn long_commands_are_shown_short() {
    let text = format!("a {}", "b".repeat(10_000));
    let command = super::first(&text);
    assert!(command.text.len() < 500);
    assert_eq!(command.span.and_then(|span| span.of(&text)), Some(text.as_str()));
}
