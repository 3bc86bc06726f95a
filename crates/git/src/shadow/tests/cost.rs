//! How often the shadow reads and lists, counted.

use super::*;

/// A world with folders of one file each.
fn wide(folders: usize) -> World {
    let bench = Bench::with_repository();
    for number in 0..folders {
        bench.write(&format!("repo/src/part{number}/file"), format!("{number}\n"));
    }
    bench.commit("repo", "second");
    World::around(bench)
}

/// A checkpoint after the tip of these paths, as a cut looks them up and lays them over the tip's.
fn cut(world: &World, paths: &[String], content: &str) {
    let (shadow, line) = (&world.shadow, main_line());
    let tip = shadow.tip(&line).unwrap().unwrap();
    let layout = shadow.read_layout(shadow.tree_of(tip).unwrap()).unwrap();
    let mut changes = BTreeMap::new();
    for name in paths {
        let name = path(name);
        for _ in 0..3 {
            shadow.entry(layout.files, &name).unwrap().unwrap();
        }
        let entry = world.file(&format!("{name} {content}"));
        changes.insert(name, Some(entry));
    }
    let files = shadow.edit(Some(layout.files), None, &changes).unwrap();
    let tree = shadow.write_layout(&ShadowLayout { files, ..layout }).unwrap();
    let commit = shadow.commit(&NewCommit {
        tree,
        parent: Some(tip),
        message: content.as_bytes(),
        author: &CommitAuthor::toprope(),
        at_ms: 0,
    });
    shadow.advance(&line, Some(tip), commit.unwrap()).unwrap();
}

fn names(parts: std::ops::Range<usize>) -> Vec<String> {
    parts.map(|number| format!("src/part{number}/file")).collect()
}

/// What was read during something.
fn reads(world: &World, during: impl FnOnce()) -> usize {
    let before = world.shadow.objects.reads.get();
    during();
    world.shadow.objects.reads.get() - before
}

#[test]
fn a_checkpoint_reads_each_folder_it_changes_once_and_what_it_wrote_never() {
    let world = wide(60);
    world.checkpoint(&main_line(), world.head_tree());
    cut(&world, &names(0..1), "two\n");
    assert_eq!(reads(&world, || cut(&world, &names(0..1), "three\n")), 0);
    assert_eq!(reads(&world, || cut(&world, &names(1..51), "four\n")), 50);
    assert_eq!(reads(&world, || cut(&world, &names(0..51), "five\n")), 0);
    world.fsck();
}

#[test]
fn the_folder_of_packs_is_listed_only_when_it_changed() {
    let world = wide(10);
    world.checkpoint(&main_line(), world.head_tree());
    for number in 0..10 {
        cut(&world, &names(number..number + 1), &format!("{number}\n"));
    }
    assert_eq!(world.shadow.objects.packs().listings.get(), 1);
}

#[test]
fn what_was_damaged_is_noticed_once_what_was_read_is_forgotten() {
    let world = World::new();
    let tree = world.edited([("src/lib.rs", Some(world.file("two\n")))]);
    let object = world.bench.path(SHADOW).join("objects");
    let object = object
        .join(tree.to_string().split_at(2).0)
        .join(tree.to_string().split_at(2).1);
    fs_err::remove_file(&object).unwrap();
    fs_err::write(&object, "garbage").unwrap();
    let read = || world.shadow.entry(tree, &path("file")).map(drop);
    assert!(read().is_ok(), "it is what was written");
    world.shadow.forget();
    assert!(matches!(read(), Err(ShadowError::Corrupt { .. })));
}
