//! What may be captured: limits of size, and names that never are.

use std::fmt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::path::RepoPath;

/// Names of every sort. A set of globs that matches all of them leaves nothing to capture.
const SAMPLES: [&str; 6] = [
    "a",
    "Zq9_-x",
    "README.md",
    "src/main.rs",
    ".hidden/.file",
    "0/1/2/three four",
];
const MEBI: u64 = 1024 * 1024;

/// What may be captured.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The most bytes of one file.
    pub max_file: u64,
    /// The most bytes one checkpoint may add.
    pub max_total: u64,
    /// The names that never are.
    pub exclude: Exclude,
}

/// Globs of names that are never captured.
#[derive(Debug, Clone, Default)]
pub struct Exclude(GlobSet);

/// A glob that does not count, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobFault {
    /// The glob.
    pub glob: String,
    /// Why it does not count.
    pub reason: String,
}

impl Exclude {
    /// What these globs say, and which of them do not count.
    ///
    /// A glob without a slash matches a name in any folder, one with a slash a path from the root; a folder that
    /// matches is left out with all that is in it.
    pub fn new<S: AsRef<str>>(globs: &[S]) -> (Self, Vec<GlobFault>) {
        let mut faults = Vec::new();
        let mut kept = Vec::new();
        for glob in globs {
            match set([glob.as_ref()]) {
                Ok(one) if matches_everything(&one) => faults.push(all(glob.as_ref())),
                Ok(_) => kept.push(glob.as_ref()),
                Err(reason) => faults.push(GlobFault {
                    glob: glob.as_ref().to_owned(),
                    reason,
                }),
            }
        }
        match set(kept.iter().copied()) {
            Ok(together) if !matches_everything(&together) => (Self(together), faults),
            Ok(_) | Err(_) => {
                faults.extend(kept.into_iter().map(all));
                (Self::default(), faults)
            }
        }
    }

    /// Whether a path is never captured.
    pub fn has(&self, path: &RepoPath) -> bool {
        self.0.is_match(path.to_path())
    }
}

fn all(glob: &str) -> GlobFault {
    GlobFault {
        glob: glob.to_owned(),
        reason: "it would leave nothing to capture".to_owned(),
    }
}

fn matches_everything(set: &GlobSet) -> bool {
    SAMPLES.iter().all(|name| set.is_match(Path::new(name)))
}

fn set<'glob>(globs: impl IntoIterator<Item = &'glob str>) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let name = glob.trim_end_matches('/');
        let anchored = match name.strip_prefix('/') {
            Some(name) => name.to_owned(),
            None if name.contains('/') => name.to_owned(),
            None => format!("**/{name}"),
        };
        for glob in [anchored.clone(), format!("{anchored}/**")] {
            let built = GlobBuilder::new(&glob).literal_separator(true).build();
            set.add(built.map_err(|error| error.kind().to_string())?);
        }
    }
    set.build().map_err(|error| error.kind().to_string())
}

/// Why something was not captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// Larger than one file may be.
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The checkpoint would become larger than one may be.
    BeyondTotal,
    /// A pipe, socket or device, by its name for people.
    Special(&'static str),
    /// The system refused to show it.
    Unreadable(String),
    /// A glob names it, or it is git's or Toprope's own.
    Excluded,
    /// A folder on the way is a symbolic link.
    ThroughLink,
    /// A repository inside this one that has no commit.
    NestedRepository,
}

impl Skip {
    /// Whether a limit of size is the reason.
    pub fn is_for_size(&self) -> bool {
        matches!(self, Self::TooLarge { .. } | Self::BeyondTotal)
    }

    /// The setting whose limit is behind a reason that was told before.
    pub fn setting_behind(reason: &str) -> Option<&'static str> {
        match reason {
            BEYOND_TOTAL => Some("max_checkpoint_mb"),
            _ if reason.contains(OVER) => Some("max_file_mb"),
            _ => None,
        }
    }
}

const BEYOND_TOTAL: &str = "beyond the limit of one checkpoint";
const OVER: &str = " MB, limit ";

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { size, limit } => {
                write!(f, "{}{OVER}{}", size.div_ceil(MEBI), limit / MEBI)
            }
            Self::BeyondTotal => f.write_str(BEYOND_TOTAL),
            Self::Special(kind) => f.write_str(kind),
            Self::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            Self::Excluded => f.write_str("excluded"),
            Self::ThroughLink => f.write_str("reached through a symbolic link"),
            Self::NestedRepository => f.write_str("a repository without a commit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(globs: &[&str], path: &str) -> bool {
        let (exclude, faults) = Exclude::new(globs);
        assert_eq!(faults, []);
        exclude.has(&RepoPath::new(path).unwrap())
    }

    #[test]
    fn a_name_matches_in_any_folder_and_a_path_from_the_root() {
        assert!(excluded(&[".env"], ".env"));
        assert!(excluded(&[".env"], "a/b/.env"));
        assert!(excluded(&["*.key"], "a/b.key"));
        assert!(excluded(&["secrets/"], "a/secrets/b/c"));
        assert!(excluded(&["/secrets"], "secrets/b"));
        assert!(!excluded(&["/secrets"], "a/secrets/b"));
        assert!(excluded(&["a/*.pem"], "a/b.pem"));
        assert!(!excluded(&["a/*.pem"], "a/b/c.pem"));
        assert!(!excluded(&["*.key"], "a.keys"));
        assert!(!excluded(&[], "a"));
    }

    #[test]
    fn a_name_that_is_not_text_is_matched_by_its_bytes() {
        let (exclude, _) = Exclude::new(&["*.key"]);
        assert!(exclude.has(&RepoPath::new(&b"a/\xff.key"[..]).unwrap()));
    }

    #[test]
    fn globs_that_leave_nothing_do_not_count_alone_or_together() {
        for globs in [
            &["*"][..],
            &["**"],
            &["**/*"],
            &["/**"],
            &["?*"],
            &["a*/*", "**/[!a]*", "a"],
        ] {
            let (exclude, faults) = Exclude::new(globs);
            assert_eq!(faults.len(), globs.len(), "{globs:?}");
            assert!(!exclude.has(&RepoPath::new("src/main.rs").unwrap()));
        }
    }

    #[test]
    fn a_broken_glob_is_said_and_the_others_count() {
        let (exclude, faults) = Exclude::new(&["[a", "*.key"]);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].glob, "[a");
        assert!(exclude.has(&RepoPath::new("b.key").unwrap()));
    }

    #[test]
    fn reasons_read_like_the_message_they_are_part_of() {
        let size = 212 * MEBI;
        let limit = 50 * MEBI;
        assert_eq!(Skip::TooLarge { size, limit }.to_string(), "212 MB, limit 50");
        assert_eq!(Skip::Special("a named pipe").to_string(), "a named pipe");
        assert_eq!(
            Skip::Unreadable("permission denied".to_owned()).to_string(),
            "cannot be read: permission denied"
        );
    }
}
