//! What is known about leases when a call is judged, read in the event's own transaction.

use super::origin;
use super::people::People;
use crate::pipeline::AgentEvent;
use crate::pipeline::place_rows::{Whereabouts, of_place};
use engine::event::EventKind;
use engine::id::{ActorId, WorktreeId};
use engine::lease::{
    Ancestor, FileTarget, HeldLease, LastChange, LeaseAnswers, LeaseFacts, Me, Means, Offered,
    PermissionQuestion, Reserved, TargetFacts, WaitEdge, notice,
};
use std::path::Path;
use store::life::{self, ExpiryScope, LeaseMoment};
use store::table::actors::{self, Actor};
use store::table::leases::{self, Lease};
use store::table::seen::LastWrite;
use store::table::tickets::{self, TicketState};
use store::table::{calls, events, notices, seen, sessions};
use store::{Db, StoreError};

/// Denials further back count no more.
const MINUTE_MS: u64 = 60_000;
/// Others in other worktrees that are named.
const MOST_ELSEWHERE: u64 = 5;

/// One event on its way to its decision.
#[derive(Clone, Copy)]
pub struct Gathering<'a> {
    /// Where rows are.
    pub db: &'a Db,
    /// What happened; `None` where somebody asks outside of any event.
    pub subject: Option<&'a AgentEvent>,
    /// Who acts.
    pub actor: &'a Actor,
    /// Where.
    pub place: Whereabouts,
    /// When, and on which terms files are held.
    pub now: &'a LeaseMoment,
}

