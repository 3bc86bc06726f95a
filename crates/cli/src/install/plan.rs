//! Works out what a settings file becomes. Pure: bytes in, bytes and an account of the changes out.

use super::claude_code::{BrokenHook, EVENTS, HookEntry, HookProgram, ShellTools, entries};
use super::handler::{Handler, handlers, hooks};
use super::json::{BYTE_ORDER_MARK, Child, JsonDocument, JsonError, JsonSplice, Node};
use super::strip::cuts;
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// What is to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallOptions {
    /// How the client starts us.
    pub program: HookProgram,
    /// What happens to a call when we break.
    pub broken: BrokenHook,
    /// What git makes of the file; it is told to the person and changes nothing.
    pub git: GitView,
}

/// Whether git passes over a settings file that is one person's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitView {
    /// It is ignored, or there is no repository.
    PassesOver,
    /// It would be part of the next `git add`.
    Sees,
}

/// What a settings file becomes, and what changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallPlan {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Events that had no entry of ours.
    pub added: Vec<String>,
    /// Events whose entry of ours was old, doubled, or should not be there.
    pub repaired: Vec<String>,
    /// What entries of ours say otherwise about when, or for how long, they run.
    pub weakened: Vec<String>,
    /// Hooks of others: kept as they are.
    pub foreign: Vec<ForeignHook>,
    /// Whether the file had an entry of ours before.
    pub had_entries: bool,
    /// Whether the file switches off every hook, ours included.
    pub hooks_are_disabled: bool,
}

/// A hook that is not ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignHook {
    /// The event it is registered for.
    pub event: String,
    /// What it starts, as it stands in the file.
    pub command: String,
}

impl InstallPlan {
    /// Whether there is nothing to do.
    pub fn is_already_installed(&self) -> bool {
        self.added.is_empty() && self.repaired.is_empty()
    }
}

/// Works out the file with every entry registered; `None` is a file that does not exist.
pub fn plan(original: Option<&[u8]>, options: &InstallOptions) -> Result<InstallPlan, JsonError> {
    let text = str::from_utf8(original.unwrap_or_default()).map_err(|_| JsonError::NotUtf8)?;
    let before = JsonDocument::parse(if is_blank(text) {
        empty_object(text)
    } else {
        text.to_owned()
    })?;
    let repair = Repair::of(&before, options)?;
    let mended = before.spliced(repair.splices)?;
    let (complete, added) = complete(&mended, &repair.missing, options)?;
    let all = handlers(&before)?;
    let foreign = all
        .iter()
        .filter(|handler| !handler.is_ours())
        .map(ForeignHook::of)
        .collect();
    Ok(InstallPlan {
        bytes: complete.text().as_bytes().to_vec(),
        added: added
            .into_iter()
            .filter(|event| !repair.events.contains(event))
            .collect(),
        repaired: repair.events,
        weakened: repair.weakened,
        foreign,
        had_entries: all.iter().any(Handler::is_ours),
        hooks_are_disabled: disables_hooks(&before),
    })
}

/// Whether a file holds nothing at all, which the client reads as no settings.
pub fn is_blank(text: &str) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// An object around which the blank text stays.
fn empty_object(blank: &str) -> String {
    let (mark, rest) = match blank.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (BYTE_ORDER_MARK, rest),
        None => ("", blank),
    };
    let end = if rest.is_empty() { "\n" } else { rest };
    format!("{mark}{{}}{end}")
}

fn disables_hooks(document: &JsonDocument) -> bool {
    let switch = document.root().member("disableAllHooks");
    switch.is_some_and(|switch| document.text_of(switch) == "true")
}

impl ForeignHook {
    fn of(handler: &Handler<'_>) -> Self {
        Self {
            event: handler.event.to_owned(),
            command: handler.description(),
        }
    }
}

