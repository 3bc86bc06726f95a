//! Commands in containers: `docker run image words…`, `docker exec`, `compose run`, `kubectl exec -- words…`.

use super::outer::{Outer, placed};
use crate::shell::inner::Inner;
use crate::shell::place::Place;

pub(super) fn docker(outer: &Outer<'_>) -> Vec<Inner> {
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
    placed(found, &Place::Container)
}

pub(super) fn kubectl(outer: &Outer<'_>) -> Vec<Inner> {
    let Some("exec" | "run" | "debug" | "rsh") = outer.sub().first().copied() else {
        return Vec::new();
    };
    let first = outer
        .usage
        .operands
        .iter()
        .position(|operand| operand.after_dashes);
    let start = first.unwrap_or(1);
    placed(outer.command(start), &Place::Container)
}
