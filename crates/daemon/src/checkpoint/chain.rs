//! Which states paths went through since the last checkpoint, and whose doing each was.
//!
//! Pure. One checkpoint holds one state per path, and the work of one turn. Where a path changes hands in between (the
//! person typed into it before an agent wrote it, or two agents took turns), or another session's work begins, a link of
//! the chain is closed and becomes a checkpoint of its own, so that every state somebody may want back is in some tree,
//! and every turn has its own work.

use engine::checkpoint::Doubt;
use engine::id::{ActorId, ToolUseId};
use git::object::PathState;
use git::path::RepoPath;
use std::collections::BTreeMap;
use store::table::checkpoint_files::ChangeOrigin;

/// Where a path is kept in a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shelf {
    /// What git would add.
    Files,
    /// An ignored file that an agent wrote itself.
    Ignored,
}

/// Whose doing a change was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOwner {
    /// The one actor it can be put down to.
    pub actor: Option<ActorId>,
    /// The client's session it can be put down to, by the row of its main thread.
    pub session: Option<ActorId>,
    /// The turn of that session.
    pub turn: Option<u64>,
    /// How that is known.
    pub origin: ChangeOrigin,
    /// The call that did it.
    pub call: Option<ToolUseId>,
    /// Why that is not sure.
    pub doubt: Option<Doubt>,
}

impl ChangeOwner {
    /// Nobody's call: the person, an editor, a server.
    pub fn outside() -> Self {
        Self {
            actor: None,
            session: None,
            turn: None,
            origin: ChangeOrigin::Outside,
            call: None,
            doubt: None,
        }
    }

    /// Whether two changes are the doing of the same, so that they need not be told apart.
    fn is_same(&self, other: &Self) -> bool {
        self.actor == other.actor
            && self.session == other.session
            && self.turn == other.turn
            && self.origin == other.origin
            && self.doubt == other.doubt
    }

    /// The turn it is accounted to; a rewind's doing is the rewind's.
    fn bill(&self) -> Option<TurnRef> {
        match self.origin {
            ChangeOrigin::Rewind => None,
            ChangeOrigin::Tool | ChangeOrigin::Shell | ChangeOrigin::Shared | ChangeOrigin::Outside => {
                self.session.map(|session| (session, self.turn))
            }
        }
    }
}

/// A session's turn.
pub type TurnRef = (ActorId, Option<u64>);

/// One path's way from one state to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPassage {
    /// Where it is kept.
    pub shelf: Shelf,
    /// Before.
    pub before: PathState,
    /// After.
    pub after: PathState,
    /// Whose doing.
    pub owner: ChangeOwner,
}

/// What one checkpoint adds: one passage per path.
pub type ChainLink = BTreeMap<RepoPath, PathPassage>;

/// What a payload said about a path, and what was seen there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedPath {
    /// Which path.
    pub path: RepoPath,
    /// Where it is kept.
    pub shelf: Shelf,
    /// What was there before the call, if it was looked at.
    pub pre: Option<PathState>,
    /// What was there after it.
    pub post: Option<PathState>,
    /// Who called.
    pub owner: ChangeOwner,
}

/// See the module.
pub struct Chain<Known> {
    known: Known,
    /// Bytes of files that were known in their stored form alone.
    refined: BTreeMap<RepoPath, PathState>,
    /// Where git put paths that were followed before, or were not; what comes next comes from there.
    moved: BTreeMap<RepoPath, PathState>,
    /// Each with how many touches had been followed to their end when it was closed.
    closed: Vec<(ChainLink, usize)>,
    open: ChainLink,
    /// The turn that the open link has work of.
    bill: Option<TurnRef>,
    followed: usize,
}

impl<Known: FnMut(&RepoPath, Shelf) -> PathState> Chain<Known> {
    /// A chain that begins at the newest checkpoint, whose states `known` tells.
    pub fn new(known: Known) -> Self {
        Self {
            known,
            refined: BTreeMap::new(),
            moved: BTreeMap::new(),
            closed: Vec::new(),
            open: ChainLink::new(),
            bill: None,
            followed: 0,
        }
    }

    /// Follows one touch: what was there before it unseen is somebody else's doing.
    pub fn follow(&mut self, touched: &TouchedPath) {
        if let Some(pre) = touched.pre {
            self.put(&touched.path, touched.shelf, pre, ChangeOwner::outside());
        }
        if let Some(post) = touched.post {
            self.put(&touched.path, touched.shelf, post, touched.owner.clone());
        }
        self.pass();
    }

