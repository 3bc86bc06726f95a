//! Pushes that replace what others may have.

use super::CheckContext;
use crate::policy::guard::glob::{StarReach, fits};
use crate::policy::guard::match_result::{Edit, Hit, Splice};
use crate::policy::guard::message::shown_word;
use crate::policy::guard::push::{Force, PushTarget, aims, force, is_protected};
use crate::text;
use shell::Span;
use shell::Word;

/// To a branch nobody but a person moves.
pub(super) fn to_protected(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.has(&["-n", "--dry-run"]) {
        return None;
    }
    let whole = force(seen);
    if whole.is_some() && seen.has(&["--mirror", "--all", "--branches"]) {
        return Some(Hit::yes().about("all branches"));
    }
    let aims = aims(seen, look.world);
    let forced = |aim: &&PushTarget| (whole.is_some() || aim.plus) && !aim.removes;
    let protected = aims.iter().filter(forced).find_map(|aim| {
        let branch = aim.branch.as_deref()?;
        // `+refs/heads/*:refs/heads/*` goes to every branch.
        let goes_to_all = branch.contains('*') && fits(branch, "main", StarReach::Name);
        (goes_to_all || is_protected(branch, seen, look.world, look.rules)).then(|| Hit::yes().about(branch))
    });
    protected.or_else(|| {
        let unknown = aims.iter().filter(forced).any(|aim| aim.branch.is_none());
        unknown.then(|| Hit::maybe("the branch"))
    })
}

/// To any other branch, without looking whether somebody pushed in between.
pub(super) fn to_other(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.has(&["-n", "--dry-run", "--mirror"]) {
        return None;
    }
    let aims = aims(seen, look.world);
    let pluses: Vec<&PushTarget> = aims.iter().filter(|aim| aim.plus && !aim.removes).collect();
    let blunt = force(seen) == Some(Force::Blunt) && aims.iter().any(|aim| !aim.removes);
    if !blunt && pluses.is_empty() {
        return None;
    }
    let edit = edit(look, &pluses, blunt, aims.len());
    let targets: Vec<String> = aims.iter().filter_map(|aim| aim.branch.clone()).collect();
    Some(Hit {
        targets,
        instead: edit.is_none().then(|| corrected(look)),
        edit,
        ..Hit::yes()
    })
}

/// The push with a lease, written out: for where the text has no place for a rewrite.
fn corrected(look: &CheckContext<'_>) -> String {
    let words = look.seen.command.argv.iter().map(|word| {
        let text = match word {
            Word::Literal(text) => text::word(text),
            Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. } => shown_word(word),
        };
        match text.as_str() {
            "-f" | "--force" => "--force-with-lease".to_owned(),
            "push" if force(look.seen) != Some(Force::Blunt) => "push --force-with-lease".to_owned(),
            other => other.strip_prefix('+').unwrap_or(other).to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn edit(look: &CheckContext<'_>, pluses: &[&PushTarget], blunt: bool, refspecs: usize) -> Option<Edit> {
    let seen = look.seen;
    seen.command.span?;
    let span = |index: usize| seen.command.spans.get(index).copied().flatten();
    let written = |index: usize| span(index).and_then(|span| span.of(seen.text));
    let mut splices = Vec::new();
    if blunt {
        let forces = seen.usage.options.iter().filter(|given| given.is("--force"));
        for given in forces {
            let word = written(given.index)?;
            let with = if word.starts_with("--") {
                "--force-with-lease".to_owned()
            } else {
                let rest: String = word.chars().filter(|letter| *letter != 'f').collect();
                match rest.as_str() {
                    "-" => "--force-with-lease".to_owned(),
                    rest if rest.contains(['\'', '"', '\\', '$']) => return None,
                    rest => format!("{rest} --force-with-lease"),
                }
            };
            splices.push(Splice {
                span: span(given.index)?,
                with,
            });
        }
    }
    if !pluses.is_empty() {
        // A lease counts for the whole push: with several branches it would say more than was meant.
        if refspecs != 1 {
            return None;
        }
        let aim = pluses.first()?;
        let index = aim.index?;
        let at = span(index)?;
        let plus = written(index)?.find('+')?;
        let start = at.start + plus;
        splices.push(Splice {
            span: Span {
                start,
                end: start + 1,
            },
            with: String::new(),
        });
        if !blunt && !seen.has(&["--force-with-lease"]) {
            let push = seen
                .command
                .argv
                .iter()
                .position(|word| word.literal() == Some("push"))
                .and_then(span)?;
            splices.push(Splice {
                span: Span {
                    start: push.end,
                    end: push.end,
                },
                with: " --force-with-lease".to_owned(),
            });
        }
    }
    (!splices.is_empty()).then_some(Edit { splices })
}
