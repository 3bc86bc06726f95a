//! Keeps what a file holds before a call writes it, and what it left: so that nothing is overwritten unseen. Both are read
//! before the reply: what the person saves after it is not taken for the tool's.

use super::dating::stamp;
use super::intake::FoundFile;
use super::naming::{PlacedFile, locate, root_of};
use super::states::to_image;
use super::worksite::WorktreeContext;
use crate::config::LoadedSettings;
use crate::pipeline::{EventSubject, PipelineContext, PreparedEvent};
use engine::checkpoint::trigger::{named_paths, writes_what_it_names};
use engine::event::{Event, EventKind};
use engine::settings::CheckpointSettings;
use engine::tool::ToolCall;
use engine::tool::edited::edited;
use git::capture::{Capture, Captured, Exclude, Rules, Skip};
use git::content::is_content;
use git::object::{Id, PathState, TreeLeaf};
use git::path::RepoPath;
use git::place::Place;
use git::shadow::{Shadow, ShadowError};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use store::table::touches::{Image, PathObservation};

/// A larger file is read beside the acceptors, so that nobody waits behind it.
const SMALL: u64 = 256 * 1024;
const MEGABYTE: u64 = 1024 * 1024;

impl PipelineContext {
    /// The files a payload names, as far as they are in a worktree of the project.
    pub(crate) fn named(
        &self,
        event: &Event,
        place: Option<&Arc<Place>>,
        settings: &CheckpointSettings,
    ) -> Vec<PlacedFile> {
        let Some(place) = place.filter(|_| settings.enabled) else {
            return Vec::new();
        };
        let names = named_paths(event);
        let found = names.iter().filter_map(|name| {
            let cwd = event.cwd.as_deref();
            locate(place, cwd, name, |folder| self.place_of(folder)).ok()
        });
        found.collect()
    }

    /// Looks at the files that a tool is about to write, or has written, before anything is decided about it. At the end
    /// of a batch only those are read that changed since their call ended.
    pub fn look_at_named(&self, prepared: &mut PreparedEvent) {
        let EventSubject::Event(subject) = &mut prepared.subject else {
            return;
        };
        if !writes_what_it_names(&subject.event) {
            return;
        }
        let is_over = matches!(subject.event.kind, EventKind::ToolBatch { .. });
        let settings = &subject.loaded.settings.checkpoints;
        let named = subject.named.iter();
        let changed = named.filter(|named| !is_over || self.stamps.is_news(named));
        subject.found = changed.map(|named| self.found(named, settings)).collect();
        for found in &mut subject.found {
            match &subject.event.kind {
                EventKind::ToolBefore { .. } => self.stamps.keep_before(found),
                EventKind::ToolAfter { call, response, .. } => {
                    let before = self.stamps.keep_left(found);
                    let original = response.get("originalFile").and_then(Value::as_str);
                    found.met = before
                        .zip(original)
                        .and_then(|(before, original)| self.met(found, (call, original), before));
                }
                EventKind::ToolFailed { .. } => drop(self.stamps.keep_left(found)),
                _ => {}
            }
        }
    }

    /// What an edit met in the file, where that is not what was there when it was told of: the person saved it meanwhile.
    /// What the client says of it is believed if it leads to exactly what is there now, and nothing else does.
    fn met(
        &self,
        found: &FoundFile,
        (call, original): (&ToolCall, &str),
        (before, at): (PathState, i64),
    ) -> Option<(PathState, i64)> {
        let (
            PathState::Present {
                entry: was,
                raw: None,
            },
            PathState::Present { entry, raw: None },
        ) = (before, found.state?)
        else {
            return None;
        };
        let leads_here = |text: &str| {
            let after = edited(call.input(), text);
            after.is_some_and(|after| is_content(entry.id, after.as_bytes()))
        };
        if is_content(was.id, original.as_bytes()) || !leads_here(original) || leads_here("") {
            return None;
        }
        let site = self.worksite_at(&found.named.place).ok()??;
        let id = site.make_shadow().ok()?.write_blob(original.as_bytes()).ok()?;
        Some((PathState::plain(TreeLeaf { mode: was.mode, id }), at))
    }

