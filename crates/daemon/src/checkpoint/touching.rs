//! What calls named: which of it belongs to an order, and what is at those paths.
//!
//! A checkpoint is the state at the event that ordered it, however late it is cut. What later calls touch is left to
//! later checkpoints; for these paths the state before the first of those calls is the one that counts.

use super::chain::{Owner, Shelf, Touched};
use super::cutter::{CutError, Cutter, Ground, Skipped};
use super::people::session_of;
use super::states::{from_image, from_place};
use engine::id::{ActorId, EventSeq};
use git::capture::{Capture, Found, Rules};
use git::object::{Entry, State};
use git::path::RepoPath;
use git::shadow::ShadowError;
use std::collections::BTreeMap;
use store::StoreError;
use store::table::checkpoint_files::Origin;
use store::table::touches::{self, Touch};
use store::table::turns;

/// What was touched and is in no checkpoint yet.
pub(super) struct Touches {
    /// By calls that were over at the event, in the order they ended.
    pub due: Vec<Touch>,
    /// Paths of calls that end later, with what was there before the first of them, if that is known.
    pub later: BTreeMap<RepoPath, Option<State>>,
}

impl Touches {
    /// What the next call that began after this one found at the same path.
    fn after(&self, touch: &Touch) -> Option<State> {
        let next = self
            .due
            .iter()
            .filter(|other| other.path == touch.path && other.event_before > touch.event_after)
            .min_by_key(|other| other.event_before);
        let found = next.and_then(|next| from_image(&next.pre));
        found.or_else(|| *self.later.get(&RepoPath::new(touch.path.clone()).ok()?)?)
    }
}

/// What was found at a path a call named; nothing where the settings leave it out.
pub(super) struct Finding {
    pub touch: Touch,
    pub found: Option<Result<Touched, Skipped>>,
}

/// The session and turn of an actor at an event: a call that names many files is looked up once.
pub(super) type Owners = BTreeMap<(ActorId, Option<EventSeq>), (Option<ActorId>, Option<u64>)>;

/// A path a call named.
struct Named {
    path: RepoPath,
    shelf: Shelf,
    pre: Option<State>,
    post: Option<State>,
    reason: Option<String>,
    owner: Owner,
}

impl Named {
    #[expect(
        clippy::result_large_err,
        reason = "neither outcome is an error; both are used at once"
    )]
    fn outcome(self) -> Result<Touched, Skipped> {
        let Self {
            path, shelf, owner, ..
        } = self;
        let shelved = |state: Option<State>| state.map(|state| shelved(state, shelf));
        match self.reason {
            Some(reason) => Err(Skipped { path, reason, owner }),
            None => Ok(Touched {
                path,
                shelf,
                pre: shelved(self.pre),
                post: shelved(self.post),
                owner,
            }),
        }
    }
}

impl Cutter<'_> {
    /// What was touched, seen from an event.
    pub(super) fn touches(&self, event: EventSeq) -> Result<Touches, StoreError> {
        let (ended, running) = self.read(|db| {
            Ok((
                touches::pending(db, self.worktree)?,
                touches::running(db, self.worktree)?,
            ))
        })?;
        let is_due = |touch: &Touch| touch.event_after <= Some(event);
        let (due, rest): (Vec<Touch>, Vec<Touch>) = ended.into_iter().partition(is_due);
        let mut later: BTreeMap<RepoPath, (i64, Option<State>)> = BTreeMap::new();
        for touch in rest.into_iter().chain(running) {
            let Ok(path) = RepoPath::new(touch.path.clone()) else {
                continue;
            };
            let found = (touch.id.0, from_image(&touch.pre));
            let first = later.entry(path).or_insert(found);
            if touch.id.0 < first.0 {
                *first = found;
            }
        }
        let later = later.into_iter().map(|(path, (_, pre))| (path, pre)).collect();
        Ok(Touches { due, later })
    }

    /// What the calls named, and what is there. Paths that were not read when their call ended are read now.
    pub(super) fn touched(
        &self,
        ground: &Ground<'_>,
        touches: &Touches,
        rules: &Rules,
    ) -> Result<Vec<Finding>, CutError> {
        if touches.due.is_empty() {
            return Ok(Vec::new());
        }
        let shelves = self.shelves(ground, &touches.due)?;
        let settings = ground.settings(self.site)?;
        let mut capture = Capture::new(ground.shadow, &self.site.worktree, &settings, rules)?;
        let mut findings = Vec::new();
        let mut owners = Owners::new();
        for touch in &touches.due {
            let found = match self.named(touch, &shelves, &mut owners)? {
                Some(mut named) => {
                    self.read_late(&mut named, touches.after(touch), &mut capture)?;
                    Some(named.outcome())
                }
                None => None,
            };
            findings.push(Finding {
                touch: touch.clone(),
                found,
            });
        }
        Ok(findings)
    }

    /// What is known of a touched path; nothing where no checkpoint holds it.
    fn named(
        &self,
        touch: &Touch,
        shelves: &BTreeMap<RepoPath, Shelf>,
        owners: &mut Owners,
    ) -> Result<Option<Named>, StoreError> {
        // A name that no checkpoint may hold was never recorded by this version.
        let Ok(path) = RepoPath::new(touch.path.clone()) else {
            return Ok(None);
        };
        let shelf = shelves.get(&path).copied().unwrap_or(Shelf::Files);
        if shelf == Shelf::Ignored && !self.settings.capture_ignored {
            return Ok(None);
        }
        Ok(Some(Named {
            path,
            shelf,
            pre: from_image(&touch.pre),
            post: from_image(&touch.post),
            reason: touch.skip_reason.clone(),
            owner: self.owner(touch, owners)?,
        }))
    }

    /// A path that was not read when its call ended: what was before the next call, else what is there now.
    fn read_late(
        &self,
        named: &mut Named,
        next: Option<State>,
        capture: &mut Capture<'_>,
    ) -> Result<(), CutError> {
        if named.post.is_some() || named.reason.is_some() {
            return Ok(());
        }
        if next.is_some() {
            named.post = next;
            return Ok(());
        }
        match capture.take_asking(&named.path, &|path| self.site.tracked(path))? {
            Found::Is(seen) => named.post = Some(seen.state),
            Found::Skipped(skip) => named.reason = Some(skip.to_string()),
        }
        Ok(())
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

    pub(super) fn owner(&self, touch: &Touch, owners: &mut Owners) -> Result<Owner, StoreError> {
        let event = touch.event_before.or(touch.event_after);
        let known = owners.get(&(touch.actor, event)).copied();
        let (session, turn) = match known {
            Some(known) => known,
            None => self.read(|db| {
                let session = session_of(db, touch.actor)?;
                let turn = match (session, event) {
                    (Some(session), Some(event)) => turns::number_of_event(db, session, event)?,
                    _ => None,
                };
                Ok((session, turn))
            })?,
        };
        owners.insert((touch.actor, event), (session, turn));
        Ok(Owner {
            actor: Some(touch.actor),
            session,
            turn,
            origin: Origin::Tool,
            call: Some(touch.call.clone()),
        })
    }
}

/// What git is known to have at a path, without asking it.
fn tracked(ground: &Ground<'_>, path: &RepoPath) -> Result<Option<Entry>, ShadowError> {
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
        ) => State::plain(Entry {
            mode: entry.mode,
            id: raw,
        }),
        _ => state,
    }
}
