//! Programs that put files at a place: `cp`, `mv`, `install`, `ln`, and `git mv`.

use super::{CommandWords, Write, WriteKind};
use crate::word::Word;

impl CommandWords<'_> {
    /// What is written where, and what is gone from where it was.
    pub(super) fn placed(&self, program: &str) -> Vec<Write> {
        if self.usage.has("--directory") {
            // `install -d` makes folders, `ln -d` needs more than we have.
            return Vec::new();
        }
        let moves = matches!(program, "mv" | "gmv" | "git");
        let words: Vec<&Word> = self.usage.operands.iter().map(|operand| operand.word).collect();
        let folder = self.usage.value("--target-directory");
        let (sources, target) = match (folder, words.as_slice()) {
            (Some(_), sources) => (sources, None),
            (None, [sources @ .., target]) if !sources.is_empty() => (sources, Some(*target)),
            // A link without a name has that of what it leads to.
            (None, [source]) if matches!(program, "ln" | "gln") => {
                return landed(&Word::new("."), source).into_iter().collect();
            }
            (None, _) => return Vec::new(),
        };
        let mut found = Vec::new();
        if moves {
            let gone = sources
                .iter()
                .map(|source| Write::new((*source).clone(), WriteKind::Remove).below(true));
            found.extend(gone);
        }
        match (folder.or(target), sources) {
            (Some(target), [source]) if folder.is_none() && !is_folder(target) => {
                found.push(self.onto(target, source));
            }
            (Some(target), sources) => {
                found.extend(sources.iter().filter_map(|source| landed(target, source)));
            }
            (None, _) => {}
        }
        found
    }

    /// One source and a name: a file of that name, or one in the folder of that name.
    fn onto(&self, target: &Word, source: &Word) -> Write {
        let mut write = Write::new(target.clone(), WriteKind::Overwrite);
        if !self.usage.has("--no-target-directory") {
            write.into = source.literal().and_then(name).map(str::to_owned);
        }
        write
    }
}

fn is_folder(target: &Word) -> bool {
    target
        .literal()
        .is_some_and(|path| path.ends_with('/') || matches!(path, "." | "..") || path.ends_with("/.."))
}

/// Where a source lands in a folder.
fn landed(folder: &Word, source: &Word) -> Option<Write> {
    let path = format!(
        "{}/{}",
        folder.literal()?.trim_end_matches('/'),
        name(source.literal()?)?
    );
    Some(Write::new(Word::Literal(path), WriteKind::Overwrite))
}

/// The last name of a path.
fn name(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}
