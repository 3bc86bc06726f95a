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
        let code = self.code.map_or_else(|| "signal".to_owned(), |code| code.to_string());
        format!("exit {code}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
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
        match serde_json::from_str(&self.stdout) {
            Ok(value) => Some(value),
            Err(error) => panic!("stdout is not one JSON value ({error}): {}", self.whole()),
        }
    }

    /// Stdout as one JSON value per line.
    ///
    /// # Panics
    /// If a line is anything else.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}
