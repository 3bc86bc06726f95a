use super::*;
use crate::fixture::{Bench, PLENTY};

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

fn entry(bench: &Bench, content: &str) -> TreeLeaf {
    bench.write("content", content);
    let id = bench.git("repo", &["hash-object", "--no-filters", "../content"]);
    TreeLeaf {
        mode: EntryMode::File,
        id: id.parse().unwrap(),
    }
}

fn ask(bench: &Bench, left: &[(&str, Option<TreeLeaf>)]) -> Vec<String> {
    let git = Git::new(&bench.path("repo"), &bench.environment());
    let left = left.iter().map(|(name, entry)| (path(name), *entry)).collect();
    let mut found: Vec<String> = settled(&git, &bench.path("repo"), &left, PLENTY)
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    found.sort();
    found
}

#[test]
fn only_what_the_worktree_and_head_agree_on_is_settled() {
    let bench = Bench::with_repository();
    bench.write("repo/other", "x\n");
    bench.write("repo/*", "star\n");
    bench.commit("repo", "second");
    bench.write("repo/other", "changed\n");
    bench.write("repo/untracked", "x\n");
    let left = ["file", "other", "untracked", "never", "*"].map(|name| (name, None));
    assert_eq!(ask(&bench, &left), ["*", "file", "never"]);
}

#[test]
fn work_that_lies_in_the_stash_is_not_settled() {
    let bench = Bench::with_repository();
    bench.write("repo/file", "agent\n");
    bench.write("repo/new", "agent\n");
    bench.git("repo", &["stash", "push", "-q", "-u"]);
    let agent = Some(entry(&bench, "agent\n"));
    assert_eq!(ask(&bench, &[("file", agent), ("new", agent)]), [""; 0]);
    let other = Some(entry(&bench, "other\n"));
    assert_eq!(ask(&bench, &[("file", other)]), ["file"]);
    bench.git("repo", &["stash", "drop", "-q"]);
    assert_eq!(ask(&bench, &[("file", agent)]), ["file"]);
}

#[test]
fn more_paths_than_fit_a_command_line_are_asked_in_parts() {
    let bench = Bench::with_repository();
    let names: Vec<String> = (0..250).map(|n| format!("folder/{n}")).collect();
    for name in &names {
        bench.write(&format!("repo/{name}"), "x\n");
    }
    bench.commit("repo", "many");
    let left: Vec<_> = names.iter().map(|name| (name.as_str(), None)).collect();
    assert_eq!(ask(&bench, &left).len(), 250);
}
