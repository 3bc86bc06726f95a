use super::*;
use crate::shadow::ShadowError;

/// Applies, which must fail and leave everything as it was; gives back why.
fn refused(desk: &Desk, changes: Vec<PathChange>) -> RestoreError {
    let before = desk.tree();
    let error = desk.apply(changes).unwrap_err();
    assert_eq!(desk.tree(), before);
    assert!(desk.is_tidy());
    error
}

fn rolled_back(error: RestoreError) -> (String, Fault) {
    match error {
        RestoreError::RolledBack { path, fault } => (path.to_string(), fault),
        error => panic!("{error:?}"),
    }
}

#[test]
fn a_file_changed_after_the_plan_takes_everything_back() {
    let desk = Desk::new();
    lay_out(&desk, true);
    let changes = everything_changed(&desk);
    desk.put(b"was-file", file("typed by a person\n").as_ref());
    let (path, fault) = rolled_back(refused(&desk, changes));
    assert_eq!(path, "was-file");
    assert!(matches!(fault, Fault::Changed));
    assert_eq!(desk.read("was-file"), "typed by a person\n");
}

/// Runs everything with a person who saves `name` at the n-th look at a file, in the last moment before the rename.
fn saved_in_the_last_moment(name: &'static str, nth: usize, save: impl Fn(&Path)) -> (Desk, RestoreError) {
    let desk = Desk::new();
    lay_out(&desk, true);
    let changes = everything_changed(&desk);
    let looks = std::cell::Cell::new(0);
    let error = desk.apply_watched(changes, &|step| {
        if step == "restore-checked" {
            looks.set(looks.get() + 1);
            if looks.get() == nth {
                save(&desk.path(name.as_bytes()));
            }
        }
    });
    let error = error.unwrap_err();
    (desk, error)
}

/// A way to save a file, and what is in it then.
type Save<'a> = (&'a dyn Fn(&Path), &'a str);

#[test]
fn a_file_saved_between_the_last_look_and_the_rename_is_not_lost() {
    // After three deletions come the others by name: `caf\xe9`, `current`, `model.rs`.
    let save_over = |path: &Path| fs::write(path, "saved in place\n").unwrap();
    let save_anew = |path: &Path| {
        let other = path.with_extension("tmp");
        fs::write(&other, "saved by rename\n").unwrap();
        fs::rename(&other, path).unwrap();
    };
    let saves: [Save<'_>; 2] = [
        (&save_over, "saved in place\n"),
        (&save_anew, "saved by rename\n"),
    ];
    for (save, content) in saves {
        let (desk, error) = saved_in_the_last_moment("model.rs", 6, save);
        assert_eq!(rolled_back(error).0, "model.rs");
        assert_eq!(desk.read("model.rs"), content);
        let mut others = desk.tree();
        others.insert(b"model.rs".to_vec(), Thing::File(b"edited\n".to_vec()));
        let untouched = Desk::new();
        lay_out(&untouched, true);
        assert_eq!(others, untouched.tree());
        assert!(desk.is_tidy());
    }
}

#[test]
fn a_file_made_between_the_last_look_and_the_rename_is_not_overwritten() {
    let desk = Desk::new();
    let change = desk.edit("file", "-", "restored\n");
    let error = desk.apply_watched(vec![change], &|step| {
        if step == "restore-checked" {
            desk.write("file", "mine\n");
        }
    });
    assert!(matches!(error, Err(RestoreError::RolledBack { .. })));
    assert_eq!(desk.read("file"), "mine\n");
}

