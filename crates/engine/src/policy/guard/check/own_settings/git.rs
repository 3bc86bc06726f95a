//! Git, where it puts a settings file of the project into another state: a switch, a stash, a reset, a clean.

use super::super::CheckContext;
use super::super::clean;
use super::super::discard::is_path;
use super::{ResultingSettings, SettingsEffect};
use crate::policy::guard::client::names;
use crate::policy::guard::entries;
use crate::policy::guard::facts::{LossOf, SettingsFileFact};
use crate::policy::guard::glob::{StarReach, fits};
use crate::policy::guard::path::{absolute, below, is_within, parent};
use shell::Word;

/// The tree with nothing in it.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// What a git command makes of the files of a worktree.
struct CheckoutEffect<'a> {
    /// The commit they come from; empty: the index.
    revision: String,
    /// The commit that is taken for how they are now, where what did not change since stays.
    base: String,
    /// Which files; none: all.
    paths: Vec<&'a Word>,
    how: CheckoutMode,
    /// Files git does not know go as well, and with `All` those it ignores.
    untracked: Untracked,
    /// A person may decide it.
    asks: bool,
    instead: Option<String>,
}

/// What becomes of a file by what the commit has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckoutMode {
    /// It is as there: what git knows and the commit has not goes.
    Becomes,
    /// The same, but what is not there stays.
    Overlays,
    /// The same as `Becomes`, but what is no other there than in the base stays as it is.
    Follows,
    /// Both sides are joined: what only one of them has stays.
    Joins,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Untracked {
    Stay,
    Go,
    All,
}

impl CheckoutEffect<'_> {
    fn to(revision: impl Into<String>) -> Self {
        Self {
            revision: revision.into(),
            base: "HEAD".to_owned(),
            paths: Vec::new(),
            how: CheckoutMode::Becomes,
            untracked: Untracked::Stay,
            asks: false,
            instead: None,
        }
    }
}

pub(super) fn touched(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    if !look.seen.is(&["git"]) || look.world.facts.own.settings.is_empty() {
        return Vec::new();
    }
    if look.seen.sub(&["clean"]) {
        return cleaned(look);
    }
    let Some(change) = change(look) else {
        return Vec::new();
    };
    let cwd = look.seen.command.cwd.as_deref();
    let Some(root) = look
        .world
        .repository(cwd)
        .map(|repository| repository.root.as_str())
    else {
        return Vec::new();
    };
    let files = look.world.facts.own.settings.iter();
    files
        .filter_map(|file| {
            let inside = names(file).find_map(|path| below(path, root))?;
            covers(&change, inside, root, look).then_some(())?;
            let after = after(&change, file, inside, root, look)?;
            let shown = look.seen.usage.sub.join(" ");
            Some(SettingsEffect {
                instead: change.instead.clone(),
                asks: change.asks,
                ..SettingsEffect::new(file.path.clone(), after, shown)
            })
        })
        .collect()
}

/// What becomes of a file; nothing where it stays.
fn after(
    change: &CheckoutEffect<'_>,
    file: &SettingsFileFact,
    inside: &str,
    root: &str,
    look: &CheckContext<'_>,
) -> Option<ResultingSettings> {
    // All of it is asked at once: a question that waits for another's answer may come too late.
    let version = look.world.version(root, &change.revision, inside);
    let before = look.world.text(&file.path);
    let head = (change.how == CheckoutMode::Follows).then(|| look.world.version(root, &change.base, inside));
    let known = if file.hooked {
        look.world.path(&file.path)
    } else {
        None
    };
    let goes = |ignored: bool| match change.untracked {
        Untracked::Stay => false,
        Untracked::Go => !ignored,
        Untracked::All => true,
    };
    if known.is_some_and(|fact| !fact.tracked && goes(fact.ignored)) {
        return Some(ResultingSettings::Gone);
    }
    let version = version.filter(|version| version.resolves)?;
    let Some(text) = &version.text else {
        let was_there = head.is_none_or(|head| head.is_none_or(|head| head.text.is_some()));
        let is_taken = matches!(change.how, CheckoutMode::Becomes | CheckoutMode::Follows) && was_there;
        let goes = is_taken && known.is_some_and(|fact| fact.tracked);
        return goes.then_some(ResultingSettings::Gone);
    };
    let before = before?.unwrap_or_default();
    let is_bad = || entries::are_harmed(before, text) || entries::sets_variables(before, text);
    let stays = before == text
        || change.how == CheckoutMode::Joins && !is_bad()
        || head.is_some_and(|head| head.is_none_or(|head| head.text.as_ref() == Some(text)));
    (!stays).then(|| ResultingSettings::Text(text.clone()))
}

