//! The committed fuzz inputs, for tests that hold them against the promises of their target with any compiler.

use fs_err as fs;
use std::panic::catch_unwind;
use std::path::Path;

/// Fewer inputs than this is a corpus that went missing, not one that shrank.
const FEWEST: usize = 20;

/// Runs a check on every committed input of a fuzz target.
///
/// # Panics
///
/// If the check fails for one of them; all that fail are named.
pub fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let entries = fs::read_dir(folder).expect("the corpus is committed");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(files.len() >= FEWEST, "{} inputs for `{target}`", files.len());
    files.retain(|file| {
        let input = fs::read(file).expect("a readable file");
        catch_unwind(|| check(&input)).is_err()
    });
    assert!(files.is_empty(), "`{target}` breaks a promise on {files:?}");
}
