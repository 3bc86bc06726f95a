//! What a command runs itself: `unwrap` says it, the reader follows it.

use super::place::CommandHost;
use super::word::Word;
use std::ops::Range;

/// Something a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inner {
    /// Another command, given as words.
    Words {
        /// The words, with `{}` and the like already replaced where the replacement is known.
        words: Vec<Word>,
        /// Where they stand in the outer words, if they stand there unchanged and in one row.
        from: Option<Range<usize>>,
        /// What is added or put in at run time.
        inputs: Inputs,
        /// The folder it runs in, if the outer command changes it; as written, relative to the outer one's.
        cwd: Option<Word>,
        /// Variables set for it.
        env: Vec<(String, Word)>,
        /// The machine, if it is another one.
        place: Option<CommandHost>,
        /// How the outer command is called in [`super::Command::through`].
        through: String,
    },
    /// Shell text.
    Text {
        /// The text.
        text: Word,
        /// Its positional parameters, from `$1` on; `$0` is left out.
        arguments: Vec<Word>,
        /// It runs in the same shell (`eval`, `trap`), so that what it sets stays.
        is_same_shell: bool,
        /// The machine, if it is another one.
        place: Option<CommandHost>,
        /// How the outer command is called.
        through: String,
    },
    /// Standard input is shell text.
    Stdin {
        /// The machine, if it is another one.
        place: Option<CommandHost>,
        /// How the outer command is called.
        through: String,
    },
    /// A file is shell text.
    File {
        /// The file.
        path: Word,
        /// Which outer word names it.
        index: usize,
        /// Its positional parameters.
        arguments: Vec<Word>,
        /// It runs in the same shell (`source`).
        is_same_shell: bool,
        /// How the outer command is called.
        through: String,
    },
    /// Code of another language.
    Code {
        /// The language.
        language: super::code::Language,
        /// Where the code is.
        source: CodeSource,
        /// How the outer command is called.
        through: String,
    },
    /// Statements for a database.
    Sql {
        /// The language of the statements.
        dialect: super::sql::Dialect,
        /// Where they are.
        source: CodeSource,
    },
    /// A named task of the project: `make t`, `npm run t`, `just t`.
    Task {
        /// The program that runs it.
        runner: String,
        /// The task; empty for the default one.
        name: String,
    },
}

/// What is added to the words of an inner command at run time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Inputs {
    /// Nothing.
    #[default]
    None,
    /// These words, at the end (`find … -exec rm {} +` with its roots).
    Known(Vec<Word>),
    /// What standard input says, split into words: `xargs`.
    Stdin {
        /// The text in the words that each input takes the place of; none: it is added at the end.
        replace: Option<String>,
    },
}

/// Where code or statements are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeSource {
    /// In a word.
    Text(Word),
    /// On standard input.
    Stdin,
    /// In a file.
    File(Word),
}
