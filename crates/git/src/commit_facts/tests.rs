use super::*;
use crate::fixture::{Bench, PLENTY};
use crate::reflog;

fn git(bench: &Bench) -> Git {
    Git::new(&bench.path("repo"), &bench.environment())
}

fn id(bench: &Bench, name: &str) -> Id {
    bench.git("repo", &["rev-parse", name]).parse().unwrap()
}

fn facts(bench: &Bench, name: &str) -> CommitFacts {
    let mut found = read(&git(bench), &[id(bench, name)], PLENTY).unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn changed(facts: &CommitFacts) -> Vec<(String, bool, bool)> {
    let change = |change: &CommitChange| {
        (
            change.path.to_string(),
            change.before.is_some(),
            change.after.is_some(),
        )
    };
    facts.changes.as_ref().unwrap().iter().map(change).collect()
}

#[test]
fn a_commit_is_told_with_its_tree_people_and_changed_paths() {
    let bench = Bench::with_repository();
    bench.write("repo/new/deep", "x\n");
    bench.write("repo/file", "two\n");
    bench.commit("repo", "second\n\nbody\n\nToprope-Checkpoint: 7be1c09d42aa");
    let found = facts(&bench, "HEAD");
    assert_eq!(found.tree, id(&bench, "HEAD^{tree}"));
    assert_eq!(found.parents, [id(&bench, "HEAD~1")]);
    assert_eq!(found.author.person, b"A <a@example.org>");
    assert_eq!(found.committer.at, 1_700_000_000);
    assert!(found.message.starts_with(b"second\n\nbody"));
    assert_eq!(found.checkpoints, ["7be1c09d42aa"]);
    let expected = [("file", true, true), ("new/deep", false, true)];
    assert_eq!(
        changed(&found),
        expected.map(|(path, before, after)| (path.to_owned(), before, after))
    );
    let after = found.changes.unwrap().remove(0).after.unwrap();
    assert_eq!(after.id, id(&bench, "HEAD:file"));
}

#[test]
fn the_first_commit_adds_everything_and_an_empty_one_changes_nothing() {
    let bench = Bench::with_repository();
    assert_eq!(
        changed(&facts(&bench, "HEAD")),
        [("file".to_owned(), false, true)]
    );
    bench.commit("repo", "empty");
    assert_eq!(changed(&facts(&bench, "HEAD")), []);
}

#[test]
fn a_merge_is_compared_with_its_first_parent_alone() {
    let bench = Bench::with_repository();
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    bench.write("repo/other", "x\n");
    bench.commit("repo", "other");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.write("repo/main", "y\n");
    bench.commit("repo", "main");
    bench.git("repo", &["merge", "-q", "-m", "joined", "other"]);
    let found = facts(&bench, "HEAD");
    assert_eq!(found.parents.len(), 2);
    assert_eq!(changed(&found), [("other".to_owned(), false, true)]);
}

#[test]
fn deletions_modes_links_and_strange_names_are_told_as_they_are() {
    let bench = Bench::with_repository();
    bench.write("repo/a\nb", "x\n");
    bench.write("repo/run", "x\n");
    bench.commit("repo", "second");
    fs_err::remove_file(bench.path("repo/file")).unwrap();
    std::os::unix::fs::symlink("run", bench.path("repo/link")).unwrap();
    bench.git("repo", &["update-index", "--chmod=+x", "run"]);
    bench.git("repo", &["rm", "-q", "--cached", "file"]);
    bench.git("repo", &["add", "link"]);
    bench.git("repo", &["rm", "-q", "a\nb"]);
    bench.git("repo", &["commit", "-q", "-m", "third"]);
    let found = facts(&bench, "HEAD").changes.unwrap();
    let modes: Vec<_> = found
        .iter()
        .map(|change| (format!("{:?}", change.path), change.after.map(|entry| entry.mode)))
        .collect();
    let expected = [
        ("a\\nb", None),
        ("file", None),
        ("link", Some(EntryMode::Link)),
        ("run", Some(EntryMode::Exec)),
    ];
    assert_eq!(modes, expected.map(|(path, mode)| (path.to_owned(), mode)));
}

#[test]
fn what_is_no_commit_is_left_out_and_the_rest_keeps_its_order() {
    let bench = Bench::with_repository();
    bench.commit("repo", "second");
    let missing: Id = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
    let asked = [
        id(&bench, "HEAD"),
        missing,
        id(&bench, "HEAD:file"),
        id(&bench, "HEAD~1"),
    ];
    let found = read(&git(&bench), &asked, PLENTY).unwrap();
    let ids: Vec<Id> = found.into_iter().map(|facts| facts.id).collect();
    assert_eq!(ids, [asked[0], asked[3]]);
}

#[test]
fn trailers_are_found_in_any_case_and_anywhere_and_nonsense_is_not_taken() {
    let bench = Bench::with_repository();
    bench.commit(
        "repo",
        "s\n\ntoprope-checkpoint: ABCDEF012345\n\nmore\n\nToprope-Checkpoint: ../../etc\nToprope-Checkpoint: 012345abcdef\n",
    );
    assert_eq!(
        facts(&bench, "HEAD").checkpoints,
        ["abcdef012345", "012345abcdef"]
    );
}

#[test]
fn a_pull_brings_its_line_of_commits_and_a_checkout_brings_none() {
    let bench = Bench::with_repository();
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    for n in 0..3 {
        bench.write("repo/other", n.to_string());
        bench.commit("repo", "other");
    }
    bench.git("repo", &["checkout", "-q", "main"]);
    let place = crate::place::find(&bench.path("repo"));
    let look = |since| reflog::follow(&place, &bench.environment(), since, &|_| false, PLENTY).unwrap();
    let position = look(None).position;
    bench.git("repo", &["pull", "-q", ".", "other"]);
    bench.git("repo", &["reset", "-q", "--hard", "HEAD~2"]);
    bench.git("repo", &["checkout", "-q", "other"]);
    let moves = look(Some(&position)).moves;
    let lists = brought(&git(&bench), &moves, PLENTY).unwrap();
    let pulled = ["other~2", "other~1", "other"].map(|name| id(&bench, name));
    assert_eq!(lists, [pulled.to_vec(), vec![], vec![]]);
}

#[test]
fn a_commit_is_abandoned_once_no_branch_holds_it() {
    let bench = Bench::with_repository();
    bench.commit("repo", "second");
    let second = id(&bench, "HEAD");
    let ask = || abandoned(&git(&bench), &[second, id(&bench, "main~0")], PLENTY).unwrap();
    assert_eq!(ask(), []);
    bench.git("repo", &["branch", "keeper"]);
    bench.git("repo", &["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(ask(), []);
    bench.git(
        "repo",
        &["update-ref", "refs/toprope/keep/x", &second.to_string()],
    );
    bench.git("repo", &["branch", "-q", "-D", "keeper"]);
    assert_eq!(ask(), [second]);
    let missing: Id = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
    assert_eq!(abandoned(&git(&bench), &[missing], PLENTY).unwrap(), [missing]);
}
