//! Redirections: where input comes from, where output goes, and what heredocs say.

use super::files::KnownContent;
use super::{GroupLevel, Input, KNOWN_BYTES, PrintedOutput, ShellReader, SourceText, anchor};
use crate::intent::{Redirect, RedirectOp, Stdin};
use crate::piece::WordPosition;
use crate::state::ShellState;
use crate::word::Word;
use shuck_ast::{Heredoc, RedirectKind, RedirectTarget};
use std::rc::Rc;

/// How many redirections of a group its commands carry.
const OF_GROUP: usize = 8;

/// The redirections of one command or group, followed.
#[derive(Default)]
pub(super) struct Redirected {
    pub(super) list: Vec<Redirect>,
    /// What standard input becomes, if it changes.
    pub(super) input: Option<Input>,
    /// Where standard output goes, if it changes.
    pub(super) output: Option<Output>,
}

/// Where standard output goes.
pub(super) enum Output {
    /// Into a file.
    File { target: Word, appends: bool },
    /// Somewhere it is not read from.
    Elsewhere,
}

impl ShellReader<'_> {
    pub(super) fn redirections(
        &mut self,
        list: &[shuck_ast::Redirect],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Redirected {
        let mut redirected = Redirected::default();
        for redirect in list {
            if !self.spend() {
                break;
            }
            let raw = page.slice(redirect.span.start.offset(), redirect.span.end.offset());
            // The parser adds `2>&1` to `&>>` on its own.
            let is_added = raw == "&>>" || raw == "&>";
            if is_added && redirect.kind == RedirectKind::DupOutput {
                continue;
            }
            self.redirection(redirect, raw, page, &mut redirected, state, level);
        }
        redirected
    }

    fn redirection(
        &mut self,
        redirect: &shuck_ast::Redirect,
        raw: &str,
        page: &SourceText<'_>,
        redirected: &mut Redirected,
        state: &mut ShellState,
        level: &GroupLevel,
    ) {
        let mut target_span = None;
        let mut template = None;
        let (target, feeds) = match &redirect.target {
            RedirectTarget::Heredoc(heredoc) => {
                redirected.input = Some(self.heredoc(heredoc, page, state, level));
                (Word::new(heredoc.delimiter.cooked.as_str()), Vec::new())
            }
            RedirectTarget::Word(word) if word.span.start == word.span.end => {
                let behind = raw.rsplit(['&', '>', '<']).next().unwrap_or_default();
                (Word::new(behind.trim()), Vec::new())
            }
            RedirectTarget::Word(word) if redirect.kind == RedirectKind::HereString => {
                let part = page.part(word.span.start.offset(), word.span.end.offset());
                let field = self.value(&part, WordPosition::Bare, state, level);
                template = field.template;
                (field.word, field.feeds)
            }
            RedirectTarget::Word(word) => {
                target_span = page.span(word.span.start.offset(), word.span.end.offset());
                let mut fields = self.word(word, page, state, level);
                match (fields.pop(), fields.is_empty()) {
                    (Some(field), true) => (field.word, field.feeds),
                    _ => (Word::unknown(), Vec::new()),
                }
            }
        };
        let op = operator(redirect.kind, raw, &target);
        let is_written = raw.starts_with(|letter: char| letter.is_ascii_digit());
        let fd = redirect
            .fd
            .filter(|_| is_written)
            .and_then(|fd| u32::try_from(fd).ok());
        self.follow_redirection(op, fd, &target, (&feeds, template), redirected, state);
        redirected.list.push(Redirect {
            fd,
            op,
            target,
            span: page.span(redirect.span.start.offset(), redirect.span.end.offset()),
            target_span,
        });
    }

    fn follow_redirection(
        &self,
        op: RedirectOp,
        fd: Option<u32>,
        target: &Word,
        (feeds, template): (&[usize], Option<String>),
        redirected: &mut Redirected,
        state: &ShellState,
    ) {
        let is_input = fd.is_none_or(|fd| fd == 0);
        let is_output = fd.is_none_or(|fd| fd == 1);
        match op {
            RedirectOp::HereString if is_input => {
                let bytes = target
                    .literal()
                    .map(|text| Rc::new(format!("{text}\n").into_bytes()));
                let stdin = if feeds.is_empty() || bytes.is_some() {
                    Stdin::HereString(target.clone())
                } else {
                    Stdin::Substitution(feeds.into())
                };
                redirected.input = Some(Input {
                    stdin,
                    bytes,
                    template: template.map(Rc::from),
                });
            }
            RedirectOp::Read | RedirectOp::ReadWrite if is_input => {
                let made = target
                    .literal()
                    .and_then(|file| self.files.find(state.cwd.as_deref(), file));
                let stdin = if feeds.is_empty() {
                    Stdin::File(target.clone())
                } else {
                    Stdin::Substitution(feeds.into())
                };
                redirected.input = Some(Input {
                    stdin,
                    bytes: made.and_then(|made| made.bytes.clone()),
                    template: None,
                });
            }
            RedirectOp::Write | RedirectOp::Clobber | RedirectOp::WriteAll if is_output => {
                redirected.output = Some(file_or_device(target, false));
            }
            RedirectOp::Append | RedirectOp::AppendAll if is_output => {
                redirected.output = Some(file_or_device(target, true));
            }
            RedirectOp::Duplicate if is_output && target.literal() != Some("1") => {
                redirected.output = Some(Output::Elsewhere);
            }
            _ => {}
        }
    }

    /// A heredoc's text, and the commands that are substituted in it.
    fn heredoc(
        &mut self,
        heredoc: &Heredoc,
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Input {
        let span = heredoc.body.span;
        let body = page.part(span.start.offset(), span.end.offset());
        let stripped = heredoc.delimiter.strip_tabs.then(|| without_tabs(body.text));
        let part = match &stripped {
            Some(text) => SourceText {
                text,
                base: None,
                cuts: &[],
            },
            None => body,
        };
        let has_marks = || part.text.bytes().any(|byte| matches!(byte, b'$' | b'`' | b'\\'));
        let mut template = None;
        let mut feeds = Vec::new();
        let bytes = if heredoc.delimiter.expands_body && has_marks() {
            let field = self.value(&part, WordPosition::Heredoc, state, level);
            template = field.template.map(Rc::from);
            feeds = field.feeds;
            field.word.literal().map(|text| text.as_bytes().to_vec())
        } else {
            Some(part.text.as_bytes().to_vec())
        };
        let short = bytes.as_ref().filter(|bytes| bytes.len() <= KNOWN_BYTES);
        let stdin = if feeds.is_empty() || bytes.is_some() {
            Stdin::Heredoc {
                text: short.and_then(|bytes| String::from_utf8(bytes.clone()).ok()),
            }
        } else {
            Stdin::Substitution(feeds.into())
        };
        Input {
            stdin,
            bytes: bytes.map(Rc::new),
            template,
        }
    }

    /// Walks a group with its redirections.
    pub(super) fn redirected(
        &mut self,
        list: &[shuck_ast::Redirect],
        page: &SourceText<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
        body: impl FnOnce(&mut Self, &mut ShellState, &GroupLevel) -> PrintedOutput,
    ) -> PrintedOutput {
        let mut inner = level.clone();
        inner.depth += 1;
        if list.is_empty() {
            return body(self, state, &inner);
        }
        let redirected = self.redirections(list, page, state, level);
        let opened = state.cwd.clone();
        anchor::hold(&mut inner.redirects, inner.opened.as_deref(), opened.as_deref());
        inner.opened.clone_from(&opened);
        let room = OF_GROUP.saturating_sub(inner.redirects.len());
        inner.redirects.extend(redirected.list.into_iter().take(room));
        if let Some(input) = redirected.input {
            inner.input = shared(input);
        }
        let printed = body(self, state, &inner);
        self.written(printed, redirected.output, opened.as_deref())
    }

    /// What is left of the output once it went where it is sent.
    pub(super) fn written(
        &mut self,
        printed: PrintedOutput,
        output: Option<Output>,
        cwd: Option<&str>,
    ) -> PrintedOutput {
        let Some(output) = output else {
            return printed;
        };
        if let Output::File { target, appends } = output
            && let Some(file) = target.literal()
        {
            let made = KnownContent {
                bytes: printed.bytes.map(Rc::new),
                by: Rc::new(printed.by.clone()),
            };
            if appends {
                self.files.append(cwd, file, &made);
            } else {
                self.files.write(cwd, file, made);
            }
        }
        PrintedOutput {
            bytes: Some(Vec::new()),
            by: printed.by,
            template: None,
        }
    }
}

/// Many commands may read one group's input: its text is not copied to each.
fn shared(input: Input) -> Input {
    let stdin = match input.stdin {
        Stdin::Heredoc { .. } => Stdin::Heredoc { text: None },
        stdin => stdin,
    };
    Input { stdin, ..input }
}

fn operator(kind: RedirectKind, raw: &str, target: &Word) -> RedirectOp {
    match kind {
        RedirectKind::Output => RedirectOp::Write,
        RedirectKind::Clobber => RedirectOp::Clobber,
        RedirectKind::Append if raw.starts_with('&') => RedirectOp::AppendAll,
        RedirectKind::Append => RedirectOp::Append,
        RedirectKind::Input => RedirectOp::Read,
        RedirectKind::ReadWrite => RedirectOp::ReadWrite,
        RedirectKind::HereDoc | RedirectKind::HereDocStrip => RedirectOp::HereDoc,
        RedirectKind::HereString => RedirectOp::HereString,
        RedirectKind::OutputBoth => RedirectOp::WriteAll,
        RedirectKind::DupInput => RedirectOp::Duplicate,
        // `>&file` is `&>file`.
        RedirectKind::DupOutput => match target.literal() {
            Some(text) if is_descriptor(text) => RedirectOp::Duplicate,
            Some(_) => RedirectOp::WriteAll,
            None => RedirectOp::Duplicate,
        },
    }
}

fn is_descriptor(text: &str) -> bool {
    let digits = text.trim_end_matches('-');
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn file_or_device(target: &Word, appends: bool) -> Output {
    match target.literal() {
        Some("/dev/null" | "/dev/stderr" | "/dev/tty") => Output::Elsewhere,
        _ => Output::File {
            target: target.clone(),
            appends,
        },
    }
}

fn without_tabs(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| line.trim_start_matches('\t'))
        .collect()
}
