//! Puts down what changed to whoever did it: git, a call, the person, or nobody who could be named.

use super::chain::{Chain, ChangeOwner, Shelf};
use super::cutter::{CutBase, CutError, Cutter};
use super::dating::{Date, is_below_link, stamp, stamp_of_folder};
use super::look::ScanResult;
use super::moved::HeadMove;
use super::ownership::{Suspects, UnownedChange};
use super::touching::{Claim, SeenState};
use engine::checkpoint::Doubt;
use engine::id::{ActorId, CheckpointSeq};
use git::object::PathState;
use git::path::RepoPath;
use git::shadow::ShadowError;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use store::StoreError;
use store::table::checkpoint_files::{self, ChangeOrigin};
use store::table::checkpoints;

/// See the module.
pub(super) struct Blame<'a> {
    cutter: &'a Cutter<'a>,
    ground: &'a CutBase<'a>,
    pub suspects: Suspects<'a>,
    moved: HeadMove<'a>,
    /// Where sessions began.
    began: RefCell<BTreeMap<ActorId, Option<CheckpointSeq>>>,
}

impl<'a> Blame<'a> {
    pub fn new(cutter: &'a Cutter<'a>, ground: &'a CutBase<'a>, suspects: Suspects<'a>) -> Self {
        Self {
            cutter,
            ground,
            suspects,
            moved: HeadMove::between(cutter.site, ground),
            began: RefCell::default(),
        }
    }

    /// One path was seen. A file where a folder was, or below a file, says that the other is gone.
    pub fn follow(
        &self,
        news: &SeenState,
        chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> PathState>,
    ) -> Result<(), CutError> {
        let owner = match &news.claim {
            Claim::By(owner) => Some(owner.clone()),
            Claim::Dated(date) => self.arrival(&news.path, (news.shelf, news.state), *date, chain)?,
            Claim::Listed(date, by) => {
                let date = match date {
                    Date::At(at) if *at < self.suspects.looked => self.came_with_folder(&news.path)?,
                    Date::At(_) | Date::Within(..) | Date::Unknown => None,
                }
                .unwrap_or(*date);
                let owner = self.arrival(&news.path, (news.shelf, news.state), date, chain)?;
                owner.map(|owner| by_list(owner, by))
            }
        };
        let Some(owner) = owner else { return Ok(()) };
        if news.state != PathState::Absent {
            let around = match &news.claim {
                // No tool takes away what is in its way.
                Claim::By(_) => self.nameless(&news.path, Date::Unknown),
                Claim::Dated(_) | Claim::Listed(..) => owner.clone(),
            };
            self.make_room((&news.path, news.shelf), &around, chain)?;
        }
        chain.put(&news.path, news.shelf, news.state, owner);
        Ok(())
    }

    /// A path was found in a state by a look at everything.
    pub fn arrive(
        &self,
        path: &RepoPath,
        state: PathState,
        date: Date,
        chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> PathState>,
    ) -> Result<(), CutError> {
        if let Some(owner) = self.arrival(path, (Shelf::Files, state), date, chain)? {
            chain.put(path, Shelf::Files, state, owner);
        }
        Ok(())
    }

    /// Whose doing it is that a path is in a state; nobody's if that is no news, or git's.
    fn arrival(
        &self,
        path: &RepoPath,
        (shelf, state): (Shelf, PathState),
        date: Date,
        chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> PathState>,
    ) -> Result<Option<ChangeOwner>, CutError> {
        let mut before = chain.state(path, shelf);
        if before == state {
            return Ok(None);
        }
        if shelf == Shelf::Files {
            let by_git = self.moved.state(path, &before)?;
            if by_git != before.entry() {
                before = by_git.map_or(PathState::Absent, PathState::plain);
                let is_all = by_git == state.entry();
                chain.moved(path, if is_all { state } else { before });
                if is_all {
                    return Ok(None);
                }
            }
        }
        let mut found = UnownedChange::new(path, shelf, (&before, &state), date);
        // A list follows links: what was below a folder that is a link now is in it under another name.
        found.listable &= state != PathState::Absent || !is_below_link(&self.cutter.site.worktree.root, path);
        let mut owner = self.suspects.owner(&found);
        let is_a_calls =
            matches!(owner.origin, ChangeOrigin::Shell | ChangeOrigin::Shared) && owner.doubt.is_none();
        if is_a_calls && self.is_yours(path, owner.session, chain)? {
            owner.doubt = Some(Doubt::YourFile);
        }
        Ok(Some(owner))
    }

