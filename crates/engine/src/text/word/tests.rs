use super::*;
use proptest::prelude::*;
use std::process::Command;

#[test]
fn plain_words_stay_and_all_others_are_quoted() {
    for (text, shown) in [
        ("feature/login", "feature/login"),
        ("src/ä.rs", "src/ä.rs"),
        ("HEAD~1", "HEAD~1"),
        ("--path=a", "--path=a"),
        ("", "''"),
        ("a b", "'a b'"),
        ("a'b;c", r"'a'\''b;c'"),
        ("~/x", "'~/x'"),
        ("a=~/x", "'a=~/x'"),
        ("=ls", "'=ls'"),
        ("$(touch x)", "'$(touch x)'"),
        ("`x`", "'`x`'"),
        ("a\nb\x1b[31m'\\", r"$'a\nb\033[31m\'\\'"),
        ("a\u{202e}b", r"$'a\342\200\256b'"),
    ] {
        assert_eq!(word(text), shown);
    }
    assert_eq!(word(b"caf\xc3"), r"$'caf\303'");
    assert_eq!(path_word("-n"), "./-n");
    assert_eq!(path_word("-n x"), "'./-n x'");
    assert_eq!(path_word("a-n"), "a-n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_shell_reads_every_word_as_the_text_it_stands_for(
        texts in prop::collection::vec(prop::collection::vec(prop_oneof![1..=255_u8, prop::sample::select(&b"'\"\\$`~=;&|<>(){}[]*?!#^-\n\t\x1b 07"[..])], 0..12), 1..20)
    ) {
        let words: Vec<String> = texts.iter().map(word).collect();
        for one in &words {
            prop_assert!(!one.chars().any(is_unsafe), "{one:?} is not fit for one line");
        }
        let script = format!("printf '%s\\0' {}", words.join(" "));
        let said = Command::new("bash").arg("-c").arg(&script).output().unwrap();
        let mut expected = texts.join(&0);
        expected.push(0);
        prop_assert_eq!(said.stdout, expected);
    }
}
