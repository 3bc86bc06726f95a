//! What calls named: which of it belongs to an order, and what was seen at those paths.
//!
//! A checkpoint is the state at the event that ordered it, however late it is cut. A call's file is seen twice, before
//! and after it, and what was seen counts in that order, whichever call ends first. What later calls touch is left to
//! later checkpoints; for these paths the state before the first of those calls is the one that counts.

use super::chain::{ChangeOwner, Shelf};
use super::cutter::{CutBase, CutError, Cutter, SkippedPath};
use super::dating::{Date, stamp};
use super::disagreement::Disagreement;
use super::ownership::Suspects;
use super::people::session_of;
use super::states::{from_image, from_place};
use super::worksite::IndexLookup;
use engine::checkpoint::Doubt;
use engine::id::{ActorId, EventSeq};
use engine::lifecycle::CallEnd;
use git::capture::{Capture, Captured, Rules, Skip};
use git::object::{PathState, TreeLeaf};
use git::path::RepoPath;
use git::shadow::ShadowError;
use std::collections::BTreeMap;
use std::path::Path;
use store::StoreError;
use store::table::calls;
use store::table::checkpoint_files::ChangeOrigin;
use store::table::touches::{self, Touch};
use store::table::turns;

/// What was touched and is in no checkpoint yet, seen from an event.
pub(super) struct Touches {
    event: EventSeq,
    /// By calls that were over at the event, in the order they ended.
    due: Vec<Touch>,
    /// By calls that end later, in the order they began.
    later: Vec<Touch>,
}

/// The path of a later call: what was there before it if that began after the event, and nothing if it began earlier,
/// because then that was followed already.
pub(super) type Later = BTreeMap<RepoPath, Option<(PathState, Date)>>;

/// The session and turn of an actor at an event: a call that names many files is looked up once.
pub(super) type Owners = BTreeMap<(ActorId, Option<EventSeq>), (Option<ActorId>, Option<u64>)>;

/// Where paths are kept; those that are not named here, among the files.
pub(super) type Shelves = BTreeMap<RepoPath, Shelf>;

/// What was seen at a path that a call named.
pub(super) struct PathSighting {
    at: EventSeq,
    pub what: SightingOutcome,
    /// The touch whose call began then.
    pub begins: Option<Touch>,
    /// The touch that is settled by it.
    pub ends: Option<Touch>,
}

/// What came of looking there.
pub(super) enum SightingOutcome {
    /// A state.
    News(SeenState),
    /// It was not captured.
    Missed(SkippedPath),
    /// The settings leave it out, or nobody looked.
    Nothing,
}

impl PathSighting {
    /// A call named a file that is as it was.
    pub fn disagreement(&self) -> Option<Disagreement> {
        let (SightingOutcome::News(news), Some(touch)) = (&self.what, &self.ends) else {
            return None;
        };
        let pre = from_image(&touch.pre).map(|state| shelved(state, news.shelf));
        (pre == Some(news.state)).then(|| Disagreement::NotChanged(news.path.clone()))
    }

    fn brings_something(&self) -> bool {
        matches!(&self.what, SightingOutcome::News(news) if news.state != PathState::Absent)
    }
}

/// A state somebody saw.
pub(super) struct SeenState {
    pub path: RepoPath,
    pub shelf: Shelf,
    pub state: PathState,
    /// How it is known whose doing it is, if it was not so before.
    pub claim: Claim,
}

/// How it is known whose doing a state is.
pub(super) enum Claim {
    /// A call that writes one file wrote it.
    By(ChangeOwner),
    /// It was made then, by whoever can have.
    Dated(Date),
    /// The same, and this call says that it changed.
    Listed(Date, ChangeOwner),
}

impl Touches {
    /// What the next call that began after this one found at the same path.
    fn after(&self, touch: &Touch) -> Option<(PathState, Option<i64>)> {
        let next = self
            .all()
            .filter(|other| other.path == touch.path && other.event_before > touch.event_after)
            .min_by_key(|other| other.event_before);
        next.and_then(|next| Some((from_image(&next.pre)?, next.pre_dated)))
    }

