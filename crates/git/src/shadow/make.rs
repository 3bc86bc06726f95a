//! Makes, opens and sets aside a shadow.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::objects::Objects;
use super::{ObjectFormat, Shadow, ShadowError, ShadowSite};
use crate::config::GitConfig;
use crate::small_file;

/// Git calls this a branch that has no commit yet. Nothing is ever on it.
const HEAD: &str = "ref: refs/heads/none\n";
/// What a relative path to the objects of the repository around the shadow is.
const AROUND: &str = "../../../objects";
const SMALL: u64 = 64 * 1024;

/// The files and folders a shadow cannot do without, as they were at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowFiles([Option<ShadowFileStamp>; 4]);

/// What changes when a part does: which file it is, how long, and when it was written.
type ShadowFileStamp = (u64, u64, u64, i64, i64);

impl ShadowFiles {
    /// The parts as they are now.
    pub fn of(site: &ShadowSite) -> Self {
        Self(["HEAD", "config", "objects", "refs"].map(|name| {
            let found = fs_err::metadata(site.shadow.join(name)).ok()?;
            if found.is_dir() {
                return Some((found.dev(), found.ino(), 0, 0, 0));
            }
            let written = (found.mtime(), found.mtime_nsec());
            Some((found.dev(), found.ino(), found.len(), written.0, written.1))
        }))
    }
}

impl Shadow {
    /// The shadow of a site; none if it was not made yet.
    pub fn open(site: &ShadowSite) -> Result<Option<Self>, ShadowError> {
        match fs_err::metadata(&site.shadow) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(damaged(&site.shadow, "is not a folder")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        check(site)?;
        // Reading finds the user's objects without it; only git, run in the shadow, depends on it.
        let _ = point_at(site);
        Ok(Some(Self {
            folder: site.shadow.clone(),
            objects: Objects::at(site),
        }))
    }

    /// Whether the shadow of a site is what it should be, for one who has it open; one that is not there is.
    pub fn verify(site: &ShadowSite) -> Result<(), ShadowError> {
        match fs_err::symlink_metadata(&site.shadow) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            _ => check(site),
        }
    }

    /// The shadow of a site, made if need be. Of several processes that make it at once, one does.
    pub fn make(site: &ShadowSite) -> Result<Self, ShadowError> {
        if let Some(shadow) = Self::open(site)? {
            return Ok(shadow);
        }
        let draft = draft(site)?;
        let made = fill(&draft, site).and_then(|()| Ok(fs_err::rename(&draft, &site.shadow)?));
        if made.is_err() {
            let _ = fs_err::remove_dir_all(&draft);
        }
        match (Self::open(site)?, made) {
            (Some(shadow), _) => Ok(shadow),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Err(damaged(&site.shadow, "was removed while it was made")),
        }
    }

    /// Renames a damaged shadow, so that a new one can be made; nothing is deleted.
    pub fn set_aside(site: &ShadowSite, stamp: &str) -> Result<PathBuf, ShadowError> {
        let safe: String = stamp
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
            .collect();
        for attempt in 0..1000 {
            let suffix = if attempt == 0 {
                String::new()
            } else {
                format!("-{attempt}")
            };
            let aside = beside(&site.shadow, &format!("broken-{safe}{suffix}"));
            if fs_err::symlink_metadata(&aside).is_ok() {
                continue;
            }
            match fs_err::rename(&site.shadow, &aside) {
                Ok(()) => return Ok(aside),
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists).into())
    }
}

/// Whether git would take it for a repository, and one of the right format.
fn check(site: &ShadowSite) -> Result<(), ShadowError> {
    let head = site.shadow.join("HEAD");
    match small_file::read(&head, SMALL) {
        Ok(text) if text.starts_with(b"ref: refs/") => {}
        Ok(_) => return Err(damaged(&head, "names no branch")),
        Err(error) => return Err(lost(&head, error)),
    }
    for folder in ["objects", "refs"] {
        let path = site.shadow.join(folder);
        match fs_err::metadata(&path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(damaged(&path, "is not a folder")),
            Err(error) => return Err(lost(&path, error)),
        }
    }
    let path = site.shadow.join("config");
    small_file::open(&path).map_err(|error| lost(&path, error))?;
    let config = GitConfig::read(&site.shadow);
    if config.bare != Some(true) {
        return Err(damaged(&path, "is not that of a shadow"));
    }
    if ObjectFormat::of(&config)? == site.format {
        Ok(())
    } else {
        Err(damaged(&path, "has another object format than the repository"))
    }
}

