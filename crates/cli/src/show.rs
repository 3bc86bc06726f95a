//! How commands speak: data on stdout, talk on stderr. A reader that went away ends the talk, not the command.

use crate::failure::Failure;
use engine::text::json_escaped;
use serde::Serialize;
use std::io::{self, Write};

/// One line of data.
pub fn line(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// One JSON value on a line of its own.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    json_text(&serde_json::to_string(value)?);
    Ok(())
}

/// JSON that is text already. What could mislead a terminal is escaped: a JSON reader reads the same.
pub fn json_text(text: &str) {
    line(&json_escaped(text));
}

/// One line of talk.
pub fn talk(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
