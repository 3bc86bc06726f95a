//! The agent's own program: its version against the one whose behaviour we know.

use super::check::DoctorCheck;
use crate::command::init::{child, program};
use ::daemon::environment::Environment;
use engine::text::one_line;
use std::process::Command;
use std::time::Duration;

/// The version whose contract was observed (see `agents::claude_code`).
const KNOWN: [u64; 3] = [2, 1, 325];
const LIMIT: Duration = Duration::from_secs(5);

/// Looks at the client on PATH.
pub fn look(environment: &Environment) -> DoctorCheck {
    let Some(file) = program::find("claude", environment) else {
        return DoctorCheck::ok("client", "`claude` is not on PATH, so its version is unknown");
    };
    let mut command = Command::new(&file);
    command.arg("--version").current_dir("/");
    let shown = one_line(&file.to_string_lossy(), 200);
    match child::run(command, b"", LIMIT) {
        Ok(Some(ended)) if ended.code == Some(0) => judge(&String::from_utf8_lossy(&ended.stdout)),
        Ok(Some(_)) => DoctorCheck::warn(
            "client",
            format!("`{shown} --version` failed"),
            "claude --version",
        ),
        Ok(None) => DoctorCheck::warn(
            "client",
            format!("`{shown} --version` did not answer"),
            "claude --version",
        ),
        Err(error) => DoctorCheck::warn(
            "client",
            format!("`{shown}` could not be started: {error}"),
            "claude --version",
        ),
    }
}

fn judge(said: &str) -> DoctorCheck {
    let known = KNOWN.map(|number| number.to_string()).join(".");
    let word = one_line(said.split_whitespace().next().unwrap_or_default(), 40);
    let numbers: Option<Vec<u64>> = word.split('.').map(|number| number.parse().ok()).collect();
    let Some([major, minor, patch]) = numbers.as_deref() else {
        let text = format!("`claude --version` said `{word}`, which is no version we can read");
        return DoctorCheck::warn("client", text, "claude --version");
    };
    let found = [*major, *minor, *patch];
    let [known_major, known_minor, _] = KNOWN;
    if found < KNOWN {
        let text = format!("Claude Code {word} is older than {known}, so some events may be missing");
        return DoctorCheck::warn("client", text, "claude update");
    }
    if [*major, *minor] != [known_major, known_minor] {
        let text = format!("Claude Code {word} is newer than {known}, the version whose hooks we know");
        return DoctorCheck::warn("client", text, "toprope doctor --fire");
    }
    DoctorCheck::ok("client", format!("Claude Code {word} (known: {known})"))
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn later_patches_are_fine_and_older_or_other_lines_are_not() {
        let state = |said: &str| judge(said).state;
        assert_eq!(state("2.1.325 (Claude Code)\n"), CheckState::Ok);
        assert_eq!(state("2.1.400 (Claude Code)\n"), CheckState::Ok);
        assert_eq!(state("2.1.9 (Claude Code)\n"), CheckState::Warn);
        assert_eq!(state("2.2.0 (Claude Code)\n"), CheckState::Warn);
        assert_eq!(state("3.0.0"), CheckState::Warn);
        assert_eq!(state("nonsense"), CheckState::Warn);
        assert_eq!(state(""), CheckState::Warn);
    }

    #[test]
    fn an_older_client_is_told_with_what_to_do() {
        let check = judge("1.0.2 (Claude Code)");
        assert_eq!(
            check.text,
            "Claude Code 1.0.2 is older than 2.1.325, so some events may be missing"
        );
        assert_eq!(check.hint.as_deref(), Some("claude update"));
    }
}
