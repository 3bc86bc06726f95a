//! One word of a command, as far as it is known.

/// One word behind the shell's expansions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Word {
    /// Exactly this text.
    Literal(String),
    /// One of these texts, two to [`Word::MOST`] of them.
    OneOf(Vec<String>),
    /// Whatever file names fit the pattern. In it a backslash makes the character behind it ordinary.
    Glob {
        /// `*`, `?` and `[…]` are active.
        pattern: String,
    },
    /// Nobody can know it from the text alone.
    Unknown {
        /// What it surely begins with.
        prefix: String,
        /// What it surely ends with.
        suffix: String,
        /// It is exactly one word; otherwise it may be any number of words.
        quoted: bool,
        /// The variable it comes from, if that is the only unknown part: `X` of `$X/bin`.
        name: Option<String>,
    },
}

impl Word {
    /// How many texts a [`Word::OneOf`] may have.
    pub const MOST: usize = 16;

    /// A word that is exactly this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Literal(text.into())
    }

    /// A single word nothing is known about.
    pub fn unknown() -> Self {
        Self::Unknown {
            prefix: String::new(),
            suffix: String::new(),
            quoted: true,
            name: None,
        }
    }

    /// Any number of words nothing is known about.
    pub fn unknown_words() -> Self {
        Self::Unknown {
            prefix: String::new(),
            suffix: String::new(),
            quoted: false,
            name: None,
        }
    }

    /// One word that is one of these texts; unknown if there are none or too many.
    pub fn one_of(texts: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = Vec::new();
        for text in texts {
            if !known.contains(&text) {
                known.push(text);
            }
            if known.len() > Self::MOST {
                return Self::unknown();
            }
        }
        match known.len() {
            0 => Self::unknown(),
            1 => known.pop().map_or_else(Self::unknown, Self::Literal),
            _ => Self::OneOf(known),
        }
    }

    /// Its text, if it is exactly one.
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::OneOf(_) | Self::Glob { .. } | Self::Unknown { .. } => None,
        }
    }

    /// Every text it can be, if they are known.
    pub fn texts(&self) -> &[String] {
        match self {
            Self::Literal(text) => std::slice::from_ref(text),
            Self::OneOf(texts) => texts,
            Self::Glob { .. } | Self::Unknown { .. } => &[],
        }
    }

    /// How many texts have to be looked at for it.
    pub fn count(&self) -> usize {
        self.texts().len().max(1)
    }

    /// Whether nobody can know it.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }

    /// What it surely begins with; for a pattern, what stands before its first active character.
    pub fn prefix(&self) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::OneOf(texts) => shared_prefix(texts),
            Self::Glob { pattern } => pattern_prefix(pattern),
            Self::Unknown { prefix, .. } => prefix.clone(),
        }
    }
}

fn shared_prefix(texts: &[String]) -> String {
    let Some((first, rest)) = texts.split_first() else {
        return String::new();
    };
    let shared = |other: &String| {
        first
            .chars()
            .zip(other.chars())
            .take_while(|(one, two)| one == two)
            .count()
    };
    let length = rest
        .iter()
        .map(shared)
        .min()
        .unwrap_or_else(|| first.chars().count());
    first.chars().take(length).collect()
}

fn pattern_prefix(pattern: &str) -> String {
    let mut prefix = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' | '?' | '[' => break,
            '\\' => prefix.extend(letters.next()),
            _ => prefix.push(letter),
        }
    }
    prefix
}

#[cfg(test)]
mod tests;
