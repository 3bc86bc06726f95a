//! The line before a file: first come, first served, and nobody waits for ever.

use crate::leases::{self, Reservation, Reserving, TakeResult};
use crate::life::{self, ExpiryScope};
use crate::stage::{Stage, Who, main_of};
use crate::tickets::{self, Queued, Queueing};
use crate::{MOST_PER_ACTOR, actors};
use engine::lease::{EndReason, FileKey};

/// A holder, and three who wait for its file.
fn crowd() -> (Stage, Who, [Who; 3]) {
    let mut stage = Stage::new();
    let (holder, main) = (main_of("7c1e"), main_of("9999"));
    let waiting = ["a111", "a222", "a333"].map(|id| main.agent(id, "x"));
    stage.writes(&holder, "toolu_1", "a.rs");
    for who in &waiting {
        stage.agent_starts(who);
        stage.waits(who, "a.rs");
    }
    (stage, holder, waiting)
}

#[test]
fn who_waits_is_in_line_once_however_often_it_is_denied() {
    let (mut stage, _, [first, ..]) = crowd();
    let Queued::InLine(ticket) = stage.waits(&first, "a.rs") else {
        panic!("the line is full");
    };
    assert_eq!(ticket.denials, 2);
    assert_eq!(
        stage.line(),
        [
            "a.rs x@a111 waiting",
            "a.rs x@a222 waiting",
            "a.rs x@a333 waiting"
        ]
    );
}

#[test]
fn denials_are_counted_within_the_last_minute() {
    let (mut stage, _, [first, ..]) = crowd();
    stage.pass(50_000);
    stage.waits(&first, "a.rs");
    stage.pass(20_000);
    let Queued::InLine(ticket) = stage.waits(&first, "a.rs") else {
        panic!("the line is full");
    };
    assert_eq!(ticket.denied_within(60_000, stage.moment()), (2, 20_000));
    assert_eq!(ticket.denied_within(90_000, stage.moment()).0, 3);
    assert_eq!(ticket.denials, 3);
}

#[test]
fn a_free_file_is_promised_to_the_head_of_the_line_which_is_told_so() {
    let (mut stage, holder, [first, second, _]) = crowd();
    stage.stops(&holder);
    assert_eq!(
        stage.line(),
        [
            "a.rs x@a111 offered",
            "a.rs x@a222 waiting",
            "a.rs x@a333 waiting"
        ]
    );
    assert_eq!(
        stage.told(),
        ["x@a111: a.rs is yours for 2 min: main@7c1e is done with it. Read it again before you edit."]
    );
    let key = stage.file("a.rs");
    let offered = tickets::offered(&stage.read(), &key).unwrap().unwrap();
    assert_eq!(offered.actor, stage.actor(&first).id);
    stage.writes(&first, "toolu_1", "a.rs");
    assert_eq!(stage.line()[0], "a.rs x@a111 used");
    assert_eq!(stage.told(), Vec::<String>::new());
    stage.agent_stops(&first);
    assert_eq!(stage.line()[1], "a.rs x@a222 offered");
    assert!(matches!(
        stage.writes(&second, "toolu_2", "a.rs"),
        TakeResult::New(_)
    ));
}

#[test]
fn a_silent_head_lets_its_offer_pass_and_gets_in_line_anew() {
    let (mut stage, holder, [first, ..]) = crowd();
    stage.stops(&holder);
    stage.pass(119_000);
    stage.settles("a.rs");
    assert_eq!(stage.line()[0], "a.rs x@a111 offered");
    stage.pass(1_000);
    stage.settles("a.rs");
    stage.waits(&first, "a.rs");
    assert_eq!(
        stage.line(),
        [
            "a.rs x@a111 passed",
            "a.rs x@a222 offered",
            "a.rs x@a333 waiting",
            "a.rs x@a111 waiting"
        ]
    );
    assert_eq!(stage.told().len(), 1);
}

#[test]
fn who_waits_hears_of_a_file_that_another_let_pass_without_asking_for_it() {
    let (mut stage, holder, [_, second, _]) = crowd();
    stage.stops(&holder);
    stage.pass(120_000);
    stage.looks_up(&second);
    assert_eq!(stage.line()[..2], ["a.rs x@a111 passed", "a.rs x@a222 offered"]);
    assert_eq!(
        stage.told(),
        ["x@a222: a.rs is yours for 2 min: main@7c1e is done with it. Read it again before you edit."]
    );
}

