use super::decoded;

#[test]
fn escapes_stand_for_their_characters() {
    let cases = [
        ("plain", "plain"),
        (r"\x72m", "rm"),
        (r"\x72\x6d", "rm"),
        (r"\162\155", "rm"),
        (r"\u0072m", "rm"),
        (r"\U00000072m", "rm"),
        (r"a\tb\nc", "a\tb\nc"),
        (r#"\\ \' \" \?"#, r#"\ ' " ?"#),
        (r"\e[0m", "\u{1b}[0m"),
        (r"\cA", "\u{1}"),
        (r"\q", r"\q"),
        (r"\x", r"\x"),
        (r"\xzz", r"\xzz"),
        (r"a\", r"a\"),
        (r"\xc3\xa9", "é"),
        ("é", "é"),
    ];
    for (raw, expected) in cases {
        assert_eq!(decoded(raw), expected, "{raw}");
    }
}

#[test]
fn a_nul_ends_the_string() {
    assert_eq!(decoded(r"rm\0 more"), "rm");
    assert_eq!(decoded(r"rm\x00more"), "rm");
}

#[test]
fn bytes_that_are_no_text_do_not_break_it() {
    assert_eq!(decoded(r"a\xffb"), "a\u{fffd}b");
}
