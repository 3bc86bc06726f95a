//! Where the client keeps its transcripts. Ids come from payloads, so only plain ones become parts of a path.

use std::path::{Path, PathBuf};

const LONGEST_NAME: usize = 128;

/// Where a subagent's transcript may be, likeliest first. The last is the main one: the oldest clients wrote all of a
/// session into it.
pub(in super::super) fn subagent(main: &Path, session: &str, agent: &str) -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Some(folder) = main.parent()
        && is_plain(agent)
    {
        let name = format!("agent-{agent}.jsonl");
        if is_plain(session) {
            places.push(folder.join(session).join("subagents").join(&name));
        }
        places.push(folder.join(name));
    }
    places.push(main.to_owned());
    places
}

/// The transcript of another session of the same project.
pub(in super::super) fn beside(main: &Path, session: &str) -> Option<PathBuf> {
    is_plain(session).then(|| main.with_file_name(format!("{session}.jsonl")))
}

/// Whether an id can stand in a path or on a command line as it is.
pub(in super::super) fn is_plain(id: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LONGEST_NAME).contains(&id.len()) && !id.starts_with('-') && id.bytes().all(is_word)
}
