//! Named tasks of a project: `make t`, `just t`, `npm run t`.

use super::outer::{WrapperCommand, assignment};
use crate::inner::Inner;

pub(super) fn named(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let runner = match outer.name {
        "gmake" | "bmake" => "make",
        "go-task" => "task",
        name => name,
    };
    let only_shows = [
        "--dry-run",
        "--list",
        "--version",
        "--help",
        "--question",
        "--summary",
        "--dump",
        "--show",
    ];
    if only_shows.iter().any(|option| outer.usage.has(option)) {
        return Vec::new();
    }
    let operands = outer
        .usage
        .operands
        .iter()
        .filter(|operand| assignment(operand.word).is_none());
    let mut tasks: Vec<Inner> = operands
        .filter_map(|operand| operand.word.literal())
        .map(|name| one(runner, name))
        .collect();
    if runner == "just" {
        // What follows the first name may be its arguments.
        tasks.truncate(1);
    }
    if tasks.is_empty() && outer.usage.operands.is_empty() {
        tasks.push(one(runner, ""));
    }
    tasks
}

pub(super) fn of_manager(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let name = match outer.sub() {
        ["run" | "task", ..] => outer.literal(0),
        [name @ ("test" | "start" | "stop" | "restart")] if outer.name != "bun" => Some(*name),
        // `yarn build` and `pnpm build` run the script of that name.
        [name] if matches!(outer.name, "yarn" | "pnpm") && is_script(outer, name) => Some(*name),
        _ => None,
    };
    let name = name.filter(|name| !(outer.name == "bun" && name.contains(['.', '/'])));
    name.map(|name| one(outer.name, name)).into_iter().collect()
}

/// Whether a name is none of the program's subcommands.
pub(super) fn is_script(outer: &WrapperCommand<'_>, name: &str) -> bool {
    crate::grammar::program(outer.name).is_some_and(|program| program.table.sub(name).is_none())
}

fn one(runner: &str, name: &str) -> Inner {
    Inner::Task {
        runner: runner.to_owned(),
        name: name.to_owned(),
    }
}
