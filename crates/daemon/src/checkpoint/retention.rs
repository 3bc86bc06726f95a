//! What is kept and for how long: once a day, or when a shadow has grown too large, steps go first, then the oldest.
//!
//! Never: what is pinned, pending or of an open session, the last of every session, and what a recent undo needs. If
//! these alone are too much, nothing more is deleted and the person is told, once a day.

use super::cutter::{CutError, Cutter};
use crate::clock;
use crate::group_commit::GroupCommit;
use crate::pipeline::PipelineContext;
use engine::effect::{Audience, JobKind, NewJob, Owed};
use engine::id::{ActorId, CheckpointId, EventSeq, ProjectId, WorktreeId};
use engine::time::Timestamp;
use git::object::Id;
use git::shadow::tidy::{Meanwhile, PackedSize, Tidying};
use git::shadow::{Shadow, Track};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use store::table::checkpoints::retention::{Retention, candidates};
use store::table::checkpoints::{self, Checkpoint};
use store::table::{checkpoint_files, counters, jobs, notices, touches, worktrees};
use store::{Db, StoreError};

mod bases;
mod line;
mod renewal;
mod settling;

pub(super) use renewal::named_in;

const HOUR_MS: u64 = 60 * 60 * 1000;
const DAY_MS: u64 = 24 * HOUR_MS;
/// An undo is possible for so long, whatever else goes.
const UNDO_MS: u64 = 7 * DAY_MS;
/// What somebody may be about to refer to is this young.
const FRESH: Duration = Duration::from_hours(1);
/// A file that was kept before a call is recorded within this time.
const RECORDED: Duration = Duration::from_secs(2);
/// The system dates files by a clock that may be so much behind.
const TICK: Duration = Duration::from_millis(20);
/// Up to so many checkpoints are tried out before a person is told which go.
const MOST_TRIED: usize = 2_000;
/// So many checkpoints go at once: events wait while their rows are changed.
const BATCH: usize = 500;
/// When there is too much, so many parts of what may go are dropped one after the other, until it fits.
const PARTS: usize = 4;
/// Packing everything there is may take this long.
const PACK_TIME: Duration = Duration::from_mins(10);
const MEGABYTE: u64 = 1024 * 1024;

/// What a person wants dropped now.
#[derive(Debug, Clone, Copy, Default)]
pub struct PruneRequest {
    /// Only of this client session, by the row of its main thread.
    pub session: Option<ActorId>,
    /// Everything older, instead of what the settings say.
    pub before: Option<Timestamp>,
    /// Only say what would go.
    pub dry_run: bool,
}

/// What was dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrunedCheckpoints {
    /// The checkpoints that went, or would; in the order they go.
    pub dropped: Vec<Checkpoint>,
    /// Bytes of all the shadow's objects before.
    pub bytes_before: u64,
    /// And after.
    pub bytes_after: u64,
    /// There is more than `max_store_mb`, and nothing that may go.
    pub is_over: bool,
}

/// Drops what a person wants dropped, in the whole project.
pub fn prune(cutter: &Cutter<'_>, what: &PruneRequest) -> Result<PrunedCheckpoints, CutError> {
    let shadow = cutter.site.shadow()?;
    let upkeep = Upkeep::of(cutter, shadow.as_deref())?;
    let mut retention = upkeep.by_age();
    retention.session = what.session;
    if let Some(before) = what.before {
        (retention.steps_since, retention.others_since) = (before, before);
    }
    let bytes_before = upkeep.size()?;
    if what.dry_run {
        return Ok(PrunedCheckpoints {
            dropped: upkeep.would_go(&retention)?,
            bytes_before,
            bytes_after: bytes_before,
            is_over: upkeep.is_over()?,
        });
    }
    let mut dropped = upkeep.drop_all(&retention)?;
    upkeep.clear(PackedSize::All)?;
    if what.session.is_none() && what.before.is_none() {
        dropped.extend(upkeep.make_room()?);
    }
    upkeep.clear_now()?;
    Ok(PrunedCheckpoints {
        dropped,
        bytes_before,
        bytes_after: upkeep.size()?,
        is_over: upkeep.is_over()?,
    })
}

