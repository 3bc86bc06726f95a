//! Which words call skills to mind, and how layers add up.

use super::super::show_text;
use super::super::tests::{Desk, PROJECT, USER};
use insta::assert_snapshot;

const SEED: &str =
    "[skills.map]\neffect-services = [\"service\", \"dependency injection\"]\n\"a:b\" = \"di\"\n";

fn shown(desk: &Desk) -> String {
    let shown = show_text(&desk.loaded(), false);
    let lines = shown.lines().filter(|line| line.starts_with("skills.map"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn words_are_given_by_skill() {
    let desk = Desk::new().with(PROJECT, SEED);
    let map = desk.loaded().settings.skills.map;
    assert_eq!(map["effect-services"], ["service", "dependency injection"]);
    assert_eq!(map["a:b"], ["di"]);
    assert!(desk.loaded().problems.is_empty());
    assert_snapshot!(shown(&desk), @r#"
    skills.map."a:b" = ["di"]
    skills.map."effect-services" = ["service","dependency injection"]
    "#);
}

#[test]
fn each_layer_adds_to_the_one_below() {
    let more = "[skills.map]\neffect-services = [\"layer\", \"service\"]\n";
    let desk = Desk::new().with(USER, SEED).with(PROJECT, more);
    let map = desk.loaded().settings.skills.map;
    assert_eq!(
        map["effect-services"],
        ["service", "dependency injection", "layer"]
    );
    assert_eq!(map["a:b"], ["di"]);
}

#[test]
fn what_is_wrong_is_told_and_left_out() {
    let wrong = "[skills.map]\na = 3\nb = []\nc = [\"\"]\nd = [\"fine\"]\ne = { f = 1 }\n";
    let desk = Desk::new().with(PROJECT, wrong);
    let map = desk.loaded().settings.skills.map;
    assert_eq!(map.keys().collect::<Vec<_>>(), ["d"]);
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/repo/toprope.toml:2:5: `skills.map."a"` is a whole number, expected from 1 to 64 words or phrases
    warning: /~/repo/toprope.toml:3:5: `skills.map."b"` is a list, expected from 1 to 64 words or phrases
    warning: /~/repo/toprope.toml:4:5: `skills.map."c"` is a list, expected from 1 to 64 words or phrases
    warning: /~/repo/toprope.toml:6:5: `skills.map."e"` is a table, expected from 1 to 64 words or phrases
    "#);
    assert_snapshot!(Desk::new().with(PROJECT, "[skills]\nmap = 3\n").problems(), @"warning: /~/repo/toprope.toml:2:7: `skills.map` is a whole number, expected a table");
}