impl Gathering<'_> {
    /// What is known of the files of this event; `None` where it is about none.
    pub fn facts(&self) -> Result<Option<LeaseFacts>, StoreError> {
        // Nobody can be told apart who names no session: they hold nothing, and nothing is held against them.
        let named = |subject: &&AgentEvent| !subject.event.actor.session.is_unknown();
        let Some(subject) = self.subject.filter(named) else {
            return Ok(None);
        };
        if let EventKind::AgentStart | EventKind::SessionStart { .. } = subject.event.kind {
            return self.around().map(Some);
        }
        let is_about_files = |answers: &&LeaseAnswers| {
            let is_written = !answers.targets.is_empty() || !answers.folders.is_empty();
            is_written || answers.bulk.is_some() || answers.commit.is_some()
        };
        let answers = subject.answers.lease.as_deref().filter(is_about_files);
        let Some(answers) = answers else {
            return Ok(None);
        };
        let people = People::new(self.db, self.actor);
        let mut facts = LeaseFacts::of(self.me()?);
        for target in &answers.targets {
            let target = self.renewed(target.clone(), answers.looked)?;
            facts.targets.push(self.target(target, &people)?);
        }
        self.add_below(answers, &people, &mut facts)?;
        facts
            .targets
            .sort_by(|one, two| one.target.key.cmp(&two.target.key));
        self.add_bulk(answers, &people, &mut facts)?;
        self.add_commit(answers, &people, &mut facts)?;
        facts.waits = self.waits(&facts, &people)?;
        facts.my_tickets = usize::try_from(tickets::live_of(self.db, self.actor.id)?).unwrap_or(usize::MAX);
        Ok(Some(facts))
    }

    /// What whoever starts finds: what others hold in its worktree.
    fn around(&self) -> Result<LeaseFacts, StoreError> {
        let people = People::new(self.db, self.actor);
        let mut facts = LeaseFacts::of(self.me()?);
        let Some(worktree) = self.place.worktree else {
            return Ok(facts);
        };
        life::settle(self.db, ExpiryScope::Worktree(worktree), self.now)?;
        for lease in leases::in_worktree(self.db, Some(worktree))? {
            if !lease.is_everything() && lease.holder() != self.actor.id {
                facts.editing.push(self.held(&lease, &people)?);
            }
        }
        facts.reservations = self.reservations(worktree, &people)?;
        Ok(facts)
    }

    /// Everything that is reserved in a worktree.
    pub(super) fn reservations(
        &self,
        worktree: WorktreeId,
        people: &People<'_>,
    ) -> Result<Vec<Reserved>, StoreError> {
        let all = self.reserved_in(worktree)?;
        all.iter().map(|lease| self.reserved(lease, people)).collect()
    }

    pub(super) fn me(&self) -> Result<Me, StoreError> {
        let ancestors = self.ancestors()?;
        Ok(Me {
            actor: self.actor.id,
            description: self.task()?,
            announced: self.actor.announced || self.actor.key.agent.is_none(),
            subagent: self.actor.key.agent.is_some(),
            ancestors,
            by_session: sessions::is_indistinct(self.db, &self.actor.key)?,
        })
    }

    /// Those above the actor, and whether each waits for the one below it. A main thread was started by nobody.
    fn ancestors(&self) -> Result<Vec<Ancestor>, StoreError> {
        let mut ancestors = Vec::new();
        if self.actor.key.agent.is_none() {
            return Ok(ancestors);
        }
        if let Some(subject) = self.subject {
            origin::settle(self.db, subject, self.actor)?;
        }
        // Who started it may be known only since this event.
        let mut below = actors::by_id(self.db, self.actor.id)?.and_then(|actor| actor.spawn_call);
        for above in actors::above(self.db, self.actor.id)? {
            let blocked = match &below {
                Some(call) => calls::is_blocked_by(self.db, above.id, call)?,
                None => false,
            };
            ancestors.push(Ancestor {
                actor: above.id,
                blocked,
            });
            below = above.spawn_call;
        }
        Ok(ancestors)
    }

    /// What the actor was started for; it may be known only since this event.
    fn task(&self) -> Result<Option<String>, StoreError> {
        let actor = self.actor;
        if actor.key.agent.is_none() || actor.description.is_some() {
            return Ok(actor.description.clone());
        }
        Ok(actors::by_id(self.db, actor.id)?.and_then(|actor| actor.description))
    }

    /// The row of the worktree at a root; `None` outside all of them.
    pub(super) fn worktree(&self, root: Option<&Path>) -> Result<Option<WorktreeId>, StoreError> {
        let Some(root) = root else { return Ok(None) };
        let here = self.subject.and_then(|subject| subject.place.as_deref());
        if here.is_some_and(|here| crate::checkpoint::naming::root_of(here) == root) {
            return Ok(self.place.worktree);
        }
        let there = git::place::find(root);
        Ok(of_place(self.db, &there, self.now.moment.at)?.worktree)
    }

    pub(super) fn target(
        &self,
        mut target: FileTarget,
        people: &People<'_>,
    ) -> Result<TargetFacts, StoreError> {
        target.key.worktree = self.worktree(target.root.as_deref())?;
        let key = target.key.clone();
        let mut facts = TargetFacts::free(target);
        if life::settle(self.db, ExpiryScope::File(&key), self.now)? {
            self.add_others(&mut facts, people)?;
        }
        facts.seen = seen::of(self.db, self.actor.id, &key)?;
        facts.last_change = self.last_change(&facts, people)?;
        if overlooks(self.subject, &facts) && self.inherits(&key)? {
            facts.seen = seen::of(self.db, self.actor.id, &key)?;
            facts.last_change = self.last_change(&facts, people)?;
        }
        facts.told_overlap = self.told_overlap(&facts)?;
        facts.left_behind = self.left_behind(&facts, people)?;
        self.add_elsewhere(&mut facts, people)?;
        Ok(facts)
    }

    /// Who holds the file, reserved it, or waits for it.
    fn add_others(&self, facts: &mut TargetFacts, people: &People<'_>) -> Result<(), StoreError> {
        let key = facts.target.key.clone();
        let held = self.holder(&key)?;
        facts.held = held.map(|lease| self.held(&lease, people)).transpose()?;
        for lease in self.reserved_over(&key)? {
            facts.reserved.push(self.reserved(&lease, people)?);
        }
        for ticket in self.line(&key)? {
            let who = people.who(ticket.actor)?;
            if let (TicketState::Offered, Some(until)) = (ticket.state, ticket.offered_until) {
                facts.offered = Some(Offered {
                    who: who.clone(),
                    for_ms: self.now.moment.until(until),
                });
            }
            if ticket.actor == self.actor.id {
                (facts.my_denials, facts.first_denial_ms) = ticket.denied_within(MINUTE_MS, self.now.moment);
            }
            facts.waiting.push(who);
        }
        Ok(())
    }

    pub(super) fn held(&self, lease: &Lease, people: &People<'_>) -> Result<HeldLease, StoreError> {
        let now = self.now.moment;
        let shown = match &lease.reason {
            Some(command) if lease.is_everything() => command.clone(),
            _ => lease.key.shown(),
        };
        Ok(HeldLease {
            lease: lease.id,
            key: lease.key.clone(),
            shown,
            who: people.who(lease.holder())?,
            owner: lease.owner,
            lent_to: lease.lent_to,
            held_ms: now.since(lease.taken),
            last_write_ms: lease.wrote.map(|wrote| now.since(wrote)),
            writes: lease.writes,
            open_call: lease.call.is_some() || lease.process.is_some(),
            background: lease.background,
            call_only: lease.call_only,
            permission: self.permission(lease)?,
        })
    }

    /// What the holder asked the person, while the call it asked for is open.
    fn permission(&self, lease: &Lease) -> Result<Option<PermissionQuestion>, StoreError> {
        let holder = lease.holder();
        let Some(asked) = events::asked_permission(self.db, holder)? else {
            return Ok(None);
        };
        let open = calls::open_of(self.db, holder)?;
        let is_open = open
            .iter()
            .any(|call| call.event < asked.event && call.tool == asked.tool);
        Ok(is_open.then(|| PermissionQuestion {
            ago_ms: self.now.moment.at.since(asked.at),
            // What a tool for files does takes no time.
            is_open: lease.means == Means::Tool
                && matches!(
                    asked.tool.as_str(),
                    "Write" | "Edit" | "MultiEdit" | "NotebookEdit"
                ),
        }))
    }

    pub(super) fn reserved(&self, lease: &Lease, people: &People<'_>) -> Result<Reserved, StoreError> {
        let ends = lease.expires.unwrap_or(self.now.moment);
        Ok(Reserved {
            lease: lease.id,
            who: people.who(lease.owner)?,
            pattern: lease.reach().to_owned(),
            reason: lease.reason.clone(),
            ends_in_ms: self.now.moment.until(ends),
        })
    }

    /// Whose the content is that is there now: the last writer's if it is what that one left, else nobody's we know.
    fn last_change(&self, facts: &TargetFacts, people: &People<'_>) -> Result<LastChange, StoreError> {
        let target = &facts.target;
        let Some(mut change) = seen::last_change(self.db, &target.key)? else {
            return Ok(LastChange::Nobody);
        };
        let is_gone = !target.exists && !change.content.is_nothing();
        let is_other =
            !target.content.is_nothing() && !change.content.is_nothing() && change.content != target.content;
        if is_gone || is_other && !self.is_touched_up(target, &change)? {
            return Ok(LastChange::Outside { formatter: None });
        }
        // Under the actor's own change is one that it has not seen.
        if change.actor == self.actor.id && facts.seen.as_ref().is_some_and(|seen| seen.behind) {
            match seen::last_change_except(self.db, &target.key, self.actor.id)? {
                Some(other) => change = other,
                None => return Ok(LastChange::Outside { formatter: None }),
            }
        }
        if change.actor == self.actor.id {
            return Ok(LastChange::Mine);
        }
        Ok(LastChange::Of {
            who: people.who(change.actor)?,
            ago_ms: self.now.moment.since(change.at),
            means: change.by,
        })
    }

    /// Whether a file changed between the answer to a write and the end of its step: a formatter of the client did that, on
    /// behalf of the writer.
    fn is_touched_up(&self, target: &FileTarget, change: &LastWrite) -> Result<bool, StoreError> {
        let Some(stamp) = target.stamp.filter(|_| change.by == Means::Tool) else {
            return Ok(false);
        };
        let until = events::next_step(self.db, change.actor, change.event)?.unwrap_or(self.now.moment.at);
        Ok(stamp.mtime_ns / 1_000_000 <= until.0)
    }

    /// The last writer, if it was cut off and what it left is still there.
    fn left_behind(
        &self,
        facts: &TargetFacts,
        people: &People<'_>,
    ) -> Result<Option<engine::lease::ActorLabel>, StoreError> {
        let LastChange::Of { who, .. } = &facts.last_change else {
            return Ok(None);
        };
        if facts.held.is_some() {
            return Ok(None);
        }
        let last = leases::newest_ended(self.db, &facts.target.key)?;
        let cut_off = last.filter(|lease| {
            let was_cut_off = lease.ended.is_some_and(|(_, reason)| reason.was_cut_off());
            was_cut_off && lease.writes > 0 && lease.holder() == who.actor
        });
        cut_off.map(|lease| people.who(lease.holder())).transpose()
    }

    fn add_elsewhere(&self, facts: &mut TargetFacts, people: &People<'_>) -> Result<(), StoreError> {
        let (Some(project), Some(_)) = (self.place.project, facts.target.key.worktree) else {
            return Ok(());
        };
        let key = &facts.target.key;
        for lease in leases::elsewhere(self.db, project, key, MOST_ELSEWHERE)? {
            facts.elsewhere.push(people.who(lease.holder())?);
        }
        if !facts.elsewhere.is_empty() {
            facts.told_elsewhere = notices::was_told(self.db, self.actor.id, notice::FORECAST, &key.path)?;
        }
        Ok(())
    }

    /// Whether the actor was told of an overlap with the lease that another has on the file.
    fn told_overlap(&self, facts: &TargetFacts) -> Result<bool, StoreError> {
        match facts.held.as_ref().filter(|held| held.who.actor != self.actor.id) {
            Some(held) => notices::was_told(self.db, self.actor.id, notice::OVERLAP, &held.overlap_key()),
            None => Ok(false),
        }
    }

    /// Who waits for whom, from whoever is in the way of this call.
    pub(super) fn waits(&self, facts: &LeaseFacts, people: &People<'_>) -> Result<Vec<WaitEdge>, StoreError> {
        let mut found = Vec::new();
        let held = facts.targets.iter().filter_map(|target| target.held.as_ref());
        let reserved = facts.targets.iter().flat_map(|target| &target.reserved);
        let mut from: Vec<ActorId> = held.map(|held| held.who.actor).collect();
        from.extend(reserved.map(|reserved| reserved.who.actor));
        from.sort_unstable_by_key(|actor| actor.0);
        from.dedup();
        for actor in from.into_iter().filter(|actor| *actor != self.actor.id) {
            for wait in life::waits(self.db, actor)? {
                found.push(WaitEdge {
                    who: people.who(wait.ticket.actor)?,
                    key: wait.ticket.key.clone(),
                    shown: wait.ticket.key.shown(),
                    held_by: people.who(wait.lease.holder())?,
                    lease: wait.lease.id,
                    kind: wait.lease.kind,
                    is_unused: self.held(&wait.lease, people)?.is_unused(),
                });
            }
        }
        Ok(found)
    }
}

/// Whether a call that is about to begin meets a file that its actor does not know as it is.
fn overlooks(subject: Option<&AgentEvent>, facts: &TargetFacts) -> bool {
    let begins = subject.is_some_and(|subject| matches!(subject.event.kind, EventKind::ToolBefore { .. }));
    let is_foreign = !matches!(facts.last_change, LastChange::Mine | LastChange::Nobody);
    begins && is_foreign && facts.target.exists && facts.seen.is_none()
}
