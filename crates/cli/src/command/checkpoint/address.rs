//! What people call a checkpoint: the first digits of its id, `@-3`, `start`, `t3`, `t3.2`, `agent:a3f2^`, `commit:main`.

use super::place::CheckpointPlace;
use super::point;
use super::session::{Chosen, choose};
use crate::failure::{Failure, FailureKind};
use ::daemon::environment::Environment;
use engine::id::CheckpointId;
use engine::text::one_line;
use store::table::checkpoints::{self, AddressScope, Checkpoint, SHORTEST_PREFIX};
use store::table::{actors, commit_links, turns, worktrees};

mod commit;

pub use commit::{commit, short};

/// Characters of what was asked for that a message repeats.
const LONGEST_SHOWN: usize = 80;
/// Candidates that are named where an address fits several.
const MOST_NAMED: usize = 20;

/// An address, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// The first digits of an id.
    Id(String),
    /// The newest of the session, or so many before it. Counted as `list` shows them: steps are passed over.
    Newest(u64),
    /// What the session began with.
    Start,
    /// The end of a turn.
    Turn(u64),
    /// A point within a turn.
    Point {
        /// The turn.
        turn: u64,
        /// Which one, from 1.
        point: u64,
    },
    /// The end of a subagent's latest run, or its start.
    Agent {
        /// The first characters of its id.
        id: String,
        /// The state before it began.
        start: bool,
    },
    /// The newest linked to a commit.
    Commit(String),
}

impl Address {
    /// Reads an address; `None` where a text is none.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "@" => return Some(Self::Newest(0)),
            "start" => return Some(Self::Start),
            _ => {}
        }
        if let Some(nth) = text.strip_prefix("@-") {
            return number(nth).map(Self::Newest);
        }
        if let Some(id) = text.strip_prefix("agent:") {
            let (id, start) = id.strip_suffix('^').map_or((id, false), |id| (id, true));
            let id = id.to_owned();
            return (!id.is_empty()).then_some(Self::Agent { id, start });
        }
        if let Some(rev) = text.strip_prefix("commit:") {
            return (!rev.is_empty()).then(|| Self::Commit(rev.to_owned()));
        }
        if let Some(turn) = text.strip_prefix('t') {
            return match turn.split_once('.') {
                None => number(turn).map(Self::Turn),
                Some((turn, point)) => number(turn)
                    .zip(number(point))
                    .map(|(turn, point)| Self::Point { turn, point }),
            };
        }
        let digits = text.to_ascii_lowercase();
        let is_id = (1..=CheckpointId::DIGITS).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then_some(Self::Id(digits))
    }
}

/// Plain digits only: `+3` and ` 3` are no numbers of ours.
fn number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// A checkpoint that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedCheckpoint {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// How it was called.
    pub address: Address,
    /// The session the address was read in; `None` where it needed none.
    pub session: Option<Chosen>,
}

/// The checkpoint an address means in this worktree. `session` is what `--session` names.
pub fn find(
    here: &CheckpointPlace,
    environment: &Environment,
    text: &str,
    session: Option<&str>,
) -> Result<ResolvedCheckpoint, Failure> {
    let Some(address) = Address::parse(text) else {
        return Err(none(
            text,
            "an address is an id, `@`, `@-3`, `start`, `t3`, `t3.2`, `agent:a3f2` or `commit:<rev>`",
        ));
    };
    let (checkpoint, session) = match &address {
        Address::Id(digits) => (by_id(here, text, digits)?, None),
        Address::Commit(rev) => {
            let named = session.map(|named| choose(here, environment, Some(named)));
            let named = named.transpose()?.flatten();
            (by_commit(here, text, rev, named.as_ref())?, named)
        }
        Address::Newest(_)
        | Address::Start
        | Address::Turn(_)
        | Address::Point { .. }
        | Address::Agent { .. } => {
            let chosen = choose(here, environment, session)?;
            let chosen = chosen.ok_or_else(|| none(text, "no session worked in this worktree yet"))?;
            (in_session(here, text, &address, &chosen)?, Some(chosen))
        }
    };
    Ok(ResolvedCheckpoint {
        checkpoint,
        address,
        session,
    })
}

fn by_id(here: &CheckpointPlace, text: &str, digits: &str) -> Result<Checkpoint, Failure> {
    if digits.len() < SHORTEST_PREFIX {
        return Err(Failure::saying(
            FailureKind::NoMatch,
            format!(
                "\"{}\" is too short ({SHORTEST_PREFIX} digits or more)",
                shown(text)
            ),
        ));
    }
    let known = here.read(|db| worktrees::of(db, here.project))?;
    let is_here = |found: &Checkpoint| known.iter().any(|known| known.id == found.worktree);
    let found = here.read(|db| checkpoints::by_prefix(db, digits))?;
    let (mut found, elsewhere): (Vec<_>, Vec<_>) = found.into_iter().partition(is_here);
    match (found.pop(), found.as_slice()) {
        (Some(only), []) => Ok(only),
        (Some(oldest), newer) => Err(several(text, newer.iter().chain([&oldest]), newer.len() + 1)),
        (None, _) => {
            let Some(other) = elsewhere.first() else {
                return Err(none(text, "this project has none with such an id"));
            };
            let root = here.read(|db| worktrees::by_id(db, other.worktree))?;
            let root = root.map(|row| row.root.display().to_string()).unwrap_or_default();
            Err(none(text, &format!("it belongs to {}", one_line(&root, 200))))
        }
    }
}

