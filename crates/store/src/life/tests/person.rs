//! What a person holds while a command of theirs runs, and who holds what before anybody ends it.

use crate::leases::{self, TakeResult, Taking};
use crate::life::{self, ExpiryScope};
use crate::stage::{Stage, main_of};
use crate::{ClientProcess, actors};
use engine::lease::{EndReason, Means};

/// The person takes the worktree for a command of theirs.
fn occupied(stage: &mut Stage) -> TakeResult {
    let (at, worktree) = (stage.moment(), stage.worktree("/repo"));
    let process = ClientProcess { pid: 77, started: 5 };
    stage.write(|db| {
        let person = actors::person(db, 1000, (None, Some(worktree)), at)?;
        let taking = Taking {
            actor: person.id,
            project: None,
            call: None,
            means: Means::Tool,
            at,
        };
        leases::occupy(db, &taking, worktree, ("toprope rewind", &process))
    })
}

#[test]
fn a_person_takes_the_worktree_for_a_process_whoever_holds_files_in_it() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&main, "toolu_1", "a.rs");
    let TakeResult::New(id) = occupied(&mut stage) else {
        panic!("only a file was held");
    };
    let lease = leases::by_id(&stage.read(), id).unwrap().unwrap();
    assert_eq!(lease.process, Some(ClientProcess { pid: 77, started: 5 }));
    let TakeResult::Held(everything) = stage.edits(&other, "toolu_1", "b.rs") else {
        panic!("it was free");
    };
    assert_eq!(everything.id, id);
    assert!(matches!(stage.overruns(&other, "toolu_2"), TakeResult::Held(_)));
    let now = stage.hour();
    stage.write(|db| life::end_lease(db, id, EndReason::Released, &now));
    assert_eq!(stage.held(), ["a.rs main@7c1e 1"]);
    stage.overruns(&other, "toolu_3");
    assert!(matches!(occupied(&mut stage), TakeResult::Held(_)));
}

#[test]
fn a_command_of_the_person_is_not_idle_while_it_is_silent_and_lasts_no_longer_than_any_call() {
    let mut stage = Stage::new();
    stage.prompts(&main_of("7c1e"), "go");
    let TakeResult::New(id) = occupied(&mut stage) else {
        panic!("nobody held anything");
    };
    let holder = |stage: &Stage| {
        let db = stage.read();
        let lease = leases::by_id(&db, id).unwrap().unwrap();
        life::holder_now(&db, &lease, &stage.moment().into()).unwrap()
    };
    stage.pass(3_600_000);
    let now = stage.moment().into();
    stage.write(|db| life::settle(db, ExpiryScope::All, &now));
    assert_eq!(stage.held(), ["** you 0"]);
    assert!(holder(&stage).is_some());
    stage.pass(4 * 3_600_000);
    assert_eq!(holder(&stage), None);
    let now = stage.moment().into();
    stage.write(|db| life::settle(db, ExpiryScope::All, &now));
    assert_eq!(stage.over(), ["** you expired"]);
}

#[test]
fn who_was_silent_for_too_long_holds_nothing_before_anybody_says_so() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    let key = stage.file("a.rs");
    let holder = |stage: &Stage| {
        let db = stage.read();
        let lease = leases::held(&db, &key).unwrap().unwrap();
        life::holder_now(&db, &lease, &stage.moment().into()).unwrap()
    };
    assert_eq!(holder(&stage), Some(stage.actor(&main).id));
    stage.pass(700_000);
    assert_eq!(holder(&stage), None);
    assert_eq!(stage.held(), ["a.rs main@7c1e 1"], "nothing was changed");
}
