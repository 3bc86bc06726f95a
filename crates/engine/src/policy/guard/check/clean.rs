//! `git clean`: files no commit has, counted by git itself, the valuable ones by name.

use super::CheckContext;
use crate::policy::guard::aim;
use crate::policy::guard::cover::{self, LossCover};
use crate::policy::guard::facts::{LossFact, LossOf};
use crate::policy::guard::keep_list::Keep;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{command, count, files, names};
use crate::policy::guard::path::absolute;
use crate::text::word;
use shell::Word;

/// Options that decide what is removed.
const OPTIONS: [&str; 3] = ["-d", "-x", "-X"];

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.sub(&["clean"]) {
        return None;
    }
    let cwd = seen.command.cwd.as_deref();
    let lost = words(look).and_then(|words| look.world.loss(cwd, LossOf::Clean { words }));
    let paths = paths(look);
    let brought = cover::of_brought(seen, look.world, &paths);
    if brought.is_none() && lost.is_some_and(|lost| lost.count == 0) {
        return None;
    }
    let root = cover::root_of(seen, look.world);
    let mut aims = Vec::new();
    if !seen.has(&["-X"]) {
        aims.extend(cover::aims(aim::UNTRACKED, &paths, &root));
    }
    if seen.has(&["-x", "-X"]) {
        aims.extend(cover::aims(aim::IGNORED, &paths, &root));
    }
    Some(Hit {
        what: Some(match lost {
            _ if brought.is_some() => "would remove what the same command puts there first".to_owned(),
            Some(lost) => what(lost),
            None => "would remove files that no commit has".to_owned(),
        }),
        instead: Some(if brought.is_some() {
            cover::APART.to_owned()
        } else {
            dry(look)
        }),
        aims,
        cover: brought
            .or_else(|| repositories(look, lost))
            .unwrap_or_else(|| cover::of_worktree(seen, look.world)),
        keep: Keep {
            untracked: if paths.is_empty() { vec![root] } else { paths },
            ..Keep::default()
        },
        ..Hit::yes()
    })
}

/// Forced twice, it takes repositories inside the project, which no checkpoint holds.
fn repositories(look: &CheckContext<'_>, lost: Option<&LossFact>) -> Option<LossCover> {
    let known = lost.and_then(|lost| lost.repositories.first());
    if let Some(nested) = known {
        return Some(LossCover::Missing(format!(
            "No checkpoint holds {}, a repository of its own.",
            command(nested)
        )));
    }
    let is_unseen = is_forced_twice(look) && lost.is_none_or(|lost| lost.capped);
    is_unseen.then(|| {
        LossCover::Missing(
            "Repositories inside the project may go with it, and no checkpoint holds those.".to_owned(),
        )
    })
}

/// `-ff`, `-f -f`, `-fdf`: only then git removes what has a repository of its own.
fn is_forced_twice(look: &CheckContext<'_>) -> bool {
    let options = look.seen.usage.options.iter();
    let times = options.filter(|given| given.is("--force")).map(|given| {
        // The letters of one word are one option each, however often they stand there.
        let letters = given
            .written
            .strip_prefix('-')
            .filter(|word| !word.starts_with('-'));
        let letters = letters.map(|word| word.split('e').next().unwrap_or_default());
        letters.map_or(1, |letters| letters.matches('f').count())
    });
    times.sum::<usize>() > 1
}

/// Where it cleans; nowhere in particular if a word is not known.
fn paths(look: &CheckContext<'_>) -> Vec<String> {
    let seen = look.seen;
    let cwd = seen.command.cwd.as_deref();
    if seen.operands().is_empty() {
        return cwd.map(str::to_owned).into_iter().collect();
    }
    let path = |word: &Word| {
        let text = word.literal().filter(|text| !text.starts_with(':'))?;
        absolute(text, cwd)
    };
    let paths: Option<Vec<String>> = seen.operands().iter().map(|operand| path(operand.word)).collect();
    paths.unwrap_or_default()
}

pub(super) fn what(lost: &LossFact) -> String {
    let mut said = format!("would remove {} that no commit has", files(lost));
    if lost.made > 0 {
        said = format!(
            "{said}, and {} that builds make again",
            count(lost.made, "file", "files")
        );
    } else if lost.made_again {
        said = format!("{said}, and what builds make again");
    }
    let mut among = Vec::new();
    if !lost.hooks.is_empty() {
        among.push(format!("{} with Toprope's hooks", names(&lost.hooks)));
    }
    if !lost.precious.is_empty() {
        among.push(names(&lost.precious));
    }
    if among.is_empty() {
        said
    } else {
        format!("{said}, among them {}", among.join(" and "))
    }
}

/// What git is asked to count by; nothing where a word is not known.
pub(super) fn words(look: &CheckContext<'_>) -> Option<Vec<String>> {
    let seen = look.seen;
    let mut words: Vec<String> = OPTIONS
        .iter()
        .filter(|option| seen.has(&[option]))
        .map(|option| (*option).to_owned())
        .collect();
    if is_forced_twice(look) {
        words.push("-ff".to_owned());
    }
    let options = seen.usage.options.iter();
    for given in options.filter(|given| given.is("--exclude")) {
        let value = given.value.as_deref().and_then(Word::literal)?;
        words.push(format!("--exclude={value}"));
    }
    words.push("--".to_owned());
    for operand in seen.operands() {
        words.push(operand.word.literal()?.to_owned());
    }
    Some(words)
}

/// The way on from a clean that would take our settings: one that leaves them, if that loses nothing else.
pub(super) fn sparing(look: &CheckContext<'_>, lost: &LossFact, folder: &str) -> String {
    let takes_more = lost.capped || usize::try_from(lost.count) != Ok(lost.hooks.len());
    let words = words(look).filter(|_| !takes_more);
    // To `-X` whatever is left out is one more thing to remove.
    let Some(words) = words.filter(|_| !look.seen.has(&["-X"])) else {
        return format!("(look at what would go with `{}`, and ask the person)", dry(look));
    };
    let (options, paths) = words.split_at(words.iter().position(|word| word == "--").unwrap_or(0));
    let paths = if paths.len() > 1 { paths } else { &[] };
    let words: Vec<String> = options.iter().chain(paths).map(word).collect();
    let git = cover::git_there(look.seen, look.world);
    format!("{git} clean -f -e {} {}", word(folder), words.join(" "))
        .trim_end()
        .to_owned()
}

/// The same without removing anything.
fn dry(look: &CheckContext<'_>) -> String {
    let given = OPTIONS.iter().filter(|option| look.seen.has(&[option]));
    let given: Vec<String> = given.map(|option| format!(" {option}")).collect();
    format!("git clean -n{}", given.concat())
}
