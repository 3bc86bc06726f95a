//! Variables and what `${…}` does with them.

use super::expansion::SplitMode;
use super::transformation::transformed;
use super::{GroupLevel, SMALL, ShellReader, SourceText};
use crate::field::WordAssembler;
use crate::parameter::{Parameter, ParameterOperation};
use crate::piece::WordPosition;
use crate::state::{ShellState, VariableValue};
use crate::word::Word;

/// Never empty, whatever they are.
const NEVER_EMPTY: &[&str] = &[
    "#",
    "?",
    "$",
    "!",
    "-",
    "0",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "EPOCHSECONDS",
    "LINENO",
    "UID",
    "EUID",
    "PPID",
    "BASHPID",
    "HOSTNAME",
    "HOSTTYPE",
    "OSTYPE",
    "MACHTYPE",
    "BASH_VERSION",
    "BASH_SOURCE",
    "SHLVL",
];

/// How long a pattern is tried on a value.
const STEPS: usize = 100_000;
/// So many steps of that count as one piece of syntax.
const STEPS_AT_ONCE: usize = 100;

/// Where a parameter stands, and what it becomes a part of.
struct ParameterPosition<'s> {
    body: SourceText<'s>,
    quoted: bool,
    fields: &'s mut WordAssembler,
    state: &'s mut ShellState,
    level: &'s GroupLevel,
}

/// The value of a parameter, as far as it is known.
enum ParameterValue {
    /// A single value; none if nobody knows it.
    One(Option<Word>),
    /// Several: `$@`, `${a[@]}`.
    Many(Vec<Word>),
}

