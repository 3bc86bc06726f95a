//! Lists, pipelines, and what `&&` and `||` make of the state.

use super::{GroupLevel, Input, PrintedOutput, ShellReader, SourceText};
use crate::intent::{self, Chance, Stdin};
use crate::state::ShellState;
use shuck_ast::{BinaryOp, Command, Stmt, StmtTerminator};
use std::rc::Rc;

impl ShellReader<'_> {
    pub(super) fn list(
        &mut self,
        list: &[Stmt],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut printed = PrintedOutput::nothing();
        for statement in list {
            if self.is_over {
                return PrintedOutput::default();
            }
            printed = printed.then(self.statement(statement, page, state, level));
        }
        printed
    }

    pub(super) fn statement(
        &mut self,
        stmt: &Stmt,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        if !self.spend() {
            return PrintedOutput::default();
        }
        if matches!(stmt.terminator, Some(StmtTerminator::Background(_))) && !level.background {
            let mut apart = state.clone();
            let mut level = level.clone();
            level.background = true;
            return self.foreground(stmt, page, &mut apart, &level);
        }
        self.foreground(stmt, page, state, level)
    }

    fn foreground(
        &mut self,
        stmt: &Stmt,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        match &stmt.command {
            Command::Simple(command) => self.simple(command, &stmt.redirects, page, state, level),
            Command::Builtin(command) => self.leaving(command, &stmt.redirects, page, state, level),
            Command::Decl(clause) => self.declaration(clause, &stmt.redirects, page, state, level),
            Command::Binary(binary) if is_pipe(binary.op) => self.pipeline(stmt, page, state, level),
            Command::Binary(_) => self.and_or(stmt, page, state, level),
            Command::Compound(compound) => {
                self.redirected(&stmt.redirects, page, state, level, |reader, state, level| {
                    reader.compound(compound, page, state, level)
                })
            }
            Command::Function(definition) => {
                Self::define(definition, page, state);
                PrintedOutput::nothing()
            }
            Command::AnonymousFunction(function) => {
                self.redirected(&stmt.redirects, page, state, level, |reader, state, level| {
                    reader.statement(&function.body, page, state, level)
                })
            }
        }
    }

    /// Each stage runs in a shell of its own and reads what the one before it prints.
    fn pipeline(
        &mut self,
        stmt: &Stmt,
        page: &SourceText<'_>,
        state: &ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut printed = PrintedOutput::nothing();
        for (index, (_, stage)) in chain(stmt, is_pipe).into_iter().enumerate() {
            let mut stage_level = level.clone();
            if index > 0 {
                stage_level.input = Input {
                    stdin: Stdin::Pipe(printed.by.into()),
                    bytes: printed.bytes.map(Rc::new),
                    template: printed.template.map(Rc::from),
                };
            }
            printed = self.statement(stage, page, &mut state.clone(), &stage_level);
        }
        printed
    }

    /// What `&&` joins is taken to succeed; what stands behind `||` runs if it did not.
    fn and_or(
        &mut self,
        stmt: &Stmt,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut printed = PrintedOutput::nothing();
        let mut before = state.clone();
        let (mut level, around) = (level.clone(), level.chance);
        let parts = chain(stmt, |op| !is_pipe(op));
        let last_other = parts.iter().rposition(|(op, _)| matches!(op, Some(BinaryOp::Or)));
        let mut is_certain = true;
        for (at, (op, part)) in parts.into_iter().enumerate() {
            let is_other = matches!(op, Some(BinaryOp::Or));
            is_certain &= !is_other;
            if !is_certain {
                // Behind the last `||` a success says that all of it ran.
                let is_told = last_other.is_none_or(|other| other < at);
                level.chance = around.max(if is_told {
                    Chance::WithSuccess
                } else {
                    Chance::Open
                });
            }
            let so_far = self.commands.len();
            let part_printed = if is_other {
                self.otherwise(part, &before, page, state, &level)
            } else {
                before = state.clone();
                let printed = self.statement(part, page, state, &level);
                if state.has_left && op.is_some() {
                    // `test … && exit`: what follows runs only if it did not leave.
                    *state = before.clone();
                }
                printed
            };
            let ran = self.commands.get(so_far..).unwrap_or_default();
            is_certain &= ran.iter().all(never_fails);
            printed = printed.then(part_printed);
            if is_other {
                // Only one of the two prints.
                printed.bytes = printed.bytes.filter(Vec::is_empty);
            }
        }
        printed
    }

    /// Behind `||`: what was tried before did not succeed, so its folder was not reached.
    fn otherwise(
        &mut self,
        part: &Stmt,
        before: &ShellState,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut other = state.clone();
        other.cwd.clone_from(&before.cwd);
        other.has_left = false;
        let printed = self.statement(part, page, &mut other, level);
        if other.cwd == before.cwd {
            other.cwd.clone_from(&state.cwd);
        }
        *state = state.clone().join(other);
        printed
    }
}

/// Commands after which the next one of a chain runs, whatever they are given. A `cd` that fails leads to no file either.
fn never_fails(command: &intent::Command) -> bool {
    let names = [
        "cd", "pushd", "echo", "printf", "export", "set", "true", ":", "pwd", "date",
    ];
    command.program().is_some_and(|name| names.contains(&name))
}

fn is_pipe(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Pipe | BinaryOp::PipeAll)
}

/// The parts of a left-nested chain, in the order they are written, each with the operator before it.
fn chain(stmt: &Stmt, belongs: impl Fn(BinaryOp) -> bool) -> Vec<(Option<BinaryOp>, &Stmt)> {
    let mut parts = Vec::new();
    let mut at = stmt;
    while let Command::Binary(binary) = &at.command {
        if !belongs(binary.op) {
            break;
        }
        parts.push((Some(binary.op), &*binary.right));
        at = &binary.left;
    }
    parts.push((None, at));
    parts.reverse();
    parts
}
