//! What is on a line of checkpoints, by git and `SQLite` themselves.

use std::path::{Path, PathBuf};
use testkit::World;

/// The shadow of the world's repository.
pub fn shadow(world: &World) -> PathBuf {
    world.repo().join(".git/toprope/shadow.git")
}

/// What git says about a repository, with no working tree.
#[track_caller]
pub fn git_in(world: &World, repository: &Path, arguments: &[&str]) -> String {
    let output = world
        .person("git")
        .arg("--git-dir")
        .arg(repository)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// What git says in the shadow.
#[track_caller]
pub fn git(world: &World, arguments: &[&str]) -> String {
    git_in(world, &shadow(world), arguments)
}

/// The checkpoints of all worktrees, oldest first: kind, turn and label.
pub fn line(world: &World) -> Vec<String> {
    let rows =
        "SELECT kind || ' ' || COALESCE('t' || turn, '-') || ' ' || label FROM checkpoints ORDER BY seq";
    world.database().rows(rows)
}

/// The kinds of all checkpoints, oldest first.
pub fn kinds(world: &World) -> Vec<String> {
    world.database().rows("SELECT kind FROM checkpoints ORDER BY seq")
}

/// What a checkpoint changed by its own rows: change, path and origin, by path. `which` selects it.
pub fn changes(world: &World, which: &str) -> Vec<String> {
    world.database().rows(&format!(
        "SELECT change || ' ' || CAST(path AS TEXT) || ' ' || origin FROM checkpoint_files
         WHERE checkpoint_seq IN (SELECT seq FROM checkpoints WHERE {which}) ORDER BY checkpoint_seq, path"
    ))
}

/// The tree of the files of the newest checkpoint that `which` selects.
pub fn files_tree(world: &World, which: &str) -> String {
    let rows = world.database().rows(&format!(
        "SELECT files_tree FROM checkpoints WHERE {which} ORDER BY seq DESC LIMIT 1"
    ));
    rows.into_iter().next().unwrap_or_default()
}

/// The tree that `git add -A && git write-tree` gives in a worktree, made without touching its index or objects.
#[track_caller]
pub fn tree_as_git_adds(world: &World, worktree: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| {
        let mut git = world.person("git");
        git.current_dir(worktree).args(["rev-parse", "--git-path", name]);
        let found = String::from_utf8(git.output().unwrap().stdout).unwrap();
        worktree.join(found.trim_end())
    };
    let index = folder.path().join("index");
    match fs_err::copy(inside("index"), &index) {
        // As old as it was: git reads files again that are not older than the index that knows them.
        Ok(_) => {
            let written = fs_err::metadata(inside("index")).unwrap().modified().unwrap();
            let copy = fs_err::File::options().append(true).open(&index).unwrap();
            copy.set_modified(written).unwrap();
        }
        Err(_) => assert!(!inside("index").exists(), "an index that can be copied"),
    }
    let objects = folder.path().join("objects");
    fs_err::create_dir(&objects).unwrap();
    let mut tree = String::new();
    for arguments in [&["add", "-A"][..], &["write-tree"]] {
        let mut git = world.person("git");
        git.current_dir(worktree)
            .env("GIT_INDEX_FILE", &index)
            .env("GIT_OBJECT_DIRECTORY", &objects)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", inside("objects"))
            .args(arguments);
        let output = git.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        tree = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    }
    tree
}

/// Everything that must hold of a world whatever happened in it: a sound database, sound repositories, a line whose
/// commits and rows are the same checkpoints in the same order, rows that say exactly what the trees say.
#[track_caller]
pub fn assert_sound(world: &World) {
    assert_eq!(world.database().damage(), Vec::<String>::new());
    let shadow = shadow(world);
    for repository in [world.repo().join(".git"), shadow.clone()] {
        let arguments = ["fsck", "--full", "--no-dangling", "--strict"];
        assert_eq!(
            git_in(world, &repository, &arguments),
            "",
            "{}",
            repository.display()
        );
    }
    for reference in git_in(world, &shadow, &["for-each-ref", "--format=%(refname)"]).lines() {
        assert_line(world, &shadow, reference);
    }
}

/// One line: each commit that is no seal has its row, in order, and each row says what its tree changed.
#[track_caller]
fn assert_line(world: &World, shadow: &Path, reference: &str) {
    let format = "--format=%H %T %(trailers:key=Toprope-Checkpoint,valueonly,separator=%x2C) \
                  %(trailers:key=Toprope-Kind,valueonly,separator=%x2C)";
    let log = git_in(world, shadow, &["log", "--reverse", format, reference]);
    let mut on_line = Vec::new();
    let mut before: Option<String> = None;
    for commit in log.lines() {
        let parts: Vec<&str> = commit.split(' ').collect();
        let [id, tree, checkpoint, kind] = parts.as_slice() else {
            panic!("a commit without its trailers: {commit}");
        };
        if *kind == "seal" {
            let row = format!("SELECT sealed_commit FROM checkpoints WHERE id = '{checkpoint}'");
            assert_eq!(world.database().rows(&row), [*id], "a seal that its row knows");
        } else {
            on_line.push((*checkpoint).to_owned());
            assert_rows_of(world, shadow, checkpoint, before.as_deref(), tree);
            let row = format!("SELECT commit_id FROM checkpoints WHERE id = '{checkpoint}'");
            assert_eq!(world.database().rows(&row), [*id]);
        }
        before = Some((*tree).to_owned());
    }
    let ids = on_line
        .iter()
        .map(|id| format!("'{id}'"))
        .collect::<Vec<_>>()
        .join(",");
    let rows = format!("SELECT id FROM checkpoints WHERE id IN ({ids}) ORDER BY seq");
    assert_eq!(
        world.database().rows(&rows),
        on_line,
        "rows in the order of the line"
    );
}

/// The rows of a checkpoint are the difference of its tree to the one before, but for what git itself moved.
#[track_caller]
fn assert_rows_of(world: &World, shadow: &Path, checkpoint: &str, before: Option<&str>, tree: &str) {
    let Some(before) = before else { return };
    let moved = "SELECT count(DISTINCT head) FROM (SELECT head FROM checkpoints WHERE seq <=
        (SELECT seq FROM checkpoints WHERE id = '{id}') AND worktree_id =
        (SELECT worktree_id FROM checkpoints WHERE id = '{id}') ORDER BY seq DESC LIMIT 2)";
    if world.database().number(&moved.replace("{id}", checkpoint)) > 1 {
        return;
    }
    let differing = |part: &str| {
        let (old, new) = (format!("{before}:{part}"), format!("{tree}:{part}"));
        let exists = |name: &str| {
            let mut git = world.person("git");
            git.arg("--git-dir").arg(shadow).args(["cat-file", "-e", name]);
            git.output().unwrap().status.success()
        };
        let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let (old, new) = (
            if exists(&old) { old } else { empty.to_owned() },
            if exists(&new) { new } else { empty.to_owned() },
        );
        git_in(
            world,
            shadow,
            &["diff-tree", "-r", "--no-renames", "--name-only", &old, &new],
        )
    };
    let mut found: Vec<String> = ["files", "extra/ignored"]
        .iter()
        .flat_map(|part| differing(part).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    found.sort();
    let rows = world.database().rows(&format!(
        "SELECT CAST(path AS TEXT) FROM checkpoint_files WHERE change <> 'skipped' AND checkpoint_seq =
         (SELECT seq FROM checkpoints WHERE id = '{checkpoint}') AND (before_id IS NOT after_id OR before_mode IS NOT after_mode)
         ORDER BY path"
    ));
    assert_eq!(rows, found, "the rows of {checkpoint}");
}
