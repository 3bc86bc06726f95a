//! Package runners and git: programs that run a program by name, or text they were given.

use super::outer::{WrapperCommand, has_ending, joined};
use super::{interpreter, task};
use crate::code::Language;
use crate::inner::Inner;
use crate::word::Word;

pub(super) fn git(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    match outer.sub() {
        ["bisect", "run"] => outer.command(0),
        ["submodule", "foreach"] => {
            let words = outer.operands(0);
            if words.is_empty() {
                Vec::new()
            } else {
                vec![outer.text(joined(&words))]
            }
        }
        _ => Vec::new(),
    }
}

/// `npx package words…`: the package's own program runs, without its version.
pub(super) fn package(outer: &WrapperCommand<'_>, operand: usize) -> Vec<Inner> {
    if outer.usage.has("--call") {
        return Vec::new();
    }
    let Some(first) = outer.usage.operands.get(operand) else {
        return Vec::new();
    };
    let Some(program) = first.word.literal().map(program_of) else {
        return outer.command(operand);
    };
    if first.word.literal() == Some(program) {
        return outer.command(operand);
    }
    let mut words = vec![Word::new(program)];
    words.extend(
        outer
            .argv
            .get(first.index + 1..)
            .unwrap_or_default()
            .iter()
            .cloned(),
    );
    outer.made(words)
}

/// `rimraf@5` runs `rimraf`, `@scope/tool` runs `tool`, `black==24` runs `black`.
fn program_of(package: &str) -> &str {
    let name = match package.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').map_or(scoped, |(_, name)| name),
        None => package,
    };
    name.split(['@', '=', '<', '>', '[', '~']).next().unwrap_or(name)
}

pub(super) fn manager(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    match (outer.name, outer.sub()) {
        ("npm" | "yarn" | "pnpm" | "bun", ["exec" | "dlx" | "x", ..])
        | ("uv", ["tool", "run"])
        | ("pipx", ["run"]) => package(outer, 0),
        ("uv", ["run"]) => uv_run(outer),
        ("npm" | "yarn" | "pnpm" | "bun", _) | ("deno", ["task"]) => {
            let mut found = task::of_manager(outer);
            found.extend(own_program(outer));
            if outer.name == "bun" {
                found.extend(interpreter::bun(outer));
            }
            found
        }
        ("deno", _) => interpreter::deno(outer),
        _ => Vec::new(),
    }
}

/// `yarn rimraf src`: a name that is no subcommand is a script, or a program of a package.
fn own_program(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let [name, ..] = outer.sub() else {
        return Vec::new();
    };
    if !matches!(outer.name, "yarn" | "pnpm") || !task::is_script(outer, name) {
        return Vec::new();
    }
    match outer.argv.iter().position(|word| word.literal() == Some(name)) {
        Some(at) => outer.words(at..outer.argv.len(), outer.name.to_owned()),
        None => Vec::new(),
    }
}

/// `uv run words…`; a `.py` file is run by python.
fn uv_run(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if outer.usage.has("--module") {
        return outer.command(0);
    }
    match outer.literal(0) {
        Some(file) if has_ending(file, "py") || outer.usage.has("--script") => {
            interpreter::file(outer, Language::Python, 0)
        }
        Some("-") => interpreter::stdin(outer, Language::Python),
        Some(_) | None => outer.command(0),
    }
}
