//! What a shell text would do: the commands that may run, with their words as the shell would see them.
//!
//! These are values only. [`super::read`] makes them, the guard, leases, gates and checkpoints judge them.

pub use super::place::CommandHost;
pub use super::scene::{Budget, Fact, Scene, Unasked, UserWrapper, UserWrappers, WorldFacts};
pub use super::word::Word;

use std::sync::Arc;

/// Where something stands in the original text, in bytes: from `start` up to, but not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

impl Span {
    /// The bytes it covers, if the text has them.
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}

/// What a shell text would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// Every command that may run, in any branch, in the order they are written.
    pub commands: Vec<Command>,
    /// How much of the text is understood.
    pub coverage: Coverage,
    /// Why it is not understood in full.
    pub notes: Vec<ReadingNote>,
    /// What a second reading would have to know to see more.
    pub wants: Vec<Want>,
}

/// How much of a text is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coverage {
    /// Every word of every command is known.
    Full,
    /// The commands are known, some of their words are not.
    Partial,
    /// Something runs that nobody can read: see the notes.
    Opaque,
}

/// Why something is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingNote {
    /// What kind of thing it is.
    pub cause: UnreadCause,
    /// The part of the text it is about, as people should see it.
    pub segment: String,
    /// The command it is about, as an index into [`Intent::commands`].
    pub command: Option<usize>,
}

/// What keeps a text, or a part of it, from being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnreadCause {
    /// A shell, `eval` or `trap` is given text that is not known.
    UnknownCode,
    /// A shell reads its commands from input that is not known.
    UnknownInput,
    /// The program's name is not known. No opacity by itself.
    UnknownProgram,
    /// A function starts itself in the background or in a pipe, and so without end. No opacity by itself.
    CallsItself,
    /// It is not a complete text of the shell language.
    Unparseable,
    /// It is larger, deeper or longer than the budget.
    OverBudget,
}

impl UnreadCause {
    /// Whether a text with such a part counts as opaque.
    pub fn is_opaque(self) -> bool {
        match self {
            Self::UnknownCode | Self::UnknownInput | Self::Unparseable | Self::OverBudget => true,
            Self::UnknownProgram | Self::CallsItself => false,
        }
    }
}

/// Something outside the text that a second reading could use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Want {
    /// The value of `alias.<name>` of the repository around a folder.
    GitAlias {
        /// The folder, absolute.
        cwd: String,
        /// The alias.
        name: String,
    },
    /// The content of a file that is run.
    Script {
        /// The file, absolute.
        path: String,
    },
    /// The root of the worktree around a folder.
    Root {
        /// The folder, absolute.
        cwd: String,
    },
}

/// Whether a command of a chain runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Chance {
    /// No other command decides it.
    #[default]
    Certain,
    /// If the chain it stands in succeeds, it ran.
    WithSuccess,
    /// It may not run, whatever becomes of the chain.
    Open,
}

/// One command that may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The resolved words; the first is the program as written.
    pub argv: Vec<Word>,
    /// Where each word stands in the original text; none where one written word became several, or none.
    pub spans: Vec<Option<Span>>,
    /// Its exact bytes in the original text; none if it came out of a string, alias, script, decoder or code.
    pub span: Option<Span>,
    /// The command as people should see it, shortened if it is very long.
    pub text: String,
    /// The wrappers and shells it was unwrapped from, outermost first: `sudo`, `bash -lc`, `xargs`, `python3 -c`.
    pub through: Vec<String>,
    /// It only runs other commands of the list (`sudo`, `env`, `bash -c`, a function, an alias).
    pub wraps: bool,
    /// The folder it runs in, absolute; none if it cannot be known.
    pub cwd: Option<String>,
    /// Its redirections, in order, with those of the groups around it first.
    pub redirects: Vec<Redirect>,
    /// What its standard input is.
    pub stdin: Stdin,
    /// Variables assigned in front of it, or exported earlier in the text.
    pub env: Vec<(String, Word)>,
    /// Words of `argv` that stand for what other commands print, or for a file that they wrote.
    pub feeds: Vec<Feed>,
    /// The machine it runs on.
    pub place: CommandHost,
    /// It is started in the background.
    pub background: bool,
    /// Whether it runs at all, as far as `&&` and `||` decide it.
    pub chance: Chance,
    /// What an interpreter's code does here: `argv` is then the command that does the same.
    pub effect: Option<CodeEffect>,
    /// What a database client is told to do.
    pub statements: Vec<Statement>,
}

impl Command {
    /// The base name of the program: `/bin/rm` and `\rm` are `rm`. None if it is not one literal word.
    pub fn program(&self) -> Option<&str> {
        let name = self.argv.first()?.literal()?;
        let base = name.rsplit('/').next().unwrap_or(name);
        (!base.is_empty()).then_some(base)
    }
}

/// Commands by their places in [`Intent::commands`]; shared, since a whole group may read what another prints.
pub type CommandSources = Arc<[usize]>;

/// A word that other commands make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// The word's place in [`Command::argv`].
    pub word: usize,
    /// Those who print it, or wrote the file it names, as indices into [`Intent::commands`].
    pub commands: Vec<usize>,
}

/// One redirection of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The descriptor in front of the operator, if one is written.
    pub fd: Option<u32>,
    /// What is done with the target.
    pub op: RedirectOp,
    /// The file, or for [`RedirectOp::Duplicate`] the descriptor; for a heredoc its delimiter.
    pub target: Word,
    /// Where operator and target stand in the original text.
    pub span: Option<Span>,
    /// Where the target alone stands in the original text.
    pub target_span: Option<Span>,
}

impl Redirect {
    /// Whether the target is a file that is created, emptied or extended.
    pub fn writes(&self) -> bool {
        match self.op {
            RedirectOp::Write
            | RedirectOp::Clobber
            | RedirectOp::Append
            | RedirectOp::WriteAll
            | RedirectOp::AppendAll
            | RedirectOp::ReadWrite => true,
            RedirectOp::Read | RedirectOp::Duplicate | RedirectOp::HereDoc | RedirectOp::HereString => false,
        }
    }
}

/// The operator of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `&>`, and `>&` with a file
    WriteAll,
    /// `&>>`
    AppendAll,
    /// `<>`
    ReadWrite,
    /// `n>&m`, `n<&m`, and either with `-`
    Duplicate,
    /// `<<` and `<<-`
    HereDoc,
    /// `<<<`
    HereString,
}

/// What a command's standard input is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdin {
    /// Whatever the whole text was given.
    Nothing,
    /// The output of these commands, through a pipe.
    Pipe(CommandSources),
    /// A heredoc; none if its text is not known in full.
    Heredoc {
        /// The body as the command reads it.
        text: Option<String>,
    },
    /// One word, from `<<<`.
    HereString(Word),
    /// A file.
    File(Word),
    /// The output of these commands, from `< <(…)`.
    Substitution(CommandSources),
}

/// What a piece of an interpreter's code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeEffect {
    /// It removes a path.
    Remove,
    /// It renames over a path.
    Rename,
    /// It empties a file.
    Truncate,
    /// It starts a process: the words are the process's own.
    Spawn,
}

/// One statement a database client is told to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it does, in lower case: `drop`, `truncate`, `delete`, `update`, `flushall`.
    pub verb: String,
    /// It names which rows it is about.
    pub has_where: bool,
    /// The statement as people should see it.
    pub text: String,
}