impl ShellReader<'_> {
    pub(super) fn parameter(
        &mut self,
        body: &SourceText<'_>,
        quoted: bool,
        fields: &mut WordAssembler,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        let parameter = Parameter::new(body.text);
        let looked = match parameter.act {
            ParameterOperation::Indirect => match state.text(parameter.name).map(str::to_owned) {
                Some(name) => looked_up(&name, None, state),
                None => ParameterValue::One(None),
            },
            ParameterOperation::Names | ParameterOperation::Other => {
                self.substitutions_in(body, state, level);
                ParameterValue::One(None)
            }
            _ => looked_up(parameter.name, parameter.subscript, state),
        };
        if let Some(variable) = state.variable(parameter.name) {
            self.spend_more(variable.feeds.len() / SMALL);
            fields.fed_by(&variable.feeds);
        }
        let mut spot = ParameterPosition {
            body: *body,
            quoted,
            fields,
            state,
            level,
        };
        match looked {
            ParameterValue::Many(words) if parameter.act == ParameterOperation::Value => {
                let as_one = matches!(parameter.subscript, Some("*")) || parameter.name == "*";
                self.many(&words, as_one, &mut spot);
            }
            ParameterValue::Many(words) => {
                let empty = words.is_empty().then(|| Word::new(""));
                self.acted(&parameter, empty, &mut spot);
            }
            ParameterValue::One(value) => self.acted(&parameter, value, &mut spot),
        }
    }

    /// `"$@"`: each is a word of its own; `"$*"` is one word.
    fn many(&mut self, words: &[Word], as_one: bool, spot: &mut ParameterPosition<'_>) {
        let separators = spot.state.separators();
        if words.is_empty() && spot.quoted {
            spot.fields.vanish();
        }
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                match (spot.quoted && as_one, separators.chars().next()) {
                    (true, Some(separator)) => spot.fields.quoted(separator.encode_utf8(&mut [0; 4])),
                    (true, None) => {}
                    (false, _) => spot.fields.end_word(),
                }
            }
            self.put(word, None, spot);
            if spot.fields.count() > self.scene.budget.words {
                self.run_over("");
                return;
            }
        }
    }

    /// Puts a value into the word.
    fn put(&mut self, word: &Word, name: Option<&str>, spot: &mut ParameterPosition<'_>) {
        let bytes: usize = word.texts().iter().map(String::len).sum();
        let ParameterPosition {
            quoted,
            fields,
            state,
            ..
        } = spot;
        if !self.spend_bytes(bytes) {
            fields.unknown(false, None);
            return;
        }
        match word {
            Word::Literal(text) if *quoted => fields.quoted(text),
            Word::Literal(text) => fields.split(text, &state.separators()),
            Word::OneOf(texts) => fields.choice(texts, *quoted, &state.separators()),
            Word::Glob { pattern } => fields.bare(pattern),
            Word::Unknown {
                prefix,
                suffix,
                name: inner,
                ..
            } => {
                let is_bare = prefix.is_empty() && suffix.is_empty();
                if !is_bare {
                    fields.quoted(prefix);
                }
                let name = if is_bare { name.or(inner.as_deref()) } else { None };
                fields.unknown(*quoted, name);
                if !is_bare {
                    fields.quoted(suffix);
                }
            }
        }
    }

    fn acted(&mut self, parameter: &Parameter<'_>, value: Option<Word>, spot: &mut ParameterPosition<'_>) {
        let name = Some(parameter.name).filter(|name| !name.is_empty() && !NEVER_EMPTY.contains(name));
        match parameter.act {
            ParameterOperation::Default { text, at, or_empty } => {
                if uses_default(value.as_ref(), or_empty) {
                    self.operand(text, at, spot);
                    return;
                }
                self.substitutions_in(&spot.body.part(at, at + text.len()), spot.state, spot.level);
            }
            ParameterOperation::Assign { text, at, or_empty } if uses_default(value.as_ref(), or_empty) => {
                let part = spot.body.part(at, at + text.len());
                let field = self.value(&part, WordPosition::Bare, spot.state, spot.level);
                let value = VariableValue::One(field.word.clone());
                spot.state.set(parameter.name, value, field.feeds);
                self.put(&field.word, name, spot);
                return;
            }
            ParameterOperation::Replace { text, at } => {
                if value.as_ref().and_then(Word::literal) != Some("") {
                    self.operand(text, at, spot);
                }
                return;
            }
            ParameterOperation::Require if value.is_none() => {
                spot.fields.unknown(spot.quoted, None);
                return;
            }
            ParameterOperation::Trim { .. }
            | ParameterOperation::Substitute { .. }
            | ParameterOperation::Slice { .. }
            | ParameterOperation::Length
            | ParameterOperation::Case { .. }
            | ParameterOperation::Transform(_) => {
                self.changed(parameter, value.as_ref(), spot);
                return;
            }
            ParameterOperation::Value
            | ParameterOperation::Require
            | ParameterOperation::Assign { .. }
            | ParameterOperation::Indirect
            | ParameterOperation::Names
            | ParameterOperation::Other => {}
        }
        match value {
            Some(word) => self.put(&word, name, spot),
            None => spot.fields.unknown(spot.is_one_word(parameter, name), name),
        }
    }

    /// The text behind `:-` and the like, in place of the value.
    fn operand(&mut self, text: &str, at: usize, spot: &mut ParameterPosition<'_>) {
        let part = spot.body.part(at, at + text.len());
        if spot.quoted {
            self.put_fields(
                &part,
                WordPosition::Quoted,
                SplitMode::One,
                spot.fields,
                spot.state,
                spot.level,
            );
            return;
        }
        if !text.contains([' ', '\t', '\n']) || has_quotes(text) {
            self.put_fields(
                &part,
                WordPosition::Bare,
                SplitMode::Words,
                spot.fields,
                spot.state,
                spot.level,
            );
            return;
        }
        // What is written there is split as a value is.
        for (index, word) in text.split([' ', '\t', '\n']).enumerate() {
            if index > 0 {
                spot.fields.end_word();
            }
            let part = SourceText {
                text: word,
                base: None,
                cuts: &[],
            };
            self.put_fields(
                &part,
                WordPosition::Bare,
                SplitMode::Words,
                spot.fields,
                spot.state,
                spot.level,
            );
        }
    }

    /// What computes a new text from a known one.
    fn changed(&mut self, parameter: &Parameter<'_>, value: Option<&Word>, spot: &mut ParameterPosition<'_>) {
        let operand = match parameter.act {
            ParameterOperation::Trim { text, at, .. } | ParameterOperation::Substitute { text, at, .. } => {
                let part = spot.body.part(at, at + text.len());
                let mut pattern = WordAssembler::default();
                self.put_fields(
                    &part,
                    WordPosition::Bare,
                    SplitMode::Words,
                    &mut pattern,
                    spot.state,
                    spot.level,
                );
                pattern.finish(true).into_iter().next().map(|field| field.word)
            }
            ParameterOperation::Slice { .. } => {
                self.substitutions_in(&spot.body, spot.state, spot.level);
                None
            }
            _ => None,
        };
        let texts = value.map(Word::texts).unwrap_or_default();
        let mut steps = STEPS;
        let change = |text: &String| transformed(&parameter.act, text, operand.as_ref(), &mut steps);
        let changed: Option<Vec<String>> = texts.iter().map(change).collect();
        self.spend_more((STEPS - steps) / STEPS_AT_ONCE);
        match changed {
            Some(changed) if !changed.is_empty() => self.put(&Word::one_of(changed), None, spot),
            _ => {
                let keeps_name = matches!(
                    parameter.act,
                    ParameterOperation::Trim { .. } | ParameterOperation::Substitute { .. }
                );
                let is_one = spot.quoted || parameter.act == ParameterOperation::Length;
                let name = Some(parameter.name).filter(|_| keeps_name);
                spot.fields.unknown(is_one, name);
            }
        }
    }
}

