//! Names of commits that git takes away: branches, tags and other refs.

use super::CheckContext;
use crate::policy::guard::aim;
use crate::policy::guard::cover::{self, LossCover};
use crate::policy::guard::facts::LossOf;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{command, count, names, shown_word};
use crate::text::word;
use shell::Word;

/// More names than this are not held before a command.
const MOST_HELD: usize = 32;

/// The words that name what is taken off its commits.
fn moved<'a>(look: &'a CheckContext<'_>) -> Vec<&'a Word> {
    let seen = look.seen;
    let all: Vec<&Word> = seen.operands().iter().map(|operand| operand.word).collect();
    let deletes = seen.has(&["-d", "-D", "--delete"]);
    let renames = seen.has(&["-M", "-C", "-m", "-c", "--move", "--copy"]);
    match all.as_slice() {
        // Behind the name stands where it goes, or before it what it was called.
        [name, _] if seen.sub(&["branch"]) && !deletes && !renames => vec![name],
        [_, name] if seen.sub(&["branch"]) && !deletes && renames => vec![name],
        _ => all,
    }
}

/// How many commits a branch leaves without a name, if git says so.
fn unnamed(look: &CheckContext<'_>, words: &[&Word]) -> Option<u64> {
    let seen = look.seen;
    let is_tag = seen.sub(&["tag"]) && seen.has(&["-d", "--delete"]);
    let is_branch = seen.sub(&["branch"]) && !seen.has(&["-r", "--remotes"]);
    if !is_branch && !is_tag {
        return None;
    }
    let all: Option<Vec<&str>> = seen
        .operands()
        .iter()
        .map(|operand| operand.word.literal())
        .collect();
    let names: Option<Vec<String>> = words
        .iter()
        .map(|word| word.literal().map(str::to_owned))
        .collect();
    let names = names.filter(|names| !names.is_empty())?;
    if is_tag {
        let lost = look
            .world
            .loss(seen.command.cwd.as_deref(), LossOf::Tags { names });
        return lost.map(|lost| lost.count);
    }
    // Where one of two words is the branch, the other says where it goes.
    let to = match all?.as_slice() {
        [first, second] if names.len() == 1 => {
            let is_first = names.iter().any(|name| name == first);
            Some((if is_first { second } else { first }).to_string())
        }
        _ => None,
    };
    let lost = look
        .world
        .loss(seen.command.cwd.as_deref(), LossOf::Branches { names, to });
    lost.map(|lost| lost.count)
}

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let words = moved(look);
    let shown: Vec<String> = words.iter().map(|word| command(&shown_word(word))).collect();
    let sub = seen.usage.sub.first().copied().unwrap_or_default();
    let options: Vec<&str> = seen.usage.options.iter().map(|given| &*given.written).collect();
    let cwd = seen.command.cwd.as_deref();
    let aim_at = |name: &String| aim::of_text(&format!("{sub} {} {name}", options.join(" ")), cwd);
    let what = match (sub, shown.as_slice()) {
        ("branch" | "tag", [_, ..]) => format!("{sub} {}", names(&shown)),
        (_, [_, ..]) => names(&shown),
        (_, []) => "a name".to_owned(),
    };
    let cover = if words.len() > MOST_HELD {
        LossCover::Missing(format!("More than {MOST_HELD} names at once are not held."))
    } else {
        cover::of_names(seen, look.world)
    };
    let lost = unnamed(look, &words);
    // What the text does first may change what leads where.
    if lost == Some(0) && !look.world.has_renamed() {
        return None;
    }
    let deletes = sub == "branch" && seen.has(&["-D", "-d"]) && !seen.has(&["-r", "--remotes"]);
    let literals: Vec<String> = seen.literals().map(word).collect();
    let instead = if deletes && literals.len() == words.len() && !literals.is_empty() {
        format!("git branch -d {}", literals.join(" "))
    } else {
        "(give its commits another name first, with git branch)".to_owned()
    };
    Some(Hit {
        what: Some(match lost.filter(|lost| *lost > 0) {
            Some(lost) => format!(
                "would take {what} off {} no other name leads to",
                count(lost, "commit", "commits")
            ),
            None => format!("would take {what} off commits that may have no other name"),
        }),
        instead: Some(instead),
        target_unknown: words.iter().any(|word| word.literal().is_none()),
        aims: shown.iter().take(aim::MOST).map(aim_at).collect(),
        targets: shown,
        cover,
        ..Hit::yes()
    })
}
