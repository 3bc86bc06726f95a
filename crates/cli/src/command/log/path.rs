//! A path as a person names it: from the folder they are in, or a glob from the root of the worktree.

use crate::failure::Failure;
use crate::here;
use engine::lease::pattern::Pattern;
use engine::lease::wanted::absolute;
use git::place;
use std::path::{Path, PathBuf};
use store::table::events::PathFilter;

/// What makes a word a glob.
const GLOB: [char; 4] = ['*', '?', '[', '{'];

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPath {
    word: String,
    pattern: Option<Pattern>,
}

impl LogPath {
    /// Reads what a person wrote.
    pub fn parse(word: &str) -> Result<Self, String> {
        if word.is_empty() {
            return Err("accepted: a path, or a glob from the root of the worktree".to_owned());
        }
        let pattern = word.contains(GLOB).then(|| pattern(word)).transpose();
        match pattern {
            Ok(pattern) => Ok(Self {
                word: word.to_owned(),
                pattern,
            }),
            // A file can have any name.
            Err(_) if Path::new(word).exists() => Ok(Self {
                word: word.to_owned(),
                pattern: None,
            }),
            Err(why) => Err(why),
        }
    }

    /// The same for the store, named by somebody in the folder they are in.
    pub fn filter(&self) -> Result<PathFilter, Failure> {
        let folder = here::folder()?;
        if let Some(pattern) = &self.pattern
            && !folder.join(&self.word).exists()
        {
            return Ok(PathFilter::Like(pattern.clone()));
        }
        let whole = absolute(Path::new(&self.word), Some(&folder)).unwrap_or(folder);
        let inside = whole
            .strip_prefix(root_of(&whole))
            .ok()
            .map(|inside| inside.to_string_lossy().into_owned());
        Ok(PathFilter::At {
            whole: whole.to_string_lossy().into_owned(),
            inside,
        })
    }
}

/// The root of the worktree that holds a path; without git, of the project.
fn root_of(path: &Path) -> PathBuf {
    let place = place::find(path.parent().unwrap_or(path));
    place.worktree.unwrap_or(place.project.root)
}

/// A glob without a slash is about names, wherever they are.
fn pattern(word: &str) -> Result<Pattern, String> {
    let word = word.strip_prefix("./").unwrap_or(word);
    if word.starts_with('/') {
        return Err("a glob begins at the root of the worktree, as in `src/**/*.rs`".to_owned());
    }
    let anywhere = if word.contains('/') {
        word.to_owned()
    } else {
        format!("**/{word}")
    };
    Pattern::parse(&anywhere).map_err(|fault| format!("the glob {}", fault.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_told_from_a_path() {
        for (word, fits, other) in [
            ("*.rs", "src/a.rs", "src/a.ts"),
            ("./src/*.rs", "src/a.rs", "src/deep/a.rs"),
            ("src/**", "src/deep/a.rs", "docs/a.md"),
            ("{a,b}.rs", "x/b.rs", "c.rs"),
        ] {
            let PathFilter::Like(pattern) = LogPath::parse(word).unwrap().filter().unwrap() else {
                panic!("{word} is a glob");
            };
            assert!(pattern.fits(fits) && !pattern.fits(other), "{word}");
        }
        let plain = LogPath::parse("src/../a.rs").unwrap().filter().unwrap();
        assert!(
            matches!(plain, PathFilter::At { whole, .. } if whole.ends_with("/a.rs") && !whole.contains(".."))
        );
    }

    #[test]
    fn what_is_neither_a_path_nor_a_glob_is_refused_with_the_reason() {
        let refused = |word: &str| LogPath::parse(word).unwrap_err();
        insta::assert_snapshot!(
            ["", "/tmp/*.rs", "src/[a", "src/{a", "../*.rs"].map(refused).join("\n"),
            @r"
        accepted: a path, or a glob from the root of the worktree
        a glob begins at the root of the worktree, as in `src/**/*.rs`
        the glob has a `[` that does not end
        the glob has a brace without its partner
        the glob has a name that is `.` or `..`
        "
        );
    }
}
