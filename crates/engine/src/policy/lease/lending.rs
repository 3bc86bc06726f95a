//! Who counts as the same actor, and who may borrow from whom.

use crate::id::ActorId;
use crate::lease::{ActorLabel, HeldLease, Me, Reserved};

impl Me {
    /// This actor as others read of it, under its label.
    pub fn named(&self, label: &str) -> ActorLabel {
        ActorLabel {
            actor: self.actor,
            label: label.to_owned(),
            description: self.description.clone(),
            is_person: false,
            in_my_session: true,
        }
    }

    /// Whether an actor counts as this one.
    pub fn is(&self, who: &ActorLabel) -> bool {
        who.actor == self.actor || self.by_session && who.in_my_session
    }

    /// The row under which an actor counts: this one's, for every actor that counts as this one.
    pub fn node(&self, who: &ActorLabel) -> ActorId {
        if self.is(who) { self.actor } else { who.actor }
    }

    /// Whether an actor is further up.
    pub fn descends_from(&self, actor: ActorId) -> bool {
        self.ancestors.iter().any(|ancestor| ancestor.actor == actor)
    }

    /// Whether an ancestor waits for this one, so that it writes nothing meanwhile.
    pub fn is_awaited_by(&self, actor: ActorId) -> bool {
        self.ancestors
            .iter()
            .any(|ancestor| ancestor.actor == actor && ancestor.blocked)
    }

    /// Whether every actor from this one's parent up to `owner` waits.
    fn chain_waits_up_to(&self, owner: ActorId) -> bool {
        let Some(at) = self.ancestors.iter().position(|ancestor| ancestor.actor == owner) else {
            return false;
        };
        self.ancestors
            .iter()
            .take(at + 1)
            .all(|ancestor| ancestor.blocked)
    }

    /// Whether a lease is lent to this actor when it asks: its owner, and everyone in between, waits for it.
    ///
    /// A borrower in between passes the lease on; any other borrower keeps it.
    pub fn may_borrow(&self, held: &HeldLease) -> bool {
        let is_passed_on = held.lent_to.is_none_or(|borrower| self.descends_from(borrower));
        !held.is_everything() && !held.open_call && is_passed_on && self.chain_waits_up_to(held.owner)
    }

    /// Whether a reservation lets this actor through: its own, or that of an ancestor.
    pub fn passes(&self, reserved: &Reserved) -> bool {
        self.is(&reserved.who) || self.descends_from(reserved.who.actor)
    }
}
