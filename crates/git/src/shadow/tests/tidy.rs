//! Tidying keeps all that is needed, also what the user's store has as well, and removes what nothing needs.

use std::time::{Duration, SystemTime};

use super::*;
use crate::shadow::tidy::{Meanwhile, PackedSize, Tidied, Tidying};

/// Everything there is now is older than this.
const FUTURE: u64 = 4_000_000_000;

fn tidy(world: &World, extent: PackedSize, older_than: u64, needed: &[Id]) -> Tidied {
    let tidying = Tidying {
        needed,
        obsolete: &[],
        older_than: SystemTime::UNIX_EPOCH + Duration::from_secs(older_than),
        extent,
        time: PLENTY,
        meanwhile: Meanwhile::Leave,
    };
    world
        .shadow
        .tidy(&world.bench.environment(), &tidying)
        .unwrap()
        .unwrap()
}

/// Ten checkpoints on two lines, and one blob nothing leads to.
fn busy_world() -> (World, Vec<Id>, Id) {
    let world = World::new();
    let mut kept = Vec::new();
    for number in 0..10 {
        let line = if number % 2 == 0 {
            main_line()
        } else {
            Track::of(b"linked")
        };
        let entry = world.file(&format!("content {number}"));
        let tree = world.edited([("src/deep/er/mod.rs", Some(entry)), ("odd\nname", Some(entry))]);
        kept.extend([entry.id, tree, world.checkpoint(&line, tree)]);
    }
    let unneeded = world.file("nobody wants me").id;
    (world, kept, unneeded)
}

fn packs(world: &World) -> usize {
    let files = files_below(&world.site.shadow.join("objects/pack"));
    files
        .iter()
        .filter(|file| file.extension().is_some_and(|it| it == "pack"))
        .count()
}

fn assert_kept(world: &World, kept: &[Id]) {
    for shadow in [&world.shadow, &world.again()] {
        assert!(kept.iter().all(|id| shadow.owns(*id)));
        for (_, tip) in shadow.lines().unwrap() {
            let files = shadow.read_layout(shadow.tree_of(tip).unwrap()).unwrap().files;
            for (_, entry) in shadow.leaves(files).unwrap() {
                shadow.blob(entry.id, 1000).unwrap();
            }
        }
    }
    world.fsck();
}

#[test]
fn what_is_needed_is_packed_and_still_our_own_and_the_rest_is_gone() {
    for extent in [PackedSize::Loose, PackedSize::All] {
        let (world, kept, unneeded) = busy_world();
        let before = world.loose_count();
        let tidied = tidy(&world, extent, FUTURE, &[]);
        assert_eq!(
            tidied,
            Tidied {
                packed: before - 1,
                dropped: 1
            },
            "{extent:?}"
        );
        assert_eq!((world.loose_count(), packs(&world)), (0, 1));
        assert!(!world.shadow.owns(unneeded));
        assert_kept(&world, &kept);
    }
}

#[test]
fn a_second_tidying_finds_nothing_to_do() {
    for extent in [PackedSize::Loose, PackedSize::All] {
        let (world, kept, _) = busy_world();
        tidy(&world, extent, FUTURE, &[]);
        let before = files_below(&world.site.shadow.join("objects/pack"));
        assert_eq!(tidy(&world, extent, FUTURE, &[]), Tidied::default());
        assert_eq!(files_below(&world.site.shadow.join("objects/pack")), before);
        assert_kept(&world, &kept);
    }
}

#[test]
fn our_copies_of_what_the_user_has_too_stay_ours() {
    let world = World::new();
    world.bench.write("repo/staged", "precious");
    world.bench.git("repo", &["add", "staged"]);
    let entry = world.file("precious");
    let tree = world.edited([("staged", Some(entry))]);
    world.checkpoint(&main_line(), tree);
    world.bench.commit("repo", "now in their store for good");
    tidy(&world, PackedSize::All, FUTURE, &[]);
    world.bench.git("repo", &["reset", "-q", "--hard", "HEAD~1"]);
    world
        .bench
        .git("repo", &["reflog", "expire", "--expire=now", "--all"]);
    world.bench.git("repo", &["gc", "-q", "--prune=now"]);
    assert_kept(&world, &[entry.id, tree]);
}

