//! Commits of everything while others edit: advice with the command for one's own files, never a denial.

use crate::{OTHER, SESSION, world};
use testkit::{Agent, World};

fn at_work<'a>(world: &'a World, session: &str) -> Agent<'a> {
    let agent = world.agent(session);
    agent.starts().ok();
    agent.is_asked("Go on.").ok();
    agent
}

fn told(agent: &Agent<'_>, command: &str) -> String {
    let call = agent.call("Bash", &serde_json::json!({ "command": command }));
    let answer = call.begins();
    assert_eq!(answer.denial(), None, "{command}");
    call.fails("Exit code 1").ok();
    call.ends_step().ok();
    answer.context()
}

#[test]
fn a_commit_that_takes_along_what_others_hold_is_told_how_to_commit_ones_own() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    one.writes("src/parser.rs", "two\n");
    two.writes("src/lexer.rs", "two\n");
    two.writes("src/it's new.rs", "new\n");
    world.write("notes.txt", "the person's\n");
    for command in [
        "git add -A && git commit -m done",
        "git add . && git commit -qm done",
        "git add -u; git commit -m done",
        "git commit -am done",
    ] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(told(&two, command), @r"This commit would take along files that others are editing: src/parser.rs (main@ab31). To commit only your own: `git add -- 'src/it'\''s new.rs' src/lexer.rs && git commit -m done -- 'src/it'\''s new.rs' src/lexer.rs`.");
        }
    }
    let own = r"git add -- 'src/it'\''s new.rs' src/lexer.rs && git commit -m done -- 'src/it'\''s new.rs' src/lexer.rs";
    assert_eq!(told(&two, own), "");
    two.shell(own);
    let committed = world.git(&["show", "--name-only", "--format=%s"]);
    let mut committed: Vec<&str> = committed.split_whitespace().collect();
    committed.sort_unstable();
    assert_eq!(committed.join(" "), "done new.rs src/it's src/lexer.rs");
}

#[test]
fn a_commit_that_takes_along_nothing_of_others_is_silent() {
    let world = world();
    let (one, two) = (at_work(&world, SESSION), at_work(&world, OTHER));
    two.writes("src/lexer.rs", "two\n");
    let all = "git add -A && git commit -m done";
    assert_eq!(told(&two, all), "", "nobody else holds anything");
    one.writes("src/parser.rs", "two\n");
    world.git(&["commit", "-qm", "theirs", "--", "src/parser.rs"]);
    assert_eq!(told(&two, all), "", "what another holds is committed");
    one.writes("src/parser.rs", "three\n");
    assert_ne!(told(&two, all), "");
    one.stops().ok();
    assert_eq!(told(&two, all), "", "its turn is over");
}
