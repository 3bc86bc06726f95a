//! What a rewind or an undo would do, before anybody said yes.

use super::Rewinder;
use super::change::{RewindChange, follow_on, refine, standing, was_converted};
use super::checked_out::CheckedOut;
use super::differing::Differing;
use super::error::RewindError;
use super::head;
use super::history::History;
use super::holder::Holders;
use super::scope::RewindScope;
use super::tree::now;
use super::wish::{Conflicts, RewindTo, Wish};
use super::worktree_view::{CurrentState, WorktreeView, ground};
use crate::checkpoint::chain::Shelf;
use crate::checkpoint::coverage::CheckpointCoverage;
use crate::checkpoint::cutter::{CutBase, Cutter};
use crate::checkpoint::naming::root_of;
use crate::checkpoint::tip::{shelf_in, state_in};
use engine::id::{ActorId, CheckpointId};
use git::object::{EntryMode, Id, PathState};
use git::path::RepoPath;
use git::plan::{
    ConflictReason, LeftReason, PathFacts, PathHistory, PathVerdict, PlanScope, Planned, RecordedState,
    RewindPlan,
};
use git::shadow::{Shadow, ShadowError, ShadowLayout};
use std::collections::{BTreeMap, BTreeSet};
use store::table::calls;
use store::table::checkpoint_files::{self, ChangeOrigin, CheckpointFileChange};
use store::table::checkpoints::{self, Checkpoint, CheckpointKind, CheckpointSource};
use store::table::events;

/// See the module.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// What would be done, path by path.
    pub plan: RewindPlan,
    /// What is to be told of the paths it speaks of.
    pub stories: BTreeMap<RepoPath, PathAccount>,
    /// The checkpoint that files are put back to.
    pub target: Checkpoint,
    /// The commit checked out.
    pub head: Option<Id>,
    /// Who holds those that others hold.
    held: BTreeMap<RepoPath, String>,
    /// Where the paths are kept.
    shelves: BTreeMap<RepoPath, Shelf>,
    /// The parts of the target.
    pub(super) layout: ShadowLayout,
    /// Bytes that no checkpoint has.
    pub(super) checked_out: CheckedOut,
}

impl Proposal {
    /// Who held a path, outside of those whose changes are taken back.
    pub(super) fn holder(&self, path: &RepoPath) -> Option<&str> {
        self.held.get(path).map(String::as_str)
    }

    pub(super) fn shelf(&self, path: &RepoPath) -> Shelf {
        self.shelves.get(path).copied().unwrap_or(Shelf::Files)
    }
}

/// What is to be told of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAccount {
    /// The last of the changes that would be taken back.
    pub change: CheckpointFileChange,
    /// Who made it.
    pub actor: Option<ActorId>,
    /// The checkpoint that holds it.
    pub checkpoint: Option<CheckpointId>,
    /// The command that ran when it was made, where a command made it.
    pub command: Option<String>,
}

/// Everything one proposal is made from.
struct ProposalInputs<'a> {
    cutter: Cutter<'a>,
    ground: &'a CutBase<'a>,
    target: &'a Checkpoint,
    layout: ShadowLayout,
    circle: RewindScope,
    holders: Holders,
    history: History,
    checked_out: CheckedOut,
}

