//! Finds what code of other languages does to files and processes: a token scan that follows literals, never a regex on text.
//!
//! Comments, and strings that are no argument of a known call, never count. Home is a word named `HOME`, as the shell's `$HOME`.

mod binding;
mod call;
mod evaluation;
mod token;
mod value;

#[cfg(test)]
mod tests;

use super::gap;
use super::word::Word;

/// A language whose code can be scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Python.
    Python,
    /// JavaScript and TypeScript: node, deno, bun.
    JavaScript,
    /// Perl.
    Perl,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Lua.
    Lua,
    /// `AppleScript`, as `osascript` runs it.
    AppleScript,
    /// Awk.
    Awk,
    /// Tcl, and with it expect.
    Tcl,
}

/// Something code does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeAction {
    /// It removes a path.
    Remove {
        /// The path.
        path: Word,
        /// Whether everything below goes with it.
        recursive: bool,
    },
    /// It renames a path over another one.
    Rename {
        /// The old path.
        from: Word,
        /// The new path.
        to: Word,
    },
    /// It empties a file, or writes over it.
    Truncate {
        /// The file.
        path: Word,
    },
    /// It starts a process.
    Spawn(ProcessSpawn),
}

/// What a process is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessSpawn {
    /// A list of words.
    Words(Vec<Word>),
    /// Shell text.
    Text(Word),
}

/// One call in a text, wherever it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeCall {
    /// The name with what it belongs to: `db.users.drop`, `.drop` behind another call.
    pub(super) path: String,
    /// Whether nothing, or an empty object, is its first argument.
    pub(super) first_is_empty: bool,
}

/// How much text is looked at, and how much is told.
const MOST_BYTES: usize = 256 * 1024;
const MOST_EFFECTS: usize = 256;

/// What the code does, in the order it is written.
pub fn scan(language: Language, text: &str) -> Vec<CodeAction> {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    let mut found = evaluation::effects(language, text, 0);
    found.truncate(MOST_EFFECTS);
    for effect in &mut found {
        if let CodeAction::Spawn(ProcessSpawn::Text(text)) = effect {
            *text = with_gap(text);
        }
    }
    found
}

/// Shell text that is known in part can still be read: a variable is left to the shell, anything else becomes a gap.
fn with_gap(text: &Word) -> Word {
    let Word::Unknown {
        prefix, suffix, name, ..
    } = text
    else {
        return text.clone();
    };
    if gap::is_blank(prefix) && gap::is_blank(suffix) {
        return text.clone();
    }
    let middle = match name {
        Some(name) => format!("${{{name}}}"),
        None => gap::gap(None),
    };
    Word::Literal(format!("{prefix}{middle}{suffix}"))
}

/// Every call of a text, with its name.
pub(super) fn calls(language: Language, text: &str) -> Vec<CodeCall> {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    call::named(&token::tokens(language, text))
}
