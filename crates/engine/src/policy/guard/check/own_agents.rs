//! Starting an agent that our hooks may not see, or Toprope in another setting.

mod variables;

use super::CheckContext;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::own::is_installed;
use crate::policy::guard::path::{absolute, name};
use serde_json::{Map, Value};
use shell::{Command, CommandHost, Word};

const AGENTS: [&str; 5] = ["claude", "claude-code", "codex", "gemini", "opencode"];

/// Every layer of settings that an agent reads: our hooks are in one of them.
const LAYERS: [&str; 3] = ["user", "project", "local"];

/// Programs that run a command as another user, with that user's settings.
const OTHER_USERS: [&str; 10] = [
    "sudo",
    "su",
    "doas",
    "runuser",
    "pkexec",
    "gosu",
    "su-exec",
    "setuidgid",
    "s6-setuidgid",
    "machinectl",
];

/// An agent that may not have our hooks.
pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let command = look.seen.command;
    let agent = script_of_agent(look).or_else(|| look.seen.is(&AGENTS).then_some(0));
    let words = |program: usize| -> Vec<&Word> { command.argv.iter().skip(program + 1).collect() };
    match agent {
        Some(program) => may_lack_ours(look, &words(program)).then(Hit::yes),
        // Where a program leads is asked only of one whose words an agent would understand.
        None => (is_told_to_lack_ours(look, &words(0)) && leads_to_an_agent(look)).then(Hit::yes),
    }
}

/// Which word is the agent's program where an interpreter runs it: `node …/@anthropic-ai/claude-code/cli.js`.
fn script_of_agent(look: &CheckContext<'_>) -> Option<usize> {
    if !look.seen.is(&["node", "nodejs", "bun", "deno", "tsx"]) {
        return None;
    }
    let words = look.seen.command.argv.iter().enumerate().skip(1);
    let mut paths = words.filter_map(|(index, word)| Some((index, word.literal()?)));
    paths
        .find(|(_, path)| path.contains('/') && is_agents_file(path))
        .map(|(index, _)| index)
}

/// Whether a path is an agent's program: by its name, or by the folder it is installed in.
fn is_agents_file(path: &str) -> bool {
    AGENTS.contains(&name(path))
        || path.split('/').any(|part| part == "claude-code")
        || path.contains("/claude/versions/")
}

/// Whether the program is an agent under another name: a link, or what the text itself made of one.
fn leads_to_an_agent(look: &CheckContext<'_>) -> bool {
    let command = look.seen.command;
    if look
        .world
        .older_names(command)
        .iter()
        .any(|path| is_agents_file(path))
    {
        return true;
    }
    let written = command.argv.first().and_then(Word::literal);
    let path = written
        .filter(|path| path.contains('/'))
        .and_then(|path| absolute(path, command.cwd.as_deref()));
    path.and_then(|path| look.world.leads_to(&path))
        .is_some_and(|path| is_agents_file(&path))
}

fn may_lack_ours(look: &CheckContext<'_>, words: &[&Word]) -> bool {
    // What nobody knows may be any option. One quoted word is a prompt.
    let is_any = |word: &&Word| matches!(word, Word::Unknown { quoted: false, prefix, .. } if prefix.is_empty() || prefix.starts_with('-'));
    let command = look.seen.command;
    is_told_to_lack_ours(look, words)
        || is_another_users(command)
        || command.place == CommandHost::Container && !only_shows(words)
        || variables::is_set_by_code(look)
        || words.iter().any(is_any)
}

/// Whether the client says something of itself and leaves again.
fn only_shows(words: &[&Word]) -> bool {
    let mut texts = words.iter().filter_map(|word| word.literal());
    texts.any(|text| matches!(text, "--version" | "-v" | "--help" | "-h"))
}

/// Whether a command's words or variables lead an agent away from our settings.
fn is_told_to_lack_ours(look: &CheckContext<'_>, words: &[&Word]) -> bool {
    let has = |flag: &str| {
        words
            .iter()
            .any(|word| word.texts().iter().any(|text| text == flag))
    };
    let leaves_out = values(words, "--setting-sources").any(|sources| !names_all_layers(sources));
    let adds = values(words, "--settings").any(|settings| !is_harmless(settings));
    has("--bare") || has("--safe-mode") || leaves_out || adds || variables::lead_elsewhere(look)
}

fn is_another_users(command: &Command) -> bool {
    let mut through = command.through.iter();
    through.any(|label| {
        let program = label.split(' ').next().unwrap_or_default();
        OTHER_USERS.contains(&program)
    })
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
pub(super) fn environment(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let sets = seen
        .command
        .env
        .iter()
        .find(|(name, _)| name.starts_with("TOPROPE_"));
    let (name, _) = sets?;
    (is_installed(seen.command, look.world) || seen.is(&AGENTS)).then(|| Hit::yes().about(name.clone()))
}
