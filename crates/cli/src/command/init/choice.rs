//! Which scope an installation is for, and why.

use super::site::Site;
use crate::install::target::Scope;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// A scope, and how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The scope.
    pub scope: Scope,
    reason: Reason,
    worktrees: Worktrees,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Asked,
    Usual,
}

/// The working trees of a repository. The client reads the repository's settings from the one it runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worktrees {
    One,
    Linked,
}

impl Choice {
    /// What was asked for, else what suits the repository.
    pub fn of(asked: Option<Scope>, site: &Site<'_>) -> Self {
        let is_linked = site.has_linked_worktrees();
        let worktrees = if is_linked {
            Worktrees::Linked
        } else {
            Worktrees::One
        };
        match asked {
            Some(scope) => Self {
                scope,
                reason: Reason::Asked,
                worktrees,
            },
            None => Self {
                scope: Scope::usual(is_linked),
                reason: Reason::Usual,
                worktrees,
            },
        }
    }

    /// Which scope it is and why, for a person.
    pub fn account(self) -> String {
        let reach = match self.scope {
            Scope::User => "user: every project of yours",
            Scope::Project => "project: everybody who works here, once it is committed",
            Scope::Local => "local: only you, only here",
        };
        let why = match (self.reason, self.worktrees, self.scope) {
            (Reason::Usual, Worktrees::One, _) => "; `--scope project` or `--scope user` chooses another",
            (Reason::Usual, Worktrees::Linked, _) => {
                ", because this repository has linked worktrees, and agents in them read no other settings of yours"
            }
            (Reason::Asked, Worktrees::Linked, Scope::Local) => {
                "; agents in the linked worktrees do not read it"
            }
            (Reason::Asked, Worktrees::Linked, Scope::Project) => {
                "; agents in the linked worktrees read it once it is committed there"
            }
            (Reason::Asked, Worktrees::One, _) | (Reason::Asked, Worktrees::Linked, Scope::User) => "",
        };
        format!("{reach}{why}")
    }
}

/// Reads a scope from the command line.
pub fn scopes() -> impl TypedValueParser<Value = Scope> {
    const ALL: [Scope; 3] = [Scope::Local, Scope::Project, Scope::User];
    let named = |word: String| {
        ALL.into_iter()
            .find(|scope| scope.name() == word)
            .ok_or("no such scope")
    };
    PossibleValuesParser::new(ALL.map(Scope::name)).try_map(named)
}
