//! Follows every path from the newest checkpoint to the event of an order: calls first, then what a look found.

use super::blame::Blame;
use super::chain::{Chain, ChainLink, ChangeOwner, Shelf, TouchedPath};
use super::coverage::{CheckpointCoverage, Shift};
use super::cutter::{CutBase, CutError, Cutter, SkippedPath};
use super::dating::Date;
use super::disagreement::Disagreement;
use super::look::ScanResult;
use super::order::{Order, ScanOrder};
use super::ownership::{Calls, Suspect, Suspects};
use super::putting::own;
use super::touching::{Claim, Later, SightingOutcome, Touches};
use engine::id::{ActorId, EventSeq};
use git::capture::Rules;
use git::object::{EntryMode, Id, PathState, TreeLeaf};
use git::path::RepoPath;
use git::shadow::ShadowError;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use store::StoreError;
use store::table::calls::{self, CallReach, WritingCall};
use store::table::checkpoint_files;
use store::table::events;
use store::table::touches::{self, Touch};
use store::table::turns;
use store::table::worktrees;

/// What came of it.
pub(super) struct Attribution {
    /// What happened before a path changed hands, oldest first: a checkpoint each.
    pub between: Vec<CheckpointChanges>,
    /// What happened after that.
    pub rest: CheckpointChanges,
    /// Paths that changed and were not captured.
    pub skipped: Vec<SkippedPath>,
    /// The tree at the event, where the worktree was looked over.
    pub files: Option<Id>,
    /// That tree holds files that were there before, and that no earlier look covered.
    pub is_wider: bool,
    /// Paths that were seen anew while calls have them open: what was there before these is old news.
    pub outdated: Vec<RepoPath>,
}

/// What one checkpoint adds, and the touches that are settled by it.
#[derive(Default)]
pub(super) struct CheckpointChanges {
    pub link: ChainLink,
    pub settled: Vec<Touch>,
    /// Touches of which it holds what was there before the call.
    pub begun: Vec<Touch>,
}

