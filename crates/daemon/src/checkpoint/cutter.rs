//! Cuts checkpoints: brings together what calls named, what a look found, and whose doing it was, and puts it on the line.
//!
//! Objects come before the ref and the ref before the row, so that a process killed in between leaves a line that is
//! right and a row that the next one brings back from the commit.

use super::chain::{Chain, Link, Owner, Shelf, Touched};
use super::look::Seen;
use super::naming::root_of;
use super::order::{Look, Order};
use super::ownership;
use super::path_text::PathText;
use super::states::{from_image, from_place};
use super::tip::Tip;
use super::worksite::Worksite;
use crate::clock;
use crate::writer::Writer;
use engine::id::{CheckpointId, EventSeq, TouchId, WorktreeId};
use engine::settings::CheckpointSettings;
use engine::time::Timestamp;
use git::capture::{Capture, CaptureError, Exclude, Found, Rules};
use git::object::{Id, State};
use git::path::RepoPath;
use git::run::GitError;
use git::scan::ScanError;
use git::shadow::{LineLock, Shadow, ShadowError};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;
use store::table::calls::{self, Reach};
use store::table::checkpoints::{self, Checkpoint, Kind, Trigger};
use store::table::touches::{self, Touch};
use store::table::{checkpoint_files, events, worktrees};
use store::{Db, StoreError};

/// A line that moves under us so often is left to the next one.
const ATTEMPTS: usize = 5;
const MEGABYTE: u64 = 1024 * 1024;
/// What is checked out is read from files; git is asked only where refs are kept in tables.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(2);

/// Cuts checkpoints of one worktree.
#[derive(Clone, Copy)]
pub struct Cutter<'a> {
    /// Where.
    pub site: &'a Worksite,
    /// The store.
    pub writer: &'a Writer,
    /// The worktree's row.
    pub worktree: WorktreeId,
    /// How.
    pub settings: &'a CheckpointSettings,
    /// How long a look may take; zero where there is no time for one.
    pub limit: Duration,
}

/// What came of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// A checkpoint was cut.
    New(Box<Checkpoint>),
    /// It had been cut before.
    Known(Box<Checkpoint>),
    /// Nothing changed since this one.
    Nothing(Option<CheckpointId>),
}

impl Cut {
    /// The checkpoint that holds the state that was asked for.
    pub fn id(&self) -> Option<&CheckpointId> {
        match self {
            Self::New(made) | Self::Known(made) => Some(&made.id),
            Self::Nothing(newest) => newest.as_ref(),
        }
    }
}

/// Why there is no checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// The shadow refused.
    #[error(transparent)]
    Shadow(#[from] ShadowError),
    /// The worktree could not be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The worktree could not be looked over.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// Git refused.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The worktree has to be looked over, and there is no time for that here.
    #[error("there is no time to look the worktree over")]
    NoTimeToLook,
    /// An order this version does not know.
    #[error("there is no kind of checkpoint `{0}`")]
    UnknownKind(String),
}

/// Everything one cut works with.
pub(super) struct Ground<'a> {
    pub shadow: &'a Shadow,
    pub tip: Tip,
    pub seen: Option<Seen>,
    pub head: Option<Id>,
    pub branch: Option<String>,
    /// The tree of `head`.
    pub base: Option<Id>,
    pub degraded: Vec<String>,
    /// The newest event before anything was looked at.
    pub event: EventSeq,
}

impl<'a> Ground<'a> {
    /// A ground where nothing was looked at: the tip and no more.
    pub fn standing(shadow: &'a Shadow, tip: Tip) -> Self {
        Self {
            shadow,
            tip,
            seen: None,
            head: None,
            branch: None,
            base: None,
            degraded: Vec::new(),
            event: EventSeq(0),
        }
    }
}

/// A path that was not captured, and why.
pub(super) struct Skipped {
    pub path: RepoPath,
    pub reason: String,
    pub owner: Owner,
}

