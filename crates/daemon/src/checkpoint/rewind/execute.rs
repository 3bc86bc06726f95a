//! Does what was proposed: a checkpoint before it, the files all or none, a checkpoint after it, and what follows.
//!
//! Whoever is killed on the way leaves a journal, and everything after the files can be done again from it: the
//! checkpoint before it names what files go back to, and the journal names the files.

use super::error::RewindError;
use super::proposal::{Proposal, layout_of};
use super::wish::{RewindOwner, RewindTo, Wish};
use super::worktree_view::{CurrentState, WorktreeView, ground};
use super::{Rewinder, message, observe};
use crate::checkpoint::chain::{ChangeOwner, Shelf, TouchedPath};
use crate::checkpoint::clash;
use crate::checkpoint::cutter::{Cut, CutBase};
use crate::checkpoint::order::{Order, ScanOrder};
use crate::checkpoint::states::{from_place, from_row};
use crate::checkpoint::tip::{shelf_in, state_in};
use crate::checkpoint::touching::Owners;
use crate::process::Process;
use crate::random;
use engine::effect::{Audience, Owed};
use engine::id::{CheckpointId, FileRowId};
use git::object::PathState;
use git::path::RepoPath;
use git::plan::Planned;
use git::restore::{JournalId, PathChange, PreparedRestore, Restore, RestoreError, prepare};
use git::shadow::{LineLock, Shadow};
use std::collections::{BTreeMap, BTreeSet};
use store::table::actors;
use store::table::checkpoint_files::{self, ChangeOrigin, FileRow};
use store::table::checkpoints::{self, Checkpoint, CheckpointKind};
use store::table::events::{self, PersonAct};
use store::table::notices;
use store::table::touches;
use store::table::worktrees;
use store::{Db, StoreError};

/// The notice to agents whose files were put back.
const REWOUND: &str = "checkpoints.rewound";

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindResult {
    /// The id that takes it back by `toprope undo`; none for what is an undo itself.
    pub undo: Option<CheckpointId>,
    /// The checkpoint after it.
    pub rewind: CheckpointId,
    /// How many files were changed.
    pub files: usize,
    /// What differs from the target beside the paths of the plan.
    pub beyond: Vec<Planned>,
}

/// What is about to be done: looked at again, with its contents ready.
struct ReadyRewind<'s> {
    proposal: Proposal,
    changes: Vec<PathChange>,
    prepared: PreparedRestore<'s>,
}

