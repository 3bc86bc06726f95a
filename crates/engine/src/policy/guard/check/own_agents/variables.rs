//! Variables in front of an agent: those that lead it, or what calls us, elsewhere.

use super::super::CheckContext;
use crate::policy::guard::path::{below, is_within};
use crate::policy::guard::steering::loads;
use crate::policy::guard::zone::tilde;
use shell::Word;

/// Variables that say where an agent's settings and our state are, or that it is to do without.
const PLACES: [&str; 5] = [
    "CLAUDE_CODE_SIMPLE",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

/// Folders of programs that somebody installed.
const INSTALLED: [&str; 8] = [
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/nix",
    "/snap",
    "/home/linuxbrew",
    "/run/current-system",
];

/// Programs that run code of another language.
const INTERPRETERS: [&str; 8] = ["python", "node", "bun", "deno", "ruby", "perl", "php", "lua"];

/// Whether a variable says that an agent's settings are in another place, or has another program run.
pub(super) fn lead_elsewhere(look: &CheckContext<'_>) -> bool {
    let given = &look.seen.command.env;
    let is_last = |index: usize, name: &String| !given.iter().skip(index + 1).any(|(later, _)| later == name);
    given
        .iter()
        .enumerate()
        .filter(|(index, (name, _))| is_last(*index, name))
        .any(|(_, (name, value))| leads_elsewhere(name, value, look))
}

fn leads_elsewhere(name: &str, value: &Word, look: &CheckContext<'_>) -> bool {
    match name {
        "HOME" => look.world.facts.home.is_none() || value.literal() != look.world.facts.home.as_deref(),
        "PATH" => finds_others(value, look),
        _ => PLACES.contains(&name) || loads(name, value.literal()),
    }
}

/// Whether programs are looked for first in a folder that nobody installed them to.
fn finds_others(value: &Word, look: &CheckContext<'_>) -> bool {
    let (known, rest) = match value {
        Word::Unknown { prefix, name, .. } => (prefix.clone(), Some(name.as_deref())),
        Word::Literal(text) => (text.clone(), None),
        Word::OneOf(_) | Word::Glob { .. } => return true,
    };
    let mut folders: Vec<&str> = known.split(':').collect();
    // What is unknown begins with the last of them.
    let begun = rest.and_then(|_| folders.pop());
    let is_rest = rest.is_none_or(|name| name == Some("PATH") && begun == Some(""));
    !is_rest || !folders.iter().all(|folder| is_installed_to(folder, look))
}

fn is_installed_to(folder: &str, look: &CheckContext<'_>) -> bool {
    let folder = tilde(folder, look.world);
    let home = look.world.facts.home.as_deref();
    let in_home = home.and_then(|home| below(&folder, home)).is_some_and(|inside| {
        inside.starts_with('.')
            || inside == "bin"
            || inside.ends_with("/bin") && !is_in_project(&folder, look)
    });
    in_home || INSTALLED.iter().any(|place| is_within(&folder, place))
}

fn is_in_project(folder: &str, look: &CheckContext<'_>) -> bool {
    let cwd = look.world.facts.cwd.as_deref();
    cwd.is_some_and(|cwd| is_within(folder, cwd))
}

/// Whether code that starts an agent speaks of the variables that lead it elsewhere.
pub(super) fn is_set_by_code(look: &CheckContext<'_>) -> bool {
    let mut through = look.seen.command.through.iter();
    let is_code = through.any(|label| INTERPRETERS.iter().any(|program| label.starts_with(program)));
    let named = ["HOME", "CLAUDE_CONFIG_DIR", "XDG_", "CLAUDE_CODE_SIMPLE"];
    is_code && named.iter().any(|name| look.seen.text.contains(name))
}
