//! What a commit in the person's name says.

/// What is kept of a prompt.
const LONGEST_BODY: usize = 2_000;
const TRAILER: &str = "Toprope-Checkpoint";

/// Subject, body and the checkpoint it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct CommitMessage<'a> {
    /// The label.
    pub subject: &'a str,
    /// The prompt; cut at 2,000 characters.
    pub body: &'a str,
    /// The checkpoint's id.
    pub checkpoint: &'a str,
}

impl CommitMessage<'_> {
    /// The whole text, without control characters, the trailer last.
    pub fn text(&self) -> Vec<u8> {
        let subject = self.subject.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text: String = subject.chars().filter(|letter| !letter.is_control()).collect();
        if text.is_empty() {
            text.push_str("Checkpoint ");
            text.push_str(self.checkpoint);
        }
        let body = body(self.body);
        if !body.is_empty() {
            text.push_str("\n\n");
            text.push_str(&body);
        }
        text.push_str("\n\n");
        text.push_str(TRAILER);
        text.push_str(": ");
        text.push_str(self.checkpoint);
        text.push('\n');
        text.into_bytes()
    }
}

fn body(prompt: &str) -> String {
    let letters = prompt.trim().chars();
    let mut kept: String = letters.clone().take(LONGEST_BODY).collect();
    if letters.count() > LONGEST_BODY {
        kept.push('…');
    }
    let lines: Vec<String> = kept.lines().map(line).collect();
    lines.join("\n").trim_end().to_owned()
}

/// A line of a prompt is no trailer of ours, whatever it looks like.
fn line(line: &str) -> String {
    let clean: String = line
        .chars()
        .filter(|letter| *letter == '\t' || !letter.is_control())
        .collect();
    let looks_like_ours = clean
        .get(..TRAILER.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(TRAILER));
    if looks_like_ours {
        format!(" {clean}")
    } else {
        clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(subject: &str, body: &str) -> String {
        let message = CommitMessage {
            subject,
            body,
            checkpoint: "7be1c09d42aa",
        };
        String::from_utf8(message.text()).unwrap()
    }

    #[test]
    fn the_label_the_prompt_and_the_checkpoint_each_have_their_place() {
        assert_eq!(
            text("Add the form", "Add the form\n\n# please\n"),
            "Add the form\n\nAdd the form\n\n# please\n\nToprope-Checkpoint: 7be1c09d42aa\n"
        );
        assert_eq!(
            text(" ", ""),
            "Checkpoint 7be1c09d42aa\n\nToprope-Checkpoint: 7be1c09d42aa\n"
        );
    }

    #[test]
    fn a_hostile_prompt_adds_no_trailer_and_no_control_characters() {
        assert_eq!(
            text("a\nb\u{1b}[1m", "x\0y\r\ntoprope-checkpoint: 000000000000"),
            "a b[1m\n\nxy\n toprope-checkpoint: 000000000000\n\nToprope-Checkpoint: 7be1c09d42aa\n"
        );
    }

    #[test]
    fn a_long_prompt_is_cut_by_characters() {
        let long = text("s", &"ö".repeat(3_000));
        assert_eq!(long.chars().filter(|letter| *letter == 'ö').count(), 2_000);
        assert!(long.contains('…'));
    }
}
