//! Commands in containers: `docker run image words…`, `docker exec`, `compose run`, `kubectl exec -- words…`.

use super::outer::{WrapperCommand, placed};
use crate::inner::Inner;
use crate::place::CommandHost;

pub(super) fn docker(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let sub = outer.sub();
    let verb = match sub {
        ["compose" | "container", verb, ..] | [verb, ..] => *verb,
        [] => return Vec::new(),
    };
    if !matches!(verb, "run" | "exec" | "create") {
        return Vec::new();
    }
    let found = match outer.usage.value("--entrypoint").filter(|_| verb != "exec") {
        Some(entry) => {
            let mut words = vec![entry.clone()];
            words.extend(outer.operands(1));
            outer.made(words)
        }
        None => outer.command(1),
    };
    placed(found, &CommandHost::Container)
}

pub(super) fn kubectl(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let Some("exec" | "run" | "debug" | "rsh") = outer.sub().first().copied() else {
        return Vec::new();
    };
    let first = outer
        .usage
        .operands
        .iter()
        .position(|operand| operand.after_dashes);
    let start = first.unwrap_or(1);
    placed(outer.command(start), &CommandHost::Container)
}
