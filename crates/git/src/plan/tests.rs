//! The table of a rewind, one test per row, and what holds whatever happened.

mod laws;
mod table;

use super::*;
use crate::object::{Entry, Id, Mode};

/// A state, by one letter: `-` nothing, a lower-case letter a file, its capital the same file with the exec bit,
/// `@` a link, `#` a commit.
fn state(letter: char) -> State {
    let id = |letter: char| -> Id { format!("{:0>40x}", u32::from(letter)).parse().unwrap() };
    let (mode, id) = match letter {
        '-' => return State::Absent,
        '@' => (Mode::Link, id('@')),
        '#' => (Mode::Commit, id('#')),
        letter if letter.is_ascii_uppercase() => (Mode::Exec, id(letter.to_ascii_lowercase())),
        letter => (Mode::File, id(letter)),
    };
    State::plain(Entry { mode, id })
}

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

/// A change: who (`s` scope, `o` another session, `p` the person, `m` several in scope, `x` several beyond it),
/// from, to. A file that comes to be was added, but by `r`: a change of the scope that does not answer for that.
fn passage(text: &str) -> Passage {
    let [who, before, after] = text.chars().collect::<Vec<_>>()[..] else {
        panic!("three letters: {text}");
    };
    let by = match who {
        's' | 'r' => By::Scope("claude·main".to_owned()),
        'o' => By::Other("session B".to_owned()),
        'p' => By::Outside,
        'm' => By::Shared { beyond_scope: false },
        'x' => By::Shared { beyond_scope: true },
        other => panic!("nobody is called {other}"),
    };
    Passage {
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
        target: Known::State(state(target)),
        history: changes.iter().copied().map(passage).collect(),
        now: state(now),
        obstacle: None,
        leased_by: None,
    }
}

fn plan_of(facts: PathFacts, scope: Scope) -> Plan {
    Plan::of(&[facts], scope)
}

fn verdict(facts: PathFacts) -> Verdict {
    plan_of(facts, Scope::Some).paths.remove(0).verdict
}

fn verdict_for_all(facts: PathFacts) -> Verdict {
    plan_of(facts, Scope::All).paths.remove(0).verdict
}

fn forced(facts: PathFacts) -> Verdict {
    plan_of(facts, Scope::Some).force().paths.remove(0).verdict
}

fn restore(letter: char) -> Verdict {
    Verdict::Restore {
        to: state(letter),
        note: None,
    }
}

fn restore_keeping(letter: char) -> Verdict {
    Verdict::Restore {
        to: state(letter),
        note: Some(KeepsYourEdit),
    }
}

fn changed(who: &str) -> Verdict {
    Verdict::Conflict(Reason::ChangedBy(who.to_owned()))
}

fn also(who: &str) -> Verdict {
    Verdict::Conflict(Reason::AlsoChangedBy(who.to_owned()))
}

const EDITED: Verdict = Verdict::Conflict(Reason::EditedSince);
