//! What a command certainly writes, and whether a text only reads. Leases, gates and checkpoints ask this.

mod reading;

use super::grammar::{self, Usage};
use super::intent::{Command, Intent, RedirectOp};
use super::word::Word;

/// A file or folder that a command writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The path as the command is given it, relative to the command's folder.
    pub target: Word,
    /// What becomes of it.
    pub how: How,
    /// The word of `argv` that names it; none for a redirection.
    pub index: Option<usize>,
}

/// What becomes of a path that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Its content is replaced.
    Overwrite,
    /// Its content, time or place is changed.
    Change,
    /// It is gone.
    Remove,
}

/// What a command certainly writes: redirections, and the targets that its words name.
pub fn writes(command: &Command) -> Vec<Write> {
    let mut found = redirected(command);
    let Some(program) = command.program() else {
        return found;
    };
    let usage = grammar::usage(grammar::program(program), &command.argv);
    let written = Written {
        command,
        usage: &usage,
    };
    found.extend(written.by(program));
    found
}

/// Whether a text changes nothing, as far as it can be known. What is not known counts as a change.
pub fn is_read_only(intent: &Intent) -> bool {
    let has_doubts = intent.notes.iter().any(|note| note.cause.is_opaque());
    !has_doubts && intent.commands.iter().all(reading::only_reads)
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
        .map(|redirect| Write {
            target: redirect.target.clone(),
            how: match redirect.op {
                RedirectOp::Append | RedirectOp::AppendAll | RedirectOp::ReadWrite => How::Change,
                _ => How::Overwrite,
            },
            index: None,
        })
        .collect()
}

/// A command and its words told apart.
struct Written<'c> {
    command: &'c Command,
    usage: &'c Usage<'c>,
}

impl Written<'_> {
    fn by(&self, program: &str) -> Vec<Write> {
        match program {
            "tee" | "gtee" | "sponge" => self.operands(if self.usage.has("-a") {
                How::Change
            } else {
                How::Overwrite
            }),
            "cp" | "gcp" | "install" | "ginstall" | "ln" | "gln" | "link" => {
                self.targets(How::Overwrite, None)
            }
            "mv" | "gmv" => self.targets(How::Overwrite, Some(How::Remove)),
            "touch" | "gtouch" | "chmod" | "chown" | "mkdir" | "patch" => self.changed(program),
            "truncate" | "gtruncate" => self.operands(How::Overwrite),
            "rm" | "grm" | "rmdir" | "unlink" | "shred" | "srm" | "rimraf" | "trash" => {
                self.operands(How::Remove)
            }
            "dd" | "gdd" => self.assigned("of=", How::Overwrite),
            "sed" | "gsed" if self.usage.has("-i") || self.usage.has("--in-place") => self.edited("-e"),
            "perl" if self.edits_in_place() => self.edited("-e"),
            "git" => self.git(),
            _ => self.formatted(program),
        }
    }

    fn write(&self, index: usize, how: How) -> Option<Write> {
        let target = self.command.argv.get(index)?.clone();
        Some(Write {
            target,
            how,
            index: Some(index),
        })
    }

    fn operands(&self, how: How) -> Vec<Write> {
        let found = self
            .usage
            .operands
            .iter()
            .filter_map(|operand| self.write(operand.index, how));
        found.collect()
    }

    /// `chmod mode file`, `patch file diff`: one operand is no path to write.
    fn changed(&self, program: &str) -> Vec<Write> {
        let mut found = self.operands(How::Change);
        match program {
            "chmod" | "chown" if !found.is_empty() => {
                found.remove(0);
            }
            "patch" => found.truncate(1),
            _ => {}
        }
        found
    }

    /// All operands but the last are sources, unless the folder is given by an option.
    fn targets(&self, target: How, sources: Option<How>) -> Vec<Write> {
        let folder = self
            .usage
            .value("-t")
            .or_else(|| self.usage.value("--target-directory"));
        let count = self.usage.operands.len();
        let mut found = Vec::new();
        for (place, operand) in self.usage.operands.iter().enumerate() {
            let is_target = folder.is_none() && count > 1 && place + 1 == count;
            if let Some(how) = if is_target { Some(target) } else { sources } {
                found.extend(self.write(operand.index, how));
            }
        }
        found.extend(folder.map(|folder| Write {
            target: folder.clone(),
            how: target,
            index: None,
        }));
        found
    }

    /// `dd of=file`
    fn assigned(&self, key: &str, how: How) -> Vec<Write> {
        let words = self.command.argv.iter().enumerate();
        let found = words.filter_map(|(index, word)| {
            let target = without_prefix(word, key)?;
            Some(Write {
                target,
                how,
                index: Some(index),
            })
        });
        found.collect()
    }

    /// The files of a stream editor; the first operand is the script, unless an option gives it.
    fn edited(&self, script: &str) -> Vec<Write> {
        let mut found = self.operands(How::Change);
        let has_script = self.usage.has(script) || self.usage.has("-f") || self.usage.has("--expression");
        if !has_script && !found.is_empty() {
            found.remove(0);
        }
        found
    }

    /// `perl -pi -e`, `perl -i.bak`
    fn edits_in_place(&self) -> bool {
        let options = self.command.argv.iter().skip(1).filter_map(Word::literal);
        let mut clusters = options.take_while(|word| word.starts_with('-'));
        clusters.any(|word| !word.starts_with("--") && word.contains('i'))
    }

    fn git(&self) -> Vec<Write> {
        let sub = self.usage.sub.first().copied();
        let paths = |how: How| -> Vec<Write> {
            let behind = self.usage.operands.iter().filter(|operand| operand.after_dashes);
            behind
                .filter_map(|operand| self.write(operand.index, how))
                .collect()
        };
        match sub {
            Some("checkout") => paths(How::Overwrite),
            Some("restore") if self.usage.has("--staged") && !self.usage.has("--worktree") => Vec::new(),
            Some("restore") => self.operands(How::Overwrite),
            Some("rm") if self.usage.has("--cached") => Vec::new(),
            Some("rm") => self.operands(How::Remove),
            Some("mv") => self.targets(How::Overwrite, Some(How::Remove)),
            _ => Vec::new(),
        }
    }

    /// Formatters and fixers, with the files they are given.
    fn formatted(&self, program: &str) -> Vec<Write> {
        let has = |names: &[&str]| names.iter().any(|name| self.given(name));
        let is_writing = match program {
            "prettier" => has(&["--write", "-w"]),
            "gofmt" | "shfmt" | "goimports" => has(&["-w"]),
            "eslint" | "stylelint" | "markdownlint" => has(&["--fix"]),
            "clang-format" | "autopep8" | "yapf" => has(&["-i", "--in-place"]),
            "black" | "isort" | "rustfmt" | "dprint" | "taplo" => !has(&["--check", "--diff"]),
            "ruff" => self.given("format") || has(&["--fix"]),
            _ => false,
        };
        if !is_writing {
            return Vec::new();
        }
        let mut found = self.operands(How::Change);
        found.retain(|write| !matches!(write.target.literal(), Some("format" | "check" | "fmt")));
        found
    }

    fn given(&self, word: &str) -> bool {
        self.command
            .argv
            .iter()
            .any(|other| other.literal() == Some(word))
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