fn change<'a>(look: &'a CheckContext<'_>) -> Option<CheckoutEffect<'a>> {
    let seen = look.seen;
    let sub = seen.usage.sub.first().copied()?;
    let words: Vec<&Word> = seen.operands().iter().map(|operand| operand.word).collect();
    match sub {
        "checkout" => checkout(look),
        "switch" if seen.has(&["--orphan"]) => Some(moved(EMPTY.to_owned(), look)),
        "switch" => Some(moved(revision(words.first()?)?, look)),
        "restore" => {
            let staged = seen.has(&["-S", "--staged"]);
            if staged && !seen.has(&["-W", "--worktree"]) {
                return None;
            }
            let source = seen.value(&["-s", "--source"]);
            let from = match source {
                Some(source) => revision(source)?,
                None if staged => "HEAD".to_owned(),
                None => String::new(),
            };
            Some(put_back(from, words, true))
        }
        "reset" if seen.has(&["--hard", "--keep", "--merge"]) => {
            let to = words
                .first()
                .map_or(Some("HEAD".to_owned()), |word| revision(word))?;
            Some(CheckoutEffect {
                how: following(seen.has(&["--keep", "--merge"])),
                ..moved(to, look)
            })
        }
        "read-tree" if seen.has(&["-u"]) => Some(CheckoutEffect {
            how: following(!seen.has(&["--reset"])),
            ..moved(revision(words.last()?)?, look)
        }),
        "checkout-index" if seen.has(&["-f", "--force"]) => Some(put_back(String::new(), words, false)),
        "stash" => stash(look),
        "merge" | "cherry-pick" | "rebase" => {
            let to = words.last().copied()?;
            Some(CheckoutEffect {
                how: CheckoutMode::Joins,
                asks: true,
                ..CheckoutEffect::to(revision(to)?)
            })
        }
        "revert" => reverted(words.first()?),
        "bisect" => {
            let names: Vec<&&Word> = words
                .iter()
                .filter(|word| word.literal() != Some("start"))
                .collect();
            let starts = names.len() < words.len() || seen.usage.sub.contains(&"start");
            // The oldest commit that may come is the one without the fault.
            let good = names.last().filter(|_| starts && names.len() > 1)?;
            Some(moved(revision(good)?, look))
        }
        "sparse-checkout"
            if seen.usage.sub.contains(&"set")
                || words.first().and_then(|word| word.literal()) == Some("set") =>
        {
            let keeps = words.iter().any(|word| word.prefix().contains(".claude"));
            (!keeps).then(|| CheckoutEffect {
                instead: Some("(name .claude beside the other folders)".to_owned()),
                ..CheckoutEffect::to(EMPTY)
            })
        }
        _ => None,
    }
}

/// The worktree goes over to a commit.
fn moved<'a>(revision: String, look: &CheckContext<'_>) -> CheckoutEffect<'a> {
    let forced = look
        .seen
        .has(&["-f", "--force", "--discard-changes", "--hard", "--reset"]);
    let shown = if revision == EMPTY || revision.starts_with('@') || revision == "HEAD" {
        None
    } else {
        Some(format!("git worktree add --detach ../elsewhere {revision}"))
    };
    CheckoutEffect {
        how: following(!forced),
        asks: true,
        instead: shown,
        ..CheckoutEffect::to(revision)
    }
}

fn following(heeds: bool) -> CheckoutMode {
    if heeds {
        CheckoutMode::Follows
    } else {
        CheckoutMode::Becomes
    }
}

