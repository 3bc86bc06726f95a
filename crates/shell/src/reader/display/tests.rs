use super::{shortened, written};
use crate::word::Word;

#[test]
fn words_are_shown_as_one_would_write_them() {
    let words = [
        Word::new("rm"),
        Word::new("a b"),
        Word::new("it's"),
        Word::new(""),
        Word::OneOf(vec!["x".to_owned(), "y".to_owned()]),
        Word::Glob {
            pattern: "*.o".to_owned(),
        },
        Word::unknown(),
    ];
    assert_eq!(written(&words), r"rm 'a b' 'it'\''s' '' {x,y} *.o …");
}

#[test]
fn a_long_text_is_cut_in_the_middle() {
    let text = shortened(&format!("start {} end", "é".repeat(10_000)));
    assert!(text.len() < 500 && text.starts_with("start ") && text.ends_with(" end"));
}
