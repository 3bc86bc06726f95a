//! The guard's commands, end to end: the real binary, real git, a real terminal where one is asked for.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

mod allow;
mod cases;
mod check;
mod explain;
mod packs;
mod places;
mod replay;
mod sessions;
mod told;

use testkit::World;

/// The client's session.
const SESSION: &str = "ab31c0de-0000-4000-8000-000000000001";

/// A world whose repository is on a branch of its own, with files git knows and files it ignores.
fn world() -> World {
    let world = World::new(env!("CARGO_BIN_EXE_toprope")).with("TOPROPE_DAEMON", "never");
    world.write("src/a.txt", "a\n");
    world.write("app/b.txt", "b\n");
    world.write(".gitignore", "node_modules/\n.env\n");
    world.write("node_modules/x/index.js", "x\n");
    world.write(".env", "TOKEN=1\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "files"]);
    world.git(&["checkout", "-q", "-b", "feature-x"]);
    world
}

fn settled(world: &World, text: &str) -> String {
    let root = world.root().canonicalize().expect("a world");
    text.replace(&*root.to_string_lossy(), "[world]")
        .replace(&*world.root().to_string_lossy(), "[world]")
}

macro_rules! assert_shown {
    ($world:expr, $output:expr, @$snapshot:literal) => {
        let shown = crate::settled(&$world, &$output.whole());
        let filters = vec![
            (r"g-[a-z2-7]{6}", "g-[id]"),
            (r"[0-9a-f]{64}", "[hash]"),
            (r"\d+ s ago", "[age]"),
        ];
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(shown, @$snapshot);
        });
    };
}
use assert_shown;
