use super::*;
use crate::stage::{Stage, Who, main_of};
use crate::warnings::{Warning, remember};

fn warned(stage: &mut Stage, who: &Who, rule: &str) {
    stage.pass(1);
    let at = stage.now();
    let warning = Warning {
        actor: &who.key,
        rule_id: rule,
        key: "",
    };
    stage.write(|db| remember(db, &warning, EventSeq(at.0), at));
}

fn told(stage: &Stage, who: &Who) -> Vec<String> {
    let live = live_of(&stage.read(), &who.key).unwrap();
    live.iter()
        .map(|one| {
            let heard = if one.heard_at.is_some() { "heard" } else { "said" };
            format!("{} {heard} {}", one.rule_id, one.hits)
        })
        .collect()
}

#[test]
fn a_warning_is_heard_by_the_actor_it_was_given_to() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let (child, other) = (main.agent("a1", "x"), main_of("ab31"));
    for who in [&main, &child, &other] {
        warned(&mut stage, who, "core.filesystem.rm");
    }
    warned(&mut stage, &main, "core.filesystem.rm");
    let now = stage.now();
    assert!(has_unheard(&stage.read(), &main.key).unwrap());
    assert_eq!(stage.write(|db| hear(db, &main.key, now)), 1);
    assert!(!has_unheard(&stage.read(), &main.key).unwrap());
    assert!(has_unheard(&stage.read(), &child.key).unwrap());
    assert_eq!(told(&stage, &main), ["core.filesystem.rm heard 2"]);
    assert_eq!(told(&stage, &child), ["core.filesystem.rm said 1"]);
    assert_eq!(told(&stage, &other), ["core.filesystem.rm said 1"]);

    warned(&mut stage, &main, "core.git.clean");
    assert_eq!(
        told(&stage, &main),
        ["core.filesystem.rm heard 2", "core.git.clean said 1"],
        "what was said later is not heard yet"
    );
}

#[test]
fn a_session_that_forgets_is_warned_anew_and_others_remember() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("ab31"));
    let child = main.agent("a1", "x");
    for who in [&main, &child, &other] {
        warned(&mut stage, who, "core.git.clean");
    }
    warned(&mut stage, &main, "checkpoints.concurrent");
    let now = stage.now();
    let spared = ["checkpoints.concurrent"];
    assert_eq!(
        stage.write(|db| forget_session(db, &main.key.session, &spared, "advised", now)),
        2
    );
    assert_eq!(told(&stage, &main), ["checkpoints.concurrent said 1"]);
    assert!(told(&stage, &child).is_empty());
    assert_eq!(told(&stage, &other), ["core.git.clean said 1"]);
    warned(&mut stage, &main, "core.git.clean");
    assert_eq!(
        told(&stage, &main),
        ["checkpoints.concurrent said 1", "core.git.clean said 1"]
    );
}