#[test]
fn an_offer_is_told_with_the_time_that_is_left_and_not_once_it_is_over() {
    let (mut stage, holder, [first, ..]) = crowd();
    stage.stops(&holder);
    stage.pass(118_000);
    stage.looks_up(&first);
    assert_eq!(
        stage.told(),
        ["x@a111: a.rs is yours for 2 s: main@7c1e is done with it. Read it again before you edit."]
    );
    stage.pass(2_000);
    stage.looks_up(&first);
    assert!(stage.told()[0].starts_with("x@a222: "), "{:?}", stage.told());
    assert_eq!(stage.told().len(), 1);
}

#[test]
fn who_knows_of_an_offer_is_not_told_again_and_who_waits_for_nothing_asks_nothing() {
    let (mut stage, holder, [first, ..]) = crowd();
    stage.stops(&holder);
    let key = stage.file("a.rs");
    let offered = tickets::offered(&stage.read(), &key).unwrap().unwrap();
    stage.write(|db| tickets::heard(db, &offered));
    stage.looks_up(&first);
    assert_eq!(stage.told(), Vec::<String>::new());
    let (actor, now) = (stage.actor(&holder).id, stage.hour());
    stage.read().spent();
    life::settle_waits(&stage.read(), actor, &now).unwrap();
    assert_eq!(stage.read().spent().statements, 1);
}

#[test]
fn who_ended_is_skipped_and_what_was_promised_to_it_goes_on() {
    let (mut stage, holder, [first, second, _]) = crowd();
    stage.agent_stops(&first);
    stage.stops(&holder);
    stage.agent_stops(&second);
    assert_eq!(
        stage.line(),
        [
            "a.rs x@a111 dropped",
            "a.rs x@a222 dropped",
            "a.rs x@a333 offered"
        ]
    );
    assert_eq!(stage.told().len(), 1);
}

#[test]
fn a_turn_that_ends_waits_for_nothing_more() {
    let mut stage = Stage::new();
    let (holder, main) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&holder, "toolu_1", "a.rs");
    stage.prompts(&main, "go");
    stage.waits(&main, "a.rs");
    stage.prompts(&main, "go on");
    assert_eq!(stage.line(), ["a.rs main@9999 waiting"]);
    stage.stops(&main);
    assert_eq!(stage.line(), ["a.rs main@9999 remembered"]);
}

#[test]
fn after_half_an_hour_nobody_waits_any_more() {
    let (mut stage, holder, [first, ..]) = crowd();
    stage.pass(29 * 60_000);
    stage.waits(&first, "b.rs");
    stage.calls(&holder, "Read", "toolu_9", serde_json::json!({}));
    stage.pass(60_000);
    stage.settles("a.rs");
    assert_eq!(stage.line()[0], "a.rs x@a111 dropped");
    assert_eq!(stage.line()[3], "b.rs x@a111 waiting");
    stage.stops(&holder);
    assert_eq!(stage.told(), Vec::<String>::new());
}

#[test]
fn nobody_waits_for_more_than_two_hundred_files() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    for number in 0..MOST_PER_ACTOR {
        assert!(matches!(
            stage.waits(&main, &format!("{number}.rs")),
            Queued::InLine(_)
        ));
    }
    assert_eq!(stage.waits(&main, "more.rs"), Queued::TooMany);
    assert!(matches!(stage.waits(&main, "7.rs"), Queued::InLine(_)));
}

#[test]
fn a_command_that_changed_everything_leaves_every_line_to_move_on() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    stage.overruns(&main, "toolu_1");
    stage.prompts(&other, "go");
    stage.waits(&other, "a.rs");
    stage.waits(&other, "src/b.rs");
    stage.returns(&main, "toolu_1");
    assert_eq!(
        stage.line(),
        ["a.rs main@9999 offered", "src/b.rs main@9999 offered"]
    );
}

#[test]
fn nothing_is_promised_while_a_command_changes_everything() {
    let mut stage = Stage::new();
    let (main, holder, other) = (main_of("7c1e"), main_of("5555"), main_of("9999"));
    stage.writes(&holder, "toolu_1", "a.rs");
    stage.prompts(&other, "go");
    stage.waits(&other, "a.rs");
    stage.overruns(&main, "toolu_1");
    stage.stops(&holder);
    assert_eq!(stage.line(), ["a.rs main@9999 waiting"]);
    stage.returns(&main, "toolu_1");
    assert_eq!(stage.line(), ["a.rs main@9999 offered"]);
}

fn reserve(stage: &mut Stage, who: &Who, patterns: &[&str], for_ms: u64) -> Reserving {
    let (actor, worktree, at) = (stage.actor(who), stage.worktree("/repo"), stage.moment());
    let patterns: Vec<String> = patterns.iter().map(|&glob| glob.to_owned()).collect();
    let wanted = Reservation {
        actor: actor.id,
        project: actor.project,
        worktree,
        patterns: &patterns,
        for_ms,
        reason: Some("release notes"),
        at,
    };
    stage.write(|db| leases::reserve(db, &wanted))
}

