use super::*;

#[test]
fn everything_is_put_back_byte_for_byte() {
    for format in ["sha1", "sha256"] {
        let desk = Desk::with_format(format);
        lay_out(&desk, true);
        let total = desk.apply(everything_changed(&desk)).unwrap();
        assert_eq!(total, everything().len());
        assert_eq!(desk.tree(), expected());
        assert!(desk.is_tidy());
    }
}

#[test]
fn what_was_put_back_can_be_put_forth_again() {
    let desk = Desk::new();
    lay_out(&desk, true);
    let before = desk.tree();
    let changes = everything_changed(&desk);
    desk.apply(changes.clone()).unwrap();
    desk.apply(changes.iter().map(PathChange::reversed).collect())
        .unwrap();
    assert_eq!(desk.tree(), before);
}

#[test]
fn the_worktrees_bytes_are_written_where_they_differ_from_the_stored_form() {
    let desk = Desk::new();
    desk.write("file", "now\n");
    let stored = desk.state(file("line\n").as_ref());
    let raw = desk.state(file("line\r\n").as_ref()).bytes();
    let to = PathState::Present {
        entry: stored.entry().unwrap(),
        raw,
    };
    let change = PathChange {
        to,
        ..desk.edit("file", "now\n", "-")
    };
    desk.apply(vec![change]).unwrap();
    assert_eq!(desk.read("file"), "line\r\n");
}

#[test]
fn files_that_do_not_change_keep_their_time_stamps_and_inodes() {
    let desk = Desk::new();
    desk.write("same", "same\n");
    desk.write("file", "now\n");
    let marks = |name: &str| {
        let metadata = fs::metadata(desk.path(name.as_bytes())).unwrap();
        (metadata.ino(), metadata.modified().unwrap())
    };
    let before = marks("same");
    let nothing = desk.edit("same", "same\n", "same\n");
    assert_eq!(
        desk.apply(vec![nothing, desk.edit("file", "now\n", "then\n")])
            .unwrap(),
        1
    );
    assert_eq!(marks("same"), before);
}

#[test]
fn an_exec_bit_changes_without_a_new_file() {
    let desk = Desk::new();
    desk.write("run", "x\n");
    let before = fs::metadata(desk.path(b"run")).unwrap();
    let to = Some(Thing::Exec(b"x\n".to_vec()));
    desk.apply(vec![desk.change(b"run", file("x\n").as_ref(), to.as_ref())])
        .unwrap();
    let after = fs::metadata(desk.path(b"run")).unwrap();
    assert_eq!(after.mode() & 0o100, 0o100);
    assert_eq!(
        (before.ino(), before.modified().unwrap()),
        (after.ino(), after.modified().unwrap())
    );
}

#[test]
fn a_file_kept_from_others_stays_kept_from_them() {
    let desk = Desk::new();
    desk.write("secret", "now\n");
    fs::set_permissions(desk.path(b"secret"), PermissionsExt::from_mode(0o600)).unwrap();
    desk.apply(vec![desk.edit("secret", "now\n", "then\n")]).unwrap();
    assert_eq!(fs::metadata(desk.path(b"secret")).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn folders_go_if_the_target_has_nothing_below_them() {
    let desk = Desk::new();
    desk.write("kept/gone/deep/file", "x\n");
    let changes = vec![desk.edit("kept/gone/deep/file", "x\n", "-")];
    let kept = RepoPath::new("kept").unwrap();
    let restore = Restore {
        has_below: &|folder| *folder == kept,
        ..restore(changes)
    };
    let applied = apply(&desk.shadow, &desk.ground(), restore, &|_| {}).unwrap();
    applied.close(&|_| {}).unwrap();
    let names: Vec<_> = desk.tree().into_keys().collect();
    assert_eq!(names, [b"kept".to_vec()]);
}

#[test]
fn a_folder_with_a_persons_file_in_it_stays() {
    let desk = Desk::new();
    desk.write("folder/made", "x\n");
    desk.write("folder/notes", "mine\n");
    desk.apply(vec![desk.edit("folder/made", "x\n", "-")]).unwrap();
    assert_eq!(desk.read("folder/notes"), "mine\n");
}

#[test]
fn exec_bits_that_mean_nothing_are_not_compared() {
    let desk = Desk::new();
    desk.put(b"file", Some(&Thing::Exec(b"now\n".to_vec())));
    let changes = || restore(vec![desk.edit("file", "now\n", "then\n")]);
    let kept = apply(&desk.shadow, &desk.ground(), changes(), &|_| {});
    assert!(matches!(kept, Err(RestoreError::RolledBack { .. })));
    let ground = RestoreTarget {
        modes: Modes::Ignored,
        ..desk.ground()
    };
    let applied = apply(&desk.shadow, &ground, changes(), &|_| {}).unwrap();
    applied.close(&|_| {}).unwrap();
    assert_eq!(desk.read("file"), "then\n");
}

#[test]
fn another_file_system_is_staged_in_the_worktree_itself() {
    let desk = Desk::new();
    // Memory is elsewhere on every machine that has it.
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else {
        eprintln!("SKIP staging on another file system: there is none");
        return;
    };
    if fs::metadata(elsewhere.path()).unwrap().dev() == fs::metadata(&desk.root).unwrap().dev() {
        eprintln!("SKIP staging on another file system: there is none");
        return;
    }
    fs::write(elsewhere.path().join("file"), "now\n").unwrap();
    let ground = RestoreTarget {
        root: elsewhere.path(),
        ..desk.ground()
    };
    let was_inside = std::cell::Cell::new(false);
    let observe = |_: &'static str| {
        let stage = elsewhere.path().join(".toprope-stage-c0de55aa0912");
        was_inside.set(was_inside.get() || stage.exists());
    };
    let restore = restore(vec![desk.edit("file", "now\n", "then\n")]);
    let applied = apply(&desk.shadow, &ground, restore, &observe).unwrap();
    applied.close(&|_| {}).unwrap();
    assert!(was_inside.get());
    let names: Vec<_> = fs::read_dir(elsewhere.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["file"]);
    assert_eq!(
        fs::read_to_string(elsewhere.path().join("file")).unwrap(),
        "then\n"
    );
}
