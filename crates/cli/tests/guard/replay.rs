//! `toprope guard replay`: recorded calls under the rules of now.

use crate::{SESSION, assert_shown, world};

const CANDIDATE: &str = r#"
[[rule]]
id = "mine.make"
class = "irreversible"
verdict = "deny"
program = ["make"]
sub = ["deploy"]
what = "deploys"
why = "Only the pipeline deploys."
hits = ["make deploy"]
misses = ["make test"]
"#;

#[test]
fn unchanged_rules_change_nothing_and_a_candidate_lists_exactly_what_it_changes() {
    let world = world();
    let agent = world.agent(SESSION);
    agent.starts();
    world.write("src/a.txt", "changed\n");
    for (call, command) in [
        ("toolu_1", "rm -rf src"),
        ("toolu_2", "git status"),
        ("toolu_3", "make deploy"),
        ("toolu_4", "make test"),
        ("toolu_5", "rm -rf node_modules"),
        ("toolu_6", "git push --force origin feature-x"),
        ("toolu_7", "rm -rf /"),
    ] {
        agent.runs(call, command);
    }
    world.write("candidate.toml", CANDIDATE);
    let events = world.log().len();
    assert_shown!(world, world.toprope(&["guard", "replay", "--fail-on-change"]), @"
    exit 0
    --- stdout
    core.filesystem.rm  1 time
    core.filesystem.rm-floor  1 time
    core.git.force-push  1 time
    7 calls judged again, 0 different
    --- stderr
    ");
    let candidate = ["guard", "replay", "--rules", "candidate.toml", "--fail-on-change"];
    assert_shown!(world, world.toprope(&candidate), @"
    exit 1
    --- stdout
    4  newly stopped    make deploy  silent -> deny mine.make
    core.filesystem.rm  1 time
    core.filesystem.rm-floor  1 time
    core.git.force-push  1 time
    mine.make  1 time
    7 calls judged again, 1 different
    --- stderr
    ");
    let candidate = ["guard", "replay", "--rules", "candidate.toml", "--json"];
    assert_shown!(world, world.toprope(&candidate), @r#"
    exit 0
    --- stdout
    {"event":4,"change":"newly stopped","command":"make deploy","was":"silent","now":"deny mine.make"}
    --- stderr
    "#);
    assert_eq!(world.log().len(), events, "nothing was written");
}
