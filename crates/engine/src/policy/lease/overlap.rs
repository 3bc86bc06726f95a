//! The texts about an overlap: a command changed a file that another agent is editing.

use crate::lease::ActorLabel;
use crate::text::path_word;

/// A file that was changed while somebody was editing it.
#[derive(Debug, Clone, Copy)]
pub struct Overlap<'a> {
    /// The file as messages show it.
    pub path: &'a str,
    /// Whose command ran.
    pub writer: &'a ActorLabel,
    /// Who edits it.
    pub holder: &'a ActorLabel,
}

impl Overlap<'_> {
    /// To the agent whose command it was.
    pub fn to_writer(&self) -> String {
        format!(
            "Your command changed {}, which {} is editing. Leave it to them from here.",
            self.path,
            self.holder.shown()
        )
    }

    /// To the agent that edits it.
    pub fn to_holder(&self) -> String {
        format!(
            "{} was changed by a command of {} while you are editing it. Read it again. `toprope why {}` shows which versions are kept.",
            self.path,
            self.writer.shown(),
            path_word(self.path)
        )
    }

    /// To the person.
    pub fn to_person(&self) -> String {
        format!(
            "{} was changed by a command of {} while {} is editing it. `toprope why {}` shows which versions are kept.",
            self.path,
            self.writer.shown(),
            self.holder.shown(),
            path_word(self.path)
        )
    }
}

/// Whether a text told a writer that its command changed this file while another was editing it.
pub fn tells_of_overlap(text: &str, path: &str) -> bool {
    text.contains(&format!("Your command changed {path}, which "))
}
