//! Our own objects are our own, whatever happens to the user's.

use super::*;

#[test]
fn a_blob_the_user_staged_and_dropped_is_readable_after_their_garbage_collection() {
    let world = World::new();
    world.bench.write("repo/staged", "precious");
    world.bench.git("repo", &["add", "staged"]);
    let theirs = id(&world.bench.git("repo", &["hash-object", "staged"]));
    assert!(!world.shadow.owns(theirs), "what the user has does not count");
    assert_eq!(world.file("precious").id, theirs);
    world.bench.git("repo", &["reset", "-q"]);
    world.bench.git("repo", &["gc", "-q", "--prune=now"]);
    assert!(
        world
            .bench
            .try_git("repo", &["cat-file", "-e", &theirs.to_string()])
            .is_err()
    );
    assert!(world.shadow.owns(theirs));
    assert_eq!(world.shadow.blob(theirs, 100).unwrap(), b"precious");
    assert_eq!(world.again().blob(theirs, 100).unwrap(), b"precious");
}

#[test]
fn an_open_shadow_reads_what_the_user_committed_and_packed_meanwhile() {
    let world = World::new();
    world.shadow.leaves(world.head_tree()).unwrap();
    for round in 0..3 {
        world.bench.write("repo/new", format!("round {round}"));
        world.bench.commit("repo", "more");
        world.bench.git("repo", &["gc", "-q", "--prune=now"]);
        let leaves = world.shadow.leaves(world.head_tree()).unwrap();
        let (_, entry) = leaves.iter().find(|(at, _)| *at == path("new")).unwrap();
        assert_eq!(
            world.shadow.blob(entry.id, 100).unwrap(),
            format!("round {round}").as_bytes()
        );
    }
}

#[test]
fn an_open_shadow_reads_from_more_packs_than_there_were() {
    let world = World::new();
    world.shadow.leaves(world.head_tree()).unwrap();
    let mut ids = Vec::new();
    for number in 0..60 {
        world.bench.write("repo/new", format!("pack {number}"));
        world.bench.commit("repo", "more");
        world.bench.git("repo", &["repack", "-q", "-d"]);
        ids.push(
            world
                .shadow
                .hash_blob(format!("pack {number}").as_bytes())
                .unwrap(),
        );
    }
    let packs = files_below(&world.bench.path("repo/.git/objects/pack"));
    assert!(packs.len() >= 120, "60 packs and their indices: {packs:?}");
    for id in ids {
        let read = world.shadow.blob(id, 100);
        assert!(read.is_ok(), "{id}: {read:?}");
    }
}

#[test]
fn an_open_shadow_reads_while_the_users_packs_become_one() {
    let world = World::new();
    let mut ids = Vec::new();
    for round in 0..4 {
        for number in 0..12 {
            let text = format!("round {round}, pack {number}");
            world.bench.write("repo/new", &text);
            world.bench.commit("repo", "more");
            world.bench.git("repo", &["repack", "-q", "-d"]);
            ids.push(world.shadow.hash_blob(text.as_bytes()).unwrap());
        }
        std::thread::scope(|scope| {
            let packing = scope.spawn(|| world.bench.git("repo", &["repack", "-a", "-d", "-q"]));
            loop {
                let is_over = packing.is_finished();
                for id in &ids {
                    let read = world.shadow.blob(*id, 100);
                    assert!(read.is_ok(), "{id}: {read:?}");
                }
                if is_over {
                    break;
                }
            }
        });
    }
}

#[test]
fn the_users_own_alternates_are_read_also_by_a_relative_path() {
    let bench = Bench::with_repository();
    fs_err::rename(bench.path("repo"), bench.path("lender")).unwrap();
    bench.git(".", &["clone", "-q", "--shared", "lender", "repo"]);
    bench.write(
        "repo/.git/objects/info/alternates",
        "../../../lender/.git/objects\n",
    );
    let world = World::around(bench);
    let leaves = world.shadow.leaves(world.head_tree()).unwrap();
    assert_eq!(leaves.len(), 1);
}

#[test]
fn the_content_is_read_up_to_the_limit_and_not_beyond() {
    let world = World::new();
    let blob = world.file("12345").id;
    assert_eq!(world.shadow.blob(blob, 5).unwrap(), b"12345");
    let refused = world.shadow.blob(blob, 4);
    assert!(matches!(
        refused,
        Err(ShadowError::TooLarge {
            size: 5,
            limit: 4,
            ..
        })
    ));
}

#[test]
fn ids_are_those_git_gives_and_hashing_writes_nothing() {
    for (format, empty) in [
        ("sha1", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (
            "sha256",
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
        ),
    ] {
        let world = World::with_format(format);
        assert_eq!(world.shadow.hash_blob(b"").unwrap(), id(empty));
        assert!(!world.shadow.owns(id(empty)));
        assert_eq!(world.shadow.write_blob(b"").unwrap(), id(empty));
        assert_eq!(world.shadow.blob(id(empty), 0).unwrap(), b"");
        assert_eq!(world.git(&["cat-file", "-t", empty]), "blob");
    }
}

#[test]
fn writing_the_same_bytes_again_writes_no_file() {
    let world = World::new();
    let blob = world.file("same").id;
    let at = world.shadow.objects.loose_path(blob);
    let inode = || std::os::unix::fs::MetadataExt::ino(&fs_err::metadata(&at).unwrap());
    let first = inode();
    assert_eq!(world.file("same").id, blob);
    assert_eq!(inode(), first);
}

#[test]
fn what_a_power_cut_left_of_an_object_is_written_anew() {
    let world = World::new();
    let blob = world.file("content").id;
    let at = world.shadow.objects.loose_path(blob);
    fs_err::remove_file(&at).unwrap();
    fs_err::write(&at, "").unwrap();
    assert!(!world.shadow.owns(blob));
    assert_eq!(world.file("content").id, blob);
    assert_eq!(world.shadow.blob(blob, 100).unwrap(), b"content");
}

#[test]
fn nothing_of_the_users_repository_changes_by_writing_checkpoints() {
    let world = World::new();
    let theirs = || {
        let mut files = files_below(&world.bench.path("repo/.git"));
        files.retain(|file| !file.starts_with("toprope"));
        files
    };
    let before = theirs();
    for number in 0..5 {
        let tree = world.edited([("src/lib.rs", Some(world.file(&number.to_string())))]);
        world.checkpoint(&main_line(), tree);
    }
    assert_eq!(theirs(), before);
    assert_eq!(world.bench.git("repo", &["status", "--porcelain"]), "");
}

#[test]
fn a_shadow_can_be_sent_to_another_thread() {
    let world = World::new();
    let blob = world.file("x").id;
    let World {
        bench: _bench,
        shadow,
        ..
    } = world;
    let read = std::thread::spawn(move || shadow.blob(blob, 10).unwrap());
    assert_eq!(read.join().unwrap(), b"x");
}
