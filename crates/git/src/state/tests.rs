use std::time::SystemTime;

use super::*;
use crate::fixture::{Bench, PLENTY};

/// Long enough to read a few files, short enough to wait for.
const SHORT: Duration = Duration::from_secs(1);

fn state(bench: &Bench, folder: &str) -> WorktreeSummary {
    project_state(&bench.path(folder), &bench.environment(), PLENTY)
}

fn tree(state: &WorktreeSummary) -> Vec<(&str, Option<u64>)> {
    state
        .tree
        .iter()
        .map(|entry| (entry.path.as_str(), entry.files))
        .collect()
}

#[test]
fn the_state_is_the_whole_repositorys_from_any_folder_in_it() {
    let bench = Bench::with_repository();
    bench.write("repo/src/view/deep/a.rs", "");
    bench.write("repo/.gitignore", "ignored/\n");
    bench.commit("repo", "second: ünicode\nstill the subject\n\nbody");
    bench.write("repo/ignored/x", "");
    bench.write("repo/new/one", "");
    bench.write("repo/new/two", "");
    bench.write("repo/file", "changed\n");
    bench.write("repo/added", "");
    bench.git("repo", &["add", "added"]);
    let expected = WorktreeSummary {
        branch: Some("main".to_owned()),
        upstream: None,
        changes: Some(ChangeCounts {
            modified: 1,
            staged: 1,
            untracked: 1,
        }),
        tree: [
            ("new/", Some(2)),
            ("src/", Some(1)),
            ("src/view/", Some(1)),
            (".gitignore", None),
            ("added", None),
            ("file", None),
            ("new/one", None),
            ("new/two", None),
        ]
        .map(|(path, files)| TreeLine {
            path: path.to_owned(),
            files,
        })
        .to_vec(),
        tree_left_out: 0,
        commits: vec!["second: ünicode still the subject".to_owned(), "first".to_owned()],
        late: Vec::new(),
    };
    assert_eq!(state(&bench, "repo"), expected);
    assert_eq!(state(&bench, "repo/src/view"), expected);
}

#[test]
fn the_distance_to_the_upstream_is_told() {
    let bench = Bench::with_repository();
    bench.git(".", &["clone", "-q", "repo", "copy"]);
    bench.commit("repo", "theirs");
    bench.commit("copy", "ours");
    bench.commit("copy", "ours too");
    bench.git("copy", &["fetch", "-q"]);
    let upstream = UpstreamDistance {
        name: "origin/main".to_owned(),
        ahead: 2,
        behind: 1,
    };
    assert_eq!(state(&bench, "copy").upstream, Some(upstream));
}

#[test]
fn at_most_five_commits_are_told_newest_first_and_empty_subjects_stay() {
    let bench = Bench::with_repository();
    for index in 2..8 {
        bench.commit("repo", &format!("commit {index}"));
    }
    bench.git(
        "repo",
        &["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", ""],
    );
    let commits = state(&bench, "repo").commits;
    assert_eq!(commits, ["", "commit 7", "commit 6", "commit 5", "commit 4"]);
}

#[test]
fn a_detached_head_and_an_unborn_branch_are_told_apart() {
    let bench = Bench::with_repository();
    bench.git("repo", &["switch", "-q", "--detach"]);
    let short = bench.git("repo", &["rev-parse", "--short=7", "HEAD"]);
    assert_eq!(state(&bench, "repo").branch, Some(format!("detached at {short}")));

    bench.git(".", &["init", "-q", "-b", "fresh", "new"]);
    bench.write("new/file", "");
    let state = state(&bench, "new");
    assert_eq!(state.branch.as_deref(), Some("fresh"));
    assert_eq!(state.commits, [""; 0]);
    assert_eq!(tree(&state), [("file", None)]);
    assert_eq!(state.late, [""; 0]);
}

#[test]
fn refs_in_tables_have_a_branch_too() {
    let Some(bench) = Bench::with_refs_in_tables() else {
        return;
    };
    bench.commit("repo", "first");
    assert_eq!(state(&bench, "repo").branch.as_deref(), Some("main"));
    let short = bench.git("repo", &["rev-parse", "--short=7", "HEAD"]);
    bench.git("repo", &["switch", "-q", "--detach"]);
    assert_eq!(state(&bench, "repo").branch, Some(format!("detached at {short}")));
}

