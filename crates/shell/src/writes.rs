//! What a command certainly writes, and whether a text only reads. Leases, gates and checkpoints ask this.
//!
//! Modes and owners of files are nobody's content: who changes only those writes nothing here.

mod building;
mod committing;
mod confined;
mod editing;
mod fixer;
mod git;
mod placing;
mod reading;
mod trigger;

pub use building::only_builds;
pub use committing::{Committing, Pathspec, committing};
pub use confined::confined;
pub use reading::only_reads;
pub use trigger::may_write;

use super::grammar::{self, Usage};
use super::intent::{CodeEffect, Command, Intent, RedirectOp};
use super::word::Word;

/// A file or folder that a command writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The path as the command is given it, relative to the command's folder.
    pub target: Word,
    /// What becomes of it.
    pub how: WriteKind,
    /// If it is a folder, all files below it go the same way.
    pub below: bool,
    /// If it is a folder, the file of this name in it is meant.
    pub into: Option<String>,
}

/// What becomes of a path that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteKind {
    /// Its content is replaced.
    Overwrite,
    /// Its content, time or place is changed.
    Change,
    /// It is gone.
    Remove,
}

/// Everything that a command certainly writes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CertainWrites {
    /// Redirections, and the targets that its words name.
    pub files: Vec<Write>,
    /// It goes over all files of a worktree: a branch is switched.
    pub tree: bool,
    /// It goes over the files of some places: a folder is formatted.
    pub scopes: Vec<Region>,
}

/// A part of a tree that a command goes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Which files.
    pub area: Area,
    /// Their endings; empty if it may be any.
    pub types: &'static [&'static str],
}

/// Where files are that a command goes over; relative to the command's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Area {
    /// Below this folder.
    Folder(String),
    /// Whatever fits this pattern, which the program reads itself.
    Pattern(String),
}

/// What a command certainly writes.
pub fn written(command: &Command) -> CertainWrites {
    let mut found = CertainWrites {
        files: redirected(command),
        ..CertainWrites::default()
    };
    // What a wrapper runs is a command of its own.
    if command.wraps {
        return found;
    }
    let Some(program) = command.program() else {
        return found;
    };
    let usage = grammar::usage(grammar::program(program), &command.argv);
    let words = CommandWords {
        command,
        usage: &usage,
    };
    let by_words = words.by(program);
    found.files.extend(by_words.files);
    found.tree = by_words.tree;
    found.scopes = by_words.scopes;
    found
}

/// The targets of [`written`].
pub fn writes(command: &Command) -> Vec<Write> {
    written(command).files
}

/// Whether a text changes nothing, as far as it can be known. What is not known counts as a change.
pub fn is_read_only(intent: &Intent) -> bool {
    let has_doubts = intent.notes.iter().any(|note| note.cause.is_opaque());
    !has_doubts && intent.commands.iter().all(only_reads)
}

/// Whether something of a text that may change anything goes on after its answer: all of it in the `background`, else what it
/// sends there itself.
pub fn may_go_on(intent: &Intent, background: bool) -> bool {
    let mut going = intent
        .commands
        .iter()
        .filter(|command| background || command.background)
        .peekable();
    let has_doubts = || intent.notes.iter().any(|note| note.cause.is_opaque());
    going.peek().is_some() && (has_doubts() || !going.all(only_reads))
}

/// Paths that swallow or show what is written to them.
fn is_sink(target: &Word) -> bool {
    target.literal().is_some_and(|path| {
        matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
            || path.starts_with("/dev/fd/")
    })
}

fn redirected(command: &Command) -> Vec<Write> {
    let writing = command
        .redirects
        .iter()
        .filter(|redirect| redirect.writes() && !is_sink(&redirect.target));
    writing
        .map(|redirect| {
            let how = match redirect.op {
                RedirectOp::Append | RedirectOp::AppendAll | RedirectOp::ReadWrite => WriteKind::Change,
                _ => WriteKind::Overwrite,
            };
            Write::new(redirect.target.clone(), how)
        })
        .collect()
}

impl Write {
    fn new(target: Word, how: WriteKind) -> Self {
        Self {
            target,
            how,
            below: false,
            into: None,
        }
    }

    fn below(mut self, below: bool) -> Self {
        self.below = below;
        self
    }
}

