//! What an event has to do with the worktree's gate: a call that waits there, a prompt that closes it, files to read.

use super::cutter::{CutError, Cutter};
use super::endangered::Keeping;
use super::gate::{GateLimits, Late, ReadGuard};
use super::ground::LATE_LOOK;
use super::intake::FollowUp;
use super::naming::{PlacedFile, root_of};
use super::order::Order;
use super::preimage::finding;
use super::worksite::WorktreeContext;
use crate::clock;
use crate::group_commit::GroupCommit;
use crate::pipeline::{AgentEvent, EventSubject, PipelineContext, PreparedEvent};
use engine::id::{ActorId, CheckpointId, EventSeq, TouchId, WorktreeId};
use engine::settings::{CheckpointSettings, GuardSettings};
use std::sync::Arc;
use std::time::Duration;
use store::StoreError;
use store::table::calls;
use store::table::events;
use store::table::touches::{self, Image, PathObservation};

/// More than this on top of its patience, and a hook decides that nobody answers.
const MARGIN_MS: u64 = 2_000;
/// How long the state before a destructive command may take to keep.
const LONGEST_KEEP: Duration = Duration::from_secs(10);

/// A call that may write, before its gate.
pub struct Hold {
    site: Arc<WorktreeContext>,
    session: ActorId,
    patience: GateLimits,
    before: Option<CheckpointBefore>,
    /// The call that begins when it is let go.
    lets_go: Option<EventSeq>,
}

/// The checkpoint a call waits for, because it may destroy something.
struct CheckpointBefore {
    order: Order,
    worktree: WorktreeId,
    settings: CheckpointSettings,
    /// Until when it must be there.
    limit: Duration,
    /// Which ignored files are kept.
    keeping: Keeping,
}

impl Hold {
    /// What the event has to do with its gate, if anything; a prompt closes it until its look is done.
    pub fn of(
        world: &PipelineContext,
        prepared: &PreparedEvent,
        after: &FollowUp,
        worktree: Option<WorktreeId>,
    ) -> Option<Self> {
        let (subject, session) = (subject_of(prepared)?, after.session?);
        if !after.waits && after.expects_look.is_none() && after.before.is_none() {
            return None;
        }
        let place = subject.place.as_ref()?;
        let site = world.worksite_at(place).ok()??;
        // In a folder that is gone there is nothing to look over, and nobody does.
        if let Some(event) = after.expects_look.filter(|_| root_of(place).is_dir()) {
            site.gate.expect_scan(session, event);
        }
        if !after.waits && after.before.is_none() {
            return None;
        }
        let settings = &subject.loaded.settings.checkpoints;
        let guard = &subject.loaded.settings.guard;
        let before = after
            .before
            .clone()
            .zip(worktree)
            .map(|(order, worktree)| CheckpointBefore {
                order,
                worktree,
                settings: settings.clone(),
                limit: keeping(after, guard),
                keeping: Keeping {
                    most_bytes: u64::from(guard.capture_limit_mb) * 1024 * 1024,
                    regenerable: guard.regenerable.clone(),
                },
            });
        Some(Self {
            site,
            session,
            before,
            lets_go: after.lets_go,
            patience: GateLimits {
                reads: Duration::from_millis(settings.barrier_ms.into()),
                scan: Duration::from_millis(settings.baseline_wait_ms.into()),
            },
        })
    }

    /// Whether there is something to wait for.
    pub fn is_closed(&self) -> bool {
        self.before.is_some() || self.site.gate.is_closed(self.session)
    }

    /// How long it may take, as the hook is told.
    pub fn longest_ms(&self) -> u64 {
        let kept = self.before.as_ref().map_or(Duration::ZERO, |before| before.limit);
        let longest = self.patience.reads + self.patience.scan + kept;
        u64::try_from(longest.as_millis())
            .unwrap_or(u64::MAX)
            .saturating_add(MARGIN_MS)
    }

