use super::*;
use crate::fixture::{Bench, PLENTY};

const WIDE: Caps = Caps {
    entries: 1_000,
    bytes: 1_000_000,
    time: PLENTY,
};

#[test]
fn everything_below_is_counted_and_links_are_not_followed() {
    let bench = Bench::new();
    bench.write("dir/a", "123");
    bench.write("dir/deep/er/b", "4567");
    bench.write("outside", vec![b'x'; 9_000]);
    std::os::unix::fs::symlink("../outside", bench.path("dir/link")).unwrap();
    std::os::unix::fs::symlink("..", bench.path("dir/up")).unwrap();
    let found = measure(&bench.path("dir"), WIDE);
    assert_eq!(found.files, 4);
    assert!(found.bytes < 100 && !found.capped, "{found:?}");
    let file = measure(&bench.path("outside"), WIDE);
    assert_eq!((file.files, file.bytes, file.capped), (1, 9_000, false));
    assert_eq!(measure(&bench.path("gone"), WIDE), FolderSize::default());
}

#[test]
fn counting_stops_at_its_limits_and_says_so() {
    let bench = Bench::new();
    for number in 0..50 {
        bench.write(&format!("dir/{number}"), "0123456789");
    }
    let few = measure(&bench.path("dir"), Caps { entries: 10, ..WIDE });
    assert!(few.capped && few.files == 10, "{few:?}");
    let small = measure(&bench.path("dir"), Caps { bytes: 100, ..WIDE });
    assert!(small.capped && small.bytes <= 110, "{small:?}");
    let whole = measure(&bench.path("dir"), Caps { entries: 50, ..WIDE });
    assert_eq!((whole.files, whole.capped), (50, false));
}
