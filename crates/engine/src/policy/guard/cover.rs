//! Whether the checkpoint before a command holds what the command would lose. Only then may a retry pass.

use super::aim;
use super::command_view::CommandView;
use super::facts::LossOf;
use super::keep_list::Keep;
use super::match_result::Hit;
use super::message;
use super::path::is_within;
use super::world::GuardWorld;
use crate::text::path_word;
use shell::CommandHost;

/// What a checkpoint taken now has to do with a loss.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LossCover {
    /// Nothing is promised: what the rule is about is not in files.
    #[default]
    Untold,
    /// It holds all of it; if it turns out that it does not, the command does not run.
    Held,
    /// It does not hold it, for this reason, as a sentence.
    Missing(String),
}

/// Of what a git command changes in the files of a worktree: only this worktree is in the checkpoint.
pub fn of_worktree(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> LossCover {
    // Both are asked for at once, whatever the first says.
    let (here, there) = (
        world.repository(world.facts.cwd.as_deref()),
        world.repository(seen.command.cwd.as_deref()),
    );
    if let Some(elsewhere) = distant(seen) {
        return elsewhere;
    }
    match (here, there) {
        (Some(here), Some(there)) if here.root == there.root && !here.is_bare => LossCover::Held,
        (_, Some(there)) => LossCover::Missing(format!(
            "No checkpoint holds {}: it is not the worktree this session works in.",
            there.root
        )),
        (_, None) => LossCover::Missing("No checkpoint holds the files of that folder.".to_owned()),
    }
}

/// Said where the text itself puts something there first.
pub const BROUGHT: &str = "What the same command puts there first is in no checkpoint.";
/// The way on: what stands there by then is counted, and kept.
pub const APART: &str = "(run it as a command of its own, once the rest is done)";

/// Of what a git command throws away at these paths, or in the whole worktree where there are none: what the text itself
/// puts there first is neither counted nor kept.
pub fn of_brought(seen: &CommandView<'_>, world: &GuardWorld<'_>, paths: &[String]) -> Option<LossCover> {
    if !world.has_moved() {
        return None;
    }
    let is_lost = if paths.is_empty() {
        let cwd = seen.command.cwd.as_deref();
        // The root is named as git has it, what was moved as it was written.
        world.is_thrown_away_at(&root_of(seen, world)) || cwd.is_some_and(|cwd| world.is_thrown_away_at(cwd))
    } else {
        paths.iter().any(|path| world.is_thrown_away_at(path))
    };
    is_lost.then(|| LossCover::Missing(BROUGHT.to_owned()))
}

/// Of names a git command takes away: their commits are held in the repository this session works in.
pub fn of_names(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> LossCover {
    let (here, there) = (
        world.repository(world.facts.cwd.as_deref()),
        world.repository(seen.command.cwd.as_deref()),
    );
    if let Some(elsewhere) = distant(seen) {
        return elsewhere;
    }
    match (here, there) {
        (Some(here), Some(there)) if here.common_dir == there.common_dir && !here.is_bare => LossCover::Held,
        (Some(_) | None, _) => LossCover::Missing(
            "Nothing holds its commits: it is not the repository this session works in.".to_owned(),
        ),
    }
}

/// Settles what was promised by what a checkpoint taken now would pass over: what it does not hold is no retry's to take.
/// False if nothing is lost: all that goes is committed as it is.
pub fn settle(hit: &mut Hit, world: &GuardWorld<'_>) -> bool {
    let Keep {
        files,
        changes,
        untracked,
        ignored_below,
        ..
    } = &hit.keep;
    let is_nothing = [files, changes, untracked, ignored_below]
        .iter()
        .all(|paths| paths.is_empty());
    if hit.cover != LossCover::Held || hit.missing.is_some() || is_nothing {
        return true;
    }
    let asked = LossOf::Uncovered {
        files: files.clone(),
        changes: changes.clone(),
        untracked: untracked.clone(),
        below: ignored_below.clone(),
    };
    let left = world.loss(world.facts.cwd.as_deref(), asked);
    if left.is_some_and(|left| left.committed) && !world.has_moved() && hit.keep.ignored.is_empty() {
        return false;
    }
    let takes_ignored = !ignored_below.is_empty();
    hit.keep.made_again = takes_ignored && left.is_none_or(|left| left.made_again);
    if let Some(left) = left.filter(|left| left.count > 0) {
        let names: Vec<String> = left.first.iter().map(|name| message::command(name)).collect();
        hit.cover = LossCover::Missing(format!("No checkpoint holds {}.", message::names(&names)));
    }
    true
}

/// Where git works on files nobody here can keep.
fn distant(seen: &CommandView<'_>) -> Option<LossCover> {
    if seen.command.place != CommandHost::Local {
        return Some(LossCover::Missing(
            "It runs on another machine or in a container, where no checkpoint is taken.".to_owned(),
        ));
    }
    let is_set = |name: &str| seen.command.env.iter().any(|(set, _)| set == name);
    let looks_elsewhere =
        seen.has(&["--git-dir", "--work-tree"]) || is_set("GIT_DIR") || is_set("GIT_WORK_TREE");
    looks_elsewhere.then(|| {
        LossCover::Missing(
            "No checkpoint holds the files of another worktree, named by an option.".to_owned(),
        )
    })
}

/// The root of the worktree a command works in, as aims name it.
pub fn root_of(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> String {
    let cwd = seen.command.cwd.as_deref();
    world
        .repository(cwd)
        .map(|repository| repository.root.clone())
        .or_else(|| cwd.map(str::to_owned))
        .unwrap_or_default()
}

/// How git is called where a command works: with its folder, if that is another worktree than the session's.
pub fn git_there(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> String {
    let root = root_of(seen, world);
    let here = world.repository(world.facts.cwd.as_deref());
    if here.is_some_and(|here| here.root == root) || root.is_empty() {
        return "git".to_owned();
    }
    format!("git -C {}", path_word(&root))
}

/// Aims at these paths, or at the whole worktree where there are none.
pub fn aims(kind: &str, paths: &[String], root: &str) -> Vec<String> {
    if paths.is_empty() || paths.len() > aim::MOST || paths.iter().any(|path| !is_within(path, root)) {
        return vec![aim::at(kind, root)];
    }
    paths.iter().map(|path| aim::at(kind, path)).collect()
}
