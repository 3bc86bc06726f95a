//! Follows every path from the newest checkpoint to the event of an order: calls first, then what a look found.

use super::chain::{Chain, Link, Owner, Shelf, Touched};
use super::cutter::{CutError, Cutter, Ground, Skipped};
use super::disagreement::Disagreement;
use super::look::Seen;
use super::moved::Moved;
use super::order::{Look, Order};
use super::ownership::{Suspect, Suspects};
use super::putting::own;
use super::touching::{Later, News, Touches, What};
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
    /// Paths that were seen anew while calls have them open: what was there before these is old news.
    pub outdated: Vec<RepoPath>,
}

/// What one checkpoint adds, and the touches that are settled by it.
#[derive(Default)]
pub(super) struct Stretch {
    pub link: Link,
    pub settled: Vec<Touch>,
    /// Touches of which it holds what was there before the call.
    pub begun: Vec<Touch>,
}

impl Cutter<'_> {
    /// Follows every path. `also` are changes that no call named: those of a rewind.
    pub(super) fn follow(
        &self,
        ground: &Ground<'_>,
        (order, touches): (&Order, &Touches),
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
        let mut begun = Vec::new();
        let suspects = self.suspects(ground, Some(order))?;
        let shelves = self.shelves(ground, touches)?;
        for sighting in self.sightings(ground, (touches, &shelves), &suspects, Some(rules))? {
            disagreed.extend(sighting.disagreement());
            match sighting.what {
                What::News(news) => follow_news(ground, &news, &mut chain)?,
                What::Missed(missed) => skipped.push(missed),
                What::Nothing => {}
            }
            begun.extend(sighting.begins.map(|touch| (chain.closed(), touch)));
            if let Some(touch) = sighting.ends {
                chain.pass();
                settled.push(touch);
            }
        }
        let is_gone = |touched: &&Touched| touched.post == Some(State::Absent);
        // What goes makes room for what comes.
        for touched in also.iter().filter(is_gone) {
            chain.follow(touched);
        }
        for touched in also.iter().filter(|touched| !is_gone(touched)) {
            make_room(
                ground,
                (&touched.path, touched.shelf),
                &suspects.now(),
                &mut chain,
            )?;
            chain.follow(touched);
        }
        let mut outdated: Vec<RepoPath> = also.iter().map(|touched| touched.path.clone()).collect();
        let mut files = None;
        if let Some(seen) = &ground.seen {
            let later = touches.later(&shelves, &suspects);
            let looked = self.follow_look(ground, seen, (&later, &suspects), &mut chain)?;
            skipped.extend(looked.0);
            disagreed.extend(looked.1);
            files = Some(at_event(ground, seen, &later, &mut chain)?);
            for path in later.into_keys() {
                if is_displaced(ground, seen, &path)? {
                    outdated.push(path);
                }
            }
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
                outdated,
                ..divided(closed, open, (settled, &begun))
            }),
        }
    }

    /// Who may have written what no payload named. Nobody's calls count before the first checkpoint, and those of a
    /// session not while they wait for the look that its prompt asked for.
    pub(super) fn suspects(
        &self,
        ground: &Ground<'_>,
        order: Option<&Order>,
    ) -> Result<Suspects, StoreError> {
        if ground.tip.row.is_none() {
            return Ok(Suspects(None));
        }
        let Some(mut writers) = self.writers()? else {
            return Ok(Suspects(None));
        };
        if let Some(order) = order
            && let (Look::Always, Some(session), Some(event)) = (order.look, order.session, order.event)
            && self.site.gate.holds(session)
        {
            writers.retain(|writer| writer.session != Some(session) || writer.event <= event);
        }
        let mut suspects = Vec::new();
        for writer in writers {
            let turn = match writer.session {
                Some(session) => self.read(|db| turns::number_of_event(db, session, writer.event))?,
                None => None,
            };
            suspects.push(Suspect { writer, turn });
        }
        Ok(Suspects(Some(suspects)))
    }

    /// What a look found that no call named, with whom it can be put down to.
    fn follow_look(
        &self,
        ground: &Ground<'_>,
        seen: &Seen,
        (later, suspects): (&Later, &Suspects),
        chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> State>,
    ) -> Result<(Vec<Skipped>, Vec<Disagreement>), CutError> {
        let owner = suspects.now();
        let (is_listed, mut disagreed) = (suspects.are_listed(), Vec::new());
        let moved = Moved::between(ground);
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
                    let before = left.as_ref().map(|(state, owner)| (path, *state, owner));
                    found.extend(before);
                }
                Some(_) | None => found.push((path.clone(), seen_state(ground, seen, &path)?, &owner)),
            }
        }
        // What went made room for what came.
        found.sort_by_key(|(_, now, _)| *now != State::Absent);
        for (path, now, owner) in found {
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
}

/// Gives every stretch the touches that ended in it.
fn divided(
    closed: Vec<(Link, usize)>,
    open: Link,
    (mut settled, begun): (Vec<Touch>, &[(usize, Touch)]),
) -> Followed {
    let begun_in = |number: usize| {
        let of_it = begun.iter().filter(|(link, _)| *link == number);
        of_it.map(|(_, touch)| touch.clone()).collect()
    };
    let mut between = Vec::new();
    let mut before = 0;
    for (number, (link, followed)) in closed.into_iter().enumerate() {
        let rest = settled.split_off(followed.saturating_sub(before).min(settled.len()));
        between.push(Stretch {
            link,
            settled,
            begun: begun_in(number),
        });
        (settled, before) = (rest, followed);
    }
    Followed {
        rest: Stretch {
            begun: begun_in(between.len()),
            link: open,
            settled,
        },
        between,
        skipped: Vec::new(),
        files: None,
        outdated: Vec::new(),
    }
}

/// One path was seen. A file where a folder was, or below a file, says that the other is gone.
pub(super) fn follow_news(
    ground: &Ground<'_>,
    news: &News,
    chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> State>,
) -> Result<(), ShadowError> {
    if news.state != State::Absent {
        make_room(ground, (&news.path, news.shelf), &news.around, chain)?;
    }
    chain.put(&news.path, news.shelf, news.state, news.owner.clone());
    Ok(())
}

/// Whatever cannot be there at the same time as a file at this path is gone, by whoever did it.
fn make_room(
    ground: &Ground<'_>,
    (path, shelf): (&RepoPath, Shelf),
    owner: &Owner,
    chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> State>,
) -> Result<(), ShadowError> {
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
        chain.put(&other, shelf, State::Absent, owner.clone());
    }
    Ok(())
}

/// The tree the look found, with what later calls did taken out of it.
fn at_event(
    ground: &Ground<'_>,
    seen: &Seen,
    later: &Later,
    chain: &mut Chain<impl FnMut(&RepoPath, Shelf) -> State>,
) -> Result<Id, ShadowError> {
    let mut changes: BTreeMap<RepoPath, Option<Entry>> = BTreeMap::new();
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

/// Whether something was seen that cannot be there at the same time: a folder at the path, or a file above it.
fn is_displaced(ground: &Ground<'_>, seen: &Seen, path: &RepoPath) -> Result<bool, ShadowError> {
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
fn seen_state(ground: &Ground<'_>, seen: &Seen, path: &RepoPath) -> Result<State, ShadowError> {
    if let Some(state) = seen.snapshot.states.get(path) {
        return Ok(*state);
    }
    let entry = ground.shadow.entry(seen.snapshot.files, path)?;
    Ok(entry.map_or(State::Absent, State::plain))
}
