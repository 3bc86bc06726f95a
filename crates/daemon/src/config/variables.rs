//! The settings in the environment: `TOPROPE_STRUCTURE_MODE` for `structure.mode`.

use super::document;
use super::problem::Problem;
use engine::settings::{KEYS, Key, Kind, Restraint, Value, nearest};
use engine::text::one_line;

const PREFIX: &str = "TOPROPE_";
/// Characters of a foreign value shown in a message.
const LONGEST_SHOWN: usize = 80;

/// The variable of a key.
pub fn variable(key: &Key) -> String {
    format!("{PREFIX}{}", key.name.replace('.', "_").to_uppercase())
}

/// Whether this is the variable of a key, found out without writing it down.
fn is_variable(name: &str, key: &Key) -> bool {
    let letter = |byte: u8| {
        if byte == b'.' {
            b'_'
        } else {
            byte.to_ascii_uppercase()
        }
    };
    name.strip_prefix(PREFIX)
        .is_some_and(|rest| rest.bytes().eq(key.name.bytes().map(letter)))
}

/// One variable that its key accepts.
pub(super) struct Setting {
    pub key: &'static Key,
    pub value: Value,
    pub variable: String,
}

/// The settings among the variables, and what is wrong with them. Variables that are no settings are not looked at.
pub(super) fn read(environment: &[(String, String)]) -> (Vec<Setting>, Vec<Problem>) {
    let mut settings = Vec::new();
    let mut problems = Vec::new();
    for (name, text) in environment {
        let Some(key) = KEYS.iter().find(|key| is_variable(name, key)) else {
            problems.extend(slip(name));
            continue;
        };
        if key.restraint == Restraint::Shared {
            let message = format!("`{name}` has no effect: `{}` is one for all sessions", key.name);
            let hint = format!(
                "toprope config set {} {} --scope user",
                key.name,
                one_line(text, LONGEST_SHOWN)
            );
            problems.push(Problem::with_variable(key.name, message).hinting(Some(hint)));
            continue;
        }
        match value(key.kind, text) {
            Some(value) => settings.push(Setting {
                key,
                value,
                variable: name.clone(),
            }),
            None => problems.push(Problem::with_variable(
                key.name,
                format!(
                    "`{name}` is `{}`, expected {}",
                    one_line(text, LONGEST_SHOWN),
                    key.kind.expected()
                ),
            )),
        }
    }
    (settings, problems)
}

/// The value a text means, if the kind accepts it. Lists are `a, b` or TOML.
pub(super) fn value(kind: Kind, text: &str) -> Option<Value> {
    let value = if matches!(
        kind,
        Kind::Words | Kind::Globs | Kind::Patterns | Kind::Commands | Kind::Folders
    ) && text.trim_start().starts_with('[')
    {
        document::list(text.trim())
    } else {
        kind.read(text)
    };
    value.filter(|value| kind.accepts(value))
}

/// Whether a change of this variable changes settings or problems.
pub(super) fn matters(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// A variable that is almost a setting's: other variables of ours (`TOPROPE_HOME`) are far from all of them.
fn slip(name: &str) -> Option<Problem> {
    let typed = name.strip_prefix(PREFIX)?;
    let names: Vec<String> = KEYS.iter().map(|key| key.name.replace('.', "_")).collect();
    let near = nearest(typed, names.iter().map(String::as_str))?;
    let key = KEYS.iter().find(|key| key.name.replace('.', "_") == near)?;
    let message = format!("unknown variable `{}`", one_line(name, LONGEST_SHOWN));
    let hint = format!("did you mean `{}`?", variable(key));
    Some(Problem::with_variable(key.name, message).hinting(Some(hint)))
}
