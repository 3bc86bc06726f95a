//! Programs that run what they read: shells, and interpreters of other languages.

/// Shells.
pub const SHELLS: &[&str] = &[
    "bash", "sh", "zsh", "dash", "ksh", "ksh93", "mksh", "pdksh", "ash", "yash", "rbash", "lksh", "oksh",
    "posh", "fish", "csh", "tcsh", "nu", "elvish", "xonsh", "osh", "ysh",
];
/// Interpreters.
pub const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "node",
    "nodejs",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "osascript",
    "R",
    "Rscript",
    "pwsh",
    "powershell",
    "tclsh",
];
