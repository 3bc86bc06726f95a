//! A shadow is made once, opened cheaply, found after a move, and set aside when it is damaged.

use std::os::unix::fs::PermissionsExt;
use std::sync::Barrier;

use super::*;

#[test]
fn a_shadow_that_was_not_made_is_none_and_opening_makes_nothing() {
    let bench = Bench::with_repository();
    let site = site(&bench, "repo");
    assert!(Shadow::open(&site).unwrap().is_none());
    assert!(!bench.path("repo/.git/toprope").exists());
}

#[test]
fn git_takes_it_for_a_bare_repository_that_never_collects_garbage_by_itself() {
    let world = World::new();
    assert_eq!(world.git(&["rev-parse", "--is-bare-repository"]), "true");
    assert_eq!(world.git(&["config", "gc.auto"]), "0");
    let mode = fs_err::metadata(&world.site.shadow).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(
        world.git(&["cat-file", "-t", &world.head_tree().to_string()]),
        "tree"
    );
    assert!(world.shadow.journal_folder().is_dir());
}

#[test]
fn a_repository_with_longer_ids_gets_a_shadow_with_longer_ids() {
    let world = World::with_format("sha256");
    assert_eq!(world.site.format, ObjectFormat::Sha256);
    assert_eq!(world.again().format(), ObjectFormat::Sha256);
    assert_eq!(world.git(&["rev-parse", "--show-object-format"]), "sha256");
}

#[test]
fn all_worktrees_of_a_repository_share_one_site() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../linked"]);
    assert_eq!(site(&bench, "repo"), site(&bench, "linked"));
}

#[test]
fn outside_git_the_shadow_is_in_the_folder_given_and_each_project_has_its_own() {
    let bench = Bench::new();
    let (one, two) = (bench.folder("one"), bench.folder("two"));
    let outside = bench.path("outside");
    let [first, second] = [&one, &two].map(|at| ShadowSite::of(&place::find(at), &outside).unwrap());
    assert_eq!(first.shadow.parent(), Some(outside.as_path()));
    assert_ne!(first.shadow, second.shadow);
    assert_eq!(first.objects, None);
    let shadow = Shadow::make(&first).unwrap();
    let blob = shadow.write_blob(b"x").unwrap();
    let absent = shadow.hash_blob(b"absent").unwrap();
    assert_eq!(shadow.blob(blob, 10).unwrap(), b"x");
    assert!(matches!(shadow.blob(absent, 10), Err(ShadowError::Missing(_))));
}

#[test]
fn an_unknown_object_format_is_said_and_not_guessed() {
    let bench = Bench::with_repository();
    bench.git("repo", &["config", "extensions.objectformat", "sha512"]);
    let refused = ShadowSite::of(&place::find(&bench.path("repo")), &bench.path("outside"));
    assert!(matches!(refused, Err(ShadowError::Format(name)) if name == "sha512"));
}

