//! What a rule found in a command.

use super::keeping::Keep;
use super::verdict::{Class, Ruling};
use super::zone::Zone;
use crate::shell::{Command, Span};

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
    /// Says it better than the rule's own text.
    pub what: Option<String>,
    /// Says it better than the rule's own text.
    pub why: Option<String>,
    /// Says it better than the rule's own text.
    pub instead: Option<String>,
    /// Another class than the rule's own.
    pub class: Option<Class>,
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
