//! Whose doing it is that a look at the worktree found something changed.

use super::chain::Owner;
use engine::id::EventSeq;
use store::table::calls::{Reach, Writer};
use store::table::checkpoint_files::Origin;

/// The calls that may have written what no payload named; none if nobody ever looked before.
pub struct Suspects(pub Option<Vec<Suspect>>);

/// A call that may have, and the turn it ran in.
#[derive(Debug, Clone)]
pub struct Suspect {
    /// The call.
    pub writer: Writer,
    /// The turn of its session.
    pub turn: Option<u64>,
}

impl Suspects {
    /// Whose doing it is what is found now.
    pub fn now(&self) -> Owner {
        of_unnamed(self.0.iter().flatten())
    }

    /// Whose doing it is what was found at an event: calls that came later had no part in it.
    pub fn before(&self, event: EventSeq) -> Owner {
        let calls = self.0.iter().flatten();
        of_unnamed(calls.filter(|call| call.writer.event < event))
    }

    /// Whether there were calls, and every one that may have written said what it wrote.
    pub fn are_listed(&self) -> bool {
        let any = |reach| self.0.iter().flatten().any(|call| call.writer.reach == reach);
        any(Reach::Listed) && !any(Reach::Anything)
    }
}

/// Who may have written what no payload named, given the calls that ran since the last look. The turn is that of the
/// newest.
fn of_unnamed<'a>(calls: impl Iterator<Item = &'a Suspect>) -> Owner {
    let roaming: Vec<&Suspect> = calls
        .filter(|call| matches!(call.writer.reach, Reach::Anything | Reach::Listed))
        .collect();
    let (Some(first), Some(last)) = (roaming.first(), roaming.last()) else {
        return Owner::outside();
    };
    let is_one_actor = roaming.iter().all(|call| call.writer.actor == first.writer.actor);
    let is_one_session = roaming
        .iter()
        .all(|call| call.writer.session == first.writer.session);
    let is_one_call = roaming.len() == 1;
    Owner {
        actor: is_one_actor.then_some(first.writer.actor),
        session: first.writer.session.filter(|_| is_one_session),
        turn: last.turn.filter(|_| is_one_session),
        origin: if is_one_actor {
            Origin::Shell
        } else {
            Origin::Shared
        },
        call: is_one_call.then(|| first.writer.call.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::id::{ActorId, EventSeq, ToolUseId};

    fn call(actor: i64, session: i64, reach: Reach) -> Suspect {
        let writer = Writer {
            actor: ActorId(actor),
            session: Some(ActorId(session)),
            call: ToolUseId::new(format!("toolu_{actor}")),
            event: EventSeq(actor),
            tool: "Bash".to_owned(),
            reach,
            open: false,
        };
        let turn = u64::try_from(actor).ok();
        Suspect { writer, turn }
    }

    #[test]
    fn one_actor_with_a_shell_did_it() {
        let owner = of_unnamed([call(2, 1, Reach::Anything), call(3, 1, Reach::Named)].iter());
        assert_eq!((owner.actor, owner.origin), (Some(ActorId(2)), Origin::Shell));
        assert_eq!(owner.call.unwrap().as_str(), "toolu_2");
    }

    #[test]
    fn several_actors_share_it_and_a_session_of_them_all_is_kept() {
        let owner = of_unnamed([call(2, 1, Reach::Anything), call(3, 1, Reach::Listed)].iter());
        assert_eq!(
            (owner.actor, owner.session, owner.origin),
            (None, Some(ActorId(1)), Origin::Shared)
        );
        let owner = of_unnamed([call(2, 1, Reach::Anything), call(9, 8, Reach::Anything)].iter());
        assert_eq!(
            (owner.actor, owner.session, owner.origin),
            (None, None, Origin::Shared)
        );
    }

    #[test]
    fn a_call_has_no_part_in_what_was_found_before_it() {
        let suspects = Suspects(Some(vec![
            call(2, 1, Reach::Anything),
            call(9, 8, Reach::Anything),
        ]));
        assert_eq!(suspects.before(EventSeq(2)), Owner::outside());
        let before = suspects.before(EventSeq(9));
        assert_eq!((before.actor, before.turn), (Some(ActorId(2)), Some(2)));
        assert_eq!(suspects.now().origin, Origin::Shared);
    }

    #[test]
    fn without_a_call_that_could_have_it_was_the_person() {
        assert_eq!(of_unnamed([call(3, 1, Reach::Named)].iter()), Owner::outside());
        assert_eq!(Suspects(None).now(), Owner::outside());
    }
}
