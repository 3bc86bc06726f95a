use super::*;
use git::place::find;

#[test]
fn a_file_in_a_folder_that_is_still_to_be_made_belongs_to_the_same_worksite() {
    let world = tempfile::tempdir().unwrap();
    for inner in [".git/objects", ".git/refs"] {
        fs_err::create_dir_all(world.path().join(inner)).unwrap();
    }
    fs_err::write(world.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let environment = GitEnvironment {
        path: std::ffi::OsString::new(),
        home: None,
    };
    let worksites = WorktreeContexts::new(environment, world.path().join("outside"));
    let (root, inner) = (find(world.path()), find(&world.path().join("new/deep")));
    assert_ne!(root, inner, "they are found in two ways");
    let site = |place: Place| worksites.at(&Arc::new(place)).unwrap().unwrap();
    assert!(Arc::ptr_eq(&site(root.clone()), &site(inner)), "one gate for all");
    assert!(Arc::ptr_eq(&site(root.clone()), &site(root)));
}