fn several<'a>(text: &str, candidates: impl Iterator<Item = &'a Checkpoint>, count: usize) -> Failure {
    let names: Vec<String> = candidates
        .take(MOST_NAMED)
        .map(|one| format!("{} ({})", one.id, point::name(one)))
        .collect();
    Failure::saying(
        FailureKind::NoMatch,
        format!(
            "\"{}\" fits {count} checkpoints: {}",
            shown(text),
            names.join(", ")
        ),
    )
}

fn in_session(
    here: &CheckpointPlace,
    text: &str,
    address: &Address,
    chosen: &Chosen,
) -> Result<Checkpoint, Failure> {
    let scope = AddressScope {
        session: chosen.id(),
        worktree: Some(here.worktree),
    };
    let found = match address {
        Address::Newest(nth) => here.read(|db| checkpoints::nth_newest(db, &scope, *nth, false))?,
        Address::Start => here.read(|db| checkpoints::baseline(db, &scope))?,
        Address::Turn(number) => here.read(|db| checkpoints::end_of_turn(db, &scope, *number))?,
        Address::Point { turn, point } => here.read(|db| checkpoints::point(db, &scope, *turn, *point))?,
        Address::Agent { id, start } => return of_agent(here, text, (id, *start), chosen),
        // Asked for elsewhere: they need no session.
        Address::Id(_) | Address::Commit(_) => None,
    };
    match found {
        Some(found) => Ok(found),
        None => Err(none(text, &why_none(here, address, &scope)?)),
    }
}

/// What there is instead of what was asked for.
fn why_none(here: &CheckpointPlace, address: &Address, scope: &AddressScope) -> Result<String, Failure> {
    let turns = here.read(|db| turns::range(db, scope.session))?;
    let span = |what: &str, range: Option<(u64, u64)>| match range {
        None => format!("has no {what}s yet"),
        Some((first, last)) if first == last => format!("has {what} {first}"),
        Some((first, last)) => format!("has {what}s {first} to {last}"),
    };
    Ok(match address {
        Address::Turn(number) | Address::Point { turn: number, .. }
            if !turns.is_some_and(|(first, last)| (first..=last).contains(number)) =>
        {
            format!("this session {}", span("turn", turns))
        }
        Address::Turn(_) => "it is no longer kept".to_owned(),
        Address::Point { turn, .. } => {
            let points = point::range(here, scope, *turn)?;
            format!("turn {turn} {}", span("point", points))
        }
        Address::Newest(_) => match point::count(here, scope)? {
            0 => "this session has no checkpoints yet".to_owned(),
            1 => "this session has 1 checkpoint".to_owned(),
            count => format!("this session has {count} checkpoints"),
        },
        Address::Start | Address::Agent { .. } | Address::Id(_) | Address::Commit(_) => {
            "this session has no baseline here".to_owned()
        }
    })
}

fn of_agent(
    here: &CheckpointPlace,
    text: &str,
    wanted: (&str, bool),
    chosen: &Chosen,
) -> Result<Checkpoint, Failure> {
    let (id, start) = wanted;
    let main = here.read(|db| actors::by_id(db, chosen.id()))?;
    let agents = match &main {
        Some(main) => here.read(|db| actors::agents_like(db, &main.key, id))?,
        None => Vec::new(),
    };
    let agent = match agents.as_slice() {
        [agent] => agent,
        [] => return Err(none(text, "this session has no such agent")),
        several => {
            let ids = several.iter().filter_map(|agent| agent.key.agent.as_ref());
            let ids: Vec<String> = ids.map(|id| one_line(id.as_str(), 40)).take(MOST_NAMED).collect();
            return Err(Failure::saying(
                FailureKind::NoMatch,
                format!(
                    "\"{}\" fits {} agents: {}",
                    shown(text),
                    several.len(),
                    ids.join(", ")
                ),
            ));
        }
    };
    let run = here.read(|db| checkpoints::latest_run(db, agent.id))?;
    let run = run.ok_or_else(|| none(text, "that agent left no checkpoints"))?;
    if start {
        return run
            .start
            .ok_or_else(|| none(text, "the start of that agent is no longer kept"));
    }
    Ok(run.end)
}

fn by_commit(
    here: &CheckpointPlace,
    text: &str,
    rev: &str,
    session: Option<&Chosen>,
) -> Result<Checkpoint, Failure> {
    let id = commit(here, rev)?.ok_or_else(|| none(text, "git knows no such commit"))?;
    let links = here.read(|db| commit_links::of_commit(db, here.project, &id))?;
    let mut newest: Option<Checkpoint> = None;
    for link in links {
        if session.is_some_and(|session| link.session != Some(session.id())) {
            continue;
        }
        let found = here.read(|db| checkpoints::by_id(db, &link.checkpoint))?;
        newest = newest.into_iter().chain(found).max_by_key(|found| found.seq);
    }
    newest.ok_or_else(|| none(text, &format!("commit {} is linked to none", short(&id))))
}

/// Nothing fits.
fn none(text: &str, why: &str) -> Failure {
    Failure::saying(
        FailureKind::NoMatch,
        format!(
            "No checkpoint \"{}\": {why}. See: toprope checkpoint list",
            shown(text)
        ),
    )
}

fn shown(text: &str) -> String {
    one_line(text, LONGEST_SHOWN)
}

#[cfg(test)]
mod tests;
