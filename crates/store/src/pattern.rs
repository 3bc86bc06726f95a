//! Which files a reservation is about. What cannot be read as a pattern stands for exactly the path it spells.

use crate::table::leases::Lease;
use engine::lease::{LeaseKind, Pattern};

/// The pattern a reservation was made with.
pub(crate) fn of(text: &str) -> Pattern {
    Pattern::parse(text).unwrap_or_else(|_| Pattern::of_path(text))
}

/// Whether a reservation covers a path. Most are about files elsewhere, which their beginning says: those are not read.
pub(crate) fn covers(text: &str, path: &str) -> bool {
    let plain = text.find(['*', '?', '[', '{', '\\']).unwrap_or(text.len());
    let begins = text.get(..plain).is_some_and(|front| path.starts_with(front));
    begins && of(text).fits(path)
}

/// Whether a lease of any kind holds a file that a pattern stands for.
pub(crate) fn meets(pattern: &Pattern, lease: &Lease) -> bool {
    match lease.kind {
        _ if lease.is_everything() => true,
        LeaseKind::Edit => pattern.fits(&lease.key.path),
        LeaseKind::Reserve => pattern.overlaps(&of(&lease.key.path)),
    }
}

#[cfg(test)]
mod tests {
    use super::{covers, of};
    use proptest::prelude::*;

    #[test]
    fn a_reservation_covers_what_its_pattern_stands_for() {
        assert!(covers("src/**", "src/a.rs"));
        assert!(covers("{src,docs}/a", "docs/a"));
        assert!(covers("src/a.rs", "src/a.rs"));
        assert!(!covers("src/**", "docs/a.rs"));
        assert!(!covers("src/a.rs", "src/a.rs.bak"));
    }

    proptest! {
        #[test]
        fn looking_at_the_beginning_first_changes_no_answer(
            pattern in r"[ab/*?{},\[\]]{1,8}",
            path in r"[ab]{1,3}(/[ab]{1,3}){0,2}",
        ) {
            prop_assert_eq!(covers(&pattern, &path), of(&pattern).fits(&path));
        }
    }
}
