//! Where in a path one stands, so that only what can be a path counts: no empty name, no `.`, no `..`.

/// What stands before the next letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamePosition {
    /// Nothing.
    Start,
    /// A slash.
    Slash,
    /// A name that is `.` so far.
    Dot,
    /// A name that is `..` so far.
    Dots,
    /// Part of any other name.
    Name,
}

impl NamePosition {
    /// How many there are.
    pub(super) const COUNT: usize = 5;

    /// Its number.
    pub(super) fn number(self) -> usize {
        match self {
            Self::Start => 0,
            Self::Slash => 1,
            Self::Dot => 2,
            Self::Dots => 3,
            Self::Name => 4,
        }
    }

    /// Whether the next letter begins a name.
    pub(super) fn begins_name(self) -> bool {
        matches!(self, Self::Start | Self::Slash)
    }

    /// Whether a path can end here.
    pub(super) fn ends_path(self) -> bool {
        self == Self::Name
    }

    /// Where one stands behind this letter; none if no path goes on so.
    pub(super) fn after(self, letter: char) -> Option<Self> {
        match (self, letter) {
            (Self::Start | Self::Name, '/') => Some(Self::Slash),
            (Self::Slash | Self::Dot | Self::Dots, '/') => None,
            (Self::Start | Self::Slash, '.') => Some(Self::Dot),
            (Self::Dot, '.') => Some(Self::Dots),
            (Self::Start | Self::Slash | Self::Dot | Self::Dots | Self::Name, _) => Some(Self::Name),
        }
    }
}