impl Cutter<'_> {
    /// Follows every path. `also` are changes that no call named: those of a rewind.
    pub(super) fn follow(
        &self,
        ground: &CutBase<'_>,
        (order, touches): (&Order, &Touches),
        also: &[TouchedPath],
        rules: &Rules,
    ) -> Result<Attribution, CutError> {
        let trouble = RefCell::new(None);
        let known = |path: &RepoPath, shelf: Shelf| {
            let state = ground.tip.state(ground.shadow, ground.base, path, shelf);
            state.unwrap_or_else(|error| {
                trouble.borrow_mut().get_or_insert(error);
                PathState::Absent
            })
        };
        let mut chain = Chain::new(known);
        let (mut skipped, mut settled, mut disagreed) = (Vec::new(), Vec::new(), Vec::new());
        let mut begun = Vec::new();
        let unread = RefCell::new(None);
        let suspects = self.suspects(ground, Some(order), touches, &unread)?;
        let blame = Blame::new(self, ground, suspects);
        let shelves = self.shelves(ground, touches)?;
        let (coverage, mut is_wider) = (CheckpointCoverage::of(self)?, false);
        for sighting in self.sightings(ground, (touches, &shelves), &blame.suspects, Some(rules))? {
            disagreed.extend(sighting.disagreement());
            match sighting.what {
                SightingOutcome::News(mut news) => {
                    let before = chain.state(&news.path, news.shelf);
                    if coverage.is_no_news(ground, &news, before)? {
                        if ground.seen.is_some() {
                            chain.moved(&news.path, news.state);
                            is_wider = true;
                        } else {
                            // No look takes it in: it is there, and nobody's to take away.
                            news.claim = Claim::By(ChangeOwner::outside());
                        }
                    }
                    blame.follow(&news, &mut chain)?;
                }
                SightingOutcome::Missed(missed) => skipped.push(missed),
                SightingOutcome::Nothing => {}
            }
            begun.extend(sighting.begins.map(|touch| (chain.closed(), touch)));
            if let Some(touch) = sighting.ends {
                chain.pass();
                settled.push(touch);
            }
        }
        let is_gone = |touched: &&TouchedPath| touched.post == Some(PathState::Absent);
        // What goes makes room for what comes.
        for touched in also.iter().filter(is_gone) {
            chain.follow(touched);
        }
        for touched in also.iter().filter(|touched| !is_gone(touched)) {
            let around = blame.nameless(&touched.path, Date::Unknown);
            blame.make_room((&touched.path, touched.shelf), &around, &mut chain)?;
            chain.follow(touched);
        }
        let mut outdated: Vec<RepoPath> = also.iter().map(|touched| touched.path.clone()).collect();
        let mut files = None;
        if let Some(seen) = &ground.seen {
            let later = touches.later(&shelves, &blame.suspects);
            let looked = self.follow_look(ground, seen, (&later, &blame, &coverage), &mut chain)?;
            skipped.extend(looked.0);
            disagreed.extend(looked.1);
            is_wider |= looked.2;
            files = Some(at_event(ground, seen, &later, &mut chain)?);
            for path in later.into_keys() {
                if is_displaced(ground, seen, &path)? {
                    outdated.push(path);
                }
            }
        }
        if let Some(error) = unread.take() {
            return Err(error.into());
        }
        self.note_disagreements(&disagreed)?;
        match order.session {
            Some(session) => chain.turn_to((session, order.turn)),
            None => chain.turn_to_nobody(),
        }
        let (closed, open) = chain.end();
        match trouble.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(Attribution {
                skipped,
                files,
                is_wider,
                outdated,
                ..divided(closed, open, (settled, &begun))
            }),
        }
    }

    /// Who may have written what no payload named. What keeps them from being looked up is left in `trouble`.
    pub(super) fn suspects<'s>(
        &'s self,
        ground: &'s CutBase<'_>,
        order: Option<&'s Order>,
        touches: &'s Touches,
        trouble: &'s RefCell<Option<StoreError>>,
    ) -> Result<Suspects<'s>, StoreError> {
        let row = self.read(|db| worktrees::by_id(db, self.worktree))?;
        let looked = row.and_then(|row| row.looked).unwrap_or(0);
        let held = order
            .filter(|order| order.look == ScanOrder::Always)
            .and_then(|order| order.session.zip(order.event))
            .filter(|(session, _)| self.site.gate.holds(*session));
        Ok(Suspects::new(looked, move || {
            self.suspected(ground, held, touches).unwrap_or_else(|error| {
                trouble.replace(Some(error));
                None
            })
        }))
    }

    /// Nobody's calls count before the first checkpoint, and those of a session not while they wait for the look that
    /// its prompt asked for.
    fn suspected(
        &self,
        ground: &CutBase<'_>,
        held: Option<(ActorId, EventSeq)>,
        touches: &Touches,
    ) -> Result<Calls, StoreError> {
        let writers = match &ground.tip.row {
            Some(_) => self.writers()?,
            None => None,
        };
        let Some(mut writers) = writers else {
            return Ok(None);
        };
        for touch in touches.all() {
            // A look since may have settled the call, and not what it listed.
            let is_known = |writer: &WritingCall| writer.actor == touch.actor && writer.call == touch.call;
            if touch.event_before.is_none() && !writers.iter().any(is_known) {
                writers.extend(self.read(|db| calls::writer_of(db, touch.actor, &touch.call))?);
            }
        }
        writers.retain(|writer| matches!(writer.reach, CallReach::Anything | CallReach::Listed));
        writers.sort_by_key(|writer| writer.event);
        if let Some((session, event)) = held {
            writers.retain(|writer| writer.session != Some(session) || writer.event < event);
        }
        let mut suspects = Vec::new();
        for writer in writers {
            let turn = match writer.session {
                Some(session) => self.read(|db| turns::number_of_event(db, session, writer.event))?,
                None => None,
            };
            let listed = match writer.reach {
                CallReach::Listed => Some(
                    self.read(|db| touches::named_by(db, self.worktree, writer.actor, &writer.call))?
                        .into_iter()
                        .collect(),
                ),
                CallReach::Anything | CallReach::Named | CallReach::Nothing => None,
            };
            suspects.push(Suspect {
                command: self.command_of(&writer)?.into(),
                writer,
                turn,
                listed,
            });
        }
        Ok(Some(suspects))
    }

    /// What a call ran, where all of it is known: a text that was cut says less than what ran.
    fn command_of(&self, writer: &WritingCall) -> Result<Option<String>, StoreError> {
        let row = self.read(|db| events::by_seq(db, writer.event))?;
        let command = row.and_then(|row| row.target);
        Ok(command.filter(|command| !command.ends_with('…')))
    }

    /// What a look found that no call named, with whom it can be put down to; and whether it covers files that were
    /// there before and that no earlier one covered.
    fn follow_look(
        &self,
        ground: &CutBase<'_>,
        seen: &ScanResult,
        (later, blame, coverage): (&Later, &Blame<'_>, &CheckpointCoverage),
        chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> PathState>,
    ) -> Result<(Vec<SkippedPath>, Vec<Disagreement>, bool), CutError> {
        let mut is_wider = false;
        let mut disagreed = Vec::new();
        let followed: BTreeSet<RepoPath> = chain
            .paths()
            .filter(|(_, shelf)| *shelf == Shelf::Files)
            .map(|(path, _)| path.clone())
            .collect();
        let mut found = Vec::new();
        let mut paths = differing(ground, seen, &followed)?;
        paths.extend(later.keys().cloned());
        for path in paths {
            match later.get(&path) {
                Some(left) if !is_displaced(ground, seen, &path)? => {
                    // What a later call wrote is its own.
                    let before = left.map(|(state, date)| (path, state, Some(date)));
                    found.extend(before);
                }
                Some(_) | None => found.push((path.clone(), seen_state(ground, seen, &path)?, None)),
            }
        }
        // What went made room for what came.
        found.sort_by_key(|(_, now, _)| *now != PathState::Absent);
        for (path, now, date) in found {
            let before = chain.state(&path, Shelf::Files);
            if !followed.contains(&path)
                && let Some(shift) = coverage.shift(ground, &path, (before, now))?
            {
                is_wider |= shift == Shift::In;
                continue;
            }
            if before == now {
                continue;
            }
            let date = match date {
                Some(date) => date,
                None => blame.date_of(seen, &path, &now)?,
            };
            if !followed.contains(&path) && blame.is_missing_from_a_list(&path, (&before, &now), date) {
                disagreed.push(Disagreement::NotNamed(path.clone()));
            }
            blame.arrive(&path, now, date, chain)?;
        }
        let mut missed = self.missed(seen, blame)?;
        missed.retain(|missed| !later.contains_key(&missed.path));
        Ok((missed, disagreed, is_wider))
    }

    /// Files that changed and are too large; said once for each size.
    fn missed(&self, seen: &ScanResult, blame: &Blame<'_>) -> Result<Vec<SkippedPath>, CutError> {
        let mut missed = Vec::new();
        for (path, skip) in &seen.snapshot.skipped {
            let reason = skip.to_string();
            let told = self.read(|db| checkpoint_files::last_skip(db, self.worktree, path.as_bytes()))?;
            if skip.is_for_size() && told.as_deref() != Some(&reason) {
                let there = PathState::plain(TreeLeaf {
                    mode: EntryMode::File,
                    id: seen.snapshot.files,
                });
                let date = blame.date_of(seen, path, &there)?;
                missed.push(SkippedPath {
                    path: path.clone(),
                    reason,
                    owner: blame.nameless(path, date),
                });
            }
        }
        Ok(missed)
    }
}

