//! Names of things, as types: a session is never mistaken for an agent.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it came; it is data, never trusted to be well formed.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// Which agent program speaks: `claude-code`.
    AgentKind
);
text_id!(
    /// The id the client gives its session; it outlives compaction and resume.
    ClientSessionId
);
text_id!(
    /// The id the client gives a subagent. The main thread has none.
    AgentId
);
text_id!(
    /// The id of one tool call.
    ToolUseId
);
text_id!(
    /// The id of one prompt and everything done for it.
    PromptId
);
text_id!(
    /// The id the model's side gives one message; every report of its usage carries it.
    MessageId
);
text_id!(
    /// Random per hook process: a retry of one delivery carries the same id.
    DeliveryId
);

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

row_id!(
    /// An event's sequence number: the event id people see.
    EventSeq
);
row_id!(
    /// A row of `projects`.
    ProjectId
);
row_id!(
    /// A row of `worktrees`.
    WorktreeId
);
row_id!(
    /// A row of `actors`.
    ActorId
);
row_id!(
    /// A row of `sessions`: one context window.
    SessionId
);
row_id!(
    /// A row of `notices`: a text owed to someone.
    NoticeId
);
row_id!(
    /// A row of `jobs`: work that comes after the reply.
    JobId
);
row_id!(
    /// A row of `turns`.
    TurnId
);
row_id!(
    /// A row of `touches`: a path that a call named.
    TouchId
);
row_id!(
    /// A checkpoint's place in the order of all: a later one has a higher number, whatever the clock said.
    CheckpointSeq
);
row_id!(
    /// A row of `checkpoint_files`: one path that a checkpoint changed.
    FileRowId
);

row_id!(
    /// A row of `leases`.
    LeaseId
);
row_id!(
    /// A row of `tickets`: a place in the line before a file. A lower number comes first.
    TicketId
);

/// A checkpoint: twelve lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CheckpointId(String);

impl CheckpointId {
    /// How many digits an id has.
    pub const DIGITS: usize = 12;

    /// The id a text spells exactly; `None` for anything else, upper case included.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_id = text.len() == Self::DIGITS && text.bytes().all(is_digit);
        is_id.then(|| Self(text.to_owned()))
    }

    /// A new id from bytes that nobody could guess.
    pub fn from_random(bytes: [u8; 6]) -> Self {
        let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
        let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        Self(digits.collect())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<CheckpointId> for String {
    fn from(id: CheckpointId) -> Self {
        id.0
    }
}

impl TryFrom<String> for CheckpointId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a checkpoint id is twelve lower-case hexadecimal digits")
    }
}

/// Who acts: identity comes from the payload alone, never from the environment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ActorKey {
    /// The agent program.
    pub agent_kind: AgentKind,
    /// The client's session.
    pub session: ClientSessionId,
    /// The subagent, or `None` for the session's main thread.
    pub agent: Option<AgentId>,
}

impl ClientSessionId {
    /// The session of payloads that name none, from hooks whose environment names none.
    pub const UNKNOWN: &str = "unknown";

    /// Whether the client named no session.
    pub fn is_unknown(&self) -> bool {
        self.as_str() == Self::UNKNOWN
    }
}

impl AgentKind {
    /// The kind of a person, who acts by commands and not through an agent.
    pub const PERSON: &str = "person";
}

impl ActorKey {
    /// The person with this user id.
    pub fn person(user: u32) -> Self {
        Self {
            agent_kind: AgentKind::new(AgentKind::PERSON),
            session: ClientSessionId::new(user.to_string()),
            agent: None,
        }
    }

    /// Whether it is a person, not an agent.
    pub fn is_person(&self) -> bool {
        self.agent_kind.as_str() == AgentKind::PERSON
    }

    /// The main thread of the same session.
    #[must_use]
    pub fn main(&self) -> Self {
        Self {
            agent: None,
            ..self.clone()
        }
    }

    /// Another agent of the same session.
    #[must_use]
    pub fn sibling(&self, agent: AgentId) -> Self {
        Self {
            agent: Some(agent),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_id_is_twelve_lower_case_hex_digits_and_nothing_else() {
        let id = CheckpointId::from_random([0x7b, 0xe1, 0xc0, 0x9d, 0x42, 0x0a]);
        assert_eq!(id.as_str(), "7be1c09d420a");
        assert_eq!(CheckpointId::parse("7be1c09d420a"), Some(id.clone()));
        for wrong in [
            "",
            "7be1",
            "7BE1C09D420A",
            "7be1c09d420g",
            "7be1c09d420a0",
            "7be1c09d42é",
        ] {
            assert_eq!(CheckpointId::parse(wrong), None, "{wrong}");
        }
        assert_eq!(serde_json::to_string(&id).unwrap(), r#""7be1c09d420a""#);
        assert!(serde_json::from_str::<CheckpointId>(r#""../../etc/pw""#).is_err());
    }
}
