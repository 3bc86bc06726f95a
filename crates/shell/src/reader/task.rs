//! Named tasks of a project: the recipe is read where the session wrote the file it stands in.

use super::following::{OuterCommand, RunMode};
use super::{GroupLevel, PrintedOutput, ShellReader, SourceText};
use crate::state::ShellState;
use crate::word::Word;

impl ShellReader<'_> {
    pub(super) fn task(
        &mut self,
        runner: &str,
        name: &str,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Option<PrintedOutput> {
        let files: &[&str] = match runner {
            "make" | "gmake" => &["Makefile", "makefile", "GNUmakefile"],
            "just" => &["justfile", "Justfile", ".justfile"],
            "npm" | "yarn" | "pnpm" | "bun" => &["package.json"],
            _ => return None,
        };
        let given = matches!(runner, "make" | "just")
            .then(|| file_given(&outer.run.argv))
            .flatten();
        let files: &[&str] = match &given {
            Some(file) => &[*file],
            None => files,
        };
        for file in files {
            let Some(text) = self.file_text(&Word::new(*file), state) else {
                continue;
            };
            let recipe = match runner {
                "make" | "gmake" => recipe(&text, name, '\t'),
                "just" => recipe(&text, name, ' '),
                _ => package_script(&text, name),
            };
            let page = SourceText {
                text: &recipe?,
                base: None,
                cuts: &[],
            };
            let way = RunMode {
                arguments: outer.run.argv.get(2..).unwrap_or_default(),
                is_same_shell: false,
            };
            return Some(self.in_shell(&page, way, state, level));
        }
        None
    }
}

/// `make -f file`, `just --justfile file`.
fn file_given(argv: &[Word]) -> Option<&str> {
    let mut words = argv.iter().skip(1).map(Word::literal);
    while let Some(word) = words.next() {
        let word = word.unwrap_or_default();
        if matches!(word, "-f" | "--file" | "--makefile" | "--justfile") {
            return words.next().flatten();
        }
        let joined = ["--file=", "--makefile=", "--justfile="]
            .iter()
            .find_map(|option| word.strip_prefix(option));
        if joined.is_some() {
            return joined;
        }
    }
    None
}

/// The indented lines below `name:`; without a name the first task's.
fn recipe(text: &str, name: &str, indent: char) -> Option<String> {
    let mut lines = text.lines();
    let is_head = |line: &&str| {
        let Some((head, _)) = line.split_once(':') else {
            return false;
        };
        let is_task = !line.starts_with([' ', '\t', '#', '.']) && !line.contains(":=");
        let mut names = head.split_whitespace();
        is_task && (name.is_empty() || names.any(|word| word.trim_start_matches('@') == name))
    };
    lines.find(is_head)?;
    let mut recipe = String::new();
    for line in lines {
        if !line.starts_with([indent, '\t']) && !line.trim().is_empty() {
            break;
        }
        // `@` and `-` in front of a line only say how it is shown; `$$` is one `$` for the shell.
        let line = line
            .trim_start()
            .trim_start_matches(['@', '-', '+'])
            .replace("$$", "$");
        recipe.push_str(&line);
        recipe.push('\n');
    }
    Some(recipe)
}

/// The script of that name, with what npm runs before and after it.
fn package_script(text: &str, name: &str) -> Option<String> {
    let package: serde_json::Value = serde_json::from_str(text).ok()?;
    let scripts = package.get("scripts")?;
    let parts = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
    let found: Vec<&str> = parts
        .iter()
        .filter_map(|part| scripts.get(part)?.as_str())
        .collect();
    (!found.is_empty()).then(|| found.join("\n"))
}
