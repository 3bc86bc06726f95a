//! Names of types: which of them stand for several things.

use crate::source::SourceFile;
use std::collections::BTreeMap;

/// The types of the product, by name, with the crates that declare them.
#[derive(Default)]
pub struct TypeNames {
    declared: BTreeMap<String, Vec<String>>,
}

impl TypeNames {
    /// Of items in modules: what a function declares for itself is its own affair.
    pub fn of(files: &[SourceFile]) -> Self {
        let mut names = Self::default();
        for file in files {
            let Some((owner, _)) = file.in_crate() else {
                continue;
            };
            for (_, line) in file.product() {
                if let Some(name) = declared(line) {
                    names
                        .declared
                        .entry(name.to_owned())
                        .or_default()
                        .push(owner.to_owned());
                }
            }
        }
        names
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.declared.values().map(Vec::len).sum()
    }

    /// How many share their name with another one of the workspace.
    pub fn shared(&self) -> usize {
        let owners = self.declared.values().map(Vec::len);
        owners.filter(|owners| *owners > 1).sum()
    }

    /// The names that one crate uses more than once, as `crate::Name`.
    pub fn twice(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, owners) in &self.declared {
            let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
            for owner in owners {
                *counted.entry(owner).or_default() += 1;
            }
            let several = counted.into_iter().filter(|(_, count)| *count > 1);
            found.extend(several.map(|(owner, count)| format!("{owner}::{name} ({count})")));
        }
        found
    }

    /// Those that are named by one of these words alone.
    pub fn named(&self, words: &[&str]) -> Vec<&str> {
        let names = self.declared.keys().map(String::as_str);
        names.filter(|name| words.contains(name)).collect()
    }
}

/// The type that a line declares as an item of its module.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let mut word = words.next()?;
    while word.starts_with("pub") || word == "unsafe" || word == "in" || word.ends_with(')') {
        word = words.next()?;
    }
    if !["struct", "enum", "trait", "union", "type"].contains(&word) {
        return None;
    }
    let name = words.next()?;
    let length = name
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(name.len());
    name.get(..length)
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn a_type_is_declared_at_the_start_of_a_line() {
        let cases = [
            ("pub struct Name<'a> {", Some("Name")),
            ("pub(in super::super) enum Name {", Some("Name")),
            ("pub(crate) trait Name: Sync {", Some("Name")),
            ("type Name = Vec<u8>;", Some("Name")),
            ("    type Item = u8;", None),
            ("pub fn structure() {", None),
            ("impl Name {", None),
        ];
        for (line, name) in cases {
            assert_eq!(declared(line), name, "{line}");
        }
    }
}
