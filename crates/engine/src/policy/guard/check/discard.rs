//! `git checkout`, `switch` and `restore` where they throw away changes of files.

use super::CheckContext;
use crate::policy::guard::aim;
use crate::policy::guard::cover::{self, LossCover};
use crate::policy::guard::facts::LossOf;
use crate::policy::guard::keep_list::Keep;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{command, files, shown_word};
use crate::policy::guard::path::absolute;
use crate::text::word;
use shell::Word;

/// Endings of files that people keep in a repository.
const FILES: [&str; 32] = [
    "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt", "lock", "md",
    "mjs", "php", "py", "rb", "rs", "scss", "sh", "sql", "svelte", "swift", "toml", "ts", "tsx", "txt",
    "vue", "yaml",
];

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.sub(&["checkout"]) {
        return checkout(look);
    }
    if seen.sub(&["switch"]) {
        let made = seen.value(&["--force-create"]);
        return forced(look, made, seen.has(&["-f", "--force", "--discard-changes"]));
    }
    if seen.sub(&["restore"]) {
        return restore(look);
    }
    if seen.sub(&["read-tree"]) {
        let throws = seen.has(&["--reset"]) && seen.has(&["-u"]);
        return throws.then(|| thrown_away(look, &[], Source::Commit)).flatten();
    }
    if seen.sub(&["checkout-index"]) {
        let throws = seen.has(&["-f", "--force"]);
        return throws.then(|| thrown_away(look, &[], Source::Index)).flatten();
    }
    None
}

/// What files are put back to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source<'a> {
    /// What is staged stays.
    Index,
    /// What is staged goes as well.
    Commit,
    /// The same, of what differs from this commit; what it does not have stays, unless it is all put back.
    Named { revision: &'a str, overlay: bool },
}

fn restore(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let staged = seen.has(&["-S", "--staged"]);
    let staged_only = staged && !seen.has(&["-W", "--worktree"]);
    let merging = seen.has(&["--ours", "--theirs", "-p", "--patch"]);
    let names_none = seen.operands().is_empty() && !seen.has(&["--pathspec-from-file"]);
    if staged_only || merging || names_none {
        return None;
    }
    let source = match seen.value(&["-s", "--source"]) {
        Some(from) => named(from, seen.has(&["--overlay"])),
        None if staged => Source::Named {
            revision: "HEAD",
            overlay: seen.has(&["--overlay"]),
        },
        None => Source::Index,
    };
    about(look, 0, source)
}

/// What a word names, if that is one commit.
fn named(word: &Word, overlay: bool) -> Source<'_> {
    word.literal()
        .filter(|revision| !revision.is_empty() && !revision.starts_with('-'))
        .map_or(Source::Commit, |revision| Source::Named { revision, overlay })
}

/// Files by their paths, behind so many operands.
fn about(look: &CheckContext<'_>, skip: usize, source: Source<'_>) -> Option<Hit> {
    let seen = look.seen;
    let cwd = seen.command.cwd.as_deref();
    let words: Vec<&Word> = seen
        .operands()
        .iter()
        .skip(skip)
        .map(|operand| operand.word)
        .collect();
    let path = |word: &&Word| {
        let text = word.literal()?;
        let is_plain = !text.starts_with(':') && !text.contains(['*', '?', '[']);
        absolute(text, cwd).filter(|_| is_plain)
    };
    // A pathspec that means something else than one path may mean all of them.
    let paths: Option<Vec<String>> = words.iter().map(path).collect();
    let paths = paths
        .filter(|_| !seen.has(&["--pathspec-from-file"]))
        .unwrap_or_default();
    let mut hit = thrown_away(look, &paths, source)?;
    hit.targets = words.iter().map(|word| command(&shown_word(word))).collect();
    let names: Vec<String> = words.iter().filter_map(|word| word.literal()).map(word).collect();
    let names = names.join(" ");
    let is_here = cwd == look.world.facts.cwd.as_deref();
    let is_held = !matches!(hit.cover, LossCover::Missing(_));
    if is_here && is_held && !look.world.facts.shared && !paths.is_empty() && names.len() < 200 {
        hit.instead = Some(format!("git stash push -- {names}"));
    }
    Some(hit)
}

/// A checkout that takes no heed of changes, or of a branch of that name.
fn forced(look: &CheckContext<'_>, made: Option<&Word>, heedless: bool) -> Option<Hit> {
    let cwd = look.seen.command.cwd.as_deref();
    let moved = made.filter(|made| {
        let known = look.world.repository(cwd).map(|repository| &repository.branches);
        made.literal()
            .zip(known)
            .is_none_or(|(name, known)| known.iter().any(|branch| branch == name))
    });
    let thrown = heedless.then(|| thrown_away(look, &[], Source::Commit)).flatten();
    let Some(moved) = moved else { return thrown };
    let name = command(&shown_word(moved));
    let mut hit = thrown.unwrap_or_else(|| Hit {
        instead: Some("git branch".to_owned()),
        ..Hit::yes()
    });
    let branch = format!("would take branch {name} off its commits");
    hit.what = Some(match hit.what.take() {
        Some(what) => format!("{what}, and {branch}"),
        None => branch,
    });
    hit.aims.push(aim::of_text(&format!("branch {name}"), cwd));
    hit.target_unknown = moved.is_unknown();
    if !matches!(hit.cover, LossCover::Missing(_)) {
        hit.cover = cover::of_worktree(look.seen, look.world);
    }
    Some(hit)
}