#[test]
fn a_bare_repository_has_a_branch_and_commits_only() {
    let bench = Bench::with_repository();
    bench.git(".", &["clone", "-q", "--bare", "repo", "bare.git"]);
    let expected = WorktreeSummary {
        branch: Some("main".to_owned()),
        commits: vec!["first".to_owned()],
        ..WorktreeSummary::default()
    };
    assert_eq!(state(&bench, "bare.git"), expected);
}

#[test]
fn without_git_there_is_the_tree_alone() {
    let bench = Bench::new();
    bench.write("folder/a/b", "");
    bench.write("folder/c\nd", "");
    let state = state(&bench, "folder");
    assert_eq!(tree(&state), [("a/", Some(1)), ("c\nd", None), ("a/b", None)]);
    assert_eq!(
        state,
        WorktreeSummary {
            tree: state.tree.clone(),
            ..WorktreeSummary::default()
        }
    );
}

#[test]
fn without_the_program_the_branch_and_the_tree_are_still_told() {
    let bench = Bench::with_repository();
    let nothing = GitEnvironment {
        path: "/nowhere".into(),
        home: None,
    };
    let state = project_state(&bench.path("repo"), &nothing, PLENTY);
    assert_eq!(state.branch.as_deref(), Some("main"));
    assert_eq!(tree(&state), [("file", None)]);
    assert_eq!((state.changes, state.late.len()), (None, 0));
}

#[test]
fn looking_changes_neither_the_index_nor_any_other_file_of_the_repository() {
    let bench = Bench::with_repository();
    // Same content, other time: an ordinary status would write the index.
    let file = fs_err::OpenOptions::new()
        .write(true)
        .open(bench.path("repo/file"))
        .unwrap();
    file.file().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let files = || {
        let listed = std::process::Command::new("/usr/bin/find")
            .arg(bench.path("repo"))
            .args(["-type", "f"])
            .output()
            .unwrap();
        let names = String::from_utf8(listed.stdout).unwrap();
        let mut all: Vec<_> = names
            .lines()
            .map(|name| {
                let modified = fs_err::metadata(name).unwrap().modified().unwrap();
                (name.to_owned(), modified, fs_err::read(name).unwrap())
            })
            .collect();
        all.sort();
        all
    };
    let before = files();
    let state = state(&bench, "repo");
    assert_eq!(state.changes, Some(ChangeCounts::default()));
    assert_eq!(files(), before);

    bench.git("repo", &["status"]);
    assert_ne!(
        files(),
        before,
        "the ordinary status would have shown the difference"
    );
}

#[test]
fn a_repository_of_ten_thousand_files_fits_sixty_lines() {
    let bench = Bench::with_repository();
    for folder in 0..100 {
        bench.folder(&format!("repo/d{folder:02}"));
        for file in 0..100 {
            fs_err::write(bench.path(&format!("repo/d{folder:02}/{file}")), "").unwrap();
        }
    }
    let state = state(&bench, "repo");
    assert_eq!(state.tree.len(), 60);
    assert!(state.tree.iter().all(|entry| entry.files == Some(100)));
    assert_eq!(state.tree_left_out, 40 + 10_001);
    assert_eq!(state.changes.unwrap().untracked, 100);
}

