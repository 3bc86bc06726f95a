//! Pushes that remove branches on the other side.

use super::CheckContext;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::push::{aims, is_protected};

/// A branch nobody but a person moves.
pub(super) fn to_protected(look: &CheckContext<'_>) -> Option<Hit> {
    removed(look)
        .into_iter()
        .find(|branch| is_protected(branch, look.seen, look.world, look.rules))
        .map(|branch| Hit::yes().about(branch))
}

/// Any other.
pub(super) fn to_other(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.has(&["-n", "--dry-run"]) || to_protected(look).is_some() {
        return None;
    }
    let removes =
        aims(seen, look.world).iter().any(|aim| aim.removes) || seen.has(&["--delete", "-d", "--prune"]);
    removes.then(|| Hit {
        targets: removed(look),
        ..Hit::yes()
    })
}

fn removed(look: &CheckContext<'_>) -> Vec<String> {
    if look.seen.has(&["-n", "--dry-run"]) {
        return Vec::new();
    }
    aims(look.seen, look.world)
        .into_iter()
        .filter(|aim| aim.removes)
        .filter_map(|aim| aim.branch)
        .collect()
}