#[test]
fn a_reservation_is_made_whole_or_not_at_all() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    stage.prompts(&main, "go");
    stage.writes(&other, "toolu_1", "src/a.rs");
    let Reserving::Refused { leases, .. } = reserve(&mut stage, &main, &["docs/**", "src/*.rs"], 1000) else {
        panic!("it was made");
    };
    assert_eq!(leases[0].key.path, "src/a.rs");
    assert_eq!(stage.held(), ["src/a.rs main@9999 1"]);
    assert!(matches!(
        reserve(&mut stage, &main, &["docs/**", "b/*"], 1000),
        Reserving::Made(_)
    ));
    let Reserving::Refused { leases, .. } = reserve(&mut stage, &other, &["docs/a*"], 1000) else {
        panic!("it was made");
    };
    assert_eq!(leases[0].owner, stage.actor(&main).id);
}

#[test]
fn what_is_promised_to_another_is_not_reserved() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    stage.prompts(&main, "go");
    stage.writes(&main, "toolu_1", "src/a.rs");
    stage.prompts(&other, "go");
    stage.waits(&other, "src/a.rs");
    stage.stops(&main);
    let Reserving::Refused { promises, .. } = reserve(&mut stage, &main, &["docs/**", "src/*.rs"], 1000)
    else {
        panic!("it was made");
    };
    assert_eq!(promises[0].key.path, "src/a.rs");
    assert!(matches!(
        reserve(&mut stage, &main, &["docs/**"], 1000),
        Reserving::Made(_)
    ));
    assert!(matches!(
        reserve(&mut stage, &other, &["src/*.rs"], 1000),
        Reserving::Made(_)
    ));
}

#[test]
fn the_same_owner_extends_and_time_ends_a_reservation() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    let Reserving::Made(first) = reserve(&mut stage, &main, &["docs/**"], 60_000) else {
        panic!("refused");
    };
    stage.pass(50_000);
    assert_eq!(
        reserve(&mut stage, &main, &["docs/**"], 60_000),
        Reserving::Made(first)
    );
    stage.stops(&main);
    stage.pass(50_000);
    stage.settles("docs/a.md");
    assert_eq!(stage.held(), ["docs/** main@7c1e 0"], "it outlives the turn");
    let key = stage.file("docs/a.md");
    assert_eq!(leases::reservations_over(&stage.read(), &key).unwrap().len(), 1);
    stage.pass(10_000);
    stage.settles("docs/a.md");
    assert_eq!(stage.over(), ["docs/** main@7c1e expired"]);
}

#[test]
fn nobody_reserves_more_than_two_hundred_patterns() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    let many: Vec<String> = (0..MOST_PER_ACTOR).map(|number| format!("{number}/**")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(matches!(
        reserve(&mut stage, &main, &many, 1000),
        Reserving::Made(_)
    ));
    assert_eq!(reserve(&mut stage, &main, &["more/**"], 1000), Reserving::TooMany);
}

#[test]
fn a_file_under_a_reservation_is_offered_only_to_those_it_lets_in() {
    let mut stage = Stage::new();
    let (owner, other) = (main_of("5555"), main_of("9999"));
    let (first, second) = (owner.agent("a111", "x"), owner.agent("a222", "y"));
    stage.prompts(&owner, "go");
    stage.prompts(&other, "go");
    for (child, id, kind) in [(&first, "toolu_1", "x"), (&second, "toolu_2", "y")] {
        stage.spawns(&owner, id, kind, true);
        stage.agent_starts(child);
    }
    assert!(matches!(
        reserve(&mut stage, &owner, &["src/**"], 60_000),
        Reserving::Made(_)
    ));
    stage.writes(&first, "toolu_3", "src/a.rs");
    stage.waits(&other, "src/a.rs");
    stage.waits(&second, "src/a.rs");
    stage.agent_stops(&first);
    assert_eq!(
        stage.line(),
        ["src/a.rs main@9999 waiting", "src/a.rs y@a222 offered"]
    );
}

#[test]
fn a_reservation_that_ends_leaves_its_files_to_those_who_wait() {
    let mut stage = Stage::new();
    let (owner, other) = (main_of("7c1e"), main_of("9999"));
    stage.prompts(&owner, "go");
    stage.prompts(&other, "go");
    let Reserving::Made(made) = reserve(&mut stage, &owner, &["src/**"], 60_000) else {
        panic!("refused");
    };
    stage.waits(&other, "src/a.rs");
    stage.waits(&other, "docs/a.md");
    let now = stage.hour();
    let key = stage.file("src/a.rs");
    let early = stage.write(|db| life::offer_next(db, &key, &now));
    assert_eq!(early, None);
    stage.write(|db| life::end_lease(db, made[0], EndReason::Broken, &now));
    assert_eq!(
        stage.line(),
        ["src/a.rs main@9999 offered", "docs/a.md main@9999 waiting"]
    );
}

