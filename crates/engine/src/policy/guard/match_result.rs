//! What a rule found in a command.

use super::cover::LossCover;
use super::keep_list::Keep;
use super::verdict::{HarmClass, Ruling};
use super::zone::Zone;
use shell::{Command, Span};

pub use shell::{Edit, Splice};

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hit {
    /// What is missing for a certain match; `None`: it is certain.
    pub missing: Option<&'static str>,
    /// The command is certain, what it is about is not.
    pub target_unknown: bool,
    /// The worst zone of what it is about.
    pub zone: Option<Zone>,
    /// What it is about, as people should see it.
    pub targets: Vec<String>,
    /// The same as they resolve, so that a retry is told from another loss; none: the command itself.
    pub aims: Vec<String>,
    /// Whether a checkpoint brings it back.
    pub cover: LossCover,
    /// Says it better than the rule's own text.
    pub what: Option<String>,
    /// Says it better than the rule's own text.
    pub why: Option<String>,
    /// Says it better than the rule's own text.
    pub instead: Option<String>,
    /// Another class than the rule's own.
    pub class: Option<HarmClass>,
    /// Another verdict than the rule's own.
    pub verdict: Option<Ruling>,
    /// The other command that it takes to see the harm: what is run, shown or sent comes from there.
    pub source: Option<Span>,
    /// What makes the command safe.
    pub edit: Option<Edit>,
    /// What has to be kept before it may run.
    pub keep: Keep,
}

impl Hit {
    /// A certain match, and nothing to add.
    pub fn yes() -> Self {
        Self::default()
    }

    /// A match that something is missing for.
    pub fn maybe(missing: &'static str) -> Self {
        Self {
            missing: Some(missing),
            ..Self::default()
        }
    }

    /// About this.
    #[must_use]
    pub fn about(mut self, target: impl Into<String>) -> Self {
        self.targets.push(target.into());
        self
    }

    /// With what comes from another command.
    #[must_use]
    pub fn fed_by(mut self, source: &Command) -> Self {
        self.source = source.span;
        self
    }
}
