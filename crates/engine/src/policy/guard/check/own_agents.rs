//! Starting an agent that our hooks may not see, or Toprope in another setting.

use super::Look;
use crate::policy::guard::hit::Hit;
use crate::policy::guard::own::is_installed;
use crate::shell::Word;
use serde_json::{Map, Value};

const AGENTS: [&str; 5] = ["claude", "claude-code", "codex", "gemini", "opencode"];

/// Every layer of settings that an agent reads: our hooks are in one of them.
const LAYERS: [&str; 3] = ["user", "project", "local"];

/// Variables that say where an agent's settings are.
const PLACES: [&str; 3] = ["CLAUDE_CONFIG_DIR", "HOME", "XDG_CONFIG_HOME"];

/// An agent that may not have our hooks.
pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.is(&AGENTS) {
        return None;
    }
    let words: Vec<&Word> = seen.command.argv.iter().skip(1).collect();
    let has = |flag: &str| words.iter().any(|word| word.literal() == Some(flag));
    let leaves_out = values(&words, "--setting-sources").any(|sources| !names_all_layers(sources));
    let adds = values(&words, "--settings").any(|settings| !is_harmless(settings));
    let home = look.world.facts.home.as_deref();
    let elsewhere = seen.command.env.iter().any(|(name, value)| {
        let is_as_it_was = name == "HOME" && home.is_some() && value.literal() == home;
        PLACES.contains(&name.as_str()) && !is_as_it_was
    });
    (has("--bare") || has("--safe-mode") || leaves_out || adds || elsewhere).then(Hit::yes)
}

/// The values of an option, behind it or in the same word; nothing for one that cannot be read.
fn values<'a>(words: &'a [&'a Word], option: &'a str) -> impl Iterator<Item = Option<&'a str>> {
    words.iter().enumerate().filter_map(move |(index, word)| {
        let whole = word.literal();
        if whole == Some(option) {
            return words.get(index + 1).map(|value| value.literal());
        }
        let begins = |text: &str| {
            let rest = text.strip_prefix(option)?.strip_prefix('=')?;
            Some(rest.len())
        };
        match whole {
            Some(text) => begins(text).map(|length| text.get(text.len() - length..)),
            None => begins(&word.prefix()).map(|_| None),
        }
    })
}

fn names_all_layers(sources: Option<&str>) -> bool {
    let Some(sources) = sources else { return false };
    let named: Vec<&str> = sources.split(',').map(str::trim).collect();
    LAYERS.iter().all(|layer| named.contains(layer))
}

/// Settings written out that leave hooks and variables alone.
fn is_harmless(settings: Option<&str>) -> bool {
    let settings = settings.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    settings.is_some_and(|settings| {
        ["hooks", "disableAllHooks", "env"]
            .iter()
            .all(|key| !settings.contains_key(*key))
    })
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
