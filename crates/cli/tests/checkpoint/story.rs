//! A session to look at, and what people see of it with everything left out that is another each time.

use crate::world;
use serde_json::json;
use testkit::{Output, World};

/// The client's id of the session.
pub const SESSION: &str = "ab310c99-0000-4000-8000-000000000001";
/// A subagent of it.
pub const HELPER: &str = "a3f20123456789abc";

/// A repository on a branch of its own, with a file of the person's that is already changed.
pub fn place() -> World {
    let world = world();
    world.write("src/old_auth.rs", "fn old() {}\n");
    world.write(".gitignore", "*.log\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "second"]);
    world.git(&["switch", "-qc", "feature/login"]);
    world.write("notes.md", "mine\n");
    world
}

/// Two turns: the first makes a file and removes one, the second is helped by a subagent.
pub fn told() -> World {
    let world = place();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("# Create user model, drop old_auth\nplease").ok();
    world.settled();
    main.writes("src/model.rs", "struct User;\n");
    world.settled();
    main.shell("rm src/old_auth.rs");
    world.settled();
    main.stops().ok();
    world.settled();
    main.is_asked("Add the \u{1b}[31mlogin form").ok();
    world.settled();
    let helper = main.subagent(HELPER, "Explore");
    let call = main.call(
        "Agent",
        &json!({ "description": "write the form", "prompt": "Go", "subagent_type": "Explore" }),
    );
    call.begins().ok();
    helper.begins().ok();
    world.settled();
    helper.writes("src/login.rs", "fn login() {}\n");
    world.settled();
    helper.ends().ok();
    world.settled();
    call.ends(&json!({ "status": "completed", "agentId": HELPER }))
        .ok();
    world.settled();
    main.writes("src/model.rs", "struct User;\nstruct Login;\n");
    world.settled();
    main.stops().ok();
    world.settled();
    world
}

/// Lets every checkpoint be a minute older than the next, the newest half a minute old.
pub fn grow_old(world: &World) {
    world.database().run(
        "UPDATE checkpoints SET created_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
             - 30000 - 60000 * (SELECT count(*) FROM checkpoints AS newer WHERE newer.seq > checkpoints.seq)",
    );
}

/// A run's whole output, with names that are the same each time: `c00000000001` for the oldest checkpoint, and
/// `1111111` for the first commit.
pub fn shown(world: &World, output: &Output) -> String {
    steady(world, &output.whole())
}

/// The same for any text.
pub fn steady(world: &World, text: &str) -> String {
    let mut text = text.replace(&world.root().to_string_lossy().into_owned(), "/world");
    if let Some(day) = day(world) {
        text = text.replace(&day, "2026-11-15");
    }
    let ids = world.database().rows("SELECT id FROM checkpoints ORDER BY seq");
    for (number, id) in (1..).zip(&ids) {
        let name = format!("c{number:011}");
        text = text
            .replace(id, &name)
            .replace(id.get(..8).unwrap(), name.get(..8).unwrap());
    }
    let commits = world.git(&["rev-list", "--all", "--reverse", "--topo-order", "--author=T"]);
    let stored = world
        .database()
        .rows("SELECT commit_id FROM checkpoints UNION SELECT files_tree FROM checkpoints");
    for (number, commit) in (1..).zip(commits.lines()) {
        let name = char::from_digit(number, 16).unwrap().to_string();
        text = text.replace(commit, &name.repeat(40));
        text = text.replace(commit.get(..7).unwrap(), &name.repeat(7));
    }
    for id in stored {
        text = text.replace(&id, "<object>");
    }
    without_times(&text)
}

/// The day the sessions were first seen.
pub fn day(world: &World) -> Option<String> {
    let days = "SELECT substr(alias, 1, 10) FROM actors WHERE alias IS NOT NULL LIMIT 1";
    world.database().rows(days).pop()
}

/// Moments are another each time.
fn without_times(text: &str) -> String {
    let mut steady = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"created_at\":\"") {
        let (_, after) = after.split_once('"').unwrap();
        steady.push_str(before);
        steady.push_str("\"created_at\":\"<moment>\"");
        rest = after;
    }
    steady.push_str(rest);
    steady
}

/// JSON as it is read most easily.
pub fn pretty(world: &World, output: &Output) -> String {
    let text = steady(world, &output.stdout);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    format!(
        "exit {}\n{}",
        output.code.unwrap(),
        serde_json::to_string_pretty(&value).unwrap()
    )
}
