//! What a folder takes on disk, and sizes as people read them.

use std::path::Path;

/// Folders in the state folder are few and flat; deeper ones are not ours.
const DEEPEST: usize = 8;

const KIB: u64 = 1024;
/// Bytes in a mebibyte.
pub const MIB: u64 = KIB * 1024;
const GIB: u64 = MIB * 1024;

/// Bytes of all files in a folder; what cannot be looked at, or vanishes meanwhile, counts as nothing.
pub fn used(folder: &Path) -> u64 {
    used_within(folder, DEEPEST)
}

fn used_within(folder: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return 0;
    };
    let sizes = entries
        .flatten()
        .map(|entry| match fs_err::symlink_metadata(entry.path()) {
            Ok(found) if found.is_file() => found.len(),
            Ok(found) if found.is_dir() && depth > 0 => used_within(&entry.path(), depth - 1),
            Ok(_) | Err(_) => 0,
        });
    sizes.sum()
}

/// A number of bytes as people read it: `812 KiB`, `1.2 MiB`.
pub fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes / KIB),
        MIB..GIB => format!("{} MiB", tenths(MIB)),
        GIB.. => format!("{} GiB", tenths(GIB)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_to_what_matters() {
        let shown: Vec<String> = [0, 1023, 1024, 831_488, 1_310_720, 3_221_225_472]
            .map(size)
            .into();
        assert_eq!(shown, ["0 B", "1023 B", "1 KiB", "812 KiB", "1.2 MiB", "3.0 GiB"]);
    }

    #[test]
    fn all_files_below_a_folder_count_and_links_do_not() {
        let world = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(world.path().join("a/b")).unwrap();
        fs_err::write(world.path().join("one"), [0; 10]).unwrap();
        fs_err::write(world.path().join("a/b/two"), [0; 5]).unwrap();
        fs_err::os::unix::fs::symlink("/", world.path().join("a/everything")).unwrap();
        assert_eq!(used(world.path()), 15);
        assert_eq!(used(&world.path().join("absent")), 0);
    }
}
