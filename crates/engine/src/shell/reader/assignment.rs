//! Assignments: in front of a command, on their own, and behind `export`, `local`, `declare`.

use super::{Level, Page, Reader};
use crate::shell::field::Field;
use crate::shell::piece::Setting;
use crate::shell::state::{State, Value};
use crate::shell::word::Word;
use shuck_ast::{ArrayElem, Assignment, AssignmentValue};
use std::rc::Rc;

/// One assignment, followed.
pub(super) struct Assigned {
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) feeds: Vec<usize>,
    /// It is about one element of a list only.
    is_element: bool,
}

impl Reader<'_> {
    pub(super) fn assigned(
        &mut self,
        assignment: &Assignment,
        page: &Page<'_>,
        state: &mut State,
        level: &Level,
    ) -> Assigned {
        let name = assignment.target.name.as_str().to_owned();
        if let Some(subscript) = &assignment.target.subscript {
            let span = subscript.span();
            let part = page.part(span.start.offset(), span.end.offset());
            self.substitutions_in(&part, state, level);
        }
        let (value, mut feeds) = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let part = page.part(word.span.start.offset(), word.span.end.offset());
                let field = self.value(&part, Setting::Bare, state, level);
                (Value::One(field.word), field.feeds)
            }
            AssignmentValue::Compound(list) => self.elements(&list.elements, page, state, level),
        };
        let value = if assignment.append {
            let before = state.variable(&name).map(|variable| Rc::clone(&variable.feeds));
            feeds.extend(before.iter().flat_map(|before| before.iter().copied()));
            feeds.sort_unstable();
            feeds.dedup();
            appended(state, &name, value)
        } else {
            value
        };
        Assigned {
            name,
            value,
            feeds,
            is_element: assignment.target.subscript.is_some(),
        }
    }

    fn elements(
        &mut self,
        elements: &[ArrayElem],
        page: &Page<'_>,
        state: &mut State,
        level: &Level,
    ) -> (Value, Vec<usize>) {
        let mut words = Vec::new();
        let mut feeds = Vec::new();
        let mut is_keyed = false;
        for element in elements {
            let value = match element {
                ArrayElem::Sequential(value) => value,
                ArrayElem::Keyed { value, .. } | ArrayElem::KeyedAppend { value, .. } => {
                    is_keyed = true;
                    value
                }
            };
            for Field { word, feeds: by, .. } in self.word(&value.word, page, state, level) {
                words.push(word);
                feeds.extend(by);
            }
        }
        if is_keyed {
            (Value::One(Word::unknown()), feeds)
        } else {
            (Value::List(words), feeds)
        }
    }

    /// Remembers it for what follows.
    pub(super) fn keep(state: &mut State, assigned: &Assigned) {
        let value = if assigned.is_element {
            element_set(state, &assigned.name, &assigned.value)
        } else {
            assigned.value.clone()
        };
        state.set(&assigned.name, value, assigned.feeds.clone());
    }
}

/// Which element it is matters less than that it may be any: the list is no longer known.
fn element_set(state: &State, name: &str, value: &Value) -> Value {
    match state.variable(name).map(|variable| &*variable.value) {
        None => Value::List(vec![value.word()]),
        Some(_) => Value::One(Word::unknown()),
    }
}

fn appended(state: &State, name: &str, added: Value) -> Value {
    let Some(variable) = state.variable(name) else {
        return match added {
            Value::List(_) => added,
            Value::One(_) => Value::One(Word::unknown()),
        };
    };
    match (&*variable.value, added) {
        (Value::List(before), Value::List(more)) => Value::List(before.iter().cloned().chain(more).collect()),
        (Value::One(Word::Literal(before)), Value::One(Word::Literal(more))) => {
            Value::One(Word::Literal(format!("{before}{more}")))
        }
        _ => Value::One(Word::unknown()),
    }
}
