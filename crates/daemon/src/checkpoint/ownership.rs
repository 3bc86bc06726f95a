//! Whose doing it is that a path changed which no call is known to have written.
//!
//! A call is suspected of what changed while it ran, and of nothing else. One that listed all it changed is not suspected
//! of other files. Being listed proves nothing: the list also has what the person saved meanwhile, and what git moved.

use super::chain::{ChangeOwner, Shelf};
use super::dating::Date;
use engine::checkpoint::Doubt;
use engine::id::{ActorId, ToolUseId};
use git::object::{EntryMode, PathState};
use git::path::RepoPath;
use shell::{self, Scene, UserWrappers};
use std::cell::{LazyCell, OnceCell};
use std::collections::BTreeSet;
use store::table::calls::{CallReach, WritingCall};
use store::table::checkpoint_files::ChangeOrigin;

/// The calls that may have written what no payload named.
pub struct Suspects<'a> {
    calls: LazyCell<Calls, Box<dyn FnOnce() -> Calls + 'a>>,
    /// When the worktree was last looked over.
    pub looked: i64,
}

/// None if nobody ever looked before.
pub type Calls = Option<Vec<Suspect>>;

/// A call that may have, and the turn it ran in.
#[derive(Debug, Clone)]
pub struct Suspect {
    /// The call.
    pub writer: WritingCall,
    /// The turn of its session.
    pub turn: Option<u64>,
    /// What it says it changed, where that is all it changed.
    pub listed: Option<BTreeSet<Vec<u8>>>,
    /// What it ran.
    pub command: CommandText,
}

/// The text of a call, read only where somebody has to be found for a change.
#[derive(Debug, Clone, Default)]
pub struct CommandText {
    text: Option<String>,
    confined: OnceCell<Option<BTreeSet<String>>>,
}

impl From<Option<String>> for CommandText {
    fn from(text: Option<String>) -> Self {
        Self {
            text,
            confined: OnceCell::new(),
        }
    }
}

impl CommandText {
    /// Whether it can write a path, as far as it says.
    fn may_write(&self, path: &RepoPath) -> bool {
        let confined = self.confined.get_or_init(|| {
            let wrappers = UserWrappers::default();
            let intent = shell::read(self.text.as_deref()?, &Scene::at(None, &wrappers));
            shell::confined(&intent)
        });
        confined.as_ref().is_none_or(|names| has_part(path, names))
    }
}

/// A change that somebody is looked for.
#[derive(Debug, Clone, Copy)]
pub struct UnownedChange<'a> {
    /// Where.
    pub path: &'a RepoPath,
    /// When.
    pub date: Date,
    /// Whether the list of a call would have it.
    pub listable: bool,
}

impl<'a> UnownedChange<'a> {
    /// A change of a file that was seen before and after it.
    pub fn new(
        path: &'a RepoPath,
        shelf: Shelf,
        (before, after): (&PathState, &PathState),
        date: Date,
    ) -> Self {
        let content = |state: &PathState| state.bytes().or_else(|| state.entry().map(|entry| entry.id));
        let is_text = std::str::from_utf8(path.as_bytes()).is_ok();
        // A list follows links, so it does not have the links themselves.
        let is_link = |state: &PathState| state.entry().is_some_and(|entry| entry.mode == EntryMode::Link);
        Self {
            path,
            date,
            listable: is_text
                && shelf == Shelf::Files
                && content(before) != content(after)
                && !is_link(before)
                && !is_link(after),
        }
    }
}

impl<'a> Suspects<'a> {
    /// They are looked up once somebody has to be found: most commands change nothing.
    pub fn new(looked: i64, calls: impl FnOnce() -> Calls + 'a) -> Self {
        Self {
            calls: LazyCell::new(Box::new(calls)),
            looked,
        }
    }

    /// Whose doing it is, as far as that can be known.
    pub fn owner(&self, found: &UnownedChange<'_>) -> ChangeOwner {
        let calls = self.calls().iter();
        let able: Vec<&Suspect> = calls.filter(|call| call.may_have_made(found)).collect();
        let (inside, is_sure) = match found.date {
            Date::At(at) => (within(&able, at, at), true),
            Date::Within(after, until) => {
                let inside = within(&able, after, until);
                let is_sure = inside.iter().any(|call| call.covers(after, until));
                (inside, is_sure)
            }
            Date::Unknown => (within(&able, self.looked, i64::MAX), false),
        };
        if inside.is_empty() {
            return ChangeOwner::outside();
        }
        if !is_sure {
            return doubtful(&inside, Doubt::Undated);
        }
        if inside.iter().all(|call| call.writer.cut_off.is_some()) {
            return doubtful(&inside, Doubt::Interrupted);
        }
        credited(&inside, found.date)
    }

