//! What is not kept: too large, excluded, no file at all; and what is kept apart: ignored files that an agent wrote.

use crate::oracle::{assert_sound, changes, files_tree, git, kinds, tree_as_git_adds};
use crate::world;
use serde_json::json;
use testkit::World;

fn configured(settings: &str) -> World {
    let world = world();
    world.write("../home/.config/toprope/config.toml", settings);
    world
}

/// The newest checkpoint's tree, one path per line.
fn whole(world: &World) -> String {
    let tip = git(world, &["for-each-ref", "--format=%(objectname)"]);
    git(world, &["ls-tree", "-r", "--name-only", &tip])
}

#[test]
fn a_file_of_sixty_megabytes_is_skipped_and_said_and_left() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("head -c 62914560 /dev/zero > big.bin; echo small > small.txt");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind = 'step'"),
        ["skipped big.bin shell", "added small.txt shell"]
    );
    assert_eq!(
        world
            .database()
            .rows("SELECT skip_reason FROM checkpoint_files WHERE change = 'skipped'"),
        ["60 MB, limit 50"]
    );
    assert!(!whole(&world).contains("big.bin"));
    assert_eq!(
        fs_err::metadata(world.repo().join("big.bin")).unwrap().len(),
        62_914_560
    );
    let said = world
        .database()
        .rows("SELECT text FROM notices WHERE kind = 'checkpoints.skipped'");
    assert_eq!(
        said,
        [
            "Not captured: big.bin (60 MB, limit 50). A rewind will leave it as it is. \
          Raise checkpoints.max_file_mb to include it."
        ]
    );
    // Said once, and not again while it stays as it is.
    agent.is_asked("Go on").ok();
    agent.shell("echo more > more.txt");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM checkpoint_files WHERE change = 'skipped'"),
        1
    );
    assert_sound(&world);
}

#[test]
fn a_large_file_that_an_agent_names_is_said_to_be_left_out() {
    let world = configured("[checkpoints]\nmax_file_mb = 1\n");
    world.write("data.bin", "small\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "second"]);
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("data.bin", &"x".repeat(2 * 1024 * 1024));
    agent.stops().ok();
    world.settled();
    assert_eq!(changes(&world, "kind = 'step'"), ["skipped data.bin tool"]);
    let tree = files_tree(&world, "1");
    assert_eq!(
        git(&world, &["cat-file", "-p", &format!("{tree}:data.bin")]),
        "small"
    );
}

#[test]
fn more_than_fits_one_checkpoint_is_left_out_of_it() {
    let world = configured("[checkpoints]\nmax_checkpoint_mb = 1\n");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("for n in 1 2 3; do head -c 700000 /dev/urandom > $n.bin; done");
    agent.stops().ok();
    world.settled();
    let found = changes(&world, "kind = 'step'");
    let skipped = found
        .iter()
        .filter(|change| change.starts_with("skipped"))
        .count();
    assert_eq!((found.len(), skipped), (3, 2), "{found:?}");
    assert_sound(&world);
}

#[test]
fn sockets_pipes_and_what_cannot_be_read_are_left_alone() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("mkfifo pipe; echo x > kept.txt; echo x > secret; chmod 000 secret");
    let _socket = std::os::unix::net::UnixListener::bind(world.repo().join("socket")).unwrap();
    for name in ["pipe", "socket"] {
        let call = agent.call(
            "Write",
            &json!({ "file_path": world.repo().join(name), "content": "" }),
        );
        call.begins().ok();
        call.ends(&json!({})).ok();
        call.ends_step().ok();
    }
    agent.stops().ok();
    world.settled();
    let found = changes(&world, "kind <> 'baseline'");
    assert!(found.contains(&"added kept.txt shell".to_owned()), "{found:?}");
    assert!(
        found.contains(&"skipped pipe tool".to_owned()),
        "an actor named it: {found:?}"
    );
    assert!(found.contains(&"skipped socket tool".to_owned()), "{found:?}");
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT state FROM jobs WHERE kind = 'checkpoint'"),
        ["done"]
    );
    fs_err::set_permissions(
        world.repo().join("secret"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    assert_sound(&world);
}

#[test]
fn what_the_settings_exclude_is_in_no_checkpoint() {
    let world = configured("[checkpoints]\nexclude = [\"*.secret\", \"private/**\"]\n");
    world.write("before.secret", "s\n");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("mkdir private; echo s > private/a; echo s > by-shell.secret; echo x > kept.txt");
    agent.writes("by-tool.secret", "s\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "1"),
        ["added kept.txt shell", "skipped by-tool.secret tool"]
    );
    let objects = git(&world, &["cat-file", "--batch-check", "--batch-all-objects"]);
    let blob = world.git(&["hash-object", "by-tool.secret"]);
    assert!(
        !objects.contains(blob.trim()),
        "its content is nowhere in the shadow"
    );
}

#[test]
fn an_ignored_file_that_an_agent_wrote_is_kept_beside_the_files() {
    let world = world();
    world.write(".gitignore", "*.log\nbuild/\n");
    world.write("mine.log", "mine\n");
    world.git(&["add", ".gitignore"]);
    world.git(&["commit", "-qm", "second"]);
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("agent.log", "one\n");
    agent.writes("build/deep/out.txt", "one\n");
    agent.shell("echo x > shell.log");
    world.settled();
    agent.writes("agent.log", "two\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT CAST(path AS TEXT), place, origin FROM checkpoint_files ORDER BY path"),
        ["agent.log|ignored|tool", "build/deep/out.txt|ignored|tool"]
    );
    let tree = whole(&world);
    assert!(
        tree.contains("extra/ignored/agent.log\nextra/ignored/build/deep/out.txt"),
        "{tree}"
    );
    assert!(
        !tree.contains("mine.log") && !tree.contains("shell.log"),
        "{tree}"
    );
    assert_eq!(
        files_tree(&world, "kind = 'turn'"),
        tree_as_git_adds(&world, &world.repo())
    );
    let tip = git(&world, &["for-each-ref", "--format=%(objectname)"]);
    assert_eq!(
        git(
            &world,
            &["cat-file", "-p", &format!("{tip}:extra/ignored/agent.log")]
        ),
        "two"
    );
    assert_sound(&world);
}