/// What becomes of the entries of ours that are already there.
#[derive(Default)]
struct Repair {
    splices: Vec<JsonSplice>,
    /// Events changed by it.
    events: Vec<String>,
    weakened: Vec<String>,
    /// Entries that have no place yet.
    missing: Vec<(&'static str, Vec<HookEntry>)>,
}

impl Repair {
    fn of(document: &JsonDocument, options: &InstallOptions) -> Result<Self, JsonError> {
        let ours: Vec<Handler<'_>> = handlers(document)?.into_iter().filter(Handler::is_ours).collect();
        let mut repair = Self::default();
        let mut surplus = Vec::new();
        for event in EVENTS {
            let here = ours
                .iter()
                .filter(|handler| handler.event == event)
                .copied()
                .collect();
            surplus.extend(repair.event(document, event, here, options));
        }
        for handler in ours.iter().filter(|handler| !EVENTS.contains(&handler.event)) {
            surplus.push(*handler);
            repair.events.push(handler.event.to_owned());
        }
        repair.events.dedup();
        repair.splices.extend(cuts(document, &surplus, None)?);
        Ok(repair)
    }

    /// Settles one event; what it returns is one too many.
    fn event<'document>(
        &mut self,
        document: &'document JsonDocument,
        event: &'static str,
        mut found: Vec<Handler<'document>>,
        options: &InstallOptions,
    ) -> Vec<Handler<'document>> {
        let is_known = !found.is_empty();
        let mut wanted = entries(event, &options.broken);
        wanted.retain(|entry| {
            let met = found
                .iter()
                .position(|handler| entry.is_met_by(document, handler, &options.program));
            met.map(|index| found.remove(index)).is_none()
        });
        let is_right = wanted.is_empty() && found.is_empty();
        let changed = found.iter();
        self.weakened
            .extend(changed.filter_map(|handler| weakness(document, handler, &options.broken)));
        wanted.retain(|entry| {
            let Some(index) = found.iter().position(Handler::is_alone) else {
                return true;
            };
            let old = found.remove(index);
            let value = entry.value(&options.program, &chosen(document, old.node));
            self.splices.push(document.replace(old.group, &value));
            false
        });
        if is_known && !is_right {
            self.events.push(event.to_owned());
        }
        if !wanted.is_empty() {
            self.missing.push((event, wanted));
        }
        found
    }
}

/// What an entry says otherwise than every one that `init` writes for its event, whatever happens when we break.
fn weakness(document: &JsonDocument, handler: &Handler<'_>, broken: &BrokenHook) -> Option<String> {
    let usual = BrokenHook::BlocksShell(ShellTools::with(std::iter::empty()));
    let known = [&BrokenHook::GoesOn, &usual, broken].into_iter();
    let weaknesses: Option<Vec<String>> = known
        .flat_map(|broken| entries(handler.event, broken))
        .map(|entry| entry.weakness(document, handler))
        .collect();
    weaknesses?.into_iter().next()
}

/// The fields of a handler that are the person's to choose.
fn chosen(document: &JsonDocument, handler: &Node) -> Vec<(&'static str, Value)> {
    let field = |name| {
        let value = serde_json::from_str(document.text_of(handler.member(name)?)).ok()?;
        Some((name, value))
    };
    field("statusMessage").into_iter().collect()
}

/// Adds what is missing, and says for which events.
fn complete(
    document: &JsonDocument,
    missing: &[(&'static str, Vec<HookEntry>)],
    options: &InstallOptions,
) -> Result<(JsonDocument, Vec<String>), JsonError> {
    let hooks = hooks(document)?;
    let mut splices = Vec::new();
    let mut events = Vec::new();
    let mut added = Vec::new();
    for (event, missing) in missing {
        added.push((*event).to_owned());
        let groups = missing.iter().map(|entry| entry.value(&options.program, &[]));
        match hooks.and_then(|hooks| hooks.member(event)) {
            Some(array) => {
                let groups: Vec<_> = groups.map(Child::Element).collect();
                splices.push(document.append(array, &groups));
            }
            None => events.push(((*event).to_owned(), Value::Array(groups.collect()))),
        }
    }
    if !events.is_empty() {
        splices.push(if let Some(hooks) = hooks {
            let members: Vec<_> = events
                .into_iter()
                .map(|(event, groups)| Child::Member(event, groups))
                .collect();
            document.append(hooks, &members)
        } else {
            let events: Map<String, Value> = events.into_iter().collect();
            document.append(
                document.root(),
                &[Child::Member("hooks".to_owned(), Value::Object(events))],
            )
        });
    }
    Ok((document.spliced(splices)?, added))
}
