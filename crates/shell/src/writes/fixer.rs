//! Formatters and fixers: the files they are given, or a whole folder.

mod list;

use super::{Area, CertainWrites, CommandWords, Region, Write, WriteKind};
use crate::grammar;
use crate::word::Word;
use list::{FIXERS, Fixer};

/// Names of files that have no ending.
const BARE_FILES: &[&str] = &[
    "Brewfile",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "Procfile",
    "README",
    "Rakefile",
    "Vagrantfile",
    "justfile",
];

/// Programs that mostly do something else: only their subcommands tell.
const MANIFOLD: &[&str] = &["cargo", "dart", "deno", "go", "mix", "nix"];

/// Words of which every command that runs a fixer has one.
pub(super) fn triggers() -> impl Iterator<Item = &'static str> {
    FIXERS.iter().flat_map(|fixer| {
        if MANIFOLD.contains(&fixer.program) {
            fixer.sub
        } else {
            std::slice::from_ref(&fixer.program)
        }
        .iter()
        .copied()
    })
}

impl CommandWords<'_> {
    pub(super) fn fixed(&self, program: &str) -> CertainWrites {
        if let Some(module) = self.module(program) {
            return module;
        }
        let mut found = CertainWrites::default();
        for fixer in FIXERS.iter().filter(|fixer| fixer.program == program) {
            if self.is_on(fixer) {
                found = self.by_fixer(fixer);
            }
        }
        found
    }

    /// `python -m black file`: the module's own program, without what runs it.
    fn module(&self, program: &str) -> Option<CertainWrites> {
        if !program.starts_with("python") {
            return None;
        }
        let [_, option, rest @ ..] = self.command.argv.as_slice() else {
            return None;
        };
        let name = rest.first().and_then(Word::literal)?;
        if option.literal() != Some("-m") || !FIXERS.iter().any(|fixer| fixer.program == name) {
            return None;
        }
        let mut command = self.command.clone();
        command.argv = rest.to_vec();
        let usage = grammar::usage(grammar::program(name), &command.argv);
        let words = CommandWords {
            command: &command,
            usage: &usage,
        };
        Some(words.fixed(name))
    }

    fn is_on(&self, fixer: &Fixer) -> bool {
        let named = fixer.sub.is_empty() || self.names(fixer.sub);
        let is_written = fixer.on.is_empty() || self.any_given(fixer.on) || self.clusters(fixer.on);
        let only_shows = self.any_given(fixer.off) || self.any_given(&["--help", "-h", "--version"]);
        named && is_written && !only_shows && !self.emits()
    }

    /// `rustfmt --emit stdout`
    fn emits(&self) -> bool {
        let words: Vec<&str> = self.command.argv.iter().filter_map(Word::literal).collect();
        let mut pairs = words.windows(2);
        pairs.any(|pair| matches!(pair, ["--emit", kind] if *kind != "files"))
    }

    /// Whether one of these is the subcommand.
    fn names(&self, subs: &[&str]) -> bool {
        let first = self.usage.sub.first().copied();
        first.is_some_and(|first| subs.contains(&first))
    }

    fn clusters(&self, options: &[&str]) -> bool {
        options.iter().any(|option| self.usage.has(option))
    }

    fn by_fixer(&self, fixer: &Fixer) -> CertainWrites {
        let operands = self.usage.operands.iter();
        let operands: Vec<&Word> = operands
            .map(|operand| operand.word)
            .filter(|word| !word.literal().is_some_and(|text| fixer.sub.contains(&text)))
            .collect();
        let mut found = CertainWrites::default();
        let scope = |area: Area| Region {
            area,
            types: fixer.types,
        };
        if operands.is_empty() || fixer.is_whole {
            if fixer.is_whole || fixer.alone {
                found.scopes.push(scope(Area::Folder(".".to_owned())));
            }
            return found;
        }
        for word in operands {
            match word.literal() {
                Some("-") => {}
                // What is left out.
                Some(path) if path.starts_with('!') => {}
                Some(path) if path.contains(['*', '{', '?']) => {
                    found.scopes.push(scope(Area::Pattern(path.to_owned())));
                }
                Some(path) if is_folder(path) => {
                    let folder = path.trim_end_matches("...").trim_end_matches('/');
                    let folder = if folder.is_empty() && !path.starts_with('/') {
                        "."
                    } else {
                        folder
                    };
                    found.scopes.push(scope(Area::Folder(folder.to_owned())));
                }
                Some(_) | None => found.files.push(Write::new(word.clone(), WriteKind::Change)),
            }
        }
        found
    }
}

/// Whether a path looks like a folder.
fn is_folder(path: &str) -> bool {
    if path.ends_with('/') || path.ends_with("...") {
        return true;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "." | ".." => true,
        name => !name.contains('.') && !BARE_FILES.contains(&name),
    }
}
