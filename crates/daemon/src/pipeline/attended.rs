//! Whether a person watches the session: the client says so in the hook's environment.

use engine::event::Event;
use std::collections::BTreeMap;

/// In this mode the client asks nobody anything.
const ASKS_NOBODY: &str = "dontAsk";

/// Whether a person watches and can answer. A background agent of a watched session counts as watched.
pub fn is_attended(env: &BTreeMap<String, String>, event: &Event) -> bool {
    if event.permission_mode.as_deref() == Some(ASKS_NOBODY) {
        return false;
    }
    let said = |name: &str| env.get(name).map(String::as_str);
    match said("CLAUDE_CODE_SESSION_ATTENDED") {
        Some("1") => true,
        Some("0") => false,
        // Older clients say only how they were started.
        Some(_) | None => said("CLAUDE_CODE_ENTRYPOINT") == Some("cli"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::{Agent, Delivery};
    use engine::id::DeliveryId;
    use engine::time::Timestamp;

    fn attended(env: &[(&str, &str)], mode: &str) -> bool {
        let payload = serde_json::json!({
            "hook_event_name": "UserPromptSubmit",
            "session_id": "s",
            "permission_mode": mode,
        });
        let delivery = Delivery {
            id: DeliveryId::new("d"),
            at: Timestamp(0),
            session_hint: None,
            cwd: None,
        };
        let event = agents::claude_code::ClaudeCode
            .translate(payload.to_string().as_bytes(), &delivery)
            .unwrap();
        let env = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        is_attended(&env, &event)
    }

    const SAID: &str = "CLAUDE_CODE_SESSION_ATTENDED";
    const STARTED: &str = "CLAUDE_CODE_ENTRYPOINT";

    #[test]
    fn the_client_knows_best_and_an_older_one_is_judged_by_its_start() {
        assert!(attended(&[(SAID, "1"), (STARTED, "sdk-cli")], "default"));
        assert!(!attended(&[(SAID, "0"), (STARTED, "cli")], "default"));
        assert!(attended(&[(STARTED, "cli")], "default"));
        assert!(!attended(&[(STARTED, "sdk-cli")], "default"));
        assert!(!attended(&[], "default"));
    }

    #[test]
    fn a_session_that_asks_nobody_is_watched_by_nobody() {
        assert!(!attended(&[(SAID, "1")], "dontAsk"));
    }
}
