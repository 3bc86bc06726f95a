use super::*;
use crate::commit_facts;
use crate::fixture::{Bench, PLENTY};

fn git(bench: &Bench) -> Git {
    Git::new(&bench.path("repo"), &bench.environment())
}

fn id(bench: &Bench, name: &str) -> Id {
    bench.git("repo", &["rev-parse", name]).parse().unwrap()
}

fn names(bench: &Bench, commits: &[&str]) -> Vec<Option<Id>> {
    let ids: Vec<Id> = commits.iter().map(|name| id(bench, name)).collect();
    let facts = commit_facts::read(&git(bench), &ids, PLENTY).unwrap();
    let names = of_commits(&git(bench), &facts, PLENTY).unwrap();
    ids.iter().map(|id| names.get(id).copied()).collect()
}

#[test]
fn the_same_change_on_another_base_has_the_same_name() {
    let bench = Bench::with_repository();
    let lines = (0..50)
        .map(|n| format!("line {n}"))
        .collect::<Vec<_>>()
        .join("\n")
        + "\n";
    bench.write("repo/file", &lines);
    bench.commit("repo", "base");
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    bench.write("repo/file", lines.replace("line 40", "forty"));
    bench.commit("repo", "change");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.write("repo/file", format!("on top\n{lines}"));
    bench.commit("repo", "other work");
    bench.git("repo", &["cherry-pick", "other"]);
    let found = names(&bench, &["HEAD", "other", "HEAD~1"]);
    assert!(found[0].is_some());
    assert_eq!(found[0], found[1]);
    assert_ne!(found[0], found[2]);
    let trees = ["other~1^{tree}", "other^{tree}"].map(|name| id(&bench, name));
    assert_eq!(
        between(&git(&bench), trees[0], trees[1], PLENTY).unwrap(),
        found[0]
    );
}

#[test]
fn what_changes_nothing_has_no_name() {
    let bench = Bench::with_repository();
    bench.commit("repo", "empty");
    assert_eq!(names(&bench, &["HEAD"]), [None]);
    let tree = id(&bench, "HEAD^{tree}");
    assert_eq!(between(&git(&bench), tree, tree, PLENTY).unwrap(), None);
}

#[test]
fn two_different_contents_that_are_no_text_have_different_names() {
    let bench = Bench::with_repository();
    bench.write("repo/data", b"\0\x01");
    bench.commit("repo", "base");
    for (branch, content) in [("a", &b"\0\x02"[..]), ("b", b"\0\x03"), ("c", b"\0\x02")] {
        bench.git("repo", &["checkout", "-q", "-b", branch, "main"]);
        bench.write("repo/data", content);
        bench.commit("repo", branch);
    }
    let found = names(&bench, &["a", "b", "c"]);
    assert!(found[0].is_some());
    assert_eq!(found[0], found[2]);
    assert_ne!(found[0], found[1]);
}

#[test]
fn a_merge_has_the_name_of_what_it_brings_to_its_first_parent() {
    let bench = Bench::with_repository();
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    bench.write("repo/other", "x\n");
    bench.commit("repo", "other");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.git("repo", &["merge", "-q", "--no-ff", "-m", "joined", "other"]);
    let found = names(&bench, &["HEAD", "other"]);
    assert_eq!(found[0], found[1]);
}

#[test]
fn settings_that_change_how_a_diff_looks_change_no_name() {
    let bench = Bench::with_repository();
    bench.write("repo/file", "two\n");
    bench.commit("repo", "second");
    let before = names(&bench, &["HEAD"]);
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.external", "/bin/false"),
        ("diff.algorithm", "patience"),
        ("color.ui", "always"),
        ("diff.context", "0"),
    ] {
        bench.git("repo", &["config", key, value]);
    }
    assert_eq!(names(&bench, &["HEAD"]), before);
}

#[test]
fn a_change_that_is_too_large_has_no_name_and_hides_no_other() {
    let bench = Bench::with_repository();
    bench.write("repo/large", "0123456789abcde\n".repeat(1_100_000));
    bench.commit("repo", "large");
    bench.write("repo/file", "two\n");
    bench.commit("repo", "small");
    let found = names(&bench, &["HEAD~1", "HEAD"]);
    assert_eq!(found[0], None);
    assert!(found[1].is_some());
}
