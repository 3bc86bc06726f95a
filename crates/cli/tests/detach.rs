//! A daemon started from a hook belongs to nobody: no parent, no terminal, no descriptor of the agent.

use std::fs::read_link;
use std::path::Path;
use testkit::World;

const BINARY: &str = env!("CARGO_BIN_EXE_toprope");

fn daemon_pid(world: &World) -> u64 {
    let status = world.daemon().expect("a daemon");
    status
        .get("pid")
        .and_then(serde_json::Value::as_u64)
        .expect("its pid")
}

/// A field of `/proc/<pid>/stat`, counted after the program's name: state, parent, group, session, terminal.
fn stat(pid: u64, field: usize) -> String {
    let text = fs_err::read_to_string(format!("/proc/{pid}/stat")).expect("a live process");
    let (_, rest) = text.rsplit_once(") ").expect("a name in brackets");
    rest.split(' ').nth(field).expect("the field").to_owned()
}

#[test]
fn the_daemon_leaves_the_agent_behind() {
    let world = World::new(BINARY);
    let kept = world.root().join("kept-open-by-the-agent");
    let payload = world.root().join("payload");
    fs_err::write(
        &payload,
        world
            .agent("s1")
            .payload("SessionStart", &serde_json::json!({}))
            .to_string(),
    )
    .unwrap();
    // An agent that leaks a descriptor into its hooks, as shells and editors do.
    let script = format!(
        "exec 9>'{}'; '{BINARY}' hook claude-code < '{}'",
        kept.display(),
        payload.display()
    );
    let output = world.shell(&script);
    assert_eq!(output.code, Some(0), "{}", output.whole());

    let pid = daemon_pid(&world);
    let own = u64::from(std::process::id());
    assert_ne!(stat(pid, 1), own.to_string(), "the daemon is nobody's child here");
    assert_ne!(stat(pid, 3), stat(own, 3), "it is in a session of its own");
    assert_eq!(stat(pid, 4), "0", "it has no terminal");
    let open: Vec<_> = fs_err::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .filter_map(|entry| read_link(entry.ok()?.path()).ok())
        .collect();
    assert!(
        !open.iter().any(|path| path == &kept),
        "it closed what the agent leaked: {open:?}"
    );
    let null = Path::new("/dev/null");
    for number in 0..3 {
        let standard = read_link(format!("/proc/{pid}/fd/{number}")).unwrap();
        assert_eq!(standard, null, "descriptor {number} leads nowhere");
    }
}

#[test]
fn a_hook_that_starts_the_daemon_does_not_keep_its_own_pipe_open() {
    let world = World::new(BINARY);
    // `run` in testkit reads stdout to its end: a daemon that held the pipe would make this hang.
    let first = world.agent("s1").starts();
    assert_eq!(first.code, Some(0), "{}", first.whole());
    assert!(world.daemon().is_some());
}

#[test]
fn a_stopped_daemon_is_gone_and_the_next_hook_starts_another() {
    let world = World::new(BINARY);
    world.agent("s1").starts();
    let first = daemon_pid(&world);
    world.toprope(&["daemon", "stop"]).ok();
    assert!(world.daemon().is_none());
    world.agent("s1").is_asked("go on");
    assert_ne!(daemon_pid(&world), first);
    assert_eq!(world.log().len(), 2);
}
