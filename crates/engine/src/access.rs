//! Who may give which command of Toprope's. One list, for the guard that reads an agent's shell and for the commands
//! themselves.

/// What an agent's `toprope …` command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// One of the agent's own.
    Agent,
    /// One that only a person may run.
    Person,
    /// Something else.
    Other,
}

/// Commands an agent runs for itself, by their first words.
const AGENT: &[&str] = &[
    "log",
    "status",
    "session",
    "checkpoint list",
    "checkpoint show",
    "checkpoint diff",
    "checkpoint create",
    "checkpoint pin",
    "checkpoint link",
    "lease list",
    "lease reserve",
    "lease release",
    "lease wait",
    "guard check",
    "guard explain",
    "guard test",
    "guard packs",
    "guard replay",
    "usage",
    "why",
    "doctor",
    "daemon status",
    "daemon start",
    "daemon run",
    "config show",
    "config check",
    "config path",
    "demo",
    "help",
    "resume",
];

/// Commands only a person may run, by their first words.
pub const PERSON: &[&str] = &[
    "init",
    "uninstall",
    "config set",
    "trust",
    "daemon stop",
    "daemon restart",
    "rewind",
    "undo",
    "redo",
    "checkpoint prune",
    "checkpoint unpin",
    "checkpoint unlink",
    "lease break",
    "guard allow",
];

/// Options that make any command a person's.
const PERSONS_OPTIONS: [&str; 2] = ["--force", "--fix"];

/// Whose a command is, by the names of its subcommands and whether it has an option.
pub fn errand(names: &str, has: impl Fn(&str) -> bool) -> Errand {
    if has("--help") || has("-h") || has("--version") {
        return Errand::Agent;
    }
    let begins = |list: &[&str]| {
        list.iter().any(|entry| {
            names == *entry
                || names
                    .strip_prefix(entry)
                    .is_some_and(|rest| rest.starts_with(' '))
        })
    };
    if PERSONS_OPTIONS.into_iter().any(has) || begins(PERSON) {
        return Errand::Person;
    }
    if begins(AGENT) {
        Errand::Agent
    } else {
        Errand::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_by_its_names_and_by_options_that_lift_a_limit() {
        let of = |names: &str, options: &[&str]| errand(names, |option| options.contains(&option));
        assert_eq!(of("undo", &[]), Errand::Person);
        assert_eq!(of("config set guard.mode off", &[]), Errand::Person);
        assert_eq!(of("undo", &["--help"]), Errand::Agent);
        assert_eq!(of("doctor", &[]), Errand::Agent);
        assert_eq!(of("doctor", &["--fix"]), Errand::Person);
        assert_eq!(of("lease release", &["--force"]), Errand::Person);
        assert_eq!(of("undone", &[]), Errand::Other);
    }
}
