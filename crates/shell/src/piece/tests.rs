use super::{WordPiece, WordPosition, pieces};

/// The pieces, one letter for each kind.
fn taken_apart(raw: &str, setting: WordPosition) -> String {
    let pieces = pieces(raw, setting, 64).expect("a complete word");
    let show = |piece: &WordPiece<'_>| match piece {
        WordPiece::Bare(text) => format!("b[{text}]"),
        WordPiece::Quoted(text) => format!("q[{text}]"),
        WordPiece::Parameter { body, quoted, .. } => format!("{}[{body}]", if *quoted { "P" } else { "p" }),
        WordPiece::Substitution { body, quoted, .. } => {
            format!("{}[{body}]", if *quoted { "S" } else { "s" })
        }
        WordPiece::Process { body, is_input, .. } => format!("{}[{body}]", if *is_input { "<" } else { ">" }),
        WordPiece::Arithmetic { body, .. } => format!("a[{body}]"),
    };
    pieces.iter().map(show).collect()
}

#[test]
fn a_word_is_taken_apart_at_quotes_and_dollars() {
    let cases = [
        ("abc", "b[abc]"),
        ("r''m", "b[r]q[]b[m]"),
        ("a'b c'd", "b[a]q[b c]b[d]"),
        (r#""a b""#, "q[]q[a b]"),
        (r#""a$b c""#, "q[]q[a]P[b]q[ c]"),
        (r#""a\$b\"c\d\\e""#, r#"q[]q[a]q[$b]q["c\d]q[\e]"#),
        (r"a\ b\*c", "b[a]q[ ]b[b]q[*]b[c]"),
        ("a\\\nb", "b[a]b[b]"),
        ("$a$b", "p[a]p[b]"),
        ("$a.b", "p[a]b[.b]"),
        ("${a}b", "p[a]b[b]"),
        ("${a:-$(b)}", "p[a:-$(b)]"),
        ("$(a b)c", "s[a b]b[c]"),
        ("`a`", "s[a]"),
        (r#""$(a "b")""#, r#"q[]S[a "b"]"#),
        ("$'a\\tb'", "q[a\tb]"),
        (r#"$"a$b""#, "q[]q[a]P[b]"),
        ("$((1+2))", "a[1+2]"),
        ("$[1+2]", "a[1+2]"),
        ("$((a) | b)", "s[(a) | b]"),
        ("$1$@$#$?$$", "p[1]p[@]p[#]p[?]p[$]"),
        ("$10", "p[1]b[0]"),
        ("a$", "b[a$]"),
        ("$%", "b[$%]"),
        ("<(a)", "<[a]"),
        (">(a)b", ">[a]b[b]"),
        ("é$a", "b[é]p[a]"),
    ];
    for (raw, expected) in cases {
        assert_eq!(taken_apart(raw, WordPosition::Bare), expected, "{raw}");
    }
}

#[test]
fn quotes_are_ordinary_in_a_heredoc() {
    let cases = [
        ("a 'b' \"$c\"\n", "q[a 'b' \"]P[c]q[\"\n]"),
        (r#"\$a \" \\ \x"#, r#"q[$a \" ]q[\ \x]"#),
        ("$(a 'b')", "S[a 'b']"),
    ];
    for (raw, expected) in cases {
        assert_eq!(taken_apart(raw, WordPosition::Heredoc), expected, "{raw}");
    }
}

#[test]
fn a_word_whose_quote_does_not_end_is_none() {
    for raw in ["'a", "\"a", "$(a", "${a", "`a", "<(a", "$'a"] {
        assert_eq!(pieces(raw, WordPosition::Bare, 64), None, "{raw}");
    }
}

#[test]
fn pieces_know_where_they_stand() {
    let raw = "a\"b$(c d)\"";
    let found = pieces(raw, WordPosition::Bare, 64).expect("a complete word");
    let place = found.iter().find_map(|piece| match piece {
        WordPiece::Substitution { body, at, .. } => raw.get(*at..*at + body.len()),
        _ => None,
    });
    assert_eq!(place, Some("c d"));
}
