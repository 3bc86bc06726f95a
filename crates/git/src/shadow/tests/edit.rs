//! Editing, comparing and listing trees gives what git gives.

use super::*;

#[test]
fn a_changed_file_gives_the_tree_git_would_write() {
    for format in ["sha1", "sha256"] {
        let world = World::with_format(format);
        let edits = changes([("src/deep/er/mod.rs", Some(world.file("new\n"))), ("file", None)]);
        let head = Some(world.head_tree());
        let ours = world.shadow.edit(head, head, &edits).unwrap();
        world.bench.write("repo/src/deep/er/mod.rs", "new\n");
        fs_err::remove_file(world.bench.path("repo/file")).unwrap();
        world.bench.git("repo", &["add", "-A"]);
        assert_eq!(ours.to_string(), world.bench.git("repo", &["write-tree"]));
    }
}
