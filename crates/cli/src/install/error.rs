//! Why a settings file was left alone, and what the person can do about it.

use super::json::JsonError;
use engine::text::path_word;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

#[cfg(test)]
mod tests;

/// A reason to leave a settings file as it is.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Its content cannot be edited safely.
    #[error("`{}` was left as it is: {source}", path.display())]
    Content {
        /// The settings file.
        path: PathBuf,
        /// What is wrong with it.
        source: JsonError,
    },
    /// A symbolic link leads somewhere an edit was not asked for.
    #[error("`{}` leads to `{}`, outside `{}`", path.display(), target.display(), boundary.display())]
    OutsideLink {
        /// The settings file as it was named.
        path: PathBuf,
        /// Where it really is.
        target: PathBuf,
        /// The folder it should be in.
        boundary: PathBuf,
    },
    /// A symbolic link leads nowhere.
    #[error("`{}` is a link to something that does not exist", path.display())]
    DanglingLink {
        /// The link.
        path: PathBuf,
    },
    /// Something else stands where the file should be.
    #[error("`{}` is not a file", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// Something else stands where the settings folder should be.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// Writing is not allowed.
    #[error("`{}` is read-only", path.display())]
    ReadOnly {
        /// The settings file or its folder.
        path: PathBuf,
    },
    /// Somebody else wrote the file between our reading and our writing.
    #[error("`{}` changed while it was being edited", path.display())]
    Changed {
        /// The settings file.
        path: PathBuf,
    },
    /// The program cannot be named in the settings.
    #[error("the program's path `{}` {reason}", path.display())]
    Program {
        /// The path as it was given.
        path: PathBuf,
        /// Why it cannot be used.
        reason: &'static str,
    },
    /// The state folder cannot be named in the settings.
    #[error("the state folder `{}` {reason}", path.display())]
    StateFolder {
        /// The folder.
        path: PathBuf,
        /// Why it cannot be used.
        reason: &'static str,
    },
    /// The system refused; the cause names the path.
    #[error("could not {action}")]
    Io {
        /// What we were doing.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl InstallError {
    /// What the person can do.
    pub fn hint(&self) -> String {
        match self {
            Self::Content { source, .. } => source.hint(),
            Self::OutsideLink { .. } => {
                "put a file of its own in the link's place, or choose another one with `--scope`".to_owned()
            }
            Self::DanglingLink { path } => {
                format!("remove the link: `rm {}`", path_word(path.as_os_str().as_bytes()))
            }
            Self::NotAFile { path } | Self::NotAFolder { path } => {
                format!(
                    "move it away: `mv {0} {0}.old`",
                    path_word(path.as_os_str().as_bytes())
                )
            }
            Self::ReadOnly { path } => {
                format!(
                    "allow writing: `chmod u+w {}`, then run it again",
                    path_word(path.as_os_str().as_bytes())
                )
            }
            Self::Changed { .. } => "nothing was written; run it again".to_owned(),
            Self::Program { .. } => {
                "install the program under its own name, for example with `cargo install --path crates/cli`"
                    .to_owned()
            }
            Self::StateFolder { .. } => "name another folder with `TOPROPE_HOME`".to_owned(),
            Self::Io { .. } => {
                "nothing was written to the settings; correct the cause and run it again".to_owned()
            }
        }
    }

    /// Makes an error of the system one of ours.
    pub fn io(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}
