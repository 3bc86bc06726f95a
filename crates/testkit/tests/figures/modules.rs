//! Which of a crate's top-level modules need each other in a circle.

use crate::source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// By crate, the modules that come back to themselves through others.
pub fn circles(files: &[SourceFile]) -> BTreeMap<String, Vec<String>> {
    let mut uses: BTreeMap<&str, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for file in files {
        let Some((owner, below)) = file.in_crate() else {
            continue;
        };
        let path = module_path(below);
        let Some(top) = path.first() else { continue };
        let named = uses.entry(owner).or_default().entry(top.clone()).or_default();
        named.extend(top_modules(&file.product_text(), path.len()));
    }
    uses.into_iter()
        .map(|(owner, uses)| (owner.to_owned(), in_a_circle(&uses)))
        .filter(|(_, circle)| !circle.is_empty())
        .collect()
}

/// The module a file is, from the crate's root; empty for the root itself.
fn module_path(below: &Path) -> Vec<String> {
    let mut path: Vec<String> = below
        .with_extension("")
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if path
        .last()
        .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
    {
        path.pop();
    }
    path
}

/// The top-level modules that a file names, which itself is so many modules deep.
fn top_modules(text: &str, depth: usize) -> BTreeSet<String> {
    let root = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for prefix in ["crate::", root.as_str()] {
        for (at, _) in text.match_indices(prefix) {
            let is_longer = text.get(..at).is_some_and(|before| before.ends_with("::"));
            let rest = text.get(at + prefix.len()..).unwrap_or_default();
            if !is_longer && !rest.starts_with("super") {
                found.extend(first_names(rest));
            }
        }
    }
    found
}

/// The first name of a path, or of each path between braces.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        let text = text.trim_start();
        text.chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
            .collect()
    };
    let Some(list) = rest.strip_prefix('{') else {
        return vec![name(rest)];
    };
    let (mut depth, mut found, mut is_start) = (0_u32, Vec::new(), true);
    for (at, letter) in list.char_indices() {
        if is_start && !letter.is_whitespace() {
            found.push(name(list.get(at..).unwrap_or_default()));
            is_start = false;
        }
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_start = true,
            _ => {}
        }
    }
    found
}

fn in_a_circle(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let reaches = |from: &str, to: &str| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&str> = vec![from];
        while let Some(module) = next.pop() {
            for used in uses
                .get(module)
                .into_iter()
                .flatten()
                .filter(|used| *used != module)
            {
                if used == to {
                    return true;
                }
                if uses.contains_key(used) && seen.insert(used.as_str()) {
                    next.push(used);
                }
            }
        }
        false
    };
    let names = uses.keys().filter(|name| reaches(name, name));
    names.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_names_the_first_module_below_the_root() {
        let text = "use crate::{a::{b, c}, d};\nuse crate::e::f;\nuse super::super::g;\nuse super::h;\n";
        let found: Vec<String> = top_modules(text, 2).into_iter().collect();
        assert_eq!(found, ["a", "d", "e", "g"]);
    }

    #[test]
    fn modules_that_reach_themselves_through_others_are_a_circle() {
        let uses = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "d")];
        let uses = uses.map(|(from, to)| (from.to_owned(), BTreeSet::from([to.to_owned()])));
        assert_eq!(in_a_circle(&uses.into()), ["b", "c"]);
    }
}
