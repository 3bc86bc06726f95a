use super::*;
use proptest::prelude::*;

#[test]
fn what_could_rewrite_a_terminal_or_turn_a_line_around_is_escaped() {
    assert_eq!(
        one_line("a\u{1b}[2Jb\nc\u{202e}d", 40),
        "a\\u{1b}[2Jb\\nc\\u{202e}d"
    );
}

#[test]
fn text_that_only_a_model_would_read_is_escaped() {
    assert_eq!(one_line("ok\u{e0041}\u{2028}", 40), "ok\\u{e0041}\\u{2028}");
}

#[test]
fn letters_of_every_script_stay_as_they_are() {
    assert_eq!(one_line("zażółć 日本 👩‍🚀", 40), "zażółć 日本 👩‍🚀");
}

#[test]
fn a_text_is_cut_only_when_it_is_too_long() {
    assert_eq!(one_line("abcdef", 3), "abc…");
    assert_eq!(one_line("abc", 3), "abc");
    assert_eq!(one_line("", 0), "");
}

#[test]
fn an_escape_is_never_cut_in_half_and_counts_as_it_is_shown() {
    assert_eq!(one_line("ab\u{1b}\u{1b}", 7), "ab…");
    assert_eq!(one_line("ab\u{1b}\u{1b}", 8), "ab\\u{1b}…");
}

#[test]
fn lines_are_kept_and_nothing_else_is() {
    assert_eq!(lines("one\r\ntwo\u{7}\n"), "one\ntwo\\u{7}\n");
}

#[test]
fn length_is_counted_as_the_client_counts() {
    assert_eq!(utf16_len("aé😀"), 4);
}

#[test]
fn a_pair_that_does_not_fit_is_left_out_whole() {
    assert_eq!(cut_utf16("a😀b", 4), "a😀b");
    assert_eq!(cut_utf16("a😀b", 3), "a…");
    assert_eq!(cut_utf16("a😀b", 0), "");
}

#[test]
fn json_is_escaped_where_a_terminal_would_obey_it_and_means_the_same() {
    assert_eq!(
        json_escaped("{\n \"a\": \"é\u{9b}1m\u{7f}\u{202e}\u{e0001}\"\n}"),
        "{\n \"a\": \"é\\u009b1m\\u007f\\u202e\\udb40\\udc01\"\n}"
    );
}

proptest! {
    #[test]
    fn escaped_json_means_the_same_and_holds_no_control_character(text in ".{0,60}|[\\u{0}-\\u{ff}]{0,60}") {
        let escaped = json_escaped(&serde_json::to_string(&text).unwrap());
        prop_assert!(!escaped.chars().any(char::is_control));
        prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn shown_text_has_no_control_character_and_keeps_to_its_limit(text in ".{0,60}|[\\x00-\\x1f]{0,60}", limit in 0_usize..80) {
        let shown = one_line(&text, limit);
        prop_assert!(!shown.chars().any(char::is_control));
        prop_assert!(shown.chars().count() <= limit + 1);
    }

    #[test]
    fn a_cut_text_keeps_to_its_limit_and_to_its_beginning(text in ".{0,40}", limit in 0_usize..60) {
        let cut = cut_utf16(&text, limit);
        prop_assert!(utf16_len(&cut) <= limit);
        prop_assert!(cut == text || text.starts_with(cut.trim_end_matches('…')));
    }
}