    /// All of it.
    pub fn all(&self) -> impl Iterator<Item = &Touch> {
        self.due.iter().chain(&self.later)
    }

    /// The paths of later calls, but for those that git ignores: no look sees them.
    pub fn later(&self, shelves: &Shelves, suspects: &Suspects<'_>) -> Later {
        let mut later = Later::new();
        for touch in &self.later {
            let Ok(path) = RepoPath::new(touch.path.clone()) else {
                continue;
            };
            if shelves.get(&path) == Some(&Shelf::Ignored) {
                continue;
            }
            let began = touch.event_before.filter(|began| *began > self.event);
            later.entry(path).or_insert_with(|| {
                let state = from_image(&touch.pre)?;
                began.map(|_| (state, Date::of(&state, touch.pre_dated, suspects.looked)))
            });
        }
        later
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
        let (due, mut later): (Vec<Touch>, Vec<Touch>) = ended.into_iter().partition(is_due);
        later.extend(running);
        later.sort_by_key(|touch| touch.id);
        Ok(Touches { event, due, later })
    }

    /// What was seen before and after the calls, in this order. Paths that were not read when their call ended are read
    /// now, by these rules; without rules they are left out.
    pub(super) fn sightings(
        &self,
        ground: &CutBase<'_>,
        (touches, shelves): (&Touches, &Shelves),
        suspects: &Suspects<'_>,
        rules: Option<&Rules>,
    ) -> Result<Vec<PathSighting>, CutError> {
        let mut sightings = Vec::new();
        for touch in touches.all() {
            sightings.extend(self.seen_before(touch, touches.event, shelves, suspects.looked)?);
        }
        if touches.due.is_empty() {
            return Ok(sightings);
        }
        let settings = ground.settings(self.site)?;
        let mut owners = Owners::new();
        let capture = |rules| {
            Capture::new(ground.shadow, &self.site.worktree, &settings, rules).map_err(CutError::from)
        };
        let mut capture = rules.map(capture).transpose()?;
        let tracking = self.site.tracking();
        for touch in &touches.due {
            let mut what = SightingOutcome::Nothing;
            if let Some((path, shelf)) = self.placed(touch, shelves) {
                let owner = self.owner(touch, &mut owners)?;
                let eyes = capture.as_mut().map(|capture| (capture, &tracking));
                let root = &self.site.worktree.root;
                // What a command names before it runs it does something to; what it lists afterwards it may have.
                let is_listed = touch.event_before.is_none() && suspects.has(touch.actor, &touch.call);
                what = match left_at((root, &path), touch, touches.after(touch), eyes)? {
                    Some(Ok((state, dated))) => SightingOutcome::News(SeenState {
                        state: shelved(state, shelf),
                        claim: if is_listed {
                            Claim::Listed(Date::of(&state, dated, suspects.looked), owner)
                        } else {
                            self.claim_of(touch, owner, Date::of(&state, dated, suspects.looked))?
                        },
                        path,
                        shelf,
                    }),
                    Some(Err(reason)) => SightingOutcome::Missed(SkippedPath { path, reason, owner }),
                    None => SightingOutcome::Nothing,
                };
            }
            sightings.push(PathSighting {
                at: touch.event_after.unwrap_or(touches.event),
                what,
                begins: None,
                ends: Some(touch.clone()),
            });
        }
        // Of what one call says it changed, what went made room for what came.
        sightings.sort_by_key(|sighting| (sighting.at, sighting.brings_something()));
        Ok(sightings)
    }

    /// What a call that names its files may claim: all that it left, nothing if it failed. Of one whose end was never
    /// told nobody knows whether it ran.
    fn claim_of(&self, touch: &Touch, owner: ChangeOwner, date: Date) -> Result<Claim, StoreError> {
        let ending = self.read(|db| calls::ending_of_named(db, touch.actor, &touch.call))?;
        Ok(match ending {
            Some(CallEnd::Failed) => Claim::Dated(date),
            Some(CallEnd::Interrupted | CallEnd::SessionEnd) => Claim::By(ChangeOwner {
                doubt: Some(Doubt::Interrupted),
                ..owner
            }),
            Some(CallEnd::Done | CallEnd::NotRun) | None => Claim::By(owner),
        })
    }

