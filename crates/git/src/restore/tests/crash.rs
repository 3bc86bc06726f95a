//! Killed at every step: a child process does the work and kills itself at the n-th.

use std::cell::Cell;
use std::process::{Command, ExitStatus};

use rustix::process::{Signal, getpid, kill_process};

use super::*;

const CHILD: &str = "restore::tests::crash::child";
const ROOT: &str = "TOPROPE_TEST_ROOT";
const TASK: &str = "TOPROPE_TEST_TASK";
const STEP: &str = "TOPROPE_TEST_STEP";

#[expect(clippy::disallowed_methods, reason = "how a test speaks to its own child")]
fn told(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Not a test of its own: what the other tests run in a process they can lose.
#[test]
fn child() {
    let Some(root) = told(ROOT) else { return };
    let desk = Desk::at(Path::new(&root));
    let last: usize = told(STEP).unwrap().parse().unwrap();
    let steps = Cell::new(0);
    let observe = |_: &'static str| {
        steps.set(steps.get() + 1);
        if steps.get() == last {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
    };
    match told(TASK).unwrap().as_str() {
        "apply" => {
            desk.apply_watched(everything_changed(&desk), &observe).unwrap();
        }
        "fail" => {
            // The last one is not what it was: everything is taken back.
            let error = desk
                .apply_watched(everything_changed(&desk), &observe)
                .unwrap_err();
            assert!(matches!(error, RestoreError::RolledBack { .. }), "{error:?}");
        }
        "refuse" => {
            let error = desk
                .apply_watched(everything_changed(&desk), &observe)
                .unwrap_err();
            assert!(matches!(error, RestoreError::RolledBack { .. }), "{error:?}");
        }
        "large" => {
            let large = "x".repeat(1 << 20);
            let changes = vec![desk.edit("a", "now\n", "then\n"), desk.edit("b", "now\n", &large)];
            let error = desk.apply(changes).unwrap_err();
            assert!(matches!(error, RestoreError::NotStaged { .. }), "{error:?}");
        }
        _ => {
            for recovered in recover(&desk.shadow, &desk.ground(), &observe).unwrap() {
                recovered.close(&observe).unwrap();
            }
        }
    }
}

/// The program that runs, even if a new one was built in its place meanwhile.
fn this_program() -> PathBuf {
    let running = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    if running.exists() {
        running
    } else {
        std::env::current_exe().unwrap()
    }
}

fn child_command(desk: &Desk, task: &str, step: usize) -> Command {
    let mut command = Command::new(this_program());
    command
        .args([CHILD, "--exact", "--nocapture", "-q"])
        .env(ROOT, &desk.root)
        .env(TASK, task)
        .env(STEP, step.to_string())
        .stdout(std::process::Stdio::null());
    command
}

/// Whether the child lived through all its steps; it must have been killed otherwise.
fn lived(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    assert!(status.success() || status.signal() == Some(9), "{status}");
    status.success()
}

fn before() -> BTreeMap<Vec<u8>, Thing> {
    let desk = Desk::new();
    lay_out(&desk, true);
    desk.tree()
}

#[test]
fn killed_at_any_step_it_is_finished_or_dropped_and_never_mixed() {
    let (before, after) = (before(), expected());
    let mut finished = 0;
    let mut dropped = 0;
    for step in 1.. {
        let desk = Desk::new();
        lay_out(&desk, true);
        if lived(child_command(&desk, "apply", step).status().unwrap()) {
            break;
        }
        let outcomes = desk.recover();
        match outcomes.as_slice() {
            [RecoveryOutcome::Finished { done, total }] => {
                assert!(done <= total && *total == everything().len());
                assert_eq!(desk.tree(), after, "step {step}");
                finished += 1;
            }
            [RecoveryOutcome::Dropped { .. }] => {
                assert_eq!(desk.tree(), before, "step {step}");
                dropped += 1;
            }
            // Killed after the journal was closed.
            [] => assert_eq!(desk.tree(), after, "step {step}"),
            other => panic!("step {step}: {other:?}"),
        }
        assert!(desk.is_tidy(), "step {step}");
        assert_eq!(desk.recover(), [], "a second time there is nothing to do");
    }
    assert!(
        finished > 20 && dropped > 5,
        "{finished} finished, {dropped} dropped"
    );
}

#[test]
fn killed_again_while_it_recovers_it_is_still_settled_in_the_end() {
    let after = expected();
    // In the middle of the changes: everything is staged and marked, some are made.
    for first in [16, 30] {
        for step in 1.. {
            let desk = Desk::new();
            lay_out(&desk, true);
            assert!(!lived(child_command(&desk, "apply", first).status().unwrap()));
            let has_lived = lived(child_command(&desk, "recover", step).status().unwrap());
            let outcomes = desk.recover();
            assert!(
                matches!(outcomes.as_slice(), [RecoveryOutcome::Finished { .. }] | []),
                "step {step} after {first}: {outcomes:?}"
            );
            assert_eq!(desk.tree(), after, "step {step} after {first}");
            assert!(desk.is_tidy());
            if has_lived {
                break;
            }
        }
    }
}

#[test]
fn killed_while_it_takes_back_what_failed_each_file_is_one_or_the_other_and_the_persons_is_theirs() {
    let mine = file("typed by a person\n");
    let (mut before, after) = (before(), expected());
    before.insert(b"was-file".to_vec(), mine.clone().unwrap());
    for step in 1.. {
        let desk = Desk::new();
        lay_out(&desk, true);
        desk.put(b"was-file", mine.as_ref());
        if lived(child_command(&desk, "fail", step).status().unwrap()) {
            assert_eq!(desk.tree(), before);
            break;
        }
        let outcomes = desk.recover();
        let left = match outcomes.as_slice() {
            [RecoveryOutcome::Dropped { .. }] | [] => None,
            [RecoveryOutcome::Partly { left, .. }] => Some(left),
            other => panic!("step {step}: {other:?}"),
        };
        let found = desk.tree();
        assert_eq!(found.get(&b"was-file"[..]), mine.as_ref(), "step {step}");
        for change in everything() {
            let name = change.0;
            let is_left = left.is_none_or(|left| left.iter().any(|path| path.as_bytes() == name));
            let wanted = if is_left { &before } else { &after };
            // A folder comes and goes with what is in it.
            let at = |tree: &BTreeMap<Vec<u8>, Thing>| {
                tree.get(name).filter(|thing| **thing != Thing::Folder).cloned()
            };
            assert_eq!(at(&found), at(wanted), "step {step}: {name:?}");
        }
        assert!(desk.is_tidy(), "step {step}");
    }
}

#[test]
fn a_disk_without_room_for_the_new_contents_changes_nothing() {
    let desk = Desk::new();
    desk.write("a", "now\n");
    desk.write("b", "now\n");
    // Stored before the limit holds.
    desk.state(file(&"x".repeat(1 << 20)).as_ref());
    let before = desk.tree();
    let child = child_command(&desk, "large", usize::MAX);
    // A limit to the size of a file stands for the full disk: the write of the second content fails half-way.
    let mut limited = Command::new("/bin/sh");
    limited
        .args(["-c", r#"trap "" XFSZ; ulimit -f 200; exec "$@""#, "sh"])
        .arg(child.get_program())
        .args(child.get_args())
        .envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(desk.tree(), before);
    assert!(desk.is_tidy());
}

#[test]
fn a_folder_that_must_not_be_written_takes_everything_back() {
    let desk = Desk::new();
    lay_out(&desk, true);
    let before = desk.tree();
    fs::set_permissions(desk.path(b"caf\xe9"), PermissionsExt::from_mode(0o555)).unwrap();
    let mut child = child_command(&desk, "fail", usize::MAX);
    if rustix::process::geteuid().is_root() {
        child = as_nobody(&child);
        let home = desk.root.parent().unwrap();
        let owned = Command::new("chown")
            .args(["-R", "65534:65534"])
            .arg(home)
            .status();
        assert!(owned.unwrap().success());
    }
    match child.output() {
        Ok(output) if output.status.success() => {
            assert_eq!(desk.tree(), before);
            assert!(desk.is_tidy());
        }
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => eprintln!("SKIP a read-only folder: the test cannot run as somebody else: {error}"),
    }
    fs::set_permissions(desk.path(b"caf\xe9"), PermissionsExt::from_mode(0o755)).unwrap();
}

/// Permissions do not bind root, so the child is somebody else, who may not look at our process either.
fn as_nobody(child: &Command) -> Command {
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65534;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(child.get_args())
        .envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .uid(NOBODY)
        .gid(NOBODY);
    command
}
