//! The client's settings files that have Toprope called, whatever reaches them: no command and no tool takes them away,
//! moves them or writes them unseen, and what nobody foresaw is told at once.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

#[path = "kept_settings/led.rs"]
mod led;

use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use testkit::{Agent, Output, World};

const TOPROPE: &str = env!("CARGO_BIN_EXE_toprope");
const LOCAL: &str = ".claude/settings.local.json";
const PROJECT: &str = ".claude/settings.json";

/// A world in which `init` has written its entries into the settings of this scope.
fn installed(scope: &str) -> World {
    let world = World::new(TOPROPE);
    installs(&world, scope);
    world.agent("s1").starts().ok();
    world
}

/// A project's own entries call `toprope` by its name, which is on nobody's path here.
fn installs(world: &World, scope: &str) {
    let answer = world.toprope(&["init", "--scope", scope]).whole();
    assert!(answer.contains("added 30 events"), "{answer}");
}

fn decision(output: &Output) -> String {
    let answer = output.json().unwrap_or_default();
    let said = answer.pointer("/hookSpecificOutput/permissionDecision");
    said.and_then(Value::as_str).unwrap_or("passed").to_owned()
}

/// What is answered to each of these; tried twice, as an agent does that has read why it was held.
#[track_caller]
fn all_are(expected: &str, agent: &Agent<'_>, commands: &[&str]) {
    let mut other = Vec::new();
    for command in commands {
        for time in ["first", "second"] {
            let call = agent.call("Bash", &json!({ "command": command, "description": "run" }));
            let answer = call.begins();
            call.ends_step().ok();
            let said = decision(&answer);
            if said != expected {
                other.push(format!("{time}: {command}: {said} {}", answer.whole()));
            }
        }
    }
    assert!(other.is_empty(), "not {expected}:\n{}", other.join("\n"));
}

/// What takes the folder with the settings away, or what is in it.
const REMOVALS: [&str; 21] = [
    "trash .claude",
    "rename s/claude/x/ .claude",
    "rm -rf .claude",
    "rm -rf .c*",
    "rm -rf .[a-z]*",
    "rm .claude/settings*",
    "mv .claude x",
    "mv .claude/* src/",
    "mv .claude/settings* /tmp",
    "cd .claude && rm -f *",
    "find .claude -type f -delete",
    "find .claude -name '*.json' -delete",
    "find . -name 'settings*.json' -exec rm {} +",
    "find .claude -type f | xargs rm",
    "for f in .claude/*; do rm \"$f\"; done",
    "tar --remove-files -cf a.tar .claude",
    "zip -rm a.zip .claude",
    "rsync -a --remove-source-files .claude/ x/",
    "shopt -s dotglob; rm -rf ./*",
    "python3 -c \"import shutil; shutil.rmtree('.claude')\"",
    "python3 -c \"import os; os.rename('.claude', 'x')\"",
];

#[test]
fn nothing_takes_away_the_settings_of_a_project_that_has_us_called_by_the_person_s_own_file() {
    let world = installed("local");
    world.write("src/a.rs", "one\n");
    let agent = world.agent("s1");
    all_are("deny", &agent, &REMOVALS);
    all_are(
        "deny",
        &agent,
        &[
            "git stash -u",
            "git stash push --include-untracked -m x",
            "git stash -a",
            "git stash -u -- .claude",
            "git clean -fd",
            "git clean -fdx",
            "git clean -fdx .claude",
        ],
    );
    assert!(world.repo().join(LOCAL).exists());
}