/// A part that is missing or of the wrong kind is damage; all other errors are the file system's.
fn lost(path: &Path, error: io::Error) -> ShadowError {
    match error.kind() {
        io::ErrorKind::NotFound => damaged(path, "is missing"),
        io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge | io::ErrorKind::NotADirectory => {
            damaged(path, "is not a small file")
        }
        _ => ShadowError::Io(error),
    }
}

fn damaged(path: &Path, fault: &'static str) -> ShadowError {
    ShadowError::Damaged {
        path: path.to_path_buf(),
        fault,
    }
}

/// A new folder beside the shadow, for the user alone.
fn draft(site: &ShadowSite) -> Result<PathBuf, ShadowError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if let Some(parent) = site.shadow.parent() {
        private(parent, true)?;
    }
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = beside(&site.shadow, &format!("new-{}-{number}", std::process::id()));
        match private(&path, false) {
            Err(ShadowError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
}

fn fill(draft: &Path, site: &ShadowSite) -> Result<(), ShadowError> {
    for folder in [
        "objects/info",
        "objects/pack",
        "refs/heads",
        "refs/toprope/shadow",
        "journal",
        "locks",
    ] {
        private(&draft.join(folder), true)?;
    }
    fs_err::write(draft.join("config"), config(site.format))?;
    let inside = ShadowSite {
        shadow: draft.to_path_buf(),
        ..site.clone()
    };
    point_at(&inside)?;
    fs_err::write(draft.join("HEAD"), HEAD)?;
    Ok(())
}

fn config(format: ObjectFormat) -> String {
    let (version, extensions) = match format {
        ObjectFormat::Sha1 => (0, ""),
        ObjectFormat::Sha256 => (1, "[extensions]\n\tobjectformat = sha256\n"),
    };
    format!(
        "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = true\n\tlogallrefupdates = false\n\
         {extensions}[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    )
}

/// Makes the user's objects the shadow's alternates, by a path that survives a move of both where there is one.
fn point_at(site: &ShadowSite) -> Result<(), ShadowError> {
    let Some(objects) = &site.objects else {
        return Ok(());
    };
    let own = site.shadow.join("objects");
    let place = |path: &Path| {
        fs_err::metadata(path)
            .ok()
            .map(|found| (found.dev(), found.ino()))
    };
    let around = place(&own.join(AROUND));
    let is_around = around.is_some() && around == place(objects);
    let mut wanted = if is_around {
        AROUND.as_bytes().to_vec()
    } else {
        objects.as_os_str().as_bytes().to_vec()
    };
    wanted.push(b'\n');
    let path = own.join("info").join("alternates");
    if small_file::read(&path, SMALL).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let new = own
        .join("info")
        .join(format!("alternates.new-{}", std::process::id()));
    fs_err::create_dir_all(own.join("info"))?;
    fs_err::write(&new, wanted)?;
    fs_err::rename(&new, &path)?;
    Ok(())
}

/// `<shadow>.<suffix>`, in the same folder.
pub(super) fn beside(shadow: &Path, suffix: &str) -> PathBuf {
    let mut name = shadow.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(suffix);
    shadow.with_file_name(name)
}

fn private(path: &Path, with_parents: bool) -> Result<(), ShadowError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700).recursive(with_parents);
    let made = builder.create(path);
    let told = |error: io::Error| {
        let text = format!("failed to create folder `{}`: {error}", path.display());
        io::Error::new(error.kind(), text)
    };
    Ok(made.map_err(told)?)
}
