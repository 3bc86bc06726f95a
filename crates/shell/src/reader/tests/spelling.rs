//! Spelling does not matter: every way of writing a command gives the same words.

use super::calls;

/// Every text runs `rm -rf x`.
#[test]
fn all_spellings_of_a_command_are_the_same_command() {
    let cases = [
        "rm -rf x",
        "/bin/rm -rf x",
        r"\rm -rf x",
        "r''m -rf x",
        "\"rm\" -rf x",
        "$'\\x72m' -rf x",
        "$'\\162m' -rf x",
        "rm${IFS}-rf${IFS}x",
        "rm $'-rf' x",
        "{rm,-rf,x}",
        "(rm -rf x)",
        "{ rm -rf x; }",
        "$(rm -rf x)",
        "`rm -rf x`",
        "echo $(rm -rf x)",
        "X=rm; $X -rf x",
        "X='rm -rf x'; $X",
        "X=-rf; rm $X x",
        "bash -c 'rm -rf x'",
        "bash -lc 'rm -rf x'",
        "sh -ec 'rm -rf x'",
        "bash -c \"rm -rf x\"",
        "zsh -c 'rm -rf x'",
        "bash -c 'bash -c \"rm -rf x\"'",
        "eval rm -rf x",
        "eval 'rm -rf x'",
        "eval \"rm\" \"-rf x\"",
        "env A=1 rm -rf x",
        "A=1 rm -rf x",
        "sudo rm -rf x",
        "sudo -u r rm -rf x",
        "sudo -E env A=1 nice -n 5 rm -rf x",
        "nice -n 5 rm -rf x",
        "timeout 5 rm -rf x",
        "nohup rm -rf x &",
        "command rm -rf x",
        "exec rm -rf x",
        "time rm -rf x",
        "busybox rm -rf x",
        "echo x | xargs rm -rf",
        "printf x | xargs -n1 rm -rf",
        "echo x | xargs -I{} rm -rf {}",
        "find x -exec rm -rf {} +",
        "find x -exec rm -rf {} \\;",
        "f(){ rm -rf x; }; f",
        "f(){ f(){ rm -rf x; }; f; }; f",
        "f(){ rm -rf \"$1\"; }; f x",
        "trap 'rm -rf x' EXIT",
        "if true; then rm -rf x; fi",
        "true && rm -rf x",
        "false || rm -rf x",
        "rm -rf x &",
        "for i in 1; do rm -rf x; done",
        "for i in x; do rm -rf $i; done",
        "case a in *) rm -rf x;; esac",
        "while true; do rm -rf x; break; done",
        "echo cm0gLXJmIHgK | base64 -d | sh",
        "echo 'rm -rf x' | sh",
        "bash <<< 'rm -rf x'",
        "bash <<E\nrm -rf x\nE",
        "source <(echo 'rm -rf x')",
        "alias r='rm -rf'; r x",
        "set -- rm -rf x; \"$@\"",
        "a=(rm -rf x); \"${a[@]}\"",
        "read -r a b c <<< 'rm -rf x'; $a $b $c",
        "$(echo rm) -rf x",
        "$(printf '%s' rm) -rf x",
        "$(which rm) -rf x",
        "`which rm` -rf x",
        "\"$(command -v rm)\" -rf x",
        "coproc rm -rf x",
        "rm -rf \"x\"",
        "rm -rf ''x",
        "rm \\\n -rf \\\n x",
        "cat <<E | bash\nrm -rf x\nE",
        "X=r; Y=m; $X$Y -rf x",
        "X=xrm; ${X#x} -rf x",
        "X=RM; ${X,,} -rf x",
        "git -c alias.z='!rm -rf x' z",
        "python3 -c 'import os; os.system(\"rm -rf x\")'",
        "perl -e 'system(\"rm -rf x\")'",
        "node -e 'require(\"child_process\").execSync(\"rm -rf x\")'",
        "rm -rf x > /dev/null 2>&1",
        "rm -rf x | cat",
        "! rm -rf x",
        "ssh h rm -rf x",
        "ssh h 'rm -rf x'",
        "script -c 'rm -rf x' /dev/null",
        "watch 'rm -rf x'",
        "su -c 'rm -rf x'",
    ];
    for text in cases {
        let found = calls(text, "rm");
        let plain: Vec<String> = found
            .iter()
            .map(|call| call.replace("/usr/bin/", "").replace("/bin/", ""))
            .collect();
        assert!(plain.iter().any(|call| call == "rm -rf x"), "{text}: {found:?}");
    }
}

#[test]
fn wrappers_are_named_from_the_outside_in() {
    let read = super::intent("sudo -u r bash -lc 'timeout 5 rm x'");
    let rm = read.commands.last().expect("a command");
    assert_eq!(rm.through, ["sudo", "bash -lc", "timeout"]);
    let wraps: Vec<bool> = read.commands.iter().map(|command| command.wraps).collect();
    assert_eq!(wraps, [true, true, true, false]);
}
