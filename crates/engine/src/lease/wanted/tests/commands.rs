//! Commands for the shell.

use super::*;
use crate::policy::guard::GuardFacts;
use crate::settings::Mode;
use proptest::prelude::*;
use shell::UserWrapper;

fn bash(text: &str) -> String {
    shown(&of("Bash", json!({ "command": text })))
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let found = bash(text);
            (found != *expected).then(|| format!("{text}\n  found    {found}\n  expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn commands_write_where_they_run() {
    check(&[
        ("echo a > f", "/w/f"),
        ("echo a >> f", "~/w/f"),
        ("echo a | tee f", "/w/f"),
        ("cp a f", "/w/f>a"),
        ("mv a f", "-/w/a/**; /w/f>a"),
        ("rm f", "-/w/f"),
        ("sed -i s/a/b/ f", "~/w/f"),
        ("cat > f <<'E'\nrm g\nE", "/w/f"),
        ("cd d && echo a > f", "/w/d/f"),
        ("cd d && cd .. && sed -i s/a/b/ x/f", "~/w/x/f"),
        ("(cd d && rm f); rm g", "-/w/d/f; -/w/g"),
        ("pushd d; rm f; popd; rm g", "-/w/d/f; -/w/g"),
        ("env A=1 rm f", "-/w/f"),
        ("command rm f", "-/w/f"),
        ("sudo rm /w/f", "-/w/f"),
        ("sh -c 'echo a > f'", "/w/f"),
        ("bash -lc \"cd d && rm f\"", "-/w/d/f"),
        ("echo f | xargs rm", "-/w/f"),
        ("printf 'a\\nb\\n' | xargs sed -i s/x/y/", "~/w/a; ~/w/b"),
        ("find d -name x -exec cp x out/y \\;", "/w/out/y>x"),
        ("git -C d checkout -- f", "/w/d/f/**"),
        ("cd d; git restore f", "/w/d/f/**"),
        ("rm -r d", "-/w/d/**"),
        ("F=a.rs; echo x > $F", "/w/a.rs"),
        ("for f in a b; do sed -i s/x/y/ $f; done", "~/w/a; ~/w/b"),
        ("if [ -f a ]; then rm a; else touch a; fi", "-/w/a"),
        ("echo x > ./d/../f", "/w/f"),
        ("echo x > /etc/f", "/etc/f"),
    ]);
}

#[test]
fn words_that_only_speak_of_writing_are_no_writes() {
    check(&[
        ("echo 'rm f > g'", ""),
        ("grep -rn 'sed -i' src", ""),
        ("grep 'a > b' f", ""),
        ("git commit -m 'rm f; echo > g'", ""),
        ("git log --grep 'git checkout main'", ""),
        ("rg 'rm -rf' | head -3", ""),
        ("cat <<E\necho a > f\nE", ""),
        ("# rm f", ""),
        ("test 1 -gt 0", ""),
        ("ls > /dev/null 2>&1", ""),
        ("echo $((1 > 0))", ""),
        ("[[ a > b ]]", ""),
        ("ssh host 'rm f'", ""),
        ("docker run x rm f", ""),
        ("rm $FILES", ""),
        ("cd $DIR && rm f", ""),
    ]);
}

#[test]
fn what_a_pattern_means_is_handed_on() {
    check(&[
        ("rm src/*.log", "-glob src/*.log"),
        ("cd src && sed -i s/a/b/ *.rs", "~glob src/*.rs"),
        ("rm -r d/*", "-glob d/*{,/**}"),
        ("rm ../w/*.o", "-glob *.o"),
        ("rm /tmp/*", "-glob "),
        ("find . -name '*.py' -exec black {} +", "~glob **/*.py"),
        ("rm [[:alpha:]]x", ""),
        ("rm a{b,c}*", "-glob ab*; -glob ac*"),
    ]);
    let wanted = of("Bash", json!({"command": "rm -f src/*.{log,tmp} 'd {x'/*"}));
    let fits = |path: &str| {
        let mut inside = wanted.patterns.iter().filter_map(|pattern| pattern.inside("/w/"));
        inside.any(|pattern| pattern.fits(path))
    };
    assert!(fits("src/a.log") && fits("src/a.tmp") && fits("d {x/y"));
    assert!(!fits("src/a.rs") && !fits("src/d/a.log"));
}

#[test]
fn commands_that_go_over_the_tree_are_named_with_their_folder() {
    check(&[
        ("git checkout main", "bulk `git checkout main` in /w"),
        ("cd d && git switch x", "bulk `git switch x` in /w/d"),
        (
            "git -C ../other rebase main",
            "bulk `git -C ../other rebase main` in /other",
        ),
        ("sudo git reset --hard", "bulk `git reset --hard` in /w"),
        ("sh -c 'git stash'", "bulk `git stash` in /w"),
        ("git stash pop > log", "/w/log; bulk `git stash pop > log` in /w"),
        ("cargo fmt && cargo test", "bulk `cargo fmt` in /w"),
        ("npx prettier --write .", "bulk `prettier --write .` in /w"),
        ("ruff format .", "bulk `ruff format .` in /w"),
        ("eslint --fix src/", "bulk `eslint --fix src/` in /w"),
        (
            "git fetch && git merge origin/main",
            "bulk `git merge origin/main` in /w",
        ),
        ("git commit -am x", ""),
        ("git worktree add ../y", ""),
        ("git fetch", ""),
        ("git status", ""),
        ("git stash list", ""),
        ("git stash show", ""),
        ("git checkout -- f", "/w/f/**"),
    ]);
}

#[test]
fn the_settings_may_name_more_of_them() {
    let mut settings = settings();
    settings.bulk = vec![
        "make format".to_owned(),
        "npm run lint:fix".to_owned(),
        "  ".to_owned(),
    ];
    let found = |text: &str| {
        let call = testing::call("Bash", json!({ "command": text }));
        shown(&in_w(&call, &settings))
    };
    assert_eq!(found("make format"), "bulk `make format` in /w");
    assert_eq!(
        found("cd d && /usr/bin/make format -j2"),
        "bulk `/usr/bin/make format -j2` in /w/d"
    );
    assert_eq!(found("npm run lint:fix"), "bulk `npm run lint:fix` in /w");
    assert_eq!(found("make"), "");
    assert_eq!(found("make test"), "");
    assert_eq!(found("echo make format"), "");
}

#[test]
fn what_the_settings_switch_off_is_not_looked_for() {
    let found = |bash, bulk_mode| {
        let mut settings = settings();
        (settings.bash, settings.bulk_mode) = (bash, bulk_mode);
        let call = testing::call("Bash", json!({"command": "git pull > f"}));
        shown(&in_w(&call, &settings))
    };
    assert_eq!(found(Mode::Off, Mode::Off), "");
    assert_eq!(found(Mode::Advise, Mode::Off), "/w/f");
    assert_eq!(found(Mode::Off, Mode::Enforce), "bulk `git pull > f` in /w");
}

/// What a text writes in `/w`, read like this.
fn read_so(text: &str, reading: &ReadingContext<'_>) -> String {
    let call = testing::call("Bash", json!({ "command": text }));
    shown(&wanted(&call, Some(Path::new("/w")), &settings(), reading))
}

#[test]
fn an_alias_of_git_writes_what_it_stands_for() {
    let mut facts = GuardFacts::default();
    facts.know_alias("/w", "co", Some("checkout".to_owned()));
    facts.know_alias("/w/d", "drop", Some("!git rm -f".to_owned()));
    facts.know_alias("/w", "st", Some("status".to_owned()));
    facts.know_alias("/w", "none", None);
    let reading = ReadingContext {
        facts: Some(&facts),
        ..ReadingContext::default()
    };
    assert_eq!(read_so("git co -- f", &reading), "/w/f/**");
    assert_eq!(read_so("git co main", &reading), "bulk `git checkout main` in /w");
    assert_eq!(read_so("cd d && git drop f", &reading), "-/w/d/f");
    assert_eq!(read_so("git st; git none -- f; git other -- f", &reading), "");
    assert_eq!(read_so("git co -- f", &ReadingContext::default()), "");
}

#[test]
fn a_wrapper_of_the_persons_writes_what_it_runs() {
    let mut reading = ReadingContext::default();
    reading
        .wrappers
        .programs
        .insert("inside".to_owned(), UserWrapper { skip: 1 });
    assert_eq!(read_so("inside box rm f", &reading), "-/w/f");
    assert_eq!(read_so("inside box rm f", &ReadingContext::default()), "");
}

#[test]
fn the_persons_home_is_where_the_guard_says_it_is() {
    let facts = GuardFacts {
        home: Some("/w/home".to_owned()),
        ..GuardFacts::default()
    };
    let reading = ReadingContext {
        facts: Some(&facts),
        ..ReadingContext::default()
    };
    assert_eq!(read_so("touch ~/a $HOME/b", &reading), "~/w/home/a; ~/w/home/b");
}

#[test]
fn one_path_is_wanted_once_with_the_most_that_happens_to_it() {
    check(&[
        ("echo a >> f; echo b >> ./f", "~/w/f"),
        ("echo a >> f; cat x > f", "/w/f"),
        ("touch b; rm a; touch a", "-/w/a; ~/w/b"),
        ("rm -r f; touch f", "-/w/f/**"),
    ]);
}

#[test]
fn what_runs_in_the_background_is_marked() {
    check(&[
        ("make > log 2>&1 &", "/w/log &"),
        ("make > log & touch a", "~/w/a; /w/log &"),
    ]);
}

#[test]
fn without_a_folder_only_whole_paths_count() {
    let call = testing::call(
        "Bash",
        json!({"command": "rm *.o; touch a /w/b; cd /d && touch c"}),
    );
    assert_eq!(
        shown(&wanted(&call, None, &settings(), &ReadingContext::default())),
        "~/d/c; ~/w/b"
    );
}

#[test]
fn files_below_folders_and_files_that_fit_are_reached_without_a_name() {
    let reached = |text: &str, path: &str| {
        let wanted = of("Bash", json!({ "command": text }));
        wanted.reached(Path::new("/w")).how(path)
    };
    for (text, path, expected) in [
        ("rm -r src", "src/a/b.rs", Some(FileChangeKind::Remove)),
        ("rm -r src", "srcs/a.rs", None),
        ("rm -r src", "src", None),
        ("rm src", "src/a.rs", None),
        ("rm -rf /w", "src/a.rs", Some(FileChangeKind::Remove)),
        ("mv 'a*' b", "a*/x", Some(FileChangeKind::Remove)),
        ("mv 'a*' b", "ab/x", None),
        ("git checkout -- src", "src/a.rs", Some(FileChangeKind::Overwrite)),
        ("sed -i s/a/b/ src/*.rs", "src/a.rs", Some(FileChangeKind::Change)),
        ("sed -i s/a/b/ src/*.rs", "src/b/a.rs", None),
        ("rm -r build/*", "build/x/y", Some(FileChangeKind::Remove)),
        (
            "find src -name '*.o' -delete",
            "src/x/y.o",
            Some(FileChangeKind::Remove),
        ),
        ("cd /elsewhere && rm -r src", "src/a.rs", None),
        ("touch a", "a", None),
    ] {
        assert_eq!(reached(text, path), expected, "{text}: {path}");
    }
    assert!(
        of("Bash", json!({"command": "touch a"}))
            .reached(Path::new("/w"))
            .is_empty()
    );
}

#[test]
fn a_command_with_very_many_files_is_cut() {
    let names: Vec<String> = (0..1_000).map(|number| format!("f{number}")).collect();
    let wanted = of("Bash", json!({"command": format!("rm {}", names.join(" "))}));
    assert_eq!(wanted.files.len(), MOST_FILES);
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "rm ",
        "-r ",
        "-rf ",
        "cp ",
        "mv ",
        "tee ",
        "sed -i ",
        "s/a/b/ ",
        "git ",
        "checkout ",
        "restore ",
        "stash ",
        "-- ",
        "-t ",
        "-i ",
        "-e ",
        "ln -s ",
        "touch ",
        "truncate -s 0 ",
        "dd of=",
        "patch ",
        "prettier --write ",
        "black ",
        "cargo fmt",
        "ruff format ",
        "python -m black ",
        "find . -delete",
        "install -d ",
        "a ",
        "b/ ",
        ". ",
        ".. ",
        "'' ",
        "'c d' ",
        "*.rs ",
        "[a-z] ",
        "{x,y} ",
        "$X ",
        "$(ls) ",
        "> f ",
        ">> g ",
        "&> h ",
        "2>&1 ",
        "&& ",
        "; ",
        "| ",
        "& ",
        "\n",
        "cd d && ",
        "env A=1 ",
        "sudo ",
        "bash -c 'rm q' ",
        "xargs ",
        "<<E\nrm z\nE\n",
        "(",
        ")",
        "if a; then ",
        "; fi",
        "for i in a b; do ",
        "$i ",
        "; done",
        "-",
        "--",
        "/",
        "~/x ",
        "\\",
        "\"",
        "'",
    ])
}

