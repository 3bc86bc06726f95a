use super::*;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        world.repository("repo");
        world
    }

    fn repository(&self, name: &str) {
        for inner in [".git/objects", ".git/refs", "src"] {
            fs_err::create_dir_all(self.at(name).join(inner)).unwrap();
        }
        fs_err::write(self.at(name).join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// What a name means for an agent in `repo/<cwd>`.
    fn means(&self, cwd: &str, name: impl AsRef<Path>) -> Result<String, Unplaced> {
        let find = |folder: &Path| Arc::new(git::place::find(folder));
        let cwd = self.at(cwd);
        let here = find(&cwd);
        locate(&here, Some(&cwd), name.as_ref(), find).map(|named| named.path.to_string())
    }
}

#[test]
fn relative_names_start_where_the_agent_stands_and_absolute_ones_at_the_worktree() {
    let world = World::new();
    assert_eq!(world.means("repo/src", "a.rs").unwrap(), "src/a.rs");
    assert_eq!(world.means("repo/src", "../b.rs").unwrap(), "b.rs");
    assert_eq!(
        world.means("repo/src", world.at("repo/new/deep/c.rs")).unwrap(),
        "new/deep/c.rs"
    );
}

#[test]
fn a_link_means_what_it_leads_to() {
    let world = World::new();
    fs_err::write(world.at("repo/real.txt"), "x").unwrap();
    symlink("real.txt", world.at("repo/link.txt")).unwrap();
    symlink("src", world.at("repo/s")).unwrap();
    assert_eq!(world.means("repo", "link.txt").unwrap(), "real.txt");
    assert_eq!(world.means("repo", "s/new.rs").unwrap(), "src/new.rs");
}

#[test]
fn what_is_outside_or_gits_own_is_refused() {
    let world = World::new();
    world.repository("other");
    symlink(world.at("other/src"), world.at("repo/away")).unwrap();
    assert_eq!(world.means("repo", "../x"), Err(Unplaced::Outside));
    assert_eq!(
        world.means("repo", world.at("other/src/x")),
        Err(Unplaced::Outside)
    );
    assert_eq!(world.means("repo", "away/x"), Err(Unplaced::Outside));
    assert!(world.means("repo", ".git/config").is_err());
    assert_eq!(
        world.means("repo", "nowhere/../../x"),
        Err(Unplaced::Refused(PathFault::Dots))
    );
    assert_eq!(
        world.means("repo", "a\0b"),
        Err(Unplaced::Refused(PathFault::Zero))
    );
}

#[test]
fn a_repository_within_the_worktree_is_not_the_worktrees() {
    let world = World::new();
    world.repository("repo/vendor/lib");
    assert_eq!(world.means("repo", "vendor/lib/src/x.rs"), Err(Unplaced::Outside));
}

#[test]
fn outside_git_the_folder_is_the_root() {
    let world = World::new();
    fs_err::create_dir_all(world.at("plain/sub")).unwrap();
    assert_eq!(world.means("plain", "sub/x").unwrap(), "sub/x");
    assert_eq!(world.means("plain", "../repo/x"), Err(Unplaced::Outside));
}
