//! Redirections are opened where the shell stands, also for a command that runs in another folder.

use super::redirection::{Output, Redirected};
use crate::intent::{Redirect, RedirectOp};
use crate::path;
use crate::word::Word;

/// Ties what was opened in one folder to it, for a command that runs in another.
pub(super) fn hold(redirects: &mut [Redirect], opened: Option<&str>, runs: Option<&str>) {
    let Some(folder) = opened.filter(|_| opened != runs) else {
        return;
    };
    for redirect in redirects {
        match redirect.op {
            RedirectOp::Duplicate | RedirectOp::HereDoc | RedirectOp::HereString => {}
            RedirectOp::Read
            | RedirectOp::Write
            | RedirectOp::Clobber
            | RedirectOp::WriteAll
            | RedirectOp::Append
            | RedirectOp::AppendAll
            | RedirectOp::ReadWrite => tie(&mut redirect.target, folder),
        }
    }
}

impl Redirected {
    /// Ties all of it to the folder it was opened in.
    pub(super) fn hold(&mut self, opened: Option<&str>, runs: Option<&str>) {
        hold(&mut self.list, opened, runs);
        if let (Some(Output::File { target, .. }), Some(folder)) = (&mut self.output, opened)
            && opened != runs
        {
            tie(target, folder);
        }
    }
}

fn tie(word: &mut Word, folder: &str) {
    let tied = |text: &str| path::joined(Some(folder), text);
    match word {
        Word::Literal(text) if !text.is_empty() => {
            if let Some(whole) = tied(text) {
                *text = whole;
            }
        }
        Word::OneOf(texts) => {
            for text in texts.iter_mut().filter(|text| !text.is_empty()) {
                if let Some(whole) = tied(text) {
                    *text = whole;
                }
            }
        }
        Word::Glob { pattern: beginning }
        | Word::Unknown {
            prefix: beginning, ..
        } => {
            // An empty beginning may become an absolute path; in a pattern the folder's own characters are ordinary.
            if !beginning.is_empty() && !beginning.starts_with('/') && !folder.contains(['*', '?', '[', '\\'])
            {
                *beginning = format!("{}/{beginning}", folder.trim_end_matches('/'));
            }
        }
        Word::Literal(_) => {}
    }
}