#[test]
fn nothing_young_is_removed_nor_what_it_leads_to() {
    let (world, kept, unneeded) = busy_world();
    let deep = world.edited([("src/deep/er/young", Some(world.file("young")))]);
    let below = world.shadow.leaves(deep).unwrap();
    for file in files_below(&world.site.shadow.join("objects")) {
        let at = world.site.shadow.join("objects").join(file);
        if at != world.shadow.objects.loose_path(deep) && !at.ends_with("info/alternates") {
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
            std::fs::File::open(at).unwrap().set_modified(long_ago).unwrap();
        }
    }
    let tidied = tidy(&world, PackedSize::All, 2_000_000, &[]);
    assert_eq!(tidied.dropped, 1);
    assert!(!world.shadow.owns(unneeded));
    assert_eq!(world.shadow.leaves(deep).unwrap(), below);
    assert!(
        below
            .iter()
            .all(|(_, entry)| world.shadow.blob(entry.id, 100).is_ok())
    );
    assert_kept(&world, &kept);
}

#[test]
fn what_is_written_again_is_young_again() {
    let world = World::new();
    let blob = world.file("seen before").id;
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let at = world.shadow.objects.loose_path(blob);
    std::fs::File::open(&at).unwrap().set_modified(long_ago).unwrap();
    world.file("seen before");
    assert_eq!(tidy(&world, PackedSize::All, 2_000_000, &[]), Tidied::default());
    std::fs::File::open(&at).unwrap().set_modified(long_ago).unwrap();
    assert_eq!(tidy(&world, PackedSize::All, 2_000_000, &[blob]).packed, 1);
    world.file("seen before");
    assert_eq!(tidy(&world, PackedSize::All, 2_000_000, &[]).dropped, 0);
    assert!(world.shadow.owns(blob));
    assert_eq!(tidy(&world, PackedSize::All, FUTURE, &[]).dropped, 1);
    assert!(!world.shadow.owns(blob));
}

#[test]
fn a_pack_is_as_old_as_what_is_in_it_so_that_it_can_go_at_once() {
    let (world, kept, _) = busy_world();
    let entry = world.file("needed for now");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for file in files_below(&world.site.shadow.join("objects")) {
        let at = world.site.shadow.join("objects").join(file);
        std::fs::File::open(at).unwrap().set_modified(long_ago).unwrap();
    }
    let young = world.file("young").id;
    tidy(&world, PackedSize::All, 2_000_000, &[entry.id]);
    assert!(world.shadow.objects.packs().holding(&entry.id.0).is_some());
    assert!(
        world.shadow.objects.loose_path(young).exists(),
        "what is young stays loose"
    );
    assert_eq!(tidy(&world, PackedSize::All, 2_000_000, &[]).dropped, 1);
    assert!(!world.shadow.owns(entry.id) && world.shadow.owns(young));
    assert_kept(&world, &kept);
}

#[test]
fn what_was_left_behind_goes_though_it_is_young() {
    let (world, kept, unneeded) = busy_world();
    let tidying = Tidying {
        needed: &[],
        obsolete: &[unneeded, kept[0]],
        older_than: SystemTime::UNIX_EPOCH,
        extent: PackedSize::All,
        time: PLENTY,
        meanwhile: Meanwhile::Leave,
    };
    let tidied = world.shadow.tidy(&world.bench.environment(), &tidying).unwrap();
    assert_eq!(tidied.unwrap().dropped, 1);
    assert!(!world.shadow.owns(unneeded));
    assert_kept(&world, &kept);
}

