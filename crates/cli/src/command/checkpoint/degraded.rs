//! What a checkpoint may miss, in a sentence each.

use engine::settings::CheckpointSettings;
use engine::text::one_line;
use store::table::checkpoints::Checkpoint;

/// Digits of an id that a sentence shows.
const SHORT: usize = 8;

/// One sentence for everything this checkpoint may miss.
pub fn sentences(checkpoint: &Checkpoint, settings: &CheckpointSettings) -> Vec<String> {
    let id = checkpoint.id.as_str();
    let id = id.get(..SHORT).unwrap_or(id);
    let words = checkpoint.degraded.iter();
    words
        .map(|word| format!("Checkpoint {id} {}.", reason(word, settings)))
        .collect()
}

fn reason(word: &str, settings: &CheckpointSettings) -> String {
    if let Some(waited) = word.strip_prefix("barrier ") {
        return format!(
            "may hold a later state of some files: a call waited {waited} for them to be read and went on"
        );
    }
    if let Some(waited) = word.strip_prefix("late look ") {
        return format!(
            "may credit earlier changes to the agent: its first call waited {waited} for the look and went on"
        );
    }
    match word {
        "scan" => format!(
            "may miss shell changes: the scan took longer than {} s",
            settings.scan_timeout_ms / 1000
        ),
        "late look" => {
            "may hold changes of a command: one ran before the worktree was looked over".to_owned()
        }
        "moving" => "may hold a file in the middle of a change: it was still being written".to_owned(),
        "filter failed" => "holds a file as its bytes are: a filter of git's could not convert it".to_owned(),
        other => format!("may miss something: {}", one_line(other, 80)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::settings::Profile;

    #[test]
    fn every_word_has_its_reason_and_a_newer_one_is_shown_as_it_is() {
        let settings = CheckpointSettings::of(Profile::Standard);
        let reasons: Vec<String> = [
            "scan",
            "barrier 204 ms",
            "late look 2003 ms",
            "late look",
            "moving",
            "filter failed",
            "eclipse\u{1b}",
        ]
        .map(|word| reason(word, &settings))
        .into();
        insta::assert_snapshot!(reasons.join("\n"), @r"
        may miss shell changes: the scan took longer than 20 s
        may hold a later state of some files: a call waited 204 ms for them to be read and went on
        may credit earlier changes to the agent: its first call waited 2003 ms for the look and went on
        may hold changes of a command: one ran before the worktree was looked over
        may hold a file in the middle of a change: it was still being written
        holds a file as its bytes are: a filter of git's could not convert it
        may miss something: eclipse\u{1b}
        ");
    }
}