/// What one commit, or a range of them, did is taken back.
fn reverted<'a>(word: &Word) -> Option<CheckoutEffect<'a>> {
    let named = revision(word)?;
    let (to, base) = match named.split_once("..") {
        Some((from, until)) => (from.to_owned(), until.to_owned()),
        None => (format!("{named}^"), named),
    };
    Some(CheckoutEffect {
        base,
        how: CheckoutMode::Follows,
        asks: true,
        ..CheckoutEffect::to(to)
    })
}

/// Files are put back to what a commit or the index has.
fn put_back(revision: String, paths: Vec<&Word>, removes: bool) -> CheckoutEffect<'_> {
    CheckoutEffect {
        how: if removes && !revision.is_empty() {
            CheckoutMode::Becomes
        } else {
            CheckoutMode::Overlays
        },
        paths,
        instead: Some("(name the other files by their paths)".to_owned()),
        ..CheckoutEffect::to(revision)
    }
}

fn checkout<'a>(look: &'a CheckContext<'_>) -> Option<CheckoutEffect<'a>> {
    let seen = look.seen;
    if seen.has(&["--ours", "--theirs", "-p", "--patch", "--orphan"]) {
        return None;
    }
    let operands = seen.operands();
    let words = |skip: usize| operands.iter().skip(skip).map(|operand| operand.word).collect();
    let dashes = operands.iter().position(|operand| operand.after_dashes);
    let first = operands.first()?.word;
    match (dashes, operands.len()) {
        (Some(0), _) => Some(put_back(String::new(), words(0), false)),
        (Some(at), _) => Some(put_back(revision(first)?, words(at), false)),
        (None, _) if seen.has(&["-b", "-B"]) => Some(moved(revision(first)?, look)),
        (None, _) if is_path(first, look) => Some(put_back(String::new(), words(0), false)),
        (None, 1) => Some(moved(revision(first)?, look)),
        (None, _) => Some(put_back(revision(first)?, words(1), false)),
    }
}

fn stash<'a>(look: &'a CheckContext<'_>) -> Option<CheckoutEffect<'a>> {
    let seen = look.seen;
    let words: Vec<&Word> = seen.operands().iter().map(|operand| operand.word).collect();
    let named = seen.usage.sub.get(1).copied();
    let form = named
        .or_else(|| words.first().and_then(|word| word.literal()))
        .filter(|form| {
            matches!(
                *form,
                "list"
                    | "show"
                    | "create"
                    | "store"
                    | "drop"
                    | "clear"
                    | "branch"
                    | "pop"
                    | "apply"
                    | "save"
                    | "push"
            )
        });
    let behind = usize::from(named.is_none() && form.is_some());
    let words: Vec<&Word> = words.into_iter().skip(behind).collect();
    match form {
        Some("list" | "show" | "create" | "store" | "drop" | "clear" | "branch") => None,
        Some("pop" | "apply") => {
            let entry = words
                .first()
                .and_then(|word| word.literal())
                .unwrap_or("stash@{0}");
            Some(CheckoutEffect {
                how: CheckoutMode::Joins,
                asks: true,
                ..CheckoutEffect::to(entry)
            })
        }
        form => {
            let all = seen.has(&["-a", "--all"]);
            let more = seen.has(&["-u", "--include-untracked"]);
            let option = match (all, more) {
                (true, _) => " -a",
                (false, true) => " -u",
                (false, false) => "",
            };
            // What is only staged leaves the rest alone.
            if seen.has(&["-S", "--staged"]) {
                return None;
            }
            Some(CheckoutEffect {
                paths: if form == Some("save") { Vec::new() } else { words },
                untracked: match (all, more) {
                    (true, _) => Untracked::All,
                    (false, true) => Untracked::Go,
                    (false, false) => Untracked::Stay,
                },
                instead: Some(if stands_at_root(look) {
                    format!("git stash{option} -- . ':!.claude'")
                } else {
                    format!("git stash{option} -- ':/' ':(top,exclude).claude'")
                }),
                ..CheckoutEffect::to("HEAD")
            })
        }
    }
}

fn stands_at_root(look: &CheckContext<'_>) -> bool {
    let cwd = look.seen.command.cwd.as_deref();
    look.world
        .repository(cwd)
        .is_some_and(|repository| Some(repository.root.as_str()) == cwd)
}