#[test]
fn a_hundred_thousand_files_are_told_in_as_many_lines_as_a_thousand() {
    let told = |count: usize| {
        let bench = Bench::with_repository();
        let blob = bench.git("repo", &["rev-parse", "HEAD:file"]);
        let line = |number: usize| {
            format!(
                "100644 {blob}\tpart{:02}/{:03}/file{number}",
                number % 70,
                number % 700
            )
        };
        let listed: Vec<String> = (0..count).map(line).collect();
        bench.write("listed", listed.join("\n") + "\n");
        // In the index only: what counts here is names, not a disk full of empty files.
        let script = "git update-index --index-info < ../listed && git ls-files -z | git update-index -z --skip-worktree --stdin";
        let made = std::process::Command::new("/bin/sh")
            .args(["-c", script])
            .current_dir(bench.path("repo"))
            .status();
        assert!(made.unwrap().success());
        state(&bench, "repo")
    };
    let (small, large) = (told(1_000), told(100_000));
    assert_eq!((small.tree.len(), large.tree.len()), (60, 60));
    assert_eq!(large.late, [""; 0]);
    assert_eq!(large.changes.unwrap().staged, 100_000);
    let biggest = large.tree.iter().filter_map(|entry| entry.files).max();
    assert_eq!(biggest, Some(1_429));
}

#[test]
fn names_with_newlines_and_escapes_are_told_as_they_are() {
    let bench = Bench::with_repository();
    bench.write("repo/new\nline/\u{1b}[2J", "");
    bench.write("repo/ leading", "");
    let state = state(&bench, "repo");
    assert_eq!(
        tree(&state),
        [
            ("new\nline/", Some(1)),
            (" leading", None),
            ("file", None),
            ("new\nline/\u{1b}[2J", None)
        ]
    );
}

#[test]
fn a_git_that_hangs_leaves_the_branch_and_names_what_is_missing() {
    let bench = Bench::with_repository();
    let environment = bench.environment_with("exec sleep 600");
    let state = project_state(&bench.path("repo"), &environment, SHORT);
    assert_eq!(state.late, ["changes", "commits", "tree"]);
    assert_eq!(state.branch.as_deref(), Some("main"));
    assert_eq!(
        (state.changes, state.tree.len(), state.commits.len()),
        (None, 0, 0)
    );
}

#[test]
fn one_call_that_hangs_does_not_cost_the_others_their_answer() {
    let bench = Bench::with_repository();
    let git = which_git();
    let environment = bench.environment_with(&format!(
        "case \"$*\" in *' status '*) exec sleep 600;; esac; exec {git} \"$@\""
    ));
    let state = project_state(&bench.path("repo"), &environment, Duration::from_secs(3));
    assert_eq!(state.late, ["changes"]);
    assert_eq!(state.commits, ["first"]);
    assert_eq!(tree(&state), [("file", None)]);
}

fn which_git() -> String {
    let found = std::process::Command::new("/bin/sh")
        .args(["-c", "command -v git"])
        .output()
        .unwrap();
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_child_of_git_that_keeps_the_output_open_makes_nothing_late() {
    let bench = Bench::with_repository();
    let git = which_git();
    let environment = bench.environment_with(&format!("sleep 600 & exec {git} \"$@\""));
    let state = project_state(&bench.path("repo"), &environment, PLENTY);
    assert_eq!(state.late, [""; 0]);
    assert_eq!(state.commits, ["first"]);
}

#[test]
fn no_time_at_all_is_no_answer_of_git_at_all() {
    let bench = Bench::with_repository();
    let state = project_state(&bench.path("repo"), &bench.environment(), Duration::ZERO);
    assert!(
        state
            .late
            .ends_with(&["changes", "commits", "tree"].map(str::to_owned))
    );
}

#[test]
fn git_is_called_three_times() {
    let bench = Bench::with_repository();
    let git = which_git();
    let calls = bench.path("calls");
    let environment = bench.environment_with(&format!("echo x >> '{}'; exec {git} \"$@\"", calls.display()));
    project_state(&bench.path("repo"), &environment, PLENTY);
    assert_eq!(fs_err::read_to_string(calls).unwrap(), "x\nx\nx\n");
}

#[test]
fn a_subject_of_a_million_letters_is_kept_short() {
    let bench = Bench::with_repository();
    bench.write("message", "x".repeat(1_000_000));
    bench.git("repo", &["commit", "-q", "--allow-empty", "-F", "../message"]);
    assert_eq!(state(&bench, "repo").commits[0].len(), SUBJECT);
}

#[test]
fn a_folder_that_is_gone_has_the_state_of_its_repository() {
    let bench = Bench::with_repository();
    assert_eq!(state(&bench, "repo/never/was"), state(&bench, "repo"));
}
