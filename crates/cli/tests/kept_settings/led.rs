//! Ways to the settings that no target spells out: links, names that another command prints, words of an editor, commits.

use super::{TOPROPE, all_are, decision, installed, installs};
use std::os::unix::fs::symlink;
use testkit::World;

#[test]
fn a_link_or_an_unknown_name_leads_to_the_settings_no_less() {
    let world = installed("local");
    symlink(".claude", world.repo().join("folder")).unwrap();
    let agent = world.agent("s1");
    all_are(
        "deny",
        &agent,
        &[
            "ln -s .claude dd; rm -rf dd/*",
            "ln -s .claude dd && rm dd/settings.local.json",
            "ln -s .claude dd && echo '{}' > dd/settings.local.json",
            "ln -s .claude dd && cp a.txt dd/settings.local.json",
            "ln -s .claude dd && mv dd/settings.local.json /tmp",
            "ln -s .claude dd && sed -i s/toprope/x/ dd/settings.local.json",
            "ln -sfn $PWD/.claude /tmp/dd; find /tmp/dd/ -type f -delete",
            "ln -s .claude dd; cd dd && rm -f *",
            "ln -s . all; rm -rf all/.claude",
            "rm -rf folder/*",
            "rm folder/settings*",
            "mv folder/* /tmp",
        ],
    );
    // What is named nowhere as a target, and can be nothing else.
    let mut other = Vec::new();
    for command in [
        "rm $(find .claude -name '*.json')",
        "rm $(ls -d .claude/*)",
        "F=$(ls .claude/settings*); rm $F",
        "mv $(ls .claude/settings.local.json) /tmp",
        "ls .claude/*.json | while read f; do rm \"$f\"; done",
        "for f in $(ls .claude); do rm .claude/$f; done",
        "for f in $(ls .claude); do rm \".claude/$f\"; done",
        "echo '{}' > $(ls .claude/settings.local.json)",
        "cp a.txt $(ls .claude/settings.local.json)",
        "D=$(echo .claude); rm -rf $D",
        "sed -i s/toprope/x/ $(grep -l toprope .claude/*)",
        "cd .claude && rm $(ls)",
    ] {
        let answer = agent.runs(command, command);
        let said = decision(&answer);
        if said == "passed" || !answer.whole().contains("self.settings") {
            other.push(format!("{command}: {}", answer.whole()));
        }
    }
    for command in [
        "ln -s .claude dd",
        "ln -s .claude dd; cat dd/settings.local.json",
        "ln -s .claude dd; ls dd/*",
        "ln -s src dd; rm -rf dd/*",
        "cat .claude/settings.local.json; rm $TMPFILE",
        "ls .claude; rm -f $(cat list)",
        "rm $(find . -name '*.orig')",
        "rm $(git ls-files -d)",
        "echo hi > $(mktemp)",
        "ls .claude/commands | while read f; do echo \"$f\"; done",
        "for f in $(ls .claude/commands); do rm .claude/commands/$f; done",
        "rm $(ls .claude/commands/*.md)",
        "cp $(ls .claude/settings.local.json) /tmp",
    ] {
        let whole = agent.runs(command, command).whole();
        if whole.contains("self.") {
            other.push(format!("{command}: {whole}"));
        }
    }
    assert!(other.is_empty(), "{}", other.join("\n"));
}

#[test]
fn programs_that_are_told_in_their_own_words_to_write_the_settings_are_not_run() {
    let world = installed("local");
    let agent = world.agent("s1");
    all_are(
        "deny",
        &agent,
        &[
            "sed -n 'w .claude/settings.local.json' a.txt",
            "sed 's/one/two/w .claude/settings.local.json' a.txt",
            "awk '{print > \".claude/settings.local.json\"}' a.txt",
            "vim -es -c '%d' -c 'w! .claude/settings.local.json' -c 'q!' a.txt",
            "sqlite3 x.db '.output .claude/settings.local.json' 'select 1'",
            "perl -e 'open(F, \">.claude/settings.local.json\"); print F 1'",
        ],
    );
    all_are(
        "passed",
        &agent,
        &[
            "sed -n 's/x/.claude\\/settings.local.json/p' a.txt",
            "awk '/hooks/' .claude/settings.local.json",
            "awk '{print \".claude/settings.json\"}' a.txt",
            "sed -n '/hooks/p' .claude/settings.local.json",
            "git commit --allow-empty -m 'write .claude/settings.local.json'",
            "echo 'see > .claude/settings.local.json'",
            "perl -ne 'print if /hooks/' .claude/settings.local.json",
        ],
    );
}

#[test]
fn a_revert_or_a_bisection_that_takes_the_hooks_along_is_asked_about() {
    let world = World::new(TOPROPE);
    world.write("b.txt", "one\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "before"]);
    installs(&world, "project");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "with hooks"]);
    world.write("b.txt", "two\n");
    world.git(&["commit", "-q", "-a", "-m", "after"]);
    world.write("b.txt", "three\n");
    world.git(&["commit", "-q", "-a", "-m", "later"]);
    let agent = world.agent("s1");
    agent.starts().ok();
    for command in [
        "git revert HEAD~2",
        "git revert --no-edit HEAD~2",
        "git revert -n HEAD~3..HEAD",
        "git bisect start HEAD HEAD~3",
        "git bisect start --no-checkout HEAD HEAD~3; git checkout HEAD~3",
    ] {
        let answer = agent.runs(command, command);
        let said = decision(&answer);
        assert!(
            said != "passed" && answer.whole().contains("self.settings"),
            "{command}: {}",
            answer.whole()
        );
    }
    all_are(
        "passed",
        &agent,
        &[
            "git revert HEAD",
            "git revert --no-edit HEAD~1",
            "git revert -n HEAD~1..HEAD",
            "git revert --abort",
            "git bisect start HEAD HEAD~1",
            "git bisect reset",
            "git bisect start",
        ],
    );
}