    /// What was there before a call, unless a checkpoint holds something newer.
    fn seen_before(
        &self,
        touch: &Touch,
        event: EventSeq,
        shelves: &Shelves,
        looked: i64,
    ) -> Result<Option<PathSighting>, StoreError> {
        let (Some(at), Some(state)) = (touch.event_before, from_image(&touch.pre)) else {
            return Ok(None);
        };
        let Some((path, shelf)) = self.placed(touch, shelves) else {
            return Ok(None);
        };
        if at > event || self.read(|db| touches::is_overtaken(db, touch))? {
            return Ok(None);
        }
        Ok(Some(PathSighting {
            at,
            what: SightingOutcome::News(SeenState {
                path,
                shelf,
                state: shelved(state, shelf),
                claim: Claim::Dated(Date::of(&state, touch.pre_dated, looked)),
            }),
            begins: Some(touch.clone()),
            ends: None,
        }))
    }

    /// Which path, and where it is kept; nothing where no checkpoint holds it.
    fn placed(&self, touch: &Touch, shelves: &Shelves) -> Option<(RepoPath, Shelf)> {
        // A name that no checkpoint may hold was never recorded by this version.
        let path = RepoPath::new(touch.path.clone()).ok()?;
        let shelf = shelves.get(&path).copied().unwrap_or(Shelf::Files);
        let is_left_out = shelf == Shelf::Ignored && !self.settings.capture_ignored;
        (!is_left_out).then_some((path, shelf))
    }

    /// Where each touched path is kept: what git ignores has a shelf of its own.
    pub(super) fn shelves(&self, ground: &CutBase<'_>, touches: &Touches) -> Result<Shelves, CutError> {
        let mut shelves = Shelves::new();
        let mut unknown = Vec::new();
        for touch in touches.all() {
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

    pub(super) fn owner(&self, touch: &Touch, owners: &mut Owners) -> Result<ChangeOwner, StoreError> {
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
        Ok(ChangeOwner {
            actor: Some(touch.actor),
            session,
            turn,
            origin: ChangeOrigin::Tool,
            call: Some(touch.call.clone()),
            doubt: None,
        })
    }
}

/// A state with its date, or why it was not captured.
type CapturedState = Result<(PathState, Option<i64>), String>;

/// What a call left, or why that was not captured. Where it was not read when the call ended: what was before the
/// next call, else what is there now.
fn left_at(
    (root, path): (&Path, &RepoPath),
    touch: &Touch,
    next: Option<(PathState, Option<i64>)>,
    eyes: Option<(&mut Capture<'_>, &IndexLookup<'_>)>,
) -> Result<Option<CapturedState>, CutError> {
    if let Some(reason) = &touch.skip_reason {
        return Ok(Some(Err(reason.clone())));
    }
    let post = from_image(&touch.post).map(|state| (state, touch.post_dated));
    if let Some(left) = post.or(next) {
        return Ok(Some(Ok(left)));
    }
    let Some((capture, tracking)) = eyes else {
        return Ok(None);
    };
    Ok(Some(
        match capture.take_asking(path, &|path| tracking.entry(path))? {
            Captured::Is(seen) => Ok((seen.state, stamp(root, path))),
            // A link is where its folder was: at this path there is nothing.
            Captured::Skipped(Skip::ThroughLink) => Ok((PathState::Absent, stamp(root, path))),
            Captured::Skipped(skip) => Err(skip.to_string()),
        },
    ))
}

/// What git is known to have at a path, without asking it.
fn tracked(ground: &CutBase<'_>, path: &RepoPath) -> Result<Option<TreeLeaf>, ShadowError> {
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
pub(super) fn shelved(state: PathState, shelf: Shelf) -> PathState {
    match (shelf, state) {
        (
            Shelf::Ignored,
            PathState::Present {
                entry,
                raw: Some(raw),
            },
        ) => PathState::plain(TreeLeaf {
            mode: entry.mode,
            id: raw,
        }),
        _ => state,
    }
}
