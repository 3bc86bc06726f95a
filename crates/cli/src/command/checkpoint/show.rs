//! `toprope checkpoint show`: everything there is to know about one checkpoint.

use super::pages::CheckpointPages;
use super::place::{CheckpointPlace, unreadable};
use super::{address, quoted};
use crate::failure::{Failure, FailureKind};
use crate::show as output;
use crate::terminal::Terminal;
use ::daemon::clock;
use ::daemon::environment::Environment;
use clap::Args;
use engine::text::lines;
use facts::CheckpointFacts;
use jiff::tz::TimeZone;
use std::io::Write;
use std::process::ExitCode;

mod facts;
mod page;

/// Show one checkpoint
///
/// Without a flag everything in short; with one or more, those parts in full. `--transcript` prints the conversation as
/// far as the checkpoint holds it, line by line as the client wrote it.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct ShowArgs {
    /// Which one: an id, `@`, `start`, `t3`, `t3.2`, `agent:a3f2`, `commit:<rev>`
    #[arg(value_name = "AT")]
    at: String,
    /// In this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// What it changed, file by file
    #[arg(long)]
    files: bool,
    /// What was asked in its turn
    #[arg(long)]
    prompt: bool,
    /// What the agent said at its end
    #[arg(long)]
    summary: bool,
    /// The conversation up to it
    #[arg(long, conflicts_with = "json")]
    transcript: bool,
    /// The tokens of its turn
    #[arg(long)]
    usage: bool,
    /// One JSON object, with everything but the conversation
    #[arg(long)]
    json: bool,
}

impl ShowArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = CheckpointPlace::open(environment)?;
        let found = address::find(&here, environment, &self.at, self.session.as_deref())?;
        let pages = CheckpointPages::of(&here, &found.checkpoint)?;
        if self.transcript {
            print_transcript(&here, &pages, &found.checkpoint, environment)?;
        }
        let facts = CheckpointFacts::of(&here, &found.checkpoint, &pages)?;
        if self.json {
            output::json(&facts)?;
        } else if self.is_partial() {
            self.print_parts(&facts);
        } else {
            let text = page::text(&facts, clock::now(), &TimeZone::system());
            output::line(text.trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn is_partial(&self) -> bool {
        self.files || self.prompt || self.summary || self.transcript || self.usage
    }

    fn print_parts(&self, facts: &CheckpointFacts) {
        let mut parts = Vec::new();
        if self.prompt {
            parts.push(lines(&facts.prompts.join("\n---\n")));
        }
        if self.summary {
            parts.push(lines(facts.summary.as_deref().unwrap_or_default()));
        }
        if self.files {
            parts.push(page::files(facts));
        }
        if self.usage {
            parts.push(page::usage(facts).unwrap_or_default());
        }
        for part in parts {
            let part = part.trim_end();
            if !part.is_empty() {
                output::line(part);
            }
        }
    }
}

/// Prints the joined chunks up to where the checkpoint's own part ends: later ones may share its last chunk. A terminal
/// gets nothing that could steer it.
fn print_transcript(
    here: &CheckpointPlace,
    pages: &CheckpointPages<'_>,
    checkpoint: &store::table::checkpoints::Checkpoint,
    environment: &Environment,
) -> Result<(), Failure> {
    let chunks = pages.chunks(here, checkpoint.actor)?;
    if chunks.is_empty() {
        return Err(Failure::saying(
            FailureKind::NoMatch,
            format!("checkpoint {} holds no transcript", checkpoint.id),
        )
        .hint(
            "steps and baselines hold what came before them; `checkpoints.transcript = false` keeps none",
        ));
    }
    let is_terminal = Terminal::of_stdout(environment).interactive;
    let end = pages
        .metadata()?
        .and_then(|story| story.transcript)
        .map(|part| part.end);
    for (start, id) in chunks {
        let bytes = pages.chunk(id).map_err(unreadable)?;
        let length = end.map(|end| usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX));
        let bytes = length.and_then(|length| bytes.get(..length)).unwrap_or(&bytes);
        // A reader that went away has read enough.
        let written = if is_terminal {
            let text = lines(&String::from_utf8_lossy(bytes));
            std::io::stdout().write_all(text.as_bytes())
        } else {
            std::io::stdout().write_all(bytes)
        };
        if written.is_err() {
            break;
        }
    }
    let _ = std::io::stdout().flush();
    Ok(())
}

/// A path of a file, as people see it.
fn shown(path: &[u8]) -> String {
    quoted::path(path)
}
