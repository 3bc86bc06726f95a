//! Who may give which command of Toprope's. One list, for the guard that reads an agent's shell and for the commands
//! themselves.

/// What an agent's `toprope …` command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandAccess {
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

/// Options with which a command of a person's only shows something.
const SHOWING: &[(&str, &str)] = &[
    ("undo", "--list"),
    ("undo", "--dry-run"),
    ("redo", "--dry-run"),
    ("rewind", "--dry-run"),
];

/// Commands of a person's that show something unless they are told what to change.
const SHOWING_ALONE: &[&str] = &["guard allow"];

/// Whose a command is, by the names of its subcommands and all words behind the program; `None` stands for one that cannot
/// be read.
pub fn errand(names: &str, words: &[Option<&str>]) -> CommandAccess {
    let has = |option: &str| words.contains(&Some(option));
    if has("--help") || has("-h") || has("--version") {
        return CommandAccess::Agent;
    }
    let is_of = |entry: &str| {
        names == entry
            || names
                .strip_prefix(entry)
                .is_some_and(|rest| rest.starts_with(' '))
    };
    let begins = |list: &[&str]| list.iter().any(|entry| is_of(entry));
    if PERSONS_OPTIONS.into_iter().any(has) {
        return CommandAccess::Person;
    }
    if begins(PERSON) {
        return if only_shows(names, words, is_of) {
            CommandAccess::Agent
        } else {
            CommandAccess::Person
        };
    }
    if begins(AGENT) {
        CommandAccess::Agent
    } else {
        CommandAccess::Other
    }
}

fn only_shows(names: &str, words: &[Option<&str>], is_of: impl Fn(&str) -> bool) -> bool {
    // Behind `--` nothing is an option.
    let options = words.iter().take_while(|word| **word != Some("--"));
    let has = |option: &str| options.clone().any(|word| *word == Some(option));
    let is_alone = || {
        let is_name = |word: &str| names.split(' ').any(|name| name == word);
        let mut words = words.iter();
        words.all(|word| word.is_some_and(|word| word == "--json" || is_name(word)))
    };
    SHOWING
        .iter()
        .any(|(command, option)| is_of(command) && has(option))
        || SHOWING_ALONE.contains(&names) && is_alone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_by_its_names_and_by_options_that_lift_a_limit() {
        let of = |names: &str, options: &[&str]| {
            let words: Vec<Option<&str>> = names
                .split(' ')
                .chain(options.iter().copied())
                .map(Some)
                .collect();
            errand(names, &words)
        };
        assert_eq!(of("undo", &[]), CommandAccess::Person);
        assert_eq!(of("config set guard.mode off", &[]), CommandAccess::Person);
        assert_eq!(of("undo", &["--help"]), CommandAccess::Agent);
        assert_eq!(of("doctor", &[]), CommandAccess::Agent);
        assert_eq!(of("doctor", &["--fix"]), CommandAccess::Person);
        assert_eq!(of("lease release", &["--force"]), CommandAccess::Person);
        assert_eq!(of("undone", &[]), CommandAccess::Other);
    }
    #[test]
    fn what_only_shows_something_is_everybody_s() {
        let of = |names: &str, words: &[&str]| {
            let words: Vec<Option<&str>> = words.iter().copied().map(Some).collect();
            errand(names, &words)
        };
        assert_eq!(of("undo", &["undo", "--list"]), CommandAccess::Agent);
        assert_eq!(of("redo", &["redo", "--dry-run"]), CommandAccess::Agent);
        assert_eq!(
            of("rewind t1", &["rewind", "t1", "--dry-run"]),
            CommandAccess::Agent
        );
        assert_eq!(of("guard allow", &["guard", "allow"]), CommandAccess::Agent);
        assert_eq!(
            of("guard allow", &["guard", "allow", "--json"]),
            CommandAccess::Agent
        );
        assert_eq!(
            of("guard allow", &["guard", "allow", "g-ab2345"]),
            CommandAccess::Person
        );
        assert_eq!(
            of("guard allow g-ab2345", &["guard", "allow", "g-ab2345"]),
            CommandAccess::Person
        );
        assert_eq!(
            of("guard allow", &["guard", "allow", "--refuse", "g-ab2345"]),
            CommandAccess::Person
        );
        assert_eq!(
            errand("guard allow", &[Some("guard"), Some("allow"), None]),
            CommandAccess::Person
        );
        assert_eq!(
            of("undo", &["undo", "--yes", "--", "--list"]),
            CommandAccess::Person
        );
        assert_eq!(
            of("rewind t1", &["rewind", "t1", "--force", "--dry-run"]),
            CommandAccess::Person
        );
        assert_eq!(of("init", &["init", "--dry-run"]), CommandAccess::Person);
    }
}
