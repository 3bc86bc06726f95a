//! `git checkout`, `switch` and `restore` where they throw away changes of files.

use super::Look;
use crate::policy::guard::hit::Hit;
use crate::policy::guard::path::absolute;
use crate::shell::Word;

/// Endings of files that people keep in a repository.
const FILES: [&str; 32] = [
    "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt", "lock", "md",
    "mjs", "php", "py", "rb", "rs", "scss", "sh", "sql", "svelte", "swift", "toml", "ts", "tsx", "txt",
    "vue", "yaml",
];

pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.sub(&["checkout"]) {
        return checkout(look);
    }
    if seen.sub(&["switch"]) {
        return seen
            .has(&["-f", "--force", "--discard-changes", "-C", "--force-create"])
            .then(Hit::yes);
    }
    if seen.sub(&["restore"]) {
        let staged_only = seen.has(&["-S", "--staged"]) && !seen.has(&["-W", "--worktree"]);
        let merging = seen.has(&["--ours", "--theirs", "-p", "--patch"]);
        return (!staged_only && !merging && !seen.operands().is_empty()).then(|| about(look, 0));
    }
    if seen.sub(&["read-tree"]) {
        return (seen.has(&["--reset"]) && seen.has(&["-u"])).then(Hit::yes);
    }
    if seen.sub(&["checkout-index"]) {
        return seen.has(&["-f", "--force"]).then(Hit::yes);
    }
    None
}

fn about(look: &Look<'_>, skip: usize) -> Hit {
    let mut hit = Hit::yes();
    for operand in look.seen.operands().iter().skip(skip) {
        hit.targets
            .push(crate::policy::guard::message::shown_word(operand.word));
    }
    let paths = hit.targets.join(" ");
    if !paths.is_empty() && paths.len() < 200 {
        hit.instead = Some(format!("git stash push -- {paths}"));
    }
    hit
}

fn checkout(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.has(&["-f", "--force", "-B"]) {
        return Some(Hit::yes());
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
            .unwrap_or(0);
        return Some(about(look, first));
    }
    match operands {
        [] => None,
        [one] => is_path(one.word, look).then(|| about(look, 0)),
        // An unquoted unknown may stand for nothing at all.
        [_, rest @ ..] => {
            let certain = rest.iter().any(|operand| !operand.word.is_unknown());
            certain.then(|| about(look, 1))
        }
    }
}

/// Whether a single operand is a path and no branch.
fn is_path(word: &Word, look: &Look<'_>) -> bool {
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