/// Gives every stretch the touches that ended in it.
fn divided(
    closed: Vec<(ChainLink, usize)>,
    open: ChainLink,
    (mut settled, begun): (Vec<Touch>, &[(usize, Touch)]),
) -> Attribution {
    let begun_in = |number: usize| {
        let of_it = begun.iter().filter(|(link, _)| *link == number);
        of_it.map(|(_, touch)| touch.clone()).collect()
    };
    let mut between = Vec::new();
    let mut before = 0;
    for (number, (link, followed)) in closed.into_iter().enumerate() {
        let rest = settled.split_off(followed.saturating_sub(before).min(settled.len()));
        between.push(CheckpointChanges {
            link,
            settled,
            begun: begun_in(number),
        });
        (settled, before) = (rest, followed);
    }
    Attribution {
        rest: CheckpointChanges {
            begun: begun_in(between.len()),
            link: open,
            settled,
        },
        between,
        skipped: Vec::new(),
        files: None,
        is_wider: false,
        outdated: Vec::new(),
    }
}

/// The tree the look found, with what later calls did taken out of it.
fn at_event(
    ground: &CutBase<'_>,
    seen: &ScanResult,
    later: &Later,
    chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> PathState>,
) -> Result<Id, ShadowError> {
    let mut changes: BTreeMap<RepoPath, Option<TreeLeaf>> = BTreeMap::new();
    for path in later.keys() {
        // What was seen in its place cannot be there at the same time.
        if is_displaced(ground, seen, path)? {
            continue;
        }
        let (now, then) = (
            ground.shadow.entry(seen.snapshot.files, path)?,
            chain.state(path, Shelf::Files).entry(),
        );
        if now != then {
            changes.insert(path.clone(), then);
        }
    }
    if changes.is_empty() {
        return Ok(seen.snapshot.files);
    }
    own(ground.shadow, ground.base, &changes)?;
    ground
        .shadow
        .edit(Some(seen.snapshot.files), ground.base, &changes)
}

/// Every path that may differ from the tip.
fn differing(
    ground: &CutBase<'_>,
    seen: &ScanResult,
    followed: &BTreeSet<RepoPath>,
) -> Result<BTreeSet<RepoPath>, ShadowError> {
    let before = ground.tip.layout.map(|layout| layout.files).or(ground.base);
    let deltas = ground.shadow.diff(before, Some(seen.snapshot.files))?;
    let mut paths: BTreeSet<RepoPath> = deltas.into_iter().map(|delta| delta.path).collect();
    paths.extend(followed.iter().cloned());
    paths.extend(seen.snapshot.states.keys().cloned());
    Ok(paths)
}

/// Whether something was seen that cannot be there at the same time: a folder at the path, or a file above it.
fn is_displaced(ground: &CutBase<'_>, seen: &ScanResult, path: &RepoPath) -> Result<bool, ShadowError> {
    let tree = seen.snapshot.files;
    let mut above = path.parent();
    while let Some(folder) = above {
        if ground.shadow.entry(tree, &folder)?.is_some() {
            return Ok(true);
        }
        above = folder.parent();
    }
    ground.shadow.has_below(tree, path)
}

/// What a look saw at a path.
fn seen_state(ground: &CutBase<'_>, seen: &ScanResult, path: &RepoPath) -> Result<PathState, ShadowError> {
    if let Some(state) = seen.snapshot.states.get(path) {
        return Ok(*state);
    }
    let entry = ground.shadow.entry(seen.snapshot.files, path)?;
    Ok(entry.map_or(PathState::Absent, PathState::plain))
}
