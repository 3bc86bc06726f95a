//! `toprope lease release`.

use crate::{assert_shown, denied, lent, listed, runs, runs_unnamed, siblings, world};

#[test]
fn what_an_agent_gives_back_goes_to_the_next_in_line() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    assert_shown!(world, runs(&world, &one, &["lease", "release", "src/parser.rs"]), @"
    exit 0
    --- stdout
    released src/parser.rs
    --- stderr
    ");
    assert_eq!(
        listed(&world),
        ["src/parser.rs promised to reviewer@a222, 0 waiting"]
    );
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn everything_is_given_back_at_once() {
    let world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    runs(&world, &one, &["lease", "reserve", "docs/**"]).ok();
    assert_shown!(world, runs(&world, &one, &["lease", "release", "--all"]), @"
    exit 0
    --- stdout
    released src/parser.rs
    released docs/**
    --- stderr
    ");
    assert_eq!(listed(&world), [""; 0]);
    assert_shown!(world, runs(&world, &one, &["lease", "release", "--all"]), @"
    exit 4
    --- stdout
    --- stderr
    error: you hold nothing that could be released
    hint: toprope lease list
    ");
}

#[test]
fn nobody_gives_back_what_another_holds() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    assert_shown!(world, runs(&world, &two, &["lease", "release", "src/parser.rs"]), @"
    exit 5
    --- stdout
    --- stderr
    error: src/parser.rs is held by fixer@a111
    hint: toprope lease wait src/parser.rs
    ");
    assert_shown!(world, world.toprope(&["lease", "release", "src/parser.rs"]), @"
    exit 3
    --- stdout
    --- stderr
    error: src/parser.rs is held by fixer@a111
    hint: toprope lease break src/parser.rs
    ");
    assert_shown!(world, world.toprope(&["lease", "release", "src/lexer.rs"]), @"
    exit 4
    --- stdout
    --- stderr
    error: nobody holds src/lexer.rs
    ");
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 0 waiting"]);
}

#[test]
fn all_of_them_are_released_or_none() {
    let world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let output = runs(
        &world,
        &one,
        &["lease", "release", "src/parser.rs", "src/lexer.rs"],
    );
    assert_eq!(output.code, Some(4), "{}", output.whole());
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 0 waiting"]);
}

#[test]
fn a_file_that_is_being_written_is_not_released() {
    let world = world();
    let [one, _] = siblings(&world);
    one.is_about_to_write("src/parser.rs", "two\n");
    assert_shown!(world, runs(&world, &one, &["lease", "release", "src/parser.rs"]), @"
    exit 3
    --- stdout
    --- stderr
    error: a call of yours is writing src/parser.rs
    hint: release it with a command of its own, once that call is over
    ");
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 0 waiting"]);
}

#[test]
fn what_is_borrowed_goes_back_and_what_is_lent_stays_where_it_is() {
    let world = world();
    let [main, child] = lent(&world);
    assert_shown!(world, runs(&world, &main, &["lease", "release", "src/lexer.rs"]), @r#"
    exit 3
    --- stdout
    --- stderr
    error: src/lexer.rs is lent to tester@a333 "run tests"
    hint: it comes back when that agent ends
    "#);
    runs(&world, &child, &["lease", "release", "src/lexer.rs"]).ok();
    let data = world.toprope(&["lease", "list", "--json"]).json().expect("data");
    let lease = &data["leases"][0];
    assert_eq!(lease["actor"]["label"], "main@ab31");
    assert!(lease["lent_to"].is_null(), "{lease}");
}

#[test]
fn nothing_named_is_wrong_use_and_nobody_known_is_refused() {
    let world = world();
    siblings(&world);
    assert_eq!(world.toprope(&["lease", "release"]).code, Some(2));
    assert_eq!(world.toprope(&["lease", "release", "a", "--all"]).code, Some(2));
    assert_eq!(runs_unnamed(&world, &["lease", "release", "--all"]).code, Some(5));
}
