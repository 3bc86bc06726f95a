//! A part that cannot run on this machine says so, where `scripts/test` reads it.

use std::fs::OpenOptions;
use std::io::Write;

/// Notes that something was not tested, and why.
pub fn skip(what: &str, why: &str) {
    eprintln!("SKIP {what}: {why}");
    #[expect(
        clippy::disallowed_methods,
        reason = "the script that runs the tests names the file here"
    )]
    let list = std::env::var("TOPROPE_SKIPS");
    let file = list
        .ok()
        .and_then(|list| OpenOptions::new().append(true).create(true).open(list).ok());
    if let Some(mut file) = file {
        // In one write: tests of other processes append to the same file.
        let _ = file.write_all(format!("{what}: {why}\n").as_bytes());
    }
}