    /// A touch that leads nowhere: it counts, and no more.
    pub fn pass(&mut self) {
        self.followed += 1;
    }

    /// A path is seen in a state: if that is news, it is this owner's doing.
    pub fn put(&mut self, path: &RepoPath, shelf: Shelf, after: PathState, owner: ChangeOwner) {
        let before = self.state(path, shelf);
        if before == after {
            return;
        }
        if self.is_refinement(path, before, after) {
            self.refined.insert(path.clone(), after);
            return;
        }
        if let Some(bill) = owner.bill() {
            self.turn_to(bill);
            self.bill = Some(bill);
        }
        let is_moved = self.moved.remove(path).is_some();
        if let Some(passage) = self.open.get_mut(path) {
            if passage.owner.is_same(&owner) && !is_moved {
                passage.after = after;
                passage.owner = owner;
                if passage.before == passage.after {
                    self.open.remove(path);
                }
                return;
            }
            let bill = self.bill;
            self.close();
            self.bill = bill;
        }
        let passage = PathPassage {
            shelf,
            before,
            after,
            owner,
        };
        self.open.insert(path.clone(), passage);
    }

    /// Git put a path into a state: nobody's doing.
    pub fn moved(&mut self, path: &RepoPath, state: PathState) {
        self.moved.insert(path.clone(), state);
    }

    /// Whose doing the last change of a path was, of those that were followed.
    pub fn last_owner(&self, path: &RepoPath) -> Option<&ChangeOwner> {
        let closed = self.closed.iter().map(|(link, _)| link);
        let mut links = [&self.open].into_iter().chain(closed.rev());
        links
            .find_map(|link| link.get(path))
            .map(|passage| &passage.owner)
    }

    /// What follows is the work of this turn: that of another one is closed.
    pub fn turn_to(&mut self, bill: TurnRef) {
        if self.bill.is_some_and(|open| open != bill) {
            self.close();
        }
    }

    /// What follows is nobody's work.
    pub fn turn_to_nobody(&mut self) {
        if self.bill.is_some() {
            self.close();
        }
    }

    /// The state a path is in, as far as was followed.
    pub fn state(&mut self, path: &RepoPath, shelf: Shelf) -> PathState {
        if let (Shelf::Files, Some(moved)) = (shelf, self.moved.get(path)) {
            return *moved;
        }
        if let Some(passage) = self.open.get(path) {
            return passage.after;
        }
        let earlier = self.closed.iter().rev().find_map(|(link, _)| link.get(path));
        match (earlier, self.refined.get(path)) {
            (Some(passage), _) => passage.after,
            (None, Some(refined)) => *refined,
            (None, None) => (self.known)(path, shelf),
        }
    }

    /// Whether a state says the same as the one before and only knows the bytes better: of a file that nobody changed,
    /// the stored form alone is known, and how it looks in the worktree is seen when somebody first looks.
    fn is_refinement(&self, path: &RepoPath, before: PathState, after: PathState) -> bool {
        let is_followed = self.moved.contains_key(path)
            || self.open.contains_key(path)
            || self.closed.iter().any(|(link, _)| link.contains_key(path));
        match (before, after) {
            (
                PathState::Present {
                    entry: old,
                    raw: None,
                },
                PathState::Present {
                    entry: new,
                    raw: Some(_),
                },
            ) => old == new && !is_followed,
            _ => false,
        }
    }

    /// Every path that was followed.
    pub fn paths(&self) -> impl Iterator<Item = (&RepoPath, Shelf)> {
        let links = self.closed.iter().map(|(link, _)| link).chain([&self.open]);
        links.flat_map(|link| link.iter().map(|(path, passage)| (path, passage.shelf)))
    }

    /// How many links are closed.
    pub fn closed(&self) -> usize {
        self.closed.len()
    }

    /// The links that are closed, oldest first, each with how many touches had ended in it or before; and the one that
    /// is still open.
    pub fn end(self) -> (Vec<(ChainLink, usize)>, ChainLink) {
        (self.closed, self.open)
    }

    fn close(&mut self) {
        self.bill = None;
        if !self.open.is_empty() {
            self.closed.push((std::mem::take(&mut self.open), self.followed));
        }
    }
}

#[cfg(test)]
mod tests;
