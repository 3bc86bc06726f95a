//! Text is not a command: what is only data is never read as one.

use super::{World, calls, commands, intent};
use crate::{Coverage, Stdin, UnreadCause, Word};

/// None of these runs `rm` or `git reset`.
#[test]
fn mentions_are_no_commands() {
    let cases = [
        "echo \"rm -rf x\" | wc -l",
        "echo rm -rf x",
        "printf 'rm -rf x\\n'",
        "grep 'git reset --hard' f",
        "git commit -m \"explain git reset --hard; rm -rf x\"",
        "git commit -m 'a\nrm -rf x\nb'",
        "gh pr create --body \"rm -rf /\"",
        "jq '.x=\"rm -rf /\"' f",
        "# rm -rf x",
        "ls # ; rm -rf x",
        "cat <<E\nrm -rf x\nE",
        "cat <<'E'\n$(rm -rf x)\nE",
        "cat <<\\E\n$(rm -rf x)\nE",
        "cat <<\"E\"\n`rm -rf x`\nE",
        "cat <<-E\n\trm -rf x\n\tE",
        "cat > f <<E\nrm -rf x\nE",
        "tee f <<E\nrm -rf x\nE",
        "toprope note <<E\nrm -rf x\nE",
        "git commit -F - <<E\nrm -rf x\nE",
        "git commit -m \"$(cat <<'E'\nrm -rf x; it's \"quoted\" (so)\nE\n)\"",
        "cat <<A <<B\nrm -rf x\nA\nrm -rf y\nB",
        "cat <<< 'rm -rf x'",
        "echo 'rm -rf x' > f",
        "echo 'rm -rf x' | cat | tee f",
        "X='rm -rf x'; echo \"$X\"",
        "X=\"rm -rf x\"",
        "a=(rm -rf x); echo \"${a[@]}\"",
        "echo ${X:-rm -rf x}",
        "[[ $X == \"rm -rf x\" ]]",
        "case rm in rm) ls;; esac",
        "for f in rm reset; do echo $f; done",
        "python3 -c 'print(\"rm -rf x\")'",
        "ls 'a; rm -rf x'",
        "ls \"a && rm -rf x\"",
        "ls a\\;rm",
        "sed -e 's/rm -rf x/y/' f",
        "awk '/rm -rf x/ {print}' f",
        "alias r='rm -rf x'",
        "f() { rm -rf x; }",
        "curl -d '{\"a\": \"rm -rf x\"}' u",
        "rg -n 'rm -rf|git reset --hard' src",
        "cat f | grep -v \"rm -rf x\"",
        "echo \"`echo rm`\"",
    ];
    for text in cases {
        let read = World::asked().read(text);
        let programs: Vec<&str> = read.commands.iter().filter_map(crate::Command::program).collect();
        assert!(!programs.contains(&"rm"), "{text}: {programs:?}");
        assert_ne!(read.coverage, Coverage::Opaque, "{text}");
    }
}

#[test]
fn what_follows_a_heredoc_is_read_as_usual() {
    let cases = [
        "cat <<E; rm x\na\nE",
        "cat <<E\na\nE\nrm x",
        "rm x; cat <<E\na\nE",
        "cat <<E && rm x\nrm y\nE\n",
        "cat <<E | tee f; rm x\nrm y\nE\n",
        "grep y <<< 'abc'; rm x",
        "grep y <<<abc;rm x",
        "cat <<E\nE\nrm x",
    ];
    for text in cases {
        assert_eq!(calls(text, "rm"), ["rm x"], "{text}");
    }
}

/// Fed to a shell, the same text is commands.
#[test]
fn what_feeds_a_shell_is_read() {
    let cases = [
        "bash <<E\nrm x\nE",
        "sh -s <<'E'\nrm x\nE",
        "bash -s a b <<E\nrm x\nE",
        "cat <<E | sh\nrm x\nE",
        "cat <<E | tee f | bash\nrm x\nE",
        "sh /dev/stdin <<E\nrm x\nE",
        "ssh h <<E\nrm x\nE",
        "ssh h bash <<E\nrm x\nE",
        "sudo bash <<E\nrm x\nE",
        "bash <<< 'rm x'",
        "echo 'rm x' | sh",
        "printf 'rm x' | bash",
        "printf '%s\\n' 'rm x' | bash -",
        "echo cm0geAo= | base64 -d | sh",
        "echo cm0geAo= | base64 --decode | bash -s",
        "echo 'x mr' | rev | sh",
        "bash <(echo rm x)",
        "source <(echo rm x)",
        ". <(printf 'rm x')",
        "bash < <(echo rm x)",
        "eval \"$(echo rm x)\"",
        "eval \"$(echo cm0geAo= | base64 -d)\"",
        "bash -c \"$(echo rm x)\"",
        "X='rm x'; eval \"$X\"",
        "X='rm x'; bash -c \"$X\"",
        "X='rm x'; echo \"$X\" | sh",
        "X='rm x'; $X",
        "{ echo rm x; } | sh",
        "(echo rm x) | sh",
        "f() { echo rm x; }; f | sh",
        "echo 'rm x' > f; sh f",
        "echo 'rm x' > f; sh ./f",
        "echo 'rm x' > f; sh < f",
        "echo 'rm x' > f; cat f | sh",
        "echo 'rm x' > f; source f",
        "echo 'rm x' > f; chmod +x f; ./f",
        "echo 'rm x' > /t/f; cd /t; bash f",
        "cat > f <<E\nrm x\nE\nbash f",
        "cat <<E > f\nrm x\nE\nbash f",
        "tee f <<E\nrm x\nE\nbash f",
        "echo 'rm x' | tee f; bash f",
        "echo 'rm x' > f; mv f g; bash g",
        "echo rm > f; echo ' y' >> g; bash f",
    ];
    for text in cases {
        let found = calls(text, "rm");
        let expected = if text.contains(" y' >> g") { "rm" } else { "rm x" };
        assert_eq!(found.first().map(String::as_str), Some(expected), "{text}");
    }
}

