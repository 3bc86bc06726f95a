//! What an agent finds when it starts.

use crate::{OTHER, siblings, world};

#[test]
fn an_agent_that_starts_is_told_its_name_and_what_others_hold() {
    let world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let other = world.agent(OTHER);
    other.starts().ok();
    other.is_asked("Help.").ok();
    let late = other.subagent("a3333333333333333", "tester");
    let told = late.begins();
    insta::assert_snapshot!(told.context(), @"You are known here as tester@a333. Others are editing: src/parser.rs (fixer@a111). Leave these to them, or run `toprope lease wait <path>`.");
    assert!(told.context().chars().count() <= 600);
}

#[test]
fn where_nobody_holds_anything_it_is_told_its_name_alone() {
    let world = world();
    let main = world.agent(OTHER);
    main.starts().ok();
    let told = main.subagent("a3333333333333333", "tester").begins();
    insta::assert_snapshot!(told.context(), @"You are known here as tester@a333.");
}
