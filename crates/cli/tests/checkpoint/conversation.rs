//! A conversation as the client writes it: a line per message, with the ids of the prompts it belongs to.

use serde_json::{Value, json};
use std::io::Write;
use testkit::{Agent, World};

/// A session whose client keeps a transcript, as late as it likes.
pub struct Conversation<'a> {
    pub world: &'a World,
    pub main: Agent<'a>,
}

impl<'a> Conversation<'a> {
    pub fn begin(world: &'a World, session: &str) -> Self {
        let main = world.agent(session);
        fs_err::create_dir_all(main.transcript().parent().unwrap()).unwrap();
        fs_err::write(main.transcript(), "").unwrap();
        main.starts().ok();
        Self { world, main }
    }

    /// A prompt comes, a person's or the client's own; whoever works for it.
    pub fn asked(&self, prompt: &str, text: &str) -> Agent<'a> {
        let agent = self.main.answering(prompt);
        agent.is_asked(text).ok();
        agent
    }

    /// Adds the whole turn of a prompt to the transcript: what was asked, an answer of so many tokens, its end.
    pub fn writes(&self, prompt: &str, text: &str, output: u64) {
        self.writes_prompt(prompt, text);
        self.writes_answer(prompt, output);
    }

    pub fn writes_prompt(&self, prompt: &str, text: &str) {
        self.line(
            &json!({ "type": "user", "uuid": format!("{prompt}-u"), "promptId": prompt, "turnOrigin": "human",
            "message": { "role": "user", "content": text } }),
        );
    }

    pub fn writes_answer(&self, prompt: &str, output: u64) {
        self.line(
            &json!({ "type": "assistant", "uuid": format!("{prompt}-a"), "message": {
            "id": format!("{prompt}-m"), "role": "assistant", "model": "opus", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": format!("answer to {prompt}") }],
            "usage": { "input_tokens": 1, "output_tokens": output } } }),
        );
        self.line(
            &json!({ "type": "system", "subtype": "stop_hook_summary", "uuid": format!("{prompt}-s"),
            "hookErrors": [] }),
        );
    }

    fn line(&self, line: &Value) {
        let mut file = fs_err::OpenOptions::new()
            .append(true)
            .open(self.main.transcript())
            .unwrap();
        writeln!(file, "{line}").unwrap();
    }

    /// The turn ends, and all of it is recorded.
    #[track_caller]
    pub fn stops(&self, prompt: &str) {
        self.main.answering(prompt).stops().ok();
        self.world.settled();
    }
}

/// The ids of the lines of a conversation, in order.
#[track_caller]
pub fn ids(transcript: &str) -> Vec<String> {
    transcript
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["uuid"].as_str().unwrap_or_default().to_owned()
        })
        .collect()
}
