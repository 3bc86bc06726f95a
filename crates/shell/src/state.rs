//! What the shell would remember at one point of the text: variables, the folder, functions, aliases.

use super::scene::Scene;
use super::word::Word;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many variables are followed; a text with more is no text a person wrote.
const VARIABLES: usize = 128;
/// Variables that every program is given, whether or not the text exports them, and that say where its settings are.
const INHERITED: [&str; 3] = ["CLAUDE_CONFIG_DIR", "HOME", "XDG_CONFIG_HOME"];
/// A folder that a text leads to by a longer path is not followed.
const LONGEST_FOLDER: usize = 1024;
/// Variables of the person that a scene may know.
const PERSONAL: [&str; 4] = ["HOME", "USER", "LOGNAME", "TMPDIR"];
/// How many bytes of one value are followed.
const VALUE_BYTES: usize = 64 * 1024;

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) value: Rc<VariableValue>,
    pub(super) is_exported: bool,
    /// Commands whose output is in the value.
    pub(super) feeds: Rc<Vec<usize>>,
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VariableValue {
    One(Word),
    List(Vec<Word>),
}

/// A function's body, to be read again when it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) body: Rc<str>,
    /// Where the body stands in the original text.
    pub(super) base: Option<usize>,
}

/// The state of the shell at one point.
#[derive(Debug, Clone)]
pub(super) struct ShellState {
    variables: Rc<BTreeMap<String, Variable>>,
    pub(super) functions: Rc<BTreeMap<String, Function>>,
    pub(super) aliases: Rc<BTreeMap<String, String>>,
    pub(super) cwd: Option<String>,
    pub(super) previous: Option<String>,
    pub(super) folders: Rc<Vec<Option<String>>>,
    /// `$1` and on, if they are known.
    pub(super) positional: Option<Rc<Vec<Word>>>,
    /// The shell has left: what follows in another branch does not see this one.
    pub(super) has_left: bool,
    /// Whether it made a difference, anywhere in the text, what the person's variables hold, or that they are there.
    personal: Rc<Cell<bool>>,
}

