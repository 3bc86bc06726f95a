//! Which scope an installation is for, and why.

use super::context::Site;
use crate::install::target::InstallScope;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// A scope, and how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScopeChoice {
    /// The scope.
    pub scope: InstallScope,
    reason: ChoiceReason,
    worktrees: Worktrees,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChoiceReason {
    Asked,
    Usual,
}

/// The working trees of a repository. The client reads the repository's settings from the one it runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worktrees {
    One,
    Linked,
}

impl ScopeChoice {
    /// What was asked for, else what suits the repository.
    pub fn of(asked: Option<InstallScope>, site: &Site<'_>) -> Self {
        let is_linked = site.has_linked_worktrees();
        let worktrees = if is_linked {
            Worktrees::Linked
        } else {
            Worktrees::One
        };
        match asked {
            Some(scope) => Self {
                scope,
                reason: ChoiceReason::Asked,
                worktrees,
            },
            None => Self {
                scope: InstallScope::usual(is_linked),
                reason: ChoiceReason::Usual,
                worktrees,
            },
        }
    }

    /// Which scope it is and why, for a person.
    pub fn account(self) -> String {
        let reach = match self.scope {
            InstallScope::User => "user: every project of yours",
            InstallScope::Project => "project: everybody who works here, once it is committed",
            InstallScope::Local => "local: only you, only here",
        };
        let why = match (self.reason, self.worktrees, self.scope) {
            (ChoiceReason::Usual, Worktrees::One, _) => {
                "; `--scope project` or `--scope user` chooses another"
            }
            (ChoiceReason::Usual, Worktrees::Linked, _) => {
                ", because this repository has linked worktrees, and agents in them read no other settings of yours"
            }
            (ChoiceReason::Asked, Worktrees::Linked, InstallScope::Local) => {
                "; agents in the linked worktrees do not read it"
            }
            (ChoiceReason::Asked, Worktrees::Linked, InstallScope::Project) => {
                "; agents in the linked worktrees read it once it is committed there"
            }
            (ChoiceReason::Asked, Worktrees::One, _)
            | (ChoiceReason::Asked, Worktrees::Linked, InstallScope::User) => "",
        };
        format!("{reach}{why}")
    }
}

/// Reads a scope from the command line.
pub fn scopes() -> impl TypedValueParser<Value = InstallScope> {
    const ALL: [InstallScope; 3] = [InstallScope::Local, InstallScope::Project, InstallScope::User];
    let named = |word: String| {
        ALL.into_iter()
            .find(|scope| scope.name() == word)
            .ok_or("no such scope")
    };
    PossibleValuesParser::new(ALL.map(InstallScope::name)).try_map(named)
}
