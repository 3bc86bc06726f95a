//! The part of a tree that a formatter goes over: a folder or a pattern, and the endings of its files.

use super::pattern::Pattern;
use crate::text::one_line;
use serde::{Deserialize, Serialize};

/// Characters of a folder that are shown.
const LONGEST: usize = 80;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BulkScope {
    /// The folder, absolute, without a slash at its end.
    pub folder: String,
    /// Which files below it, as the program reads patterns itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The endings of the files; empty if it may be any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
}

impl BulkScope {
    /// A pattern of a program that runs in this folder: names without `*` and its like in front are folders.
    pub fn of_pattern(folder: &str, pattern: &str, types: &[&str]) -> Option<Self> {
        let is_plain = |name: &&str| !name.contains(['*', '?', '{', '[', '\\']);
        let names: Vec<&str> = pattern.split('/').collect();
        let front = names.iter().take_while(|name| is_plain(name)).count();
        let front = front.min(names.len().saturating_sub(1));
        let (plain, rest) = names.split_at_checked(front)?;
        let begin = if pattern.starts_with('/') { "/" } else { "" };
        let plain = format!("{begin}{}", plain.join("/"));
        let plain = if plain.is_empty() { "." } else { &plain };
        Some(Self {
            pattern: Some(rest.join("/")),
            ..Self::of_folder(folder, plain, types)?
        })
    }

    /// Everything below a folder, which is named in this one.
    pub fn of_folder(folder: &str, name: &str, types: &[&str]) -> Option<Self> {
        let folder = shell::path::joined(Some(folder), name)?;
        Some(Self {
            folder: folder.trim_end_matches('/').to_owned(),
            pattern: None,
            types: types.iter().map(|ending| (*ending).to_owned()).collect(),
        })
    }

    /// Whether a file is in it, by its absolute path.
    pub fn has(&self, file: &str) -> bool {
        let Some(inside) = file
            .strip_prefix(&self.folder)
            .and_then(|rest| rest.strip_prefix('/'))
        else {
            return false;
        };
        let name = inside.rsplit('/').next().unwrap_or(inside);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_type = self.types.is_empty() || self.types.iter().any(|kind| kind == ending);
        let fits = |pattern: &String| Pattern::parse(pattern).is_ok_and(|pattern| pattern.fits(inside));
        is_type && self.pattern.as_ref().is_none_or(fits)
    }

    /// As messages show it to whoever works below this root.
    pub fn shown(&self, root: &str) -> String {
        let what = match self.types.as_slice() {
            [ending] => format!("*.{ending} files"),
            _ => "files".to_owned(),
        };
        let folder = self.folder.strip_prefix(root.trim_end_matches('/'));
        let folder = folder.map(|folder| folder.trim_start_matches('/'));
        let place = match (folder, &self.pattern) {
            (Some(""), None) => "in this tree".to_owned(),
            (Some(""), Some(pattern)) => format!("that fit {pattern}"),
            (Some(folder), None) => format!("in {folder}/"),
            (Some(folder), Some(pattern)) => format!("that fit {folder}/{pattern}"),
            (None, _) => format!("in {}/", self.folder),
        };
        one_line(&format!("{what} {place}"), LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_files_of_its_types_below_it() {
        let web = BulkScope::of_folder("/w", "web/", &["ts", "md"]).unwrap();
        assert!(web.has("/w/web/a.ts") && web.has("/w/web/deep/a.md"));
        assert!(!web.has("/w/web/a.rs") && !web.has("/w/website/a.ts") && !web.has("/w/README.md"));
        let here = BulkScope::of_folder("/w/a", ".", &[]).unwrap();
        assert!(here.has("/w/a/Makefile") && !here.has("/w/b"));
        assert!(
            BulkScope::of_folder("/w/a", "../..", &["rs"])
                .unwrap()
                .has("/w/x.rs")
        );
    }

    #[test]
    fn a_pattern_has_what_fits_it() {
        let scope = |pattern: &str| BulkScope::of_pattern("/w", pattern, &["ts", "tsx"]).unwrap();
        let all = scope("src/**/*.{ts,tsx}");
        assert!(all.has("/w/src/a.ts") && all.has("/w/src/deep/b.tsx"));
        assert!(!all.has("/w/src/a.md") && !all.has("/w/lib/a.ts"));
        assert!(scope("**/*.ts").has("/w/a.ts"));
        assert!(scope("./src/*.ts").has("/w/src/a.ts"));
        assert!(scope("/w/src/*.ts").has("/w/src/a.ts"));
        assert!(!scope("src/*.ts").has("/w/src/deep/a.ts"));
    }

    #[test]
    fn it_is_named_as_people_see_it() {
        let shown = |scope: Option<BulkScope>| scope.unwrap().shown("/w");
        assert_eq!(
            shown(BulkScope::of_folder("/w", ".", &["rs"])),
            "*.rs files in this tree"
        );
        assert_eq!(
            shown(BulkScope::of_folder("/w", "web", &["a", "b"])),
            "files in web/"
        );
        assert_eq!(
            shown(BulkScope::of_pattern("/w", "src/**/*.ts", &["ts"])),
            "*.ts files that fit src/**/*.ts"
        );
    }
}
