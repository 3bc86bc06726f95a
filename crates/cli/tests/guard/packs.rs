//! `toprope guard packs`: what is in force, where it comes from, and whether a file is well.

use crate::{assert_shown, world};

const RULE: &str = r#"
[[guard.rule]]
id = "infra.no-prod-apply"
class = "irreversible"
verdict = "ask"
program = ["deploy"]
what = "applies to production"
why = "No checkpoint can bring infrastructure back."
hits = ["deploy prod"]
misses = ["echo deploy prod"]
"#;

#[test]
fn every_pack_says_its_mode_and_origin() {
    let world = world();
    let shown = world.toprope(&["guard", "packs"]).ok();
    let origins: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.rsplit("  ").next())
        .collect();
    assert_eq!(origins, ["built-in"; 13], "{shown}");
    assert_shown!(world, world.toprope(&["guard", "packs", "terraform"]), @"
    exit 0
    --- stdout
    terraform.destroy  ask         enforce   built-in  14 examples  would change infrastructure without a plan somebody looked at
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["guard", "packs", "nonsense"]), @r#"
    exit 4
    --- stdout
    --- stderr
    error: there is no pack "nonsense"
    hint: toprope guard packs
    "#);
}

#[test]
fn a_file_is_verified_rule_by_rule() {
    let world = world();
    let rules = RULE.replace("guard.rule", "rule");
    world.write("good.toml", &rules);
    world.write("bad.toml", &rules.replace("\"deploy prod\"]", "\"ls\"]"));
    assert_shown!(world, world.toprope(&["guard", "packs", "--verify", "good.toml"]), @"
    exit 0
    --- stdout
    1 of 1 rules are well, 2 examples hold
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["guard", "packs", "--verify", "bad.toml"]), @"
    exit 1
    --- stdout
    0 of 1 rules are well, 0 examples hold
    --- stderr
    bad.toml:3: rule `infra.no-prod-apply` is left out: it does not match its example `ls`
    ");
}