    /// A file as it is now.
    pub(crate) fn found(&self, named: &PlacedFile, settings: &CheckpointSettings) -> FoundFile {
        let seen = self
            .worksite_at(&named.place)
            .map_err(|error| error.to_string())
            .and_then(|site| match site {
                Some(site) => take(&site, named, settings),
                None => Err("there are no files to keep here".to_owned()),
            });
        let around = || stamp(root_of(&named.place), &named.path);
        let (state, skip, dated) = match seen {
            Ok(Captured::Is(seen)) => {
                let dated = seen.stat.and_then(|stat| i64::try_from(stat.changed).ok());
                (Some(seen.state), None, dated.or_else(around))
            }
            // A link is where its folder was: at this path there is nothing.
            Ok(Captured::Skipped(Skip::ThroughLink)) => (Some(PathState::Absent), None, around()),
            Ok(Captured::Skipped(skip)) => (None, Some(skip.to_string()), None),
            // Whoever cuts the checkpoint tries again, and says what is wrong.
            Err(_) => (None, None, None),
        };
        FoundFile {
            named: named.clone(),
            state,
            skip,
            dated,
            met: None,
        }
    }

    /// The worksite and the settings at a folder; nothing where there are no files to keep.
    #[expect(clippy::type_complexity, reason = "a place and its settings, or neither")]
    pub fn worksite(
        &self,
        root: &Path,
    ) -> Result<Option<(Arc<WorktreeContext>, Arc<LoadedSettings>)>, ShadowError> {
        if !root.is_dir() {
            return Ok(None);
        }
        let place = self.place_of(root);
        let loaded = self.settings_at(&place);
        Ok(self.worksite_at(&place)?.map(|site| (site, loaded)))
    }
}

impl PreparedEvent {
    /// Whether reading what it is about to change, or has changed, may take a while.
    pub fn is_about_a_large_file(&self) -> bool {
        let EventSubject::Event(subject) = &self.subject else {
            return false;
        };
        writes_what_it_names(&subject.event)
            && subject.named.iter().any(|named| {
                let path = root_of(&named.place).join(named.path.to_path());
                is_large(&path)
            })
    }
}

/// Whether a file takes long enough to read to be read beside other events.
pub fn is_large(path: &Path) -> bool {
    fs_err::metadata(path).is_ok_and(|found| found.len() > SMALL)
}

/// What was found, as the store keeps it.
pub fn finding(found: &FoundFile) -> PathObservation {
    PathObservation {
        place: None,
        image: found.state.as_ref().map_or(Image::Unknown, to_image),
        skip_reason: found.skip.clone(),
        dated: found.dated,
    }
}

fn take(
    site: &WorktreeContext,
    named: &PlacedFile,
    settings: &CheckpointSettings,
) -> Result<Captured, String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let shadow = site.make_shadow().map_err(|error| told(&error))?;
    let git = site.settings().map_err(|error| told(&error))?;
    let rules = Rules {
        max_file: u64::from(settings.max_file_mb) * MEGABYTE,
        max_total: u64::from(settings.max_checkpoint_mb) * MEGABYTE,
        exclude: Exclude::new(&settings.exclude).0,
    };
    let mut capture = Capture::new(&shadow, &site.worktree, &git, &rules)
        .map_err(|error| told(&error))?
        .with_held(|path, id| is_held(site, &shadow, path, id));
    let tracking = site.tracking();
    capture
        .take_asking(&named.path, &|path| tracking.entry(path))
        .map_err(|error| told(&error))
}

/// Whether the newest checkpoint or the commit checked out has this content there: then nothing is new about it.
fn is_held(site: &WorktreeContext, shadow: &Shadow, path: &RepoPath, id: Id) -> bool {
    let in_tree = |tree: Id| {
        let entry = shadow.entry(tree, path).ok().flatten();
        entry.is_some_and(|entry| entry.id == id)
    };
    let newest = || {
        let tip = shadow.tip(&site.line).ok()??;
        let layout = shadow.read_layout(shadow.tree_of(tip).ok()?).ok()?;
        Some(layout.files)
    };
    let checked_out = || {
        let commit = git::head::from_files(&site.place)?.commit()?.parse().ok()?;
        shadow.tree_of(commit).ok()
    };
    newest().is_some_and(in_tree) || checked_out().is_some_and(in_tree)
}

#[cfg(test)]
mod tests;
