//! Commands that build and test. What they touch on the way (lock files, snapshots, generated code) is nobody's editing.

use super::reading;
use crate::intent::{Command, Intent};
use crate::word::Word;

/// Programs that build, test or install what a project needs.
const BUILDERS: &[&str] = &[
    "ant",
    "bazel",
    "bazelisk",
    "buck2",
    "bun",
    "bundle",
    "cargo",
    "cmake",
    "composer",
    "ctest",
    "deno",
    "dotnet",
    "flutter",
    "go",
    "gradle",
    "gradlew",
    "jest",
    "just",
    "lake",
    "make",
    "meson",
    "mix",
    "mocha",
    "mvn",
    "mvnw",
    "ninja",
    "nox",
    "npm",
    "npx",
    "phpunit",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "pytest",
    "rake",
    "rspec",
    "sbt",
    "stack",
    "swift",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "vite",
    "vitest",
    "webpack",
    "xcodebuild",
    "yarn",
    "zig",
];

/// Modules of Python that test.
const MODULES: &[&str] = &["pip", "pytest", "tox", "unittest"];

/// Whether a text does nothing but build, test and read.
pub fn only_builds(intent: &Intent) -> bool {
    let has_doubts = intent.notes.iter().any(|note| note.cause.is_opaque());
    let mut builds = false;
    for command in &intent.commands {
        if is_build(command) {
            builds = true;
        } else if !reading::only_reads(command) {
            return false;
        }
    }
    builds && !has_doubts
}

fn is_build(command: &Command) -> bool {
    let Some(program) = command.program() else {
        return false;
    };
    if BUILDERS.contains(&program) {
        return true;
    }
    let words: Vec<&str> = command.argv.iter().filter_map(Word::literal).collect();
    program.starts_with("python")
        && matches!(words.as_slice(), [_, "-m", module, ..] if MODULES.contains(module))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, UserWrappers, read};

    fn builds(text: &str) -> bool {
        let wrappers = UserWrappers::default();
        only_builds(&read(
            text,
            &Scene::at(Some(std::path::Path::new("/w")), &wrappers),
        ))
    }

    #[test]
    fn a_test_run_is_told_from_a_script() {
        for text in [
            "cargo test",
            "cd app && npm test 2>&1 | tail -20",
            "timeout 60 python3 -m pytest -q",
            "./gradlew build",
        ] {
            assert!(builds(text), "{text}");
        }
        for text in [
            "python3 fix.py",
            "cargo test && ./fix.sh",
            "ls",
            "sed -i s/a/b/ c && make",
        ] {
            assert!(!builds(text), "{text}");
        }
    }
}
