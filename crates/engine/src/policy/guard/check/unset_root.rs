//! `rm -rf "$X"/…` where an empty variable turns the path into the root's: the variable must be set.

use super::CheckContext;
use crate::policy::guard::loss::{HarmKind, harms};
use crate::policy::guard::match_result::{Edit, Hit, Splice};
use crate::policy::guard::message::shown_word;
use shell::{Span, Word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let is_meant = harms(seen).iter().any(|harm| {
        matches!(
            harm.how,
            HarmKind::Remove | HarmKind::Move | HarmKind::Mode | HarmKind::Empty
        )
    });
    if !is_meant {
        return None;
    }
    let mut found: Option<Hit> = None;
    let mut splices = Vec::new();
    let mut whole = true;
    for operand in seen.operands() {
        let Word::Unknown {
            prefix,
            suffix,
            name: Some(name),
            ..
        } = operand.word
        else {
            continue;
        };
        if !is_rooted(prefix, suffix) {
            continue;
        }
        let span = seen.command.spans.get(operand.index).copied().flatten();
        let written = span.and_then(|span| span.of(seen.text));
        if written.is_some_and(|written| written.contains(":?")) {
            continue;
        }
        let hit = found.get_or_insert_with(Hit::yes);
        hit.targets.push(shown_word(operand.word));
        match span
            .zip(written)
            .and_then(|(span, written)| required(span, written, name))
        {
            Some(splice) => splices.push(splice),
            None => whole = false,
        }
    }
    let mut hit = found?;
    hit.edit = (whole && seen.command.span.is_some()).then_some(Edit { splices });
    Some(hit)
}

/// Whether the path is the root or a folder right below it once the variable is empty.
fn is_rooted(prefix: &str, suffix: &str) -> bool {
    let empty = format!("{prefix}{suffix}");
    let is_top = empty
        .strip_prefix('/')
        .is_some_and(|rest| rest.trim_end_matches(['/', '*']).matches('/').count() == 0);
    is_top && (suffix.starts_with('/') || prefix == "/")
}

/// `$X` and `${X}` become `${X:?}`, where they stand.
fn required(span: Span, written: &str, name: &str) -> Option<Splice> {
    let braced = format!("${{{name}}}");
    let plain = format!("${name}");
    let (at, length) = match written.find(&braced) {
        Some(at) => (at, braced.len()),
        None => (written.find(&plain)?, plain.len()),
    };
    let start = span.start + at;
    Some(Splice {
        span: Span {
            start,
            end: start + length,
        },
        with: format!("${{{name}:?}}"),
    })
}
