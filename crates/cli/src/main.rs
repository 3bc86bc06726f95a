//! The one binary. `hook` is dispatched before anything else exists; everything else is for people.

mod caller;
mod command;
mod disk;
mod error_counters;
mod failure;
mod foreign_hook;
mod here;
mod install;
mod lifetime;
mod moment;
mod person;
mod show;
mod signals;
mod terminal;

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use command::Arguments;
use daemon::environment::Environment;
use daemon::frame::reply::PrintedReply;
use daemon::{client, launch, server};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::survive_file_size_limit();
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    match first.as_ref().and_then(|word| word.to_str()) {
        Some("hook") => {
            let agent = arguments.next().unwrap_or_default();
            let is_named = arguments.next().is_some_and(|word| word == client::STATE_FOLDER);
            let state_folder = arguments.next().filter(|_| is_named);
            let answered = client::hook(&agent.to_string_lossy(), state_folder);
            let code = print(&answered.printed);
            answered.finish();
            code
        }
        Some(launch::DETACH) => exit_for(&launch::run_detached(&Environment::read())),
        Some(launch::SERVE) => exit_for(&server::serve(&Environment::read(), launch::report_ready)),
        Some(launch::PUT_BACK) => exit_for(&command::put_back(&Environment::read())),
        None if foreign_hook::is_on_stdin() => ExitCode::SUCCESS,
        _ => talk(),
    }
}

/// Prints exactly the answer. A reader that went away is no reason to fail: the decision stands in the exit code.
fn print(printed: &PrintedReply) -> ExitCode {
    let _ = std::io::stdout()
        .write_all(&printed.stdout)
        .and_then(|()| std::io::stdout().flush());
    let _ = std::io::stderr().write_all(&printed.stderr);
    ExitCode::from(printed.exit)
}

fn exit_for<E>(outcome: &Result<(), E>) -> ExitCode {
    if outcome.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn talk() -> ExitCode {
    let read = Arguments::command().try_get_matches().and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((arguments, names_in(&matches)))
    });
    let (arguments, names) = match read {
        Ok(read) => read,
        Err(error) => {
            // Help and version go to stdout, wrong use to stderr; neither can be printed twice.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match command::run(arguments, &names) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// The names of the subcommands that were asked for, outermost first.
fn names_in(matches: &ArgMatches) -> String {
    let mut names = Vec::new();
    let mut matches = matches;
    while let Some((name, below)) = matches.subcommand() {
        names.push(name);
        matches = below;
    }
    names.join(" ")
}
