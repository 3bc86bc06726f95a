//! What an agent was owed when it ended.

use crate::notices;
use crate::stage::{Stage, Who, main_of};
use engine::effect::{Audience, Owed};
use engine::lease::notice;

const ONE: &str = "a1110000000000001";

fn owe(stage: &mut Stage, who: &Who, key: &str, text: &str) {
    owe_of_kind(stage, who, notice::OVERLAP, key, text);
}

fn owe_of_kind(stage: &mut Stage, who: &Who, kind: &str, key: &str, text: &str) {
    let owed = Owed {
        audience: Audience::Actor,
        kind: kind.to_owned(),
        key: key.to_owned(),
        text: text.to_owned(),
    };
    let (actor, at) = (stage.actor(who).id, stage.now());
    stage.write(|db| notices::owe(db, &owed, actor, at));
}

#[test]
fn what_an_agent_was_owed_about_its_work_is_told_to_whoever_started_it() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "Explore");
    stage.spawns(&main, "toolu_1", "Explore", true);
    stage.agent_starts(&child);
    owe(&mut stage, &main, "a.rs", "old news");
    owe(&mut stage, &child, "a.rs", "a.rs was changed under you");
    owe(&mut stage, &child, "b.rs", "b.rs was changed under you");
    stage.agent_stops(&child);
    let told: Vec<String> = notices::owed_to(&stage.read(), stage.actor(&main).id)
        .unwrap()
        .into_iter()
        .map(|notice| notice.text)
        .collect();
    assert_eq!(told, ["a.rs was changed under you", "b.rs was changed under you"]);
    assert_eq!(
        notices::owed_to(&stage.read(), stage.actor(&child).id).unwrap(),
        []
    );
}

#[test]
fn what_is_owed_to_an_agent_that_nobody_started_waits_for_it() {
    let mut stage = Stage::new();
    let child = main_of("7c1e").agent(ONE, "Explore");
    stage.agent_starts(&child);
    owe(&mut stage, &child, "a.rs", "a.rs was changed under you");
    stage.agent_stops(&child);
    assert_eq!(
        notices::owed_to(&stage.read(), stage.actor(&child).id)
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn what_concerned_only_an_agents_next_call_is_told_to_nobody_when_it_ends() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "Explore");
    stage.spawns(&main, "toolu_1", "Explore", true);
    stage.agent_starts(&child);
    for kind in [notice::BROKEN, notice::DEADLOCK, notice::CYCLE] {
        owe_of_kind(&mut stage, &child, kind, "a.rs", "read it again before you edit");
    }
    stage.agent_stops(&child);
    for who in [&main, &child] {
        let owed = notices::owed_to(&stage.read(), stage.actor(who).id).unwrap();
        assert_eq!(owed, [], "{}", stage.actor(who).label);
    }
}
