//! Where the shadow of a place is, whose objects it reads, and how those are named.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::ShadowError;
use crate::config::GitConfig;
use crate::place::Place;

/// Where a shadow is, and what it stands beside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowSite {
    /// The shadow's own folder.
    pub shadow: PathBuf,
    /// The objects of the user's repository; none outside git.
    pub objects: Option<PathBuf>,
    /// How both name their objects.
    pub format: ObjectFormat,
}

/// How a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// 40 digits.
    Sha1,
    /// 64 digits.
    Sha256,
}

impl ObjectFormat {
    /// The format of the repository with these settings.
    pub(super) fn of(config: &GitConfig) -> Result<Self, ShadowError> {
        match config.object_format.as_deref() {
            None => Ok(Self::Sha1),
            Some(name) if name.eq_ignore_ascii_case(b"sha1") => Ok(Self::Sha1),
            Some(name) if name.eq_ignore_ascii_case(b"sha256") => Ok(Self::Sha256),
            Some(name) => Err(ShadowError::Format(String::from_utf8_lossy(name).into_owned())),
        }
    }

    pub(crate) fn kind(self) -> gix::hash::Kind {
        match self {
            Self::Sha1 => gix::hash::Kind::Sha1,
            Self::Sha256 => gix::hash::Kind::Sha256,
        }
    }
}

impl ShadowSite {
    /// The site of a place: inside the common directory of its repository, else in `outside_git`.
    pub fn of(place: &Place, outside_git: &Path) -> Result<Self, ShadowError> {
        let Some(common) = &place.common_dir else {
            let name = format!("{}.git", digest(place.project.key.as_os_str().as_bytes(), 32));
            return Ok(Self {
                shadow: outside_git.join(name),
                objects: None,
                format: ObjectFormat::Sha1,
            });
        };
        Ok(Self {
            shadow: common.join("toprope").join("shadow.git"),
            objects: Some(common.join("objects")),
            format: ObjectFormat::of(&GitConfig::read(common))?,
        })
    }
}

/// The first digits of a hash of these bytes, for names that must be short and safe.
pub(super) fn digest(bytes: &[u8], digits: usize) -> String {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
    hasher.update(bytes);
    let id = hasher
        .try_finalize()
        .expect("only SHA-1 is watched for collisions");
    id.to_hex_with_len(digits).to_string()
}
