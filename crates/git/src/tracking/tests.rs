use super::*;
use crate::fixture::{Bench, PLENTY};

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

fn names(found: Option<BTreeSet<RepoPath>>) -> Vec<String> {
    let found = found.expect("git answered");
    found
        .iter()
        .map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned())
        .collect()
}

#[test]
fn known_unknown_and_ignored_paths_are_told_apart() {
    let bench = Bench::with_repository();
    bench.write("repo/.gitignore", "*.log\n/build/\n/target/*\n");
    bench.write("repo/src/a.rs", "x");
    bench.write("repo/kept.log", "x");
    bench.git("repo", &["add", "-f", "src/a.rs", "kept.log", ".gitignore"]);
    bench.write("repo/build/out", "x");
    bench.write("repo/target/debug/out", "x");
    bench.write("repo/.cache/.gitignore", "*\n");
    bench.write("repo/.cache/x", "x");
    bench.write("repo/new/b.rs", "x");
    bench.write("repo/new/c.log", "x");
    let asked = [
        "src", "src/a.rs", "kept.log", "a.log", "build", "target", ".cache", "new", "sr", "src/*", "gone",
    ];
    let asked = asked.map(path);
    let found = tracking(&bench.path("repo"), &asked, &bench.environment(), PLENTY);
    assert_eq!(names(found.tracked), ["kept.log", "src", "src/a.rs"]);
    assert_eq!(
        names(found.ignored),
        [".cache", "a.log", "build", "target"],
        "a folder counts as ignored where all in it is"
    );
}

#[test]
fn a_folder_that_is_not_there_is_ignored_by_a_rule_for_folders() {
    let bench = Bench::with_repository();
    bench.write("repo/.gitignore", "node_modules/\n");
    let asked = ["packages/node_modules", "packages"].map(path);
    let found = tracking(&bench.path("repo"), &asked, &bench.environment(), PLENTY);
    assert_eq!(names(found.ignored), ["packages/node_modules"]);
}

#[test]
fn names_that_git_would_take_for_patterns_or_options_are_names() {
    let bench = Bench::with_repository();
    for name in ["--help", "-x", "*", ":(top)x", "a\nb", "é"] {
        bench.write(&format!("repo/{name}"), "x");
    }
    bench.commit("repo", "odd");
    let asked = ["--help", "-x", "*", ":(top)x", "a\nb", "é", "[f]ile"].map(path);
    let found = tracking(&bench.path("repo"), &asked, &bench.environment(), PLENTY);
    let mut expected = ["*", "--help", "-x", ":(top)x", "a\nb", "é"];
    expected.sort_unstable();
    assert_eq!(names(found.tracked), expected);
    assert_eq!(names(found.ignored), Vec::<String>::new());
}

#[test]
fn a_git_that_says_nothing_in_time_leaves_it_unknown() {
    let bench = Bench::with_repository();
    let stuck = bench.environment_with("while :; do :; done");
    let found = tracking(
        &bench.path("repo"),
        &[path("file")],
        &stuck,
        Duration::from_millis(50),
    );
    assert_eq!(found, Tracking::default());
}

#[test]
fn nothing_is_asked_about_no_path() {
    let bench = Bench::with_repository();
    let none = bench.environment_with("exit 128");
    let found = tracking(&bench.path("repo"), &[], &none, PLENTY);
    assert_eq!(names(found.tracked), Vec::<String>::new());
}

#[test]
fn what_is_ignored_below_a_folder_is_listed_with_whole_folders_for_all_in_them() {
    let bench = Bench::with_repository();
    bench.write("repo/.gitignore", "*.log\n/build/\n");
    bench.write("repo/kept.log", "x");
    bench.git("repo", &["add", "-f", "kept.log", ".gitignore"]);
    bench.write("repo/build/deep/out", "x");
    bench.write("repo/new/b.rs", "x");
    bench.write("repo/new/c.log", "x");
    bench.write("repo/-odd é.log", "x");
    let below = |folder: &str| {
        let git = Git::new(&bench.path("repo"), &bench.environment());
        let found = ignored_below(&git, &[], &[folder.into()], PLENTY);
        names(found.ok().map(|found| found.into_iter().collect()))
    };
    assert_eq!(below(""), ["-odd é.log", "build", "new/c.log"]);
    assert_eq!(below("new"), ["new/c.log"]);
    assert_eq!(below("build"), ["build"]);
    assert_eq!(below("gone"), Vec::<String>::new());
}
