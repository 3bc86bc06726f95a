use super::*;
use crate::fixture::{Bench, PLENTY};
use crate::object::EntryMode;
use std::cell::RefCell;
use std::collections::HashMap;

/// A repository with two files, and a person who has a name.
struct Desk {
    bench: Bench,
    entries: BTreeMap<RepoPath, Option<TreeLeaf>>,
    contents: RefCell<HashMap<Id, Vec<u8>>>,
    has_hooks: bool,
    time: Duration,
    protected: &'static str,
}

impl Desk {
    fn new() -> Self {
        let bench = Bench::with_repository();
        bench.write(".gitconfig", "[user]\nname = P\nemail = p@example.org\n");
        bench.write("repo/other", "one\n");
        bench.commit("repo", "second");
        Self::at(bench)
    }

    fn at(bench: Bench) -> Self {
        Self {
            bench,
            entries: BTreeMap::new(),
            contents: RefCell::default(),
            has_hooks: true,
            time: PLENTY,
            protected: "",
        }
    }

    /// The agent writes a file, which is captured and not staged; only we have its content.
    fn writes(mut self, name: &str, content: &str) -> Self {
        self.bench.write(&format!("repo/{name}"), content);
        self.captured(name, EntryMode::File, content);
        self
    }

    fn captured(&mut self, name: &str, mode: EntryMode, content: &str) {
        self.bench.write("content", content);
        let id: Id = self
            .bench
            .git("repo", &["hash-object", "--no-filters", "../content"])
            .parse()
            .unwrap();
        self.contents.borrow_mut().insert(id, content.as_bytes().to_vec());
        self.entries
            .insert(RepoPath::new(name).unwrap(), Some(TreeLeaf { mode, id }));
    }

    fn deletes(mut self, name: &str) -> Self {
        fs_err::remove_file(self.bench.path(&format!("repo/{name}"))).unwrap();
        self.entries.insert(RepoPath::new(name).unwrap(), None);
        self
    }

    /// A hook of the person's; `$REAL` is their index.
    fn hook(self, name: &str, script: &str) -> Self {
        let real = self.bench.path("repo/.git/index");
        self.bench
            .program(name, &format!("REAL='{}'\n{script}", real.display()));
        let folder = self.bench.path("programs");
        self.git(&["config", "core.hooksPath", folder.to_str().unwrap()]);
        self
    }

    fn commit(&self) -> Result<CommitMade, NotMade> {
        self.commit_in("repo")
    }

    fn commit_in(&self, folder: &str) -> Result<CommitMade, NotMade> {
        let place = crate::place::find(&self.bench.path(folder));
        let content = |id: Id| self.contents.borrow().get(&id).cloned().ok_or_else(gone);
        commit(&CommitRequest {
            place: &place,
            environment: &self.bench.environment(),
            variables: &[],
            entries: &self.entries,
            content: &content,
            message: &CommitMessage {
                subject: "Add the form",
                body: "please",
                checkpoint: "7be1c09d42aa",
            },
            is_protected: &|branch| branch == self.protected,
            has_hooks: self.has_hooks,
            is_signed: false,
            time: self.time,
        })
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.bench.git("repo", arguments)
    }

    fn status(&self) -> String {
        self.git(&["status", "--porcelain", "-uall"])
    }

    /// What a refusal must not change.
    fn picture(&self) -> (String, Vec<u8>, String, Vec<u8>) {
        let head = fs_err::read(self.bench.path("repo/.git/HEAD")).unwrap();
        let refs = self.git(&["for-each-ref"]);
        let index = fs_err::read(self.bench.path("repo/.git/index")).unwrap_or_default();
        (
            refs,
            index,
            self.git(&["--no-optional-locks", "status", "--porcelain", "-uall"]),
            head,
        )
    }

    fn refused(&self) -> CommitRefusal {
        let before = self.picture();
        let refusal = match self.commit() {
            Err(NotMade::Refused(refusal)) => refusal,
            other => panic!("{other:?}"),
        };
        assert_eq!(self.picture(), before, "{refusal}");
        self.is_tidy();
        refusal
    }