/// What a day brings: drops what is old, makes room where there is too much, and packs the rest.
pub fn tidy(cutter: &Cutter<'_>) -> Result<(), CutError> {
    let Some(shadow) = cutter.site.shadow()? else {
        return Ok(());
    };
    let upkeep = Upkeep::of(cutter, Some(&shadow))?;
    cutter.write(|db| counters::note(db, &upkeep.counter(TIDIED), "", upkeep.now))?;
    let dropped = upkeep.drop_all(&upkeep.by_age())?;
    upkeep.clear(if dropped.is_empty() {
        PackedSize::Loose
    } else {
        PackedSize::All
    })?;
    upkeep.make_room()?;
    if upkeep.is_over()? {
        upkeep.tell()?;
    }
    Ok(())
}

/// The same for a job: the worktree is looked up first. One that is gone has nothing to tidy.
pub fn tidy_at(world: &PipelineContext, writer: &GroupCommit, worktree: WorktreeId) -> Result<(), CutError> {
    let row = worktrees::by_id(&writer.store().read(), worktree)?;
    let Some(row) = row else { return Ok(()) };
    let Some((site, loaded)) = world.worksite(&row.root)? else {
        return Ok(());
    };
    tidy(&Cutter {
        site: &site,
        writer,
        worktree,
        settings: &loaded.settings.checkpoints,
        limit: PACK_TIME,
    })
}

/// Remembers when a project's checkpoints were last tidied.
const TIDIED: &str = "tidied";
/// Remembers when their size was last looked at.
const MEASURED: &str = "measured";

/// Whether it is time to tidy a project's checkpoints: once a day, when a session starts.
pub fn is_due(db: &Db, project: ProjectId, now: Timestamp) -> Result<bool, StoreError> {
    let last = counters::last(db, &counter(TIDIED, project))?;
    Ok(last.is_none_or(|last| now.since(last) > DAY_MS) && checkpoints::has_any(db, project)?)
}

/// The job that tidies, wherever it is asked for.
pub fn job(worktree: WorktreeId) -> NewJob {
    NewJob {
        kind: JobKind::TidyCheckpoints,
        key: worktree.to_string(),
    }
}

