//! Every committed fuzz input keeps the promises of its target; that of `settings` is replayed beside the installer.

use testkit::corpus::replay;

#[path = "../../../fuzz/src/config.rs"]
mod config;
#[path = "../../../fuzz/src/frame.rs"]
mod frame;
#[path = "../../../fuzz/src/journal.rs"]
mod journal;
#[path = "../../../fuzz/src/payload.rs"]
mod payload;
#[path = "../../../fuzz/src/shell.rs"]
mod shell;
#[path = "../../../fuzz/src/transcript.rs"]
mod transcript;

#[test]
fn hostile_payloads_are_refused_in_a_line_or_answered_readably() {
    replay("payload", payload::check);
}

#[test]
fn hostile_frames_are_refused_or_read_as_they_were_sent() {
    replay("frame", frame::check);
}

#[test]
fn hostile_settings_files_loosen_nothing_and_survive_an_edit() {
    replay("config", config::check);
}

#[test]
fn hostile_journals_are_refused_or_are_what_we_would_have_written() {
    replay("journal", journal::check);
}

#[test]
fn hostile_commands_are_read_within_the_budget_and_never_called_harmless() {
    replay("shell", shell::check);
}

#[test]
fn hostile_transcripts_are_read_the_same_at_once_and_as_they_grow() {
    replay("transcript", transcript::check);
}