#[test]
fn ignored_files_are_left_out_where_the_settings_say_so() {
    let world = configured("[checkpoints]\ncapture_ignored = false\n");
    world.write(".gitignore", "*.log\n");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("agent.log", "one\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(kinds(&world), ["baseline"]);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_kept_as_it_was_read_last() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    world.settled();
    let writer = world
        .person("sh")
        .args([
            "-c",
            "while :; do head -c 3000000 /dev/urandom > moving.bin; done",
        ])
        .spawn();
    let mut writer = writer.unwrap();
    testkit::eventually("a file that moves", || {
        world.repo().join("moving.bin").exists().then_some(())
    });
    agent.shell("echo x > still.txt");
    agent.stops().ok();
    world.settled();
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert!(changes(&world, "1").contains(&"added still.txt shell".to_owned()));
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT state FROM jobs WHERE kind = 'checkpoint'"),
        ["done"]
    );
    assert_sound(&world);
}

#[test]
fn what_is_staged_for_a_rewind_is_nobodys_work() {
    let world = world();
    world.write(".toprope-stage-7be1c09d42aa/0", "half done\n");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("b.txt", "b\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(changes(&world, "1"), ["added b.txt tool"]);
    assert!(!whole(&world).contains("toprope-stage"));
}

#[test]
fn a_checkpoint_that_cannot_be_made_is_told_once_per_session() {
    let world = world();
    std::os::unix::fs::symlink("nowhere", world.repo().join(".git/toprope")).unwrap();
    let failed = || {
        let told = "SELECT text FROM notices WHERE kind = 'checkpoints.failed' ORDER BY id";
        let root = world.repo().canonicalize().unwrap();
        let told = world.database().rows(told).join("\n");
        told.replace(&*root.to_string_lossy(), "[repo]")
    };
    let agent = world.agent("s1");
    for prompt in ["Go", "Go on"] {
        agent.is_asked(prompt).ok();
        agent.writes("a.txt", prompt);
        agent.stops().ok();
        world.settled();
    }
    insta::assert_snapshot!(failed(), @"A checkpoint could not be made: failed to create folder `[repo]/.git/toprope`: File exists (os error 17). What is changed now may not be kept. See: toprope doctor");
    let other = world.agent("s2");
    other.is_asked("Go").ok();
    world.settled();
    assert_eq!(failed().lines().count(), 2);
    assert_eq!(kinds(&world), Vec::<String>::new());
}
