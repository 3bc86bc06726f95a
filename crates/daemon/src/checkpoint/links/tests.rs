mod together;

use super::*;
use crate::judge::Judge;
use engine::id::{ActorId, ActorKey, AgentKind, CheckpointId, ClientSessionId};
use engine::policy::ORDER;
use git::shadow::ShadowSite;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use store::table::checkpoint_files::{ChangeOrigin, CheckpointFileChange, NewFile, pending_of};
use store::table::checkpoints::{self, CheckpointKind, CheckpointSource, NewCheckpoint, Trigger};
use store::table::projects::{self, ProjectKind, ProjectPlace};
use store::table::{actors, worktrees};
use store::{FileState, Store, TreePart as Shelf};

/// A repository, a store that knows it, and agents that leave checkpoints.
struct World {
    folder: PathBuf,
    _temporary: tempfile::TempDir,
    writer: GroupCommit,
    project: ProjectId,
    worktree: WorktreeId,
    shadow: Shadow,
    place: Place,
    states: RefCell<BTreeMap<String, Option<FileState>>>,
    cuts: Cell<u8>,
}

const BUDGET: Duration = Duration::from_mins(5);

impl World {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let folder = fs_err::canonicalize(temporary.path()).unwrap();
        fs_err::create_dir(folder.join("repo")).unwrap();
        run(&folder, "repo", "git init -q -b main");
        fs_err::write(folder.join("repo/base"), "base\n").unwrap();
        run(&folder, "repo", "git add -A && git commit -qm first");
        let place = git::place::find(&folder.join("repo"));
        let mut store = Store::open(&folder.join("db"), Duration::from_secs(5)).unwrap();
        let (project, worktree) = store
            .begin()
            .unwrap()
            .only(|db| {
                let place = ProjectPlace {
                    key: place.project.key.clone(),
                    root: place.project.root.clone(),
                    kind: ProjectKind::Git,
                };
                let project = projects::ensure(db, &place, Timestamp(1))?;
                let worktree = worktrees::ensure(db, project, &folder.join("repo"), Timestamp(1))?;
                Ok((project, worktree))
            })
            .unwrap();
        let site = ShadowSite::of(&place, &folder.join("outside")).unwrap();
        let world = Self {
            shadow: Shadow::make(&site).unwrap(),
            folder,
            _temporary: temporary,
            writer: GroupCommit::new(store, Judge::new(ORDER)),
            project,
            worktree,
            place,
            states: RefCell::default(),
            cuts: Cell::new(0),
        };
        // From here on HEAD is followed.
        assert_eq!(world.link(), Linked::default());
        world
    }

    /// What a person types, in a shell.
    fn sh(&self, script: &str) -> String {
        run(&self.folder, "repo", script)
    }

    fn session(&self, name: &str) -> ActorId {
        let key = ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new(name),
            agent: None,
        };
        let sighting = actors::Sighting {
            key: &key,
            agent_type: None,
            project: Some(self.project),
            worktree: Some(self.worktree),
            cwd: None,
            at: Timestamp(2),
            boot: None,
        };
        self.write(|db| actors::ensure(db, &sighting)).id
    }

    fn write<T>(&self, work: impl FnOnce(&Db) -> Result<T, StoreError>) -> T {
        self.writer.store().begin().unwrap().only(work).unwrap()
    }

    /// An agent changes files, `path=content` or `path=-`, and a checkpoint is cut. Its id is the number of the cut.
    fn works(&self, session: &str, changes: &[&str]) {
        let mut files = Vec::new();
        for change in changes {
            let (path, content) = change.split_once('=').unwrap();
            let file = self.folder.join("repo").join(path);
            let after = if content == "-" {
                fs_err::remove_file(&file).unwrap();
                None
            } else {
                fs_err::create_dir_all(file.parent().unwrap()).unwrap();
                fs_err::write(&file, format!("{content}\n")).unwrap();
                Some(FileState {
                    mode: "100644".to_owned(),
                    id: self.sh(&format!("git hash-object -w {path}")),
                    raw: None,
                })
            };
            let before = self
                .states
                .borrow_mut()
                .insert(path.to_owned(), after.clone())
                .flatten();
            files.push(NewFile {
                path: path.as_bytes().to_vec(),
                place: Shelf::Files,
                change: CheckpointFileChange::between(before.as_ref(), after.as_ref())
                    .unwrap_or(CheckpointFileChange::Modified),
                before,
                after,
                session: Some(self.session(session)),
                actor: Some(self.session(session)),
                origin: ChangeOrigin::Tool,
                tool_use_id: None,
                skip_reason: None,
                doubt: None,
            });
        }
        self.cut(session, CheckpointKind::Step, &files);
    }

    fn cut(&self, session: &str, kind: CheckpointKind, files: &[NewFile]) {
        self.cuts.set(self.cuts.get() + 1);
        let number = self.cuts.get();
        // With the time of the index: by it git knows which files may have been written again in the same moment.
        let tree = "cp -p .git/index .git/copy && GIT_INDEX_FILE=.git/copy git add -A \
                    && GIT_INDEX_FILE=.git/copy git write-tree";
        let head = self.sh("git rev-parse HEAD");
        let session = self.session(session);
        let new = NewCheckpoint {
            id: CheckpointId::from_random([0, 0, 0, 0, 0, number]),
            trigger: Trigger {
                worktree: self.worktree,
                session: Some(session),
                actor: Some(session),
                kind,
                key: number.to_string(),
            },
            run: None,
            turn: Some(1),
            label: "label".to_owned(),
            summary: None,
            tool_use_id: None,
            commit: format!("commit-{number}"),
            files_tree: self.sh(tree),
            base_commit: head.clone(),
            head: Some(head),
            branch: Some("main".to_owned()),
            transcript_end: None,
            degraded: Vec::new(),
            source: CheckpointSource::Local,
            foreign_id: None,
            partner: None,
            undoes: None,
            created_at: Timestamp(3),
            counts: None,
            is_late: false,
        };
        self.write(|db| checkpoints::insert(db, &new, files));
    }

    fn link(&self) -> Linked {
        let environment = environment(&self.folder);
        let linker = Linker {
            place: &self.place,
            environment: &environment,
            worktree: self.worktree,
            shadow: Some(&self.shadow),
            budget: BUDGET,
            at: Timestamp(4),
        };
        link(&self.writer, &linker).unwrap()
    }

    /// Links, then says of the newest commits, newest first, `subject: how checkpoint matched/total`.
    fn links(&self, of: &str) -> String {
        self.link();
        let commits = self.sh(&format!("git rev-list --first-parent -n 9 {of}"));
        let said = commits.lines().filter_map(|commit| self.said(commit));
        said.collect::<Vec<_>>().join("; ")
    }

    fn said(&self, commit: &str) -> Option<String> {
        let subject = self.sh(&format!("git log -1 --format=%s {commit}"));
        let seat = self.writer.store();
        let links = commit_links::of_commit(&seat.read(), self.project, commit).unwrap();
        let mut said: Vec<String> = links
            .iter()
            .map(|link| {
                let number = u64::from_str_radix(link.checkpoint.as_str(), 16).unwrap();
                let gone = if link.superseded_by.is_some() {
                    " superseded"
                } else {
                    ""
                };
                let (matched, total) = (link.paths_matched, link.paths_total);
                format!(
                    "{subject}: {} {number} {matched}/{total}{gone}",
                    link.how.as_str()
                )
            })
            .collect();
        said.sort();
        (!said.is_empty()).then(|| said.join(", "))
    }

    fn pending(&self, session: &str) -> Vec<String> {
        let session = self.session(session);
        let seat = self.writer.store();
        let rows = pending_of(&seat.read(), self.worktree, session).unwrap();
        let mut paths: Vec<String> = rows
            .iter()
            .map(|row| String::from_utf8_lossy(&row.file.path).into_owned())
            .collect();
        paths.dedup();
        paths
    }
}

