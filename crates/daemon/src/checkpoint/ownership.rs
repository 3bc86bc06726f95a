//! Whose doing it is that a look at the worktree found something changed.

use super::chain::Owner;
use store::table::calls::{Reach, Writer};
use store::table::checkpoint_files::Origin;

/// The calls that may have written anything, newest last.
pub fn roaming(writers: &[Writer]) -> impl DoubleEndedIterator<Item = &Writer> {
    writers
        .iter()
        .filter(|writer| matches!(writer.reach, Reach::Anything | Reach::Listed))
}

/// Who may have written what no payload named, given the calls that ran since the last look. In which turn, only the
/// store knows.
///
/// `None` for the calls means that nobody ever looked before: then nothing can be put down to anybody.
pub fn of_unnamed(writers: Option<&[Writer]>) -> Owner {
    let roaming: Vec<&Writer> = roaming(writers.unwrap_or_default()).collect();
    let Some(first) = roaming.first() else {
        return Owner::outside();
    };
    let is_one_actor = roaming.iter().all(|writer| writer.actor == first.actor);
    let is_one_session = roaming.iter().all(|writer| writer.session == first.session);
    let is_one_call = roaming.len() == 1;
    Owner {
        actor: is_one_actor.then_some(first.actor),
        session: first.session.filter(|_| is_one_session),
        turn: None,
        origin: if is_one_actor {
            Origin::Shell
        } else {
            Origin::Shared
        },
        call: is_one_call.then(|| first.call.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::id::{ActorId, EventSeq, ToolUseId};

    fn writer(actor: i64, session: i64, reach: Reach) -> Writer {
        Writer {
            actor: ActorId(actor),
            session: Some(ActorId(session)),
            call: ToolUseId::new(format!("toolu_{actor}")),
            event: EventSeq(actor),
            tool: "Bash".to_owned(),
            reach,
            open: false,
        }
    }

    #[test]
    fn one_actor_with_a_shell_did_it() {
        let owner = of_unnamed(Some(&[writer(2, 1, Reach::Anything), writer(3, 1, Reach::Named)]));
        assert_eq!((owner.actor, owner.origin), (Some(ActorId(2)), Origin::Shell));
        assert_eq!(owner.call.unwrap().as_str(), "toolu_2");
    }

    #[test]
    fn several_actors_share_it_and_a_session_of_them_all_is_kept() {
        let owner = of_unnamed(Some(&[
            writer(2, 1, Reach::Anything),
            writer(3, 1, Reach::Listed),
        ]));
        assert_eq!(
            (owner.actor, owner.session, owner.origin),
            (None, Some(ActorId(1)), Origin::Shared)
        );
        let owner = of_unnamed(Some(&[
            writer(2, 1, Reach::Anything),
            writer(9, 8, Reach::Anything),
        ]));
        assert_eq!(
            (owner.actor, owner.session, owner.origin),
            (None, None, Origin::Shared)
        );
    }

    #[test]
    fn without_a_call_that_could_have_it_was_the_person() {
        assert_eq!(of_unnamed(Some(&[writer(3, 1, Reach::Named)])), Owner::outside());
        assert_eq!(of_unnamed(None), Owner::outside());
    }
}
