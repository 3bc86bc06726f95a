//! Which session, where nothing was said: a list to choose from.

use super::target::ResumeTarget;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::session::alias;
use crate::failure::{Failure, FailureKind};
use crate::{moment, show};
use ::daemon::clock;
use engine::text::{plain, shortened};
use std::io::{self, BufRead, IsTerminal, Write};
use store::table::actors::{self, Conversation};
use store::table::turns;

/// Sessions to choose from; older ones are found by their name.
const MOST: usize = 20;

/// Lets the person choose.
pub fn pick(here: &CheckpointPlace) -> Result<ResumeTarget, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::saying(
            FailureKind::WrongUse,
            "which conversation? there is no terminal to ask at",
        )
        .hint("toprope resume <checkpoint, branch or session>"));
    }
    let sessions = sessions(here)?;
    if sessions.is_empty() {
        return Err(Failure::saying(
            FailureKind::NoMatch,
            "no session worked in this project yet",
        ));
    }
    let now = clock::now();
    for (number, (session, prompt)) in (1..).zip(&sessions) {
        let number: usize = number;
        let prompt = shortened(&plain(prompt), 70);
        let ago = moment::ago(session.last_seen, now);
        show::talk(&format!("{number:>3}  {}  {ago:>10}  {prompt}", alias(session)));
    }
    let chosen = answer(&format!("Which one? [1-{}]", sessions.len()))?;
    let chosen = chosen.and_then(|number| sessions.get(number.checked_sub(1)?));
    match chosen {
        Some((session, _)) => ResumeTarget::end_of(here, session.session),
        None => Err(Failure::saying(FailureKind::NeedsPerson, "no session was chosen")),
    }
}

/// The sessions of this project with what they were first asked, newest activity first.
fn sessions(here: &CheckpointPlace) -> Result<Vec<(Conversation, String)>, Failure> {
    let known = here.read(|db| actors::list(db, Some(here.project), false))?;
    let mut sessions = Vec::new();
    for main in known.into_iter().filter(|actor| actor.key.agent.is_none()) {
        let prompt = here.read(|db| turns::first_prompt(db, main.id))?;
        let conversation = here.read(|db| actors::conversation(db, main.id))?;
        // Without a prompt there is nothing to continue.
        sessions.extend(conversation.zip(prompt));
        if sessions.len() == MOST {
            break;
        }
    }
    Ok(sessions)
}

fn answer(question: &str) -> io::Result<Option<usize>> {
    let mut stderr = io::stderr();
    write!(stderr, "{question} ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().parse().ok())
}