impl Cutter<'_> {
    /// Cuts a checkpoint. `also` are changes that no call named: those of a rewind.
    pub fn cut(&self, order: &Order, also: &[Touched]) -> Result<Cut, CutError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.try_cut(order, also) {
                Err(CutError::Shadow(ShadowError::Raced)) if attempt < ATTEMPTS => {}
                Err(CutError::Shadow(ShadowError::Damaged { .. })) if attempt == 1 => {
                    self.site.set_aside(&self.now().0.to_string())?;
                }
                outcome => return outcome,
            }
        }
    }

    fn try_cut(&self, order: &Order, also: &[Touched]) -> Result<Cut, CutError> {
        let shadow = self.site.make_shadow()?;
        let alone = shadow.lock_line(&self.site.line)?;
        // What a killed rewind left half done must not be taken for somebody's work.
        self.settle_rewinds(&shadow, &alone)?;
        self.cut_alone((&shadow, &alone), order, also)
    }

    /// The same for one who adds to the line alone, and goes on doing so afterwards.
    pub(super) fn cut_alone(
        &self,
        (shadow, _alone): (&Shadow, &LineLock),
        order: &Order,
        also: &[Touched],
    ) -> Result<Cut, CutError> {
        let kind = Kind::from_word(&order.kind).ok_or_else(|| CutError::UnknownKind(order.kind.clone()))?;
        let tip = self.tip(shadow)?;
        let trigger = self.trigger(order, kind);
        if let Some(known) = self.read(|db| checkpoints::by_trigger(db, &trigger))? {
            return Ok(Cut::Known(Box::new(known)));
        }
        let rules = self.rules();
        let touches = self.read(|db| touches::pending(db, self.worktree))?;
        let mut ground = self.ground(shadow, tip, order, &rules)?;
        let (closed, open, skipped) = self.follow(&ground, &touches, also, &rules)?;
        for link in closed {
            ground.tip = self.put_between(&ground, &link, order)?;
        }
        let consumed: Vec<TouchId> = touches.iter().map(|touch| touch.id).collect();
        if open.is_empty() && skipped.is_empty() && !kind.is_marker() && !self.ends_changes(order, kind)? {
            return self.nothing(&ground, order, &consumed);
        }
        self.put(&ground, order, &trigger, &open, &skipped, &consumed)
    }

    /// What is known before anything is compared: the tip, and if need be a look at the worktree.
    fn ground<'s>(
        &self,
        shadow: &'s Shadow,
        tip: Tip,
        order: &Order,
        rules: &Rules,
    ) -> Result<Ground<'s>, CutError> {
        let event = self.read(events::newest)?;
        let mut degraded: Vec<String> = self.site.take_late().into_iter().map(str::to_owned).collect();
        let head = git::head::read(&self.site.place, self.site.environment(), HEAD_TIME);
        let commit: Option<Id> = head.commit().and_then(|commit| commit.parse().ok());
        let mut ground = Ground {
            shadow,
            seen: None,
            base: commit.map(|commit| shadow.tree_of(commit)).transpose()?,
            head: commit,
            branch: head.branch().map(str::to_owned),
            degraded: Vec::new(),
            event,
            tip,
        };
        let has_moved = ground.tip.row.is_none() || ground.tip.head() != commit;
        if has_moved && self.limit.is_zero() {
            return Err(CutError::NoTimeToLook);
        }
        if has_moved || !self.limit.is_zero() && self.wants_look(order.look)? {
            match self.look(shadow, &ground.tip, rules, self.limit) {
                Ok(seen) => {
                    // HEAD may have moved between the two; the look is what counts.
                    (ground.head, ground.base, ground.branch) = (seen.head, seen.base, seen.branch.clone());
                    degraded.extend(words(&seen));
                    ground.seen = Some(seen);
                }
                Err(CutError::Scan(ScanError::Late(_))) => degraded.push("scan".to_owned()),
                Err(error) => return Err(error),
            }
        }
        ground.degraded = degraded;
        Ok(ground)
    }

    /// Follows every path from the tip to now, and says which were not captured.
    fn follow(
        &self,
        ground: &Ground<'_>,
        touches: &[Touch],
        also: &[Touched],
        rules: &Rules,
    ) -> Result<(Vec<Link>, Link, Vec<Skipped>), CutError> {
        let trouble = RefCell::new(None);
        let known = |path: &RepoPath, shelf: Shelf| {
            let state = ground.tip.state(ground.shadow, ground.base, path, shelf);
            state.unwrap_or_else(|error| {
                trouble.borrow_mut().get_or_insert(error);
                State::Absent
            })
        };
        let mut chain = Chain::new(known);
        let mut skipped = Vec::new();
        for found in self.touched(ground, touches, rules)? {
            match found {
                Ok(touched) => chain.follow(&touched),
                Err(missed) => skipped.push(missed),
            }
        }
        for touched in also {
            chain.follow(touched);
        }
        if let Some(seen) = &ground.seen {
            let writers = match ground.tip.row {
                Some(_) => self.writers()?,
                None => None,
            };
            let owner = ownership::of_unnamed(writers.as_deref());
            let moved = Moved::between(ground)?;
            let followed: BTreeSet<RepoPath> = chain
                .paths()
                .filter(|(_, shelf)| *shelf == Shelf::Files)
                .map(|(path, _)| path.clone())
                .collect();
            for path in differing(ground, seen, &followed)? {
                let now = seen_state(ground, seen, &path)?;
                if followed.contains(&path)
                    || !moved.by_git(&path, &chain.state(&path, Shelf::Files), &now)?
                {
                    chain.put(&path, Shelf::Files, now, owner.clone());
                }
            }
            skipped.extend(self.missed(seen, &owner)?);
        }
        let (closed, open) = chain.end();
        match trouble.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok((closed, open, skipped)),
        }
    }

    /// What the calls named, and what is there. Paths that were not read when their call ended are read now.
    fn touched(
        &self,
        ground: &Ground<'_>,
        touches: &[Touch],
        rules: &Rules,
    ) -> Result<Vec<Result<Touched, Skipped>>, CutError> {
        if touches.is_empty() {
            return Ok(Vec::new());
        }
        let shelves = self.shelves(ground, touches)?;
        let settings = self.site.settings()?;
        let mut capture = Capture::new(ground.shadow, &self.site.worktree, &settings, rules)?;
        let mut found = Vec::new();
        for touch in touches {
            // A name that no checkpoint may hold was never recorded by this version.
            let Ok(path) = RepoPath::new(touch.path.clone()) else {
                continue;
            };
            let shelf = shelves.get(&path).copied().unwrap_or(Shelf::Files);
            if shelf == Shelf::Ignored && !self.settings.capture_ignored {
                continue;
            }
            let owner = self.owner(touch)?;
            let mut reason = touch.skip_reason.clone();
            let mut post = from_image(&touch.post);
            if post.is_none() && reason.is_none() {
                match capture.take(&path, tracked(ground, &path)?)? {
                    Found::Is(seen) => post = Some(seen.state),
                    Found::Skipped(skip) => reason = Some(skip.to_string()),
                }
            }
            found.push(match reason {
                Some(reason) => Err(Skipped { path, reason, owner }),
                None => Ok(Touched {
                    path,
                    shelf,
                    pre: from_image(&touch.pre).map(|state| shelved(state, shelf)),
                    post: post.map(|state| shelved(state, shelf)),
                    owner,
                }),
            });
        }
        Ok(found)
    }

    /// Where each touched path is kept: what git ignores has a shelf of its own.
    pub(super) fn shelves(
        &self,
        ground: &Ground<'_>,
        touches: &[Touch],
    ) -> Result<BTreeMap<RepoPath, Shelf>, CutError> {
        let mut shelves = BTreeMap::new();
        let mut unknown = Vec::new();
        for touch in touches {
            let Ok(path) = RepoPath::new(touch.path.clone()) else {
                continue;
            };
            let is_known = tracked(ground, &path)?.is_some()
                || ground
                    .seen
                    .as_ref()
                    .is_some_and(|seen| seen.snapshot.states.contains_key(&path));
            if let Some(place) = touch.place {
                shelves.insert(path, from_place(place));
            } else if is_known {
                shelves.insert(path, Shelf::Files);
            } else {
                unknown.push(path);
            }
        }
        let ignored = git::ignore::ignored(
            &self.site.worktree,
            &self.site.git(),
            &self.site.site().shadow,
            &unknown,
        )?;
        shelves.extend(ignored.into_iter().map(|path| (path, Shelf::Ignored)));
        Ok(shelves)
    }

    pub(super) fn owner(&self, touch: &Touch) -> Result<Owner, StoreError> {
        let session = self.read(|db| super::people::session_of(db, touch.actor))?;
        Ok(Owner {
            actor: Some(touch.actor),
            session,
            origin: checkpoint_files::Origin::Tool,
            call: Some(touch.call.clone()),
        })
    }

    /// Files that changed and are too large; said once for each size.
    fn missed(&self, seen: &Seen, owner: &Owner) -> Result<Vec<Skipped>, StoreError> {
        let mut missed = Vec::new();
        for (path, skip) in &seen.snapshot.skipped {
            let reason = skip.to_string();
            let told = self.read(|db| checkpoint_files::last_skip(db, self.worktree, path.as_bytes()))?;
            if skip.is_for_size() && told.as_deref() != Some(&reason) {
                missed.push(Skipped {
                    path: path.clone(),
                    reason,
                    owner: owner.clone(),
                });
            }
        }
        Ok(missed)
    }

    /// The calls that may have written since the last look; `None` if nobody ever looked.
    fn writers(&self) -> Result<Option<Vec<calls::Writer>>, StoreError> {
        self.read(|db| {
            let row = worktrees::by_id(db, self.worktree)?;
            let since = row.and_then(|row| row.scanned_event);
            since
                .map(|event| calls::writers_since(db, self.worktree, event))
                .transpose()
        })
    }

    fn wants_look(&self, look: Look) -> Result<bool, StoreError> {
        let wrote = |listed: bool| -> Result<bool, StoreError> {
            let writers = self.writers()?;
            Ok(writers.is_none_or(|writers| {
                writers.iter().any(|writer| {
                    writer.reach == Reach::Anything || (listed && writer.reach == Reach::Listed)
                })
            }))
        };
        match look {
            Look::Always => Ok(true),
            Look::Never => Ok(false),
            Look::IfWritten => wrote(true),
            Look::IfUnlisted => Ok(self.is_quick()? && wrote(false)?),
        }
    }

    /// Whether the last look was quick enough to look again within a turn.
    fn is_quick(&self) -> Result<bool, StoreError> {
        let row = self.read(|db| worktrees::by_id(db, self.worktree))?;
        let took = row.and_then(|row| row.scan_ms).unwrap_or(0);
        Ok(took <= u64::from(self.settings.scan_budget_ms))
    }

    /// Whether it ends a turn whose steps changed something.
    fn ends_changes(&self, order: &Order, kind: Kind) -> Result<bool, StoreError> {
        let (Kind::Turn | Kind::Interrupted, Some(session)) = (kind, order.session) else {
            return Ok(false);
        };
        let rows = self.read(|db| checkpoint_files::of_turn(db, self.worktree, session, order.turn))?;
        Ok(!checkpoint_files::net(rows.into_iter().map(|row| row.file)).is_empty())
    }

    pub(super) fn trigger(&self, order: &Order, kind: Kind) -> Trigger {
        Trigger {
            worktree: self.worktree,
            session: order.session,
            actor: order.actor,
            kind,
            key: order.trigger.clone(),
        }
    }

    pub(super) fn rules(&self) -> Rules {
        Rules {
            max_file: u64::from(self.settings.max_file_mb) * MEGABYTE,
            max_total: u64::from(self.settings.max_checkpoint_mb) * MEGABYTE,
            exclude: Exclude::new(&self.settings.exclude).0,
        }
    }

    /// The worktree's folder, as records name it.
    pub(super) fn root(&self) -> PathText {
        use std::os::unix::ffi::OsStrExt;
        PathText::of(root_of(&self.site.place).as_os_str().as_bytes())
    }

    pub(super) fn now(&self) -> Timestamp {
        clock::now()
    }

    /// Asks the store.
    pub(super) fn read<T>(&self, ask: impl FnOnce(&Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        ask(&self.writer.store().read())
    }

    /// Changes the store, all or nothing.
    pub(super) fn write<T>(
        &self,
        change: impl FnOnce(&Db) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut seat = self.writer.store();
        let mut tx = seat.begin()?;
        let changed = tx.unit(change)?;
        tx.commit()?;
        Ok(changed)
    }
}

