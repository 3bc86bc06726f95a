//! Clients that an agent starts: one that may not have our settings is asked about.

use super::{decision, world};
use std::os::unix::fs::symlink;

/// What a nested client is called that may not have our settings.
const UNHOOKED: &[&str] = &[
    "env -i claude -p hi",
    "env - claude -p hi",
    "env -u HOME claude -p hi",
    "env -i PATH=$PATH claude -p hi",
    "env -i bash -c 'claude -p hi'",
    "exec -c claude -p hi",
    "unset HOME; claude -p hi",
    "unset CLAUDE_CONFIG_DIR; claude -p hi",
    "HOME=/tmp/x; claude -p hi",
    "HOME=/tmp/x bash -c 'claude -p hi'",
    "CLAUDE_CODE_SIMPLE=1 claude -p hi",
    "sudo -u other claude -p hi",
    "sudo claude -p hi",
    "su other -c 'claude -p hi'",
    "runuser -u other -- claude -p hi",
    "doas -u other claude -p hi",
    "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --bare -p hi",
    "HOME=/tmp/x node ~/.claude/local/node_modules/@anthropic-ai/claude-code/cli.js -p hi",
    "bun /opt/claude-code/cli.js --safe-mode",
    "npx @anthropic-ai/claude-code --bare -p hi",
    "npx -y @anthropic-ai/claude-code@latest --setting-sources project -p hi",
    "ln -s $(which claude) c; ./c --bare -p hi",
    "cp ~/.local/bin/claude c; HOME=/tmp/x ./c -p hi",
    "claude $OPTS",
    "claude -p hi $OPTS",
    "claude \"$@\" -p hi",
    "cat options | xargs claude -p hi",
    "O=--bare; claude $O -p hi",
    "if x; then O=--bare; else O=-d; fi; claude $O -p hi",
    "tools/link --bare -p hi",
    "HOME=/tmp/x tools/link -p hi",
    "bash -c \"claude --settings x -p hi\"",
    "sh -c 'claude --settings x -p hi'",
    "bash -lc 'cd sub && claude --bare -p hi'",
    "script -qc \"claude --setting-sources ''\" /dev/null",
    "script -q /dev/null claude --bare",
    "env HOME=/tmp/x claude",
    "PATH=/x:$PATH claude",
    "PATH=/x:$PATH claude -p hi",
    "PATH=/tmp/bin claude -p hi",
    "export PATH=./bin:$PATH; claude -p hi",
    "env PATH=$PWD/bin:$PATH claude -p hi",
    "XDG_CONFIG_HOME=/tmp/x claude -p hi",
    "XDG_STATE_HOME=/tmp/x claude -p hi",
    "XDG_RUNTIME_DIR=/tmp/x claude -p hi",
    "LD_PRELOAD=/tmp/x.so claude -p hi",
    "NODE_OPTIONS='--require /tmp/x.js' claude -p hi",
    "BASH_ENV=/tmp/x claude -p hi",
    "timeout 5 claude --settings x -p hi",
    "echo hi | xargs claude --settings x -p",
    "xargs claude --settings x < prompts",
    "nohup claude --settings x -p hi &",
    "setsid claude --settings x -p hi",
    "setsid -f bash -c 'claude --bare -p hi'",
    "nice -n 5 claude --bare -p hi",
    "stdbuf -o0 claude --bare -p hi",
    "unshare -r claude --bare -p hi",
    "tmux new -d 'claude --bare -p hi'",
    "eval 'claude --bare -p hi'",
    "(claude --bare -p hi)",
    "x=$(claude --bare -p hi)",
    "echo 'claude --bare -p hi' | bash",
    "bash <<< 'claude --bare -p hi'",
    "python3 -c \"import subprocess; subprocess.run(['claude','--settings','x'])\"",
    "python3 -c \"import os; os.system('claude --bare -p hi')\"",
    "python3 -c \"import subprocess; subprocess.run(['claude','-p','hi'], env={'HOME': '/tmp/x'})\"",
    "node -e \"require('child_process').execSync('claude --bare -p hi')\"",
    "node -e \"require('child_process').spawnSync('claude', ['--bare', '-p', 'hi'])\"",
    "perl -e \"system('claude --bare -p hi')\"",
    "docker run -it -v $PWD:/w image claude -p hi",
    "chroot /x claude -p hi",
];

/// Neighbours that have what the client that starts them has.
const HOOKED: &[&str] = &[
    "claude -p 'do it'",
    "claude -p \"$PROMPT\"",
    "claude -p \"$(cat prompt.md)\"",
    "cat prompt.md | claude -p",
    "env FOO=1 claude -p hi",
    "env -i HOME=$HOME PATH=$PATH claude -p hi",
    "HOME=$HOME claude -p hi",
    "nohup claude -p hi > out.log &",
    "timeout 60 claude -p hi --model opus",
    "claude --help",
    "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p hi",
    "node server.js --bare",
    "git init --bare x.git",
    "git clone --bare a b",
    "tools/link -p hi",
    "tools/other --bare",
    "sudo apt-get update",
    "unset HOME; ls",
    "env -i ls",
    "HOME=/tmp/x npm test",
    "bash -c 'claude -p hi'",
    "script -qc 'claude -p hi' /dev/null",
    "timeout 5 claude -p hi",
    "setsid claude -p hi",
    "PATH=$PATH claude -p hi",
    "PATH=$HOME/.local/bin:$PATH claude -p hi",
    "export PATH=/usr/local/bin:$PATH; claude -p hi",
    "export PATH=\"$HOME/.nvm/versions/node/v22/bin:$PATH\" && claude -p hi",
    "PATH=$PATH:/x claude -p hi",
    "NODE_OPTIONS=--max-old-space-size=4096 claude -p hi",
    "python3 -c \"import subprocess; subprocess.run(['claude','-p','hi'])\"",
    "PATH=/x:$PATH npm test",
    "XDG_STATE_HOME=/tmp/x npm test",
    "NODE_OPTIONS='--require ./x.js' node a.js",
    "LD_PRELOAD=/x.so ./tool --bare",
    "npm run claude $OPTS",
    "./tool $OPTS",
];

#[test]
fn a_nested_client_that_may_not_have_our_settings_is_asked_about() {
    for (attended, expected) in [("1", "ask"), ("0", "deny")] {
        let world = world().with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        world.write("real/claude", "");
        world.write("tools/other", "");
        symlink("../real/claude", world.repo().join("tools/link")).unwrap();
        let mut other = Vec::new();
        for (number, command) in UNHOOKED.iter().enumerate() {
            let answer = world.agent("s1").runs(&format!("t{number}"), command);
            if decision(&answer) != expected || !answer.whole().contains("self.unhooked") {
                other.push(format!("{command}: {}", answer.whole()));
            }
        }
        for command in HOOKED {
            let answer = world.agent("s1").runs(command, command);
            if answer.whole().contains("self.unhooked") {
                other.push(format!("{command}: {}", answer.whole()));
            }
        }
        assert!(other.is_empty(), "not {expected}:\n{}", other.join("\n"));
    }
}