    fn calls(&self) -> &[Suspect] {
        self.calls.as_deref().unwrap_or_default()
    }

    /// Whether a call may write anything.
    pub fn has(&self, actor: ActorId, call: &ToolUseId) -> bool {
        let mut calls = self.calls().iter();
        calls.any(|suspect| suspect.writer.actor == actor && suspect.writer.call == *call)
    }

    /// Whether a change was made while a call ran that listed all it changed, and not this.
    pub fn is_missing_from_a_list(&self, found: &UnownedChange<'_>) -> bool {
        let Date::At(at) = found.date else { return false };
        let mut calls = self.calls().iter();
        calls.any(|call| {
            call.listed.is_some()
                && !call.may_have_made(found)
                && call.writer.began <= at
                && call.writer.ended.is_some_and(|ended| at <= ended)
        })
    }
}

impl Suspect {
    /// Whether it can have made a change, whenever that was.
    fn may_have_made(&self, found: &UnownedChange<'_>) -> bool {
        let is_named = |listed: &BTreeSet<Vec<u8>>| listed.contains(found.path.as_bytes());
        let is_in_reach = match self.writer.reach {
            CallReach::Anything => true,
            CallReach::Listed => !found.listable || self.listed.as_ref().is_none_or(is_named),
            CallReach::Named | CallReach::Nothing => false,
        };
        is_in_reach && self.command.may_write(found.path)
    }

    /// By when it was over, and with it all that it set off.
    fn until(&self) -> i64 {
        self.writer.until.or(self.writer.cut_off).unwrap_or(i64::MAX)
    }

    /// Whether nobody else had time to make a change: the worktree was looked over before the call was let go.
    fn covers(&self, after: i64, until: i64) -> bool {
        self.writer.asked <= after && until <= self.until()
    }

    /// Whether the call itself ran, and not only what it set off.
    fn ran_at(&self, date: Date) -> bool {
        let (Date::At(at) | Date::Within(_, at)) = date else {
            return false;
        };
        self.writer.began <= at && self.writer.ended.is_none_or(|ended| at <= ended)
    }
}

/// Whether a path is one of these names, or below one.
fn has_part(path: &RepoPath, names: &BTreeSet<String>) -> bool {
    let mut parts = path.as_bytes().split(|byte| *byte == b'/');
    parts.any(|part| std::str::from_utf8(part).is_ok_and(|part| names.contains(part)))
}

fn within<'a>(calls: &[&'a Suspect], after: i64, until: i64) -> Vec<&'a Suspect> {
    let touches = |call: &&&Suspect| call.writer.began <= until && after <= call.until();
    calls.iter().filter(touches).copied().collect()
}

/// The session all of them belong to.
fn session_of(calls: &[&Suspect]) -> Option<ActorId> {
    let first = calls.first()?.writer.session;
    first.filter(|_| calls.iter().all(|call| call.writer.session == first))
}

/// One of these did it, or the person.
fn doubtful(calls: &[&Suspect], doubt: Doubt) -> ChangeOwner {
    let session = session_of(calls);
    ChangeOwner {
        actor: None,
        session,
        turn: calls
            .last()
            .and_then(|last| last.turn)
            .filter(|_| session.is_some()),
        origin: ChangeOrigin::Shared,
        call: None,
        doubt: Some(doubt),
    }
}

/// One of these did it. The turn is that of the newest.
fn credited(calls: &[&Suspect], date: Date) -> ChangeOwner {
    let session = session_of(calls);
    let first = calls.first().map(|call| call.writer.actor);
    let actor = first.filter(|first| calls.iter().all(|call| call.writer.actor == *first));
    let running: Vec<&&Suspect> = calls.iter().filter(|call| call.ran_at(date)).collect();
    let call = match (running.as_slice(), calls) {
        ([one], _) => Some(one.writer.call.clone()),
        ([], [one]) => Some(one.writer.call.clone()),
        _ => None,
    };
    ChangeOwner {
        actor,
        session,
        turn: calls
            .last()
            .and_then(|last| last.turn)
            .filter(|_| session.is_some()),
        origin: if actor.is_some() {
            ChangeOrigin::Shell
        } else {
            ChangeOrigin::Shared
        },
        call: call.filter(|_| actor.is_some()),
        doubt: None,
    }
}

#[cfg(test)]
mod tests;
