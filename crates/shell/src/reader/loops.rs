//! Loops: the body is walked with every value the variable takes, and once more if it changes what it reads.

use super::compound::join_all;
use super::{GroupLevel, PrintedOutput, ShellReader, SourceText};
use crate::state::{ShellState, VariableValue};
use crate::word::Word;
use shuck_ast::{CompoundCommand, Span, StmtSeq};

impl ShellReader<'_> {
    pub(super) fn repeated(
        &mut self,
        compound: &CompoundCommand,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        match compound {
            CompoundCommand::For(command) => {
                let names = command.targets.iter().filter_map(|target| target.name.as_ref());
                let names: Vec<&str> = names.map(shuck_ast::Name::as_str).collect();
                let words = match &command.words {
                    Some(words) => self.listed(words, page, state, level),
                    None => state
                        .positional
                        .as_deref()
                        .cloned()
                        .unwrap_or_else(|| vec![Word::unknown_words()]),
                };
                self.over(&names, words, &command.body, page, state, level)
            }
            CompoundCommand::Foreach(command) => {
                let names = [command.variable.as_str()];
                self.over_listed(&names, &command.words, &command.body, page, state, level)
            }
            CompoundCommand::Select(command) => {
                let names = [command.variable.as_str()];
                self.over_listed(&names, &command.words, &command.body, page, state, level)
            }
            CompoundCommand::While(command) => {
                self.until_stable(&[&command.condition, &command.body], page, state, level)
            }
            CompoundCommand::Until(command) => {
                self.until_stable(&[&command.condition, &command.body], page, state, level)
            }
            CompoundCommand::ArithmeticFor(command) => {
                let header =
                    Span::from_positions(command.left_paren_span.start, command.right_paren_span.end);
                self.tested(header, page, state, level);
                self.until_stable(&[&command.body], page, state, level)
            }
            CompoundCommand::Repeat(command) => {
                self.only_substitutions(&command.count, page, state, level);
                self.until_stable(&[&command.body], page, state, level)
            }
            _ => PrintedOutput::nothing(),
        }
    }

    fn listed(
        &mut self,
        words: &[shuck_ast::Word],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Vec<Word> {
        let mut listed = Vec::new();
        for word in words {
            let fields = self.word(word, page, state, level);
            listed.extend(fields.into_iter().map(|field| field.word));
            if listed.len() > self.scene.budget.words {
                self.run_over("");
                break;
            }
        }
        listed
    }

    fn over_listed(
        &mut self,
        names: &[&str],
        words: &[shuck_ast::Word],
        body: &StmtSeq,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let words = self.listed(words, page, state, level);
        self.over(names, words, body, page, state, level)
    }

    fn over(
        &mut self,
        names: &[&str],
        words: Vec<Word>,
        body: &StmtSeq,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let value = any_of(words);
        for name in names {
            state.set(name, VariableValue::One(value.clone()), Vec::new());
        }
        self.until_stable(&[body], page, state, level)
    }

    /// The outermost loop is walked twice: what its first round sets, its second may read. Only the second counts.
    fn until_stable(
        &mut self,
        parts: &[&StmtSeq],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let is_outermost = !self.in_loop;
        self.in_loop = true;
        if is_outermost && !self.is_over {
            let (commands, notes, wants) = (self.commands.len(), self.notes.len(), self.wants.len());
            let files = self.files.clone();
            let before = state.clone();
            self.once(parts, page, state, level);
            if !self.is_over {
                self.commands.truncate(commands);
                self.notes.truncate(notes);
                self.wants.truncate(wants);
                self.files = files;
            }
            let mut after = state.clone();
            after.has_left = false;
            // A folder that the body leaves and comes back to is the same in every round.
            join_all(state, vec![before, after]);
        }
        let before = state.clone();
        let printed = if self.is_over {
            PrintedOutput::default()
        } else {
            self.once(parts, page, state, level)
        };
        let after = state.clone();
        join_all(state, vec![before, after]);
        if is_outermost {
            self.in_loop = false;
        }
        printed
    }

    fn once(
        &mut self,
        parts: &[&StmtSeq],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut printed = PrintedOutput::default();
        for part in parts {
            let part = self.list(&part.stmts, page, state, level);
            printed.by.extend(part.by);
        }
        printed
    }
}

/// One word that is any of these.
fn any_of(mut words: Vec<Word>) -> Word {
    if words.len() == 1 {
        return words.pop().map_or_else(Word::unknown, one_word);
    }
    if words.iter().any(|word| word.texts().is_empty()) {
        return Word::unknown();
    }
    Word::one_of(words.iter().flat_map(Word::texts).cloned())
}

/// A loop's variable is one word, however many words the list may be.
fn one_word(word: Word) -> Word {
    match word {
        Word::Unknown { prefix, suffix, .. } => Word::Unknown {
            prefix,
            suffix,
            quoted: true,
            name: None,
        },
        word => word,
    }
}