/// Changes of these paths, or of all; nothing where git knows of none.
fn thrown_away(look: &CheckContext<'_>, paths: &[String], source: Source<'_>) -> Option<Hit> {
    let seen = look.seen;
    let listed = paths.to_vec();
    let (of, kind) = match source {
        Source::Index => (LossOf::Unstaged { paths: listed }, aim::UNSTAGED),
        Source::Commit => (LossOf::Changes { paths: listed }, aim::CHANGES),
        Source::Named { revision, overlay } => (
            LossOf::Replaced {
                paths: listed,
                revision: revision.to_owned(),
                overlay,
            },
            aim::CHANGES,
        ),
    };
    let lost = look.world.loss(seen.command.cwd.as_deref(), of);
    let brought = cover::of_brought(seen, look.world, paths);
    if brought.is_none() && lost.is_some_and(|lost| lost.count == 0) {
        return None;
    }
    let root = cover::root_of(seen, look.world);
    let what = match lost {
        _ if brought.is_some() => "what the same command puts there first".to_owned(),
        Some(lost) => format!("changes in {}", files(lost)),
        None => "uncommitted changes".to_owned(),
    };
    let instead = if brought.is_some() {
        cover::APART.to_owned()
    } else if look.world.facts.shared {
        "(commit your own files first, each by its path)".to_owned()
    } else {
        format!("{} stash push", cover::git_there(seen, look.world))
    };
    Some(Hit {
        what: Some(format!("would throw away {what}")),
        instead: Some(instead),
        aims: cover::aims(kind, paths, &root),
        cover: brought.unwrap_or_else(|| cover::of_worktree(seen, look.world)),
        keep: Keep {
            changes: if paths.is_empty() {
                vec![root]
            } else {
                paths.to_vec()
            },
            ..Keep::default()
        },
        ..Hit::yes()
    })
}

fn checkout(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.has(&["-f", "--force", "-B"]) {
        return forced(look, seen.value(&["-B"]), seen.has(&["-f", "--force"]));
    }
    if seen.has(&[
        "-b", "--orphan", "--ours", "--theirs", "-p", "--patch", "-t", "--track", "--detach", "-d",
    ]) {
        return None;
    }
    let operands = seen.operands();
    let dashes = operands.iter().any(|operand| operand.after_dashes);
    if dashes || seen.has(&["--pathspec-from-file"]) {
        let first = operands
            .iter()
            .position(|operand| operand.after_dashes)
            .unwrap_or(operands.len());
        let source = match operands.first() {
            Some(from) if first == 1 => named(from.word, !seen.has(&["--no-overlay"])),
            _ if first == 0 => Source::Index,
            _ => Source::Commit,
        };
        return about(look, first, source);
    }
    match operands {
        [] => None,
        [one] => is_path(one.word, look)
            .then(|| about(look, 0, Source::Index))
            .flatten(),
        // An unquoted unknown may stand for nothing at all.
        [first, rest @ ..] => {
            let certain = rest.iter().any(|operand| !operand.word.is_unknown());
            let (skip, source) = if is_path(first.word, look) {
                (0, Source::Index)
            } else {
                (1, named(first.word, !seen.has(&["--no-overlay"])))
            };
            certain.then(|| about(look, skip, source)).flatten()
        }
    }
}

/// Whether a single operand is a path and no branch.
pub(super) fn is_path(word: &Word, look: &CheckContext<'_>) -> bool {
    let text = match word {
        Word::Literal(text) => text.as_str(),
        Word::Glob { .. } => return true,
        Word::OneOf(_) | Word::Unknown { .. } => return false,
    };
    if matches!(text, "." | "./" | "..")
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with(":/")
        || text.starts_with(":(")
        || text.contains(['*', '?'])
    {
        return true;
    }
    if matches!(text, "-" | "HEAD" | "@") || text.starts_with('-') || text.contains(['~', '^', '@']) {
        return false;
    }
    let cwd = look.seen.command.cwd.as_deref();
    let is_branch = look
        .world
        .repository(cwd)
        .is_some_and(|repository| repository.branches.iter().any(|branch| branch == text));
    if is_branch {
        return false;
    }
    let Some(path) = absolute(text, cwd) else {
        return false;
    };
    match look.world.path(&path) {
        Some(fact) => fact.exists || fact.tracked || is_file_name(text),
        None => false,
    }
}

/// A name that ends as sources and their like do; branches are hardly ever called so.
fn is_file_name(text: &str) -> bool {
    let ending = std::path::Path::new(text)
        .extension()
        .and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| FILES.contains(&ending))
}
