//! `git worktree remove`: run from the main worktree, since a shell whose folder is gone cannot go on.

use super::CheckContext;
use crate::policy::guard::cover::LossCover;
use crate::policy::guard::match_result::{Edit, Hit, Splice};
use crate::policy::guard::message::command;
use crate::policy::guard::path::{absolute, is_within};
use crate::text::path_word;
use shell::{Span, Word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.sub(&["worktree", "remove"]) || seen.has(&["-C", "--git-dir", "--work-tree"]) {
        return None;
    }
    let main = look
        .world
        .repository(seen.command.cwd.as_deref())
        .map(|repository| repository.main_worktree.as_str())?;
    if main.is_empty() || goes_there_first(look, main) {
        return None;
    }
    Some(Hit {
        targets: seen.literals().map(str::to_owned).collect(),
        edit: edit(look, main),
        ..Hit::yes()
    })
}

/// A forced removal of a worktree with uncommitted work.
pub(super) fn forced(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.sub(&["worktree", "remove"]) || !seen.has(&["-f", "--force"]) {
        return None;
    }
    let cwd = seen.command.cwd.as_deref();
    let dirty = &look.world.repository(cwd)?.dirty_worktrees;
    let target = seen.literals().find_map(|path| absolute(path, cwd))?;
    let is_dirty = dirty
        .iter()
        .any(|tree| is_within(&target, tree) || is_within(tree, &target));
    is_dirty.then(|| Hit {
        what: Some(format!(
            "would remove the worktree {} with uncommitted work in it",
            command(&target)
        )),
        instead: Some(format!(
            "git -C {} stash push --include-untracked",
            path_word(&target)
        )),
        cover: LossCover::Missing(
            "The checkpoint holds the worktree this session works in, not that one.".to_owned(),
        ),
        ..Hit::yes().about(target)
    })
}

/// The text itself changes to the main worktree before.
fn goes_there_first(look: &CheckContext<'_>, main: &str) -> bool {
    let before = look.seen.before();
    look.world.spend(1 + before.len() / 16);
    before.iter().any(|command| {
        command.program() == Some("cd")
            && command
                .argv
                .get(1)
                .and_then(Word::literal)
                .and_then(|path| absolute(path, command.cwd.as_deref()))
                .is_some_and(|path| path == main)
    })
}

fn edit(look: &CheckContext<'_>, main: &str) -> Option<Edit> {
    let seen = look.seen;
    let start = seen.command.span?.start;
    if main.contains(['"', '$', '`', '\\', '\n']) {
        return None;
    }
    let mut splices = vec![Splice {
        span: Span { start, end: start },
        with: format!("cd \"{main}\" && "),
    }];
    for operand in seen.operands() {
        let Word::Literal(text) = operand.word else {
            continue;
        };
        let here = absolute(text, seen.command.cwd.as_deref())?;
        if absolute(text, Some(main))? != here {
            splices.push(Splice {
                span: seen.command.spans.get(operand.index).copied().flatten()?,
                with: path_word(&here),
            });
        }
    }
    Some(Edit { splices })
}
