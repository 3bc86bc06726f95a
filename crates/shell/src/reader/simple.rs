//! Simple commands as they are written: words, assignments and redirections become one run.

use super::assignment::Assigned;
use super::running::CommandRun;
use super::{GroupLevel, PrintedOutput, ShellReader, SourceText, display};
use crate::field::ExpandedWord;
use crate::intent::Span;
use crate::state::ShellState;
use crate::word::Word;
use shuck_ast::{Assignment, BuiltinCommand, DeclClause, DeclOperand, SimpleCommand};

/// The written parts of a command.
struct CommandParts<'w> {
    words: Vec<&'w shuck_ast::Word>,
    assignments: &'w [Assignment],
    redirects: &'w [shuck_ast::Redirect],
}

impl ShellReader<'_> {
    pub(super) fn simple(
        &mut self,
        command: &SimpleCommand,
        redirects: &[shuck_ast::Redirect],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let has_name = command.name.span.start != command.name.span.end;
        // `a | ! b` is an error for one shell and a command for another.
        let is_denied = page.slice(command.name.span.start.offset(), command.name.span.end.offset()) == "!";
        let name = (has_name && !is_denied).then_some(&command.name);
        let written = CommandParts {
            words: name.into_iter().chain(&command.args).collect(),
            assignments: &command.assignments,
            redirects,
        };
        self.written_command(&written, page, state, level)
    }

    /// `exit`, `return`, `break`, `continue`.
    pub(super) fn leaving(
        &mut self,
        command: &BuiltinCommand,
        redirects: &[shuck_ast::Redirect],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let (code, extra, assignments, leaves) = match command {
            BuiltinCommand::Break(it) => (&it.depth, &it.extra_args, &it.assignments, false),
            BuiltinCommand::Continue(it) => (&it.depth, &it.extra_args, &it.assignments, false),
            BuiltinCommand::Return(it) => (&it.code, &it.extra_args, &it.assignments, true),
            BuiltinCommand::Exit(it) => (&it.code, &it.extra_args, &it.assignments, true),
        };
        for word in code.iter().chain(extra) {
            self.only_substitutions(word, page, state, level);
        }
        for assignment in assignments {
            self.assigned(assignment, page, state, level);
        }
        self.redirections(redirects, page, state, level);
        state.has_left = leaves;
        PrintedOutput::nothing()
    }

    /// `export`, `local`, `declare`, `readonly`, `typeset`.
    pub(super) fn declaration(
        &mut self,
        clause: &DeclClause,
        redirects: &[shuck_ast::Redirect],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let variant = clause.variant.as_str();
        let mut is_exported = variant == "export";
        let mut run = CommandRun::new(vec![Word::new(variant)]);
        run.spans = vec![page.span(
            clause.variant_span.start.offset(),
            clause.variant_span.end.offset(),
        )];
        for operand in &clause.operands {
            match operand {
                DeclOperand::Flag(word) | DeclOperand::Dynamic(word) => {
                    for field in self.word(word, page, state, level) {
                        is_exported |= field
                            .word
                            .literal()
                            .is_some_and(|flag| flag.starts_with('-') && flag.contains('x'));
                        run.push(field, None);
                    }
                }
                DeclOperand::Name(name) => {
                    if is_exported {
                        state.export(name.name.as_str());
                    }
                    run.push(plain(name.name.as_str()), None);
                }
                DeclOperand::Assignment(assignment) => {
                    let assigned = self.assigned(assignment, page, state, level);
                    Self::keep(state, &assigned);
                    if is_exported {
                        state.export(&assigned.name);
                    }
                    run.push(joined(&assigned), None);
                }
            }
        }
        run.redirected = self.redirections(redirects, page, state, level);
        let whole = page.part(clause.span.start.offset(), clause.span.end.offset());
        let text = whole.text.trim_end().trim_end_matches([';', '&', '|']).trim_end();
        (run.span, run.text) = extent(&whole, [0, text.len()]);
        self.run(run, state, level)
    }

    fn written_command(
        &mut self,
        written: &CommandParts<'_>,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut assigned = Vec::new();
        for assignment in written.assignments {
            assigned.push(self.assigned(assignment, page, state, level));
            if let (true, Some(assigned)) = (written.words.is_empty(), assigned.last()) {
                Self::keep(state, assigned);
            }
        }
        let mut run = CommandRun::new(Vec::new());
        for word in &written.words {
            let (start, end) = (word.span.start.offset(), word.span.end.offset());
            let mut fields = self.word(word, page, state, level);
            let span = if fields.len() == 1 {
                page.span(start, end)
            } else {
                None
            };
            for field in fields.drain(..) {
                run.push(field, span);
            }
            if run.argv.len() > self.scene.budget.words {
                self.run_over(page.slice(start, end));
                return PrintedOutput::default();
            }
        }
        run.redirected = self.redirections(written.redirects, page, state, level);
        (run.span, run.text) = extent(page, written.edges());
        run.is_written = written.words.first().is_some_and(|word| is_bare_name(page, word));
        if run.argv.is_empty() {
            return self.without_command(run, written.words.is_empty(), state, level);
        }
        run.env = assigned
            .iter()
            .map(|it| (it.name.clone(), it.value.word()))
            .collect();
        self.run(run, state, level)
    }

    /// Only assignments or redirections: nothing runs, but files may be emptied.
    fn without_command(
        &mut self,
        mut run: CommandRun,
        is_bare: bool,
        state: &ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        if run.redirected.list.is_empty() || !is_bare {
            return PrintedOutput::nothing();
        }
        let output = run.redirected.output.take();
        let input = run.redirected.input.as_ref().map(|input| input.bytes.clone());
        let command = Self::command(&mut run, state, level);
        let index = self.emit(command);
        // `$(< file)` is what the file says.
        let bytes = input.map_or(Some(Vec::new()), |bytes| bytes.map(|bytes| bytes.to_vec()));
        let printed = PrintedOutput {
            bytes,
            by: vec![index],
            template: None,
        };
        self.written(printed, output, state.cwd.as_deref())
    }
}

