//! Every command a person can give, one file each.

mod checkpoint;
mod config;
mod daemon;
mod demo;
mod doctor;
mod guard;
mod init;
mod lease;
mod log;
mod put_back;
mod reference;
mod resume;
mod rewind;
mod session;
mod status;
mod trust;
mod undo;
mod uninstall;
mod usage;
mod why;

pub use put_back::put_back;

use crate::failure::Failure;
use crate::person;
use ::daemon::environment::Environment;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// One rope for every coding agent: sees what it does, decides what may happen, says why
#[derive(Parser)]
#[command(
    name = "toprope",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub struct Arguments {
    #[command(subcommand)]
    command: TopLevelCommand,
}

#[derive(Subcommand)]
enum TopLevelCommand {
    Init(init::InitArgs),
    Uninstall(uninstall::UninstallArgs),
    Doctor(doctor::DoctorArgs),
    Status(status::StatusArgs),
    Log(log::LogArgs),
    Why(why::WhyArgs),
    Lease(lease::LeaseArgs),
    Checkpoint(checkpoint::CheckpointArgs),
    Rewind(rewind::RewindArgs),
    Undo(undo::UndoArgs),
    Redo(undo::RedoArgs),
    Resume(resume::ResumeArgs),
    Usage(usage::UsageArgs),
    Session(session::SessionArgs),
    Guard(guard::GuardArgs),
    Config(config::ConfigArgs),
    Trust(trust::TrustArgs),
    Daemon(daemon::DaemonArgs),
    Demo(demo::DemoArgs),
    #[command(hide = true)]
    Reference(reference::ReferenceArgs),
}

/// Does what was asked. Who may ask for what is looked up by the names of the subcommands, before anything is done.
pub fn run(arguments: Arguments, names: &str) -> Result<ExitCode, Failure> {
    let environment = Environment::read();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let words: Vec<Option<&str>> = words.iter().map(|word| word.to_str()).collect();
    person::admit(&environment, names, &words)?;
    match arguments.command {
        TopLevelCommand::Init(init) => init.run(&environment),
        TopLevelCommand::Uninstall(uninstall) => uninstall.run(&environment),
        TopLevelCommand::Doctor(doctor) => doctor.run(&environment),
        TopLevelCommand::Status(status) => status.run(&environment),
        TopLevelCommand::Log(log) => log.run(&environment),
        TopLevelCommand::Why(why) => why.run(&environment),
        TopLevelCommand::Lease(lease) => lease.run(&environment),
        TopLevelCommand::Checkpoint(checkpoint) => checkpoint.run(&environment),
        TopLevelCommand::Rewind(rewind) => rewind.run(&environment),
        TopLevelCommand::Undo(undo) => undo.run(&environment),
        TopLevelCommand::Redo(redo) => redo.run(&environment),
        TopLevelCommand::Resume(resume) => resume.run(&environment),
        TopLevelCommand::Usage(usage) => usage.run(&environment),
        TopLevelCommand::Session(session) => session.run(&environment),
        TopLevelCommand::Guard(guard) => guard.run(&environment),
        TopLevelCommand::Config(config) => config.run(&environment),
        TopLevelCommand::Trust(trust) => trust.run(&environment),
        TopLevelCommand::Daemon(daemon) => daemon.run(&environment),
        TopLevelCommand::Demo(_) => demo::DemoArgs::run(&environment),
        TopLevelCommand::Reference(reference) => reference.run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use engine::access::{CommandAccess, PERSON, errand};
    use shell::SIGNED_FAMILIES;

    /// The names of every command that does something, as a person types them.
    fn leaves(command: &clap::Command, above: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        let found: Vec<String> = below
            .flat_map(|below| leaves(below, format!("{above} {}", below.get_name()).trim()))
            .collect();
        if found.is_empty() {
            vec![above.to_owned()]
        } else {
            found
        }
    }

    #[test]
    fn every_command_is_a_person_s_or_everybody_s_and_the_list_names_no_other() {
        let commands = leaves(&Arguments::command(), "");
        for command in &commands {
            let errand = errand(command, &[None]);
            assert_ne!(errand, CommandAccess::Other, "`toprope {command}` is in no list");
        }
        let is_there = |name: &&&str| {
            commands
                .iter()
                .any(|command| command == **name || command.starts_with(&format!("{name} ")))
        };
        let missing: Vec<_> = PERSON.iter().filter(|name| !is_there(name)).collect();
        assert!(missing.is_empty(), "no such commands: {missing:?}");
    }

    #[test]
    fn exactly_the_commands_that_ask_who_calls_are_told_by_the_hook() {
        let takes_token = |command: &&clap::Command| {
            let mut arguments = command.get_arguments();
            arguments.any(|argument| argument.get_long() == Some("as"))
        };
        let program = Arguments::command();
        let asking = program.get_subcommands().filter(takes_token);
        let asking: Vec<&str> = asking.map(clap::Command::get_name).collect();
        assert_eq!(asking, SIGNED_FAMILIES);
    }
}
