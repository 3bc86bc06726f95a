use super::*;
use crate::fixture::{Bench, PLENTY};

#[test]
fn aliases_of_the_repository_and_of_the_person_are_found_the_nearest_last() {
    let bench = Bench::with_repository();
    bench.write(".gitconfig", "[alias]\n\tst = status\n\tco = checkout\n");
    bench.git(
        "repo",
        &["config", "alias.nuke", "!git reset --hard && git clean -fd"],
    );
    bench.git("repo", &["config", "alias.CO", "checkout -q"]);
    bench.write(
        "repo/.git/more",
        "[alias]\n\tmore = log\n\tlines = \"!f() {\\n echo;\\n}; f\"\n",
    );
    bench.git("repo", &["config", "include.path", "more"]);
    let found = aliases(&bench.path("repo"), &bench.environment(), PLENTY).unwrap();
    let told: Vec<(&str, &str)> = found
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("co", "checkout -q"),
            ("lines", "!f() {\n echo;\n}; f"),
            ("more", "log"),
            ("nuke", "!git reset --hard && git clean -fd"),
            ("st", "status"),
        ]
    );
}

#[test]
fn no_alias_is_no_error_and_a_git_that_hangs_is_one() {
    let bench = Bench::with_repository();
    let none = aliases(&bench.path("repo"), &bench.environment(), PLENTY).unwrap();
    assert!(none.is_empty());
    let stuck = bench.environment_with("while :; do :; done");
    let late = aliases(&bench.path("repo"), &stuck, Duration::from_millis(50));
    assert!(matches!(late, Err(GitError::Late)), "{late:?}");
}

#[test]
fn what_is_no_alias_is_passed_over() {
    assert!(parse(b"\0alias.\nx\0alias.valueless\0\xff\nx\0core.pager\nless\0").is_empty());
    let long = [b"alias.x\n".to_vec(), vec![b'x'; LONGEST + 1]].concat();
    assert!(parse(&long).is_empty());
}
