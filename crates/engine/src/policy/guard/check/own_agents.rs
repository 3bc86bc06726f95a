//! Starting an agent that our hooks do not see, or Toprope in another setting.

use super::Look;
use crate::policy::guard::hit::Hit;
use crate::policy::guard::own::is_installed;
use crate::shell::Word;

const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// An agent without hooks.
pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.is(&AGENTS) {
        return None;
    }
    let words: Vec<&Word> = seen.command.argv.iter().skip(1).collect();
    let has = |flag: &str| {
        words.iter().any(|word| {
            word.literal()
                .is_some_and(|text| text == flag || text.starts_with(&format!("{flag}=")))
        })
    };
    let disables = words.iter().any(|word| {
        let text = word.prefix();
        text.contains("disableAllHooks")
    });
    let elsewhere = seen
        .command
        .env
        .iter()
        .any(|(name, _)| name == "CLAUDE_CONFIG_DIR");
    (has("--bare") || has("--safe-mode") || disables || elsewhere).then(Hit::yes)
}

/// `TOPROPE_…=` in front of Toprope or an agent.
pub(super) fn environment(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    let sets = seen
        .command
        .env
        .iter()
        .find(|(name, _)| name.starts_with("TOPROPE_"));
    let (name, _) = sets?;
    (is_installed(seen.command, look.world) || seen.is(&AGENTS)).then(|| Hit::yes().about(name.clone()))
}
