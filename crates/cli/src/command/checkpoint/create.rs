//! `toprope checkpoint create`: a checkpoint because somebody asks for one.

use super::entry::{self, CheckpointEntry};
use super::place::{CheckpointPlace, uncut};
use super::point;
use super::session::{Chosen, SessionReason, choose};
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::checkpoint::order::{Order, ScanOrder};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::process::Process;
use clap::Args;
use engine::text::{plain, shortened};
use std::process::ExitCode;
use store::table::checkpoints::{self, Checkpoint, CheckpointFilter, CheckpointKind, ListedCheckpoint};
use store::table::turns;

/// Characters of a label.
const LONGEST_LABEL: usize = 72;
/// What it is called where nobody says.
const USUAL_LABEL: &str = "Manual checkpoint";

/// Make a checkpoint now
///
/// Also where nothing changed, and where no agent was ever seen. Prints its id.
#[derive(Args)]
pub struct CreateArgs {
    /// What it is called
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// One JSON object, as `list` gives it
    #[arg(long)]
    json: bool,
}

impl CreateArgs {
    /// Makes it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = CheckpointPlace::make(environment)?;
        here.settle()?;
        let session = choose(&here, environment, None)?;
        let order = self.order(&here, session.as_ref())?;
        let cut = here.cutter().cut(&order, &[]).map_err(uncut)?;
        let made = cut.id().map(|id| here.read(|db| checkpoints::by_id(db, id)));
        let made = made.transpose()?.flatten();
        let made = made.ok_or_else(|| Failure::saying(FailureKind::Failed, "no checkpoint was made"))?;
        self.tell(&here, &made)?;
        Ok(ExitCode::SUCCESS)
    }

    fn order(&self, here: &CheckpointPlace, session: Option<&Chosen>) -> Result<Order, Failure> {
        let turn = match session {
            Some(session) => here.read(|db| turns::current(db, session.id()))?,
            None => None,
        };
        // An agent acts for itself; a person acts beside the agents.
        let actor = session.filter(|session| session.because == SessionReason::Own);
        let label = self
            .message
            .as_deref()
            .map(|text| shortened(&plain(text), LONGEST_LABEL));
        let label = label.filter(|label| !label.is_empty());
        Ok(Order {
            session: session.map(Chosen::id),
            actor: actor.map(Chosen::id),
            turn: turn.map(|turn| turn.number),
            label: Some(label.unwrap_or_else(|| USUAL_LABEL.to_owned())),
            look: ScanOrder::Always,
            ..Order::new(
                CheckpointKind::Manual,
                format!("{}-{}", clock::now().0, Process::own().pid),
            )
        })
    }

    fn tell(&self, here: &CheckpointPlace, made: &Checkpoint) -> Result<(), Failure> {
        if self.json {
            let listed = listed(here, made)?;
            return show::json(&CheckpointEntry::of(&listed));
        }
        show::line(made.id.as_str());
        let mut about = vec![entry::label(made)];
        about.extend(Some(entry::files(made)).filter(|files| files != "-"));
        let point = Some(point::name(made)).filter(|point| point != "-");
        let name = point.unwrap_or_else(|| made.id.to_string());
        show::talk(&format!(
            "{}. Go back to it with: toprope rewind {name}",
            about.join(", ")
        ));
        for sentence in super::degraded::sentences(made, &here.settings.checkpoints) {
            show::talk(&sentence);
        }
        Ok(())
    }
}

/// The checkpoint as a list has it.
fn listed(here: &CheckpointPlace, made: &Checkpoint) -> Result<ListedCheckpoint, Failure> {
    let filter = CheckpointFilter {
        worktree: Some(made.worktree),
        session: made.session,
        actor: made.actor,
        turn: made.turn,
        kind: Some(made.kind),
        path: None,
        steps: true,
        limit: 100,
    };
    let listed = here.read(|db| checkpoints::list(db, &filter))?;
    let found = listed.into_iter().find(|listed| listed.checkpoint.id == made.id);
    Ok(found.unwrap_or_else(|| ListedCheckpoint {
        checkpoint: made.clone(),
        who: None,
        session_alias: None,
        commits: Vec::new(),
    }))
}
