//! `toprope lease break`.

use crate::{TOPROPE, assert_shown, denied, in_a_terminal, listed, runs, siblings, token_of, world};

#[test]
fn what_a_person_takes_away_goes_to_the_next_and_the_holder_is_told() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    let line = format!("{TOPROPE} lease break src/parser.rs --reason 'it is urgent'");
    let Some(output) = in_a_terminal(&world, &line, "y\n") else {
        return;
    };
    assert_shown!(world, output, @"
    exit 0
    --- stdout
    y
      src/parser.rs: fixer@a111 for [n] s, last write [n] s ago, next in line: reviewer@a222

    Take it away? [y/N] took src/parser.rs away from fixer@a111
    --- stderr
    ");
    let told = one.runs("toolu_next", "ls").context();
    insta::assert_snapshot!(told, @"The user took your lease on src/parser.rs. Read it again before you edit. They say: it is urgent");
    assert!(denied(&one, "src/parser.rs").is_some(), "it must ask again");
    assert_eq!(denied(&two, "src/parser.rs"), None);
    let ended = world
        .toprope(&["lease", "list", "--ended", "--json"])
        .json()
        .expect("data");
    assert_eq!(ended["leases"][0]["end_reason"], "broken");
}

#[test]
fn a_no_changes_nothing() {
    let world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let Some(no) = in_a_terminal(&world, &format!("{TOPROPE} lease break src/parser.rs"), "n\n") else {
        return;
    };
    assert_eq!(no.code, Some(3), "{}", no.whole());
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 0 waiting"]);
}

#[test]
fn a_reservation_is_broken_by_its_pattern() {
    let world = world();
    let [one, two] = siblings(&world);
    runs(&world, &one, &["lease", "reserve", "src/**"]).ok();
    let Some(output) = in_a_terminal(&world, &format!("{TOPROPE} lease break 'src/**'"), "y\n") else {
        return;
    };
    assert_eq!(output.code, Some(0), "{}", output.whole());
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn a_pipe_and_an_agent_are_no_person() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    assert_shown!(world, world.toprope(&["lease", "break", "src/parser.rs"]), @"
    exit 5
    --- stdout
    --- stderr
    error: a lease is broken by a person in their own terminal
    hint: ask the user to run `toprope lease break src/parser.rs`
    ");
    let token = token_of(&two, "toprope lease list");
    let by_token = world.toprope(&["lease", "break", "--as", &token, "src/parser.rs"]);
    assert_eq!(by_token.code, Some(5), "{}", by_token.whole());
    let line = format!("CLAUDECODE=1 {TOPROPE} lease break src/parser.rs");
    if let Some(output) = in_a_terminal(&world, &line, "y\n") {
        assert_eq!(output.code, Some(5), "{}", output.whole());
    }
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 0 waiting"]);
}

#[test]
fn what_nobody_holds_cannot_be_broken() {
    let world = world();
    siblings(&world);
    world.toprope(&["lease", "reserve", "docs/**"]).ok();
    for path in ["src/parser.rs", "docs/a.md"] {
        let line = format!("{TOPROPE} lease break {path}");
        let Some(output) = in_a_terminal(&world, &line, "y\n") else {
            return;
        };
        assert_eq!(output.code, Some(4), "{path}: {}", output.whole());
    }
}
