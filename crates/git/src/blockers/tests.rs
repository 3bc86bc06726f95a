//! What stands in the way of a path, on real files.

use super::*;
use std::os::unix::fs::symlink;
use std::path::Path;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str) -> &Self {
        let path = self.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "x").unwrap();
        self
    }

    fn obstacle(&self, path: &str, ignore_case: bool) -> Option<PathObstacle> {
        let root = OpenFolder::open_root(self.path()).unwrap();
        obstacle(&root, &named(path), ignore_case)
    }
}

fn named(path: &str) -> RepoPath {
    RepoPath::new(path).unwrap()
}

#[test]
fn nothing_stands_in_the_way_of_a_file_and_of_what_is_missing() {
    let folder = Folder::new();
    folder.write("src/a.rs");
    assert_eq!(folder.obstacle("src/a.rs", false), None);
    assert_eq!(folder.obstacle("new/deep/b.rs", false), None);
}

#[test]
fn a_parent_that_is_a_link_or_a_file_is_named() {
    let folder = Folder::new();
    folder.write("real/a").write("file");
    symlink("real", folder.path().join("link")).unwrap();
    assert_eq!(
        folder.obstacle("link/a", false),
        Some(PathObstacle::Link(named("link")))
    );
    assert_eq!(
        folder.obstacle("file/deep/a", false),
        Some(PathObstacle::File(named("file")))
    );
}

#[test]
fn a_folder_in_the_place_of_a_file_is_told_with_all_it_holds() {
    let folder = Folder::new();
    folder.write("place/one").write("place/deep/two");
    let Some(PathObstacle::Folder(mut below)) = folder.obstacle("place", false) else {
        panic!("a folder stands there");
    };
    below.sort();
    assert_eq!(below, [named("place/deep/two"), named("place/one")]);
    fs_err::create_dir_all(folder.path().join("outer/empty")).unwrap();
    assert_eq!(folder.obstacle("outer/empty", false), None);
    assert_eq!(
        folder.obstacle("outer", false),
        Some(PathObstacle::Folder(vec![named("outer/empty")]))
    );
}

#[test]
fn a_folder_with_a_name_no_checkpoint_holds_stays_in_the_way() {
    let folder = Folder::new();
    folder.write("place/.git");
    assert_eq!(
        folder.obstacle("place", false),
        Some(PathObstacle::Folder(vec![named("place")]))
    );
}

#[test]
fn names_that_differ_only_in_case_count_where_the_file_system_cannot_tell_them_apart() {
    let folder = Folder::new();
    folder.write("src/Readme.md");
    assert_eq!(folder.obstacle("src/README.md", false), None);
    assert_eq!(
        folder.obstacle("src/README.md", true),
        Some(PathObstacle::CaseTwin(named("src/Readme.md")))
    );
    assert_eq!(folder.obstacle("src/Readme.md", true), None);
}
