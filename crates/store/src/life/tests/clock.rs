//! A clock that is set, a machine that sleeps, and one that starts anew.

use crate::leases;
use crate::stage::{Stage, main_of};

const HOUR: i64 = 3_600_000;

#[test]
fn an_hour_forward_on_the_wall_ends_no_lease_and_passes_no_offer() {
    let mut stage = Stage::new();
    let (holder, other) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&holder, "toolu_1", "a.rs");
    stage.prompts(&other, "go");
    stage.waits(&other, "a.rs");
    stage.set_wall(HOUR);
    stage.settles("a.rs");
    assert_eq!(stage.held(), ["a.rs main@7c1e 1"]);
    stage.stops(&holder);
    stage.set_wall(HOUR);
    stage.settles("a.rs");
    assert_eq!(stage.line(), ["a.rs main@9999 offered"]);
}

#[test]
fn an_hour_back_on_the_wall_keeps_no_lease_and_no_offer_for_ever() {
    let mut stage = Stage::new();
    let (holder, other) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&holder, "toolu_1", "a.rs");
    stage.prompts(&other, "go");
    stage.waits(&other, "a.rs");
    stage.set_wall(-HOUR);
    stage.pass(601_000);
    stage.settles("a.rs");
    assert_eq!(stage.over(), ["a.rs main@7c1e idle"]);
    assert_eq!(stage.line(), ["a.rs main@9999 offered"]);
    stage.set_wall(-HOUR);
    stage.pass(120_000);
    stage.settles("a.rs");
    assert_eq!(stage.line(), ["a.rs main@9999 passed"]);
}

#[test]
fn a_machine_that_slept_goes_on_with_both_clocks() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "idle.rs");
    stage.edits(&main, "toolu_2", "open.rs");
    stage.pass(2 * HOUR);
    stage.settles("idle.rs");
    stage.settles("open.rs");
    assert_eq!(
        stage.held(),
        ["idle.rs main@7c1e 1", "open.rs main@7c1e 0"],
        "a call is open: somebody may be asked"
    );
    stage.fails(&main, "toolu_2");
    stage.pass(HOUR);
    stage.settles("idle.rs");
    assert_eq!(
        stage.over(),
        ["idle.rs main@7c1e idle", "open.rs main@7c1e no_write"]
    );
}

#[test]
fn across_a_new_start_of_the_machine_the_wall_tells() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    stage.reboot();
    stage.pass(60_000);
    stage.settles("a.rs");
    assert_eq!(stage.held(), ["a.rs main@7c1e 1"]);
    stage.writes(&main, "toolu_2", "a.rs");
    let lease = leases::held(&stage.read(), &stage.file("a.rs")).unwrap().unwrap();
    assert_eq!(stage.moment().since(lease.taken), 60_003);
    stage.reboot();
    stage.pass(600_000);
    stage.settles("a.rs");
    assert_eq!(stage.over(), ["a.rs main@7c1e idle"]);
}

#[test]
fn who_was_idle_and_goes_on_has_its_file_again_if_nobody_took_it() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&main, "toolu_1", "a.rs");
    stage.writes(&main, "toolu_2", "b.rs");
    stage.pass(601_000);
    stage.settles("a.rs");
    stage.settles("b.rs");
    assert_eq!(stage.held(), Vec::<String>::new());
    stage.prompts(&other, "go");
    stage.writes(&other, "toolu_1", "b.rs");
    stage.calls(&main, "Read", "toolu_3", serde_json::json!({}));
    assert_eq!(stage.held(), ["a.rs main@7c1e 1", "b.rs main@9999 1"]);
}
