//! What a run of the binary left: exit code, stdout, stderr.

use serde_json::Value;

/// The end of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
}

impl Output {
    /// Both streams and the code, for snapshots.
    pub fn whole(&self) -> String {
        let code = self
            .code
            .map_or_else(|| "signal".to_owned(), |code| code.to_string());
        format!(
            "exit {code}\n--- stdout\n{}--- stderr\n{}",
            self.stdout, self.stderr
        )
    }

    /// Stdout of a run that must have succeeded.
    ///
    /// # Panics
    /// If it did not.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.whole());
        self.stdout
    }

    /// Stdout as one JSON value; `None` when it is empty.
    ///
    /// # Panics
    /// If it is anything else.
    #[track_caller]
    pub fn json(&self) -> Option<Value> {
        if self.stdout.is_empty() {
            return None;
        }
        let value = serde_json::from_str(&self.stdout);
        assert!(value.is_ok(), "stdout is not one JSON value: {}", self.whole());
        value.ok()
    }

    /// The reason of a denied tool call; `None` where nothing was denied.
    #[track_caller]
    pub fn denial(&self) -> Option<String> {
        let answer = self.json()?;
        let specific = answer.get("hookSpecificOutput")?;
        let denied = specific.get("permissionDecision")?.as_str() == Some("deny");
        let reason = specific.get("permissionDecisionReason")?.as_str()?;
        denied.then(|| reason.to_owned())
    }

    /// A call that may go on.
    ///
    /// # Panics
    /// If the hook failed or denied it.
    #[track_caller]
    pub fn allowed(self) {
        assert_eq!(self.denial(), None, "a call goes on that was denied");
        self.ok();
    }

    /// The text a hook gives the agent to read; empty where there is none.
    #[track_caller]
    pub fn context(&self) -> String {
        let answer = self.json().unwrap_or_default();
        let text = answer
            .pointer("/hookSpecificOutput/additionalContext")
            .and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    }

    /// Stdout as one JSON value per line.
    ///
    /// # Panics
    /// If a line is anything else.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect()
    }
}
