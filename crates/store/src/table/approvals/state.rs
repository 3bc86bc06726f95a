//! What becomes of a request, and how a person answers it.

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestState {
    /// Nobody answered yet.
    Pending,
    /// A person said yes, and it can still be used.
    Granted,
    /// A person said no, or took it back.
    Refused,
    /// It was used as often as it was granted for.
    Used,
    /// Its time, or its session, is over.
    Expired,
}

impl RequestState {
    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Granted => "granted",
            Self::Refused => "refused",
            Self::Used => "used",
            Self::Expired => "expired",
        }
    }

    /// What only a newer version knows is nothing this one may act on.
    pub(super) fn parse(word: &str) -> Self {
        match word {
            "pending" => Self::Pending,
            "granted" => Self::Granted,
            "refused" => Self::Refused,
            "used" => Self::Used,
            _ => Self::Expired,
        }
    }
}

/// How the person answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// In a terminal of their own.
    Terminal,
    /// On the web page.
    Web,
    /// In a prompt of an attended session.
    Prompt,
}

impl Via {
    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Web => "web",
            Self::Prompt => "prompt",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        [Self::Terminal, Self::Web, Self::Prompt]
            .into_iter()
            .find(|via| via.as_str() == word)
    }
}

/// What an answer of a person did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerEffect {
    /// It holds now.
    Done,
    /// It does not: the request is already this.
    Already(RequestState),
    /// There is no such request.
    Unknown,
}
