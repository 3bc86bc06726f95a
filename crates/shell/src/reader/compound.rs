//! Branches, groups, functions and tests.

use super::{GroupLevel, PrintedOutput, ShellReader, SourceText};
use crate::state::{Function, ShellState};
use shuck_ast::{CaseCommand, CompoundCommand, FunctionDef, IfCommand, Span, StmtSeq, Word};
use std::rc::Rc;

impl ShellReader<'_> {
    pub(super) fn compound(
        &mut self,
        compound: &CompoundCommand,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        match compound {
            CompoundCommand::If(command) => self.branches(command, page, state, level),
            CompoundCommand::Case(command) => self.cases(command, page, state, level),
            CompoundCommand::Subshell(list) => self.list(&list.stmts, page, &mut state.clone(), level),
            CompoundCommand::BraceGroup(list) => self.list(&list.stmts, page, state, level),
            CompoundCommand::Time(command) => command
                .command
                .as_ref()
                .map_or_else(PrintedOutput::nothing, |body| {
                    self.statement(body, page, state, level)
                }),
            CompoundCommand::Coproc(command) => {
                let mut level = level.clone();
                level.background = true;
                self.statement(&command.body, page, &mut state.clone(), &level)
            }
            CompoundCommand::Always(command) => {
                let printed = self.list(&command.body.stmts, page, state, level);
                printed.then(self.list(&command.always_body.stmts, page, state, level))
            }
            CompoundCommand::Conditional(command) => self.tested(command.span, page, state, level),
            CompoundCommand::Arithmetic(command) => self.tested(command.span, page, state, level),
            CompoundCommand::For(_)
            | CompoundCommand::Repeat(_)
            | CompoundCommand::Foreach(_)
            | CompoundCommand::ArithmeticFor(_)
            | CompoundCommand::While(_)
            | CompoundCommand::Until(_)
            | CompoundCommand::Select(_) => self.repeated(compound, page, state, level),
        }
    }

    /// `[[ … ]]` and `(( … ))` run nothing but what is substituted in them.
    pub(super) fn tested(
        &mut self,
        span: Span,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let part = page.part(span.start.offset(), span.end.offset());
        self.substitutions_in(&part, state, level);
        PrintedOutput::nothing()
    }

    fn branches(
        &mut self,
        command: &IfCommand,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut printed = self.list(&command.condition.stmts, page, state, level);
        let mut ends = Vec::new();
        let mut branch = |reader: &mut Self, list: &StmtSeq, state: &ShellState, printed: PrintedOutput| {
            let mut own = state.clone();
            let part = reader.list(&list.stmts, page, &mut own, level);
            ends.push(own);
            one_of_both(printed, part)
        };
        printed = branch(self, &command.then_branch, state, printed);
        for (condition, body) in &command.elif_branches {
            let part = self.list(&condition.stmts, page, state, level);
            printed = one_of_both(printed, part);
            printed = branch(self, body, state, printed);
        }
        if let Some(body) = &command.else_branch {
            printed = branch(self, body, state, printed);
        } else {
            ends.insert(0, state.clone());
        }
        join_all(state, ends);
        printed
    }

    fn cases(
        &mut self,
        command: &CaseCommand,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        self.only_substitutions(&command.word, page, state, level);
        let mut printed = PrintedOutput::default();
        let mut ends = vec![state.clone()];
        for case in &command.cases {
            for pattern in &case.patterns {
                let part = page.part(pattern.span.start.offset(), pattern.span.end.offset());
                self.substitutions_in(&part, state, level);
            }
            let mut own = state.clone();
            let part = self.list(&case.body.stmts, page, &mut own, level);
            ends.push(own);
            printed.by.extend(part.by);
        }
        join_all(state, ends);
        printed
    }

    pub(super) fn only_substitutions(
        &mut self,
        word: &Word,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        let part = page.part(word.span.start.offset(), word.span.end.offset());
        self.substitutions_in(&part, state, level);
    }

    /// Keeps the body; it is read when the function is called.
    pub(super) fn define(definition: &FunctionDef, page: &SourceText<'_>, state: &mut ShellState) {
        let header = definition.header.span();
        let body = page.part(header.end.offset(), definition.span.end.offset());
        let function = Function {
            body: Rc::from(body.text),
            base: body.base,
        };
        for name in definition.static_names() {
            state.add_function(name.as_str(), function.clone());
        }
    }
}

fn one_of_both(one: PrintedOutput, two: PrintedOutput) -> PrintedOutput {
    let mut printed = one.then(two);
    printed.bytes = printed.bytes.filter(Vec::is_empty);
    printed
}

/// What holds whichever way was taken. If all of them leave, so does the whole.
pub(super) fn join_all(state: &mut ShellState, ends: Vec<ShellState>) {
    if let Some(joined) = ends.into_iter().reduce(ShellState::join) {
        *state = joined;
    }
}
