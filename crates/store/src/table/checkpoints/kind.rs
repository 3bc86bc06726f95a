//! Why a checkpoint was made, and where it came from.

/// Why a checkpoint was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A session begins in a worktree: what it finds is nobody's work.
    Baseline,
    /// Changes that no call made.
    Outside,
    /// A batch of tools, or a todo, is done.
    Step,
    /// A subagent begins.
    AgentStart,
    /// A subagent is over.
    AgentStop,
    /// A turn is over.
    Turn,
    /// A turn was cut off.
    Interrupted,
    /// A destructive command may run next.
    Before,
    /// A rewind or an undo comes next.
    BeforeRewind,
    /// A rewind or an undo is done.
    Rewind,
    /// Somebody asked for it.
    Manual,
}

impl Kind {
    /// All kinds.
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

    /// The word for it in the store, in commits and in JSON.
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

    /// The kind a word stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether it is made though nothing changed: that it happened is worth a point.
    pub fn is_marker(self) -> bool {
        matches!(
            self,
            Self::Baseline
                | Self::AgentStart
                | Self::AgentStop
                | Self::Before
                | Self::BeforeRewind
                | Self::Rewind
                | Self::Manual
        )
    }

    /// Whether it has a number within its turn; the others are the turn's end, or before every turn.
    pub fn is_within_a_turn(self) -> bool {
        !matches!(self, Self::Baseline | Self::Turn | Self::Interrupted)
    }

    /// A kind only a newer version knows is shown as what every checkpoint is: made on somebody's word.
    pub(crate) fn parse(word: &str) -> Self {
        Self::from_word(word).unwrap_or(Self::Manual)
    }
}

/// Where a checkpoint came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// It was made here.
    Local,
    /// It was taken over from elsewhere and holds no files.
    Import,
}

impl Source {
    /// The word for it in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Import => "import",
        }
    }

    pub(crate) fn parse(word: &str) -> Self {
        match word {
            "import" => Self::Import,
            _ => Self::Local,
        }
    }
}
