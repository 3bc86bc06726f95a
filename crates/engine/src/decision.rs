//! What the whole round says: the one answer the agent gets.

use crate::tool::ToolInput;

/// The one answer to an event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decision {
    /// Whether it may happen.
    pub outcome: Outcome,
    /// The whole input to use instead of the original.
    pub input: Option<ToolInput>,
    /// Text for the model, in order, within the budget.
    pub context: Vec<String>,
    /// Text for the person, shown by the client.
    pub person: Vec<String>,
}

/// Whether the thing may happen. There is no "allow": the person's own permission rules stay in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Outcome {
    /// We have no objection.
    #[default]
    Pass,
    /// The person decides.
    Ask {
        /// Why.
        reason: String,
    },
    /// It does not happen.
    Deny {
        /// What was stopped, why, what to do instead.
        reason: String,
        /// A prompt stays in the person's history, to be sent again; of no meaning elsewhere.
        keeps_prompt: bool,
    },
}

impl Decision {
    /// Nothing to say.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }

    /// All context as the one text the client gets.
    pub fn context_text(&self) -> Option<String> {
        (!self.context.is_empty()).then(|| self.context.join("\n\n"))
    }
}
