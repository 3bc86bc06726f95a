//! Every environment variable Toprope knows, and the one place that reads them.
//!
//! Of a hook's variables none of ours loosens anything: they say where the state lives, or make a hook slower. The client
//! hands every hook what its settings files say under `env`, a repository's files included.

use std::ffi::OsString;

/// Where the database, spool, logs and lock live.
pub const HOME: &str = "TOPROPE_HOME";
/// How long a hook waits for the daemon's answer, in milliseconds; only a shorter time than usual counts.
pub const DEADLINE_MS: &str = "TOPROPE_DEADLINE_MS";
/// `never` keeps hooks from starting or asking a daemon: every event is decided in the hook's own process.
pub const DAEMON: &str = "TOPROPE_DAEMON";

/// The client's id of a session, for scripts that agents run. Written where the client lets a hook do so, never read back.
pub const SESSION: &str = "TOPROPE_SESSION";
/// The file whose lines the client runs before every command of a session.
pub const ENV_FILE: &str = "CLAUDE_ENV_FILE";

/// What of a hook's environment travels to the daemon, and nothing beyond it.
const TRAVELS: &[&str] = &[
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CONFIG_DIR",
    ENV_FILE,
    "CLAUDE_CODE_TMPDIR",
    "HOME",
    "USER",
    "TMPDIR",
    "TERM_PROGRAM",
    "TMUX",
    "TMUX_PANE",
    "AGENT_ID",
];

/// What a session's jobs need of its environment; kept only when a session starts. The hook does not know its event, so
/// it sends them wherever the client offers an environment file: at that start, and at a few rarer events.
const FOR_JOBS: &[&str] = &[
    "PATH",
    "VIRTUAL_ENV",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_BIN",
    "PNPM_HOME",
    "PYENV_ROOT",
    "LANG",
    "LC_ALL",
    "TZ",
];

/// A longer value says nothing anybody needs, and a header has little room.
const LONGEST_VALUE: usize = 8 * 1024;

/// The variables of this process that Toprope may look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: Vec<(String, OsString)>,
}

impl Environment {
    /// Reads this process's environment once.
    pub fn read() -> Self {
        Self {
            variables: std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
                .collect(),
        }
    }

    /// An environment made of these variables.
    pub fn of(variables: &[(&str, &str)]) -> Self {
        Self {
            variables: variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.into()))
                .collect(),
        }
    }

    /// The value of a variable; empty counts as not set.
    pub fn value(&self, name: &str) -> Option<&OsString> {
        self.variables
            .iter()
            .find(|(known, value)| known == name && !value.is_empty())
            .map(|(_, value)| value)
    }

    /// The value of a variable, where it is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.value(name).and_then(|value| value.to_str())
    }

    /// The same environment with a variable set, or without it.
    #[must_use]
    pub fn with(mut self, name: &str, value: Option<OsString>) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self.variables.extend(value.map(|value| (name.to_owned(), value)));
        self
    }

    /// What travels with an event: an allow-list, and only values that are text.
    pub fn travelling(&self) -> impl Iterator<Item = (&str, &str)> {
        let starts = self.value(ENV_FILE).is_some();
        self.variables.iter().filter_map(move |(name, value)| {
            let name = name.as_str();
            let travels = TRAVELS.contains(&name) || (starts && FOR_JOBS.contains(&name));
            let value = value.to_str().filter(|value| value.len() <= LONGEST_VALUE);
            travels.then_some(name).zip(value)
        })
    }
}

/// Whether a session's jobs may be given this variable.
pub fn is_for_jobs(name: &str) -> bool {
    FOR_JOBS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_and_the_allow_list_travels() {
        let environment = Environment::of(&[
            ("ANTHROPIC_API_KEY", "secret"),
            ("PATH", "/bin"),
            ("CLAUDE_PID", "7"),
            ("TOPROPE_PROFILE", "strict"),
        ]);
        let travelling: Vec<_> = environment.travelling().collect();
        assert_eq!(travelling, [("CLAUDE_PID", "7")], "nor does one of our own");
    }

    #[test]
    fn a_variable_is_replaced_or_taken_out() {
        let environment = Environment::of(&[("HOME", "/h"), ("PATH", "/evil")]);
        let mended = environment.clone().with("PATH", Some("/bin".into()));
        assert_eq!(mended.text("PATH"), Some("/bin"));
        assert_eq!(environment.with("PATH", None), Environment::of(&[("HOME", "/h")]));
    }

    #[test]
    fn a_session_start_also_carries_what_its_jobs_need() {
        let environment =
            Environment::of(&[("CLAUDE_ENV_FILE", "/tmp/e"), ("PATH", "/bin"), ("SECRET", "s")]);
        let travelling: Vec<_> = environment.travelling().map(|(name, _)| name).collect();
        assert_eq!(travelling, ["CLAUDE_ENV_FILE", "PATH"]);
    }
}
