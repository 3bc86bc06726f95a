//! Pieces of a text that are replaced, every other byte left as it is.

use super::intent::Span;

/// Pieces of the original text, and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edit {
    /// In any order; they do not overlap.
    pub splices: Vec<Splice>,
}

/// One piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Where it stands.
    pub span: Span,
    /// What stands there instead.
    pub with: String,
}

impl Edit {
    /// An edit of one piece.
    pub fn one(span: Span, with: impl Into<String>) -> Self {
        Self {
            splices: vec![Splice {
                span,
                with: with.into(),
            }],
        }
    }

    /// The text with every piece replaced; `None` if one of them is not there or two overlap.
    pub fn applied(&self, text: &str) -> Option<String> {
        let mut splices: Vec<&Splice> = self.splices.iter().collect();
        splices.sort_by_key(|splice| (splice.span.start, splice.span.end));
        let mut result = String::with_capacity(text.len() + 64);
        let mut at = 0;
        for splice in splices {
            result.push_str(text.get(at..splice.span.start)?);
            result.push_str(&splice.with);
            at = splice.span.end;
        }
        result.push_str(text.get(at..)?);
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice(start: usize, end: usize, with: &str) -> Splice {
        Splice {
            span: Span { start, end },
            with: with.to_owned(),
        }
    }

    #[test]
    fn only_the_named_bytes_change() {
        let edit = Edit {
            splices: vec![splice(4, 5, "XX"), splice(0, 0, "> ")],
        };
        assert_eq!(edit.applied("git push").as_deref(), Some("> git XXush"));
        let overlapping = Edit {
            splices: vec![splice(0, 3, "a"), splice(2, 4, "b")],
        };
        assert_eq!(overlapping.applied("git push"), None);
        assert_eq!(Edit::one(Span { start: 0, end: 99 }, "x").applied("git"), None);
    }
}