#[test]
fn who_comes_back_finds_nothing_that_another_reserved_meanwhile() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&main, "toolu_1", "src/a.rs");
    stage.writes(&main, "toolu_2", "b.rs");
    stage.pass(601_000);
    stage.settles("src/a.rs");
    stage.settles("b.rs");
    stage.prompts(&other, "go");
    assert!(matches!(
        reserve(&mut stage, &other, &["src/**"], 60_000),
        Reserving::Made(_)
    ));
    stage.calls(&main, "Read", "toolu_3", serde_json::json!({}));
    assert_eq!(stage.held(), ["b.rs main@7c1e 1", "src/** main@9999 0"]);
}

#[test]
fn circles_are_seen_from_whoever_closes_them() {
    let mut stage = Stage::new();
    let all = ["1111", "2222", "3333"].map(main_of);
    for (who, path) in all.iter().zip(["a", "b", "c"]) {
        stage.writes(who, "toolu_1", path);
    }
    let [one, two, three] = &all;
    stage.waits(two, "c");
    stage.waits(three, "a");
    let waits = life::waits(&stage.read(), stage.actor(two).id).unwrap();
    let told: Vec<String> = waits
        .iter()
        .map(|wait| format!("{} {}", wait.ticket.actor, wait.lease.key.path))
        .collect();
    assert_eq!(told, ["2 c", "3 a"]);
    assert_eq!(waits[1].lease.holder(), stage.actor(one).id);
}

#[test]
fn a_person_is_an_actor_that_no_event_ends() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    let (actor, at) = (stage.actor(&main), stage.moment());
    let place = (actor.project, actor.worktree);
    let person = stage.write(|db| actors::person(db, 1000, place, at));
    assert_eq!(person.label, "you");
    let (worktree, patterns) = (stage.worktree("/repo"), ["docs/**".to_owned()]);
    let wanted = Reservation {
        actor: person.id,
        project: person.project,
        worktree,
        patterns: &patterns,
        for_ms: 3_600_000,
        reason: None,
        at,
    };
    stage.write(|db| leases::reserve(db, &wanted));
    stage.ends(&main, "other");
    stage.pass(3_000_000);
    let now = stage.hour();
    stage.write(|db| life::settle(db, ExpiryScope::All, &now));
    assert_eq!(stage.held(), ["docs/** you 0"]);
    let others = actors::others(&stage.read(), actor.project.unwrap(), actor.id, stage.now());
    assert_eq!(others.unwrap(), []);
    assert_eq!(
        actors::list(&stage.read(), None, true).unwrap(),
        [],
        "no agent is left"
    );
    assert_eq!(actors::conversations_in(&stage.read(), worktree).unwrap(), []);
    assert_eq!(actors::conversations_like(&stage.read(), "1000").unwrap(), []);
}

#[test]
fn who_waits_under_another_name_of_the_file_is_in_the_same_line() {
    let mut stage = Stage::new();
    let (holder, one, two) = (main_of("7c1e"), main_of("9999"), main_of("5555"));
    let sent = stage.prompts(&holder, "go");
    let linked = |stage: &Stage, path: &str| FileKey {
        file_id: Some("1:77".to_owned()),
        ..stage.file(path)
    };
    let (a, b) = (linked(&stage, "a.rs"), linked(&stage, "b.rs"));
    let taking = stage.taking(&sent);
    let TakeResult::New(lease) = stage.write(|db| leases::take(db, &taking, &a)) else {
        panic!("it is held");
    };
    for (who, key) in [(&one, &b), (&two, &a)] {
        let (actor, at) = (stage.prompts(who, "go").actor.id, stage.moment());
        let queueing = Queueing {
            actor,
            key,
            denied: true,
            at,
        };
        stage.write(|db| tickets::queue(db, &queueing));
    }
    let now = stage.hour();
    stage.write(|db| life::end_lease(db, lease, EndReason::Released, &now));
    assert_eq!(stage.line(), ["b.rs main@9999 offered", "a.rs main@5555 waiting"]);
}

#[test]
fn a_worktree_that_is_gone_holds_nothing() {
    let (mut stage, ..) = crowd();
    let (worktree, now) = (stage.worktree("/repo"), stage.hour());
    stage.write(|db| life::end_worktree(db, worktree, EndReason::Expired, &now));
    assert_eq!(stage.held(), Vec::<String>::new());
    assert_eq!(stage.told(), Vec::<String>::new());
    assert!(stage.line().iter().all(|ticket| ticket.ends_with("dropped")));
}
