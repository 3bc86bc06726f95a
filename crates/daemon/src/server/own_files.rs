//! The files a daemon stands on: its socket and its database. Without the one nobody finds it, and what it writes into
//! a database that was removed nobody reads; then it leaves, and the next hook starts another.

use crate::home::Home;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// See the module.
pub struct DaemonFiles {
    database: OpenedPath,
    socket: OpenedPath,
    /// Becomes readable when something happens to one of them.
    watch: Option<OwnedFd>,
}

/// A path and the file it led to.
struct OpenedPath {
    path: PathBuf,
    file: Option<(u64, u64)>,
}

impl DaemonFiles {
    /// The ground as it is now, with the socket open and the database too.
    pub fn of(home: &Home) -> Self {
        let (database, socket) = (home.database(), home.socket().to_owned());
        Self {
            watch: watch(&[&database, &socket]),
            database: OpenedPath::at(database),
            socket: OpenedPath::at(socket),
        }
    }

    /// Whether what is written now would be lost. Asked before every event, because it is cheap.
    pub fn lost_its_database(&self) -> bool {
        !self.database.holds()
    }

    /// Whether the daemon should leave.
    pub fn is_lost(&self) -> bool {
        self.lost_its_database() || !self.socket.holds()
    }

    /// Removes the socket, unless somebody else's stands there by now.
    pub fn remove_socket(&self) {
        if self.socket.holds() {
            let _ = fs_err::remove_file(&self.socket.path);
        }
    }

    /// What to wait on, where the system reports such things.
    pub fn alarm(&self) -> Option<BorrowedFd<'_>> {
        self.watch.as_ref().map(AsFd::as_fd)
    }

    /// Takes everything off the alarm.
    pub fn hear(&self) {
        let mut reports = [0; 1024];
        if let Some(watch) = &self.watch {
            while matches!(rustix::io::read(watch, &mut reports), Ok(1..)) {}
        }
    }
}

impl OpenedPath {
    fn at(path: PathBuf) -> Self {
        let file = file_at(&path);
        Self { path, file }
    }

    fn holds(&self) -> bool {
        self.file.is_some() && file_at(&self.path) == self.file
    }
}

fn file_at(path: &Path) -> Option<(u64, u64)> {
    let found = fs_err::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// A descriptor that tells of changes to these files' names. Reading and writing do not count.
#[cfg(target_os = "linux")]
fn watch(paths: &[&Path]) -> Option<OwnedFd> {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    let watch = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
    // Removing the name of an open file changes its attributes; it is deleted only once it is closed.
    let changes = WatchFlags::ATTRIB | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
    for path in paths {
        add_watch(&watch, *path, changes).ok()?;
    }
    Some(watch)
}

#[cfg(not(target_os = "linux"))]
fn watch(_paths: &[&Path]) -> Option<OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    fn ground(world: &tempfile::TempDir) -> (Home, DaemonFiles) {
        let folder = world.path().to_str().unwrap();
        let home = Home::of(&Environment::of(&[("TOPROPE_HOME", folder)]));
        fs_err::write(home.database(), "").unwrap();
        fs_err::write(home.socket(), "").unwrap();
        let ground = DaemonFiles::of(&home);
        (home, ground)
    }

    #[test]
    fn the_ground_holds_until_a_file_is_taken_away() {
        let world = tempfile::tempdir().unwrap();
        let (home, ground) = ground(&world);
        assert!(!ground.is_lost());
        fs_err::remove_file(home.socket()).unwrap();
        assert!(ground.is_lost() && !ground.lost_its_database());
        fs_err::remove_file(home.database()).unwrap();
        assert!(ground.lost_its_database());
    }

    #[test]
    fn a_socket_that_a_successor_opened_stays() {
        let world = tempfile::tempdir().unwrap();
        let (home, ground) = ground(&world);
        fs_err::write(world.path().join("new"), "").unwrap();
        fs_err::rename(world.path().join("new"), home.socket()).unwrap();
        ground.remove_socket();
        assert!(home.socket().exists());
    }
}
