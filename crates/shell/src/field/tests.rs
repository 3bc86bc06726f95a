use super::{ExpandedWord, WordAssembler};
use crate::word::Word;

const BLANKS: &str = " \t\n";

fn made(make: impl FnOnce(&mut WordAssembler)) -> Vec<Word> {
    let mut fields = WordAssembler::default();
    make(&mut fields);
    fields.finish(false).into_iter().map(|field| field.word).collect()
}

fn literals(texts: &[&str]) -> Vec<Word> {
    texts.iter().copied().map(Word::new).collect()
}

#[test]
fn parts_are_joined_into_one_word() {
    let words = made(|fields| {
        fields.bare("r");
        fields.quoted("");
        fields.bare("m");
    });
    assert_eq!(words, literals(&["rm"]));
}

#[test]
fn a_value_outside_quotes_is_split_and_joins_its_neighbours() {
    let words = made(|fields| {
        fields.bare("a");
        fields.split("1 2  3", BLANKS);
        fields.bare("b");
    });
    assert_eq!(words, literals(&["a1", "2", "3b"]));
}

#[test]
fn an_empty_value_is_no_word_unless_it_is_quoted() {
    assert_eq!(made(|fields| fields.split("", BLANKS)), literals(&[]));
    assert_eq!(made(|fields| fields.quoted("")), literals(&[""]));
}

#[test]
fn a_value_that_begins_with_a_blank_ends_the_word_before() {
    let words = made(|fields| {
        fields.bare("a");
        fields.split(" b ", BLANKS);
        fields.bare("c");
    });
    assert_eq!(words, literals(&["a", "b", "c"]));
}

#[test]
fn quoted_patterns_are_ordinary() {
    assert_eq!(made(|fields| fields.quoted("*")), literals(&["*"]));
    let words = made(|fields| {
        fields.quoted("a*");
        fields.bare("*");
    });
    let pattern = r"a\**".to_owned();
    assert_eq!(words, [Word::Glob { pattern }]);
    assert_eq!(made(|fields| fields.bare("a[b")), literals(&["a[b"]));
}

#[test]
fn choices_multiply_with_their_surroundings() {
    let words = made(|fields| {
        fields.bare("x/");
        fields.choice(&["a".to_owned(), "b".to_owned()], true, BLANKS);
        fields.bare("/y");
    });
    assert_eq!(words, [Word::OneOf(vec!["x/a/y".to_owned(), "x/b/y".to_owned()])]);
}

#[test]
fn a_choice_that_is_split_takes_what_may_stand_at_each_place() {
    let words = made(|fields| fields.choice(&["a b".to_owned(), "c".to_owned()], false, BLANKS));
    assert_eq!(
        words,
        [Word::OneOf(vec!["a".to_owned(), "c".to_owned()]), Word::new("b")]
    );
}

#[test]
fn too_many_choices_keep_the_ends() {
    let some: Vec<String> = (0..5).map(|number| number.to_string()).collect();
    let words = made(|fields| {
        fields.bare("a");
        fields.choice(&some, true, BLANKS);
        fields.choice(&some, true, BLANKS);
        fields.bare("z");
    });
    let Some(Word::Unknown { prefix, suffix, .. }) = words.first() else {
        panic!("25 are more than 16");
    };
    assert_eq!((prefix.as_str(), suffix.as_str()), ("a", "z"));
}

#[test]
fn what_is_unknown_keeps_its_name_only_if_it_is_alone() {
    let name_of = |words: Vec<Word>| match words.into_iter().next() {
        Some(Word::Unknown { name, .. }) => name,
        _ => None,
    };
    let one = made(|fields| {
        fields.unknown(true, Some("X"));
        fields.bare("/y");
    });
    assert_eq!(name_of(one).as_deref(), Some("X"));
    let two = made(|fields| {
        fields.unknown(true, Some("X"));
        fields.unknown(true, Some("Y"));
    });
    assert_eq!(name_of(two), None);
}

#[test]
fn one_bare_unknown_makes_the_whole_word_any_number_of_words() {
    let words = made(|fields| {
        fields.unknown(true, Some("X"));
        fields.unknown(false, Some("Y"));
    });
    assert!(matches!(words.as_slice(), [Word::Unknown { quoted: false, .. }]));
}

#[test]
fn a_word_knows_who_feeds_it() {
    let mut fields = WordAssembler::default();
    fields.bare("a");
    fields.end_word();
    fields.fed_by(&[3]);
    fields.unknown(true, None);
    let feeds: Vec<Vec<usize>> = fields
        .finish(false)
        .into_iter()
        .map(|field| field.feeds)
        .collect();
    assert_eq!(feeds, [vec![], vec![3]]);
}

#[test]
fn text_with_gaps_is_unknown_where_the_gaps_are() {
    let text = format!("a{}b", crate::gap::gap(Some("X")));
    let mut fields = WordAssembler::default();
    fields.quoted(&text);
    let made = fields.finish(true);
    let [ExpandedWord { word, template, .. }] = made.as_slice() else {
        panic!("one word");
    };
    assert!(matches!(word, Word::Unknown { prefix, suffix, .. } if prefix == "a" && suffix == "b"));
    assert_eq!(template.as_deref(), Some(text.as_str()));
}
