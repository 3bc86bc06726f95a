//! Follows every path from the newest checkpoint to the event of an order: calls first, then what a look found.

use super::chain::{Chain, Link, Shelf, Touched};
use super::cutter::{CutError, Cutter, Ground, Skipped};
use super::disagreement::{Disagreement, is_listed};
use super::look::Seen;
use super::moved::Moved;
use super::order::Order;
use super::ownership;
use super::putting::own;
use super::touching::Touches;
use git::capture::Rules;
use git::object::{Entry, Id, State};
use git::path::RepoPath;
use git::shadow::ShadowError;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use store::StoreError;
use store::table::checkpoint_files;
use store::table::touches::Touch;
use store::table::turns;

/// What came of it.
pub(super) struct Followed {
    /// What happened before a path changed hands, oldest first: a checkpoint each.
    pub between: Vec<Stretch>,
    /// What happened after that.
    pub rest: Stretch,
    /// Paths that changed and were not captured.
    pub skipped: Vec<Skipped>,
    /// The tree at the event, where the worktree was looked over.
    pub files: Option<Id>,
}

/// What one checkpoint adds, and the touches that are settled by it.
#[derive(Default)]
pub(super) struct Stretch {
    pub link: Link,
    pub settled: Vec<Touch>,
}

impl Cutter<'_> {
    /// Follows every path. `also` are changes that no call named: those of a rewind.
    pub(super) fn follow(
        &self,
        ground: &Ground<'_>,
        order: &Order,
        touches: &Touches,
        also: &[Touched],
        rules: &Rules,
    ) -> Result<Followed, CutError> {
        let trouble = RefCell::new(None);
        let known = |path: &RepoPath, shelf: Shelf| {
            let state = ground.tip.state(ground.shadow, ground.base, path, shelf);
            state.unwrap_or_else(|error| {
                trouble.borrow_mut().get_or_insert(error);
                State::Absent
            })
        };
        let mut chain = Chain::new(known);
        let (mut skipped, mut settled, mut disagreed) = (Vec::new(), Vec::new(), Vec::new());
        for finding in self.touched(ground, touches, rules)? {
            match finding.found {
                Some(Ok(touched)) => {
                    if touched.pre.is_some() && touched.pre == touched.post {
                        disagreed.push(Disagreement::NotChanged(touched.path.clone()));
                    }
                    chain.follow(&touched);
                }
                Some(Err(missed)) => {
                    skipped.push(missed);
                    chain.pass();
                }
                None => chain.pass(),
            }
            settled.push(finding.touch);
        }
        for touched in also {
            chain.follow(touched);
        }
        let mut files = None;
        if let Some(seen) = &ground.seen {
            let looked = self.follow_look(ground, seen, &touches.later, &mut chain)?;
            skipped.extend(looked.0);
            disagreed.extend(looked.1);
            files = Some(at_event(ground, seen, &touches.later, &mut chain)?);
        }
        self.note_disagreements(&disagreed)?;
        match order.session {
            Some(session) => chain.turn_to((session, order.turn)),
            None => chain.turn_to_nobody(),
        }
        let (closed, open) = chain.end();
        match trouble.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(Followed {
                skipped,
                files,
                ..divided(closed, open, settled)
            }),
        }
    }

    /// What a look found that no call named, with whom it can be put down to.
    fn follow_look(
        &self,
        ground: &Ground<'_>,
        seen: &Seen,
        later: &BTreeMap<RepoPath, Option<State>>,
        chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> State>,
    ) -> Result<(Vec<Skipped>, Vec<Disagreement>), CutError> {
        let writers = match ground.tip.row {
            Some(_) => self.writers()?,
            None => None,
        };
        let mut owner = ownership::of_unnamed(writers.as_deref());
        if let Some(session) = owner.session
            && let Some(last) = ownership::roaming(writers.as_deref().unwrap_or_default()).next_back()
        {
            owner.turn = self.read(|db| turns::number_of_event(db, session, last.event))?;
        }
        let (is_listed, mut disagreed) = (is_listed(writers.as_deref()), Vec::new());
        let moved = Moved::between(ground);
        let followed: BTreeSet<RepoPath> = chain
            .paths()
            .filter(|(_, shelf)| *shelf == Shelf::Files)
            .map(|(path, _)| path.clone())
            .collect();
        for path in differing(ground, seen, &followed)? {
            let now = match later.get(&path) {
                Some(Some(before)) => *before,
                // What a later call wrote is its own; what was there before it nobody knows.
                Some(None) => continue,
                None => seen_state(ground, seen, &path)?,
            };
            if followed.contains(&path) || !moved.by_git(&path, &chain.state(&path, Shelf::Files), &now)? {
                if is_listed && !followed.contains(&path) && chain.state(&path, Shelf::Files) != now {
                    disagreed.push(Disagreement::NotNamed(path.clone()));
                }
                chain.put(&path, Shelf::Files, now, owner.clone());
            }
        }
        let mut missed = self.missed(seen, &owner)?;
        missed.retain(|missed| !later.contains_key(&missed.path));
        Ok((missed, disagreed))
    }

    /// Files that changed and are too large; said once for each size.
    fn missed(&self, seen: &Seen, owner: &super::chain::Owner) -> Result<Vec<Skipped>, StoreError> {
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
}

/// Gives every stretch the touches that ended in it.
fn divided(closed: Vec<(Link, usize)>, open: Link, mut settled: Vec<Touch>) -> Followed {
    let mut between = Vec::new();
    let mut before = 0;
    for (link, followed) in closed {
        let rest = settled.split_off(followed.saturating_sub(before).min(settled.len()));
        between.push(Stretch { link, settled });
        (settled, before) = (rest, followed);
    }
    Followed {
        between,
        rest: Stretch { link: open, settled },
        skipped: Vec::new(),
        files: None,
    }
}

/// The tree the look found, with what later calls did taken out of it.
fn at_event(
    ground: &Ground<'_>,
    seen: &Seen,
    later: &BTreeMap<RepoPath, Option<State>>,
    chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> State>,
) -> Result<Id, ShadowError> {
    let mut changes: BTreeMap<RepoPath, Option<Entry>> = BTreeMap::new();
    for path in later.keys() {
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