impl Rewinder<'_> {
    /// What would be done. Writes nothing at all.
    pub fn propose(&self, wish: &Wish) -> Result<Proposal, RewindError> {
        let target = self.target(&wish.aim)?;
        let shadow = self.cutter.site.shadow()?;
        let shadow = shadow.ok_or_else(|| RewindError::Gone(target.id.clone()))?;
        self.propose_on(&ground(&self.cutter, &shadow)?, wish)
    }

    /// The same for one who has looked already: what is asked about is looked for there alone.
    pub(super) fn propose_on(&self, ground: &CutBase<'_>, wish: &Wish) -> Result<Proposal, RewindError> {
        let target = self.target(&wish.aim)?;
        let layout = layout_of(ground.shadow, &target)?;
        let history = History::since(&self.cutter, ground, &target)?;
        let together = match &wish.aim {
            RewindTo::Undo(operation) if operation.done.kind == CheckpointKind::Before => {
                history.mixed_with(&self.cutter, &operation.done)?
            }
            RewindTo::Undo(_) | RewindTo::Back { .. } => BTreeSet::new(),
        };
        let circle = self.cutter.read(|db| RewindScope::of(db, &wish.aim, together))?;
        let desk = ProposalInputs {
            holders: self.holders(&circle)?,
            circle,
            cutter: self.cutter,
            ground,
            target: &target,
            layout,
            history,
            checked_out: CheckedOut::default(),
        };
        desk.propose(wish)
    }

    fn holders(&self, circle: &RewindScope) -> Result<Holders, RewindError> {
        let Some(terms) = self.terms else {
            return Ok(Holders::default());
        };
        let here = (self.cutter.worktree, root_of(&self.cutter.site.place));
        Ok(self
            .cutter
            .read(|db| Holders::read(db, here, circle, &now(terms)))?)
    }

    pub(super) fn target(&self, aim: &RewindTo) -> Result<Checkpoint, RewindError> {
        let target = match aim {
            RewindTo::Back { to, .. } => (**to).clone(),
            RewindTo::Undo(operation) => {
                let before = self.cutter.read(|db| checkpoints::by_id(db, &operation.before))?;
                before.ok_or_else(|| RewindError::Gone(operation.before.clone()))?
            }
        };
        match target.source {
            CheckpointSource::Local => Ok(target),
            CheckpointSource::Import => Err(RewindError::NoFiles(target.id)),
        }
    }
}

