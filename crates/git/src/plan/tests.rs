//! The table of a rewind, one test per row, and what holds whatever happened.

mod laws;
mod table;

use super::*;
use crate::object::{EntryMode, Id, TreeLeaf};

/// A state, by one letter: `-` nothing, a lower-case letter a file, its capital the same file with the exec bit,
/// `@` a link, `#` a commit.
fn state(letter: char) -> PathState {
    let id = |letter: char| -> Id { format!("{:0>40x}", u32::from(letter)).parse().unwrap() };
    let (mode, id) = match letter {
        '-' => return PathState::Absent,
        '@' => (EntryMode::Link, id('@')),
        '#' => (EntryMode::Commit, id('#')),
        letter if letter.is_ascii_uppercase() => (EntryMode::Exec, id(letter.to_ascii_lowercase())),
        letter => (EntryMode::File, id(letter)),
    };
    PathState::plain(TreeLeaf { mode, id })
}

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

/// A change: who (`s` scope, `o` another session, `p` the person, `m` several in scope, `x` several beyond it),
/// from, to. A file that comes to be was added, but by `r`: a change of the scope that does not answer for that.
fn passage(text: &str) -> PathHistory {
    let [who, before, after] = text.chars().collect::<Vec<_>>()[..] else {
        panic!("three letters: {text}");
    };
    let by = match who {
        's' | 'r' => PathAuthor::Scope("claude·main".to_owned()),
        'o' => PathAuthor::Other("session B".to_owned()),
        'p' => PathAuthor::Outside,
        'm' => PathAuthor::Shared { beyond_scope: false },
        'x' => PathAuthor::Shared { beyond_scope: true },
        other => panic!("nobody is called {other}"),
    };
    PathHistory {
        by,
        before: state(before),
        after: state(after),
        added: before == '-' && who != 'r',
    }
}

/// The facts of a path `file`: the target's state, the changes since, and what is there now.
fn facts(target: char, changes: &[&str], now: char) -> PathFacts {
    PathFacts {
        path: path("file"),
        target: RecordedState::State(state(target)),
        history: changes.iter().copied().map(passage).collect(),
        now: state(now),
        obstacle: None,
        leased_by: None,
    }
}

fn plan_of(facts: PathFacts, scope: PlanScope) -> RewindPlan {
    RewindPlan::of(&[facts], scope)
}

fn verdict(facts: PathFacts) -> PathVerdict {
    plan_of(facts, PlanScope::Some).paths.remove(0).verdict
}

fn verdict_for_all(facts: PathFacts) -> PathVerdict {
    plan_of(facts, PlanScope::All).paths.remove(0).verdict
}

fn forced(facts: PathFacts) -> PathVerdict {
    plan_of(facts, PlanScope::Some).force().paths.remove(0).verdict
}

fn restore(letter: char) -> PathVerdict {
    PathVerdict::Restore {
        to: state(letter),
        note: None,
    }
}

fn restore_keeping(letter: char) -> PathVerdict {
    PathVerdict::Restore {
        to: state(letter),
        note: Some(KeepsYourEdit),
    }
}

fn changed(who: &str) -> PathVerdict {
    PathVerdict::Conflict(ConflictReason::ChangedBy(who.to_owned()))
}

fn also(who: &str) -> PathVerdict {
    PathVerdict::Conflict(ConflictReason::AlsoChangedBy(who.to_owned()))
}

const EDITED: PathVerdict = PathVerdict::Conflict(ConflictReason::EditedSince);
