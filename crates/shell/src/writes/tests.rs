use super::{Area, CertainWrites, WriteKind, is_read_only, may_write, written};
use crate::{Budget, Intent, Scene, Unasked, UserWrappers, Word, read};

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

/// Every target with what becomes of it: `d/**` with all below, `d>f` a folder it lands in; `@d` a place it goes over, `**` for a whole tree.
fn found(text: &str) -> String {
    let read = intent(text);
    let written: Vec<CertainWrites> = read.commands.iter().map(written).collect();
    let files = written.iter().flat_map(|written| &written.files);
    let mut shown: Vec<String> = files
        .map(|write| {
            let path = match &write.target {
                Word::Literal(path) => path.clone(),
                Word::OneOf(paths) => paths.join("|"),
                Word::Glob { pattern } => format!("glob {pattern}"),
                Word::Unknown { .. } => "unknown".to_owned(),
            };
            let how = match write.how {
                WriteKind::Overwrite => "",
                WriteKind::Change => "~",
                WriteKind::Remove => "-",
            };
            let below = if write.below { "/**" } else { "" };
            let into = write.into.as_ref().map(|name| format!(">{name}"));
            format!("{how}{path}{below}{}", into.unwrap_or_default())
        })
        .collect();
    let regions = written.iter().flat_map(|written| &written.scopes);
    shown.extend(regions.map(|region| match &region.area {
        Area::Folder(place) | Area::Pattern(place) => format!("@{place}"),
    }));
    if written.iter().any(|written| written.tree) {
        shown.push("**".to_owned());
    }
    if !shown.is_empty() {
        assert!(may_write(text, []), "{text}");
    }
    shown.join(" ")
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let found = found(text);
            (found != *expected).then(|| format!("{text}\n  found    {found}\n  expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn redirections_write_their_targets() {
    check(&[
        ("a > f", "f"),
        ("a >> f", "~f"),
        ("a >| f", "f"),
        ("a &> f", "f"),
        ("a &>> f", "~f"),
        ("a <> f", "~f"),
        ("a 2> f", "f"),
        ("a > /dev/null 2>&1", ""),
        ("a >&2", ""),
        ("> f", "f"),
        (": > f", "f"),
        ("cat > f <<E\na > g\nE", "f"),
        ("cat <<'E' >> f\nrm g\nE", "~f"),
        ("{ a; b; } > f", "f f"),
        ("(cd d && a) > f", "f /w/f"),
        ("sudo a > f", "f"),
        ("bash -c 'a > f'", "f"),
        ("echo 'rm f > g'", ""),
        ("echo a > $X", "unknown"),
        ("for f in a b; do c > $f; done", "a|b"),
    ]);
}

#[test]
fn programs_that_put_files_somewhere_name_them() {
    check(&[
        ("a | tee f g", "f g"),
        ("a | tee -a f", "~f"),
        ("a | sponge f", "f"),
        ("cp a b", "b>a"),
        ("cp -T a b", "b"),
        ("cp d/a .", "./a"),
        ("cp a d/", "d/a"),
        ("cp a b d", "d/a d/b"),
        ("cp -r a b c", "c/a c/b"),
        ("cp -t d a x/b", "d/a d/b"),
        ("cp --target-directory=d a", "d/a"),
        ("cp a", ""),
        ("cp x/. d/", ""),
        ("mv a b", "-a/** b>a"),
        ("mv a b d/", "-a/** -b/** d/a d/b"),
        ("mv -t d a", "-a/** d/a"),
        ("mv *.log d/", "-glob *.log/**"),
        ("mv a", ""),
        ("install -m 755 a b", "b>a"),
        ("install -d a/b", ""),
        ("ln -s a b", "b>a"),
        ("ln -sf ../x/a", "./a"),
        ("ln -sfn a b", "b>a"),
        ("dd if=a of=b", "b"),
        ("curl -o f http://u", "f"),
        ("curl -sSL http://u", ""),
        ("curl --output-dir d -o f http://u", ""),
        ("wget -O f http://u", "f"),
        ("wget -O - http://u", ""),
        ("sort -o f f", "f"),
    ]);
}

#[test]
fn programs_that_change_or_remove_files_name_them() {
    check(&[
        ("touch a b", "~a ~b"),
        ("truncate -s 0 f", "f"),
        ("rm a", "-a"),
        ("rm -rf a b", "-a/** -b/**"),
        ("rm -- -f", "--f"),
        ("rm -f src/*.log", "-glob src/*.log"),
        ("rmdir a", ""),
        ("mkdir -p a", ""),
        ("chmod +x f", ""),
        ("sed -i s/a/b/ f", "~f"),
        ("sed -i.bak s/a/b/ f", "~f"),
        ("sed -i '' s/a/b/ f", "~f"),
        ("sed -i -e s/a/b/ f g", "~f ~g"),
        ("sed -Ei s/a/b/ f", "~f"),
        ("sed --in-place s/a/b/ f", "~f"),
        ("sed -n -i -f x f", "~f"),
        ("sed s/a/b/ f", ""),
        ("sed -n 1,5p f", ""),
        ("perl -pi -e s/a/b/ f", "~f"),
        ("perl -i.bak -pe s/a/b/ f g", "~f ~g"),
        ("perl -0777 -i -pe s/a/b/ f", "~f"),
        ("perl -Mstrict -e 1 f", ""),
        ("ruby -i -pe 1 f", "~f"),
        ("gawk -i inplace '{print}' f", "~f"),
        ("awk '{print}' f", ""),
        ("yq -i .a=1 f.yml", "~f.yml"),
        ("yq .a f.yml", ""),
        ("sd a b f", "~f"),
        ("patch f < d", "~f"),
        ("patch -p1 < d", ""),
        ("patch --dry-run f d", ""),
        ("patch -d x f d", ""),
        (
            "patch -p1 <<'E'\n--- a/s/f.rs\t2026\n+++ b/s/f.rs\t2026\n@@ -1 +1 @@\n--- x\n+y\nE",
            "~s/f.rs",
        ),
        ("patch <<'E'\n--- a/s/f\n+++ b/s/f\nE", "~f"),
        ("patch -p0 <<'E'\n--- /dev/null\n+++ s/f\nE", "~s/f"),
        ("patch -p1 <<'E'\n--- a/s/f\n+++ /dev/null\nE", "~s/f"),
        ("patch -p9 <<'E'\n--- a/s/f\n+++ a/s/f\nE", ""),
        ("find x -delete", "-x/**"),
        ("find x -name '*.o' -delete", "-glob x/**/*.o/**"),
        ("find x -exec rm {} +", "-x/**"),
        ("find x -name a -exec tee out \\;", "out"),
        ("find x -name '*.py' -exec black {} +", "~glob x/**/*.py"),
        ("echo a | xargs rm", "-a"),
        ("ls | xargs rm", "-unknown"),
        ("env A=1 rm a", "-a"),
        ("sudo sh -c 'rm a'", "-a"),
        ("rm() { ls; }; rm a", ""),
        ("python3 -c \"open('f','w').write('x')\"", "~f"),
        ("python3 -c \"import os; os.remove('f')\"", "-f"),
        (
            "python3 - <<'E'\np = 'f'\ns = open(p).read()\nopen(p, 'w').write(s)\nE",
            "~f",
        ),
        ("node -e \"require('fs').writeFileSync('f', 'x')\"", "~f"),
        ("find x -name '*.rs' | xargs sed -i s/a/b/", "~glob x/**/*.rs"),
        ("grep -rl a x | xargs sed -i s/a/b/", "~unknown"),
        ("grep rm f", ""),
        ("ls", ""),
    ]);
}

#[test]
fn git_names_files_or_goes_over_the_tree() {
    check(&[
        ("git checkout -- f", "f/**"),
        ("git checkout HEAD~1 -- f g", "f/** g/**"),
        ("git checkout main", "**"),
        ("git checkout feature/x", "**"),
        ("git checkout v1.2.x", "**"),
        ("git checkout -", "**"),
        ("git checkout src/a.rs", "src/a.rs/**"),
        ("git checkout main src/a.rs", "src/a.rs/**"),
        ("git checkout --theirs f", "f/**"),
        ("git checkout -b topic", ""),
        ("git checkout -b topic origin/main", "**"),
        ("git checkout -q -f main", "**"),
        ("git checkout .", "**"),
        ("git checkout -- .", "**"),
        ("git switch main", "**"),
        ("git switch -c topic", ""),
        ("git switch -", "**"),
        ("git restore f", "f/**"),
        ("git restore --source=HEAD~2 f", "f/**"),
        ("git restore --staged f", ""),
        ("git restore -SW f", "f/**"),
        ("git restore .", "**"),
        ("git restore :/", "**"),
        ("git restore '*.rs'", "**"),
        ("git rm f", "-f"),
        ("git rm -r d", "-d/**"),
        ("git rm --cached f", ""),
        ("git mv a b", "-a/** b>a"),
        ("git stash", "**"),
        ("git stash -u", "**"),
        ("git stash push -m x", "**"),
        ("git stash push -m x -- f", "f/**"),
        ("git stash pop", "**"),
        ("git stash list", ""),
        ("git stash show -p", ""),
        ("git stash drop", ""),
        ("git reset --hard", "**"),
        ("git reset --hard origin/main", "**"),
        ("git reset --keep HEAD~1", "**"),
        ("git reset HEAD~1", ""),
        ("git reset f", ""),
        ("git rebase main", "**"),
        ("git rebase --continue", ""),
        ("git rebase --abort", ""),
        ("git cherry-pick --abort", ""),
        ("git merge --abort", ""),
        ("git am --skip", ""),
        ("git rebase --quit", ""),
        ("git merge topic", "**"),
        ("git pull --rebase", "**"),
        ("git pull --dry-run", ""),
        ("git pull --help", ""),
        ("git merge -h", ""),
        ("git stash --help", ""),
        ("git checkout -h", ""),
        ("git cherry-pick abc", "**"),
        ("git revert HEAD", "**"),
        ("git am < p", "**"),
        ("git apply p", "**"),
        ("git apply --check p", ""),
        ("git apply --stat p", ""),
        ("git clean -fd", "**"),
        ("git clean -fd build", "-build/**"),
        ("git clean -n", ""),
        ("git bisect start", "**"),
        ("git bisect log", ""),
        ("git -C d checkout main", "**"),
        ("git -c a.b=c pull", "**"),
        ("gh pr checkout 12", "**"),
        ("gh pr view 12", ""),
        ("git worktree add ../x", ""),
        ("git fetch --all", ""),
        ("git commit -am 'git checkout main'", ""),
        ("git status", ""),
        ("git add .", ""),
        ("git push", ""),
        ("git log -- f", ""),
        ("git diff main", ""),
        ("git branch topic", ""),
        ("git tag v1", ""),
        ("git show HEAD:f", ""),
    ]);
}

#[test]
fn formatters_change_the_files_they_are_given_or_a_tree() {
    check(&[
        ("prettier --write a.ts b.css", "~a.ts ~b.css"),
        ("npx prettier -w --config x a.ts", "~a.ts"),
        ("prettier --check a.ts", ""),
        ("prettier --write .", "@."),
        ("prettier --write 'src/**/*.ts'", "@src/**/*.ts"),
        ("prettier --write src/*.ts", "~glob src/*.ts"),
        ("prettier --write Dockerfile", "~Dockerfile"),
        ("eslint --fix src/", "@src"),
        ("npx eslint --fix", "@."),
        ("eslint --fix --ext .ts a.ts", "~a.ts"),
        ("eslint src", ""),
        ("pnpm exec biome check --write", "@."),
        ("biome format --write a.ts", "~a.ts"),
        ("biome check a.ts", ""),
        ("cargo fmt", "@."),
        ("cargo fmt --all", "@."),
        ("cargo fmt --check", ""),
        ("cargo fmt -- --check", ""),
        ("cargo clippy --fix --allow-dirty", "@."),
        ("cargo clippy", ""),
        ("cargo build", ""),
        ("cargo test", ""),
        ("rustfmt src/a.rs", "~src/a.rs"),
        ("rustfmt --edition 2024 a.rs", "~a.rs"),
        ("rustfmt --check a.rs", ""),
        ("rustfmt --emit stdout a.rs", ""),
        ("rustfmt --emit=stdout a.rs", ""),
        ("rustfmt --emit files a.rs", "~a.rs"),
        ("gofmt -w a.go", "~a.go"),
        ("gofmt -l -w a.go", "~a.go"),
        ("gofmt -w .", "@."),
        ("gofmt -l .", ""),
        ("go fmt ./...", "@."),
        ("goimports -w a.go", "~a.go"),
        ("black a.py", "~a.py"),
        ("black src tests", "@src @tests"),
        ("black --check .", ""),
        ("black -l 100 a.py", "~a.py"),
        ("python -m black a.py", "~a.py"),
        ("uv run ruff format", "@."),
        ("ruff format .", "@."),
        ("ruff format a.py", "~a.py"),
        ("ruff format --check .", ""),
        ("ruff check --fix", "@."),
        ("ruff check --fix a.py", "~a.py"),
        ("ruff check .", ""),
        ("isort a.py", "~a.py"),
        ("isort --check-only .", ""),
        ("shfmt -w a.sh", "~a.sh"),
        ("shfmt -d a.sh", ""),
        ("clang-format -i a.c", "~a.c"),
        ("clang-format a.c", ""),
        ("terraform fmt", "@."),
        ("terraform fmt -check", ""),
        ("bundle exec rubocop -A", "@."),
        ("rubocop -a a.rb", "~a.rb"),
        ("rubocop a.rb", ""),
        ("deno fmt", "@."),
        ("deno fmt a.ts", "~a.ts"),
        ("mix format", "@."),
        ("dart format lib", "@lib"),
        ("stylua a.lua", "~a.lua"),
        ("stylua --check .", ""),
        ("make", ""),
        ("npm test", ""),
        ("black $X", "~unknown"),
    ]);
}

#[test]
fn what_could_not_write_is_not_read() {
    for text in [
        "ls -la src",
        "cargo test -q",
        "git status",
        "grep -rn x .",
        "cat a | head",
    ] {
        assert!(!may_write(text, []), "{text}");
    }
    assert!(may_write("make format", ["make"]));
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
