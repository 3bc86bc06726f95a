//! Files that commands of this text wrote, so that running one of them is reading it.

use crate::path;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many files are followed.
const MOST: usize = 64;

/// What is known about a file's content.
#[derive(Debug, Clone)]
pub(super) struct KnownContent {
    /// The bytes, if all are known.
    pub(super) bytes: Option<Rc<Vec<u8>>>,
    /// The commands that wrote it.
    pub(super) by: Rc<Vec<usize>>,
}

/// The files, by absolute path.
#[derive(Debug, Clone, Default)]
pub(super) struct ScriptFiles {
    made: BTreeMap<String, KnownContent>,
}

impl ScriptFiles {
    pub(super) fn find(&self, cwd: Option<&str>, file: &str) -> Option<&KnownContent> {
        if self.made.is_empty() {
            return None;
        }
        self.made.get(&key(cwd, file))
    }

    pub(super) fn write(&mut self, cwd: Option<&str>, file: &str, made: KnownContent) {
        let key = key(cwd, file);
        if self.made.len() < MOST || self.made.contains_key(&key) {
            self.made.insert(key, made);
        }
    }

    /// Adds to what is there; if nobody knows what was there, nobody knows what is.
    pub(super) fn append(&mut self, cwd: Option<&str>, file: &str, made: &KnownContent) {
        let Some(before) = self.made.get_mut(&key(cwd, file)) else {
            let made = KnownContent {
                bytes: made.bytes.clone(),
                by: Rc::clone(&made.by),
            };
            return self.write(cwd, file, made);
        };
        match (&mut before.bytes, &made.bytes) {
            (Some(one), Some(two)) if one.len() + two.len() <= super::KNOWN_BYTES => {
                Rc::make_mut(one).extend_from_slice(two);
            }
            _ => before.bytes = None,
        }
        Rc::make_mut(&mut before.by).extend_from_slice(&made.by);
    }
}

/// A relative path in an unknown folder stands for itself.
fn key(cwd: Option<&str>, file: &str) -> String {
    let file = file.strip_prefix("./").unwrap_or(file);
    path::joined(cwd, file).unwrap_or_else(|| file.to_owned())
}