#[test]
fn many_threads_that_make_it_at_once_share_one() {
    let bench = Bench::with_repository();
    let site = site(&bench, "repo");
    let start = Barrier::new(16);
    let blobs: Vec<Id> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|number: u8| {
                let (site, start) = (&site, &start);
                scope.spawn(move || {
                    start.wait();
                    Shadow::make(site).unwrap().write_blob(&[number]).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let shadow = Shadow::open(&site).unwrap().unwrap();
    assert!(blobs.iter().all(|blob| shadow.owns(*blob)));
    let beside: Vec<_> = fs_err::read_dir(site.shadow.parent().unwrap()).unwrap().collect();
    assert_eq!(beside.len(), 1, "no draft is left: {beside:?}");
}

#[test]
fn what_a_killed_maker_left_does_not_stop_the_next() {
    let bench = Bench::with_repository();
    let site = site(&bench, "repo");
    for number in 0..3 {
        bench.folder(&format!(
            "repo/.git/toprope/shadow.git.new-{}-{number}",
            std::process::id()
        ));
    }
    assert!(Shadow::make(&site).is_ok());
}

#[test]
fn the_users_objects_are_found_after_the_repository_was_moved() {
    let world = World::new();
    let tree = world.edited([("src/lib.rs", Some(world.file("new")))]);
    let tip = world.checkpoint(&main_line(), tree);
    let World { bench, .. } = world;
    fs_err::rename(bench.path("repo"), bench.path("moved")).unwrap();
    let shadow = Shadow::open(&site(&bench, "moved")).unwrap().unwrap();
    assert_eq!(shadow.leaves(tree).unwrap().len(), 3);
    assert_eq!(shadow.tip(&main_line()).unwrap(), Some(tip));
    bench.git("moved/.git/toprope/shadow.git", &["fsck", "--strict", "--full"]);
}

#[test]
fn alternates_that_lead_elsewhere_are_put_right() {
    let world = World::new();
    let at = world.site.shadow.join("objects/info/alternates");
    for wrong in ["", "/nowhere/objects\n", "../../../../elsewhere\n"] {
        fs_err::write(&at, wrong).unwrap();
        assert_eq!(world.again().leaves(world.head_tree()).unwrap().len(), 3);
        assert_eq!(fs_err::read_to_string(&at).unwrap(), "../../../objects\n");
    }
    fs_err::remove_file(&at).unwrap();
    world.again();
    assert_eq!(
        world.git(&["cat-file", "-t", &world.head_tree().to_string()]),
        "tree"
    );
}

#[test]
fn a_shadow_elsewhere_names_the_users_objects_by_their_whole_path() {
    let bench = Bench::with_repository();
    let site = ShadowSite {
        shadow: bench.path("elsewhere/shadow.git"),
        ..site(&bench, "repo")
    };
    Shadow::make(&site).unwrap();
    let head = bench.git("repo", &["rev-parse", "HEAD"]);
    assert_eq!(
        bench.git("elsewhere/shadow.git", &["cat-file", "-t", &head]),
        "commit"
    );
}

#[test]
fn every_kind_of_damage_is_told_and_the_damaged_shadow_set_aside_whole() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 8] = [
        ("no HEAD", |at| fs_err::remove_file(at.join("HEAD")).unwrap()),
        ("empty HEAD", |at| fs_err::write(at.join("HEAD"), "").unwrap()),
        ("no config", |at| fs_err::remove_file(at.join("config")).unwrap()),
        ("empty config", |at| fs_err::write(at.join("config"), "").unwrap()),
        ("other format", |at| {
            fs_err::write(
                at.join("config"),
                "[core]\nbare=true\n[extensions]\nobjectformat=sha256\n",
            )
            .unwrap();
        }),
        ("no objects", |at| {
            fs_err::remove_dir_all(at.join("objects")).unwrap();
        }),
        ("no refs", |at| fs_err::remove_dir_all(at.join("refs")).unwrap()),
        ("a file", |at| {
            fs_err::remove_dir_all(at).unwrap();
            fs_err::write(at, "x").unwrap();
        }),
    ];
    for (what, damage) in damages {
        let world = World::new();
        let blob = world.file("x").id;
        damage(&world.site.shadow);
        let opened = Shadow::open(&world.site).err();
        assert!(
            matches!(opened, Some(ShadowError::Damaged { .. })),
            "{what}: {opened:?}"
        );
        let made = Shadow::make(&world.site).err();
        assert!(matches!(made, Some(ShadowError::Damaged { .. })), "{what}");
        let aside = Shadow::set_aside(&world.site, "20261115T101500").unwrap();
        assert!(
            aside.ends_with("shadow.git.broken-20261115T101500") && aside.exists(),
            "{what}"
        );
        assert!(!Shadow::make(&world.site).unwrap().owns(blob), "{what}");
    }
}

#[test]
fn setting_aside_twice_under_one_stamp_keeps_both_and_a_stamp_cannot_lead_elsewhere() {
    let world = World::new();
    let first = Shadow::set_aside(&world.site, "../../x").unwrap();
    Shadow::make(&world.site).unwrap();
    let second = Shadow::set_aside(&world.site, "../../x").unwrap();
    assert!(first.exists() && second.exists() && first != second);
    assert_eq!(first.parent(), world.site.shadow.parent());
}
