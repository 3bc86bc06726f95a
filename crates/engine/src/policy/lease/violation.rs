//! What is said of a file that a command changed under its holder's hands.

use super::message::word;
use crate::id::ActorId;
use crate::lease::{Who, background};

/// A file that was changed under its holder.
#[derive(Debug, Clone, Copy)]
pub struct Violation<'a> {
    /// The file as messages show it.
    pub path: &'a str,
    /// Whose command ran.
    pub writer: &'a Who,
    /// Who edits it.
    pub holder: &'a Who,
    /// Whose commands in the background may have done it instead.
    pub others: &'a [Who],
}

impl Violation<'_> {
    /// To whoever's command it was.
    pub fn to_writer(&self) -> String {
        let (path, holder) = (self.path, self.holder.shown());
        if self.others.is_empty() {
            return format!("Your command changed {path}, which {holder} is editing. Do not touch it again.");
        }
        let others = background::shown(self.others, None);
        format!("Your command or {others} changed {path}, which {holder} is editing. Do not touch it again.")
    }

    /// To whoever edits it.
    pub fn to_holder(&self) -> String {
        let others = self.or_others(Some(self.holder.actor));
        format!(
            "{} was changed under you by a command of {}{others}. Your version is kept (`toprope why {}` shows how to restore it). Read it again.",
            self.path,
            self.writer.shown(),
            word(self.path)
        )
    }

    /// To the person.
    pub fn to_person(&self) -> String {
        format!(
            "A command of {}{} changed {}, which {} is editing. The version before it is kept (`toprope why {}` shows how to restore it).",
            self.writer.shown(),
            self.or_others(None),
            self.path,
            self.holder.shown(),
            word(self.path)
        )
    }

    fn or_others(&self, reader: Option<ActorId>) -> String {
        if self.others.is_empty() {
            String::new()
        } else {
            format!(" or {}", background::shown(self.others, reader))
        }
    }
}

/// Whether a text told a writer that it changed this file under its holder, or may have.
pub fn tells_of_violation(text: &str, path: &str) -> bool {
    let changed = format!(" changed {path}, which ");
    text.contains("Your command") && text.contains(&changed)
}
