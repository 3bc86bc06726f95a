//! Files that are run, and code of other languages.

use super::following::{OuterCommand, RunMode};
use super::running::CommandRun;
use super::{GroupLevel, PrintedOutput, ShellReader, SourceText};
use crate::code::{self, CodeAction, Language, ProcessSpawn};
use crate::field::WordAssembler;
use crate::inner::CodeSource;
use crate::intent::{CodeEffect, Feed, Stdin, UnreadCause, Want};
use crate::scene::Fact;
use crate::state::ShellState;
use crate::word::Word;
use crate::{path, unwrap};

/// Folders of programs that no session writes.
const INSTALLED: &[&str] = &["/bin/", "/sbin/", "/usr/", "/opt/", "/nix/", "/snap/", "/lib/"];

/// What a file's first line says it is.
enum Shebang {
    Shell,
    Code(Language),
    Other,
}

/// What a byte of code counts, in bytes of shell text.
const CODE: usize = 4;

impl ShellReader<'_> {
    /// A shell script. None if nobody knows what is in it.
    pub(super) fn script(
        &mut self,
        file: &Word,
        place: usize,
        way: RunMode<'_>,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Option<PrintedOutput> {
        if matches!(
            file.literal(),
            Some("/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0" | "-")
        ) {
            return Some(self.standard_input(outer, state, level));
        }
        let text = self.script_text(file, place, outer, state)?;
        let page = SourceText {
            text: &text,
            base: None,
            cuts: &[],
        };
        match kind(&text) {
            Shebang::Shell => Some(self.in_shell(&page, way, state, level)),
            Shebang::Code(language) => self.effects_of(language, &text, outer, state, level),
            Shebang::Other => None,
        }
    }

    /// A program that is called by its path: it may be a script this session wrote.
    pub(super) fn program_file(
        &mut self,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Option<PrintedOutput> {
        let file = outer.run.argv.first()?.clone();
        let name = file.literal()?;
        let is_written = self.files.find(state.cwd.as_deref(), name).is_some();
        let is_installed = INSTALLED.iter().any(|folder| name.starts_with(folder));
        if !name.contains('/') || (is_installed && !is_written) {
            return None;
        }
        let mut inside = level.inside(name.to_owned(), None, outer.input);
        inside.reparse += 1;
        let way = RunMode {
            arguments: outer.run.argv.get(1..).unwrap_or_default(),
            is_same_shell: false,
        };
        let mark = self.commands.len();
        let printed = self.script(&file, 0, way, outer, &mut state.clone(), &inside);
        if self.commands.len() > mark
            && let Some(command) = self.commands.get_mut(outer.index)
        {
            command.wraps = true;
        }
        printed
    }

    /// What is in a file that is run as commands; a note if commands of this text wrote it and nobody knows what.
    fn script_text(
        &mut self,
        file: &Word,
        place: usize,
        outer: OuterCommand<'_>,
        state: &ShellState,
    ) -> Option<String> {
        let name = file.literal()?;
        let Some(made) = self.files.find(state.cwd.as_deref(), name).cloned() else {
            return self.stored_text(name, state);
        };
        if let Some(command) = self.commands.get_mut(outer.index)
            && !made.by.is_empty()
            && !command.feeds.iter().any(|feed| feed.word == place)
        {
            command.feeds.push(Feed {
                word: place,
                commands: made.by.to_vec(),
            });
        }
        let text = made
            .bytes
            .and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
        if text.is_none() && !self.print_settings(&made.by) {
            self.note(UnreadCause::UnknownInput, &outer.run.text, Some(outer.index));
        }
        text
    }

    /// What is in a file, whoever wrote it.
    pub(super) fn file_text(&mut self, file: &Word, state: &ShellState) -> Option<String> {
        let name = file.literal()?;
        match self.files.find(state.cwd.as_deref(), name) {
            Some(made) => String::from_utf8(made.bytes.as_ref()?.to_vec()).ok(),
            None => self.stored_text(name, state),
        }
    }

    pub(super) fn stored_text(&mut self, name: &str, state: &ShellState) -> Option<String> {
        let path = path::joined(state.cwd.as_deref(), name)?;
        match self.scene.known.script(&path) {
            Fact::None => None,
            Fact::NotAsked => {
                self.want(Want::Script { path });
                None
            }
            Fact::Is(text) => {
                if self.scripts == 0 || text.len() > self.scene.budget.script_bytes {
                    self.run_over(name);
                    return None;
                }
                self.scripts -= 1;
                Some(text)
            }
        }
    }

    /// Code of another language, wherever it is.
    pub(super) fn code(
        &mut self,
        language: Language,
        source: &CodeSource,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Option<PrintedOutput> {
        let Some(text) = self.source_text(source, outer, state) else {
            self.unknown_code(source, outer);
            return None;
        };
        self.effects_of(language, &text, outer, state, level)
    }

    fn unknown_code(&mut self, source: &CodeSource, outer: OuterCommand<'_>) {
        let cause = match (source, &outer.input.stdin) {
            (CodeSource::Text(_), _) => UnreadCause::UnknownCode,
            (
                CodeSource::Stdin,
                Stdin::Pipe(_) | Stdin::Heredoc { .. } | Stdin::Substitution(_) | Stdin::HereString(_),
            ) => UnreadCause::UnknownInput,
            (CodeSource::Stdin | CodeSource::File(_), _) => return,
        };
        self.note(cause, &outer.run.text, Some(outer.index));
    }

    /// As much of code or statements as is looked at; none if nothing may be any more.
    pub(super) fn beginning<'t>(&mut self, text: &'t str, outer: OuterCommand<'_>) -> Option<&'t str> {
        let most = self.scene.budget.script_bytes;
        let known = text.get(..text.floor_char_boundary(most)).unwrap_or(text);
        if known.len() < text.len() {
            self.note(UnreadCause::OverBudget, &outer.run.text, Some(outer.index));
        }
        self.spend_bytes(known.len().saturating_mul(CODE))
            .then_some(known)
    }

    fn effects_of(
        &mut self,
        language: Language,
        text: &str,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Option<PrintedOutput> {
        let known = self.beginning(text, outer)?;
        for effect in code::scan(language, known) {
            if self.is_over {
                break;
            }
            self.effect(effect, outer, state, level);
        }
        None
    }

    /// What code does, as the command that does the same.
    fn effect(
        &mut self,
        effect: CodeAction,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        let (words, kind) = match effect {
            CodeAction::Remove { path, recursive } => {
                let options = if recursive { "-rf" } else { "-f" };
                (command(&["rm", options, "--"], [path]), CodeEffect::Remove)
            }
            CodeAction::Rename { from, to } => (command(&["mv", "-f", "--"], [from, to]), CodeEffect::Rename),
            CodeAction::Truncate { path } => (
                command(&["truncate", "-s", "0", "--"], [path]),
                CodeEffect::Truncate,
            ),
            CodeAction::Spawn(ProcessSpawn::Words(words)) => (words, CodeEffect::Spawn),
            CodeAction::Spawn(ProcessSpawn::Text(text)) => {
                self.spawned(&text, outer, state, level);
                return;
            }
        };
        let mut run = CommandRun::new(words.iter().map(|word| self.at_home(word)).collect());
        run.is_inner = true;
        let mark = self.commands.len();
        self.run(run, &mut state.clone(), level);
        if let Some(command) = self.commands.get_mut(mark) {
            command.effect = Some(kind);
        }
    }

    /// A string that code hands to a shell.
    fn spawned(&mut self, text: &Word, outer: OuterCommand<'_>, state: &mut ShellState, level: &GroupLevel) {
        let mark = self.commands.len();
        if text.texts().is_empty() {
            self.note(UnreadCause::UnknownCode, &outer.run.text, Some(outer.index));
        }
        for text in text.texts() {
            let page = SourceText {
                text,
                base: None,
                cuts: &[],
            };
            self.in_shell(&page, RunMode::APART, state, level);
        }
        for command in self.commands.iter_mut().skip(mark) {
            command.effect.get_or_insert(CodeEffect::Spawn);
        }
    }

    /// A word of code: what begins at the home folder is known, a text with gaps is not.
    fn at_home(&self, word: &Word) -> Word {
        let mut fields = WordAssembler::default();
        self.is_personal.set(true);
        match (word, &self.scene.home) {
            (
                Word::Unknown {
                    prefix, suffix, name, ..
                },
                Some(home),
            ) if name.as_deref() == Some("HOME") && prefix.is_empty() => {
                fields.quoted(home);
                fields.quoted(suffix);
            }
            _ => fields.whole(word),
        }
        let found = fields.finish(true).into_iter().next();
        found.map_or_else(Word::unknown, |field| field.word)
    }
}

fn command<const N: usize>(front: &[&str], operands: [Word; N]) -> Vec<Word> {
    front.iter().copied().map(Word::new).chain(operands).collect()
}

fn kind(text: &str) -> Shebang {
    let Some(line) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
        return Shebang::Shell;
    };
    let mut words = line.split_whitespace();
    let mut name = words.next().unwrap_or_default();
    if name.ends_with("/env") {
        name = words
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .unwrap_or_default();
    }
    let name = name.rsplit('/').next().unwrap_or_default();
    match name {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "mksh" => Shebang::Shell,
        name => unwrap::language(name).map_or(Shebang::Other, Shebang::Code),
    }
}
