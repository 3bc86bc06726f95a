use super::*;
use crate::checkpoint::cutter::Cut;
use crate::checkpoint::order::{Order, ScanOrder};
use crate::checkpoint::retention::renewal::Renewal;
use crate::checkpoint::worksite::WorktreeContext;
use crate::judge::Judge;
use engine::checkpoint::CheckpointKind;
use engine::policy::ORDER;
use engine::settings::{CheckpointSettings, Profile};
use git::run::GitEnvironment;
use git::shadow::{CommitAuthor, NewCommit, ShadowLayout};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use store::Store;
use store::table::checkpoints;
use store::table::projects::{self, ProjectKind, ProjectPlace};

/// A repository with a line of checkpoints, whose files a person changed.
struct Scene {
    folder: PathBuf,
    _temporary: tempfile::TempDir,
    site: WorktreeContext,
    writer: GroupCommit,
    worktree: WorktreeId,
    settings: CheckpointSettings,
}

impl Scene {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let folder = fs_err::canonicalize(temporary.path()).unwrap();
        let repo = folder.join("repo");
        fs_err::create_dir(&repo).unwrap();
        let environment = GitEnvironment {
            path: path(),
            home: Some(folder.clone().into_os_string()),
        };
        git(&repo, &["init", "-q", "-b", "main"]);
        fs_err::write(repo.join("base"), "base\n").unwrap();
        git(&repo, &["add", "-A"]);
        git(&repo, &["commit", "-qm", "first"]);
        let place = Arc::new(git::place::find(&repo));
        let site = WorktreeContext::at(&place, &environment, &folder.join("outside")).unwrap();
        let mut store = Store::open(&folder.join("db"), Duration::from_secs(5)).unwrap();
        let worktree = store.begin().unwrap().only(|db| {
            let project = ProjectPlace {
                key: place.project.key.clone(),
                root: place.project.root.clone(),
                kind: ProjectKind::Git,
            };
            let project = projects::ensure(db, &project, Timestamp(1))?;
            worktrees::ensure(db, project, &repo, Timestamp(1))
        });
        Self {
            site: site.unwrap(),
            folder: repo,
            _temporary: temporary,
            writer: GroupCommit::new(store, Judge::new(ORDER)),
            worktree: worktree.unwrap(),
            settings: CheckpointSettings {
                keep_last: 1,
                ..CheckpointSettings::of(Profile::Standard)
            },
        }
    }

    fn cutter(&self) -> Cutter<'_> {
        Cutter {
            site: &self.site,
            writer: &self.writer,
            worktree: self.worktree,
            settings: &self.settings,
            limit: Duration::from_mins(1),
        }
    }

    /// Changes a file and cuts a checkpoint of it.
    fn cut(&self, content: &str) -> Checkpoint {
        fs_err::write(self.folder.join("file"), content).unwrap();
        let order = Order {
            label: Some(content.to_owned()),
            look: ScanOrder::Always,
            ..Order::new(CheckpointKind::Manual, content)
        };
        match self.cutter().cut(&order, &[]).unwrap() {
            Cut::New(row) => *row,
            other => panic!("{other:?}"),
        }
    }

    fn cuts(&self, contents: &[&str]) -> Vec<Checkpoint> {
        contents.iter().map(|content| self.cut(content)).collect()
    }

    fn prune(&self, dry_run: bool) -> PrunedCheckpoints {
        let everything = PruneRequest {
            session: None,
            before: Some(Timestamp(i64::MAX)),
            dry_run,
        };
        prune(&self.cutter(), &everything).unwrap()
    }

    /// The labels of the rows, and of the commits of the line; seals are marked.
    fn line(&self) -> (Vec<String>, Vec<String>) {
        let rows = checkpoints::line(&self.writer.store().read(), self.worktree).unwrap();
        for row in &rows {
            let tree = self.shadow_git(&["rev-parse", &format!("{}:files", row.commit)]);
            assert_eq!(tree, row.files_tree, "{}", row.label);
        }
        let kinds = "--format=%s%(trailers:key=Toprope-Kind,valueonly,separator=%x20)";
        let log = self.shadow_git(&["log", "--all", "--reverse", kinds]);
        let log = log
            .lines()
            .map(|line| line.replace("manual", "").replace("seal", "*"));
        self.shadow_git(&["fsck", "--full", "--strict"]);
        (rows.into_iter().map(|row| row.label).collect(), log.collect())
    }

    fn shadow_git(&self, arguments: &[&str]) -> String {
        let shadow = format!("--git-dir={}", self.site.site().shadow.display());
        git(&self.folder, &[&[shadow.as_str()][..], arguments].concat())
    }

    fn held(&self) -> Vec<String> {
        let held = git(
            &self.folder,
            &["for-each-ref", "--format=%(objectname)", "refs/toprope/keep"],
        );
        held.lines().map(str::to_owned).collect()
    }

    /// Adds the seal of a checkpoint at the end of the line.
    fn seal(&self, row: &Checkpoint) {
        let shadow = self.site.shadow().unwrap().unwrap();
        let tip = shadow.tip(&self.site.line).unwrap().unwrap();
        let layout = shadow.read_layout(shadow.tree_of(tip).unwrap()).unwrap();
        let commit = shadow.commit(&NewCommit {
            tree: shadow
                .write_layout(&ShadowLayout {
                    session: Some(shadow.tree_of(row.commit.parse().unwrap()).unwrap()),
                    ..layout
                })
                .unwrap(),
            parent: Some(tip),
            message: format!(
                "{}\n\nToprope-Checkpoint: {}\nToprope-Kind: seal\n",
                row.label, row.id
            )
            .as_bytes(),
            author: &CommitAuthor::toprope(),
            at_ms: 0,
        });
        let commit = commit.unwrap();
        shadow.advance(&self.site.line, Some(tip), commit).unwrap();
        let sealed = commit.to_string();
        let mut seat = self.writer.store();
        let tx = seat.begin().unwrap();
        tx.only(|db| checkpoints::set_sealed(db, &row.id, &sealed))
            .unwrap();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests find git where the machine has it"
)]
fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

