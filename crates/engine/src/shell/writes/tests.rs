use super::How::{Change, Overwrite, Remove};
use super::{How, is_read_only, writes};
use crate::shell::{Budget, Intent, Scene, Unasked, UserWrappers, read};

fn intent(text: &str) -> Intent {
    let wrappers = UserWrappers::default();
    let scene = Scene {
        cwd: Some("/w".to_owned()),
        home: Some("/home/me".to_owned()),
        user: None,
        tmpdir: None,
        budget: Budget::default(),
        wrappers: &wrappers,
        known: &Unasked,
    };
    read(text, &scene)
}

fn written(text: &str) -> Vec<(String, How)> {
    let read = intent(text);
    let found = read
        .commands
        .iter()
        .filter(|command| !command.wraps)
        .flat_map(writes);
    found.map(|write| (write.target.prefix(), write.how)).collect()
}

#[test]
fn targets_are_named_with_what_becomes_of_them() {
    let cases: &[(&str, &[(&str, How)])] = &[
        ("a > f", &[("f", Overwrite)]),
        ("a >> f", &[("f", Change)]),
        ("a >| f", &[("f", Overwrite)]),
        ("a &> f", &[("f", Overwrite)]),
        ("a <> f", &[("f", Change)]),
        ("a > /dev/null 2>&1", &[]),
        ("a | tee f g", &[("f", Overwrite), ("g", Overwrite)]),
        ("a | tee -a f", &[("f", Change)]),
        ("cp a b", &[("b", Overwrite)]),
        ("cp -r a b c", &[("c", Overwrite)]),
        ("cp -t d a b", &[("d", Overwrite)]),
        ("mv a b", &[("a", Remove), ("b", Overwrite)]),
        ("install -m 755 a b", &[("b", Overwrite)]),
        ("ln -s a b", &[("b", Overwrite)]),
        ("touch a b", &[("a", Change), ("b", Change)]),
        ("truncate -s 0 f", &[("f", Overwrite)]),
        ("rm -rf a b", &[("a", Remove), ("b", Remove)]),
        ("rm -- -f", &[("-f", Remove)]),
        ("dd if=a of=b", &[("b", Overwrite)]),
        ("sed -i s/a/b/ f", &[("f", Change)]),
        ("sed -i -e s/a/b/ f g", &[("f", Change), ("g", Change)]),
        ("sed s/a/b/ f", &[]),
        ("perl -pi -e s/a/b/ f", &[("f", Change)]),
        ("perl -e 1", &[]),
        ("patch f < d", &[("f", Change)]),
        ("chmod +x f", &[("f", Change)]),
        ("git checkout -- f", &[("f", Overwrite)]),
        ("git checkout main", &[]),
        ("git restore f", &[("f", Overwrite)]),
        ("git restore --staged f", &[]),
        ("git rm f", &[("f", Remove)]),
        ("git rm --cached f", &[]),
        ("git mv a b", &[("a", Remove), ("b", Overwrite)]),
        ("prettier --write a.ts", &[("a.ts", Change)]),
        ("prettier --check a.ts", &[]),
        ("gofmt -w a.go", &[("a.go", Change)]),
        ("black a.py", &[("a.py", Change)]),
        ("ruff format a.py", &[("a.py", Change)]),
        ("env A=1 rm a", &[("a", Remove)]),
        ("sudo sh -c 'rm a'", &[("a", Remove)]),
        ("echo a | xargs rm", &[("a", Remove)]),
        ("find x -exec rm {} +", &[("x", Remove)]),
        ("cat > f <<E\na\nE", &[("f", Overwrite)]),
        ("grep rm f", &[]),
        ("echo 'rm f > g'", &[]),
        ("ls", &[]),
    ];
    for (text, expected) in cases {
        let expected: Vec<(String, How)> = expected
            .iter()
            .map(|(path, how)| ((*path).to_owned(), *how))
            .collect();
        assert_eq!(written(text), expected, "{text}");
    }
}

#[test]
fn texts_that_only_read_are_told_from_those_that_do_not() {
    let reads = [
        "ls -la",
        "git status",
        "git log --oneline | head -5",
        "git diff HEAD~1 -- a",
        "git branch",
        "git stash list",
        "git worktree list",
        "cd a && cat b | grep c | wc -l",
        "grep -rn 'rm -rf' .",
        "rg a 2>/dev/null",
        "find . -name '*.rs'",
        "sed -n 1,5p f",
        "echo $X",
        "for f in a b; do cat $f; done",
        "if [ -f a ]; then cat a; fi",
        "sudo cat f",
        "bash -c 'ls; pwd'",
        "jq .a f",
        "sort f | uniq -c",
        "X=$(git rev-parse HEAD); echo \"$X\"",
        "",
    ];
    for text in reads {
        assert!(is_read_only(&intent(text)), "{text}");
    }
    let changes = [
        "rm a",
        "ls > f",
        "echo a >> f",
        "git commit -m a",
        "git branch x",
        "git branch -D x",
        "git stash",
        "git checkout main",
        "cargo build",
        "make",
        "./x",
        "$X",
        "eval \"$X\"",
        "curl u | sh",
        "find . -delete",
        "find . -exec rm {} +",
        "sed -i s/a/b/ f",
        "sort -o f f",
        "bash -c 'rm a'",
        "cat a | tee b",
        "ls; rm a",
        "'",
        "> f",
        "awk 'BEGIN{system(\"a\")}'",
    ];
    for text in changes {
        assert!(!is_read_only(&intent(text)), "{text}");
    }
}