#[test]
fn what_a_record_names_is_kept_with_all_it_leads_to() {
    let (world, kept, unneeded) = busy_world();
    let tree = world.edited([("a/b", Some(world.file("only named elsewhere")))]);
    assert_eq!(
        tidy(&world, PackedSize::All, FUTURE, &[unneeded, tree]).dropped,
        0
    );
    assert_eq!(world.shadow.leaves(tree).unwrap().len(), 4);
    assert_kept(&world, &kept);
    assert_eq!(tidy(&world, PackedSize::All, FUTURE, &[]).dropped, 4);
    assert!(!world.shadow.owns(tree));
    assert_kept(&world, &kept);
}

#[test]
fn many_small_packs_become_one() {
    let world = World::new();
    let mut kept = Vec::new();
    for number in 0..9 {
        let tree = world.edited([("file", Some(world.file(&number.to_string())))]);
        kept.push(world.checkpoint(&main_line(), tree));
        tidy(&world, PackedSize::Loose, FUTURE, &[]);
    }
    assert!(packs(&world) < 8, "{}", packs(&world));
    assert_kept(&world, &kept);
}

#[test]
fn an_open_shadow_sees_what_another_process_packed() {
    let (world, kept, _) = busy_world();
    let other = world.again();
    for (_, tip) in other.lines().unwrap() {
        other.leaves(other.tree_of(tip).unwrap()).unwrap();
    }
    for extent in [PackedSize::Loose, PackedSize::All] {
        tidy(&world, extent, FUTURE, &[]);
        assert!(kept.iter().all(|id| other.owns(*id)));
        world.checkpoint(&main_line(), world.edited([("x", Some(world.file("more")))]));
    }
    tidy(&world, PackedSize::All, FUTURE, &[]);
    assert!(kept.iter().all(|id| other.owns(*id)));
    let (_, tip) = other.lines().unwrap()[0];
    assert!(other.leaves(other.tree_of(tip).unwrap()).is_ok());
}

#[test]
fn two_do_not_tidy_at_once() {
    let (world, _, _) = busy_world();
    let _held = world.again().try_lock("tidy").unwrap().unwrap();
    let tidying = Tidying {
        needed: &[],
        obsolete: &[],
        older_than: SystemTime::UNIX_EPOCH,
        extent: PackedSize::All,
        time: PLENTY,
        meanwhile: Meanwhile::Leave,
    };
    assert_eq!(
        world.shadow.tidy(&world.bench.environment(), &tidying).unwrap(),
        None
    );
}

#[test]
fn when_git_fails_nothing_is_removed() {
    let (world, kept, unneeded) = busy_world();
    let before = world.loose_count();
    let tidying = Tidying {
        needed: &[],
        obsolete: &[],
        older_than: SystemTime::UNIX_EPOCH + Duration::from_secs(FUTURE),
        extent: PackedSize::All,
        time: PLENTY,
        meanwhile: Meanwhile::Leave,
    };
    for script in ["exit 1", "echo 0123456789abcdef0123456789abcdef01234567"] {
        assert!(
            world
                .shadow
                .tidy(&world.bench.environment_with(script), &tidying)
                .is_err()
        );
        assert_eq!(world.loose_count(), before);
    }
    assert!(world.shadow.owns(unneeded));
    assert_kept(&world, &kept);
}

#[test]
fn when_a_commit_of_a_line_is_lost_nothing_is_removed() {
    let (world, _, unneeded) = busy_world();
    let line = main_line();
    let tip = world.shadow.tip(&line).unwrap().unwrap();
    let parent = world.shadow.read_commit(tip).unwrap().parents[0];
    let users = id(&world.bench.git("repo", &["rev-parse", "HEAD"]));
    let tidying = Tidying {
        needed: &[],
        obsolete: &[],
        older_than: SystemTime::UNIX_EPOCH + Duration::from_secs(FUTURE),
        extent: PackedSize::All,
        time: PLENTY,
        meanwhile: Meanwhile::Leave,
    };
    let assert_refused = |lost: Id| {
        let before = world.loose_count();
        let refused = world.shadow.tidy(&world.bench.environment(), &tidying);
        assert!(
            matches!(refused, Err(ShadowError::Missing(id)) if id == lost),
            "{refused:?}"
        );
        assert_eq!((world.loose_count(), packs(&world)), (before, 0));
        assert!(world.shadow.owns(unneeded));
    };
    world.shadow.advance(&line, Some(tip), users).unwrap();
    assert_refused(users);
    world.shadow.advance(&line, Some(users), tip).unwrap();
    fs_err::remove_file(world.shadow.objects.loose_path(parent)).unwrap();
    assert_refused(parent);
}

