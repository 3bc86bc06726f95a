//! A file's change in the form git prints and applies.

use super::changed::{Body, Changed, Lines};
use crate::command::checkpoint::quoted;
use crate::terminal::Terminal;
use engine::text::one_line;
use git::object::Entry;
use similar::{DiffOp, group_diff_ops};
use std::ops::Range;

/// Equal lines that are shown around what changed.
const CONTEXT: usize = 3;
/// Digits of an object's id.
const SHORT: usize = 7;

/// The change of one file. A terminal gets colours, and nothing else that could steer it.
pub fn patch(changed: &Changed<'_>, terminal: Terminal) -> Vec<u8> {
    let mut page = Page {
        bytes: Vec::new(),
        terminal,
    };
    let difference = changed.difference;
    let path = difference.path.as_bytes();
    page.head(&format!("diff --git {} {}", side('a', path), side('b', path)));
    page.modes(difference.before.as_ref(), difference.after.as_ref());
    let (old, new) = (
        difference
            .before
            .map_or("/dev/null".to_owned(), |_| side('a', path)),
        difference
            .after
            .map_or("/dev/null".to_owned(), |_| side('b', path)),
    );
    match &changed.body {
        Body::Same => {}
        Body::Lines(lines) if lines.operations.is_empty() => {}
        Body::Lines(lines) => {
            page.head(&format!("--- {old}"));
            page.head(&format!("+++ {new}"));
            page.hunks(lines);
        }
        Body::Binary => page.head(&format!("Binary files {old} and {new} differ")),
        Body::TooLarge => page.head(&format!("Files {old} and {new} differ, too large to show")),
        Body::Gone => page.head(&format!("Files {old} and {new} differ, the objects are gone")),
    }
    page.bytes
}

/// A path with the letter git puts before it.
fn side(letter: char, path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        Ok(text) if quoted::is_plain(text) => format!("{letter}/{text}"),
        _ => format!("\"{letter}/{}\"", quoted::escaped(path)),
    }
}

struct Page {
    bytes: Vec<u8>,
    terminal: Terminal,
}

impl Page {
    fn head(&mut self, text: &str) {
        self.line("1", text.as_bytes());
    }

    fn modes(&mut self, before: Option<&Entry>, after: Option<&Entry>) {
        let short = |entry: Option<&Entry>| {
            let id = entry.map_or_else(|| "0".repeat(SHORT), |entry| entry.id.to_string());
            id.get(..SHORT).unwrap_or(&id).to_owned()
        };
        let index = format!("index {}..{}", short(before), short(after));
        match (before, after) {
            (None, Some(after)) => {
                self.head(&format!("new file mode {}", after.mode.octal()));
                self.head(&index);
            }
            (Some(before), None) => {
                self.head(&format!("deleted file mode {}", before.mode.octal()));
                self.head(&index);
            }
            (Some(before), Some(after)) if before.mode != after.mode => {
                self.head(&format!("old mode {}", before.mode.octal()));
                self.head(&format!("new mode {}", after.mode.octal()));
                if before.id != after.id {
                    self.head(&index);
                }
            }
            (Some(before), Some(_)) => self.head(&format!("{index} {}", before.mode.octal())),
            (None, None) => {}
        }
    }

    fn hunks(&mut self, lines: &Lines) {
        let (before, after) = (lines.before(), lines.after());
        for group in group_diff_ops(lines.operations.clone(), CONTEXT) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            let old = first.old_range().start..last.old_range().end;
            let new = first.new_range().start..last.new_range().end;
            self.line("36", format!("@@ -{} +{} @@", span(&old), span(&new)).as_bytes());
            for operation in &group {
                let gone = before.get(operation.old_range()).unwrap_or_default();
                let come = after.get(operation.new_range()).unwrap_or_default();
                match operation {
                    DiffOp::Equal { .. } => self.lines(b' ', "", gone),
                    DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                        self.lines(b'-', "31", gone);
                        self.lines(b'+', "32", come);
                    }
                }
            }
        }
    }

    fn lines(&mut self, sign: u8, colour: &str, lines: &[&[u8]]) {
        for line in lines {
            let mut whole = vec![sign];
            let ended = line.strip_suffix(b"\n");
            whole.extend_from_slice(ended.unwrap_or(line));
            self.line(colour, &whole);
            if ended.is_none() {
                self.line("", b"\\ No newline at end of file");
            }
        }
    }

    fn line(&mut self, colour: &str, line: &[u8]) {
        let is_coloured = self.terminal.colour && !colour.is_empty();
        if is_coloured {
            self.bytes.extend_from_slice(format!("\x1b[{colour}m").as_bytes());
        }
        if self.terminal.interactive {
            let text = String::from_utf8_lossy(line).replace('\t', "    ");
            self.bytes
                .extend_from_slice(one_line(&text, usize::MAX).as_bytes());
        } else {
            self.bytes.extend_from_slice(line);
        }
        if is_coloured {
            self.bytes.extend_from_slice(b"\x1b[0m");
        }
        self.bytes.push(b'\n');
    }
}

/// A run of lines as a hunk names it: counted from one, and the line before it where it is empty.
fn span(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests;
