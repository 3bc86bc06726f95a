//! `toprope guard check`: the verdict, in words, as data and as an exit code.

use crate::{assert_shown, world};
use serde_json::Value;

#[test]
fn the_exit_code_says_the_verdict() {
    let world = world();
    world.write("src/a.txt", "changed\n");
    for (command, code) in [
        ("git status", 0),
        ("git commit -m 'never run rm -rf /'", 0),
        ("git push --force origin feature-x", 10),
        ("npm publish", 11),
        ("git reset --hard", 12),
        ("rm -rf /", 13),
        ("", 0),
    ] {
        let output = world.toprope(&["guard", "check", command]);
        assert_eq!(output.code, Some(code), "{command}: {}", output.whole());
    }
    assert_eq!(world.toprope(&["guard", "check"]).code, Some(2), "no command");
    let rules = ["guard", "check", "--rules", "missing.toml", "ls"];
    assert_eq!(world.toprope(&rules).code, Some(1), "no such rules");
}

#[test]
fn each_finding_is_one_line() {
    let world = world();
    assert_shown!(world, world.toprope(&["guard", "check", "cd / && sudo rm -rf *"]), @"
    exit 13
    --- stdout
    deny       core.filesystem.rm-floor   `rm -rf *` in /   (through sudo)
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["guard", "check", "git push --force origin feature-x"]), @"
    exit 10
    --- stdout
    rewrite    core.git.force-push   `git push --force origin feature-x`
    instead    git push --force-with-lease origin feature-x
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["guard", "check", "ls"]), @"
    exit 0
    --- stdout
    silent
    --- stderr
    ");
}

#[test]
fn the_data_has_exactly_the_documented_fields() {
    let world = world();
    world.write("src/a.txt", "changed\n");
    let command = "sudo bash -lc \"git -C app reset -q --hard\" && echo done";
    let output = world.toprope(&["guard", "check", "--json", command]);
    assert_eq!(output.code, Some(12));
    assert_shown!(world, output, @r#"
    exit 12
    --- stdout
    {"verdict":"one-strike","class":"recoverable","coverage":"full","findings":[{"rule":"core.git.reset-hard","match":"yes","segment":"git -C app reset -q --hard","through":["sudo","bash -lc"],"zone":"tree","what":"would throw away changes in 1 file (src/a.txt)","why":"Changes that were never committed are gone after it.","instead":"git stash push"}],"rewritten":null,"attended":true,"rules_hash":"[hash]"}
    --- stderr
    "#);
    let data: Value = world
        .toprope(&["guard", "check", "--json", "ls"])
        .json()
        .expect("data");
    let keys: Vec<&String> = data.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "verdict",
            "class",
            "coverage",
            "findings",
            "rewritten",
            "attended",
            "rules_hash"
        ]
    );
    assert_eq!(data["class"], Value::Null);
}

#[test]
fn a_command_comes_from_stdin_byte_for_byte() {
    let world = world();
    world.write("src/a.txt", "changed\n");
    let mut command = world.command(&["guard", "check", "--json", "-"]);
    let text = "cat <<'EOF' > notes.md\nrm -rf /\nEOF\ngit reset --hard\n";
    command.current_dir(world.repo());
    let output = testkit::run(command, text.as_bytes());
    let data = output.json().expect("data");
    assert_eq!(data["verdict"], "one-strike");
    assert_eq!(data["findings"][0]["segment"], "git reset --hard");
}

#[test]
fn terms_decide_with_the_facts() {
    let world = world();
    let verdict = |arguments: &[&str]| {
        let all = [&["guard", "check", "--json"], arguments].concat();
        world.toprope(&all).json().expect("data")["verdict"]
            .as_str()
            .expect("a word")
            .to_owned()
    };
    assert_eq!(verdict(&["git push --force"]), "rewrite");
    assert_eq!(verdict(&["--branch", "main", "git push --force"]), "deny");
    assert_eq!(verdict(&["npm publish"]), "ask");
    assert_eq!(verdict(&["--attended", "no", "npm publish"]), "deny");
    assert_eq!(verdict(&["rm -rf node_modules"]), "silent");
    assert_eq!(verdict(&["--cwd", "src", "rm -rf ../node_modules"]), "silent");
    assert_eq!(verdict(&["--cwd", "/", "rm -rf usr"]), "deny");
}

#[test]
fn candidate_rules_count_on_top_and_a_wrong_one_is_named() {
    let world = world();
    world.write(
        "candidate.toml",
        r#"
[[rule]]
id = "mine.deploy"
class = "irreversible"
verdict = "deny"
program = ["deploy"]
what = "deploys"
why = "Only the pipeline deploys."
hits = ["deploy prod"]
misses = ["echo deploy"]

[[rule]]
id = "mine.broken"
class = "irreversible"
program = ["x"]
what = "breaks"
why = "It has no examples."
"#,
    );
    assert_shown!(world, world.toprope(&["guard", "check", "--rules", "candidate.toml", "deploy prod"]), @"
    exit 13
    --- stdout
    deny       mine.deploy   `deploy prod`
    --- stderr
    candidate.toml:12: rule `mine.broken` is left out: it has no `hits`
    ");
    assert_eq!(world.toprope(&["guard", "check", "deploy prod"]).code, Some(0));
}

#[test]
fn nothing_is_changed_by_asking() {
    let world = world();
    world.write("src/a.txt", "changed\n");
    let before = world.git(&["status", "--porcelain"]);
    world.toprope(&["guard", "check", "git reset --hard"]);
    assert_eq!(world.git(&["status", "--porcelain"]), before);
    assert!(!world.state().exists(), "no state is made");
}