impl CommandParts<'_> {
    /// Where the command begins and ends, without what separates it from the next.
    fn edges(&self) -> [usize; 2] {
        let words = self.words.iter().map(|word| word.span);
        let assignments = self.assignments.iter().map(|assignment| assignment.span);
        let redirects = self.redirects.iter().map(|redirect| redirect.span);
        let spans = words.chain(assignments).chain(redirects);
        let (starts, ends): (Vec<usize>, Vec<usize>) =
            spans.map(|span| (span.start.offset(), span.end.offset())).unzip();
        [
            starts.into_iter().min().unwrap_or(0),
            ends.into_iter().max().unwrap_or(0),
        ]
    }
}

fn extent(page: &SourceText<'_>, [start, end]: [usize; 2]) -> (Option<Span>, String) {
    (page.span(start, end), display::shortened(page.slice(start, end)))
}

/// Written without quotes, so that an alias of that name counts.
fn is_bare_name(page: &SourceText<'_>, word: &shuck_ast::Word) -> bool {
    let text = page.slice(word.span.start.offset(), word.span.end.offset());
    !text.contains(['\\', '\'', '"', '$', '`'])
}

fn plain(text: &str) -> ExpandedWord {
    ExpandedWord::from(Word::new(text))
}

fn joined(assigned: &Assigned) -> ExpandedWord {
    let word = match assigned.value.word() {
        Word::Literal(text) => Word::Literal(format!("{}={text}", assigned.name)),
        _ => Word::Unknown {
            prefix: format!("{}=", assigned.name),
            suffix: String::new(),
            quoted: true,
            name: None,
        },
    };
    ExpandedWord {
        word,
        feeds: assigned.feeds.clone(),
        template: None,
    }
}
