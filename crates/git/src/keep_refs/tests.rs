use super::*;
use crate::fixture::{Bench, PLENTY};

fn git(bench: &Bench) -> Git {
    Git::new(&bench.path("repo"), &bench.environment())
}

fn limits() -> Limits {
    Limits::within(PLENTY)
}

fn head(bench: &Bench) -> Id {
    bench.git("repo", &["rev-parse", "HEAD"]).parse().unwrap()
}

/// Commits and drops a change, so that nothing but a keep ref can hold it.
fn dropped_commit(bench: &Bench, content: &str) -> Id {
    bench.write("repo/file", content);
    bench.commit("repo", content);
    let dropped = head(bench);
    bench.git("repo", &["reset", "-q", "--hard", "HEAD~1"]);
    dropped
}

fn collect_garbage(bench: &Bench) {
    bench.git("repo", &["reflog", "expire", "--expire=now", "--all"]);
    bench.git("repo", &["gc", "-q", "--prune=now"]);
}

fn exists(bench: &Bench, id: Id) -> bool {
    bench
        .try_git("repo", &["cat-file", "-e", &id.to_string()])
        .is_ok()
}

#[test]
fn a_held_commit_survives_the_garbage_collection_and_a_released_one_does_not() {
    let bench = Bench::with_repository();
    let git = git(&bench);
    let held_one = dropped_commit(&bench, "held");
    let released = dropped_commit(&bench, "released");
    hold(&git, &[held_one, released], limits()).unwrap();
    release(&git, &[released], limits()).unwrap();
    collect_garbage(&bench);
    assert!(exists(&bench, held_one));
    assert!(!exists(&bench, released));
    assert_eq!(held(&git, limits()).unwrap(), [held_one]);
}

#[test]
fn holding_twice_and_releasing_what_is_not_held_change_nothing() {
    let bench = Bench::with_repository();
    let git = git(&bench);
    let commit = head(&bench);
    release(&git, &[commit], limits()).unwrap();
    hold(&git, &[commit, commit], limits()).unwrap();
    hold(&git, &[commit], limits()).unwrap();
    assert_eq!(held(&git, limits()).unwrap(), [commit]);
    release(&git, &[commit, commit], limits()).unwrap();
    assert_eq!(held(&git, limits()).unwrap(), []);
}

#[test]
fn a_commit_that_is_not_there_is_refused_and_leaves_no_ref() {
    let bench = Bench::with_repository();
    let nowhere: Id = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
    let refused = hold(&git(&bench), &[head(&bench), nowhere], limits());
    assert!(matches!(refused, Err(GitError::Failed { .. })));
    assert_eq!(held(&git(&bench), limits()).unwrap(), []);
}

#[test]
fn two_thousand_commits_are_held_in_one_call() {
    let bench = Bench::with_repository();
    let tree = bench.git("repo", &["rev-parse", "HEAD^{tree}"]);
    let script = format!("for n in $(seq 2000); do echo $n | git commit-tree {tree}; done > ../ids");
    bench.git("repo", &["-c", &format!("alias.many=!{script}"), "many"]);
    let ids = fs_err::read_to_string(bench.path("ids")).unwrap();
    let ids: Vec<Id> = ids.lines().map(|line| line.parse().unwrap()).collect();
    hold(&git(&bench), &ids, limits()).unwrap();
    assert_eq!(held(&git(&bench), limits()).unwrap().len(), 2000);
}

#[test]
fn nothing_but_the_keep_ref_is_written() {
    let bench = Bench::with_repository();
    bench.git("repo", &["config", "core.logAllRefUpdates", "always"]);
    let before = listing(&bench);
    hold(&git(&bench), &[head(&bench)], limits()).unwrap();
    let added: Vec<String> = listing(&bench)
        .into_iter()
        .filter(|name| !before.contains(name))
        .collect();
    assert_eq!(added, [format!("refs/toprope/keep/{}", head(&bench))]);
}

/// All files in git's own folder.
fn listing(bench: &Bench) -> Vec<String> {
    let output = std::process::Command::new("find")
        .args([".", "-type", "f", "-printf", "%P\n"])
        .current_dir(bench.path("repo/.git"))
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn commits_are_held_where_refs_are_kept_in_tables() {
    let Some(bench) = Bench::with_refs_in_tables() else {
        return;
    };
    bench.commit("repo", "first");
    hold(&git(&bench), &[head(&bench)], limits()).unwrap();
    assert_eq!(held(&git(&bench), limits()).unwrap(), [head(&bench)]);
}

#[test]
fn what_a_command_leaves_without_a_name_is_held_under_its_own() {
    let bench = Bench::with_repository();
    let git = git(&bench);
    bench.git("repo", &["checkout", "-q", "-b", "side"]);
    bench.write("repo/file", "side");
    bench.commit("repo", "side");
    let side = head(&bench);
    bench.git("repo", &["tag", "-a", "v1", "-m", "one"]);
    bench.git("repo", &["checkout", "-q", "main"]);
    let names = [
        "refs/heads/side",
        "refs/tags/v1",
        "refs/heads/none",
        "--all",
        "a\nb",
        "",
    ];
    let named = hold_named(&git, &names, limits()).unwrap();
    assert_eq!(named.len(), 2, "a branch and a tag of its own");
    let mut kept: Vec<Id> = named.into_iter().map(|(_, id)| id).collect();
    kept.sort();
    bench.git("repo", &["branch", "-q", "-D", "side"]);
    bench.git("repo", &["tag", "-d", "v1"]);
    collect_garbage(&bench);
    assert!(exists(&bench, side));
    assert_eq!(lost(&git, limits()).unwrap(), kept);
    assert!(held(&git, limits()).unwrap().contains(&side));
    release(&git, &kept, limits()).unwrap();
    assert!(held(&git, limits()).unwrap().is_empty());
}
