//! Writing to a disk itself.

use super::CheckContext;
use crate::policy::guard::facts::PathKind;
use crate::policy::guard::loss::{HarmKind, harms};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::shown_word;
use shell::Word;

const DISKS: [&str; 13] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-", "mapper/", "loop", "nbd",
];

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    harms(look.seen)
        .iter()
        .filter(|harm| {
            matches!(
                harm.how,
                HarmKind::Overwrite | HarmKind::Empty | HarmKind::Append | HarmKind::Remove
            )
        })
        .find(|harm| is_disk(&harm.target, look))
        .map(|harm| Hit::yes().about(shown_word(&harm.target)))
}

fn is_disk(word: &Word, look: &CheckContext<'_>) -> bool {
    let named = |path: &str| {
        path.strip_prefix("/dev/")
            .is_some_and(|name| DISKS.iter().any(|disk| name.starts_with(disk)))
    };
    let known = |path: &str| {
        path.starts_with("/dev/")
            && look
                .world
                .facts
                .paths
                .get(path)
                .is_some_and(|fact| fact.kind == PathKind::BlockDevice)
    };
    match word {
        Word::Literal(_) | Word::OneOf(_) => word.texts().iter().any(|path| named(path) || known(path)),
        Word::Glob { .. } | Word::Unknown { .. } => named(&word.prefix()),
    }
}