impl ShellState {
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let mut state = Self {
            variables: Rc::default(),
            functions: Rc::default(),
            aliases: Rc::default(),
            cwd: scene.cwd.clone(),
            previous: None,
            folders: Rc::default(),
            positional: None,
            has_left: false,
            personal: Rc::default(),
        };
        let given = [&scene.home, &scene.user, &scene.user, &scene.tmpdir];
        for (name, value) in PERSONAL.into_iter().zip(given) {
            if let Some(value) = value {
                state.put(
                    name,
                    VariableValue::One(Word::new(value.as_str())),
                    Vec::new(),
                    false,
                );
            }
        }
        state.set("IFS", VariableValue::One(Word::new(" \t\n")), Vec::new());
        state.personal.set(false);
        state
    }

    /// Whether the person's variables matter so far, here and in every state that came of this one.
    pub(super) fn personal(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.personal)
    }

    fn note_personal(&self, name: &str) {
        if PERSONAL.contains(&name) {
            self.personal.set(true);
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        self.note_personal(name);
        self.variables.get(name)
    }

    /// The only text a variable can have.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match &*self.variable(name)?.value {
            VariableValue::One(word) => word.literal(),
            VariableValue::List(words) => words.first()?.literal(),
        }
    }

    /// The separators words are split at.
    pub(super) fn separators(&self) -> String {
        self.text("IFS").unwrap_or(" \t\n").to_owned()
    }

    pub(super) fn set(&mut self, name: &str, value: VariableValue, feeds: Vec<usize>) {
        self.note_personal(name);
        // What every program is given from the start, it is given with its new value.
        let is_exported =
            INHERITED.contains(&name) || self.variable(name).is_some_and(|variable| variable.is_exported);
        self.put(name, value, feeds, is_exported);
    }

    fn put(&mut self, name: &str, value: VariableValue, feeds: Vec<usize>, is_exported: bool) {
        let value = bounded(value);
        if self.variables.len() + PERSONAL.len() >= VARIABLES {
            self.personal.set(true);
        }
        if self.variables.len() >= VARIABLES && self.variable(name).is_none() {
            return;
        }
        let variable = Variable {
            value: Rc::new(value),
            is_exported,
            feeds: Rc::new(feeds),
        };
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), variable);
    }

    pub(super) fn export(&mut self, name: &str) {
        self.note_personal(name);
        if let Some(variable) = Rc::make_mut(&mut self.variables).get_mut(name) {
            variable.is_exported = true;
        }
    }

    pub(super) fn unset(&mut self, name: &str) {
        // Afterwards it is empty, not unknown.
        self.set(name, VariableValue::One(Word::new("")), Vec::new());
    }

    /// Some of the exported variables, with their values.
    pub(super) fn exported(&self, most: usize) -> Vec<(String, Word)> {
        let exported = self.variables.iter().filter(|(_, variable)| variable.is_exported);
        exported
            .take(most)
            .map(|(name, variable)| (name.clone(), variable.value.word()))
            .collect()
    }

    pub(super) fn add_function(&mut self, name: &str, function: Function) {
        if self.functions.len() < VARIABLES {
            Rc::make_mut(&mut self.functions).insert(name.to_owned(), function);
        }
    }

    pub(super) fn add_alias(&mut self, name: &str, text: &str) {
        if self.aliases.len() < VARIABLES {
            Rc::make_mut(&mut self.aliases).insert(name.to_owned(), text.to_owned());
        }
    }

    pub(super) fn drop_alias(&mut self, name: &str) {
        if self.aliases.contains_key(name) {
            Rc::make_mut(&mut self.aliases).remove(name);
        }
    }

    /// Goes to a folder; none if nobody knows which.
    pub(super) fn go(&mut self, folder: Option<String>) {
        self.previous = self.cwd.take();
        self.cwd = folder.filter(|folder| folder.len() <= LONGEST_FOLDER);
    }

    /// What holds whichever of the two ways was taken.
    pub(super) fn join(self, other: Self) -> Self {
        match (self.has_left, other.has_left) {
            (true, false) => return other,
            (false, true) => return self,
            _ => {}
        }
        let mut joined = self;
        if joined.cwd != other.cwd {
            joined.cwd = None;
        }
        if joined.previous != other.previous {
            joined.previous = None;
        }
        if joined.positional != other.positional {
            joined.positional = None;
        }
        joined.join_variables(&other);
        if !Rc::ptr_eq(&joined.functions, &other.functions) {
            for (name, function) in other.functions.iter() {
                joined.add_function(name, function.clone());
            }
        }
        if !Rc::ptr_eq(&joined.aliases, &other.aliases) {
            for (name, text) in other.aliases.iter() {
                joined.add_alias(name, text);
            }
        }
        joined
    }

    fn join_variables(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.variables, &other.variables) {
            return;
        }
        let mut names: Vec<String> = self.variables.keys().cloned().collect();
        names.extend(
            other
                .variables
                .keys()
                .filter(|name| !self.variables.contains_key(*name))
                .cloned(),
        );
        for name in names {
            let (one, two) = (self.variable(&name), other.variable(&name));
            if one == two {
                continue;
            }
            let is_exported = one.or(two).is_some_and(|variable| variable.is_exported);
            let feeds = [one, two]
                .into_iter()
                .flatten()
                .flat_map(|variable| variable.feeds.iter().copied());
            let feeds: Vec<usize> = feeds.collect();
            // Set in one way only: that is most likely the one that is meant.
            let value = match (one, two) {
                (Some(one), Some(two)) => either(&one.value, &two.value),
                (Some(only), None) | (None, Some(only)) => (*only.value).clone(),
                (None, None) => continue,
            };
            self.set(&name, value, feeds);
            if is_exported {
                self.export(&name);
            }
        }
    }
}

impl VariableValue {
    /// As one word: of a list, the first.
    pub(super) fn word(&self) -> Word {
        match self {
            Self::One(word) => word.clone(),
            Self::List(words) => words.first().cloned().unwrap_or_else(|| Word::new("")),
        }
    }

    pub(super) fn words(&self) -> &[Word] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::List(words) => words,
        }
    }
}

fn either(one: &VariableValue, two: &VariableValue) -> VariableValue {
    let (one, two) = (one.word(), two.word());
    if one.texts().is_empty() || two.texts().is_empty() {
        return VariableValue::One(Word::unknown());
    }
    VariableValue::One(Word::one_of(one.texts().iter().chain(two.texts()).cloned()))
}

fn bounded(value: VariableValue) -> VariableValue {
    let bytes: usize = value.words().iter().flat_map(Word::texts).map(String::len).sum();
    if bytes > VALUE_BYTES || value.words().len() > VARIABLES {
        return VariableValue::One(Word::unknown());
    }
    value
}

#[cfg(test)]
mod tests;
