//! `toprope guard explain`: a text, or an event that was recorded.

use crate::{SESSION, assert_shown, world};

#[test]
fn a_text_is_taken_apart() {
    let world = world();
    world.write("src/a.txt", "changed\n");
    let text = "sudo bash -lc \"git -C app reset -q --hard\" && echo done";
    assert_shown!(world, world.toprope(&["guard", "explain", text]), @"
    exit 0
    --- stdout
    1  git -C app reset -q --hard  in app/  from sudo > bash -lc  core.git.reset-hard  yes [tree]
    2  echo done                   in .                           no rule
    coverage full   questions 4 (repository [world]/repo: branch feature-x; repository [world]/repo/app: branch feature-x; uncovered: 0; changes: 1)
    verdict one-strike: held once; the same again, or a part of it, runs behind a checkpoint

      `git -C app reset -q --hard` would throw away changes in 1 file (src/a.txt).
      Safer: git stash push
      Run it again if you mean it: it then runs only behind a checkpoint that holds all of this. [core.git.reset-hard, held once]
    --- stderr
    ");
}

#[test]
fn what_may_match_is_named_with_what_is_missing() {
    let world = world();
    assert_shown!(world, world.toprope(&["guard", "explain", "$TOOL reset --hard"]), @"
    exit 0
    --- stdout
    1  $TOOL reset --hard  in .  core.git.reset-hard  maybe (the program), kubernetes.delete-all  maybe (the program), system.firewall  maybe (the program)
       $TOOL reset --hard        the program is not known
    coverage partial   questions 3 (repository [world]/repo: branch feature-x; changes: 0; commits: not told)
    verdict silent
    --- stderr
    ");
}

#[test]
fn an_event_is_explained_from_what_was_known_then() {
    let world = world();
    let agent = world.agent(SESSION);
    agent.starts();
    world.write("src/a.txt", "changed\n");
    agent.runs("toolu_1", "rm -rf src");
    let events = world.log();
    let event = events
        .iter()
        .find(|event| event["event"] == "PreToolUse")
        .expect("the call");
    let id = event["seq"].to_string();
    // What is there now does not matter.
    world.shell("rm -r src");
    assert_shown!(world, world.toprope(&["guard", "explain", &id]), @"
    exit 0
    --- stdout
    1  rm -rf src  in .  core.filesystem.rm  yes [tree]
    coverage full   questions 4 (repository [world]/repo: branch feature-x; path [world]/repo/src: tracked, 1 file; path [world]/repo/src.old: nothing there; uncovered: 0)
    verdict one-strike: held once; the same again, or a part of it, runs behind a checkpoint

      `rm -rf src` would remove src.
      Safer: mv src src.old
      Run it again if you mean it: it then runs only behind a checkpoint that holds all of this. [core.filesystem.rm, held once]
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["guard", "explain", "999"]), @"
    exit 4
    --- stdout
    --- stderr
    error: there is no event 999
    hint: toprope log --events --all-projects
    ");
}