proptest! {
    #[test]
    fn whatever_the_command_files_are_whole_paths_once_each(pieces in prop::collection::vec(piece(), 0..14)) {
        let found = of("Bash", json!({ "command": pieces.concat() }));
        for file in &found.files {
            prop_assert!(file.path.is_absolute(), "{:?}", file);
            prop_assert_eq!(absolute(&file.path, None), Some(file.path.clone()));
        }
        prop_assert!(found.files.is_sorted_by(|one, two| one.path <= two.path));
        let mut keys: Vec<_> = found.files.iter().map(|file| (&file.path, &file.into)).collect();
        keys.dedup();
        prop_assert_eq!(keys.len(), found.files.len());
        found.reached(Path::new("/w")).how("a/b");
    }

    #[test]
    fn what_is_spared_the_reading_writes_nothing(pieces in prop::collection::vec(piece(), 0..14)) {
        use shell::{Budget, Scene, Unasked, UserWrappers, may_write, read, written};
        let text = pieces.concat();
        let wrappers = UserWrappers::default();
        let scene = Scene {
            cwd: Some("/w".to_owned()),
            home: None,
            user: None,
            tmpdir: None,
            budget: Budget::default(),
            wrappers: &wrappers,
            known: &Unasked,
        };
        let writes = read(&text, &scene).commands.iter().any(|command| {
            let written = written(command);
            written.tree || !written.scopes.is_empty() || !written.files.is_empty()
        });
        prop_assert!(!writes || may_write(&text, []), "{}", text);
    }
}
