//! `git stash`: entries that are thrown away, and changes that are moved about under another agent's hands.

use super::CheckContext;
use crate::policy::guard::cover::{self, LossCover};
use crate::policy::guard::facts::LossOf;
use crate::policy::guard::keep_list::Keep;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{command, few_names, shown_word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
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
    let (what, instead, throws) = match form {
        "list" | "show" | "create" => return None,
        "drop" => ("would throw away a stash entry", "git stash show -p", true),
        "clear" => ("would throw away every stash entry", "git stash list", true),
        "pop" | "apply" | "branch" => (
            "would put a stash entry over files on which another agent works",
            "git stash show -p",
            false,
        ),
        _ => (
            "would take all uncommitted changes out of a worktree in which another agent works",
            "(commit your own files, each by its path)",
            false,
        ),
    };
    // Asked for before it is known whether another agent is there.
    let cover = if throws {
        cover::of_names(seen, look.world)
    } else {
        cover::of_worktree(seen, look.world)
    };
    // Of another worktree it is not known who works there, and nothing is lost by it.
    let is_empty = || {
        let entries = look.world.loss(seen.command.cwd.as_deref(), LossOf::Stash);
        entries.is_some_and(|entries| entries.count == 0) && !look.world.has_renamed()
    };
    if throws && is_empty() {
        return None;
    }
    let disturbs = look.world.facts.shared && cover == LossCover::Held;
    if !(throws || disturbs) {
        return None;
    }
    let changes = if throws {
        Vec::new()
    } else {
        vec![cover::root_of(seen, look.world)]
    };
    let paths: Vec<String> = seen
        .operands()
        .iter()
        .map(|operand| command(&shown_word(operand.word)))
        .filter(|word| word != form)
        .collect();
    let what = if form == "push" && !paths.is_empty() {
        let names = few_names(&paths);
        format!(
            "would take the uncommitted changes of {names} out of a worktree in which another agent works"
        )
    } else {
        what.to_owned()
    };
    Some(Hit {
        what: Some(what),
        instead: Some(instead.to_owned()),
        cover,
        keep: Keep {
            changes,
            ..Keep::default()
        },
        ..Hit::yes()
    })
}
