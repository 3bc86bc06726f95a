//! `git stash` in every form that changes something; the stash belongs to all worktrees and agents.

use super::Look;
use crate::policy::guard::hit::Hit;

pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.sub(&["stash"]) {
        return None;
    }
    let form = seen
        .usage
        .sub
        .get(1)
        .copied()
        .or_else(|| seen.literals().next())
        .unwrap_or("push");
    let what = match form {
        "list" | "show" | "create" => return None,
        "drop" => "throws away a stash entry",
        "clear" => "throws away every stash entry",
        "pop" => "applies a stash entry and throws it away",
        "apply" | "branch" => "applies a stash entry over the files that are there",
        _ => "takes all changes out of the worktree, where other agents may be at work",
    };
    Some(Hit {
        what: Some(what.to_owned()),
        ..Hit::yes()
    })
}
