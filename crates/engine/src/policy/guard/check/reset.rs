//! `git reset` that throws work away: changes git counts now, and commits the branch alone leads to.

use super::CheckContext;
use crate::policy::guard::aim;
use crate::policy::guard::cover;
use crate::policy::guard::facts::{LossFact, LossOf};
use crate::policy::guard::keep_list::Keep;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{command, count, files, shown_word};
use shell::Word;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.sub(&["reset"]) {
        return None;
    }
    if !seen.has(&["--hard", "--merge", "--keep"]) {
        return Some(Hit::yes());
    }
    let cwd = seen.command.cwd.as_deref();
    let to = seen.operands().first().map(|operand| operand.word);
    let moves = to.is_some_and(|to| !matches!(to.literal(), Some("HEAD" | "@")));
    // What is not staged stays with `--merge`, and every change with `--keep`: git refuses where it could not.
    let kept = LossFact::default();
    let changes = if seen.has(&["--hard"]) {
        look.world.loss(cwd, LossOf::Changes { paths: Vec::new() })
    } else if seen.has(&["--merge"]) {
        look.world.loss(cwd, LossOf::Staged)
    } else {
        Some(&kept)
    };
    let commits = match to.and_then(Word::literal).filter(|_| moves) {
        Some(revision) => look.world.loss(
            cwd,
            LossOf::Commits {
                revision: revision.to_owned(),
            },
        ),
        None => None,
    };
    let changed = changes.map(|changes| changes.count);
    let moved = if moves {
        commits.map(|commits| commits.count)
    } else {
        Some(0)
    };
    let brought = cover::of_brought(seen, look.world, &[]).filter(|_| seen.has(&["--hard"]));
    if brought.is_none() && (changed, moved) == (Some(0), Some(0)) {
        return None;
    }
    let mut parts = Vec::new();
    match changes {
        _ if brought.is_some() => parts.push("what the same command puts there first".to_owned()),
        Some(changes) if changes.count > 0 => parts.push(format!("changes in {}", files(changes))),
        Some(_) => {}
        None => parts.push("uncommitted changes".to_owned()),
    }
    match moved {
        Some(0) => {}
        Some(moved) => parts.push(count(
            moved,
            "commit no other name leads to",
            "commits no other name leads to",
        )),
        None if parts.is_empty() => parts.push("commits that only this branch has".to_owned()),
        None => {}
    }
    let root = cover::root_of(seen, look.world);
    let mut aims = vec![aim::at(aim::CHANGES, &root)];
    if let Some(to) = to.filter(|_| moves) {
        aims.push(aim::of_text(&format!("reset to {}", shown_word(to)), cwd));
    }
    Some(Hit {
        what: Some(format!("would throw away {}", parts.join(" and "))),
        instead: Some(if brought.is_some() {
            cover::APART.to_owned()
        } else {
            instead(look, changed, moved)
        }),
        aims,
        cover: brought.unwrap_or_else(|| cover::of_worktree(seen, look.world)),
        keep: Keep {
            changes: vec![root],
            ..Keep::default()
        },
        targets: to.map(|to| command(&shown_word(to))).into_iter().collect(),
        ..Hit::yes()
    })
}

fn instead(look: &CheckContext<'_>, changed: Option<u64>, moved: Option<u64>) -> String {
    let git = cover::git_there(look.seen, look.world);
    let known = look.world.repository(look.seen.command.cwd.as_deref());
    let is_free = |name: &&String| known.is_none_or(|known| !known.branches.contains(*name));
    let names: Vec<String> = std::iter::once("backup".to_owned())
        .chain((2..10).map(|number| format!("backup-{number}")))
        .collect();
    let Some(backup) = names.iter().find(is_free) else {
        return "(give its commits another name first, with git branch)".to_owned();
    };
    if changed == Some(0) {
        return format!("{git} branch {backup}");
    }
    if look.world.facts.shared {
        return "(commit your own files first, each by its path)".to_owned();
    }
    if moved == Some(0) {
        format!("{git} stash push")
    } else {
        format!("{git} branch {backup} && {git} stash push")
    }
}
