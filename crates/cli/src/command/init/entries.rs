//! What a settings file holds of ours: the events, and how each entry starts us.

use super::program;
use crate::install::claude_code::HookProgram;
use crate::install::error::InstallError;
use crate::install::handler::{Handler, handlers};
use crate::install::json::JsonDocument;
use crate::install::plan::is_blank;
use crate::install::settings_file::SettingsFile;
use crate::install::target::SettingsTarget;
use ::daemon::environment::Environment;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

/// Our entries in one settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookEntries {
    /// The events they are for, each once.
    pub events: Vec<String>,
    /// The ways they start us, each once: the client runs equal ones once and different ones all.
    pub invocations: Vec<Invocation>,
    /// Events at which another program is run with our arguments, and which.
    pub replaced: Vec<String>,
    /// Whether the file switches off every hook of every layer.
    pub hooks_are_disabled: bool,
}

/// How an entry starts us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// A program with arguments, no shell between.
    Exec {
        /// A path, or a name to be found on PATH.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// A line for the shell.
    Shell(String),
}

impl Invocation {
    fn of(handler: &Handler<'_>) -> Option<Self> {
        let command = handler.text("command")?.to_owned();
        Some(match handler.arguments() {
            Some(arguments) => {
                let arguments = arguments.into_iter().map(str::to_owned).collect();
                Self::Exec {
                    program: command,
                    arguments,
                }
            }
            None => Self::Shell(command),
        })
    }

    /// As `init` writes it.
    pub fn of_program(program: &HookProgram) -> Self {
        Self::Exec {
            program: program.as_str().to_owned(),
            arguments: program.arguments().into_iter().map(str::to_owned).collect(),
        }
    }

    /// The process the client would start, not started yet.
    pub fn command(&self) -> Command {
        match self {
            Self::Exec { program, arguments } => {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
            Self::Shell(line) => {
                let mut command = Command::new("/bin/sh");
                command.args(["-c", line]);
                command
            }
        }
    }

    /// The file that would run; `None` if there is none, or only a shell knows.
    pub fn file(&self, environment: &Environment) -> Option<PathBuf> {
        match self {
            Self::Exec { program, .. } if program.contains('/') => {
                Some(PathBuf::from(program)).filter(|file| program::is_executable(file))
            }
            Self::Exec { program, .. } => program::find(program, environment),
            Self::Shell(_) => None,
        }
    }

    /// Whether the program is named, not placed.
    pub fn is_by_name(&self) -> bool {
        matches!(self, Self::Exec { program, .. } if !program.contains('/'))
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exec { program, .. } => f.write_str(&engine::text::one_line(program, 400)),
            Self::Shell(line) => f.write_str(&engine::text::one_line(line, 400)),
        }
    }
}

/// Looks the settings file of a scope through; one that does not exist holds nothing.
pub fn entries_in(target: &SettingsTarget) -> Result<HookEntries, InstallError> {
    entries_of(&target.resolve()?)
}

/// Looks a settings file through; one that does not exist holds nothing.
pub fn entries_of(file: &SettingsFile) -> Result<HookEntries, InstallError> {
    let bytes = file.read()?.unwrap_or_default();
    if str::from_utf8(&bytes).is_ok_and(is_blank) {
        return Ok(HookEntries::default());
    }
    let refused = |source| InstallError::Content {
        path: file.path().to_owned(),
        source,
    };
    let document = JsonDocument::from_bytes(&bytes).map_err(refused)?;
    let mut entries = HookEntries {
        hooks_are_disabled: disables_hooks(&document),
        ..HookEntries::default()
    };
    for handler in &handlers(&document).map_err(refused)? {
        if let Some(program) = handler.replaced_by() {
            let program = engine::text::one_line(program, 100);
            entries
                .replaced
                .push(format!("{} runs `{program}`", handler.event));
        }
        if !handler.is_ours() {
            continue;
        }
        if entries.events.iter().all(|known| known != handler.event) {
            entries.events.push(handler.event.to_owned());
        }
        if let Some(invocation) = Invocation::of(handler).filter(|found| !entries.invocations.contains(found))
        {
            entries.invocations.push(invocation);
        }
    }
    Ok(entries)
}

fn disables_hooks(document: &JsonDocument) -> bool {
    let switch = document.root().member("disableAllHooks");
    switch.is_some_and(|switch| document.text_of(switch) == "true")
}
