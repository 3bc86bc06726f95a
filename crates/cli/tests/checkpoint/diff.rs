//! `toprope checkpoint diff`.

use crate::story::{SESSION, pretty, shown, told};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn a_checkpoint_is_compared_with_the_working_tree_as_it_is() {
    let world = told();
    world.write("notes.md", "mine\nand more\n");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "t1"])), @"
    exit 0
    --- stdout
    diff --git a/notes.md b/notes.md
    index 351be5b..d694022 100644
    --- a/notes.md
    +++ b/notes.md
    @@ -1 +1,2 @@
     mine
    +and more
    diff --git a/src/login.rs b/src/login.rs
    new file mode 100644
    index 0000000..a91569f
    --- /dev/null
    +++ b/src/login.rs
    @@ -0,0 +1 @@
    +fn login() {}
    diff --git a/src/model.rs b/src/model.rs
    index 11b6223..de9578a 100644
    --- a/src/model.rs
    +++ b/src/model.rs
    @@ -1 +1,2 @@
     struct User;
    +struct Login;
    --- stderr
    ");
}

#[test]
fn two_checkpoints_are_compared() {
    let world = told();
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "start", "t1"])), @"
    exit 0
    --- stdout
    diff --git a/src/model.rs b/src/model.rs
    new file mode 100644
    index 0000000..11b6223
    --- /dev/null
    +++ b/src/model.rs
    @@ -0,0 +1 @@
    +struct User;
    diff --git a/src/old_auth.rs b/src/old_auth.rs
    deleted file mode 100644
    index b95d8a9..0000000
    --- a/src/old_auth.rs
    +++ /dev/null
    @@ -1 +0,0 @@
    -fn old() {}
    --- stderr
    ");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "start", "t2", "--stat"])), @"
    exit 0
    --- stdout
     src/login.rs    | 1 +
     src/model.rs    | 2 ++
     src/old_auth.rs | 1 -
     3 files changed, 3 insertions(+), 1 deletion(-)
    --- stderr
    ");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "t2", "start", "--name-only"])), @"
    exit 0
    --- stdout
    src/login.rs
    src/model.rs
    src/old_auth.rs
    --- stderr
    ");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "t2", "t2"])), @"
    exit 0
    --- stdout
    --- stderr
    ");
}

#[test]
fn programs_get_the_files_and_their_counts() {
    let world = told();
    let output = world.toprope(&["checkpoint", "diff", "t1", "t2", "--json"]);
    insta::assert_snapshot!(pretty(&world, &output), @r#"
    exit 0
    {
      "from": "c00000000004",
      "to": "c00000000009",
      "files": [
        {
          "path": "src/login.rs",
          "change": "added",
          "before": null,
          "after": "a91569fb2e595e4af9ddbd85209e4a6ce92f2e78",
          "before_mode": null,
          "mode": "100644",
          "place": "files",
          "binary": false,
          "added": 1,
          "removed": 0
        },
        {
          "path": "src/model.rs",
          "change": "modified",
          "before": "11b622366b7ec60fc34a101a99e16a5486e77424",
          "after": "de9578a02317038504e5e6e466bcaf17010cef58",
          "before_mode": "100644",
          "mode": "100644",
          "place": "files",
          "binary": false,
          "added": 1,
          "removed": 0
        }
      ],
      "uncompared": []
    }
    "#);
}

#[test]
fn what_is_printed_leads_from_one_state_to_the_other() {
    let world = told();
    let odd = world.repo().join(std::ffi::OsStr::from_bytes(b"odd \xff\n.txt"));
    fs_err::write(&odd, "odd\n").unwrap();
    world.write("run.sh", "#!/bin/sh\n");
    let mut mode = fs_err::metadata(world.repo().join("run.sh"))
        .unwrap()
        .permissions();
    mode.set_mode(0o755);
    fs_err::set_permissions(world.repo().join("run.sh"), mode).unwrap();
    fs_err::remove_file(world.repo().join("notes.md")).unwrap();
    symlink("a.txt", world.repo().join("notes.md")).unwrap();
    let patch = world.toprope(&["checkpoint", "diff", "t1"]).ok();
    let tree = |world: &testkit::World| {
        let index = world.root().join("index");
        world
            .shell(&format!(
                "export GIT_INDEX_FILE={0}; rm -f {0}; git read-tree --empty; git add -A; git write-tree",
                index.display()
            ))
            .ok()
    };
    let now = tree(&world);
    // The state at the end of the first turn, checked out elsewhere, and the patch on top of it.
    let then = world
        .database()
        .rows("SELECT files_tree FROM checkpoints WHERE kind = 'turn' AND turn = 1")
        .pop()
        .unwrap();
    let shadow = world.repo().join(".git/toprope/shadow.git");
    let elsewhere = world.root().join("elsewhere");
    fs_err::create_dir_all(&elsewhere).unwrap();
    fs_err::write(world.root().join("patch"), patch).unwrap();
    let applied = world.shell(&format!(
        "cd {elsewhere} && git init -q . && git --git-dir={shadow} archive {then} | tar x && git apply ../patch
         && git add -A && git write-tree",
        elsewhere = elsewhere.display(),
        shadow = shadow.display()
    ).replace('\n', " "));
    assert_eq!(applied.ok(), now);
}

#[test]
fn only_the_paths_that_are_asked_for_are_compared() {
    let world = told();
    let names = |folder: &str, arguments: &[&str]| {
        let all: Vec<&str> = ["checkpoint", "diff", "start", "--name-only"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let mut command = world.command(&all);
        command.current_dir(world.repo().join(folder));
        testkit::run(command, b"").ok()
    };
    assert_eq!(names("", &["--path", "src/login.rs"]), "src/login.rs\n");
    assert_eq!(
        names("src", &["--path", "login.rs", "--path", "../src/model.rs"]),
        "src/login.rs\nsrc/model.rs\n"
    );
    assert_eq!(
        names("src", &["--path", "."]),
        "src/login.rs\nsrc/model.rs\nsrc/old_auth.rs\n"
    );
    assert_eq!(names("", &["--path", "."]).lines().count(), 3);
    assert_eq!(names("", &["--path", "nowhere"]), "");
}

#[test]
fn ignored_files_that_an_agent_wrote_are_compared_too() {
    let world = told();
    let main = world.agent(SESSION);
    main.is_asked("Log").ok();
    world.settled();
    main.writes("out.log", "one\n");
    main.stops().ok();
    world.settled();
    world.write("out.log", "two\n");
    world.write("other.log", "nobody's\n");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "t3"])), @"
    exit 0
    --- stdout
    diff --git a/out.log b/out.log
    index 5626abf..f719efd 100644
    --- a/out.log
    +++ b/out.log
    @@ -1 +1 @@
    -one
    +two
    --- stderr
    ");
}

