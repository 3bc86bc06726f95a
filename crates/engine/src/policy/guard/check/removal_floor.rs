//! Removing, moving or opening up what no machine, home or repository can lose.

use super::CheckContext;
use crate::policy::guard::loss::{HarmKind, harms};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{command, shown_word};
use crate::policy::guard::zone::{Zone, ZonedTarget, is_void};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let certain = look.seen.program.is_some();
    harms(look.seen)
        .iter()
        .filter_map(|harm| {
            let zoned = look.seen.zone(&harm.target, look.world);
            let fatal = match harm.how {
                HarmKind::Remove if harm.deep => is_fatal(&zoned, harm.narrowed),
                // A single file of the machine; a git directory's parts are a rule of their own.
                HarmKind::Remove | HarmKind::Empty => zoned.zone == Zone::System && !is_spared(&zoned),
                HarmKind::Move => is_fatal(&zoned, false),
                // The root of a worktree is opened up every day; its git directory alone never is.
                HarmKind::Mode => harm.deep && is_fatal(&zoned, zoned.zone == Zone::Git),
                HarmKind::Overwrite | HarmKind::Append => false,
            };
            fatal.then(|| Hit {
                zone: Some(zoned.zone),
                missing: (!certain).then_some("the program"),
                what: Some(what(harm.how, &zoned, &shown_word(&harm.target))),
                ..Hit::yes().about(shown_word(&harm.target))
            })
        })
        .max_by_key(|hit| hit.zone)
}

/// What would be lost, as the end of a sentence.
fn what(how: HarmKind, zoned: &ZonedTarget, target: &str) -> String {
    let target = command(target);
    let verb = match how {
        HarmKind::Move => "move away",
        HarmKind::Mode => "change the rights of",
        HarmKind::Remove | HarmKind::Empty | HarmKind::Overwrite | HarmKind::Append => "remove",
    };
    match zoned.zone {
        Zone::Home => format!("would {verb} your whole home folder ({target})"),
        Zone::Git if zoned.whole => format!("would {verb} the whole repository with its history ({target})"),
        Zone::Git => format!("would {verb} git's own files ({target})"),
        _ => format!("would {verb} files the machine needs ({target})"),
    }
}

fn is_fatal(zoned: &ZonedTarget, narrowed: bool) -> bool {
    match zoned.zone {
        Zone::System => !is_spared(zoned),
        Zone::Git => !(narrowed && zoned.whole),
        Zone::Home => zoned.whole && !narrowed,
        Zone::Elsewhere
        | Zone::Own
        | Zone::Secret
        | Zone::Unknown
        | Zone::Tree
        | Zone::Ignored
        | Zone::Scratch
        | Zone::Created
        | Zone::Regenerable => false,
    }
}

/// Devices that keep nothing, and disks, which are a rule of their own.
fn is_spared(zoned: &ZonedTarget) -> bool {
    zoned
        .path
        .as_deref()
        .is_some_and(|path| is_void(path) || path.starts_with("/dev/") && !path.starts_with("/dev/shm"))
}
