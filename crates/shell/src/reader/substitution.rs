//! `$(…)`, backticks, `<(…)` and `>(…)`: commands whose output stands in a word.

use super::files::KnownContent;
use super::{GroupLevel, Input, PrintedOutput, ShellReader, SourceText};
use crate::field::WordAssembler;
use crate::intent::Stdin;
use crate::state::ShellState;
use std::rc::Rc;

/// The first of the paths that stand for process substitutions.
const FIRST_PIPE: usize = 63;

impl ShellReader<'_> {
    pub(super) fn substituted(
        &mut self,
        body: &SourceText<'_>,
        quoted: bool,
        fields: &mut WordAssembler,
        state: &ShellState,
        level: &GroupLevel,
    ) {
        let printed = self.apart(body, state, level, level.input.clone());
        fields.fed_by(&printed.by);
        let text = printed.bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        match text.filter(|text| !text.contains('\0')) {
            Some(text) if self.spend_bytes(text.len()) => {
                let text = text.trim_end_matches('\n');
                if quoted {
                    fields.quoted(text);
                } else {
                    fields.split(text, &state.separators());
                }
            }
            _ => fields.unknown(quoted, None),
        }
    }

    /// The word becomes the name of a pipe, whose content is what the commands print.
    pub(super) fn process(
        &mut self,
        body: &SourceText<'_>,
        is_input: bool,
        fields: &mut WordAssembler,
        state: &ShellState,
        level: &GroupLevel,
    ) {
        let input = if is_input {
            level.input.clone()
        } else {
            Input {
                stdin: Stdin::Pipe([].into()),
                bytes: None,
                template: None,
            }
        };
        let printed = self.apart(body, state, level, input);
        let name = format!("/dev/fd/{}", FIRST_PIPE + self.pipes);
        self.pipes += 1;
        fields.quoted(&name);
        if is_input {
            fields.fed_by(&printed.by);
            let made = KnownContent {
                bytes: printed.bytes.map(Rc::new),
                by: Rc::new(printed.by),
            };
            self.files.write(None, &name, made);
        }
    }

    fn apart(
        &mut self,
        body: &SourceText<'_>,
        state: &ShellState,
        level: &GroupLevel,
        input: Input,
    ) -> PrintedOutput {
        let mut level = level.clone();
        level.redirects = Vec::new();
        level.input = input;
        level.depth += 1;
        self.page(body, &mut state.clone(), &level)
    }
}