    /// Whether the person was the last to change a path since a session began, or may have been.
    fn is_yours(
        &self,
        path: &RepoPath,
        session: Option<ActorId>,
        chain: &Chain<impl FnMut(&RepoPath, Shelf) -> PathState>,
    ) -> Result<bool, StoreError> {
        if let Some(last) = chain.last_owner(path) {
            return Ok(last.origin == ChangeOrigin::Outside || last.doubt.is_some());
        }
        let worktree = self.cutter.worktree;
        let last = self
            .cutter
            .read(|db| checkpoint_files::changed_last(db, worktree, path.as_bytes()))?;
        let Some((at, _, _)) =
            last.filter(|(_, origin, is_sure)| *origin == ChangeOrigin::Outside || !is_sure)
        else {
            return Ok(false);
        };
        let Some(session) = session else { return Ok(true) };
        let known = self.began.borrow().get(&session).copied();
        let began = if let Some(began) = known {
            began
        } else {
            let began = self
                .cutter
                .read(|db| checkpoints::began_at(db, session, worktree))?;
            self.began.borrow_mut().insert(session, began);
            began
        };
        Ok(began.is_none_or(|began| at > began))
    }

    /// Whose doing a change is whose states nobody knows.
    pub fn nameless(&self, path: &RepoPath, date: Date) -> ChangeOwner {
        self.suspects.owner(&UnownedChange {
            path,
            date,
            listable: false,
        })
    }

    /// Whether a change was made while a call ran that should have listed it.
    pub fn is_missing_from_a_list(
        &self,
        path: &RepoPath,
        states: (&PathState, &PathState),
        date: Date,
    ) -> bool {
        let found = UnownedChange::new(path, Shelf::Files, states, date);
        self.suspects.is_missing_from_a_list(&found)
    }

    /// When a path came to be what a look saw there.
    pub fn date_of(
        &self,
        seen: &ScanResult,
        path: &RepoPath,
        state: &PathState,
    ) -> Result<Date, ShadowError> {
        let root = &self.cutter.site.worktree.root;
        let looked = self.suspects.looked;
        let Some(at) = stamp(root, path).filter(|at| *at <= seen.ended) else {
            // It changed again since it was read.
            return Ok(Date::Within(looked, seen.ended));
        };
        if at >= looked || *state == PathState::Absent {
            return Ok(Date::of(state, Some(at), looked));
        }
        let came = self.came_with_folder(path)?;
        let is_seen = |date: &Date| !matches!(date, Date::Within(_, came) if *came > seen.ended);
        Ok(came.filter(is_seen).unwrap_or(Date::Unknown))
    }

    /// When a file came that is older than the last look and was not there: with its folder.
    fn came_with_folder(&self, path: &RepoPath) -> Result<Option<Date>, ShadowError> {
        let root = &self.cutter.site.worktree.root;
        let folder = self.new_folder(path)?;
        let came = folder.and_then(|folder| stamp_of_folder(root, &folder));
        let looked = self.suspects.looked;
        Ok(came
            .filter(|came| *came >= looked)
            .map(|came| Date::Within(looked, came)))
    }

    /// The topmost folder around a path that the newest checkpoint has nothing in.
    fn new_folder(&self, path: &RepoPath) -> Result<Option<RepoPath>, ShadowError> {
        let Some(tree) = self.ground.tip.layout.map(|layout| layout.files) else {
            return Ok(None);
        };
        let mut newest = None;
        for folder in std::iter::successors(path.parent(), RepoPath::parent) {
            if self.ground.shadow.has_below(tree, &folder)? {
                break;
            }
            newest = Some(folder);
        }
        Ok(newest)
    }

    /// Whatever cannot be there at the same time as a file at this path is gone, by whoever did it.
    pub fn make_room(
        &self,
        (path, shelf): (&RepoPath, Shelf),
        owner: &ChangeOwner,
        chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> PathState>,
    ) -> Result<(), ShadowError> {
        let ground = self.ground;
        let below = ground.tip.below(ground.shadow, ground.base, path, shelf)?;
        let mut gone: BTreeSet<RepoPath> = below.into_iter().collect();
        let followed = chain.paths().filter(|(_, kept)| *kept == shelf);
        gone.extend(
            followed
                .map(|(other, _)| other.clone())
                .filter(|other| other.is_below(path)),
        );
        gone.extend(std::iter::successors(path.parent(), RepoPath::parent));
        for other in gone {
            chain.put(&other, shelf, PathState::Absent, owner.clone());
        }
        Ok(())
    }
}

/// What a call listed is its own by name, if it is its own.
fn by_list(found: ChangeOwner, by: &ChangeOwner) -> ChangeOwner {
    if found.actor.is_some() && found.actor == by.actor {
        ChangeOwner {
            doubt: found.doubt,
            ..by.clone()
        }
    } else {
        found
    }
}