impl ProposalInputs<'_> {
    fn propose(mut self, wish: &Wish) -> Result<Proposal, RewindError> {
        let settings = self.cutter.site.settings()?;
        let rules = self.cutter.rules();
        let mut sight = WorktreeView::open(&self.cutter, self.ground, &settings, &rules)?.without_keeping();
        let mut facts = Vec::new();
        let mut left = Vec::new();
        let mut stories = BTreeMap::new();
        let mut shelves = BTreeMap::new();
        for path in self.candidates(wish)? {
            let shelf = self.shelf(&path)?;
            let (now, why) = match sight.now(&path, shelf)? {
                CurrentState::Is(state) => (state, None),
                CurrentState::Uncaptured(reason) => {
                    (PathState::Absent, Some(LeftReason::NotCaptured(reason)))
                }
                CurrentState::Repository => (PathState::Absent, Some(LeftReason::Repository)),
            };
            self.add_unseen(&path, shelf, now)?;
            let deeds = self.standing(&path);
            if let Some(story) = self.story(&deeds)? {
                stories.insert(path.clone(), story);
            }
            shelves.insert(path.clone(), shelf);
            match why {
                Some(why) => left.push(leaving(path, why)),
                None => facts.push(PathFacts {
                    obstacle: sight.obstacle(&path),
                    ..self.facts(path.clone(), deeds, (now, sight.is_converted(&path)))?
                }),
            }
        }
        let held = facts.iter().filter_map(|facts| {
            let who = facts.leased_by.clone()?;
            Some((facts.path.clone(), who))
        });
        let held = held.collect();
        let mut plan = RewindPlan::of(&facts, self.circle.scope());
        plan.paths.extend(left);
        plan.paths.sort_by(|one, other| one.path.cmp(&other.path));
        self.check_contents(&mut plan);
        self.forget_hidden(&mut plan)?;
        let moved = head::moved(&self.cutter, (self.target, self.ground), wish)?;
        let plan = match moved.or_else(|| self.own_everything()) {
            Some(reason) => plan.refused(reason),
            None => plan,
        };
        Ok(Proposal {
            plan: match wish.conflicts {
                Conflicts::Refuse => plan,
                Conflicts::Skip => plan.skip_conflicts(),
                Conflicts::Force => plan.force(),
            },
            stories,
            target: self.target.clone(),
            head: self.ground.head,
            held,
            shelves,
            layout: self.layout,
            checked_out: self.checked_out,
        })
    }

    /// Takes out what only came under looks since the target, and is as it was then: nobody changed it.
    fn forget_hidden(&self, plan: &mut RewindPlan) -> Result<(), RewindError> {
        let is_once_seen = |planned: &Planned| {
            let deeds = self.history.deeds.get(&planned.path).map(Vec::as_slice);
            let is_only = matches!(deeds, Some([only]) if only.before == PathState::Absent && only.after == planned.now);
            is_only && planned.verdict == PathVerdict::Leave(LeftReason::Outside)
        };
        if !plan.paths.iter().any(is_once_seen) {
            return Ok(());
        }
        let coverage = CheckpointCoverage::of(&self.cutter)?;
        let mut paths = Vec::with_capacity(plan.paths.len());
        for planned in std::mem::take(&mut plan.paths) {
            let is_hidden = is_once_seen(&planned)
                && coverage.was_hidden(self.ground.shadow, &self.layout, &planned.path)?;
            if !is_hidden {
                paths.push(planned);
            }
        }
        plan.paths = paths;
        Ok(())
    }

    /// The paths that are asked about.
    fn candidates(&self, wish: &Wish) -> Result<BTreeSet<RepoPath>, RewindError> {
        let mut paths: BTreeSet<RepoPath> = match &wish.aim {
            RewindTo::Back { .. } => self
                .history
                .deeds
                .keys()
                .chain(&self.history.skipped)
                .cloned()
                .collect(),
            RewindTo::Undo(_) => {
                let touched = self.history.deeds.iter();
                let of_it =
                    touched.filter(|(_, deeds)| deeds.iter().any(|deed| self.circle.is_operation(deed)));
                of_it.map(|(path, _)| path.clone()).collect()
            }
        };
        if self.circle.scope() == PlanScope::All {
            paths.extend(self.differing().all()?);
        }
        if self.target.kind == CheckpointKind::Before {
            // What git ignores no look goes through: a command may have removed it unseen.
            paths.extend(self.differing().ignored()?);
        }
        paths.retain(|path| wish.is_about(path));
        Ok(paths)
    }

    fn differing(&self) -> Differing<'_> {
        Differing {
            cutter: self.cutter,
            ground: self.ground,
            layout: &self.layout,
        }
    }

    /// Where a path is kept: as its last change says, else as the target has it.
    fn shelf(&self, path: &RepoPath) -> Result<Shelf, ShadowError> {
        match self.history.deeds.get(path).and_then(|deeds| deeds.last()) {
            Some(deed) => Ok(deed.shelf),
            None => shelf_in(self.ground.shadow, &self.layout, path),
        }
    }

    /// An ignored file that is gone after a command, and that nothing else was recorded of, went with it.
    fn add_unseen(&mut self, path: &RepoPath, shelf: Shelf, now: PathState) -> Result<(), ShadowError> {
        let is_undo = self.target.kind == CheckpointKind::Before && shelf == Shelf::Ignored;
        if !is_undo || now != PathState::Absent || self.history.deeds.contains_key(path) {
            return Ok(());
        }
        let before = state_in(self.ground.shadow, &self.layout, path, shelf)?;
        let deed = RewindChange {
            shelf,
            before,
            after: now,
            change: CheckpointFileChange::Deleted,
            origin: ChangeOrigin::Shell,
            actor: self.target.actor,
            session: self.target.session,
            call: self.target.tool_use_id.clone(),
            checkpoint: None,
            row: None,
            doubt: None,
        };
        self.history.deeds.insert(path.clone(), vec![deed]);
        Ok(())
    }

    fn standing(&self, path: &RepoPath) -> Vec<RewindChange> {
        let deeds = self.history.deeds.get(path).map_or(&[][..], Vec::as_slice);
        standing(deeds, |deed| self.circle.is_operation(deed))
    }

    fn facts(
        &mut self,
        path: RepoPath,
        mut deeds: Vec<RewindChange>,
        (now, is_converted): (PathState, bool),
    ) -> Result<PathFacts, RewindError> {
        let shadow = self.ground.shadow;
        let mut state = state_in(shadow, &self.layout, &path, Shelf::Files)?;
        if state == PathState::Absent {
            state = state_in(shadow, &self.layout, &path, Shelf::Ignored)?;
        }
        if let (PathState::Absent, Some(first)) = (state, deeds.first()) {
            // Nothing is recorded between them: it was there, and no look covered it.
            state = first.before;
        }
        refine(&mut state, &mut deeds, now);
        if is_converted && was_converted(&deeds, now) {
            state = self.checked_out.refine(&self.cutter, shadow, &path, state)?;
            follow_on(state, &mut deeds);
        }
        let recorded = self.cutter.read(|db| {
            checkpoint_files::newest_at(db, self.cutter.worktree, path.as_bytes(), self.target.seq)
        })?;
        let skip = recorded.and_then(|row| row.file.skip_reason);
        let mut history = Vec::new();
        for deed in &deeds {
            history.push(PathHistory {
                by: self.cutter.read(|db| self.circle.by(db, deed))?,
                before: deed.before,
                after: deed.after,
                added: deed.before == PathState::Absent && deed.origin != ChangeOrigin::Outside,
            });
        }
        let held = self.holders.of(&path).map(str::to_owned);
        Ok(PathFacts {
            path,
            target: skip.map_or(RecordedState::State(state), RecordedState::NotCaptured),
            history,
            now,
            obstacle: None,
            leased_by: held,
        })
    }

    /// The last of the changes that would be taken back.
    fn story(&self, deeds: &[RewindChange]) -> Result<Option<PathAccount>, RewindError> {
        for deed in deeds.iter().rev() {
            if self.cutter.read(|db| self.circle.by(db, deed))?.touches_scope() {
                return Ok(Some(PathAccount {
                    change: deed.change,
                    actor: deed.actor,
                    checkpoint: deed.checkpoint.clone(),
                    command: self.command(deed)?,
                }));
            }
        }
        Ok(None)
    }

    /// The command or tool behind a change; a file may have been saved by somebody else while it ran.
    fn command(&self, deed: &RewindChange) -> Result<Option<String>, RewindError> {
        let (Some(actor), Some(call)) = (deed.actor, &deed.call) else {
            return Ok(None);
        };
        Ok(self.cutter.read(|db| {
            let Some(writer) = calls::writer_of(db, actor, call)? else {
                return Ok(None);
            };
            let row = events::by_seq(db, writer.event)?;
            Ok(row.and_then(|row| row.target).or(Some(writer.tool)))
        })?)
    }

    /// What has no content any more cannot be put back.
    fn check_contents(&self, plan: &mut RewindPlan) {
        let mut known: BTreeMap<Id, bool> = BTreeMap::new();
        let mut has = |id: Id| {
            let has = || self.checked_out.has(id) || self.ground.shadow.has_blob(id);
            *known.entry(id).or_insert_with(has)
        };
        for planned in &mut plan.paths {
            for verdict in [&mut planned.verdict, &mut planned.forced] {
                let goal = verdict.goal().unwrap_or(PathState::Absent);
                let is_file = goal.entry().is_some_and(|entry| entry.mode != EntryMode::Commit);
                if is_file && !goal.bytes().is_none_or(&mut has) {
                    let reason = "its content is gone".to_owned();
                    *verdict = PathVerdict::Conflict(ConflictReason::NotInTheCheckpoint(reason));
                }
            }
        }
    }

    /// A command of those whose changes are taken back is at work on the whole tree.
    fn own_everything(&self) -> Option<ConflictReason> {
        let everything = self.holders.own_everything()?;
        Some(ConflictReason::Running {
            command: everything.command.clone(),
            who: everything.who.clone(),
        })
    }
}

/// The parts of a checkpoint.
pub(super) fn layout_of(shadow: &Shadow, checkpoint: &Checkpoint) -> Result<ShadowLayout, RewindError> {
    let gone = || RewindError::Gone(checkpoint.id.clone());
    let commit: Id = checkpoint.commit.parse().map_err(|_| gone())?;
    let read = shadow.tree_of(commit).and_then(|tree| shadow.read_layout(tree));
    read.map_err(|error| match error {
        ShadowError::Missing(_) | ShadowError::Damaged { .. } => gone(),
        other => other.into(),
    })
}

pub(super) fn leaving(path: RepoPath, why: LeftReason) -> Planned {
    Planned {
        path,
        now: PathState::Absent,
        verdict: PathVerdict::Leave(why.clone()),
        forced: PathVerdict::Leave(why),
        wanted: None,
    }
}
