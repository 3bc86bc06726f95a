//! Assignments: in front of a command, on their own, and behind `export`, `local`, `declare`.

use super::{GroupLevel, ShellReader, SourceText};
use crate::field::ExpandedWord;
use crate::piece::WordPosition;
use crate::state::{ShellState, VariableValue};
use crate::word::Word;
use shuck_ast::{ArrayElem, Assignment, AssignmentValue};
use std::rc::Rc;

/// One assignment, followed.
pub(super) struct Assigned {
    pub(super) name: String,
    pub(super) value: VariableValue,
    pub(super) feeds: Vec<usize>,
    /// It is about one element of a list only.
    is_element: bool,
}

impl ShellReader<'_> {
    pub(super) fn assigned(
        &mut self,
        assignment: &Assignment,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
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
                let field = self.value(&part, WordPosition::Bare, state, level);
                (VariableValue::One(field.word), field.feeds)
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
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> (VariableValue, Vec<usize>) {
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
            for ExpandedWord { word, feeds: by, .. } in self.word(&value.word, page, state, level) {
                words.push(word);
                feeds.extend(by);
            }
        }
        if is_keyed {
            (VariableValue::One(Word::unknown()), feeds)
        } else {
            (VariableValue::List(words), feeds)
        }
    }

    /// Remembers it for what follows.
    pub(super) fn keep(state: &mut ShellState, assigned: &Assigned) {
        let value = if assigned.is_element {
            element_set(state, &assigned.name, &assigned.value)
        } else {
            assigned.value.clone()
        };
        state.set(&assigned.name, value, assigned.feeds.clone());
    }
}

/// Which element it is matters less than that it may be any: the list is no longer known.
fn element_set(state: &ShellState, name: &str, value: &VariableValue) -> VariableValue {
    match state.variable(name).map(|variable| &*variable.value) {
        None => VariableValue::List(vec![value.word()]),
        Some(_) => VariableValue::One(Word::unknown()),
    }
}

fn appended(state: &ShellState, name: &str, added: VariableValue) -> VariableValue {
    let Some(variable) = state.variable(name) else {
        return match added {
            VariableValue::List(_) => added,
            VariableValue::One(_) => VariableValue::One(Word::unknown()),
        };
    };
    match (&*variable.value, added) {
        (VariableValue::List(before), VariableValue::List(more)) => {
            VariableValue::List(before.iter().cloned().chain(more).collect())
        }
        (VariableValue::One(Word::Literal(before)), VariableValue::One(Word::Literal(more))) => {
            VariableValue::One(Word::Literal(format!("{before}{more}")))
        }
        _ => VariableValue::One(Word::unknown()),
    }
}