impl ParameterPosition<'_> {
    /// Whether a value nobody knows is one word all the same: quoted it is, and a number always. A list never is.
    fn is_one_word(&self, parameter: &Parameter<'_>, name: Option<&str>) -> bool {
        let is_list = parameter.name == "@" || parameter.subscript == Some("@");
        let is_number = name.is_none() && !parameter.name.is_empty();
        !is_list && (self.quoted || is_number)
    }
}

/// A value nobody knows is most likely not set where a default is given.
fn uses_default(value: Option<&Word>, or_empty: bool) -> bool {
    value.is_none_or(|word| or_empty && word.literal() == Some(""))
}

fn has_quotes(text: &str) -> bool {
    text.contains(['"', '\'', '`', '(', '{'])
}

fn looked_up(name: &str, subscript: Option<&str>, state: &ShellState) -> ParameterValue {
    let positional = state.positional.as_deref();
    match name {
        "@" | "*" => {
            return positional.map_or(ParameterValue::One(None), |words| {
                ParameterValue::Many(words.clone())
            });
        }
        "#" => return ParameterValue::One(positional.map(|words| Word::new(words.len().to_string()))),
        "PWD" => return ParameterValue::One(state.cwd.clone().map(Word::Literal)),
        "OLDPWD" => return ParameterValue::One(state.previous.clone().map(Word::Literal)),
        _ => {}
    }
    if let Ok(place) = name.parse::<usize>() {
        let word = |words: &Vec<Word>| {
            words
                .get(place.wrapping_sub(1))
                .cloned()
                .unwrap_or_else(|| Word::new(""))
        };
        return ParameterValue::One(if place == 0 { None } else { positional.map(word) });
    }
    let Some(variable) = state.variable(name) else {
        return ParameterValue::One(None);
    };
    match (subscript, &*variable.value) {
        (Some("@" | "*"), value) => ParameterValue::Many(value.words().to_vec()),
        (Some(index), VariableValue::List(words)) => {
            let word = index.parse::<usize>().ok().and_then(|index| words.get(index));
            ParameterValue::One(word.cloned())
        }
        (_, value) => ParameterValue::One(Some(value.word())),
    }
}