    /// Nothing of ours is left lying about.
    fn is_tidy(&self) {
        let mut names: Vec<_> = fs_err::read_dir(self.bench.path("repo/.git/toprope"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["commit.lock"]);
    }
}

fn gone() -> io::Error {
    io::ErrorKind::NotFound.into()
}

fn made(result: Result<CommitMade, NotMade>) -> Vec<String> {
    match result {
        Ok(CommitMade::Commit { kept_staged, .. }) => kept_staged.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

const NONE: [String; 0] = [];

#[test]
fn exactly_the_given_paths_are_committed_and_everything_else_stays_as_it_was() {
    let desk = Desk::new()
        .writes("file", "agent\n")
        .writes("new/deep", "agent\n");
    desk.bench.write("repo/other", "staged by the person\n");
    desk.bench.write("repo/added", "staged by the person\n");
    desk.git(&["add", "other", "added"]);
    desk.bench.write("repo/other", "and changed again\n");
    desk.bench.write("repo/untracked", "x\n");
    assert_eq!(made(desk.commit()), NONE);
    assert_eq!(
        desk.git(&["show", "--format=%an|%cn|%s", "--name-status"]),
        "P|P|Add the form\n\nM\tfile\nA\tnew/deep"
    );
    assert_eq!(
        desk.git(&["log", "-1", "--format=%B"]).trim_end(),
        "Add the form\n\nplease\n\nToprope-Checkpoint: 7be1c09d42aa"
    );
    assert_eq!(desk.status(), "A  added\nMM other\n?? untracked");
    assert_eq!(desk.git(&["show", ":other"]), "staged by the person");
    desk.is_tidy();
}

#[test]
fn what_is_committed_is_what_was_captured_though_the_file_went_on() {
    let desk = Desk::new().writes("file", "captured\n");
    desk.bench.write("repo/file", "later\n");
    made(desk.commit());
    assert_eq!(desk.git(&["show", "HEAD:file"]), "captured");
    assert_eq!(desk.status(), " M file");
}

#[test]
fn deletions_links_and_programs_are_committed_as_they_are() {
    let mut desk = Desk::new().deletes("file");
    desk.captured("link", EntryMode::Link, "other");
    desk.captured("run", EntryMode::Exec, "#!/bin/sh\n");
    made(desk.commit());
    assert_eq!(
        desk.git(&["ls-tree", "HEAD", "--format=%(objectmode) %(path)"]),
        "120000 link\n100644 other\n100755 run"
    );
}

#[test]
fn a_file_takes_the_place_of_a_folder() {
    let desk = Desk::new().writes("thing/inner", "x\n");
    made(desk.commit());
    let mut desk = Desk::at(desk.bench).deletes("thing/inner");
    fs_err::remove_dir(desk.bench.path("repo/thing")).unwrap();
    desk = desk.writes("thing", "y\n");
    made(desk.commit());
    assert_eq!(desk.git(&["show", "HEAD:thing"]), "y");
    assert_eq!(desk.status(), "");
}

#[test]
fn what_head_has_already_makes_no_commit() {
    let desk = Desk::new().writes("file", "agent\n");
    made(desk.commit());
    let before = desk.picture();
    assert_eq!(desk.commit().unwrap(), CommitMade::Nothing);
    assert_eq!(desk.picture(), before);
}

#[test]
fn a_path_staged_just_as_it_was_captured_is_no_obstacle() {
    let desk = Desk::new().writes("file", "agent\n");
    desk.git(&["add", "file"]);
    made(desk.commit());
    assert_eq!(desk.status(), "");
}

#[test]
fn a_path_that_is_only_intended_to_be_added_is_no_obstacle() {
    let desk = Desk::new().writes("new", "agent\n");
    desk.git(&["add", "-N", "new"]);
    made(desk.commit());
    assert_eq!(desk.status(), "");
}

#[test]
fn without_a_branch_or_a_first_commit_none_is_made() {
    let desk = Desk::new().writes("file", "agent\n");
    desk.git(&["checkout", "-q", "--detach"]);
    assert_eq!(desk.refused(), CommitRefusal::Detached);
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "-b", "main", "repo"]);
    assert_eq!(
        Desk::at(bench).writes("file", "x\n").refused(),
        CommitRefusal::Unborn
    );
}

#[test]
fn on_a_protected_branch_none_is_made() {
    let mut desk = Desk::new().writes("file", "agent\n");
    desk.protected = "main";
    assert_eq!(desk.refused(), CommitRefusal::Protected("main".to_owned()));
}

#[test]
fn while_git_is_in_the_middle_of_something_none_is_made() {
    let desk = Desk::new();
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.bench.write("repo/file", "side\n");
    desk.bench.commit("repo", "side");
    desk.git(&["checkout", "-q", "main"]);
    desk.bench.write("repo/file", "main\n");
    desk.bench.commit("repo", "main");
    let desk = desk.writes("new", "agent\n");
    for (command, abort, operation) in [
        (
            &["merge", "side"][..],
            &["merge", "--abort"][..],
            GitOperation::Merge,
        ),
        (&["rebase", "side"], &["rebase", "--abort"], GitOperation::Rebase),
        (
            &["cherry-pick", "side"],
            &["cherry-pick", "--abort"],
            GitOperation::CherryPick,
        ),
        (
            &["merge", "--squash", "side"],
            &["reset", "-q", "--merge"],
            GitOperation::Merge,
        ),
    ] {
        let _ = desk.bench.try_git("repo", command);
        assert_eq!(
            desk.refused(),
            CommitRefusal::InProgress(operation),
            "{command:?}"
        );
        desk.git(abort);
    }
}

#[test]
fn an_index_that_stays_locked_stops_it() {
    let desk = Desk::new().writes("file", "agent\n");
    desk.bench.write("repo/.git/index.lock", "somebody");
    assert_eq!(desk.refused(), CommitRefusal::IndexLocked);
    assert_eq!(
        fs_err::read(desk.bench.path("repo/.git/index.lock")).unwrap(),
        b"somebody"
    );
}

#[test]
fn what_a_failing_hook_says_is_passed_on() {
    for name in ["pre-commit", "commit-msg"] {
        let desk = Desk::new()
            .writes("file", "agent\n")
            .hook(name, "echo 'no tabs, please' >&2; exit 1");
        assert_eq!(
            desk.refused(),
            CommitRefusal::HookFailed("no tabs, please".to_owned())
        );
    }
}

#[test]
fn hooks_that_are_switched_off_do_not_run() {
    let mut desk = Desk::new()
        .writes("file", "agent\n")
        .hook("pre-commit", "exit 1")
        .hook("prepare-commit-msg", "exit 1");
    desk.has_hooks = false;
    made(desk.commit());
}

#[test]
fn a_path_the_person_has_staged_differently_stops_it() {
    let desk = Desk::new().writes("file", "agent\n");
    desk.bench.write("repo/file", "person\n");
    desk.git(&["add", "file"]);
    let file = RepoPath::new("file").unwrap();
    assert_eq!(desk.refused(), CommitRefusal::StagedDifferently(file));
    let desk = Desk::new().writes("thing", "agent\n");
    fs_err::remove_file(desk.bench.path("repo/thing")).unwrap();
    desk.bench.write("repo/thing/inner", "person\n");
    desk.git(&["add", "thing/inner"]);
    let inner = RepoPath::new("thing/inner").unwrap();
    assert_eq!(desk.refused(), CommitRefusal::StagedDifferently(inner));
}

#[test]
fn a_commit_that_would_leave_no_file_is_not_made() {
    let desk = Desk::new().deletes("file").deletes("other");
    assert_eq!(desk.refused(), CommitRefusal::EmptyTree);
}

#[test]
fn a_hook_that_never_ends_is_ended_with_everything_it_started() {
    let mut desk = Desk::new().writes("file", "agent\n").hook(
        "pre-commit",
        "exec 3>../alive; (sleep 600 3>&3) & echo started; wait",
    );
    let pipe = desk.bench.path("alive");
    crate::fixture::make_pipe(&pipe);
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let reader = rustix::fs::open(&pipe, flags, rustix::fs::Mode::empty()).unwrap();
    desk.time = Duration::from_millis(500);
    assert_eq!(desk.refused(), CommitRefusal::Late);
    // The pipe reaches its end only when nobody holds it any more.
    rustix::fs::fcntl_setfl(&reader, rustix::fs::OFlags::empty()).unwrap();
    let mut rest = Vec::new();
    io::Read::read_to_end(&mut std::fs::File::from(reader), &mut rest).unwrap();
    assert!(!desk.bench.path("repo/.git/HEAD.lock").exists());
    assert!(!desk.bench.path("repo/.git/refs/heads/main.lock").exists());
}

#[test]
fn a_hook_that_hangs_after_the_commit_changes_nothing_about_it() {
    let mut desk = Desk::new()
        .writes("file", "agent\n")
        .hook("post-commit", "exec sleep 600");
    desk.time = Duration::from_secs(4);
    assert_eq!(made(desk.commit()), NONE);
    assert_eq!(desk.status(), "");
}

#[test]
fn the_index_follows_while_a_hook_after_the_commit_still_runs() {
    let desk = Desk::new().writes("file", "agent\n").hook(
        "post-commit",
        "unset GIT_INDEX_FILE
         while ! git diff --cached --quiet; do :; done
         git status --porcelain > ../seen",
    );
    made(desk.commit());
    assert_eq!(fs_err::read_to_string(desk.bench.path("seen")).unwrap(), "");
}

#[test]
fn what_a_hook_adds_to_the_commit_reaches_the_index_too() {
    let desk = Desk::new().writes("file", "agent\n").hook(
        "pre-commit",
        "echo formatted > file; echo generated > listing; git add file listing",
    );
    assert_eq!(made(desk.commit()), NONE);
    assert_eq!(desk.git(&["show", "HEAD:file"]), "formatted");
    assert_eq!(desk.git(&["show", "HEAD:listing"]), "generated");
    assert_eq!(desk.status(), "");
}

#[test]
fn what_the_person_stages_while_a_hook_runs_is_theirs() {
    let desk = Desk::new().writes("file", "agent\n").hook(
        "pre-commit",
        "echo person > other; GIT_INDEX_FILE=\"$REAL\" git add other",
    );
    assert_eq!(made(desk.commit()), NONE);
    assert_eq!(desk.status(), "M  other");
    let desk = Desk::new().writes("file", "agent\n").hook(
        "pre-commit",
        "echo person > file; GIT_INDEX_FILE=\"$REAL\" git add file",
    );
    assert_eq!(made(desk.commit()), ["file"]);
    assert_eq!(desk.git(&["show", "HEAD:file"]), "agent");
    assert_eq!(desk.status(), "M  file");
}

#[test]
fn a_commit_the_index_cannot_follow_is_taken_back() {
    let desk = Desk::new()
        .writes("file", "agent\n")
        .hook("commit-msg", "echo somebody > \"$REAL.lock\"");
    assert_eq!(desk.refused(), CommitRefusal::IndexLocked);
}

#[test]
fn somebody_who_moves_head_meanwhile_is_not_overrun() {
    let desk = Desk::new().writes("file", "agent\n").hook(
        "pre-commit",
        "git update-ref HEAD $(git commit-tree -p HEAD -m theirs HEAD^{tree})",
    );
    let refused = desk.commit();
    assert!(
        matches!(refused, Err(NotMade::Refused(CommitRefusal::Moved))),
        "{refused:?}"
    );
    assert_eq!(desk.git(&["log", "-1", "--format=%s"]), "theirs");
    assert_eq!(desk.status(), " M file");
}

#[test]
fn a_crash_between_the_commit_and_the_index_is_made_good_by_whoever_comes_next() {
    let desk = Desk::new().writes("file", "agent\n");
    desk.bench.write("repo/other", "staged by the person\n");
    desk.git(&["add", "other"]);
    let old = desk.git(&["rev-parse", "HEAD"]);
    let index = fs_err::read(desk.bench.path("repo/.git/index")).unwrap();
    made(desk.commit());
    // As it was when the process died.
    fs_err::write(desk.bench.path("repo/.git/index"), index).unwrap();
    desk.bench
        .write("repo/.git/toprope/commit-note", format!("{old}\n7be1c09d42aa\n"));
    desk.bench.write("repo/.git/toprope/index-lock", "");
    fs_err::hard_link(
        desk.bench.path("repo/.git/toprope/index-lock"),
        desk.bench.path("repo/.git/index.lock"),
    )
    .unwrap();
    let place = crate::place::find(&desk.bench.path("repo"));
    assert!(recover(&place, &desk.bench.environment()).unwrap());
    assert_eq!(desk.status(), "M  other");
    desk.is_tidy();
    assert!(!recover(&place, &desk.bench.environment()).unwrap());
}

#[test]
fn it_is_signed_only_if_asked_and_never_pushed() {
    let desk = Desk::new().writes("file", "agent\n");
    desk.git(&["config", "commit.gpgSign", "true"]);
    desk.git(&["config", "gpg.program", "/bin/false"]);
    made(desk.commit());
}

#[test]
fn a_linked_worktree_commits_on_its_own_branch() {
    let desk = Desk::new().writes("file", "agent\n");
    desk.git(&["worktree", "add", "-q", "../linked"]);
    made(desk.commit_in("linked"));
    assert_eq!(desk.bench.git("linked", &["show", "HEAD:file"]), "agent");
    assert_eq!(
        desk.bench.git("linked", &["status", "--porcelain"]),
        " M file",
        "its file is as it was"
    );
    assert_eq!(desk.git(&["show", "HEAD:file"]), "one");
}

#[test]
fn content_that_is_not_what_its_id_says_is_not_committed() {
    let desk = Desk::new().writes("file", "agent\n");
    for content in desk.contents.borrow_mut().values_mut() {
        content.push(b'!');
    }
    let before = desk.picture();
    assert!(matches!(desk.commit(), Err(NotMade::Damaged(_))));
    assert_eq!(desk.picture(), before);
}

#[test]
fn names_with_line_ends_and_other_bytes_are_committed() {
    let desk = Desk::new().writes("a\nb \"c\"", "agent\n");
    made(desk.commit());
    assert_eq!(desk.status(), "");
}
