//! Programs that change files in their place: `sed -i`, `perl -i`, `patch`, `yq -i`.

use super::{CommandWords, Write, WriteKind};
use crate::intent::Stdin;
use crate::word::Word;

impl CommandWords<'_> {
    /// The files such a program changes; `None` for any other program.
    pub(super) fn edited(&self, program: &str) -> Option<Vec<Write>> {
        let has = |name: &str| self.usage.has(name);
        let files = match program {
            "sed" | "gsed" => {
                let is_in_place = has("--in-place") || has("-I");
                self.scripted(is_in_place, has("--expression") || has("--file"))
            }
            "perl" | "perl5" | "ruby" => self.scripted(has("-i"), has("-e") || has("-E")),
            "awk" | "gawk" => {
                let is_in_place = self.usage.value("--include").and_then(|value| value.literal());
                self.scripted(is_in_place == Some("inplace"), has("--file"))
            }
            "yq" => self.scripted(has("--inplace"), false),
            "sd" => {
                let mut files = self.operands(WriteKind::Change);
                files.drain(..files.len().min(2));
                if has("--preview") { Vec::new() } else { files }
            }
            "patch" => self.patched(),
            _ => return None,
        };
        Some(files)
    }

    /// The operands; the first is the script, unless an option gives it.
    fn scripted(&self, is_in_place: bool, has_script: bool) -> Vec<Write> {
        if !is_in_place {
            return Vec::new();
        }
        let mut files = self.operands(WriteKind::Change);
        // `sed -i '' s/a/b/ file`: an empty ending for copies, as some systems want it.
        if files
            .first()
            .is_some_and(|first| first.target.literal() == Some(""))
        {
            files.remove(0);
        }
        if !has_script && !files.is_empty() {
            files.remove(0);
        }
        files
    }

    /// `patch file diff`; without a file the diff says it.
    fn patched(&self) -> Vec<Write> {
        // Below another folder, its words count from there.
        if self.usage.has("--dry-run") || self.usage.has("--directory") {
            return Vec::new();
        }
        let output = self.values("--output");
        if !output.is_empty() {
            return output;
        }
        let mut files = self.operands(WriteKind::Change);
        if files.is_empty()
            && let Stdin::Heredoc { text: Some(diff) } = &self.command.stdin
        {
            let strip = self.usage.value("--strip").and_then(Word::literal);
            return named_by(diff, strip.and_then(|count| count.parse().ok()));
        }
        files.truncate(1);
        files
    }
}

/// The files a diff changes, without so many of their first names; without a count, the last name alone.
fn named_by(diff: &str, strip: Option<usize>) -> Vec<Write> {
    let mut lines = diff.lines();
    let mut found: Vec<Write> = Vec::new();
    while let Some(line) = lines.next() {
        // A line that goes looks the same as the head of a file; only the head has this line behind it.
        let (Some(old), Some(new)) = (
            line.strip_prefix("--- "),
            lines.clone().next().and_then(|next| next.strip_prefix("+++ ")),
        ) else {
            continue;
        };
        lines.next();
        let path = [new, old].map(|path| path.split('\t').next().unwrap_or(path).trim());
        let Some(path) = path.into_iter().find(|path| *path != "/dev/null") else {
            continue;
        };
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let first = strip.unwrap_or(names.len().saturating_sub(1));
        let path = names.get(first..).unwrap_or_default().join("/");
        if !path.is_empty() {
            found.push(Write::new(Word::new(path), WriteKind::Change));
        }
    }
    found
}