#[test]
fn files_that_are_not_text_are_patched_too_and_what_no_checkpoint_holds_is_named() {
    let world = told();
    fs_err::write(world.repo().join("picture.bin"), b"a\0b").unwrap();
    fs_err::write(world.repo().join("huge.txt"), vec![b'x'; 17 << 20]).unwrap();
    fs_err::write(world.repo().join("skipped.txt"), vec![b'x'; 60 << 20]).unwrap();
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "t2", "--path", "picture.bin"])), @"
    exit 0
    --- stdout
    diff --git a/picture.bin b/picture.bin
    new file mode 100644
    index 0000000000000000000000000000000000000000..20b5be91886d0b6f26dc98a225c0dac05fe2c86e
    GIT binary patch
    literal 3
    KcmYdfNCE%>hycU@

    literal 0
    HcmV?d00001

    --- stderr
    ");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "t2", "--stat"])), @"
    exit 0
    --- stdout
     huge.txt    |   1 +
     picture.bin | Bin 0 -> 3 bytes
     2 files changed, 1 insertion(+)
    --- stderr
    not compared: skipped.txt (60 MB, limit 50)
    ");
}

#[test]
fn a_file_that_moved_is_shown_as_moved() {
    let world = told();
    let [from, to] = ["src/login.rs", "src/entry.rs"].map(|path| world.repo().join(path));
    fs_err::rename(from, to).unwrap();
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "diff", "t2"])), @"
    exit 0
    --- stdout
    diff --git a/src/login.rs b/src/entry.rs
    similarity index 100%
    rename from src/login.rs
    rename to src/entry.rs
    --- stderr
    ");
}

#[test]
fn settings_of_git_change_nothing_that_a_patch_needs() {
    let world = told();
    let settings = "[color]\nui = always\n[diff]\nnoprefix = true\nmnemonicPrefix = true\norderFile = nowhere\n\
        external = touch ../external\n";
    fs_err::write(world.home().join(".gitconfig"), settings).unwrap();
    let patch = world.toprope(&["checkpoint", "diff", "t1", "t2"]).ok();
    assert!(
        patch.starts_with("diff --git a/src/login.rs b/src/login.rs\nnew file"),
        "{patch}"
    );
    assert!(!world.root().join("external").exists());
}

#[test]
fn a_person_reads_it_through_their_pager_with_colours() {
    let mut world = told();
    world.set("PAGER", "sed s/^/paged:/");
    world.set("TERM", "xterm");
    let binary = env!("CARGO_BIN_EXE_toprope");
    let seen = world
        .shell(&format!("script -qec '{binary} checkpoint diff t1 t2' /dev/null"))
        .ok();
    assert!(
        seen.contains("paged:\u{1b}[1mdiff --git a/src/login.rs"),
        "{seen:?}"
    );
}

#[test]
fn nothing_of_the_persons_is_touched() {
    let world = told();
    world.write("notes.md", "changed\n");
    let before = (
        world.git(&["status", "--porcelain=v2"]),
        fs_err::read(world.repo().join(".git/index")).unwrap(),
    );
    let line = world.database().rows("SELECT * FROM checkpoints");
    world.toprope(&["checkpoint", "diff", "start"]).ok();
    let after = (
        world.git(&["status", "--porcelain=v2"]),
        fs_err::read(world.repo().join(".git/index")).unwrap(),
    );
    assert_eq!(before, after);
    assert_eq!(world.database().rows("SELECT * FROM checkpoints"), line);
}

#[test]
fn an_agent_may_look() {
    let mut world = told();
    world.set("CLAUDECODE", "1");
    world.set("CLAUDE_PID", &std::process::id().to_string());
    for command in [
        &["checkpoint", "diff", "t1"][..],
        &["checkpoint", "list"],
        &["checkpoint", "show", "t1"],
        &["checkpoint", "create"],
    ] {
        assert_eq!(world.toprope(command).code, Some(0), "{command:?}");
    }
}
