//! Finds actors that wait for each other in a circle, the moment one of them closes it.

use super::judging::LeaseObstacle;
use super::message;
use crate::effect::{Audience, Effect, Owed};
use crate::id::ActorId;
use crate::lease::{
    ActorLabel, EndReason, LeaseEffect, LeaseFacts, LeaseKind, Me, TargetFacts, WaitEdge, notice,
};
use std::collections::{HashMap, HashSet, VecDeque};

/// A circle: who wants the file that the first wait's actor holds, and everyone up to whoever wants a file of theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle<'a> {
    /// What the closing actor waits for.
    wanted: WaitEdge,
    /// The other waits, from the holder of the wanted file back to the closing actor.
    others: Vec<&'a WaitEdge>,
}

/// The circle that the actor of this label would close by waiting for this file.
pub fn found<'a>(
    facts: &'a LeaseFacts,
    label: &str,
    wanted: &TargetFacts,
    obstacle: LeaseObstacle,
) -> Option<Cycle<'a>> {
    let wanted = wait_of(facts.me.named(label), wanted, obstacle)?;
    let others = path_back(facts, facts.me.node(&wanted.held_by))?;
    Some(Cycle { wanted, others })
}

impl Cycle<'_> {
    /// The wait that can be over because nothing is lost by it: for a reservation, else for a lease nobody has used. One
    /// with an open call is in use: what was allowed may be on the disk already.
    pub fn breakable(&self) -> Option<&WaitEdge> {
        let reserved = self.waits().find(|wait| wait.kind == LeaseKind::Reserve);
        let unused = || {
            self.waits()
                .find(|wait| wait.kind == LeaseKind::Edit && wait.is_unused)
        };
        reserved.or_else(unused)
    }

    /// Whether this wait is the one that closed the circle.
    pub fn is_wanted(&self, wait: &WaitEdge) -> bool {
        self.wanted.lease == wait.lease
    }

    /// What the closing actor is told.
    pub fn text(&self) -> String {
        self.told_at(0)
    }

    /// The others are told the same from where they stand, and the person that nobody can go on.
    pub fn notices(&self) -> Vec<Effect> {
        let members = self.others.iter().enumerate();
        let mut told: Vec<Effect> = members
            .map(|(at, wait)| {
                Effect::Lease(LeaseEffect::Tell {
                    actor: wait.who.actor,
                    kind: notice::CYCLE,
                    key: wait.shown.clone(),
                    text: self.told_at(at + 1),
                })
            })
            .collect();
        let names: Vec<&WaitEdge> = self.waits().collect();
        told.push(Effect::Owe(Owed {
            audience: Audience::Person,
            kind: notice::PERSON.to_owned(),
            key: format!("cycle {}", self.wanted.shown),
            text: message::cycle_for_person(&names),
        }));
        told
    }

    fn waits(&self) -> impl Iterator<Item = &WaitEdge> {
        std::iter::once(&self.wanted).chain(self.others.iter().copied())
    }

    /// The circle as the actor of the wait at this place sees it.
    fn told_at(&self, at: usize) -> String {
        let waits: Vec<&WaitEdge> = self.waits().collect();
        let before = at.checked_sub(1).unwrap_or(waits.len() - 1);
        match (waits.get(at), waits.get(before)) {
            (Some(wants), Some(waiter)) => message::cycle(&message::CycleMember {
                held: &waiter.shown,
                waiter: &waiter.who,
                wanted: &wants.shown,
                holder: &wants.held_by,
            }),
            (None, _) | (_, None) => String::new(),
        }
    }
}

/// Ends what one of the circle waits for; its owner is told, unless it is the one that asks.
pub fn broken(wait: &WaitEdge, me: &Me) -> Vec<Effect> {
    let mut effects = vec![Effect::Lease(LeaseEffect::End {
        lease: wait.lease,
        reason: EndReason::Deadlock,
    })];
    if !me.is(&wait.held_by) {
        effects.push(Effect::Lease(LeaseEffect::Tell {
            actor: wait.held_by.actor,
            kind: notice::DEADLOCK,
            key: wait.shown.clone(),
            text: message::broken_by_circle(wait),
        }));
    }
    effects
}

/// The wait this denial adds; none where no lease is in the way.
fn wait_of(who: ActorLabel, wanted: &TargetFacts, obstacle: LeaseObstacle) -> Option<WaitEdge> {
    let (held_by, lease, kind, is_unused) = match obstacle {
        LeaseObstacle::Held(held) => (&held.who, held.lease, LeaseKind::Edit, held.is_unused()),
        LeaseObstacle::Reserved(reserved) => (&reserved.who, reserved.lease, LeaseKind::Reserve, true),
        LeaseObstacle::Running(_) | LeaseObstacle::Offered(_) => return None,
    };
    Some(WaitEdge {
        who,
        key: wanted.target.key.clone(),
        shown: wanted.target.shown.clone(),
        held_by: held_by.clone(),
        lease,
        kind,
        is_unused,
    })
}

/// The shortest way along the waits from an actor to the one that asks.
fn path_back(facts: &LeaseFacts, from: ActorId) -> Option<Vec<&WaitEdge>> {
    let me = &facts.me;
    let mut by_waiter: HashMap<ActorId, Vec<&WaitEdge>> = HashMap::new();
    for wait in &facts.waits {
        by_waiter.entry(me.node(&wait.who)).or_default().push(wait);
    }
    let mut came_by: HashMap<ActorId, &WaitEdge> = HashMap::new();
    let mut reached = HashSet::from([from]);
    let mut line = VecDeque::from([from]);
    while let Some(actor) = line.pop_front() {
        for wait in by_waiter.get(&actor).into_iter().flatten() {
            let next = me.node(&wait.held_by);
            if next == me.actor {
                let mut way = vec![*wait];
                let mut at = actor;
                while let Some(earlier) = came_by.get(&at) {
                    way.push(earlier);
                    at = me.node(&earlier.who);
                }
                way.reverse();
                return Some(way);
            }
            if reached.insert(next) {
                came_by.insert(next, wait);
                line.push_back(next);
            }
        }
    }
    None
}
