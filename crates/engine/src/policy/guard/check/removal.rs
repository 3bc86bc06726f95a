//! Removing what a checkpoint can bring back: held once, then kept before it runs.

use super::Look;
use crate::policy::guard::harm::{Harm, How, harms};
use crate::policy::guard::hit::Hit;
use crate::policy::guard::keeping::Keep;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::verdict::{Class, Ruling};
use crate::policy::guard::zone::{Zone, Zoned, is_void};
use crate::settings::Created;
use crate::shell::Word;

pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let mut found: Option<Hit> = None;
    for harm in harms(look.seen)
        .iter()
        .filter(|harm| !harm.remote && is_meant(harm, look))
    {
        let zoned = look.seen.zone(&harm.target, look.world);
        if zoned.path.as_deref().is_some_and(is_void) || (makes_files(harm, look) && is_new(&zoned, look)) {
            continue;
        }
        let is_held = match zoned.zone {
            Zone::Tree | Zone::Ignored | Zone::Scratch | Zone::Unknown => true,
            // The folder a narrowed search starts from stays.
            Zone::Git => harm.narrowed && zoned.whole,
            Zone::Created => look.rules.guard().created == Created::OneStrike,
            Zone::Regenerable | Zone::Home | Zone::Elsewhere | Zone::Secret | Zone::Own | Zone::System => {
                false
            }
        };
        if !is_held {
            continue;
        }
        let hit = found.get_or_insert_with(Hit::yes);
        hit.targets.push(shown_word(&harm.target));
        hit.zone = hit.zone.max(Some(if zoned.zone == Zone::Git {
            Zone::Tree
        } else {
            zoned.zone
        }));
        hit.target_unknown |= zoned.zone == Zone::Unknown;
        if look.seen.program.is_none() && !look.seen.command.argv.is_empty() {
            hit.missing = Some("the program");
        }
        if zoned.zone == Zone::Ignored {
            ignored(hit, harm, &zoned, look);
        }
    }
    found
}

/// What also makes a file that is not there: `truncate -s 0` and `shred` are only ever meant for one that is.
fn makes_files(harm: &Harm<'_>, look: &Look<'_>) -> bool {
    let seen = look.seen;
    let empties = seen.is(&["shred"])
        || seen.is(&["truncate"]) && seen.value(&["-s", "--size"]).and_then(Word::literal) == Some("0");
    harm.how == How::Empty && !empties
}

/// A file that is not there yet has nothing to lose.
fn is_new(zoned: &Zoned, look: &Look<'_>) -> bool {
    zoned
        .path
        .as_deref()
        // A pattern stands for files that are there.
        .filter(|path| !path.contains('*'))
        .and_then(|path| look.world.path(path))
        .is_some_and(|fact| !fact.exists)
}

/// What the rule is about: forced or deep removals, and what empties a file.
fn is_meant(harm: &Harm<'_>, look: &Look<'_>) -> bool {
    match harm.how {
        How::Remove => {
            harm.deep
                || harm.forced
                || is_everything(&harm.target)
                || (is_handed_over(look) && !matches!(*harm.target, Word::Literal(_) | Word::OneOf(_)))
        }
        // What git knows is somebody's work, however it is emptied; what it ignores is emptied every day.
        How::Empty => harm.forced || look.seen.zone(&harm.target, look.world).zone == Zone::Tree,
        How::Overwrite | How::Append | How::Move | How::Mode => false,
    }
}

/// Whether other programs name what is removed: as many files as they find.
fn is_handed_over(look: &Look<'_>) -> bool {
    look.seen.command.through.iter().any(|outer| {
        outer == "xargs" || outer == "parallel" || outer.starts_with("find ") || outer.starts_with("fd ")
    })
}

fn is_everything(word: &Word) -> bool {
    matches!(word, Word::Glob { pattern } if matches!(pattern.rsplit('/').next(), Some("*" | "**" | ".*")))
}

/// Ignored files are kept by name, up to a size; beyond it nothing brings them back.
fn ignored(hit: &mut Hit, harm: &Harm<'_>, zoned: &Zoned, look: &Look<'_>) {
    let Some(path) = &zoned.path else { return };
    let folder = path.split('*').next().unwrap_or(path).trim_end_matches('/');
    let limit_mb = look.rules.guard().capture_limit_mb;
    let limit = u64::from(limit_mb) * 1_048_576;
    let fact = look.world.path(folder);
    if fact.is_some_and(|fact| fact.bytes > limit || fact.capped) {
        hit.class = Some(Class::Irreversible);
        hit.verdict = Some(Ruling::Ask);
        hit.what = Some("removes ignored files that are too large to be kept".to_owned());
        hit.why = Some(format!("Ignored files above {limit_mb} MB are in no checkpoint."));
        let name = harm
            .target
            .literal()
            .map_or(folder, |name| name.trim_end_matches('/'));
        hit.instead = Some(format!("mv {name} {name}.old"));
    } else {
        hit.keep.join(Keep {
            ignored: vec![folder.to_owned()],
            ..Keep::default()
        });
    }
}
