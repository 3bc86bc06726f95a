//! Why it is not known whose a change is. What is in doubt is shown, and never rewound unasked.

use std::fmt;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// A command may have made it, and so may the person: nothing says when it was made.
    Undated,
    /// A command was cut off, and nobody knows when it stopped.
    Interrupted,
    /// The person had changed the file before, and may have saved it again while a command ran.
    YourFile,
}

impl Doubt {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Undated, Self::Interrupted, Self::YourFile];

    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undated => "undated",
            Self::Interrupted => "interrupted",
            Self::YourFile => "your file",
        }
    }

    /// The doubt a word names. One only a newer version knows is a doubt all the same.
    pub fn parse(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|doubt| doubt.as_str() == word)
            .unwrap_or(Self::Undated)
    }
}

/// As part of a sentence a person reads.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undated => "nobody can say when it changed",
            Self::Interrupted => "changed during an interrupted call",
            Self::YourFile => "you had changed it before",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_doubt_is_found_by_its_word_and_an_unknown_one_stays_one() {
        for doubt in Doubt::ALL {
            assert_eq!(Doubt::parse(doubt.as_str()), doubt);
        }
        assert_eq!(Doubt::parse("sung"), Doubt::Undated);
    }
}
