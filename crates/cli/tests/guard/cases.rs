//! `toprope guard test`: files of cases.

use crate::{assert_shown, world};

#[test]
fn a_case_that_does_not_hold_shows_what_was_expected_and_what_came() {
    let world = world();
    world.write(
        "good.toml",
        "[[case]]\ncommand = \"rm -rf src\"\nexpect = \"one-strike\"\nrule = \"core.filesystem.rm\"\ntracked = [\"src/a\"]\n\n[[case]]\ncommand = \"git push -f\"\nbranch = \"main\"\nexpect = \"deny\"\n",
    );
    world.write(
        "bad.toml",
        "[[case]]\ncommand = \"rm -rf src\"\nexpect = \"silent\"\n",
    );
    world.write("broken.toml", "[[case]]\ncommand = \"ls\"\nexpect = \"allow\"\n");
    assert_shown!(world, world.toprope(&["guard", "test", "good.toml"]), @"
    exit 0
    --- stdout
    2 hold, 0 do not
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["guard", "test", "good.toml", "bad.toml"]), @"
    exit 1
    --- stdout
    bad.toml: rm -rf src
      expected silent
      got      one-strike core.filesystem.rm
    2 hold, 1 do not
    --- stderr
    ");
    let broken = world.toprope(&["guard", "test", "broken.toml"]);
    assert_eq!(broken.code, Some(2), "{}", broken.whole());
    assert_eq!(world.toprope(&["guard", "test", "missing.toml"]).code, Some(2));
}

#[test]
fn facts_come_from_the_case_and_not_from_the_machine() {
    let world = world();
    world.write(
        "case.toml",
        "[[case]]\ncommand = \"rm -rf node_modules\"\nignored = []\nexpect = \"one-strike\"\n",
    );
    // In this world git ignores that folder; in the case it does not.
    assert_eq!(
        world.toprope(&["guard", "check", "rm -rf node_modules"]).code,
        Some(0)
    );
    assert_eq!(world.toprope(&["guard", "test", "case.toml"]).code, Some(0));
}
