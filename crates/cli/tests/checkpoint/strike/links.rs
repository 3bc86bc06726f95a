//! What lies behind a link is not the project's, however it is reached.

use super::*;

/// A project with a committed folder in which a link leads out of it.
fn with_a_way_out() -> (Stage, std::path::PathBuf) {
    let stage = Stage::new();
    let outside = stage.world.home().join("outside");
    for name in ["v", "w.orig"] {
        fs::create_dir_all(&outside).expect("a folder");
        fs::write(outside.join(name), "theirs\n").expect("a file");
    }
    stage.write("docs/a.md", "a\n");
    stage.write("docs/sub/b.md", "b\n");
    symlink(&outside, stage.path("docs/lnk")).expect("a link");
    symlink("a.md", stage.path("docs/plain")).expect("a link");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "a link"]);
    (stage, outside)
}

#[test]
fn a_pattern_that_goes_through_a_link_is_never_passed() {
    let (stage, outside) = with_a_way_out();
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "rm -f docs/lnk/v",
        "rm -f docs/*/*",
        "rm -f docs/**/*",
        "rm -rf docs/*/",
        "rm -f */*/v",
        "rm -f docs/*/*.orig",
        "for f in docs/*/*; do rm -f \"$f\"; done",
        "find docs -follow -type f | xargs rm",
        "find -L docs -type f | sort | xargs rm -f",
        "find docs -follow -delete",
        "find docs -follow -type f -exec rm {} +",
        "find -L docs -name 'w*' -exec rm -f {} \\;",
    ] {
        never_passes(&agent, command);
    }
    // Beside what no commit has, and where too much fits to be told.
    stage.write("docs/sub/new.md", "new\n");
    never_passes(&agent, "rm -rf docs/*/*");
    for number in 0..70 {
        stage.write(&format!("docs/sub/{number}.md"), "new\n");
    }
    never_passes(&agent, "rm -rf docs/*/*");
    assert!(outside.join("v").exists());
}

#[test]
fn a_pattern_beside_a_link_stops_nobody() {
    let (stage, _outside) = with_a_way_out();
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "rm -rf docs/*",
        "rm -f docs/l*",
        "rm -f docs/*/*.md",
        "rm -rf docs/s*/",
        "rm -rf doc*",
        "rm -f docs/*/*.bak",
        "find docs -name '*.md' -delete",
        "find docs -type f | xargs rm",
        "find -L docs -name '*.md'",
    ] {
        is_silent(&agent, command);
    }
}
