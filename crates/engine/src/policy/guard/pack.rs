//! The built-in rules. The build makes a line of text of each; all of one is read when a command first concerns it. A broken
//! one fails the build or a test.

use super::entry::ListedRule;
use super::loading::{LoadedRules, RuleSource, load};
use std::sync::{Arc, LazyLock};

/// Every built-in pack with its text.
pub const FILES: [(&str, &str); 13] = [
    (
        "core.filesystem",
        include_str!("../../../packs/core.filesystem.toml"),
    ),
    ("core.git", include_str!("../../../packs/core.git.toml")),
    ("workflow.git", include_str!("../../../packs/workflow.git.toml")),
    ("exec", include_str!("../../../packs/exec.toml")),
    ("secrets", include_str!("../../../packs/secrets.toml")),
    ("self", include_str!("../../../packs/self.toml")),
    ("system", include_str!("../../../packs/system.toml")),
    ("packages", include_str!("../../../packs/packages.toml")),
    ("databases", include_str!("../../../packs/databases.toml")),
    ("containers", include_str!("../../../packs/containers.toml")),
    ("kubernetes", include_str!("../../../packs/kubernetes.toml")),
    ("cloud", include_str!("../../../packs/cloud.toml")),
    ("terraform", include_str!("../../../packs/terraform.toml")),
];

const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/packs.txt"));
include!(concat!(env!("OUT_DIR"), "/packs.rs"));

static ENTRIES: LazyLock<Vec<Arc<ListedRule>>> = LazyLock::new(|| {
    TEXT.lines()
        .filter_map(ListedRule::listed)
        .map(Arc::new)
        .collect()
});

/// Every built-in rule.
pub fn entries() -> &'static [Arc<ListedRule>] {
    &ENTRIES
}

/// What tells the built-in rules from those of another version.
pub fn digest() -> &'static str {
    DIGEST
}

/// Reads one pack.
pub fn read(name: &str, text: &str) -> LoadedRules {
    load(&format!("{name}.toml"), text, RuleSource::BuiltIn)
}