#[test]
fn checkpoints_cut_while_another_process_tidies_are_all_whole() {
    let world = World::new();
    let head = Some(world.head_tree());
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let mut old = Vec::new();
    for number in 0..7 {
        // What comes again is old, and packed while it comes.
        let entry = world.file(&number.to_string());
        let tree = world.edited([(&*format!("src/f{}", number % 5), Some(entry))]);
        old.extend([entry.id, tree]);
    }
    for file in files_below(&world.site.shadow.join("objects")) {
        let at = world.site.shadow.join("objects").join(file);
        if !at.ends_with("info/alternates") {
            std::fs::File::open(at).unwrap().set_modified(long_ago).unwrap();
        }
    }
    let old = &old;
    let start = std::sync::Barrier::new(4);
    std::thread::scope(|scope| {
        for number in 0..3 {
            let (site, start) = (&world.site, &start);
            scope.spawn(move || {
                let shadow = Shadow::open(site).unwrap().unwrap();
                let line = Track::of(&[number]);
                start.wait();
                for round in 0..40 {
                    // Contents come again, so that some are found in packs and some loose.
                    let blob = shadow.write_blob(format!("{}", round % 7).as_bytes()).unwrap();
                    let entry = TreeLeaf {
                        mode: EntryMode::File,
                        id: blob,
                    };
                    let name = format!("src/f{}", round % 5);
                    let tree = shadow.edit(head, head, &changes([(&name, Some(entry))])).unwrap();
                    let parent = shadow.tip(&line).unwrap();
                    let commit = commit_in(&shadow, tree, parent, "round\n");
                    shadow.advance(&line, parent, commit).unwrap();
                    assert_eq!(shadow.entry(tree, &path(&name)).unwrap(), Some(entry));
                }
            });
        }
        start.wait();
        for round in 0..8 {
            let extent = if round % 2 == 0 {
                PackedSize::Loose
            } else {
                PackedSize::All
            };
            let needed = if round < 4 { old.as_slice() } else { &[] };
            tidy(&world, extent, 2_000_000, needed);
        }
    });
    assert_eq!(world.shadow.lines().unwrap().len(), 3);
    for (line, _) in world.shadow.lines().unwrap() {
        assert_eq!(world.git(&["rev-list", "--count", &line.ref_name()]), "40");
    }
    world.fsck();
}

#[test]
fn what_killed_processes_left_is_swept_away() {
    let world = World::new();
    for left in [
        "objects/.tmpAbC",
        "objects/pack/tmp_pack_x",
        "objects/info/alternates.new-7",
    ] {
        fs_err::write(world.site.shadow.join(left), "half").unwrap();
    }
    world.bench.folder("repo/.git/toprope/shadow.git.new-1-2/objects");
    tidy(&world, PackedSize::Loose, 1_000_000, &[]);
    let count = || files_below(&world.site.shadow.join("objects")).len();
    assert_eq!(count(), 4, "nothing young is swept");
    tidy(&world, PackedSize::Loose, FUTURE, &[]);
    assert_eq!(count(), 1);
    assert!(!world.bench.path("repo/.git/toprope/shadow.git.new-1-2").exists());
}

#[test]
fn longer_ids_are_tidied_too() {
    let world = World::with_format("sha256");
    let tree = world.edited([("file", Some(world.file("new")))]);
    let tip = world.checkpoint(&main_line(), tree);
    assert_eq!(tidy(&world, PackedSize::All, FUTURE, &[]).packed, 4);
    assert_kept(&world, &[tree, tip]);
}
