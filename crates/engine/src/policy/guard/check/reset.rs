//! `git reset` that throws work away; what is known of it is counted.

use super::Look;
use crate::policy::guard::hit::Hit;
use crate::policy::guard::message::count;

pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.sub(&["reset"]) {
        return None;
    }
    let repository = look.world.repository(seen.command.cwd.as_deref());
    let modified = repository.and_then(|repository| repository.modified);
    let untracked = repository.and_then(|repository| repository.untracked);
    let mut hit = Hit::yes();
    let at_hand = |number: Option<u64>| number.filter(|number| *number > 0);
    hit.what = match (at_hand(modified), at_hand(untracked)) {
        (Some(modified), Some(untracked)) => Some(format!(
            "throws away {modified} modified and {}",
            count(untracked, "untracked file", "untracked files")
        )),
        (Some(modified), None) => Some(format!(
            "throws away {}",
            count(modified, "modified file", "modified files")
        )),
        (None, _) => None,
    };
    Some(hit)
}
