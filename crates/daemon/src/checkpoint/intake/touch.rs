//! Files a payload names: what they hold before a call, after it and after its batch. They may be in another worktree than the agent.

use super::{FollowUp, FoundFile, Intake};
use crate::checkpoint::naming::PlacedFile;
use crate::checkpoint::preimage::finding;
use crate::checkpoint::states::to_image;
use crate::pipeline::place_rows;
use engine::checkpoint::{CheckpointKind, NamedFiles, Roaming, TouchTime};
use engine::id::{ActorId, ToolUseId, TouchId, WorktreeId};
use git::object::PathState;
use git::path::RepoPath;
use std::sync::Arc;
use store::StoreError;
use store::table::touches::{self, Naming};

impl Intake<'_> {
    /// Notes what the files hold that a call is about to write, or has written.
    pub(super) fn touch(
        &self,
        touch: &NamedFiles,
        session: ActorId,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        let call = self.call_id(touch.call.as_ref());
        match touch.when {
            TouchTime::Coming => {
                for found in &self.subject.found {
                    let worktree = self.worktree_of(&found.named)?;
                    if Some(worktree) != self.worktree {
                        self.baseline_of(worktree, session, after)?;
                    }
                    let naming = self.naming(worktree, &found.named, &call);
                    let id = touches::open(self.db(), &naming, self.source.event)?;
                    touches::set_pre(self.db(), id, &finding(found))?;
                }
            }
            TouchTime::Done => {
                for named in &self.subject.named {
                    let worktree = self.worktree_of(named)?;
                    let naming = self.naming(worktree, named, &call);
                    if let Some(id) = touches::finish(self.db(), &naming, self.source.event)? {
                        match self.subject.found.iter().find(|found| found.named == *named) {
                            Some(found) => self.leave(id, found)?,
                            None => after.unread.push((id, named.clone())),
                        }
                    }
                    if Some(worktree) != self.worktree {
                        self.step_elsewhere(worktree, session, after)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Keeps what a call left, and what it met if the person was there first.
    fn leave(&self, id: TouchId, found: &FoundFile) -> Result<(), StoreError> {
        if let Some((state, at)) = &found.met {
            touches::renew_pre(self.db(), id, &to_image(state), *at)?;
        }
        touches::set_post(self.db(), id, &finding(found))
    }

    /// A batch is over: what the client's own hooks made of its files meanwhile is what its calls left.
    pub(super) fn touch_again(&self) -> Result<(), StoreError> {
        for found in &self.subject.found {
            // No hook takes away what was just written; the person does.
            if found.state == Some(PathState::Absent) {
                continue;
            }
            let worktree = self.worktree_of(&found.named)?;
            let path = found.named.path.as_bytes();
            if let Some(id) = touches::last_of(self.db(), worktree, path, self.actor.id)? {
                touches::set_post(self.db(), id, &finding(found))?;
            }
        }
        Ok(())
    }

    /// A command is over: what was kept of ignored files before it is looked at again.
    pub(super) fn end_endangered(
        &self,
        call: Option<&ToolUseId>,
        state: Roaming,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        let is_over = matches!(state, Roaming::Ends { .. } | Roaming::Lingers);
        let (true, Some(place)) = (is_over, &self.subject.place) else {
            return Ok(());
        };
        let call = self.call_id(call);
        for touch in touches::open_of_call(self.db(), self.actor.id, &call)? {
            let Some(path) = RepoPath::new(touch.path)
                .ok()
                .filter(|_| Some(touch.worktree) == self.worktree)
            else {
                continue;
            };
            let named = PlacedFile {
                place: Arc::clone(place),
                path,
            };
            let naming = self.naming(touch.worktree, &named, &call);
            if let Some(id) = touches::finish(self.db(), &naming, self.source.event)? {
                after.unread.push((id, named));
            }
        }
        Ok(())
    }

    /// The batch that ends this step is told of where the agent stands; there nobody looks for this file.
    fn step_elsewhere(
        &self,
        worktree: WorktreeId,
        session: ActorId,
        after: &mut FollowUp,
    ) -> Result<(), StoreError> {
        self.baseline_of(worktree, session, after)?;
        let order = self.order(CheckpointKind::Step, format!("e{}", self.source.event), session)?;
        self.order_in(worktree, &super::waiting_step(self.actor.id), &order, after)
    }

    fn worktree_of(&self, named: &PlacedFile) -> Result<WorktreeId, StoreError> {
        if let (Some(here), Some(worktree)) = (&self.subject.place, self.worktree)
            && here.shares_worktree(&named.place)
        {
            return Ok(worktree);
        }
        match self.source.project {
            Some(project) => place_rows::worktree_of(self.db(), project, &named.place, self.source.at),
            None => self.worktree.ok_or(StoreError::Corrupt),
        }
    }

    fn naming<'n>(&self, worktree: WorktreeId, named: &'n PlacedFile, call: &'n ToolUseId) -> Naming<'n> {
        Naming {
            worktree,
            path: named.path.as_bytes(),
            actor: self.actor.id,
            call,
        }
    }

    /// A call without an id is told from others by its event.
    pub(super) fn call_id(&self, call: Option<&ToolUseId>) -> ToolUseId {
        call.cloned()
            .unwrap_or_else(|| ToolUseId::new(format!("event-{}", self.source.event)))
    }
}
