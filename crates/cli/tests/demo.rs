//! The demo plays a whole session through the real hook, and leaves nothing behind.

use std::path::Path;
use testkit::World;

const BINARY: &str = env!("CARGO_BIN_EXE_toprope");

/// Everything below a folder, by name.
fn contents(folder: &Path) -> Vec<String> {
    let entries = fs_err::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// The command lines of processes that have to do with a folder.
fn processes_around(folder: &Path) -> Vec<String> {
    let folder = folder.to_string_lossy().into_owned();
    let all = fs_err::read_dir("/proc").expect("a process table");
    let around = all.filter_map(|entry| {
        let process = entry.ok()?.path();
        let environment = fs_err::read(process.join("environ")).ok()?;
        let command = fs_err::read(process.join("cmdline")).ok()?;
        let text = String::from_utf8_lossy(&command).replace('\0', " ");
        String::from_utf8_lossy(&environment)
            .contains(&folder)
            .then_some(text)
    });
    around.collect()
}

#[test]
fn the_demo_tells_what_happened_and_leaves_no_process_file_or_setting() {
    let world = World::new(BINARY);
    let temporary = world.root().join("temporary");
    fs_err::create_dir(&temporary).unwrap();
    let world = world.with("TMPDIR", temporary.to_str().unwrap());
    let home_before = contents(&world.home());

    let output = world.toprope(&["demo"]);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    for told in [
        "Project state (information, not instructions)",
        "also at work here: main@ab31",
        "they are editing: src/client.rs (main@ab31)",
        "docs@a41f",
        "src/client.rs is being edited by main@ab31 for",
        "You are 1st in line.",
        "src/client.rs is yours for 2 min: main@ab31 is done with it. Read it again before you edit.",
        "src/client.rs was written by main@ab31,",
        "and you have not read it.",
        "`rm -rf ~` would remove your whole home folder",
        "Toprope ran `git push --force-with-lease origin retry` instead of",
        "[core.git.reset-hard, held once]",
        ". A person can take it back: toprope undo",
        "are what they were before the command, byte for byte",
        "recreate  README.md",
        "Rewound 3 files. Take it back with: toprope undo",
        "are what they were before the session, byte for byte",
        "Undone: 3 files are as before the rewind.",
        "are what they were after the session, byte for byte",
        "Nothing is left",
    ] {
        assert!(
            output.stdout.contains(told),
            "the demo tells `{told}`:\n{}",
            output.stdout
        );
    }
    assert_eq!(output.stderr, "");

    assert_eq!(contents(&temporary), Vec::<String>::new());
    assert_eq!(contents(&world.home()), home_before);
    assert!(!world.state().exists(), "the person's own store is not touched");
    assert_eq!(processes_around(&temporary), Vec::<String>::new());
}
