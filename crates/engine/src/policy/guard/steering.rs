//! Variables that decide whether our hook is run, and which program is: in the client's settings, or in front of one.

/// Variables that have every program load what they name, or send the client and its shells elsewhere.
const LOADING: [&str; 6] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_SHELL_PREFIX",
];

/// Options of `node` that run a file before everything else.
const NODE_LOADS: [&str; 5] = ["-r", "--require", "--import", "--loader", "--experimental-loader"];

/// Whether a variable would steer us, were it followed.
pub fn steers(name: &str) -> bool {
    name.starts_with("TOPROPE_") || name.starts_with("XDG_") || matches!(name, "HOME" | "PATH")
}

/// Whether a variable has what runs the hook load something, or sends it elsewhere; `None`: nobody knows its value.
pub fn loads(name: &str, value: Option<&str>) -> bool {
    if name != "NODE_OPTIONS" {
        return LOADING.contains(&name);
    }
    let is_load = |word: &str| {
        let option = word.split('=').next().unwrap_or_default();
        NODE_LOADS.contains(&option)
    };
    value.is_none_or(|value| value.split_whitespace().any(is_load))
}
