//! A run that dies at any step leaves the old file or the new one, and the next run is none the worse.

use super::super::apply::install;
use super::super::plan::plan;
use super::super::remove::uninstall;
use super::{Place, at, options, unwatched};
use std::path::PathBuf;
use std::process::Command;

const PROJECT: &str = "TOPROPE_TEST_INTERRUPTED_PROJECT";
const STEP: &str = "TOPROPE_TEST_INTERRUPTED_STEP";
const RUN: &str = "TOPROPE_TEST_INTERRUPTED_RUN";

/// Every step a run can die at.
const STEPS: [&str; 7] = [
    "read",
    "original-kept",
    "kept",
    "folder",
    "staged",
    "replaced",
    "forgotten",
];

const BEFORE: &str = "{\n  \"model\": \"opus\"\n}\n";

/// The run that dies; a test starts it in a process of its own.
#[test]
#[ignore = "only a child process of the tests below has something to interrupt"]
fn dies_at_a_step() {
    let [project, step, run] = [PROJECT, STEP, RUN].map(variable);
    let place = PathBuf::from(project);
    let target = super::SettingsTarget::local(&place.join("project"));
    let backups = super::Backups::in_state(&place.join("state"));
    let probe = |reached: &str| {
        if reached == step {
            std::process::abort();
        }
    };
    match run.as_str() {
        "uninstall" => drop(uninstall(&[target], &backups, &probe)),
        program => drop(install(&target, &at(program), &backups, &probe)),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how a test tells its child process what to do"
)]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap()
}

/// Runs in a process that dies at a step; says whether it was reached.
fn interrupted(place: &Place, run: &str, step: &str) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--quiet", "dies_at_a_step"])
        .envs([
            (PROJECT, place.path().display().to_string()),
            (STEP, step.to_owned()),
            (RUN, run.to_owned()),
        ])
        .output()
        .unwrap()
        .status;
    !status.success()
}

fn reached(run: &str, prepare: impl Fn() -> Place, check: impl Fn(&Place, &str)) -> Vec<&'static str> {
    let died = |step: &&str| {
        let place = prepare();
        let died = interrupted(&place, run, step);
        check(&place, step);
        died
    };
    STEPS.into_iter().filter(|step| died(step)).collect()
}

#[test]
fn an_interrupted_init_leaves_the_old_file_or_the_new_one() {
    let after = plan(Some(BEFORE.as_bytes()), &options()).unwrap().bytes;
    let check = |place: &Place, step: &str| {
        let found = place.bytes().unwrap();
        let is_new = ["replaced", "forgotten"].contains(&step);
        assert_eq!(
            found,
            if is_new {
                after.as_slice()
            } else {
                BEFORE.as_bytes()
            },
            "{step}"
        );
        place.init(&options()).unwrap();
        assert_eq!(place.bytes().unwrap(), after, "{step}");
        let files = [".claude", ".claude/settings.local.json"];
        assert_eq!(place.listing(), files, "nothing lies about after {step}");
        place.outcome();
        assert_eq!(place.text(), BEFORE, "{step}");
    };
    let steps = reached("/opt/bin/toprope", || Place::with(BEFORE.as_bytes()), check);
    assert_eq!(
        steps,
        ["read", "original-kept", "kept", "folder", "staged", "replaced"]
    );
}

#[test]
fn an_interrupted_init_that_makes_the_file_can_be_undone() {
    let check = |place: &Place, step: &str| {
        assert!(
            place.bytes().is_none_or(|bytes| bytes.ends_with(b"}\n")),
            "{step}"
        );
        place.init(&options()).unwrap();
        place.remove();
        assert!(place.bytes().is_none(), "{step}");
    };
    assert_eq!(reached("/opt/bin/toprope", Place::new, check).len(), 6);
}

#[test]
fn an_interrupted_repair_still_lets_the_original_come_back() {
    let installed = || {
        let place = Place::with(BEFORE.as_bytes());
        place.init(&options()).unwrap();
        place
    };
    let check = |place: &Place, step: &str| {
        place.outcome();
        assert_eq!(place.text(), BEFORE, "{step}");
    };
    assert_eq!(reached("/moved/toprope", installed, check).len(), 6);
}

#[test]
fn an_interrupted_uninstall_can_be_run_again() {
    let installed = || {
        let place = Place::with(BEFORE.as_bytes());
        place.init(&options()).unwrap();
        place
    };
    let after = plan(Some(BEFORE.as_bytes()), &options()).unwrap().bytes;
    let check = |place: &Place, step: &str| {
        let found = place.bytes().unwrap();
        assert!(found == after || found == BEFORE.as_bytes(), "{step}");
        uninstall(&[place.target()], &place.backups(), &unwatched);
        assert_eq!(place.text(), BEFORE, "{step}");
        assert_eq!(
            place.listing(),
            [".claude", ".claude/settings.local.json"],
            "{step}"
        );
    };
    assert_eq!(
        reached("uninstall", installed, check),
        ["read", "staged", "replaced", "forgotten"]
    );
}