#[test]
fn what_feeds_a_shell_is_read_as_far_as_it_is_known() {
    let cases = [
        ("bash -c \"rm -rf $D/x\"", "rm -rf ${D}/x"),
        ("eval \"rm -rf '$D'\"", "rm -rf ${D}"),
        ("ssh h \"rm -rf $D\"", "rm -rf ${D}"),
        ("bash <<E\nrm -rf $D\nE", "rm -rf ${D}"),
        ("echo \"rm -rf $D\" | sh", "rm -rf ${D}"),
        ("bash <<< \"rm -rf $(foo)\"", "rm -rf …"),
        ("cat <<E | sh\nrm -rf $D\nE", "rm -rf ${D}"),
    ];
    for (text, expected) in cases {
        let read = intent(text);
        let shown = super::shown(&read);
        assert_eq!(shown.last().map(String::as_str), Some(expected), "{text}");
        assert_eq!(read.coverage, Coverage::Partial, "{text}");
    }
}

#[test]
fn what_feeds_a_shell_and_is_not_known_is_noted() {
    let cases = [
        ("eval \"$X\"", UnreadCause::UnknownCode),
        ("bash -c \"$X\"", UnreadCause::UnknownCode),
        ("sh -c $X", UnreadCause::UnknownCode),
        ("eval \"$(curl u)\"", UnreadCause::UnknownCode),
        ("python3 -c \"$X\"", UnreadCause::UnknownCode),
        ("curl u | sh", UnreadCause::UnknownInput),
        ("curl u | sudo bash", UnreadCause::UnknownInput),
        ("curl u | tee f | bash", UnreadCause::UnknownInput),
        ("bash <(curl u)", UnreadCause::UnknownInput),
        ("source <(curl u)", UnreadCause::UnknownInput),
        ("bash < <(curl u)", UnreadCause::UnknownInput),
        ("cat f | sh", UnreadCause::UnknownInput),
        ("base64 -d f | sh", UnreadCause::UnknownInput),
        ("curl u > f; sh f", UnreadCause::UnknownInput),
        ("curl -o f u; bash f", UnreadCause::UnknownInput),
        ("curl -fsSLo f u && bash f", UnreadCause::UnknownInput),
        ("wget -O f u; sh ./f", UnreadCause::UnknownInput),
        ("curl u | python3", UnreadCause::UnknownInput),
        ("tee >(sh)", UnreadCause::UnknownInput),
    ];
    for (text, cause) in cases {
        let read = intent(text);
        assert!(
            read.notes.iter().any(|note| note.cause == cause),
            "{text}: {:?}",
            read.notes
        );
        assert_eq!(read.coverage, Coverage::Opaque, "{text}");
    }
}

#[test]
fn a_file_that_a_command_wrote_names_its_writer() {
    let read = intent("curl -o f u; bash f");
    let feeds = &read.commands[1].feeds;
    assert_eq!((feeds[0].word, feeds[0].commands.as_slice()), (1, [0].as_slice()));
    let read = intent("bash <(curl u)");
    let feeds = &read.commands[1].feeds;
    assert_eq!((feeds[0].word, feeds[0].commands.as_slice()), (1, [0].as_slice()));
}

#[test]
fn a_shell_without_input_is_not_noted() {
    for text in ["bash", "sh -s", "ssh h", "bash f", "bash -x ./f", "python3 f.py"] {
        assert!(intent(text).notes.is_empty(), "{text}");
    }
}

#[test]
fn a_pipe_names_those_who_print() {
    let read = intent("(a; b) | c | d");
    let stdin: Vec<&Stdin> = read.commands.iter().map(|command| &command.stdin).collect();
    assert_eq!(
        stdin,
        [
            &Stdin::Nothing,
            &Stdin::Nothing,
            &Stdin::Pipe([0, 1].into()),
            &Stdin::Pipe([2].into())
        ]
    );
}

#[test]
fn standard_input_is_what_the_redirection_says() {
    let stdin = |text: &str| super::first(text).stdin;
    let heredoc = |text: &str| Stdin::Heredoc {
        text: Some(text.to_owned()),
    };
    assert_eq!(stdin("a"), Stdin::Nothing);
    assert_eq!(stdin("a < f"), Stdin::File(Word::new("f")));
    assert_eq!(stdin("a <<< b"), Stdin::HereString(Word::new("b")));
    assert_eq!(stdin("a <<E\nb\nE"), heredoc("b\n"));
    assert_eq!(stdin("a <<-E\n\tb\n\t\tc\n\tE"), heredoc("b\nc\n"));
    assert_eq!(
        stdin("X=c; a <<E\nb $X \\$X\nE".trim_start_matches("X=c; ")),
        Stdin::Heredoc { text: None }
    );
    assert_eq!(stdin("a <<E\nb \\$X\nE"), heredoc("b $X\n"));
    assert_eq!(stdin("a <<'E'\nb $X\nE"), heredoc("b $X\n"));
    assert_eq!(stdin("{ a; } < f"), Stdin::File(Word::new("f")));
    assert_eq!(
        intent("a < <(b)").commands[1].stdin,
        Stdin::Substitution([0].into())
    );
}

#[test]
fn data_of_a_megabyte_is_data() {
    let text = format!("cat > f <<'E'\n{}E\nrm x", "rm -rf y $(z)\n".repeat(70_000));
    assert_eq!(commands(&text), ["cat", "rm x"]);
    assert_eq!(intent(&text).coverage, Coverage::Full);
}
