//! `$(…)`, backticks, `<(…)` and `>(…)`: commands whose output stands in a word.

use super::files::Made;
use super::{Input, Level, Page, Printed, Reader};
use crate::shell::field::Fields;
use crate::shell::intent::Stdin;
use crate::shell::state::State;
use std::rc::Rc;

/// The first of the paths that stand for process substitutions.
const FIRST_PIPE: usize = 63;

impl Reader<'_> {
    pub(super) fn substituted(
        &mut self,
        body: &Page<'_>,
        quoted: bool,
        fields: &mut Fields,
        state: &State,
        level: &Level,
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
        body: &Page<'_>,
        is_input: bool,
        fields: &mut Fields,
        state: &State,
        level: &Level,
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
            let made = Made {
                bytes: printed.bytes.map(Rc::new),
                by: Rc::new(printed.by),
            };
            self.files.write(None, &name, made);
        }
    }

    fn apart(&mut self, body: &Page<'_>, state: &State, level: &Level, input: Input) -> Printed {
        let mut level = level.clone();
        level.redirects = Vec::new();
        level.input = input;
        level.depth += 1;
        self.page(body, &mut state.clone(), &level)
    }
}
