//! Lines move by compare-and-swap: of those who race one wins, and nobody waits for the dead.

use std::time::{Duration, SystemTime};

use super::*;

fn lock_file(world: &World) -> PathBuf {
    world
        .site
        .shadow
        .join(main_line().ref_name())
        .with_extension("lock")
}

#[test]
fn the_name_of_a_line_is_a_hash_of_the_worktrees_name() {
    assert_eq!(main_line().ref_name(), "refs/toprope/shadow/e3b0c44298fc");
    assert_ne!(Track::of(b"linked"), main_line());
}

#[test]
fn a_line_moves_from_the_tip_its_mover_knows_and_from_no_other() {
    let world = World::new();
    let line = main_line();
    assert_eq!(world.shadow.tip(&line).unwrap(), None);
    let first = world.checkpoint(&line, world.head_tree());
    assert_eq!(world.again().tip(&line).unwrap(), Some(first));
    assert_eq!(world.git(&["rev-parse", &line.ref_name()]), first.to_string());
    let second = world.commit(world.head_tree(), Some(first));
    for wrong in [None, Some(second)] {
        let refused = world.shadow.advance(&line, wrong, second);
        assert!(matches!(refused, Err(ShadowError::Raced)));
    }
    assert_eq!(world.shadow.tip(&line).unwrap(), Some(first));
    world.shadow.advance(&line, Some(first), second).unwrap();
    assert_eq!(world.shadow.tip(&line).unwrap(), Some(second));
    assert!(!lock_file(&world).exists());
}

#[test]
fn thirty_two_threads_on_one_line_all_end_up_on_it() {
    let world = World::new();
    let line = main_line();
    std::thread::scope(|scope| {
        for number in 0..32 {
            let (site, line, tree) = (&world.site, &line, world.head_tree());
            scope.spawn(move || {
                let shadow = Shadow::open(site).unwrap().unwrap();
                loop {
                    let from = shadow.tip(line).unwrap();
                    let to = commit_in(&shadow, tree, from, &format!("thread {number}\n"));
                    match shadow.advance(line, from, to) {
                        Ok(()) => break,
                        Err(ShadowError::Raced) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let log = world.git(&["log", "--format=%s", &line.ref_name()]);
    let mut subjects: Vec<&str> = log.lines().collect();
    subjects.sort_unstable();
    subjects.dedup();
    assert_eq!(subjects.len(), 32);
    world.fsck();
}

#[test]
fn lines_are_listed_whether_they_are_packed_or_not() {
    let world = World::new();
    let (main, linked) = (main_line(), Track::of(b"linked"));
    let tree = world.head_tree();
    let mut expected = vec![
        (main.clone(), world.checkpoint(&main, tree)),
        (linked.clone(), world.checkpoint(&linked, tree)),
    ];
    expected.sort();
    assert_eq!(world.shadow.lines().unwrap(), expected);
    world.git(&["pack-refs", "--all"]);
    assert_eq!(world.shadow.lines().unwrap(), expected);
    let tip = world.checkpoint(&main, tree);
    assert_eq!(world.shadow.tip(&main).unwrap(), Some(tip));
    assert_eq!(world.shadow.lines().unwrap().len(), 2);
}

#[test]
fn a_lock_left_by_a_killed_process_of_ours_is_removed_at_once() {
    let world = World::new();
    let line = main_line();
    let tip = world.checkpoint(&line, world.head_tree());
    let ours = world.site.shadow.join(format!("locks/{line}.ref"));
    fs_err::hard_link(ours, lock_file(&world)).unwrap();
    let next = world.commit(world.head_tree(), Some(tip));
    world.shadow.advance(&line, Some(tip), next).unwrap();
    assert!(!lock_file(&world).exists());
}

#[test]
fn a_young_lock_of_gits_is_honoured_and_an_old_one_is_not() {
    let world = World::new();
    let line = main_line();
    let tip = world.checkpoint(&line, world.head_tree());
    let next = world.commit(world.head_tree(), Some(tip));
    let lock = fs_err::File::create(lock_file(&world)).unwrap();
    let refused = world.shadow.advance(&line, Some(tip), next);
    assert!(matches!(refused, Err(ShadowError::Raced)));
    assert_eq!(world.shadow.tip(&line).unwrap(), Some(tip));
    let long_ago = lock.metadata().unwrap().modified().unwrap() - Duration::from_mins(1);
    lock.into_file().set_modified(long_ago).unwrap();
    world.shadow.advance(&line, Some(tip), next).unwrap();
    assert_eq!(world.shadow.tip(&line).unwrap(), Some(next));
}

#[test]
fn a_lock_from_the_future_does_not_count_as_old() {
    let world = World::new();
    let tip = world.checkpoint(&main_line(), world.head_tree());
    let lock = fs_err::File::create(lock_file(&world)).unwrap();
    let future = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    lock.into_file().set_modified(future).unwrap();
    let refused = world.shadow.advance(&main_line(), Some(tip), tip);
    assert!(matches!(refused, Err(ShadowError::Raced)));
}

#[test]
fn a_ref_that_names_no_object_is_damage() {
    let world = World::new();
    let at = world.site.shadow.join(main_line().ref_name());
    for content in [
        "",
        "ref: refs/heads/main\n",
        "0123\n",
        &"ab".repeat(32),
        &"x".repeat(10_000),
    ] {
        fs_err::write(&at, content).unwrap();
        let read = world.shadow.tip(&main_line());
        assert!(
            matches!(read, Err(ShadowError::Damaged { .. })),
            "{content}: {read:?}"
        );
    }
}

#[test]
fn a_line_is_held_by_one_at_a_time() {
    let world = World::new();
    let held = world.shadow.lock_line(&main_line()).unwrap();
    let other = world.again();
    let name = format!("{}.line", main_line());
    assert!(other.try_lock(&name).unwrap().is_none());
    drop(held);
    assert!(other.try_lock(&name).unwrap().is_some());
}