    /// Waits, and keeps the state before a command that may destroy something; what it could not wait for, the next
    /// checkpoint says.
    pub fn wait(&self, writer: &GroupCommit) -> Result<Option<CheckpointId>, CutError> {
        for late in self.site.gate.wait(self.session, self.patience) {
            let waited = late.waited.as_millis();
            self.site.note_late(match late.what {
                Late::Reads => format!("barrier {waited} ms"),
                Late::Scan => format!("{LATE_LOOK} {waited} ms"),
            });
        }
        let kept = self.keep(writer);
        if let Some(event) = self.lets_go {
            writer.change(|db| calls::let_go(db, event, clock::earliest()))?;
        }
        kept
    }

    /// Keeps the state before a command that may destroy something, and waits for nobody else: where there is no daemon,
    /// nobody reads or looks meanwhile.
    pub fn keep(&self, writer: &GroupCommit) -> Result<Option<CheckpointId>, CutError> {
        let Some(before) = &self.before else {
            return Ok(None);
        };
        let cutter = Cutter {
            site: &self.site,
            writer,
            worktree: before.worktree,
            settings: &before.settings,
            limit: before.limit,
        };
        // What is captured now must be there when it is cut.
        let shadow = self.site.make_shadow()?;
        let _held = shadow.lock_bases()?;
        let endangered = cutter.endangered(&before.order, &before.keeping)?;
        let cut = cutter.cut(&before.order, &endangered)?;
        cutter.expect_changes(&before.order, &endangered)?;
        Ok(cut.id().cloned())
    }
}

/// How long a call waits for the state before it: where it must be kept, as long as the settings say.
fn keeping(after: &FollowUp, guard: &GuardSettings) -> Duration {
    match &after.otherwise {
        Some(_) => Duration::from_millis(guard.checkpoint_wait_ms.into()),
        None => LONGEST_KEEP,
    }
}

/// Files that were written and are read before the next call may write.
pub struct Unread {
    files: Vec<(TouchId, PlacedFile)>,
    settings: CheckpointSettings,
    /// Held until all are read.
    reading: Vec<ReadGuard>,
}

impl Unread {
    /// The files of an event; from here on, calls that may write wait for them.
    pub fn of(world: &PipelineContext, prepared: &PreparedEvent, after: &FollowUp) -> Option<Self> {
        let subject = subject_of(prepared)?;
        if after.unread.is_empty() {
            return None;
        }
        let mut roots: Vec<_> = after.unread.iter().map(|(_, named)| &named.place).collect();
        roots.dedup_by(|one, other| root_of(one) == root_of(other));
        let sites = roots
            .into_iter()
            .filter_map(|place| world.worksite_at(place).ok().flatten());
        Some(Self {
            files: after.unread.clone(),
            settings: subject.loaded.settings.checkpoints.clone(),
            reading: sites.map(|site| site.gate.reading()).collect(),
        })
    }

    /// Reads them and keeps what was found.
    pub fn read(self, world: &PipelineContext, writer: &GroupCommit) -> Result<(), StoreError> {
        let found: Vec<_> = self
            .files
            .iter()
            .map(|(touch, named)| (*touch, finding(&world.found(named, &self.settings))))
            .collect();
        let mut seat = writer.store();
        let until = events::newest(&seat.read())?;
        drop(self.reading);
        let mut tx = seat.begin()?;
        tx.unit(|db| {
            for (touch, finding) in &found {
                let overtaken =
                    touches::next_at(db, *touch, until)?.filter(|next| next.pre != Image::Unknown);
                match overtaken {
                    // The next call may have written before the file was read; what was there before it is known.
                    Some(next) => touches::set_post(
                        db,
                        *touch,
                        &PathObservation {
                            place: None,
                            image: next.pre,
                            skip_reason: None,
                            dated: next.pre_dated,
                        },
                    )?,
                    None => touches::set_post(db, *touch, finding)?,
                }
            }
            Ok(())
        })?;
        tx.commit()
    }
}

fn subject_of(prepared: &PreparedEvent) -> Option<&AgentEvent> {
    match &prepared.subject {
        EventSubject::Event(subject) => Some(subject),
        EventSubject::Unreadable { .. } | EventSubject::TakenBack | EventSubject::Disabled { .. } => None,
    }
}
