//! Starts a process as an agent does, hands it an event, and takes the time until it is gone and all is read.

use anyhow::{Context, bail};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs one hook to its end. A hook that fails makes the whole run worthless.
pub fn run(command: &mut Command, payload: &[u8]) -> anyhow::Result<Duration> {
    answer(command, payload).map(|(took, _)| took)
}

/// The same, with what the hook printed.
pub fn answer(command: &mut Command, payload: &[u8]) -> anyhow::Result<(Duration, String)> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("could not start {}", command.get_program().display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(payload) {
            // Who does not need the event may be gone before it is written.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
    }
    let output = child.wait_with_output()?;
    let took = began.elapsed();
    if !output.status.success() || !output.stderr.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} ended with {} and said: {said}", output.status);
    }
    Ok((took, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// A path as one word of a shell command.
pub fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_that_fails_is_not_a_measurement() {
        assert!(run(Command::new("sh").args(["-c", "cat > /dev/null"]), b"{}").is_ok());
        assert!(run(Command::new("sh").args(["-c", "echo broken >&2"]), b"{}").is_err());
        assert!(run(Command::new("sh").args(["-c", "exit 1"]), b"{}").is_err());
    }

    #[test]
    fn any_path_is_one_word_of_a_shell() {
        let text = quoted(Path::new("/a b/it's"));
        let output = Command::new("sh")
            .args(["-c", &format!("printf %s {text}")])
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"/a b/it's");
    }
}
