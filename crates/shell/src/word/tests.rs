use super::Word;

fn glob(pattern: &str) -> Word {
    Word::Glob {
        pattern: pattern.to_owned(),
    }
}

#[test]
fn equal_choices_are_one_choice() {
    assert_eq!(Word::one_of(["a".to_owned(), "a".to_owned()]), Word::new("a"));
    assert_eq!(
        Word::one_of(["a".to_owned(), "b".to_owned()]),
        Word::OneOf(vec!["a".to_owned(), "b".to_owned()])
    );
}

#[test]
fn too_many_choices_are_unknown() {
    assert!(Word::one_of((0..17).map(|number| number.to_string())).is_unknown());
    assert!(!Word::one_of((0..16).map(|number| number.to_string())).is_unknown());
    assert!(Word::one_of([]).is_unknown());
}

#[test]
fn a_pattern_begins_with_what_stands_before_its_first_active_character() {
    assert_eq!(glob("src/*.rs").prefix(), "src/");
    assert_eq!(glob(r"a\*b?").prefix(), "a*b");
    assert_eq!(glob("*").prefix(), "");
}

#[test]
fn choices_begin_with_what_they_share() {
    let word = Word::OneOf(vec!["/tmp/a".to_owned(), "/tmp/b".to_owned()]);
    assert_eq!(word.prefix(), "/tmp/");
}

#[test]
fn only_one_text_is_literal() {
    assert_eq!(Word::new("a").literal(), Some("a"));
    assert_eq!(Word::OneOf(vec!["a".to_owned(), "b".to_owned()]).literal(), None);
    assert_eq!(Word::OneOf(vec!["a".to_owned(), "b".to_owned()]).texts().len(), 2);
    assert_eq!(glob("*").texts().len(), 0);
}
