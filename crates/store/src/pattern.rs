//! Which files a reservation is about. What cannot be read as a pattern stands for exactly the path it spells.

use crate::table::leases::Lease;
use engine::lease::{Kind, Pattern};

/// The pattern a reservation was made with.
pub(crate) fn of(text: &str) -> Pattern {
    Pattern::parse(text).unwrap_or_else(|_| Pattern::of_path(text))
}

/// Whether a reservation covers a path.
pub(crate) fn covers(text: &str, path: &str) -> bool {
    of(text).fits(path)
}

/// Whether a lease of any kind holds a file that a pattern stands for.
pub(crate) fn meets(pattern: &Pattern, lease: &Lease) -> bool {
    match lease.kind {
        _ if lease.is_everything() => true,
        Kind::Edit => pattern.fits(&lease.key.path),
        Kind::Reserve => pattern.overlaps(&of(&lease.key.path)),
    }
}
