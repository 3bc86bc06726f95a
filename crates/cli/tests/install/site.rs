//! The place these tests set up: a world whose state lies in its home, and words for what they do to it.

use fs_err as fs;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use testkit::World;

pub const LOCAL: &str = ".claude/settings.local.json";
pub const PROJECT: &str = ".claude/settings.json";

/// A world whose state lies in its home, with nothing on PATH but git.
pub fn world() -> World {
    let mut world = World::new(env!("CARGO_BIN_EXE_toprope"));
    let state = world.home().join(".local/state/toprope");
    world.set("TOPROPE_HOME", text_of(&state));
    let tools = tools(&world);
    fs::create_dir_all(&tools).expect("a folder for tools");
    let found = std::process::Command::new("/bin/sh")
        .args(["-c", "command -v git"])
        .output();
    let git = String::from_utf8(found.expect("a shell").stdout).expect("a path");
    symlink(git.trim(), tools.join("git")).expect("a link to git");
    world.set("PATH", text_of(&tools));
    world
}

/// The only folder on PATH.
pub fn tools(world: &World) -> PathBuf {
    world.root().join("tools")
}

fn text_of(path: &Path) -> &str {
    path.to_str().expect("a path in plain text")
}

/// Puts a script on PATH. What has its name is replaced, never written to: it may be a link to the machine's program.
pub fn put_on_path(world: &World, name: &str, script: &str) {
    let file = tools(world).join(name);
    let write = r#"rm -f "$1" && printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#;
    make_program(&["sh", "-c", write, "sh", text_of(&file), script]);
}

/// Puts a copy of the binary somewhere else.
pub fn copy_binary(to: &Path) {
    fs::create_dir_all(to.parent().expect("a folder")).expect("its folder");
    make_program(&["cp", env!("CARGO_BIN_EXE_toprope"), text_of(to)]);
}

/// Another process writes it: one that this one has open for writing, a test beside could inherit and keep busy.
fn make_program(command: &[&str]) {
    let (program, arguments) = command.split_first().expect("a command");
    let status = std::process::Command::new(program).args(arguments).status();
    assert!(status.expect("it starts").success(), "{command:?}");
}

/// Writes a file of the repository.
pub fn write(world: &World, file: &str, text: &str) -> PathBuf {
    let path = world.repo().join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
    fs::write(&path, text).expect("a file");
    path
}

/// A settings file as a value.
pub fn settings(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("settings")).expect("JSON")
}

/// A hook of somebody else for each of these events.
pub fn foreign_hooks(events: &[&str], command: &str) -> Value {
    let entry = json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": command }] }]);
    let hooks = events.iter().map(|event| ((*event).to_owned(), entry.clone()));
    Value::Object(hooks.collect())
}

/// The text with everything that differs from run to run named instead.
pub fn shown(world: &World, text: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_toprope"));
    let real = fs::canonicalize(world.root()).expect("the world's folder");
    let names = [
        (program, "[toprope]"),
        (&real, "[world]"),
        (world.root(), "[world]"),
        (program.parent().expect("a folder"), "[bin]"),
    ];
    let mut text = text.to_owned();
    for (path, name) in names {
        text = text.replace(text_of(path), name);
    }
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Compares what was said with what is promised; what differs from run to run is named.
macro_rules! assert_shown {
    ($world:expr, $text:expr, @$expected:literal) => {
        insta::with_settings!({filters => vec![
            (r"pid \d+", "pid [pid]"),
            (r"\d+\.\d ms", "[time] ms"),
            (r"[\d.]+ [KMG]iB", "[size]"),
            (r"\d+ s ago", "[ago]"),
            (r"(git +)\d+\.\d+[0-9.]*", "$1[version]"),
        ]}, {
            insta::assert_snapshot!($crate::site::shown(&$world, &$text), @$expected);
        });
    };
}
