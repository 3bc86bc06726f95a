//! What a pattern in the worktree stands for now. Rather a few paths too many than one too few: what a shell leaves out
//! (hidden names, another case) depends on its settings.

use super::WorldWitness;
use crate::checkpoint::naming::root_of;
use engine::policy::guard::facts::MatchFact;
use engine::policy::guard::glob::{StarReach, fits, is_pattern};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// More than these are told by the pattern alone.
const MOST_MATCHES: usize = 64;
/// So many entries are looked at.
const MOST_ENTRIES: usize = 50_000;
/// For one pattern.
const LOOK: Duration = Duration::from_millis(300);
/// A longer pattern is told by itself.
const LONGEST: usize = 512;

impl WorldWitness<'_> {
    /// What fits a pattern; nothing where that cannot be told.
    pub(super) fn matches(&self, pattern: &str) -> Option<MatchFact> {
        let root = root_of(self.here?);
        let inside = Path::new(pattern).strip_prefix(root).ok()?;
        let names: Vec<&str> = inside
            .to_str()?
            .split('/')
            .filter(|name| !name.is_empty())
            .collect();
        if pattern.len() > LONGEST || names.iter().any(|name| !is_readable(name)) {
            return None;
        }
        let mut search = GlobSearch {
            folders_only: pattern.ends_with('/'),
            way: SearchRoute::Plain,
            found: Vec::new(),
            behind: Vec::new(),
            starred: Vec::new(),
            entries: 0,
            until: Instant::now() + self.left().min(LOOK),
        };
        search.below(root, &names)?;
        Some(MatchFact {
            paths: told(search.found)?,
            behind: told(search.behind)?,
            starred: told(search.starred)?,
        })
    }
}

fn told(mut found: Vec<PathBuf>) -> Option<Vec<String>> {
    found.sort();
    found.dedup();
    let names = found.iter().map(|path| path.to_str().map(str::to_owned));
    names.collect()
}

/// Whether every shell reads a name of a pattern like we do.
fn is_readable(name: &str) -> bool {
    let is_extended = name.contains(['(', ')', '|', '{', '}', '#', '~', '^', '<', '>']);
    let has_class = ["[:", "[.", "[="].iter().any(|class| name.contains(class));
    // One that is not closed is a letter to a shell.
    let is_closed = name.matches('[').count() == name.matches(']').count();
    !is_extended && !has_class && is_closed && !matches!(name, "." | "..") && name.matches('*').count() <= 8
}

/// How the search came to where it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchRoute {
    Plain,
    /// Through a link.
    Link,
    /// Through a link that two stars stand for.
    Stars,
}

struct GlobSearch {
    /// A slash at the end asks for folders.
    folders_only: bool,
    way: SearchRoute,
    found: Vec<PathBuf>,
    behind: Vec<PathBuf>,
    starred: Vec<PathBuf>,
    entries: usize,
    until: Instant,
}

impl GlobSearch {
    /// Everything below a folder that fits the names, one after another. Nothing where that is too much, or where it
    /// leads into a git directory.
    fn below(&mut self, folder: &Path, names: &[&str]) -> Option<()> {
        let Some((first, rest)) = names.split_first() else {
            return Some(());
        };
        if *first == "**" {
            self.below(folder, rest)?;
        } else if !is_pattern(first) && !first.contains('\\') {
            return self.at(&folder.join(first), rest);
        }
        let entries = match fs_err::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Some(()),
            Err(_) => return None,
        };
        for entry in entries {
            self.entries += 1;
            if self.entries > MOST_ENTRIES || Instant::now() > self.until {
                return None;
            }
            let entry = entry.ok()?;
            let name = entry.file_name();
            let name = name.to_str()?;
            if *first == "**" {
                // A search goes everywhere, but through no link.
                let kind = entry.file_type().ok()?;
                if kind.is_dir() {
                    self.below(&entry.path(), names)?;
                } else if kind.is_symlink() && !rest.is_empty() && self.way == SearchRoute::Plain {
                    self.through(&entry.path(), rest, SearchRoute::Stars)?;
                } else if rest.is_empty() {
                    self.take(entry.path())?;
                }
            } else if is_like(first, name) {
                self.at(&entry.path(), rest)?;
            }
        }
        Some(())
    }

    /// A path that fits so far.
    fn at(&mut self, path: &Path, rest: &[&str]) -> Option<()> {
        let Ok(found) = fs_err::symlink_metadata(path) else {
            return Some(());
        };
        let goes_on = !rest.is_empty() || self.folders_only;
        if goes_on && found.is_symlink() {
            let way = if self.way == SearchRoute::Plain {
                SearchRoute::Link
            } else {
                self.way
            };
            return self.through(path, rest, way);
        }
        if rest.is_empty() {
            let fits = found.is_dir() || !self.folders_only;
            return if fits {
                self.take(path.to_path_buf())
            } else {
                Some(())
            };
        }
        self.below(path, rest)
    }

    /// What fits behind a link, if that leads to a folder.
    fn through(&mut self, link: &Path, rest: &[&str], way: SearchRoute) -> Option<()> {
        if !link.is_dir() {
            return Some(());
        }
        let before = std::mem::replace(&mut self.way, way);
        let found = if rest.is_empty() {
            self.take(link.to_path_buf())
        } else {
            self.below(link, rest)
        };
        self.way = before;
        found
    }

    fn take(&mut self, path: PathBuf) -> Option<()> {
        let linked = match self.way {
            SearchRoute::Plain => None,
            SearchRoute::Link => Some(&mut self.behind),
            SearchRoute::Stars => Some(&mut self.starred),
        };
        if let Some(linked) = linked {
            // One says enough.
            if linked.is_empty() {
                linked.push(path);
            }
            return Some(());
        }
        let in_git = path.components().any(|part| part.as_os_str() == ".git");
        if in_git || self.found.len() >= MOST_MATCHES {
            return None;
        }
        self.found.push(path);
        Some(())
    }
}

/// Whether a name may fit: in any case, and also where the pattern is a name itself.
fn is_like(pattern: &str, name: &str) -> bool {
    // No shell gives out a hidden repository for a star.
    if name == ".git" && !pattern.starts_with('.') {
        return false;
    }
    name == pattern
        || fits(pattern, name, StarReach::Text)
        || fits(&pattern.to_lowercase(), &name.to_lowercase(), StarReach::Text)
}
