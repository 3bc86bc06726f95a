//! The branch a git command finds itself on: the repository's, or the one the text itself switched to before.

use super::command_view::CommandView;
use super::world::GuardWorld;
use shell::{Command, CommandHost};

/// How many commands in front are looked at.
const MOST_BEFORE: usize = 64;

/// The branch of the command's folder when it runs.
pub fn current(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> Option<String> {
    let known = world.repository(seen.command.cwd.as_deref());
    let before = seen.intent.commands.get(..seen.index).unwrap_or_default();
    let switched = before
        .iter()
        .enumerate()
        .rev()
        .take(MOST_BEFORE)
        .filter(|(_, command)| is_here(command, seen.command))
        .find_map(|(index, command)| {
            switched(&CommandView::new(seen.text, seen.intent, index, command), world)
        });
    switched.or_else(|| known.and_then(|repository| repository.branch.clone()))
}

fn is_here(other: &Command, command: &Command) -> bool {
    other.program() == Some("git") && other.place == CommandHost::Local && other.cwd == command.cwd
}

/// The branch a `git checkout` or `git switch` leads to.
fn switched(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> Option<String> {
    let names = ["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"];
    if !(seen.sub(&["checkout"]) || seen.sub(&["switch"])) {
        return None;
    }
    if let Some(made) = seen.value(&names) {
        return made.literal().map(str::to_owned);
    }
    let [only] = seen.operands() else { return None };
    let name = only.word.literal().filter(|_| !only.after_dashes)?;
    let is_branch = seen.sub(&["switch"])
        || world
            .repository(seen.command.cwd.as_deref())
            .is_some_and(|repository| {
                repository.default_branch.as_deref() == Some(name)
                    || repository.branches.iter().any(|branch| branch == name)
            });
    (is_branch && name != "-").then(|| name.to_owned())
}