/// A commit as it is written; nothing where it is not known.
fn revision(word: &Word) -> Option<String> {
    let text = word.literal()?;
    match text {
        "-" => Some("@{-1}".to_owned()),
        "" => None,
        _ if text.starts_with('-') || text.contains(['\n', ':']) => None,
        _ => Some(text.to_owned()),
    }
}

/// Whether a change is about a file of the worktree, by its pathspecs.
fn covers(change: &CheckoutEffect<'_>, inside: &str, root: &str, look: &CheckContext<'_>) -> bool {
    let seen = look.seen;
    if change.paths.is_empty() || seen.has(&["--pathspec-from-file", "-a", "--all"]) && !seen.sub(&["stash"])
    {
        return true;
    }
    let cwd = seen.command.cwd.as_deref();
    let file = format!("{root}/{inside}");
    let is_at = |spec: &str, base: &str| {
        let Some(place) = absolute(spec, Some(base)) else {
            return true;
        };
        is_within(&file, &place) || fits(&place, &file, StarReach::Text)
    };
    let (mut named, mut includes) = (false, false);
    for word in &change.paths {
        let Some(text) = word.literal() else {
            // Whatever it stands for, it may stand for this.
            named = true;
            includes |= !matches!(word, Word::Glob { pattern } if !is_at(pattern, cwd.unwrap_or(root)));
            continue;
        };
        let here = cwd.unwrap_or(root);
        match pathspec(text) {
            Spec::Without { path, top } if is_at(path, if top { root } else { here }) => return false,
            Spec::Without { .. } => {}
            Spec::With { path, top } => {
                named = true;
                includes |= is_at(path, if top { root } else { here });
            }
            Spec::Other => (named, includes) = (true, true),
        }
    }
    includes || !named
}

enum Spec<'a> {
    With { path: &'a str, top: bool },
    Without { path: &'a str, top: bool },
    Other,
}

fn pathspec(text: &str) -> Spec<'_> {
    let Some(magic) = text.strip_prefix(':') else {
        return Spec::With {
            path: text,
            top: false,
        };
    };
    if let Some((words, path)) = magic.strip_prefix('(').and_then(|magic| magic.split_once(')')) {
        let mut words = words.split(',');
        let has = |wanted: &str| words.clone().any(|word| word == wanted);
        let (top, without) = (has("top"), has("exclude"));
        let is_plain = words.all(|word| matches!(word, "top" | "exclude" | "glob" | "literal" | ""));
        return match (is_plain, without) {
            (false, _) => Spec::Other,
            (true, true) => Spec::Without { path, top },
            (true, false) => Spec::With { path, top },
        };
    }
    let path = magic.trim_start_matches(['!', '^', '/']);
    let signs = magic.strip_suffix(path).unwrap_or_default();
    let top = signs.contains('/');
    if signs.contains(['!', '^']) {
        return Spec::Without { path, top };
    }
    Spec::With { path, top }
}

/// `git clean`: git itself says what it would remove.
fn cleaned(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let seen = look.seen;
    if seen.has(&["-n", "--dry-run"]) {
        return Vec::new();
    }
    let cwd = seen.command.cwd.as_deref();
    let lost = clean::words(look).and_then(|words| look.world.loss(cwd, LossOf::Clean { words }));
    let Some(lost) = lost.filter(|lost| !lost.hooks.is_empty()) else {
        return Vec::new();
    };
    let files = look.world.facts.own.settings.iter().filter(|file| file.hooked);
    let gone = files.filter(|file| {
        let paths = lost.hooks.iter().filter_map(|name| absolute(name, cwd));
        paths
            .into_iter()
            .any(|path| names(file).any(|known| known == path))
    });
    gone.map(|file| SettingsEffect {
        what: Some(clean::what(lost)),
        instead: Some(clean::sparing(look, lost, name_of_folder(&file.path))),
        ..SettingsEffect::new(file.path.clone(), ResultingSettings::Gone, "clean")
    })
    .collect()
}

fn name_of_folder(file: &str) -> &str {
    crate::policy::guard::path::name(parent(file))
}
