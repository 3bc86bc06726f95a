//! Settings in layers: built-in, user, project, local. A broken file never fails: other values stand.
//!
//! No variable is a setting: the client's own settings files, a repository's among them, put variables into every hook.
//!
//! What a key is and what may loosen it is in `engine::settings::KEYS`; here is only where values come from.

mod cache;
mod document;
mod edit;
mod guard_merge;
mod guard_tables;
mod layer;
mod lease_tools;
mod merge;
mod problem;
mod reference;
mod replace;
mod rule_files;
mod show;
mod skills_map;
mod source;
mod text_edit;

pub use cache::Cache;
pub use edit::{EditError, EditScope, Edited, set};
pub use layer::{SettingOrigin, SettingsLayer};
pub use merge::{TrustLookup, TrustQuery};
pub use problem::SettingsProblem;
pub use reference::{json_schema, reference_page};
pub use replace::ReplaceError;
pub use show::{show_json, show_problems, show_text};
pub use source::{FileStamp, digest};

use crate::environment::Environment;
use document::Holder;
use engine::settings::Settings;
use git::place::Place;
use merge::{FileLayer, Merge};
use source::LoadedFile;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The project's settings, committed.
pub const PROJECT_FILE: &str = "toprope.toml";
/// The project's settings on this machine, not committed.
pub const LOCAL_FILE: &str = "toprope.local.toml";

/// Where settings are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SettingsPaths {
    /// The user's `config.toml`, whether it exists or not.
    pub user: Option<PathBuf>,
    /// The folder that holds the project's settings: the worktree.
    pub project_root: Option<PathBuf>,
    /// The project itself, by whose root the person's own settings name it, also from a linked worktree.
    pub project: Option<PathBuf>,
}

impl SettingsPaths {
    /// Where settings are looked for at a place; one helper, so that every part means the same files.
    pub fn at(user: Option<PathBuf>, place: Option<&Place>) -> Self {
        let worktree = |place: &Place| {
            place
                .worktree
                .clone()
                .unwrap_or_else(|| place.project.root.clone())
        };
        Self {
            user,
            project_root: place.map(worktree),
            project: place.map(|place| place.project.root.clone()),
        }
    }

    /// The file of each layer that has one, the lowest first.
    pub fn files(&self) -> Vec<(SettingsLayer, PathBuf)> {
        let user = self.user.iter().map(|path| (SettingsLayer::User, path.clone()));
        let project = self.project_root.iter().flat_map(|root| {
            [
                (SettingsLayer::Project, root.join(PROJECT_FILE)),
                (SettingsLayer::Local, root.join(LOCAL_FILE)),
            ]
        });
        user.chain(project).collect()
    }
}

/// The user's settings file in this environment; the environment names no folder: none.
pub fn user_file(environment: &Environment) -> Option<PathBuf> {
    let folder = |name: &str| {
        environment
            .value(name)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("toprope").join("config.toml"))
}

/// The settings in force, and how they came about.
#[derive(Debug, Clone)]
pub struct LoadedSettings {
    /// The values.
    pub settings: Settings,
    /// Where each came from, by key.
    pub origins: BTreeMap<&'static str, SettingOrigin>,
    /// What open tables hold: dotted name, value, where it came from.
    pub open: Vec<(String, serde_json::Value, SettingOrigin)>,
    /// What was left out, and why.
    pub problems: Vec<SettingsProblem>,
    /// The files as they were when read.
    pub stamps: Vec<FileStamp>,
    /// The files that wanted to loosen something, and whether they might.
    pub asked: Vec<TrustQuery>,
}

/// Reads all layers now. Never fails: what cannot be read or used is a problem, and the layers below it stand.
pub fn load(places: &SettingsPaths, trusted: &TrustLookup) -> LoadedSettings {
    assemble(places, trusted, &mut LoadedFile::fresh)
}

/// Loads with the readings of the given reader; the cache brings its own.
fn assemble(
    places: &SettingsPaths,
    trusted: &TrustLookup,
    read: &mut dyn FnMut(&Path, Holder) -> LoadedFile,
) -> LoadedSettings {
    let mut merge = Merge::new(trusted);
    let mut stamps = Vec::new();
    for (layer, path) in places.files() {
        let holder = if layer == SettingsLayer::User {
            Holder::Person
        } else {
            Holder::Project
        };
        let reading = read(&path, holder);
        add(&mut merge, layer, &path, &reading, places);
        stamps.push(reading.stamp);
        if layer == SettingsLayer::User {
            merge.add_rule_files(&path, &mut stamps);
        }
    }
    let settings = merge.settings();
    merge.check_rules(&settings);
    LoadedSettings {
        origins: merge.origins(settings.profile),
        open: merge
            .guard
            .shown()
            .into_iter()
            .chain(merge.lease_tools.shown())
            .chain(merge.skills_map.shown())
            .collect(),
        settings,
        problems: merge.problems,
        stamps,
        asked: merge.asked,
    }
}

fn add(merge: &mut Merge, layer: SettingsLayer, path: &Path, reading: &LoadedFile, places: &SettingsPaths) {
    if let Some(broken) = &reading.broken {
        let stands = if reading.document.is_some() {
            "until it is mended, its last good values stand"
        } else {
            "until it is mended, none of its values count"
        };
        merge
            .problems
            .push(broken.clone().hinting(Some(stands.to_owned())));
    }
    let Some(document) = reading.document.as_deref() else {
        return;
    };
    if reading.broken.is_none() {
        merge.problems.extend(document.problems.iter().cloned());
    }
    let mut file = FileLayer {
        layer,
        path,
        document,
    };
    merge.add_file(&file, &document.entries);
    merge.add_guard(&file, &document.guard, document.rules.as_deref());
    merge.add_lease_tools(&file, &document.lease_tools);
    merge.add_skills_map(&file, &document.skills_map);
    file.layer = SettingsLayer::UserProject;
    // What is said of one worktree counts over what is said of its project.
    let is_elsewhere = places.project != places.project_root;
    let roots = [
        places.project.as_deref().filter(|_| is_elsewhere),
        places.project_root.as_deref(),
    ];
    for root in roots.into_iter().flatten() {
        for project in document
            .projects
            .iter()
            .filter(|project| is_same(root, &project.root))
        {
            merge.add_file(&file, &project.entries);
            merge.add_guard(&file, &project.guard, project.rules.as_deref());
            merge.add_lease_tools(&file, &project.lease_tools);
            merge.add_skills_map(&file, &project.skills_map);
        }
    }
}

/// Whether the written root means this one; links on either side do not matter.
fn is_same(root: &Path, written: &str) -> bool {
    let written = Path::new(written);
    if root == written {
        return true;
    }
    match (fs_err::canonicalize(root), fs_err::canonicalize(written)) {
        (Ok(root), Ok(written)) => root == written,
        (Ok(_) | Err(_), _) => false,
    }
}

#[cfg(test)]
mod tests;
