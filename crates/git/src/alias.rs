//! What `git <name>` stands for in a folder. Git itself is asked, once for all names: includes and conditions are its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::run::{Git, GitEnvironment, GitError, Limits};

/// More aliases are not told.
const MOST: usize = 512;
/// A longer one is no alias anybody typed.
const LONGEST: usize = 4096;

/// Every alias in force in a folder, by its name in lower case.
pub fn aliases(
    folder: &Path,
    environment: &GitEnvironment,
    time: Duration,
) -> Result<BTreeMap<String, String>, GitError> {
    let git = Git::new(folder, environment);
    let arguments = ["config", "--includes", "-z", "--get-regexp", r"^alias\."];
    match git.run(&arguments, Limits::within(time)) {
        Ok(text) => Ok(parse(&text)),
        // This is how it says that there is none.
        Err(GitError::Failed { code: Some(1), .. }) => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}

fn parse(text: &[u8]) -> BTreeMap<String, String> {
    text.split(|byte| *byte == 0)
        .filter_map(|item| {
            let (key, value) = std::str::from_utf8(item).ok()?.split_once('\n')?;
            let name = key.strip_prefix("alias.")?;
            // `[alias "name"] command = …`, as newer versions of git have it.
            let name = name.strip_suffix(".command").unwrap_or(name);
            let is_usable = !name.is_empty() && value.len() <= LONGEST;
            is_usable.then(|| (name.to_ascii_lowercase(), value.to_owned()))
        })
        .take(MOST)
        .collect()
}

#[cfg(test)]
mod tests;
