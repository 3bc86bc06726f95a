use super::*;
use proptest::prelude::*;

#[test]
fn escape_sequences_go_with_everything_they_hold() {
    for (text, expected) in [
        ("\u{1b}[1;31mred\u{1b}[0m text", "red text"),
        ("\u{1b}]0;title\u{7}after", "after"),
        ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
        ("\u{9b}31mred", "red"),
        ("\u{1b}(Bplain", "plain"),
        ("\u{1b}cplain", "plain"),
        ("\u{1b}Pq#0\u{9c}plain", "plain"),
        ("\u{1b}]never ended", "never ended"),
        ("end \u{1b}", "end"),
        ("end \u{1b}[", "end"),
        ("\u{1b}é", "é"),
    ] {
        assert_eq!(plain(text), expected, "{text:?}");
    }
}

#[test]
fn white_space_collapses_and_what_cannot_be_seen_goes() {
    assert_eq!(plain(" a\t\n b\u{a0}c\r\n"), "a b c");
    assert_eq!(plain("a\u{7}\u{0}b\u{202e}c\u{200b}d\u{feff}"), "abcd");
    assert_eq!(plain("\u{200b}\u{1b}[0m \u{7}"), "");
}

#[test]
fn a_text_is_cut_between_words() {
    assert_eq!(shortened("four words of text", 18), "four words of text");
    assert_eq!(shortened("four words of text", 17), "four words of…");
    assert_eq!(shortened("four words of text", 11), "four words…");
    assert_eq!(
        shortened("four words of text", 10),
        "four word…",
        "half of it would be too little"
    );
    assert_eq!(shortened(&"x".repeat(100), 10), "xxxxxxxxx…");
}

#[test]
fn a_visible_character_is_never_cut_in_two() {
    let family = "👩\u{200d}👩\u{200d}👧";
    assert_eq!(shortened(&format!("aaaa{family}{family}"), 8), "aaaa…");
    assert_eq!(
        shortened(&format!("aaaa{family}{family}"), 10),
        format!("aaaa{family}…")
    );
    assert_eq!(shortened("aaa🇩🇪🇫🇷🇮🇹", 7), "aaa🇩🇪…");
    assert_eq!(shortened("aaa👍🏽👍🏽bbb", 7), "aaa👍🏽…");
    assert_eq!(shortened("caf\u{65}\u{301}s and more", 5), "caf…");
}

proptest! {
    #[test]
    fn what_is_plain_is_one_line_without_controls(text in "(?s).{0,200}") {
        let shown = plain(&text);
        prop_assert!(!shown.chars().any(char::is_control));
        prop_assert_eq!(plain(&shown), shown.clone());
        prop_assert_eq!(shown.trim(), shown.as_str());
    }

    #[test]
    fn what_is_shortened_fits(text in "(?s).{0,60}", limit in 1_usize..40) {
        let short = shortened(&text, limit);
        prop_assert!(short.chars().count() <= limit);
        prop_assert_eq!(short == text, text.chars().count() <= limit);
    }
}