impl From<Vec<Write>> for CertainWrites {
    fn from(files: Vec<Write>) -> Self {
        Self {
            files,
            ..Self::default()
        }
    }
}

/// A command and its words told apart.
struct CommandWords<'c> {
    command: &'c Command,
    usage: &'c Usage<'c>,
}

impl CommandWords<'_> {
    fn by(&self, program: &str) -> CertainWrites {
        let files = match program {
            "tee" | "gtee" | "sponge" => self.operands(if self.usage.has("-a") {
                WriteKind::Change
            } else {
                WriteKind::Overwrite
            }),
            "cp" | "gcp" | "install" | "ginstall" | "ln" | "gln" | "link" | "mv" | "gmv" => {
                self.placed(program)
            }
            "touch" | "gtouch" | "dos2unix" | "unix2dos" | "mac2unix" => self.operands(WriteKind::Change),
            "truncate" | "gtruncate" => self.operands(match self.command.effect {
                // Code that opens a file to write it mostly read it before.
                Some(CodeEffect::Truncate) => WriteKind::Change,
                Some(CodeEffect::Remove | CodeEffect::Rename | CodeEffect::Spawn) | None => {
                    WriteKind::Overwrite
                }
            }),
            "rm" | "grm" | "srm" => self.removed(self.usage.has("--recursive")),
            "unlink" | "shred" | "gshred" => self.removed(false),
            "rimraf" | "del-cli" | "trash" | "trash-put" => self.removed(true),
            "find" | "gfind" => self.found(),
            "dd" | "gdd" => self.assigned("of="),
            "curl" if self.usage.has("--output-dir") => Vec::new(),
            "curl" | "sort" | "gsort" => self.values("--output"),
            "wget" => self.values("--output-document"),
            "git" => return self.git(),
            "gh" => return self.github(),
            _ => match self.edited(program) {
                Some(files) => files,
                None => return self.fixed(program),
            },
        };
        files.into()
    }

    fn operands(&self, how: WriteKind) -> Vec<Write> {
        let operands = self.usage.operands.iter();
        operands
            .map(|operand| Write::new(operand.word.clone(), how))
            .collect()
    }

    fn removed(&self, recursive: bool) -> Vec<Write> {
        let removed = self.operands(WriteKind::Remove).into_iter();
        // What `find` hands on stands for everything below.
        let is_found = self
            .command
            .through
            .last()
            .is_some_and(|outer| outer.starts_with("find "));
        removed.map(|write| write.below(recursive || is_found)).collect()
    }

    /// `find places -delete`
    fn found(&self) -> Vec<Write> {
        if !self.usage.has("-delete") {
            return Vec::new();
        }
        let places = super::unwrap::places(&self.command.argv).unwrap_or_default();
        let removed = places
            .into_iter()
            .map(|place| Write::new(place, WriteKind::Remove));
        removed.map(|write| write.below(true)).collect()
    }

    /// The values of an option that names the file to write.
    fn values(&self, option: &str) -> Vec<Write> {
        let given = self.usage.options.iter().filter(|given| given.is(option));
        given
            .filter_map(|given| given.value.as_deref())
            .filter(|value| value.literal() != Some("-") && !is_sink(value))
            .map(|value| Write::new(value.clone(), WriteKind::Overwrite))
            .collect()
    }

    /// `dd of=file`
    fn assigned(&self, key: &str) -> Vec<Write> {
        let words = self.command.argv.iter();
        let targets = words.filter_map(|word| without_prefix(word, key));
        targets
            .map(|target| Write::new(target, WriteKind::Overwrite))
            .collect()
    }

    fn given(&self, word: &str) -> bool {
        self.command
            .argv
            .iter()
            .any(|other| other.literal() == Some(word))
    }

    fn any_given(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.given(word))
    }
}

fn without_prefix(word: &Word, key: &str) -> Option<Word> {
    match word {
        Word::Literal(text) => text.strip_prefix(key).map(Word::new),
        Word::Unknown {
            prefix,
            suffix,
            quoted,
            name,
        } => Some(Word::Unknown {
            prefix: prefix.strip_prefix(key)?.to_owned(),
            suffix: suffix.clone(),
            quoted: *quoted,
            name: name.clone(),
        }),
        Word::OneOf(_) | Word::Glob { .. } => None,
    }
}

#[cfg(test)]
mod tests;