impl ReadyRewind<'_> {
    /// Whether a checkpoint has all that is about to be replaced.
    fn is_held_by(&self, shadow: &Shadow, before: &Checkpoint) -> Result<bool, RewindError> {
        let held = layout_of(shadow, before)?;
        for change in &self.changes {
            let shelf = self.proposal.shelf(&change.path);
            if !holds(state_in(shadow, &held, &change.path, shelf)?, change.from) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The shadow, and the right to add to the line.
type Alone<'s> = (&'s Shadow, &'s LineLock);

impl Rewinder<'_> {
    /// Does what was proposed, if it is still what would be. The worktree is looked over once; after that only the
    /// paths that are about to change are looked at again.
    pub fn carry_out(&self, wish: &Wish, proposal: &Proposal) -> Result<RewindResult, RewindError> {
        let shadow = self.cutter.site.make_shadow()?;
        let line = shadow.lock_line(&self.cutter.site.line)?;
        self.cutter.settle_rewinds(&shadow, &line)?;
        let alone = (&*shadow, &line);
        let order = before_order(wish, random::checkpoint_id()?.as_str());
        let shown = (wish, proposal, order.trigger.as_str());
        let mut ready = None;
        let footing = self.cutter.footing(alone, &order, &mut || {
            // What all that differs is, the look itself has to tell first.
            if !wish.aim.is_about_all() {
                ready = Some(ground(&self.cutter, &shadow).and_then(|ground| self.ready(&ground, shown)));
            }
        })?;
        let ready = match ready {
            Some(ready) => ready?,
            None => self.ready(&footing.ground, shown)?,
        };
        if !self.keep(&footing.ground, &ready)? {
            return Err(RewindError::Changed(Box::new(self.propose(wish)?)));
        }
        let unlooked = self.unlooked(&ready.proposal)?;
        let beyond = self.beyond_on(&footing.ground, wish, &ready.proposal)?;
        let _tree = self.take_tree(wish, &ready.proposal)?;
        observe("rewind-alone");
        let before = made(self.cutter.cut_on(footing, &order, &unlooked)?)?;
        observe("rewind-before");
        if !ready.is_held_by(alone.0, &before)? {
            return Err(RewindError::Changed(Box::new(self.propose(wish)?)));
        }
        let applied = match ready.prepared.apply() {
            Err(error @ RestoreError::Unsettled { .. }) => return Err(self.cut_short(alone, error)?),
            applied => applied?,
        };
        observe("rewind-applied");
        let rewind = self.follow_up(alone, &wish.aim, &before, &ready.changes)?;
        applied.close(&observe)?;
        Ok(RewindResult {
            undo: match &wish.aim {
                RewindTo::Back { .. } => Some(before.id.clone()),
                RewindTo::Undo(operation) => operation.is_undone.then(|| operation.id().clone()),
            },
            rewind,
            files: ready.changes.len(),
            beyond,
        })
    }

    /// What became of files that could neither be changed nor left as they were. Their journal is closed.
    fn cut_short(&self, alone: Alone<'_>, error: RestoreError) -> Result<RewindError, RewindError> {
        let settled = self.settle(alone)?.into_iter().next();
        Ok(settled.map_or(RewindError::Restore(error), RewindError::CutShort))
    }

    /// Looks at the planned paths again, and gets their contents ready.
    fn ready<'s>(
        &self,
        ground: &CutBase<'s>,
        (wish, shown, key): (&Wish, &Proposal, &str),
    ) -> Result<ReadyRewind<'s>, RewindError> {
        let shadow = ground.shadow;
        let proposal = self.propose_on(ground, wish)?;
        if proposal.plan != shown.plan {
            return Err(RewindError::Changed(Box::new(proposal)));
        }
        proposal.checked_out.keep(shadow)?;
        let changes = proposal.plan.changes();
        let trees = [Some(proposal.layout.files), proposal.layout.ignored];
        let restore = Restore {
            id: JournalId::new(key).map_err(std::io::Error::other)?,
            changes: changes.clone(),
            has_below: &|folder: &RepoPath| {
                let has = |tree| shadow.has_below(tree, folder).unwrap_or(true);
                trees.into_iter().flatten().any(has)
            },
            bits: &|path: &RepoPath| shadow.bits(&proposal.layout, path),
        };
        let settings = self.cutter.site.settings()?;
        let prepared = prepare(shadow, &self.place(&settings), restore, &observe)?;
        Ok(ReadyRewind {
            proposal,
            changes,
            prepared,
        })
    }

    /// Keeps what is about to be replaced, byte for byte, where the look has not. False if it is no longer what it was.
    fn keep(&self, ground: &CutBase<'_>, ready: &ReadyRewind<'_>) -> Result<bool, RewindError> {
        let seen = ground.seen.as_ref().map(|seen| &seen.snapshot.states);
        let is_kept =
            |change: &&PathChange| seen.is_some_and(|seen| seen.get(&change.path) == Some(&change.from));
        let mut unkept = ready.changes.iter().filter(|change| !is_kept(change)).peekable();
        if unkept.peek().is_none() {
            return Ok(true);
        }
        let settings = self.cutter.site.settings()?;
        let rules = self.cutter.rules();
        let mut sight = WorktreeView::open(&self.cutter, ground, &settings, &rules)?;
        for change in unkept {
            let shelf = ready.proposal.shelf(&change.path);
            if sight.now(&change.path, shelf)? != CurrentState::Is(change.from) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Everything after the files: the checkpoint after it, whose changes count no longer, and who is told. Doing it
    /// twice changes nothing.
    pub(super) fn follow_up(
        &self,
        alone: Alone<'_>,
        aim: &RewindTo,
        before: &Checkpoint,
        changes: &[PathChange],
    ) -> Result<CheckpointId, RewindError> {
        let rewind = self.cut_after(alone, aim, before, changes)?;
        observe("rewind-recorded");
        self.cutter.write(|db| {
            match aim {
                RewindTo::Back { to, .. } => {
                    let rows = checkpoint_files::history(db, self.cutter.worktree, to.seq)?;
                    let earlier = rows.into_iter().filter(|row| row.seq <= before.seq);
                    let earlier: Vec<FileRow> = earlier.collect();
                    checkpoint_files::take_back(db, &taken(&earlier, changes), &rewind)?;
                    let sessions: BTreeSet<_> = earlier.iter().filter_map(|row| row.file.session).collect();
                    for session in sessions {
                        clash::forget(db, self.cutter.worktree, session, self.cutter.now())?;
                    }
                }
                RewindTo::Undo(operation) => {
                    let paths = changes.iter().map(|change| change.path.as_bytes().to_vec());
                    checkpoints::set_undone(db, operation, &rewind, &paths.collect::<Vec<_>>())?;
                }
            }
            self.log(db, aim, &rewind, changes.len())?;
            self.tell(db, aim, &rewind, changes)
        })?;
        observe("rewind-counted");
        Ok(rewind)
    }

    /// What no look takes in of the files that are replaced, so that it is kept: what git ignores, and what a call
    /// writes that still runs.
    fn unlooked(&self, proposal: &Proposal) -> Result<Vec<TouchedPath>, RewindError> {
        let running = self
            .cutter
            .read(|db| touches::running(db, self.cutter.worktree))?;
        let (mut unlooked, mut owners) = (Vec::new(), Owners::new());
        for change in proposal.plan.changes() {
            let shelf = proposal.shelf(&change.path);
            let call = running.iter().rfind(|touch| touch.path == change.path.as_bytes());
            let owner = match (call, shelf) {
                (Some(call), _) => self.cutter.owner(call, &mut owners)?,
                (None, Shelf::Ignored) => ChangeOwner::outside(),
                (None, Shelf::Files) => continue,
            };
            unlooked.push(TouchedPath {
                path: change.path,
                shelf,
                pre: None,
                post: Some(change.from),
                owner,
            });
        }
        Ok(unlooked)
    }

    fn cut_after(
        &self,
        alone: Alone<'_>,
        aim: &RewindTo,
        before: &Checkpoint,
        changes: &[PathChange],
    ) -> Result<CheckpointId, RewindError> {
        let known = self.cutter.read(|db| {
            checkpoints::by_key(
                db,
                self.cutter.worktree,
                CheckpointKind::Rewind,
                &before.trigger_key,
            )
        })?;
        if let Some(known) = known {
            return Ok(known.id);
        }
        let order = Order {
            label: Some(aim.labels().1),
            partner: Some(before.id.clone()),
            undoes: before.undoes.clone(),
            ..order(CheckpointKind::Rewind, aim, &before.trigger_key)
        };
        let (session, actor) = aim.owner();
        let owner = ChangeOwner {
            actor,
            session,
            turn: None,
            origin: ChangeOrigin::Rewind,
            call: None,
            doubt: None,
        };
        let shelves = self.shelves(alone.0, before, changes)?;
        let also = changes.iter().map(|change| TouchedPath {
            path: change.path.clone(),
            shelf: shelves.get(&change.path).copied().unwrap_or(Shelf::Files),
            // Of a file nobody had looked at, the bytes are known only now.
            pre: Some(change.from),
            post: Some(change.to),
            owner: owner.clone(),
        });
        let also: Vec<TouchedPath> = also.collect();
        Ok(made(self.cutter.cut_alone(alone, &order, &also)?)?.id)
    }

    /// Where the changed paths are kept: as their newest row says, else as the checkpoint before it has them.
    fn shelves(
        &self,
        shadow: &Shadow,
        before: &Checkpoint,
        changes: &[PathChange],
    ) -> Result<BTreeMap<RepoPath, Shelf>, RewindError> {
        let layout = layout_of(shadow, before)?;
        let mut shelves = BTreeMap::new();
        for change in changes {
            let newest = self.cutter.read(|db| {
                checkpoint_files::newest_at(db, self.cutter.worktree, change.path.as_bytes(), before.seq)
            })?;
            let shelf = match newest {
                Some(row) => from_place(row.file.place),
                None => shelf_in(shadow, &layout, &change.path)?,
            };
            shelves.insert(change.path.clone(), shelf);
        }
        Ok(shelves)
    }

    /// A line of the log: the person did it.
    fn log(&self, db: &Db, aim: &RewindTo, rewind: &CheckpointId, files: usize) -> Result<(), StoreError> {
        let worktree = worktrees::by_id(db, self.cutter.worktree)?;
        let name = match aim {
            RewindTo::Back { .. } => "Rewind",
            RewindTo::Undo(operation) if operation.is_undone => "Redo",
            RewindTo::Undo(_) => "Undo",
        };
        events::note_act(
            db,
            &PersonAct {
                name,
                key: rewind.as_str(),
                at: self.cutter.now(),
                project: worktree.map(|worktree| worktree.project),
                worktree: Some(self.cutter.worktree),
                target: &aim.labels().1,
                outcome: &match files {
                    1 => "1 file".to_owned(),
                    files => format!("{files} files"),
                },
                process: &Process::own().into(),
            },
        )
    }

    /// Owes every session that is at work here a text.
    fn tell(
        &self,
        db: &Db,
        aim: &RewindTo,
        rewind: &CheckpointId,
        changes: &[PathChange],
    ) -> Result<(), StoreError> {
        let owed = Owed {
            audience: Audience::Actor,
            kind: REWOUND.to_owned(),
            key: rewind.to_string(),
            text: message::to_agents(aim, changes),
        };
        if notices::was_owed(db, &owed)? {
            return Ok(());
        }
        for conversation in actors::conversations_in(db, self.cutter.worktree)? {
            notices::owe(db, &owed, conversation.session, self.cutter.now())?;
        }
        Ok(())
    }

    /// What a checkpoint before a rewind says the rewind was about; nothing if that is no longer known.
    pub(super) fn aim_of(&self, before: &Checkpoint) -> Result<Option<RewindTo>, StoreError> {
        self.cutter.read(|db| match (&before.undoes, &before.partner) {
            (Some(undone), _) => {
                let operation = checkpoints::operation_at(db, undone)?;
                Ok(operation.map(|operation| RewindTo::Undo(Box::new(operation))))
            }
            (None, Some(target)) => {
                let target = checkpoints::by_id(db, target)?;
                Ok(target.map(|to| RewindTo::Back {
                    name: message::name(&to),
                    to: Box::new(to),
                    whose: RewindOwner::of(before.session, before.actor),
                }))
            }
            (None, None) => Ok(None),
        })
    }
}

/// The checkpoint before it.
fn before_order(wish: &Wish, key: &str) -> Order {
    let (partner, undoes) = match &wish.aim {
        RewindTo::Back { to, .. } => (Some(to.id.clone()), None),
        RewindTo::Undo(operation) => (None, Some(operation.done.id.clone())),
    };
    Order {
        label: Some(wish.aim.labels().0),
        look: ScanOrder::Always,
        partner,
        undoes,
        ..order(CheckpointKind::BeforeRewind, &wish.aim, key)
    }
}

/// The checkpoint that was cut.
fn made(cut: Cut) -> Result<Checkpoint, StoreError> {
    match cut {
        Cut::New(made) | Cut::Known(made) => Ok(*made),
        // Both kinds are written whatever happened.
        Cut::Nothing(_) => Err(StoreError::Corrupt),
    }
}

/// What both checkpoints around a rewind have in common.
fn order(kind: CheckpointKind, aim: &RewindTo, key: &str) -> Order {
    let (session, actor) = aim.owner();
    Order {
        session,
        actor,
        ..Order::new(kind, key)
    }
}

/// Whether a checkpoint has what is about to be replaced. The bytes of a file that is as committed are kept beside it.
fn holds(kept: PathState, now: PathState) -> bool {
    let is_stored_form = matches!(kept, PathState::Present { raw: None, .. });
    kept == now || (is_stored_form && kept.entry() == now.entry())
}

/// The rows that count no longer, because a file is back to what it was before them.
fn taken(rows: &[FileRow], changes: &[PathChange]) -> Vec<FileRowId> {
    let goals: BTreeMap<&[u8], PathState> = changes
        .iter()
        .map(|change| (change.path.as_bytes(), change.to))
        .collect();
    let mut reached: BTreeSet<&[u8]> = BTreeSet::new();
    let mut taken = Vec::new();
    for row in rows {
        let path = row.file.path.as_slice();
        let Some(goal) = goals.get(path) else { continue };
        let is_there = from_row(row.file.before.as_ref()).is_some_and(|state| state.entry() == goal.entry());
        if is_there {
            reached.insert(path);
        }
        if reached.contains(path) && row.file.session.is_some() && row.file.origin != ChangeOrigin::Rewind {
            taken.push(row.id);
        }
    }
    taken
}
