//! Agents that outlive their session.

use crate::stage::{Stage, main_of};
use crate::tokens::{self, Bearer};
use engine::event::StartSource;

const ONE: &str = "a1110000000000001";
const TWO: &str = "a2220000000000002";

/// Main started an agent in the background and its session was cleared; the client calls the agent by the same id after that.
fn cleared(stage: &mut Stage) {
    let (main, next) = (main_of("7c1e"), main_of("9999"));
    stage.ends(&main, "clear");
    stage.starts(&next, StartSource::Clear);
}

#[test]
fn an_agent_keeps_its_files_and_its_place_in_line_when_its_session_is_cleared() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let (child, other) = (main.agent(ONE, "x"), main.agent(TWO, "x"));
    stage.spawns(&main, "toolu_s", "x", true);
    stage.agent_starts(&child);
    stage.writes(&child, "toolu_1", "a.rs");
    stage.writes(&other, "toolu_2", "b.rs");
    stage.waits(&child, "b.rs");
    let sent = stage.calls(&child, "Bash", "toolu_3", serde_json::json!({}));
    let bearer = Bearer {
        actor: sent.actor.id,
        call: sent.seq,
    };
    let now = stage.moment();
    stage.write(|db| tokens::issue(db, "token", bearer, now));

    cleared(&mut stage);
    let moved = main_of("9999").agent(ONE, "x");
    let seen = stage
        .calls(&moved, "Read", "toolu_4", serde_json::json!({}))
        .actor;
    assert_eq!(seen.parent, Some(stage.actor(&main).id));
    assert!(seen.announced);
    assert_eq!(stage.held(), ["a.rs x@a1110 1", "b.rs x@a222 1"]);
    assert_eq!(stage.line().len(), 1, "{:?}", stage.line());
    let bearer = stage.write(|db| tokens::bearer(db, "token"));
    assert_eq!(bearer.map(|bearer| bearer.actor), Some(seen.id));
    assert_eq!(stage.state(&child), "ended moved");

    stage.agent_stops(&moved);
    assert_eq!(stage.held(), ["b.rs x@a222 1"]);
}

#[test]
fn an_agent_of_another_process_is_another_one() {
    let mut stage = Stage::new();
    let child = main_of("7c1e").agent(ONE, "x");
    stage.writes(&child, "toolu_1", "a.rs");
    let stranger = main_of("9999").in_process(200, 1).agent(ONE, "x");
    stage.calls(&stranger, "Read", "toolu_2", serde_json::json!({}));
    assert_eq!(stage.held(), ["a.rs x@a111 1"]);
}
