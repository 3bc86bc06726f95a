//! `toprope undo --recover`: a person's answer to a rewind that was cut short and could not be settled.

use super::super::rewind::course::{failure, files};
use super::super::rewind::manner::Manner;
use super::super::rewind::page::shown;
use crate::failure::{Failure, Kind};
use crate::{person, show};
use ::daemon::checkpoint::rewind::Rewinder;
use git::restore::{Answer, JournalId};
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

/// Settles a rewind that was cut short, as the person answers.
pub fn answer(rewinder: &Rewinder<'_>, id: &str, manner: &Manner) -> Result<ExitCode, Failure> {
    let none = || Failure::saying(Kind::NoMatch, "there is no rewind of that id to settle");
    let id = JournalId::new(id).map_err(|_| none())?;
    // Perhaps what stood in the way is gone.
    let settled = rewinder.recover().map_err(failure)?;
    for one in &settled {
        show::talk(&one.message());
    }
    let Some(open) = settled.iter().find(|one| one.id == id) else {
        return Err(none());
    };
    if !open.is_open() {
        return Ok(ExitCode::SUCCESS);
    }
    if manner.dry_run {
        return Ok(Kind::NotObtained.exit());
    }
    let Some(answer) = chosen(manner)? else {
        show::talk("Nothing was changed.");
        return Ok(Kind::NeedsPerson.exit());
    };
    let left = rewinder.resolve(&id, answer).map_err(failure)?;
    for path in &left {
        show::talk(&format!("left as it is: {}", shown(path)));
    }
    let done = match answer {
        Answer::Finish => "finished",
        Answer::RollBack => "rolled back",
        Answer::Forget => "forgotten; every file is as it is",
    };
    let left = match left.len() {
        0 => String::new(),
        count => format!(" ({} left as found)", files(count)),
    };
    show::line(&format!("The rewind was {done}{left}."));
    Ok(ExitCode::SUCCESS)
}

/// Without a person to ask, it is rolled back: what was there before is what nobody has to look for.
fn chosen(manner: &Manner) -> io::Result<Option<Answer>> {
    if manner.yes || !person::is_at_a_terminal() {
        return Ok(Some(Answer::RollBack));
    }
    let mut stderr = io::stderr();
    write!(
        stderr,
        "(f)inish it, (r)oll it back, leave files as they are and (k)eep them, or nothing? "
    )?;
    stderr.flush()?;
    let mut text = String::new();
    io::stdin().lock().read_line(&mut text)?;
    Ok(match text.trim().to_ascii_lowercase().as_str() {
        "f" | "finish" => Some(Answer::Finish),
        "r" | "roll" | "roll back" => Some(Answer::RollBack),
        "k" | "keep" => Some(Answer::Forget),
        _ => None,
    })
}