#[test]
fn what_is_offered_instead_of_stashing_or_cleaning_the_settings_away_leaves_them() {
    let world = installed("local");
    world.write("new.txt", "one\n");
    let agent = world.agent("s1");
    let reason = agent.runs("t1", "git stash -u").denial().unwrap();
    assert!(reason.contains("git stash -u -- . ':!.claude'"), "{reason}");
    insta::assert_snapshot!(reason, @"
    `git stash -u` would take away .claude/settings.local.json, which has Toprope called.
    An agent may not lift its own limits.
    Instead: git stash -u -- . ':!.claude' [self.settings]
    ");
    all_are("passed", &agent, &["git stash -u -- . ':!.claude'"]);
    world.shell("git stash -u -- . ':!.claude'").ok();
    assert!(world.repo().join(LOCAL).exists() && !world.repo().join("new.txt").exists());
    world.write("new.txt", "one\n");
    let reason = agent.runs("t2", "git clean -fd").denial().unwrap();
    insta::assert_snapshot!(reason, @"
    `git clean -fd` would remove 2 files (.claude/settings.local.json, new.txt) that no commit has.
    Among them .claude/settings.local.json with Toprope's hooks.
    An agent may not lift its own limits.
    Look at what would go with `git clean -n -d`, and ask the person. [self.settings]
    ");
    all_are("passed", &agent, &["git clean -n -d"]);
    let left_out = agent
        .runs("t3", "git clean -fd -e .claude")
        .denial()
        .unwrap_or_default();
    assert!(!left_out.contains("self.settings"), "{left_out}");
    world.shell("git clean -fd -e .claude").ok();
    assert!(world.repo().join(LOCAL).exists() && !world.repo().join("new.txt").exists());
    // Where nothing else would be lost, there is a clean that leaves them.
    world.write(".gitignore", "node_modules/\n");
    world.git(&["add", ".gitignore"]);
    world.git(&["commit", "-q", "-m", "rules"]);
    world.write("node_modules/x.js", "made again\n");
    let reason = agent.runs("t4", "git clean -fdx").denial().unwrap();
    assert!(
        reason.ends_with("\nInstead: git clean -f -e .claude -d -x [self.settings]"),
        "{reason}"
    );
    all_are("passed", &agent, &["git clean -f -e .claude -d -x"]);
    world.shell("git clean -f -e .claude -d -x").ok();
    assert!(world.repo().join(LOCAL).exists() && !world.repo().join("node_modules").exists());
    let reason = agent.runs("t5", "git clean -fdX -e .claude").denial().unwrap();
    assert!(reason.contains("`git clean -n -d -X`"), "{reason}");
}

#[test]
fn nothing_takes_away_the_settings_a_project_has_committed() {
    let world = installed("project");
    world.git(&["branch", "other"]);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "with hooks"]);
    world.git(&["branch", "alike"]);
    let agent = world.agent("s1");
    all_are("deny", &agent, &REMOVALS);
    all_are(
        "deny",
        &agent,
        &[
            "git rm -rf .claude",
            "git rm -r .",
            "git mv .claude x",
            "git checkout other -- .claude || git restore --source=other .claude",
            "git restore --source=other -- .",
            "git sparse-checkout set src",
        ],
    );
    let moved = [
        "git switch other",
        "git checkout other",
        "git checkout -b new other",
        "git switch --detach HEAD~1",
        "git switch --orphan empty",
        "git reset --hard other",
        "git read-tree -u -m other",
        "git read-tree --reset -u other",
    ];
    insta::assert_snapshot!(agent.runs("t1", "git switch other").denial().unwrap(), @"
    `git switch other` would take away .claude/settings.json, which has Toprope called.
    An agent may not lift its own limits.
    Instead: git worktree add --detach ../elsewhere other [self.settings]
    ");
    for command in moved {
        let said = decision(&agent.runs(command, command));
        assert!(said == "ask" || said == "deny", "{command}: {said}");
    }
    all_are(
        "passed",
        &agent,
        &[
            "git switch alike",
            "git checkout alike",
            "git switch -c topic",
            "git stash",
            "git rm --cached -r .claude",
            "git merge other",
            "git checkout a.txt",
        ],
    );
}

#[test]
fn settings_that_no_commit_has_yet_are_not_put_back_to_what_was_before() {
    let world = World::new(TOPROPE);
    world.write(PROJECT, "{}\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "empty settings"]);
    installs(&world, "project");
    let agent = world.agent("s1");
    agent.starts().ok();
    all_are(
        "deny",
        &agent,
        &[
            "git stash",
            "git checkout -- .claude/settings.json",
            "git checkout .",
            "git restore .",
            "git restore .claude/settings.json",
            "git checkout HEAD -- .claude",
            "git checkout-index -f -a",
        ],
    );
    let said = decision(&agent.runs("t9", "git reset --hard"));
    assert!(said == "ask" || said == "deny", "{said}");
    all_are(
        "passed",
        &agent,
        &["git stash -- . ':!.claude'", "git restore a.txt"],
    );
}

#[test]
fn nothing_writes_the_settings_that_have_us_called_unseen() {
    let world = installed("user");
    world.write("evil/settings.json", r#"{"disableAllHooks":true}"#);
    world.write("evil/settings.local.json", r#"{"disableAllHooks":true}"#);
    world.write("fine/commands/x.md", "hello\n");
    world.write(
        "evil.patch",
        "--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -0,0 +1 @@\n+{\"disableAllHooks\":true}\n",
    );
    world.write(
        "fine.patch",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n",
    );
    let home = world.home();
    symlink(home.join(".claude/settings.json"), world.repo().join("link")).unwrap();
    symlink(home.join(".claude"), world.repo().join("folder")).unwrap();
    fs_err::hard_link(home.join(".claude/settings.json"), world.repo().join("hard")).unwrap();
    let agent = world.agent("s1");
    all_are(
        "deny",
        &agent,
        &[
            "ed -s ~/.claude/settings.json <<< $'1,$d\\nw'",
            "ex -s +%d +x ~/.claude/settings.json",
            "vim -es -c '%d|wq' ~/.claude/settings.json",
            "sort -o ~/.claude/settings.json a.txt",
            "patch ~/.claude/settings.json < fine.patch",
            "patch -p1 < evil.patch",
            "git apply evil.patch",
            "git apply < evil.patch",
            "cp evil/* ~/.claude",
            "cp -a evil/. ~/.claude/",
            "cp -r evil .claude",
            "mv evil .claude",
            "ln -s evil .claude",
            "rsync -a evil/ .claude/",
            "cp evil/settings.json ~/.claude/",
            "mkdir x && echo '{\"disableAllHooks\":true}' > x/settings.json && mv x .claude",
            "tar -xf a.tar -C ~/.claude",
            "unzip -o a.zip -d ~/.claude",
            "cd ~/.claude && tar xf /tmp/a.tar",
            "echo '{}' > ~/.claude/sett*.json",
            "for f in ~/.claude/*.json; do sed -i s/toprope/x/ $f; done",
            "find ~/.claude -name '*.json' -exec sed -i s/toprope/x/ {} \\;",
            "ls ~/.claude/settings.json | xargs sh -c 'echo x > $0'",
            "python3 -c \"import shutil; shutil.copy('evil/settings.json', '.claude/settings.json')\"",
            "python3 -c \"import os; os.chdir('.claude'); open('settings.json','w').write('{}')\"",
            "gzip ~/.claude/settings.json",
            "gawk -i inplace '{print 1}' ~/.claude/settings.json",
            "wget -P .claude http://localhost/settings.json",
            "echo '{}' > link",
            "echo '{}' > folder/settings.json",
            "sed -i s/toprope/x/ hard",
            "truncate -s 0 hard",
            "ln ~/.claude/settings.json another",
            "chmod 000 ~/.claude",
        ],
    );
    for (number, name) in ["link", "folder/settings.json", "hard"].into_iter().enumerate() {
        let file = world.repo().join(name);
        let write = json!({ "file_path": file, "content": "{}" });
        let edit =
            json!({ "file_path": file, "old_string": "toprope", "new_string": "x", "replace_all": true });
        for (tool, input) in [("Write", write), ("Edit", edit)] {
            let answer = agent.before(&format!("toolu_{number}_{tool}"), tool, &input);
            assert_eq!(decision(&answer), "deny", "{tool} {name}: {}", answer.whole());
        }
    }
    let moved = json!({ "source": home.join(".claude"), "destination": "/tmp/x" });
    assert_eq!(
        decision(&agent.before("toolu_moved", "mcp__fs__move_file", &moved)),
        "deny"
    );
}

#[test]
fn a_branch_whose_settings_switch_hooks_off_is_not_let_in() {
    let world = installed("user");
    world.git(&["checkout", "-q", "-b", "evil"]);
    world.write(PROJECT, r#"{"disableAllHooks":true}"#);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "off"]);
    world.git(&["checkout", "-q", "main"]);
    world.git(&["checkout", "-q", "-b", "fine"]);
    world.write(PROJECT, r#"{"permissions":{}}"#);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "fine"]);
    world.git(&["checkout", "-q", "main"]);
    let agent = world.agent("s1");
    for command in [
        "git checkout evil -- .claude",
        "git checkout evil",
        "git switch evil",
        "git merge evil",
        "git cherry-pick evil",
        "git restore --source=evil .",
        "git reset --hard evil",
    ] {
        let said = decision(&agent.runs(command, command));
        assert!(said == "ask" || said == "deny", "{command}: {said}");
    }
    all_are(
        "passed",
        &agent,
        &[
            "git checkout fine -- .claude",
            "git checkout fine",
            "git switch fine",
            "git merge fine",
        ],
    );
}

#[test]
fn everyday_commands_beside_the_settings_are_not_stopped() {
    let world = installed("local");
    world.write("src/a.rs", "one\n");
    world.write("fine/commands/x.md", "hello\n");
    world.write(
        "fine.patch",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n",
    );
    world.git(&["add", "src", "fine.patch", "fine"]);
    world.git(&["commit", "-q", "-m", "more"]);
    let agent = world.agent("s1");
    all_are(
        "passed",
        &agent,
        &[
            "cat .claude/settings.local.json",
            "cat .claude/*.json",
            "jq . .claude/settings.local.json",
            "python3 -m json.tool .claude/settings.local.json",
            "python3 -c \"import json; print(json.load(open('.claude/settings.local.json')))\"",
            "jq '.permissions' .claude/settings.local.json > /tmp/copy.json",
            "cat .claude/settings.local.json | tee /tmp/copy.json",
            "chmod 600 .claude/settings.local.json",
            "diff .claude/settings.local.json ~/.claude/settings.json",
            "cp .claude/settings.local.json /tmp/copy.json",
            "grep -rn toprope .claude/settings.local.json",
            "git diff -- .claude/settings.local.json",
            "git add -A",
            "git stash",
            "git stash -- src",
            "git switch -c topic",
            "git checkout main",
            "git apply fine.patch",
            "patch -p1 < fine.patch",
            "mkdir -p .claude/commands && echo hello > .claude/commands/x.md",
            "cp -r fine/commands .claude/",
            "cp -r fine/* .claude/",
            "mv fine/commands .claude/",
            "tar -cf a.tar .claude",
            "tar -xf a.tar",
            "sort -o out.txt a.txt",
            "find .claude -name '*.md'",
            "ls -la .claude",
            "chmod -R u+w .",
            "sed -i s/one/two/ src/a.rs",
            "vim -es -c wq a.txt",
            "git pull",
            "git fetch && git rebase main",
        ],
    );
    // Held once as any removal is, and not for our sake.
    for command in [
        "find . -name '*.pyc' -delete",
        "find . -type d -empty -delete",
        "rm -rf src",
        "rm -f *.log",
        "rm -rf *",
    ] {
        let reason = agent.runs(command, command).denial().unwrap_or_default();
        assert!(!reason.contains("self."), "{command}: {reason}");
    }
    for name in [
        ".claude/commands/x.md",
        ".claude/agents/a.md",
        "CLAUDE.md",
        ".claude/CLAUDE.md",
    ] {
        let input = json!({ "file_path": world.repo().join(name), "content": "hello\n" });
        let answer = agent.before(name, "Write", &input);
        assert_eq!(decision(&answer), "passed", "{name}: {}", answer.whole());
    }
}

#[test]
fn a_settings_file_that_reads_otherwise_to_the_client_is_not_written() {
    let world = installed("user");
    let agent = world.agent("s1");
    let file = world.home().join(".claude/settings.json");
    let ours = fs_err::read_to_string(&file).unwrap();
    let managed = "/etc/claude-code/managed-settings.json".into();
    let local = world.repo().join(LOCAL);
    for (number, (file, content)) in [
        (&file, format!("\u{feff}{ours}")),
        (&local, "\u{feff}{\"disableAllHooks\":true}".to_owned()),
        (&local, r#"{"disableAllHooks":"true"}"#.to_owned()),
        (&local, r#"{"disableAllHooks":1}"#.to_owned()),
        (&local, "// a comment\n{\"disableAllHooks\":true}".to_owned()),
        (&local, r#"{"env":{"LD_PRELOAD":"/tmp/x.so"}}"#.to_owned()),
        (&local, r#"{"env":{"BASH_ENV":"/tmp/x"}}"#.to_owned()),
        (&local, r#"{"env":{"CLAUDE_CONFIG_DIR":"/tmp/x"}}"#.to_owned()),
        (&managed, r#"{"disableAllHooks":true}"#.to_owned()),
        (&managed, r#"{"allowManagedHooksOnly":true}"#.to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let input = json!({ "file_path": file, "content": content });
        let answer = agent.before(&format!("t{number}"), "Write", &input);
        assert_eq!(decision(&answer), "deny", "{}: {content}", file.display());
    }
    let fine = json!({ "file_path": local, "content": r#"{"disableAllHooks":false,"env":{"EDITOR":"vi"}}"# });
    assert_eq!(decision(&agent.before("t99", "Write", &fine)), "passed");
}

#[test]
fn hooks_that_went_with_a_command_nobody_could_foresee_are_told_at_once() {
    let world = installed("local");
    let agent = world.agent("s1");
    agent.is_asked("go on").ok();
    let call = agent.call(
        "Bash",
        &json!({ "command": "make surprise", "description": "run" }),
    );
    call.begins().ok();
    fs_err::remove_file(world.repo().join(LOCAL)).unwrap();
    let answer = call.ends(&json!({ "stdout": "", "stderr": "" }));
    let told = answer.json().unwrap_or_default()["systemMessage"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    insta::assert_snapshot!(told.replace(&*world.repo().to_string_lossy(), "[repo]"), @"toprope: [repo]/.claude/settings.local.json no longer calls Toprope since this call: from here on nothing may be guarded. To put it back: `toprope init --scope local`");
    call.ends_step().ok();
    // Once.
    let call = agent.call("Bash", &json!({ "command": "ls", "description": "run" }));
    call.begins().ok();
    let again = call.ends(&json!({ "stdout": "", "stderr": "" })).whole();
    assert!(!again.contains("toprope init"), "{again}");
}

#[test]
fn where_no_settings_file_had_us_called_nothing_is_missed() {
    let world = World::new(TOPROPE);
    let agent = world.agent("s1");
    agent.starts().ok();
    let call = agent.call("Bash", &json!({ "command": "make", "description": "run" }));
    call.begins().ok();
    world.write(PROJECT, "{}\n");
    let answer = call.ends(&json!({ "stdout": "", "stderr": "" })).whole();
    assert!(!answer.contains("toprope init"), "{answer}");
}

#[test]
fn a_change_of_settings_that_is_not_taken_is_told_with_the_command_that_repairs_the_file() {
    let world = installed("local");
    let agent = world.agent("s1");
    agent.is_asked("go on").ok();
    let call = agent.call(
        "Bash",
        &json!({ "command": "make surprise", "description": "run" }),
    );
    call.begins().ok();
    fs_err::write(world.repo().join(LOCAL), "{}").unwrap();
    let change = json!({ "source": "local_settings", "file_path": world.repo().join(LOCAL) });
    let blocked = agent.sends("ConfigChange", &change).whole();
    assert!(blocked.contains("the change is not taken"), "{blocked}");
    let told = call.ends(&json!({ "stdout": "", "stderr": "" })).whole();
    assert!(told.contains("toprope init --scope local"), "{told}");
    world.toprope(&["init", "--scope", "local"]).ok();
    assert!(world.read(LOCAL).contains("PreToolUse"));
}
