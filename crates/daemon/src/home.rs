//! Where things live on this machine: the state folder and everything in it, and the socket.

use crate::environment::{self, Environment};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The protocol this binary speaks; part of the socket's name, so that strangers never meet.
pub const PROTOCOL: u32 = 1;

/// A socket's path must fit `sockaddr_un`: 108 bytes on Linux, 104 elsewhere, with its end mark.
const LONGEST_SOCKET_PATH: usize = 100;

/// The state folder and the socket that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
    socket: PathBuf,
}

/// Why there is no usable folder.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// The folder cannot be made.
    #[error("cannot make the folder {path}: {source}")]
    CannotMake {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder belongs to somebody else, or others may look into it.
    #[error("the folder {path} is not ours alone")]
    NotOurs {
        /// Which.
        path: PathBuf,
    },
}

impl Home {
    /// Where this environment says things live. Nothing is made or looked at.
    pub fn of(environment: &Environment) -> Self {
        let folder = folder(environment);
        let socket = socket(environment, &folder);
        Self { folder, socket }
    }

    /// The last resort where the environment names no folder, or only one too deep for a socket.
    pub fn without_a_home() -> PathBuf {
        PathBuf::from(format!("/tmp/toprope-{}", rustix::process::getuid().as_raw()))
    }

    /// The state folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The socket the daemon listens on.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.folder.join("toprope.db")
    }

    /// Held by the one daemon for its life.
    pub fn daemon_lock(&self) -> PathBuf {
        self.folder.join("daemon.lock")
    }

    /// Held by the one hook that is starting a daemon.
    pub fn launch_lock(&self) -> PathBuf {
        self.folder.join("launch.lock")
    }

    /// What the daemon has to say.
    pub fn daemon_log(&self) -> PathBuf {
        self.folder.join("daemon.log")
    }

    /// Left by a hook whose daemon did not answer.
    pub fn silence(&self) -> PathBuf {
        self.folder.join("daemon.silent")
    }

    /// Payloads too large for a frame.
    pub fn spool(&self) -> PathBuf {
        self.folder.join("spool")
    }

    /// Shadow repositories of folders outside git.
    pub fn shadows(&self) -> PathBuf {
        self.folder.join("shadows")
    }

    /// Originals of the files `init` changed.
    pub fn backups(&self) -> PathBuf {
        self.folder.join("backups")
    }

    /// Marks of what a person was told while nothing could be written down.
    pub fn told(&self) -> PathBuf {
        self.folder.join("told")
    }

    /// Markers of projects that are switched off.
    pub fn disabled(&self) -> PathBuf {
        self.folder.join("disabled")
    }

    /// Changes whenever something is trusted or revoked.
    pub fn trust_stamp(&self) -> PathBuf {
        self.folder.join("trust.stamp")
    }

    /// Everything we ever make in the state folder, and the socket.
    pub fn belongings(&self) -> Vec<PathBuf> {
        let beside_database = |end: &str| self.folder.join(format!("toprope.db{end}"));
        let mut belongings = vec![
            self.socket.clone(),
            self.spool(),
            self.shadows(),
            self.backups(),
            self.disabled(),
            self.told(),
            self.daemon_log().with_extension("log.old"),
            self.daemon_log(),
            self.silence(),
            self.trust_stamp(),
            beside_database("-journal"),
            beside_database("-wal"),
            beside_database("-shm"),
            beside_database(store::LINE),
            self.database(),
            self.launch_lock(),
            self.daemon_lock(),
        ];
        // Without a runtime folder the socket is in the state folder, and both may have happened.
        belongings.extend(self.socket.file_name().map(|name| self.folder.join(name)));
        belongings
    }

    /// Makes the state folder, ours alone.
    pub fn make(&self) -> Result<(), HomeError> {
        make_private(&self.folder)
    }

    /// Makes the socket's folder, ours alone.
    pub fn make_socket_folder(&self) -> Result<(), HomeError> {
        self.socket.parent().map_or(Ok(()), make_private)
    }
}

/// Makes a folder that only we may enter. One that is there must be ours, and is closed to others.
pub fn make_private(path: &Path) -> Result<(), HomeError> {
    refuse_a_trap(path)?;
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    made.map_err(|source| HomeError::CannotMake {
        path: path.to_owned(),
        source,
    })?;
    let found = fs_err::metadata(path).map_err(|source| HomeError::CannotMake {
        path: path.to_owned(),
        source,
    })?;
    let ours = found.uid() == rustix::process::getuid().as_raw();
    if !ours {
        return Err(HomeError::NotOurs {
            path: path.to_owned(),
        });
    }
    if found.mode() & 0o077 != 0 {
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs_err::set_permissions(path, private).map_err(|_| HomeError::NotOurs {
            path: path.to_owned(),
        })?;
    }
    Ok(())
}

/// Everybody can make a folder or a link where our last resort is, before we do.
fn refuse_a_trap(path: &Path) -> Result<(), HomeError> {
    let shared = Home::without_a_home();
    if !path.starts_with(&shared) {
        return Ok(());
    }
    match fs_err::symlink_metadata(&shared) {
        Ok(found) if !found.is_dir() || found.uid() != rustix::process::getuid().as_raw() => {
            Err(HomeError::NotOurs { path: shared })
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn folder(environment: &Environment) -> PathBuf {
    let absolute = |name: &str| {
        environment
            .value(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute(environment::HOME)
        .or_else(|| absolute("XDG_STATE_HOME").map(|state| state.join("toprope")))
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state/toprope")))
        .unwrap_or_else(|| Home::without_a_home().join("state"))
}

fn socket(environment: &Environment, folder: &Path) -> PathBuf {
    // One runtime folder can serve several state folders, so the name carries which one is meant.
    let name = format!(
        "{:016x}-v{PROTOCOL}.sock",
        fingerprint(folder.as_os_str().as_encoded_bytes())
    );
    let runtime = environment
        .value("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let wanted = match runtime {
        Some(runtime) => runtime.join("toprope").join(&name),
        None => folder.join(&name),
    };
    if wanted.as_os_str().len() <= LONGEST_SOCKET_PATH {
        wanted
    } else {
        Home::without_a_home().join(name)
    }
}

/// A short, stable name for a path (FNV-1a).
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
