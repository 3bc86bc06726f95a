//! Whatever the text, reading it ends well.

use super::{intent, shown};
use crate::{Budget, Coverage, Intent};
use proptest::prelude::*;

/// What holds for every text.
fn check(text: &str, read: &Intent) {
    assert!(read.commands.len() <= Budget::default().nodes);
    for command in &read.commands {
        assert_eq!(command.argv.len(), command.spans.len());
        assert!(command.argv.len() <= Budget::default().words + 1);
        if let Some(span) = command.span {
            assert!(span.of(text).is_some(), "a span within the text");
        }
        for span in command.spans.iter().flatten() {
            assert!(span.of(text).is_some(), "a span within the text");
        }
        for feed in &command.feeds {
            assert!(feed.commands.iter().all(|index| *index < read.commands.len()));
        }
    }
    let is_noted = read.notes.iter().any(|note| note.cause.is_opaque());
    assert_eq!(read.coverage == Coverage::Opaque, is_noted);
    for note in &read.notes {
        assert!(note.command.is_none_or(|index| index < read.commands.len()));
    }
}

/// Pieces that mean something to a shell.
#[expect(clippy::too_many_lines, reason = "a table")]
fn piece() -> impl Strategy<Value = String> {
    let marks = prop::sample::select(vec![
        "rm",
        "-rf",
        "x",
        "$x",
        "${x}",
        "${x:-y}",
        "${x%",
        "}",
        "$(",
        ")",
        "`",
        "'",
        "\"",
        "\\",
        "\n",
        " ",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "<<E\n",
        "E\n",
        "<<<",
        "<",
        ">",
        ">>",
        "2>&1",
        "&>",
        "(",
        "((",
        "))",
        "{ ",
        "; }",
        "{a,b}",
        "{1..9}",
        "if ",
        "; then ",
        "; else ",
        "; fi",
        "for i in ",
        "; do ",
        "; done",
        "while ",
        "case x in ",
        "a) ",
        ";; ",
        "esac",
        "f() { ",
        "f ",
        "[[ ",
        " ]]",
        "#",
        "=",
        "X=",
        "a=(",
        "*",
        "?",
        "[",
        "]",
        "~",
        "!",
        "$'",
        "$\"",
        "$((",
        "<(",
        ">(",
        "eval ",
        "bash -c ",
        "sh",
        "xargs ",
        "sudo ",
        "echo ",
        "cat ",
        "cd ",
        "read y ",
        "set -- ",
        "alias r=",
        "trap ",
        "$@",
        "\"$@\"",
        "export ",
        "local ",
        "source ",
        "git ",
        "-c alias.q=",
        "find . -exec ",
        "{} \\;",
        "python3 -c ",
        "\t",
        "\r",
        "é",
        "\u{e000}",
        "base64 -d",
        "$IFS",
        "coproc ",
        "time ",
        "function ",
        "select ",
        "until ",
        "<<-'F'\n",
        "F\n",
        "|&",
        ";&",
        "$[",
        "%",
        "+=",
    ]);
    prop_oneof![
        9 => marks.prop_map(str::to_owned),
        1 => "[ -~]{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mix_of_shell_marks_is_read(pieces in prop::collection::vec(piece(), 0..60)) {
        let text = pieces.concat();
        check(&text, &intent(&text));
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        check(&text, &intent(&text));
    }

    #[test]
    fn reading_twice_says_the_same(pieces in prop::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        prop_assert_eq!(intent(&text), intent(&text));
    }

    #[test]
    fn a_quoted_text_is_data(text in "[^'\u{0}]{0,80}") {
        let read = intent(&format!("echo '{text}'; rm x"));
        prop_assert_eq!(read.commands.len(), 2);
        prop_assert_eq!(shown(&read).pop(), Some("rm x".to_owned()));
    }

    #[test]
    fn a_heredoc_is_data(text in "[^\u{0}]{0,80}") {
        prop_assume!(!text.lines().any(|line| line == "END"));
        let read = intent(&format!("cat <<'END'\n{text}\nEND\nrm x"));
        prop_assert_eq!(read.commands.len(), 2);
        prop_assert_eq!(shown(&read).pop(), Some("rm x".to_owned()));
    }

    #[test]
    fn a_comment_is_data(text in "[^\n\u{0}]{0,80}") {
        let read = intent(&format!("ls # {text}\nrm x"));
        prop_assert_eq!(read.commands.len(), 2);
    }
}
