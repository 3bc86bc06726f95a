//! Each row of the table of whose a change is, with a neighbour that just misses it.

use super::*;
use engine::id::{EventSeq, ToolUseId};

/// Asked at 10, let go at 12, ended at 20, its batch at 30.
fn call(actor: i64, session: i64, reach: CallReach) -> Suspect {
    let writer = WritingCall {
        actor: ActorId(actor),
        session: Some(ActorId(session)),
        call: ToolUseId::new(format!("toolu_{actor}")),
        event: EventSeq(actor),
        tool: "Bash".to_owned(),
        reach,
        open: false,
        asked: 10,
        began: 12,
        ended: Some(20),
        until: Some(if reach == CallReach::Listed { 20 } else { 30 }),
        cut_off: None,
    };
    let turn = u64::try_from(actor).ok();
    Suspect {
        writer,
        turn,
        listed: None,
        command: CommandText::default(),
    }
}

fn listing(actor: i64, paths: &[&str]) -> Suspect {
    Suspect {
        listed: Some(paths.iter().map(|path| path.as_bytes().to_vec()).collect()),
        ..call(actor, 1, CallReach::Listed)
    }
}

fn interrupted(actor: i64, session: i64) -> Suspect {
    let mut call = call(actor, session, CallReach::Anything);
    (call.writer.ended, call.writer.until, call.writer.cut_off) = (None, None, Some(40));
    call
}

fn whose(calls: &[Suspect], date: Date) -> String {
    whose_of(calls, date, true)
}

fn whose_of(calls: &[Suspect], date: Date, listable: bool) -> String {
    let suspects = Suspects::new(11, || Some(calls.to_vec()));
    let path = RepoPath::new("a").unwrap();
    let owner = suspects.owner(&UnownedChange {
        path: &path,
        date,
        listable,
    });
    let id = |id: Option<ActorId>| id.map_or("-".to_owned(), |id| id.to_string());
    let doubt = owner.doubt.map_or("", Doubt::as_str);
    let call = owner.call.map_or("-".to_owned(), |call| call.to_string());
    let text = format!(
        "{} {}/{} {call} {doubt}",
        owner.origin.as_str(),
        id(owner.actor),
        id(owner.session)
    );
    text.trim_end().to_owned()
}

#[test]
fn a_change_is_a_calls_from_when_it_is_let_go_until_its_batch_is_over() {
    let calls = [call(2, 1, CallReach::Anything)];
    assert_eq!(whose(&calls, Date::At(11)), "outside -/- -");
    assert_eq!(whose(&calls, Date::At(12)), "shell 2/1 toolu_2");
    assert_eq!(whose(&calls, Date::At(30)), "shell 2/1 toolu_2");
    assert_eq!(whose(&calls, Date::At(31)), "outside -/- -");
}

#[test]
fn a_call_that_listed_all_is_suspected_of_what_it_listed_alone() {
    assert_eq!(whose(&[listing(2, &["b"])], Date::At(15)), "outside -/- -");
    assert_eq!(whose(&[listing(2, &["a"])], Date::At(15)), "shell 2/1 toolu_2");
    assert_eq!(whose(&[listing(2, &["a"])], Date::At(21)), "outside -/- -");
    assert_eq!(whose(&[listing(2, &["a"])], Date::At(11)), "outside -/- -");
    // What no list can have says nothing by being in none.
    assert_eq!(
        whose_of(&[listing(2, &["b"])], Date::At(15), false),
        "shell 2/1 toolu_2"
    );
}

#[test]
fn several_actors_share_it_and_a_session_of_them_all_is_kept() {
    let calls = [call(2, 1, CallReach::Anything), call(3, 1, CallReach::Anything)];
    assert_eq!(whose(&calls, Date::At(15)), "shared -/1 -");
    let calls = [call(2, 1, CallReach::Anything), call(9, 8, CallReach::Anything)];
    assert_eq!(whose(&calls, Date::At(15)), "shared -/- -");
    let calls = [call(2, 1, CallReach::Anything), call(3, 1, CallReach::Named)];
    assert_eq!(whose(&calls, Date::At(15)), "shell 2/1 toolu_2");
}

#[test]
fn of_two_calls_of_one_batch_the_one_that_ran_did_it() {
    let mut second = call(2, 1, CallReach::Anything);
    second.writer.call = ToolUseId::new("toolu_b");
    (second.writer.began, second.writer.ended) = (22, Some(28));
    let calls = [call(2, 1, CallReach::Anything), second];
    assert_eq!(whose(&calls, Date::At(15)), "shell 2/1 toolu_2");
    assert_eq!(whose(&calls, Date::At(25)), "shell 2/1 toolu_b");
    assert_eq!(whose(&calls, Date::At(29)), "shell 2/1 -");
}

#[test]
fn a_span_is_a_calls_if_it_lies_between_the_looks_around_it() {
    let calls = [call(2, 1, CallReach::Anything)];
    assert_eq!(whose(&calls, Date::Within(11, 18)), "shell 2/1 toolu_2");
    assert_eq!(whose(&calls, Date::Within(9, 18)), "shared -/1 - undated");
    assert_eq!(whose(&calls, Date::Within(11, 31)), "shared -/1 - undated");
    assert_eq!(whose(&calls, Date::Within(5, 11)), "outside -/- -");
    assert_eq!(whose(&calls, Date::Within(31, 40)), "outside -/- -");
    assert_eq!(whose(&calls, Date::Unknown), "shared -/1 - undated");
    assert_eq!(whose(&[], Date::Unknown), "outside -/- -");
}

#[test]
fn what_changed_during_an_interrupted_call_alone_is_in_doubt() {
    assert_eq!(
        whose(&[interrupted(2, 1)], Date::At(35)),
        "shared -/1 - interrupted"
    );
    assert_eq!(whose(&[interrupted(2, 1)], Date::At(41)), "outside -/- -");
    let calls = [interrupted(2, 1), call(2, 1, CallReach::Anything)];
    assert_eq!(whose(&calls, Date::At(15)), "shell 2/1 -");
}

#[test]
fn nobody_is_suspected_before_the_first_look() {
    let path = RepoPath::new("a").unwrap();
    let found = UnownedChange {
        path: &path,
        date: Date::At(15),
        listable: true,
    };
    assert_eq!(Suspects::new(0, || None).owner(&found), ChangeOwner::outside());
}

#[test]
fn a_command_that_writes_what_it_names_is_suspected_of_nothing_else() {
    let confined = |name: &str| Suspect {
        command: Some(format!("echo x > {name}")).into(),
        ..call(2, 1, CallReach::Anything)
    };
    let mine = whose(&[call(2, 1, CallReach::Anything)], Date::At(15));
    assert_eq!(whose(&[confined("a")], Date::At(15)), mine);
    let outside = whose(&[], Date::At(15));
    assert_eq!(whose(&[confined("b")], Date::At(15)), outside);
}
