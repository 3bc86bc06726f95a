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

impl ActorKey {
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
