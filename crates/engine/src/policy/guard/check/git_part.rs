//! Removing parts of a git directory by hand.

use super::CheckContext;
use crate::policy::guard::loss::{HarmKind, harms};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::zone::Zone;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    if look.seen.is(&["git", "git-filter-repo", "bfg"]) {
        return Some(Hit::yes());
    }
    harms(look.seen)
        .iter()
        .filter(|harm| match harm.how {
            HarmKind::Remove => !harm.deep,
            HarmKind::Empty | HarmKind::Overwrite | HarmKind::Append => true,
            HarmKind::Move | HarmKind::Mode => false,
        })
        .find_map(|harm| {
            let zoned = look.seen.zone(&harm.target, look.world);
            let inside = zoned.zone == Zone::Git && !zoned.whole && !is_plain(zoned.path.as_deref());
            inside.then(|| Hit {
                zone: Some(Zone::Git),
                ..Hit::yes().about(shown_word(&harm.target))
            })
        })
}

/// Files of a git directory that people write by hand.
fn is_plain(path: Option<&str>) -> bool {
    path.is_some_and(|path| {
        path.ends_with("/info/exclude")
            || path.ends_with("_EDITMSG")
            || path.ends_with("_MSG")
            || path.ends_with("/description")
            || path.contains("/.git/toprope")
    })
}