/// Looks, at most once an hour, whether there is too much, and has it tidied then.
pub(super) fn watch(cutter: &Cutter<'_>, event: Option<EventSeq>) -> Result<(), CutError> {
    let Some(shadow) = cutter.site.shadow()? else {
        return Ok(());
    };
    let upkeep = Upkeep::of(cutter, Some(&shadow))?;
    let name = upkeep.counter(MEASURED);
    let last = cutter.read(|db| counters::last(db, &name))?;
    if last.is_some_and(|last| upkeep.now.since(last) < HOUR_MS) {
        return Ok(());
    }
    let is_over = upkeep.is_over()?;
    cutter.write(|db| {
        counters::note(db, &name, "", upkeep.now)?;
        if is_over {
            let event = event.unwrap_or(EventSeq(0));
            let project = Some(upkeep.project);
            jobs::add(db, &job(cutter.worktree), event, project, None, upkeep.now)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// A moment as the system dates files.
fn moment(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(at.0).unwrap_or(0))
}

fn counter(name: &str, project: ProjectId) -> String {
    format!("{name}/{project}")
}

/// The upkeep of one project's checkpoints.
struct Upkeep<'a> {
    cutter: &'a Cutter<'a>,
    /// None where checkpoints have rows and nothing else any more.
    shadow: Option<&'a Shadow>,
    project: ProjectId,
    now: Timestamp,
    /// Commits of ours that nothing leads to any more.
    left_behind: RefCell<Vec<Id>>,
}

impl<'a> Upkeep<'a> {
    fn of(cutter: &'a Cutter<'a>, shadow: Option<&'a Shadow>) -> Result<Self, CutError> {
        let row = cutter.read(|db| worktrees::by_id(db, cutter.worktree))?;
        Ok(Self {
            project: row.ok_or(StoreError::Corrupt)?.project,
            cutter,
            shadow,
            now: clock::now(),
            left_behind: RefCell::default(),
        })
    }

    fn counter(&self, name: &str) -> String {
        counter(name, self.project)
    }

    fn ago(&self, milliseconds: u64) -> Timestamp {
        Timestamp(self.now.0.saturating_sub_unsigned(milliseconds))
    }

    fn by_age(&self) -> Retention {
        let settings = self.cutter.settings;
        Retention {
            project: Some(self.project),
            session: None,
            steps_since: self.ago(u64::from(settings.keep_steps_hours) * HOUR_MS),
            others_since: self.ago(u64::from(settings.retention_days) * DAY_MS),
            undo_since: self.ago(UNDO_MS),
            keep_last: u64::from(settings.keep_last),
        }
    }

    fn size(&self) -> Result<u64, CutError> {
        Ok(self.shadow.map_or(Ok(0), Shadow::size)?)
    }

    fn is_over(&self) -> Result<bool, CutError> {
        Ok(self.size()? > self.most())
    }

    /// The same counting only what could be removed now: for what is young, nothing is dropped in vain.
    fn is_over_with_old(&self) -> Result<bool, CutError> {
        let old = |shadow: &Shadow| shadow.size_older(self.fresh());
        Ok(self.shadow.map_or(Ok(0), old)? > self.most())
    }

    fn most(&self) -> u64 {
        u64::from(self.cutter.settings.max_store_mb) * MEGABYTE
    }

    /// Whatever is older, nobody is about to refer to.
    fn fresh(&self) -> SystemTime {
        moment(self.now) - FRESH
    }

    /// Drops, of what may go, as much as is needed to be within the limit.
    fn make_room(&self) -> Result<Vec<Checkpoint>, CutError> {
        let mut dropped = Vec::new();
        let since = self.ago(HOUR_MS);
        let retention = Retention {
            steps_since: since,
            others_since: since,
            ..self.by_age()
        };
        let mut part = None;
        while self.is_over_with_old()? {
            let may_go = self.cutter.read(|db| candidates(db, &retention, u64::MAX))?;
            let most = *part.get_or_insert_with(|| may_go.len().div_ceil(PARTS));
            let went = self.drop_some(&may_go, most)?;
            if went.is_empty() {
                break;
            }
            dropped.extend(went);
            self.clear(PackedSize::All)?;
        }
        Ok(dropped)
    }

    fn drop_all(&self, retention: &Retention) -> Result<Vec<Checkpoint>, CutError> {
        let may_go = self.cutter.read(|db| candidates(db, retention, u64::MAX))?;
        self.drop_some(&may_go, usize::MAX)
    }

    /// What would go, tried out: those that keep the work of two apart stay. Of very many it is not tried, since events
    /// would wait meanwhile.
    fn would_go(&self, retention: &Retention) -> Result<Vec<Checkpoint>, CutError> {
        let mut may_go = self.cutter.read(|db| candidates(db, retention, u64::MAX))?;
        if may_go.len() <= MOST_TRIED {
            let ids: Vec<CheckpointId> = may_go.iter().map(|one| one.id.clone()).collect();
            let going: BTreeSet<CheckpointId> = line::droppable(self.cutter, &ids)?.into_iter().collect();
            may_go.retain(|one| going.contains(&one.id));
        }
        Ok(may_go)
    }

    /// Drops up to so many of these. Those that keep the work of two apart stay.
    fn drop_some(&self, may_go: &[Checkpoint], most: usize) -> Result<Vec<Checkpoint>, CutError> {
        let mut gone = BTreeSet::new();
        let lines = self.lines()?;
        for batch in may_go.chunks(BATCH) {
            let left = most.saturating_sub(gone.len());
            let mut by_worktree: BTreeMap<WorktreeId, Vec<CheckpointId>> = BTreeMap::new();
            for checkpoint in batch.iter().take(left) {
                let of = by_worktree.entry(checkpoint.worktree).or_default();
                of.push(checkpoint.id.clone());
            }
            for (worktree, ids) in by_worktree {
                gone.extend(self.drop_of(&lines, worktree, &ids)?);
            }
        }
        Ok(may_go
            .iter()
            .filter(|one| gone.contains(&one.id))
            .cloned()
            .collect())
    }

    fn drop_of(
        &self,
        lines: &TrackSet,
        worktree: WorktreeId,
        ids: &[CheckpointId],
    ) -> Result<Vec<CheckpointId>, CutError> {
        match (self.shadow, lines.known.get(&worktree)) {
            (Some(shadow), Some(line)) => {
                let thinned = line::thin(self.cutter, shadow, line, ids)?;
                self.left_behind.borrow_mut().extend(thinned.left_behind);
                Ok(thinned.gone)
            }
            // A worktree without a line has rows and nothing else.
            _ if lines.are_all_known => line::forget(self.cutter, ids),
            _ => Ok(Vec::new()),
        }
    }

    /// Whose line is whose. A worktree may be gone while its checkpoints are not, so its tip has to say it.
    fn lines(&self) -> Result<TrackSet, CutError> {
        let mut lines = TrackSet {
            known: BTreeMap::new(),
            are_all_known: true,
        };
        let Some(shadow) = self.shadow else {
            return Ok(lines);
        };
        for (line, tip) in shadow.lines()? {
            let owner = if line == self.cutter.site.line {
                Some(self.cutter.worktree)
            } else {
                line::owner(self.cutter, shadow, tip)?
            };
            match owner {
                Some(worktree) => drop(lines.known.insert(worktree, line)),
                None => lines.are_all_known = false,
            }
        }
        Ok(lines)
    }

    /// Lets go what no checkpoint needs any more, in the person's repository and in ours.
    fn clear(&self, extent: PackedSize) -> Result<(), CutError> {
        let Some(shadow) = self.shadow else { return Ok(()) };
        bases::release(self.cutter, shadow, self.project)?;
        self.remove(shadow, extent, (self.fresh(), Meanwhile::Leave))
    }

    /// Removes what no checkpoint needs, however young: no checkpoint is cut meanwhile. Only what is kept before a call
    /// writes is written without that, so such a file is given the time to be recorded.
    fn clear_now(&self) -> Result<(), CutError> {
        let Some(shadow) = self.shadow else { return Ok(()) };
        let _alone = shadow.lock_bases_alone()?;
        let began = moment(clock::now());
        if shadow.has_younger(began - RECORDED)? {
            let until = Instant::now() + RECORDED;
            while let Some(left) = until.checked_duration_since(Instant::now()) {
                thread::park_timeout(left.max(Duration::from_millis(1)));
            }
        }
        self.remove(shadow, PackedSize::All, (began - TICK, Meanwhile::Wait))
    }

    fn remove(
        &self,
        shadow: &Shadow,
        extent: PackedSize,
        (older_than, meanwhile): (SystemTime, Meanwhile),
    ) -> Result<(), CutError> {
        let named = self.cutter.read(|db| {
            let mut named = checkpoint_files::objects(db, self.project)?;
            named.extend(touches::objects(db, self.project)?);
            Ok(named)
        })?;
        let needed: Vec<Id> = named.iter().filter_map(|id| id.parse().ok()).collect();
        let obsolete = self.left_behind.take();
        let tidying = Tidying {
            needed: &needed,
            obsolete: &obsolete,
            older_than,
            extent,
            time: PACK_TIME,
            meanwhile,
        };
        shadow.tidy(self.cutter.site.environment(), &tidying)?;
        Ok(())
    }

    /// Says once a day that there is too much, and that all of it is needed.
    fn tell(&self) -> Result<(), CutError> {
        let root = engine::text::one_line(&self.cutter.site.worktree.root.to_string_lossy(), 200);
        let owed = Owed {
            audience: Audience::Person,
            kind: "checkpoints.store".to_owned(),
            key: format!("{}:{}", self.project, clock::day(self.now)),
            text: format!(
                "The checkpoints of {root} take {} MB, more than checkpoints.max_store_mb ({}). Nothing was deleted: \
                 all that is left is pinned, not committed, of an open session or recent. Commit or unpin, or raise \
                 the limit.",
                self.size()? / MEGABYTE,
                self.cutter.settings.max_store_mb,
            ),
        };
        self.cutter.write(|db| {
            if notices::was_owed(db, &owed)? {
                return Ok(());
            }
            notices::owe(db, &owed, None, self.now)
        })?;
        Ok(())
    }
}

struct TrackSet {
    known: BTreeMap<WorktreeId, Track>,
    /// No line is left whose worktree is not known.
    are_all_known: bool,
}

#[cfg(test)]
mod tests;
