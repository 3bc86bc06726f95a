//! Takes handlers out of a client's settings, with the containers that only they filled. Pure.

use super::handler::{Handler, handlers, hooks};
use super::json::{JsonDocument, JsonError, JsonSplice, Node};
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// Settings without our entries.
#[derive(Debug)]
pub struct Stripped {
    /// What is left.
    pub document: JsonDocument,
    /// The events that had entries of ours, in the file's order.
    pub events: Vec<String>,
}

/// The settings without our entries; `original` says which containers were there before us.
pub fn strip(document: &JsonDocument, original: Option<&JsonDocument>) -> Result<Stripped, JsonError> {
    let ours: Vec<Handler<'_>> = handlers(document)?.into_iter().filter(Handler::is_ours).collect();
    let mut events: Vec<String> = ours.iter().map(|handler| handler.event.to_owned()).collect();
    events.dedup();
    let document = document.spliced(cuts(document, &ours, original)?)?;
    Ok(Stripped { document, events })
}

/// What to cut so that these handlers are gone.
pub fn cuts(
    document: &JsonDocument,
    gone: &[Handler<'_>],
    original: Option<&JsonDocument>,
) -> Result<Vec<JsonSplice>, JsonError> {
    let Some(hooks_now) = hooks(document)? else {
        return Ok(Vec::new());
    };
    let hooks_before = original.map(hooks).transpose()?.flatten();
    let mut splices = Vec::new();
    let mut empty_events = Vec::new();
    for (index, event) in hooks_now.members().iter().enumerate() {
        let gone: Vec<_> = gone
            .iter()
            .filter(|handler| handler.event == event.key)
            .copied()
            .collect();
        let groups = empty_groups(&gone, &mut splices);
        if groups.is_empty() {
            continue;
        }
        let before = hooks_before.and_then(|hooks| hooks.member(&event.key));
        if groups.len() == event.value.elements().len() && before.is_none() {
            empty_events.push(index);
        } else {
            splices.extend(event.value.remove(groups, blank(original, before)));
        }
    }
    if empty_events.is_empty() {
        return Ok(splices);
    }
    if empty_events.len() < hooks_now.members().len() || hooks_before.is_some() {
        splices.extend(hooks_now.remove(empty_events, blank(original, hooks_before)));
        return Ok(splices);
    }
    let root = document.root();
    let place = root
        .members()
        .iter()
        .position(|member| member.key == "hooks")
        .into_iter()
        .collect();
    let before = original.map(JsonDocument::root);
    splices.extend(root.remove(place, blank(original, before)));
    Ok(splices)
}

/// The entries that lose all their handlers; entries that keep a foreign one lose only ours.
fn empty_groups(gone: &[Handler<'_>], splices: &mut Vec<JsonSplice>) -> Vec<usize> {
    let mut by_group: BTreeMap<usize, Vec<Handler<'_>>> = BTreeMap::new();
    for handler in gone {
        by_group.entry(handler.group_index).or_default().push(*handler);
    }
    let mut empty = Vec::new();
    for (group_index, gone) in by_group {
        let inside = gone.first().and_then(|handler| handler.group.member("hooks"));
        match inside {
            Some(inside) if gone.len() < inside.elements().len() => {
                let indices = gone.iter().map(|handler| handler.index).collect();
                splices.extend(inside.remove(indices, ""));
            }
            Some(_) | None => empty.push(group_index),
        }
    }
    empty
}

/// What stood in a container that was empty before us.
fn blank<'original>(
    original: Option<&'original JsonDocument>,
    before: Option<&'original Node>,
) -> &'original str {
    match (original, before) {
        (Some(original), Some(before)) => original.blank_interior(before),
        (Some(_) | None, _) => "",
    }
}