fn git(folder: &std::path::Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .env_clear()
        .env("PATH", path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.invalid"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn same(labels: &[&str]) -> (Vec<String>, Vec<String>) {
    let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    (labels.clone(), labels)
}

#[test]
fn what_is_dropped_is_told_and_what_would_be_is_left() {
    let scene = Scene::new();
    scene.cuts(&["one", "two", "three"]);
    let would = scene.prune(true);
    let labels: Vec<&str> = would.dropped.iter().map(|row| &*row.label).collect();
    assert_eq!(labels, ["one", "two"]);
    assert_eq!(scene.line(), same(&["one", "two", "three"]));
    assert_eq!(scene.prune(false).dropped, would.dropped);
    assert_eq!(scene.line(), same(&["three"]));
    scene.cut("four");
    assert_eq!(scene.line(), same(&["three", "four"]), "the line goes on");
}

#[test]
fn a_pinned_checkpoint_in_the_middle_keeps_its_id_and_its_files() {
    let scene = Scene::new();
    let rows = scene.cuts(&["one", "two", "three", "four"]);
    let mut seat = scene.writer.store();
    let tx = seat.begin().unwrap();
    tx.only(|db| checkpoints::set_pinned(db, &rows[1].id, true))
        .unwrap();
    drop(seat);
    scene.prune(false);
    assert_eq!(scene.line(), same(&["two", "four"]));
    let two = checkpoints::by_id(&scene.writer.store().read(), &rows[1].id)
        .unwrap()
        .unwrap();
    assert_ne!(two.commit, rows[1].commit, "its parent is gone");
    assert_eq!(two.files_tree, rows[1].files_tree);
}

#[test]
fn rows_that_name_the_new_line_lead_the_ref_there() {
    let scene = Scene::new();
    let rows = scene.cuts(&["one", "two", "three"]);
    let cutter = scene.cutter();
    {
        let shadow = scene.site.shadow().unwrap().unwrap();
        let tip = shadow.tip(&scene.site.line).unwrap().unwrap();
        let going = line::droppable(&cutter, &[rows[1].id.clone()]).unwrap();
        let renewal = Renewal::write(&shadow, tip, &going.iter().collect()).unwrap();
        // Killed here nothing has happened, as the next cut shows.
        assert_eq!(scene.line(), same(&["one", "two", "three"]));
        assert!(line::record(&cutter, &going, Some(&renewal)).unwrap());
        // Killed here the ref is still where it was.
        assert_eq!(shadow.tip(&scene.site.line).unwrap(), Some(tip));
    }
    scene.cut("four");
    assert_eq!(scene.line(), same(&["one", "three", "four"]));
}

#[test]
fn a_ref_that_was_faster_than_the_database_is_believed() {
    let scene = Scene::new();
    let rows = scene.cuts(&["one", "two", "three"]);
    {
        let shadow = scene.site.shadow().unwrap().unwrap();
        let tip = shadow.tip(&scene.site.line).unwrap().unwrap();
        let going = BTreeSet::from([&rows[1].id]);
        let renewal = Renewal::write(&shadow, tip, &going).unwrap();
        shadow.advance(&scene.site.line, Some(tip), renewal.tip).unwrap();
        let old = &rows[2].commit;
        let at = scene
            .site
            .site()
            .shadow
            .join("objects")
            .join(&old[..2])
            .join(&old[2..]);
        fs_err::remove_file(at).unwrap();
    }
    scene.cut("four");
    let rows = checkpoints::line(&scene.writer.store().read(), scene.worktree).unwrap();
    let on_line = scene.shadow_git(&["rev-list", "--all"]);
    for row in rows.iter().filter(|row| row.label != "two") {
        assert!(on_line.contains(&row.commit), "{}", row.label);
    }
    assert_eq!(rows.len(), 4, "what nobody has any more is not forgotten");
}

#[test]
fn a_seal_goes_with_its_checkpoint_and_else_has_the_files_before_it() {
    let scene = Scene::new();
    let rows = scene.cuts(&["one", "two"]);
    scene.seal(&rows[0]);
    let three = scene.cut("three");
    scene.seal(&rows[1]);
    scene.cut("four");
    assert_eq!(scene.line().1, ["one", "two", "one*", "three", "two*", "four"]);
    let cutter = scene.cutter();
    let shadow = scene.site.shadow().unwrap().unwrap();
    let gone = line::thin(
        &cutter,
        &shadow,
        &scene.site.line,
        &[rows[0].id.clone(), three.id],
    )
    .unwrap();
    assert_eq!(gone.gone.len(), 2);
    assert_eq!(scene.line().1, ["two", "two*", "four"]);
    let two = checkpoints::by_id(&scene.writer.store().read(), &rows[1].id)
        .unwrap()
        .unwrap();
    let files = scene.shadow_git(&["rev-parse", &format!("{}:files", two.sealed_commit.unwrap())]);
    assert_eq!(files, two.files_tree);
}

#[test]
fn a_killed_process_may_leave_a_dropped_seal_at_the_end() {
    let scene = Scene::new();
    let rows = scene.cuts(&["one", "two", "three"]);
    scene.seal(&rows[0]);
    let cutter = scene.cutter();
    {
        let shadow = scene.site.shadow().unwrap().unwrap();
        let tip = shadow.tip(&scene.site.line).unwrap().unwrap();
        let going = [rows[0].id.clone()];
        let renewal = Renewal::write(&shadow, tip, &going.iter().collect()).unwrap();
        assert!(line::record(&cutter, &going, Some(&renewal)).unwrap());
    }
    scene.cut("four");
    assert_eq!(scene.line(), same(&["two", "three", "four"]));
}

#[test]
fn commits_are_held_as_long_as_a_checkpoint_is_made_on_them() {
    let scene = Scene::new();
    scene.cut("one");
    let first = git(&scene.folder, &["rev-parse", "HEAD"]);
    git(&scene.folder, &["commit", "-qam", "second", "--allow-empty"]);
    scene.cut("two");
    let second = git(&scene.folder, &["rev-parse", "HEAD"]);
    let mut both = vec![first, second.clone()];
    both.sort();
    assert_eq!(scene.held(), both);
    scene.prune(false);
    assert_eq!(scene.held(), [second]);
}

#[test]
fn a_line_whose_worktree_is_gone_is_thinned_all_the_same() {
    let scene = Scene::new();
    git(&scene.folder, &["worktree", "add", "-q", "../linked"]);
    let place = Arc::new(git::place::find(&scene.folder.join("../linked")));
    let other = WorktreeContext::at(&place, scene.site.environment(), &scene.folder)
        .unwrap()
        .unwrap();
    let mut seat = scene.writer.store();
    let project = worktrees::by_id(&seat.read(), scene.worktree)
        .unwrap()
        .unwrap()
        .project;
    let tx = seat.begin().unwrap();
    let worktree = tx
        .only(|db| worktrees::ensure(db, project, &other.worktree.root, Timestamp(1)))
        .unwrap();
    drop(seat);
    scene.cuts(&["one", "two"]);
    let linked = Scene {
        folder: other.worktree.root.clone(),
        _temporary: tempfile::tempdir().unwrap(),
        site: other,
        worktree,
        settings: scene.settings.clone(),
        writer: scene.writer,
    };
    linked.cuts(&["there one", "there two"]);
    let scene = Scene {
        writer: linked.writer,
        ..scene
    };
    git(&scene.folder, &["worktree", "remove", "--force", "../linked"]);
    let dropped = scene.prune(false).dropped;
    let labels: Vec<&str> = dropped.iter().map(|row| &*row.label).collect();
    assert_eq!(labels, ["one", "there one"]);
    let lines = scene.shadow_git(&[
        "for-each-ref",
        "--format=%(contents:subject)",
        "refs/toprope/shadow",
    ]);
    assert_eq!(
        lines.lines().collect::<BTreeSet<_>>(),
        BTreeSet::from(["two", "there two"])
    );
    assert_eq!(scene.shadow_git(&["rev-list", "--all", "--count"]), "2");
}