#[test]
fn a_file_that_is_edited_after_it_was_put_back_is_listed_instead_of_taken_back() {
    let desk = Desk::new();
    desk.write("a", "now\n");
    desk.write("b", "changed\n");
    let changes = vec![
        desk.edit("a", "now\n", "then\n"),
        desk.edit("b", "now\n", "then\n"),
    ];
    let error = desk.apply_watched(changes, &|step| {
        if step == "restore-renamed" {
            desk.write("a", "mine\n");
        }
    });
    let Err(RestoreError::Unsettled { paths, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(paths, [RepoPath::new("a").unwrap()]);
    assert_eq!(desk.read("a"), "mine\n");
    assert_eq!(desk.read("b"), "changed\n");
    let again = desk.apply(vec![desk.edit("b", "changed\n", "then\n")]);
    assert!(
        matches!(again, Err(RestoreError::Pending(_))),
        "the next rewind waits"
    );
}

#[test]
fn a_link_planted_on_a_parent_is_refused_and_what_it_leads_to_stays() {
    for (from, to) in [("now\n", "then\n"), ("-", "then\n"), ("now\n", "-")] {
        let desk = Desk::new();
        desk.write("file", "now\n");
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "now\n").unwrap();
        symlink(outside.path(), desk.path(b"dir")).unwrap();
        let changes = vec![
            desk.edit("file", "now\n", "then\n"),
            desk.edit("dir/file", from, to),
        ];
        let error = refused(&desk, changes);
        assert!(matches!(
            error,
            RestoreError::NotStaged {
                fault: Fault::Link,
                ..
            }
        ));
        assert_eq!(fs::read_to_string(outside.path().join("file")).unwrap(), "now\n");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_link_planted_while_files_are_put_back_is_refused_too() {
    let desk = Desk::new();
    desk.write("a", "now\n");
    desk.write("dir/file", "now\n");
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("file"), "now\n").unwrap();
    let changes = vec![
        desk.edit("a", "now\n", "then\n"),
        desk.edit("dir/file", "now\n", "then\n"),
    ];
    let error = desk.apply_watched(changes, &|step| {
        if step == "restore-renamed" && !desk.path(b"moved").exists() {
            fs::rename(desk.path(b"dir"), desk.path(b"moved")).unwrap();
            symlink(outside.path(), desk.path(b"dir")).unwrap();
        }
    });
    let (path, fault) = rolled_back(error.unwrap_err());
    assert_eq!((path.as_str(), matches!(fault, Fault::Link)), ("dir/file", true));
    assert_eq!(fs::read_to_string(outside.path().join("file")).unwrap(), "now\n");
    assert_eq!(
        (desk.read("a"), desk.read("moved/file")),
        ("now\n".into(), "now\n".into())
    );
}

#[test]
fn a_link_in_place_of_the_file_itself_is_not_followed() {
    let desk = Desk::new();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target");
    fs::write(&target, "now\n").unwrap();
    symlink(&target, desk.path(b"file")).unwrap();
    refused(&desk, vec![desk.edit("file", "now\n", "then\n")]);
    let exec = Some(Thing::Exec(b"now\n".to_vec()));
    refused(
        &desk,
        vec![desk.change(b"file", file("now\n").as_ref(), exec.as_ref())],
    );
    assert_eq!(fs::read_to_string(&target).unwrap(), "now\n");
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o111, 0);
}

#[test]
fn a_folder_in_the_way_goes_if_it_is_empty_and_refuses_if_not() {
    let desk = Desk::new();
    fs::create_dir(desk.path(b"file")).unwrap();
    desk.apply(vec![desk.edit("file", "-", "then\n")]).unwrap();
    assert_eq!(desk.read("file"), "then\n");

    let desk = Desk::new();
    desk.write("file/notes", "mine\n");
    desk.write("a", "now\n");
    let changes = vec![
        desk.edit("a", "now\n", "then\n"),
        desk.edit("file", "-", "then\n"),
    ];
    let (path, fault) = rolled_back(refused(&desk, changes));
    assert_eq!(
        (path.as_str(), matches!(fault, Fault::FolderInTheWay)),
        ("file", true)
    );
}

#[test]
fn a_file_where_a_folder_must_be_refuses() {
    let desk = Desk::new();
    desk.write("a", "a file\n");
    let (_, fault) = rolled_back(refused(&desk, vec![desk.edit("a/b", "-", "then\n")]));
    assert!(matches!(fault, Fault::NotAFolder));
}

#[test]
fn folders_made_for_files_that_are_taken_back_go_again() {
    let desk = Desk::new();
    desk.write("z", "changed\n");
    let changes = vec![
        desk.edit("new/deep/file", "-", "then\n"),
        desk.edit("z", "now\n", "then\n"),
    ];
    refused(&desk, changes);
}

#[test]
fn a_folder_that_was_emptied_comes_back_with_its_permissions() {
    let desk = Desk::new();
    desk.write("private/file", "x\n");
    fs::set_permissions(desk.path(b"private"), PermissionsExt::from_mode(0o700)).unwrap();
    desk.write("z", "changed\n");
    let changes = vec![
        desk.edit("private/file", "x\n", "-"),
        desk.edit("z", "now\n", "then\n"),
    ];
    refused(&desk, changes);
    assert_eq!(fs::metadata(desk.path(b"private")).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn a_content_that_is_gone_stops_it_before_anything_happens() {
    let desk = Desk::new();
    desk.write("a", "now\n");
    desk.write("b", "now\n");
    let id = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
    let gone = PathChange {
        to: PathState::plain(TreeLeaf {
            mode: EntryMode::File,
            id,
        }),
        ..desk.edit("b", "now\n", "-")
    };
    let error = refused(&desk, vec![desk.edit("a", "now\n", "then\n"), gone]);
    let RestoreError::NotStaged { path, fault } = error else {
        panic!("{error:?}");
    };
    assert_eq!(path.as_bytes(), b"b");
    assert!(matches!(fault, Fault::Content(ShadowError::Missing(missing)) if missing == id));
}

#[test]
fn changes_that_contradict_each_other_are_refused() {
    let desk = Desk::new();
    desk.write("a", "now\n");
    let change = desk.edit("a", "now\n", "then\n");
    let twice = refused(&desk, vec![change.clone(), change.clone()]);
    assert!(matches!(twice, RestoreError::Contradiction(_)));
    let below = refused(&desk, vec![change, desk.edit("a/b", "-", "then\n")]);
    assert!(matches!(below, RestoreError::Contradiction(path) if path.as_bytes() == b"a/b"));
    let commit = PathChange {
        to: PathState::plain(TreeLeaf {
            mode: EntryMode::Commit,
            id: desk.state(file("x").as_ref()).bytes().unwrap(),
        }),
        ..desk.edit("a", "now\n", "-")
    };
    assert!(matches!(
        refused(&desk, vec![commit]),
        RestoreError::Contradiction(_)
    ));
}

#[test]
fn a_pipe_in_place_of_a_file_refuses_without_waiting_for_a_writer() {
    let desk = Desk::new();
    crate::fixture::make_pipe(&desk.path(b"file"));
    let error = desk
        .apply(vec![desk.edit("file", "now\n", "then\n")])
        .unwrap_err();
    assert!(matches!(rolled_back(error).1, Fault::Changed));
}
