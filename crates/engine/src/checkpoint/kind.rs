//! The kinds of checkpoints, and where a change of a file came from.

/// Why a checkpoint was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CheckpointKind {
    /// The first of a session in a worktree: what was there before it. Credits nothing to the session.
    Baseline,
    /// A prompt found changes that nobody's call made.
    Outside,
    /// A batch of tool calls ended, or the list of things to do changed.
    Step,
    /// A subagent begins a run.
    AgentStart,
    /// A subagent ended a run.
    AgentStop,
    /// The turn ended.
    Turn,
    /// An open turn was closed by something else than its stop.
    Interrupted,
    /// Before a destructive command that will or may run.
    Before,
    /// Before files are put back.
    BeforeRewind,
    /// After files were put back.
    Rewind,
    /// A person asked for it.
    Manual,
}

impl CheckpointKind {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Baseline,
        Self::Outside,
        Self::Step,
        Self::AgentStart,
        Self::AgentStop,
        Self::Turn,
        Self::Interrupted,
        Self::Before,
        Self::BeforeRewind,
        Self::Rewind,
        Self::Manual,
    ];

    /// The word for it in the store, on the command line, in trailers and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Outside => "outside",
            Self::Step => "step",
            Self::AgentStart => "agent-start",
            Self::AgentStop => "agent-stop",
            Self::Turn => "turn",
            Self::Interrupted => "interrupted",
            Self::Before => "before",
            Self::BeforeRewind => "before-rewind",
            Self::Rewind => "rewind",
            Self::Manual => "manual",
        }
    }

    /// The kind a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The kind a record names. One only a newer version knows is shown as made on somebody's word.
    pub fn parse(word: &str) -> Self {
        Self::from_word(word).unwrap_or(Self::Manual)
    }

    /// Whether it has a number within its turn; the others are the turn's end, or before every turn.
    pub fn is_within_a_turn(self) -> bool {
        !matches!(self, Self::Baseline | Self::Turn | Self::Interrupted)
    }

    /// Whether it marks a moment: it is written even if no file changed.
    pub fn is_marker(self) -> bool {
        match self {
            Self::Baseline
            | Self::AgentStart
            | Self::AgentStop
            | Self::Before
            | Self::BeforeRewind
            | Self::Rewind
            | Self::Manual => true,
            Self::Outside | Self::Step | Self::Turn | Self::Interrupted => false,
        }
    }
}

/// Where a change of a file came from; it decides what a rewind may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeOrigin {
    /// A payload named the file.
    Tool,
    /// Made while calls of exactly one actor ran that may write anything.
    Shell,
    /// The same with several actors.
    Shared,
    /// Made while no call ran that can have made it: a person, an editor, a server.
    Outside,
    /// Files were put back; counts as the scope's it was done for.
    Rewind,
}

impl ChangeOrigin {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Tool, Self::Shell, Self::Shared, Self::Outside, Self::Rewind];

    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Shell => "shell",
            Self::Shared => "shared",
            Self::Outside => "outside",
            Self::Rewind => "rewind",
        }
    }

    /// The origin a word names. One only a newer version knows is no agent's as far as this one can tell.
    pub fn parse(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|origin| origin.as_str() == word)
            .unwrap_or(Self::Outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_origin_is_found_by_its_word() {
        for kind in CheckpointKind::ALL {
            assert_eq!(CheckpointKind::from_word(kind.as_str()), Some(kind));
        }
        for origin in ChangeOrigin::ALL {
            assert_eq!(ChangeOrigin::parse(origin.as_str()), origin);
        }
        assert_eq!(CheckpointKind::from_word("Turn"), None);
        assert_eq!(CheckpointKind::parse("sing"), CheckpointKind::Manual);
        assert_eq!(ChangeOrigin::parse("sung"), ChangeOrigin::Outside);
    }

    #[test]
    fn a_turn_or_step_without_changes_is_not_written() {
        let written: Vec<&str> = CheckpointKind::ALL
            .into_iter()
            .filter(|kind| kind.is_marker())
            .map(CheckpointKind::as_str)
            .collect();
        assert_eq!(
            written,
            [
                "baseline",
                "agent-start",
                "agent-stop",
                "before",
                "before-rewind",
                "rewind",
                "manual"
            ]
        );
    }
}
