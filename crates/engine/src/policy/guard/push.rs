//! Where a `git push` goes, and how hard.

use super::branch::current;
use super::command_view::CommandView;
use super::ruleset::RuleSet;
use super::world::GuardWorld;
use shell::Word;

/// One thing a push changes on the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushTarget {
    /// The branch, if it is known.
    pub branch: Option<String>,
    /// A `+` stands in front of it.
    pub plus: bool,
    /// It is removed there.
    pub removes: bool,
    /// The word it stands in.
    pub index: Option<usize>,
}

/// How a push that may lose commits is forced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// Only if nobody pushed in between.
    Lease,
    /// Whatever is there.
    Blunt,
}

/// What a push changes on the other side.
pub fn aims(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> Vec<PushTarget> {
    let operands = seen.operands();
    let has_remote = seen.value(&["--repo"]).is_none();
    let refspecs = operands.get(usize::from(has_remote)..).unwrap_or_default();
    let deletes = seen.has(&["--delete", "-d"]);
    if refspecs.is_empty() {
        return vec![PushTarget {
            branch: current(seen, world),
            plus: false,
            removes: false,
            index: None,
        }];
    }
    refspecs
        .iter()
        .map(|operand| {
            let text = match operand.word {
                Word::Literal(text) => Some(text.as_str()),
                Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. } => None,
            };
            let prefix = operand.word.prefix();
            let plus = prefix.starts_with('+');
            let Some(text) = text.map(|text| text.strip_prefix('+').unwrap_or(text)) else {
                let after = prefix
                    .trim_start_matches('+')
                    .split_once(':')
                    .map(|(_, after)| after.to_owned());
                // `$(…):main`: wherever it comes from, it goes there.
                let target = match operand.word {
                    Word::Unknown { suffix, .. } => suffix.rsplit_once(':').map(|(_, target)| target),
                    Word::Literal(_) | Word::OneOf(_) | Word::Glob { .. } => None,
                };
                return PushTarget {
                    branch: target.map(|name| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
                    plus,
                    removes: deletes || after.is_some_and(|_| prefix.starts_with(':')),
                    index: Some(operand.index),
                };
            };
            let (source, target) = text.split_once(':').unwrap_or((text, text));
            let branch = match target {
                "HEAD" | "@" => current(seen, world),
                name => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
            };
            PushTarget {
                branch,
                plus,
                removes: deletes || (source.is_empty() && text != ":"),
                index: Some(operand.index),
            }
        })
        .collect()
}

/// How the push as a whole is forced.
pub fn force(seen: &CommandView<'_>) -> Option<Force> {
    if seen.has(&["--force", "-f", "--mirror"]) {
        return Some(Force::Blunt);
    }
    seen.has(&["--force-with-lease"]).then_some(Force::Lease)
}

/// Whether nobody but a person moves the branch.
pub fn is_protected(branch: &str, seen: &CommandView<'_>, world: &GuardWorld<'_>, rules: &RuleSet) -> bool {
    rules.protects(branch)
        || world
            .repository(seen.command.cwd.as_deref())
            .and_then(|repository| repository.default_branch.as_deref())
            == Some(branch)
}
