//! A coarse look that spares most texts the reading: whether any word in it could write a file.

use super::fixer;
use crate::sieve;

/// Programs that write files by their words, and the subcommands of git that do.
const WRITERS: &[&str] = &[
    "add-trailing-comma",
    "am",
    "apply",
    "bisect",
    "checkout",
    "cherry-pick",
    "clean",
    "co",
    "cp",
    "curl",
    "dd",
    "del-cli",
    "dos2unix",
    "filter-branch",
    "filter-repo",
    "gcp",
    "gdd",
    "ginstall",
    "gln",
    "gmv",
    "grm",
    "gsed",
    "gshred",
    "gsort",
    "gtee",
    "gtouch",
    "gtruncate",
    "install",
    "link",
    "ln",
    "mac2unix",
    "merge",
    "mv",
    "patch",
    "perl5",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rimraf",
    "rm",
    "sd",
    "sed",
    "shred",
    "sort",
    "sparse-checkout",
    "sponge",
    "srm",
    "stash",
    "switch",
    "tee",
    "touch",
    "trash",
    "trash-put",
    "truncate",
    "unix2dos",
    "unlink",
    "wget",
    "yq",
];

/// Whether a text may hold a command that [`written`](super::written) knows, or one of these words. Never wrong when
/// it says no, but for aliases that are set elsewhere.
pub fn may_write<'a>(text: &str, more: impl IntoIterator<Item = &'a str>) -> bool {
    let known = WRITERS.iter().copied().chain(fixer::triggers());
    let known = known.map(|word| -> &'a str { word });
    text.contains('>') || sieve::holds_trigger(text, known.chain(more))
}