/// What git moved by a checkout, a pull or a reset, told by the two commits that were checked out.
struct Moved<'a> {
    shadow: &'a Shadow,
    trees: Option<(Id, Id)>,
}

impl<'a> Moved<'a> {
    fn between(ground: &Ground<'a>) -> Result<Self, ShadowError> {
        let old = ground.tip.head().filter(|old| Some(*old) != ground.head);
        let trees = match (old, ground.base) {
            // The old commit may be pruned; then nothing can be told apart.
            (Some(old), Some(new)) => ground.shadow.tree_of(old).ok().map(|old| (old, new)),
            _ => None,
        };
        Ok(Self {
            shadow: ground.shadow,
            trees,
        })
    }

    /// Whether a path was what the old commit had and is now what the new one has.
    fn by_git(&self, path: &RepoPath, before: &State, now: &State) -> Result<bool, ShadowError> {
        let Some((old, new)) = self.trees else {
            return Ok(false);
        };
        Ok(before.entry() == self.shadow.entry(old, path)? && now.entry() == self.shadow.entry(new, path)?)
    }
}

/// Every path that may differ from the tip.
fn differing(
    ground: &Ground<'_>,
    seen: &Seen,
    followed: &BTreeSet<RepoPath>,
) -> Result<BTreeSet<RepoPath>, ShadowError> {
    let before = ground.tip.layout.map(|layout| layout.files).or(ground.base);
    let deltas = ground.shadow.diff(before, Some(seen.snapshot.files))?;
    let mut paths: BTreeSet<RepoPath> = deltas.into_iter().map(|delta| delta.path).collect();
    paths.extend(followed.iter().cloned());
    paths.extend(seen.snapshot.states.keys().cloned());
    Ok(paths)
}