fn environment(folder: &std::path::Path) -> GitEnvironment {
    GitEnvironment {
        path: testkit::path().into(),
        home: Some(folder.into()),
    }
}

fn run(folder: &std::path::Path, inside: &str, script: &str) -> String {
    let output = Command::new("/bin/sh")
        .args(["-ec", script])
        .current_dir(folder.join(inside))
        .env_clear()
        .env("PATH", testkit::path())
        .env("HOME", folder)
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([
            ("GIT_COMMITTER_NAME", "C"),
            ("GIT_COMMITTER_EMAIL", "c@example.org"),
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{script}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end_matches('\n')
        .to_owned()
}

const NOTHING: [String; 0] = [];

/// Two commits of the agent's work on a branch `feature`, linked.
fn on_a_branch() -> World {
    let world = World::new();
    world.sh("git checkout -q -b feature");
    world.works("s", &["a=1"]);
    world.sh("git add -A && git commit -qm A");
    world.works("s", &["b=1"]);
    world.sh("git add -A && git commit -qm B");
    world.link();
    world
}

/// `main` goes on meanwhile.
fn main_goes_on(world: &World, path: &str) {
    world.sh(&format!(
        "git checkout -q main && echo other > {path} && git add -A && git commit -qm upstream && git checkout -q feature"
    ));
}

#[test]
fn everything_at_once_is_the_checkpoints_tree() {
    let world = World::new();
    world.works("s", &["a=1", "b=1"]);
    world.works("s", &["c=1"]);
    world.sh("git add -A && git commit -qm all");
    assert_eq!(world.links("HEAD"), "all: tree 2 3/3");
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn work_that_is_split_over_commits_is_found_in_each() {
    let world = World::new();
    world.works("s", &["a=1", "b=1", "c=1", "d=1"]);
    world.sh("git add a b && git commit -qm first-half");
    assert_eq!(world.links("HEAD"), "first-half: paths 1 2/2");
    assert_eq!(world.pending("s"), ["c", "d"]);
    world.sh("git add c d && git commit -qm second-half");
    assert_eq!(
        world.links("HEAD"),
        "second-half: tree 1 2/2; first-half: paths 1 2/2"
    );
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn a_file_that_is_staged_by_halves_links_twice() {
    let world = World::new();
    world.works("s", &["a=one\ntwo"]);
    // What `add -p` leaves in the index.
    let half = "git update-index --add --cacheinfo 100644,$(echo one | git hash-object -w --stdin),a";
    world.sh(&format!("{half} && git commit -qm half"));
    assert_eq!(world.links("HEAD"), "half: paths 1 1/1");
    assert_eq!(world.pending("s"), ["a"]);
    world.sh("git commit -qam rest");
    assert_eq!(world.links("HEAD"), "rest: tree 1 1/1; half: paths 1 1/1");
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn unrelated_commits_and_files_made_anew_are_nobodys() {
    let world = World::new();
    world.works("s", &["a=1"]);
    world.sh("echo x > unrelated && git add unrelated && git commit -qm unrelated");
    assert_eq!(world.links("HEAD"), "");
    world.works("s", &["base=-"]);
    world.sh("echo anew > base && git commit -qm anew base");
    assert_eq!(world.links("HEAD"), "");
    assert_eq!(world.pending("s"), ["a", "base"]);
}

#[test]
fn three_commits_in_one_turn_are_found_at_once() {
    let world = World::new();
    world.works("s", &["a=1"]);
    world.sh("git add -A && git commit -qm one");
    world.works("s", &["b=1"]);
    world.sh("git add -A && git commit -qm two");
    world.works("s", &["a=2"]);
    world.sh("git add -A && git commit -qm three");
    assert_eq!(
        world.links("HEAD"),
        "three: tree 3 1/1; two: tree 2 1/1; one: tree 1 1/1"
    );
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn a_commit_of_two_sessions_links_both() {
    let world = World::new();
    world.works("s", &["a=1"]);
    world.works("other", &["b=1"]);
    world.sh("git add -A && git commit -qm both");
    assert_eq!(world.links("HEAD"), "both: paths 1 1/2, both: tree 2 1/2");
    assert_eq!(world.pending("other"), NOTHING);
}

#[test]
fn amending_and_rewording_hand_the_link_over() {
    let world = World::new();
    world.works("s", &["a=1"]);
    world.sh("git add -A && git commit -qm one");
    let first = world.sh("git rev-parse HEAD");
    assert_eq!(world.links("HEAD"), "one: tree 1 1/1");
    world.works("s", &["b=1"]);
    world.sh("git add -A && git commit -q --amend -m grown");
    assert_eq!(world.links("HEAD"), "grown: rewrite 2 2/2");
    assert_eq!(world.said(&first).unwrap(), "one: tree 1 1/1 superseded");
    world.sh("git commit -q --amend -m reworded");
    assert_eq!(world.links("HEAD"), "reworded: rewrite 2 2/2");
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn rewording_a_commit_of_the_persons_own_links_nothing() {
    let world = World::new();
    world.cut("s", CheckpointKind::Baseline, &[]);
    world.works("s", &["a=1"]);
    world.works("s", &["a=-"]);
    world.sh("git commit -q --amend -m reworded");
    assert_eq!(world.links("HEAD"), "");
}

#[test]
fn a_rebase_hands_links_over_though_the_bytes_are_others() {
    let world = on_a_branch();
    let old = world.sh("git rev-parse HEAD");
    main_goes_on(&world, "elsewhere");
    world.sh("git rebase -q main");
    assert_eq!(world.links("HEAD"), "B: rewrite 2 1/1; A: rewrite 1 1/1");
    assert_eq!(world.said(&old).unwrap(), "B: tree 2 1/1 superseded");
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn a_rebase_with_a_conflict_waits_and_is_finished_when_it_ends() {
    let world = on_a_branch();
    main_goes_on(&world, "b");
    world.sh("git rebase main >/dev/null 2>&1 || true");
    assert!(world.link().is_waiting);
    assert_eq!(world.links("HEAD"), "A: patch 1 1/1");
    world.sh("echo settled > b && git add b && GIT_EDITOR=: git rebase --continue");
    assert_eq!(world.links("HEAD"), "B: rewrite 2 1/1; A: rewrite 1 1/1");
    assert!(!world.link().is_waiting);
}

#[test]
fn a_rebase_that_is_given_up_changes_nothing() {
    let world = on_a_branch();
    main_goes_on(&world, "b");
    let before = world.links("feature");
    world.sh("git rebase main >/dev/null 2>&1 || git rebase --abort");
    assert_eq!(world.links("HEAD"), before);
}

#[test]
fn a_cherry_pick_copies_the_link() {
    let world = on_a_branch();
    main_goes_on(&world, "elsewhere");
    world.sh("git checkout -q main && git cherry-pick feature~1 >/dev/null");
    assert_eq!(world.links("HEAD"), "A: patch 1 1/1");
    assert_eq!(world.links("feature"), "B: tree 2 1/1; A: tree 1 1/1");
}

#[test]
fn a_squash_made_here_takes_over_all_it_replaced() {
    for script in [
        "git reset -q --soft HEAD~2 && git commit -qm squashed",
        "GIT_SEQUENCE_EDITOR=\"sed -i -e '2s/pick/fixup/'\" git rebase -q -i HEAD~2 \
         && git commit -q --amend -m squashed",
    ] {
        let world = on_a_branch();
        let old = world.sh("git rev-list -n 2 HEAD");
        world.sh(script);
        assert_eq!(world.links("HEAD"), "squashed: rewrite 2 2/2", "{script}");
        for commit in old.lines() {
            assert!(world.said(commit).unwrap().ends_with("superseded"), "{script}");
        }
    }
}

#[test]
fn a_commit_of_the_same_second_is_not_taken_for_one_that_was_made_again() {
    let world = on_a_branch();
    let again = "git commit -q --amend --no-edit --date=2026-01-01T00:00:02Z";
    world.sh(again);
    world.link();
    main_goes_on(&world, "elsewhere");
    world.sh(&format!(
        "git checkout -q main && {again} && git checkout -q feature"
    ));
    world.sh("GIT_SEQUENCE_EDITOR=\"sed -i -e '2s/pick/fixup/'\" git rebase -q -i main");
    assert_eq!(world.links("HEAD"), "A: rewrite 2 2/2");
}

#[test]
fn a_squash_on_another_base_is_the_union_of_what_it_replaced() {
    let world = on_a_branch();
    main_goes_on(&world, "elsewhere");
    world.sh("GIT_SEQUENCE_EDITOR=\"sed -i -e '2s/pick/fixup/'\" git rebase -q -i main");
    assert_eq!(world.links("HEAD"), "A: rewrite 2 2/2");
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn what_was_reset_and_committed_again_in_parts_is_followed() {
    let world = World::new();
    world.works("s", &["a=1", "b=1"]);
    world.sh("git add -A && git commit -qm both");
    world.link();
    world.sh("git reset -q HEAD~1");
    world.link();
    world.sh("git add a && git commit -qm one");
    world.link();
    world.sh("git add b && git commit -qm two");
    assert_eq!(world.links("HEAD"), "two: tree 1 1/1; one: rewrite 1 1/1");
}

#[test]
fn a_squash_made_by_a_server_is_found_by_its_tree() {
    let world = on_a_branch();
    run(&world.folder, ".", "git clone -q repo server");
    run(
        &world.folder,
        "server",
        "git checkout -q main && git merge -q --squash origin/feature && git commit -qm squashed",
    );
    world.sh("git checkout -q main && git pull -q ../server main");
    assert_eq!(world.links("HEAD"), "squashed: tree 2 2/2");
}

#[test]
fn work_that_lay_in_the_stash_is_found_when_it_comes_back() {
    let world = World::new();
    world.sh("seq 1 30 > long && git add -A && git commit -qm long");
    world.link();
    let lines: Vec<String> = (1..=30)
        .map(|line| {
            if line == 25 {
                "changed".to_owned()
            } else {
                line.to_string()
            }
        })
        .collect();
    world.works("s", &[&format!("long={}", lines.join("\n"))]);
    world.sh("git stash -q");
    world.sh("sed -i 1s/.*/other/ long && git commit -qam other-work");
    assert_eq!(
        world.links("HEAD"),
        "other-work: paths 1 1/1",
        "it has open work there"
    );
    assert_eq!(world.pending("s"), ["long"], "what is stashed stays open");
    world.sh("git stash pop -q && git commit -qam came-back");
    assert_eq!(
        world.links("HEAD"),
        "came-back: patch 1 1/1; other-work: paths 1 1/1"
    );
    assert_eq!(world.pending("s"), NOTHING);
}

#[test]
fn going_elsewhere_is_no_commit() {
    let world = World::new();
    world.works("s", &["a=1"]);
    world.sh("git checkout -q -b other && echo x > a && git add a && git commit -qm theirs");
    world.sh("git checkout -q main && git branch -q -f kept other");
    world.link();
    world.works("s", &["a=2"]);
    world.sh("mv a ../a; git checkout -q kept; git checkout -q main");
    world.sh("git reset -q --hard kept; git reset -q --hard HEAD~1; git pull -q . kept");
    let before = world.links("kept");
    assert_eq!(before, "theirs: paths 1 1/1", "from when it was made");
    assert_eq!(world.link(), Linked::default());
}

#[test]
fn a_reflog_that_was_expired_loses_no_commit() {
    let world = World::new();
    world.works("s", &["a=1"]);
    world.sh("git add -A && git commit -qm one && git reflog expire --expire=all --all");
    assert_eq!(world.links("HEAD"), "one: tree 1 1/1");
}
