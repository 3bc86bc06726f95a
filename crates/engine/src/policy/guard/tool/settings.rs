//! What a tool's call makes of a settings file of the client's.

use super::ToolUse;
use crate::policy::guard::client::{NAMES, ReachedSettings, Relation, in_diff, is_hooked};
use crate::policy::guard::entries;
use crate::policy::guard::path::name;
use crate::policy::guard::world::GuardWorld;
use crate::tool::ToolInput;
use crate::tool::edited::edited;
use crate::tool::name::joined;
use crate::tool::named::{NamedPath, named};
use crate::tool::touch::{ToolAccess, adds, applies, is_clients, takes_away, touch_of};
use serde_json::Value;

/// How many values are taken for the folder of a name.
const MOST_FOLDERS: usize = 16;

/// What a call makes of an agent's settings file.
pub(super) enum SettingsChange {
    /// Nothing that concerns us.
    Fine,
    /// Our entries change, or hooks are switched off.
    Entries,
    /// Something nobody can foresee, of a file that does not have us called, or of a value that may be no path.
    Maybe,
    /// Variables that steer us are set.
    Variables,
}

/// A file that a call names, and what it would do with it.
pub(super) struct Meant<'a> {
    pub(super) path: String,
    pub(super) touch: ToolAccess,
    /// What says the file's new text.
    beside: Option<&'a ToolInput>,
    /// Its key is known to hold a path.
    pub(super) is_known: bool,
}

impl Meant<'_> {
    /// Whether another part of the input may be about the same file: nobody can tell what becomes of it then.
    pub(super) fn is_one_of_several(&self, all: &[Meant<'_>]) -> bool {
        let is_apart = |other: &Meant<'_>| match (self.beside, other.beside) {
            (Some(one), Some(two)) => !std::ptr::eq(one, two),
            (None, None) => false,
            (Some(_), None) | (None, Some(_)) => true,
        };
        let mut others = all.iter().filter(|other| name(&other.path) == name(&self.path));
        others.any(is_apart)
    }
}

/// Every file a call names. A value under another key counts where it may be a settings file or one of ours.
pub(super) fn meant<'a>(call: ToolUse<'_>, input: &'a ToolInput) -> Vec<Meant<'a>> {
    let named = named(input);
    let is_open = !is_clients(call.tool) && !call.writes_nothing;
    let mut found: Vec<Meant<'a>> = Vec::new();
    for one in &named {
        let touch = touch_of(call.tool, one);
        let is_meant = |path: &str| is_open && touch != ToolAccess::Reads && may_be_ours(path);
        if one.is_known() || is_meant(&one.path) {
            found.push(Meant {
                path: one.path.clone(),
                touch,
                beside: one.beside,
                is_known: one.is_known(),
            });
        }
        if is_meant(&one.path) && NAMES.contains(&name(&one.path)) && !one.path.starts_with('/') {
            let folders = folders(&named).filter(|folder| **folder != one.path);
            found.extend(folders.map(|folder| Meant {
                path: format!("{}/{}", folder.trim_end_matches('/'), one.path),
                touch,
                beside: one.beside,
                is_known: false,
            }));
        }
    }
    found
}

fn folders<'a>(named: &'a [NamedPath<'_>]) -> impl Iterator<Item = &'a String> {
    let paths = named.iter().map(|one| &one.path);
    paths
        .filter(|path| path.contains('/') || path.starts_with(['.', '~']))
        .take(MOST_FOLDERS)
}

fn may_be_ours(path: &str) -> bool {
    ["settings", ".claude", "toprope"]
        .iter()
        .any(|part| path.contains(part))
}

/// The settings file that a change names which somebody wrote out in the input.
pub(super) fn written_out(call: ToolUse<'_>, world: &GuardWorld<'_>) -> Option<String> {
    if is_clients(call.tool) || call.writes_nothing {
        return None;
    }
    let applies = applies(call.tool);
    let holds = |(key, value): (&String, &Value)| {
        let text = value.as_str().filter(|text| text.contains(".claude"))?;
        let key = joined(key);
        let is_change = applies || key.contains("patch") || key.contains("diff");
        is_change.then(|| in_diff(text, false, world))?
    };
    call.input.iter().find_map(holds)
}

/// What becomes of a settings file that a call names; `several` if its input names it more than once.
pub(super) fn change(
    call: ToolUse<'_>,
    (meant, several): (&Meant<'_>, bool),
    file: &ReachedSettings,
    world: &GuardWorld<'_>,
) -> SettingsChange {
    let goes = takes_away(call.tool);
    if file.relation == Relation::Above {
        // A folder is not written, but it may go.
        let is_lost = goes && is_hooked(&file.path, world);
        return if is_lost {
            SettingsChange::Entries
        } else {
            SettingsChange::Fine
        };
    }
    let Some(before) = world.text(&file.path) else {
        return SettingsChange::Entries;
    };
    let before = before.unwrap_or_default();
    let is_told = !goes && !several && !adds(call.tool, call.input);
    let after = meant
        .beside
        .filter(|_| is_told)
        .and_then(|beside| edited(beside, before));
    match after {
        Some(after) if !entries::are_kept(before, &after) => SettingsChange::Entries,
        Some(after) if entries::sets_variables(before, &after) => SettingsChange::Variables,
        Some(_) => SettingsChange::Fine,
        // It changes the file, and nobody can tell how.
        None if meant.touch == ToolAccess::Writes || before.contains("toprope") => SettingsChange::Entries,
        None => SettingsChange::Maybe,
    }
}
