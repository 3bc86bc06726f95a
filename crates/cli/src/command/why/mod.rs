//! `toprope why`: how one event was decided, or what is known of one file.

mod commit;
mod event;
mod fact;
mod overlap;
mod path;
mod standing;
mod version;

use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::{Failure, FailureKind};
use crate::{here, show};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use clap::Args;
use engine::id::EventSeq;
use engine::text::one_line;
use standing::FileStanding;
use std::process::ExitCode;

/// Say why something was decided as it was
///
/// Of an event: what each policy said and whether it counted, what they knew, and what the agent was sent. Of a file: who
/// holds it, who wrote it last, who waits, the last decisions about it, which versions of it are kept, and how to get back what a
/// command changed under its holder.
#[derive(Args)]
pub struct WhyArgs {
    /// The id of an event, as `toprope log --events` shows it, or the path of a file
    #[arg(value_name = "EVENT|PATH", value_parser = WhySubject::parse)]
    subject: WhySubject,
}

/// What is asked about.
#[derive(Debug, Clone)]
enum WhySubject {
    Event(EventSeq),
    Path(String),
}

impl WhySubject {
    /// A file whose name is a number is named as `./7`.
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("accepted: the number of an event, or the path of a file".to_owned());
        }
        let number = text.strip_prefix('#').unwrap_or(text).parse();
        Ok(number.map_or_else(|_| Self::Path(text.to_owned()), |seq| Self::Event(EventSeq(seq))))
    }
}

impl WhyArgs {
    /// Says it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        CheckpointPlace::link_new_commits(environment);
        let standing = match &self.subject {
            WhySubject::Event(_) => FileStanding::default(),
            WhySubject::Path(path) => FileStanding::of(environment, path)?,
        };
        let Some(store) = here::store(&Home::of(environment))? else {
            return Err(self.unknown());
        };
        let db = store.snapshot()?;
        match &self.subject {
            WhySubject::Event(seq) => match event::text(&db, *seq)? {
                Some(text) => show::line(text.trim_end()),
                None => return Err(self.unknown()),
            },
            WhySubject::Path(path) => {
                if !path::tell(&db, path, &standing, environment)? {
                    return Err(self.unknown());
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn unknown(&self) -> Failure {
        match &self.subject {
            WhySubject::Event(seq) => {
                Failure::saying(FailureKind::NoMatch, format!("there is no event {seq}"))
                    .hint("toprope log --events --all-projects")
            }
            WhySubject::Path(path) => {
                let path = one_line(path, 200);
                Failure::saying(FailureKind::NoMatch, format!("nothing is known of {path}"))
                    .hint("`toprope log --path <folder>` shows what agents did in a folder")
            }
        }
    }
}