/// What a look saw at a path.
fn seen_state(ground: &Ground<'_>, seen: &Seen, path: &RepoPath) -> Result<State, ShadowError> {
    if let Some(state) = seen.snapshot.states.get(path) {
        return Ok(*state);
    }
    let entry = ground.shadow.entry(seen.snapshot.files, path)?;
    Ok(entry.map_or(State::Absent, State::plain))
}

/// What git has at a path, as far as is known without asking it.
pub(super) fn tracked(
    ground: &Ground<'_>,
    path: &RepoPath,
) -> Result<Option<git::object::Entry>, ShadowError> {
    for tree in [ground.base, ground.tip.layout.map(|layout| layout.files)]
        .into_iter()
        .flatten()
    {
        if let Some(entry) = ground.shadow.entry(tree, path)? {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// An ignored file is kept as its bytes are: git has no form for it.
pub(super) fn shelved(state: State, shelf: Shelf) -> State {
    match (shelf, state) {
        (
            Shelf::Ignored,
            State::Present {
                entry,
                raw: Some(raw),
            },
        ) => State::plain(git::object::Entry {
            mode: entry.mode,
            id: raw,
        }),
        _ => state,
    }
}

/// What a checkpoint made from this look may miss.
fn words(seen: &Seen) -> Vec<String> {
    let mut words = Vec::new();
    if !seen.snapshot.moving.is_empty() {
        words.push("moving".to_owned());
    }
    if !seen.snapshot.filter_failed.is_empty() {
        words.push("filter failed".to_owned());
    }
    words
}
