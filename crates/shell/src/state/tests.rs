use super::{ShellState, VariableValue};
use crate::scene::{Budget, Scene, Unasked, UserWrappers};
use crate::word::Word;

fn state() -> ShellState {
    let wrappers = UserWrappers::default();
    ShellState::new(&Scene {
        cwd: Some("/w".to_owned()),
        home: Some("/h".to_owned()),
        user: None,
        tmpdir: None,
        budget: Budget::default(),
        wrappers: &wrappers,
        known: &Unasked,
    })
}

fn with(text: &str) -> ShellState {
    let mut state = state();
    state.set("X", VariableValue::One(Word::new(text)), Vec::new());
    state
}

#[test]
fn two_ways_join_into_either_value() {
    let joined = with("a").join(with("b"));
    let value = joined.variable("X").map(|variable| variable.value.word());
    assert_eq!(value, Some(Word::OneOf(vec!["a".to_owned(), "b".to_owned()])));
}

#[test]
fn a_value_that_only_one_way_sets_is_taken() {
    assert_eq!(with("a").join(state()).text("X"), Some("a"));
    assert_eq!(state().join(with("a")).text("X"), Some("a"));
}

#[test]
fn a_way_that_left_does_not_count() {
    let mut gone = with("b");
    gone.has_left = true;
    gone.go(Some("/elsewhere".to_owned()));
    let joined = with("a").join(gone);
    assert_eq!((joined.text("X"), joined.cwd.as_deref()), (Some("a"), Some("/w")));
}

#[test]
fn a_folder_that_differs_is_unknown() {
    let mut other = state();
    other.go(Some("/x".to_owned()));
    assert_eq!(state().join(other).cwd, None);
}

#[test]
fn a_copy_does_not_see_later_changes() {
    let mut one = with("a");
    let two = one.clone();
    one.set("X", VariableValue::One(Word::new("b")), Vec::new());
    assert_eq!(two.text("X"), Some("a"));
}

#[test]
fn values_and_variables_are_bounded() {
    let long = with(&"x".repeat(100_000));
    assert_eq!(long.text("X"), None);
    let mut many = state();
    for number in 0..1000 {
        many.set(
            &format!("V{number}"),
            VariableValue::One(Word::new("a")),
            Vec::new(),
        );
    }
    assert_eq!(many.text("V999"), None);
    assert_eq!(many.text("V1"), Some("a"));
}

#[test]
fn what_is_exported_stays_so() {
    let mut state = with("a");
    state.export("X");
    state.set("X", VariableValue::One(Word::new("b")), Vec::new());
    assert_eq!(state.exported(8), [("X".to_owned(), Word::new("b"))]);
}
