//! Merging or committing while the tests are known to fail.

use super::CheckContext;
use super::commit_protected::ruling;
use crate::policy::guard::match_result::Hit;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let gates = &look.world.facts.gates;
    if !gates.tests_red {
        return None;
    }
    let merges = match seen.usage.sub.first().copied() {
        Some("merge") => !seen.has(&["--abort", "--continue", "--quit"]),
        Some("pull") => !seen.has(&["--rebase", "-r", "--ff-only", "--dry-run"]),
        Some("commit") => !seen.has(&["--dry-run"]),
        Some(_) | None => false,
    };
    merges.then(|| Hit {
        verdict: Some(ruling(gates.test, look)),
        ..Hit::yes()
    })
}
