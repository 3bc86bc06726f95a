//! Puts the layers on top of each other, and keeps a project's files from loosening what protects the person.

use super::document::{FileSetting, SettingsDocument};
use super::guard_merge::GuardLayers;
use super::layer::{SettingOrigin, SettingsLayer};
use super::lease_tools::LeaseTools;
use super::problem::SettingsProblem;
use super::skills_map::SkillsMap;
use engine::settings::{KEYS, Profile, Restraint, SettingKey, SettingValue, Settings};
use engine::text::one_line;
use engine::text::{path_word, word};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Characters of a foreign value shown in a message.
const LONGEST_SHOWN: usize = 120;

/// Answers whether the person trusted these bytes (their hash) of this file.
pub type TrustLookup<'a> = dyn Fn(&Path, &[u8; 32]) -> bool + 'a;

/// A file whose values depended on the person's trust, and the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustQuery {
    /// The file.
    pub path: PathBuf,
    /// The hash of its bytes.
    pub digest: [u8; 32],
    /// Whether the person had trusted them.
    pub trusted: bool,
}

/// A file's part in the merge.
pub(super) struct FileLayer<'a> {
    pub layer: SettingsLayer,
    pub path: &'a Path,
    pub document: &'a SettingsDocument,
}

/// The layers so far.
pub(super) struct Merge<'a> {
    trust: &'a TrustLookup<'a>,
    values: BTreeMap<&'static str, (SettingValue, SettingOrigin)>,
    pub guard: GuardLayers,
    pub lease_tools: LeaseTools,
    pub skills_map: SkillsMap,
    pub problems: Vec<SettingsProblem>,
    pub asked: Vec<TrustQuery>,
}

impl<'a> Merge<'a> {
    pub(super) fn new(trust: &'a TrustLookup<'a>) -> Self {
        Self {
            trust,
            values: BTreeMap::new(),
            guard: GuardLayers::default(),
            lease_tools: LeaseTools::default(),
            skills_map: SkillsMap::default(),
            problems: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// The settings of the layers so far: the profile first, since it is the ground the other values stand on.
    pub(super) fn settings(&self) -> Settings {
        let mut chosen = Settings::default();
        for key in KEYS {
            if let Some((value, _)) = self.values.get(key.name) {
                (key.slot)(&mut chosen).fill(value);
            }
        }
        let mut settings = Settings::of(chosen.profile);
        for key in KEYS {
            if let Some((value, _)) = self.values.get(key.name) {
                (key.slot)(&mut settings).fill(value);
            }
        }
        self.guard.fill(&mut settings.guard);
        settings.lease.tool = self.lease_tools.values();
        settings.skills.map = self.skills_map.values();
        settings
    }

    /// Where each value came from.
    pub(super) fn origins(&self, profile: Profile) -> BTreeMap<&'static str, SettingOrigin> {
        let origin = |key: &SettingKey| match self.values.get(key.name) {
            Some((_, origin)) => origin.clone(),
            None => SettingOrigin::BuiltIn { profile },
        };
        KEYS.iter().map(|key| (key.name, origin(key))).collect()
    }

    /// Adds a file's values on top; what it may not do is compared with the layers below it.
    pub(super) fn add_file(&mut self, file: &FileLayer, entries: &[FileSetting]) {
        let below = self.settings();
        for entry in entries {
            if let Some(value) = self.permitted(file, entry, &below) {
                let origin = SettingOrigin::File {
                    layer: file.layer,
                    path: file.path.to_owned(),
                    line: entry.spot.line,
                    column: entry.spot.column,
                };
                self.values.insert(entry.key.name, (value, origin));
            }
        }
    }

    /// As much of the value as this file may set, or nothing if it changes nothing.
    fn permitted(&mut self, file: &FileLayer, entry: &FileSetting, below: &Settings) -> Option<SettingValue> {
        let key = entry.key;
        if key.restraint == Restraint::Shared && file.layer.is_for_one_project() {
            self.problems.push(not_for_one_project(file, entry));
            return None;
        }
        let stands = key.value(below);
        if key.restraint == Restraint::Person && file.layer.is_the_projects() {
            if stands != entry.value {
                self.problems.push(the_persons_alone(file, entry));
            }
            return None;
        }
        if !file.layer.is_the_projects() || !key.loosens(&stands, &entry.value) || self.trusts(file) {
            return Some(entry.value.clone());
        }
        self.problems.push(loosening(file, entry, &stands));
        let permitted = key.restrained(&stands, &entry.value);
        (permitted != stands).then_some(permitted)
    }

    /// Asks once per file, and only if its answer matters.
    pub(super) fn trusts(&mut self, file: &FileLayer) -> bool {
        if let Some(asked) = self.asked.iter().find(|asked| asked.path == file.path) {
            return asked.trusted;
        }
        let digest = file.document.digest;
        let trusted = (self.trust)(file.path, &digest);
        self.asked.push(TrustQuery {
            path: file.path.to_owned(),
            digest,
            trusted,
        });
        trusted
    }
}

fn not_for_one_project(file: &FileLayer, entry: &FileSetting) -> SettingsProblem {
    let name = entry.key.name;
    let message = format!("`{name}` is one value for all projects, so it cannot be set for one");
    let value = pasteable_value(&entry.value);
    SettingsProblem::with_file(file.path, message)
        .at(entry.spot)
        .about(name)
        .hinting(Some(format!("`toprope config set {name} {value} --scope user`")))
}

fn the_persons_alone(file: &FileLayer, entry: &FileSetting) -> SettingsProblem {
    let name = entry.key.name;
    let message = format!("`{name}` is yours alone to set: no file of a project may");
    let value = pasteable_value(&entry.value);
    SettingsProblem::with_file(file.path, message)
        .at(entry.spot)
        .about(name)
        .hinting(Some(format!("`toprope config set {name} {value} --scope user`")))
}

fn loosening(file: &FileLayer, entry: &FileSetting, stands: &SettingValue) -> SettingsProblem {
    let name = entry.key.name;
    let message = match (stands, &entry.value) {
        _ if entry.key.restraint == Restraint::Trusted => format!(
            "`{name}` is yours to choose, so `{stands}` stands: a project's file may set it only if you trusted it"
        ),
        (SettingValue::Words(kept), SettingValue::Words(wanted)) => {
            let missing = kept.iter().filter(|word| !wanted.contains(word));
            let missing: Vec<String> = missing.map(|word| format!("`{word}`")).collect();
            let missing = one_line(&missing.join(", "), LONGEST_SHOWN);
            format!(
                "`{name}` leaves out {missing}: a project's file may add here, not take away, so nothing goes"
            )
        }
        (
            SettingValue::Bool(_) | SettingValue::Int(_) | SettingValue::Word(_) | SettingValue::Words(_),
            wanted,
        ) => format!(
            "`{name} = {wanted}` would protect you less, so `{stands}` stands: a project's file may only tighten it"
        ),
    };
    let trust = format!("toprope trust {}", path_word(file.path.as_os_str().as_bytes()));
    SettingsProblem::with_file(file.path, message)
        .at(entry.spot)
        .about(name)
        .hinting(Some(format!("if you want what this file says: `{trust}`")))
}

/// The value as one word of a command line.
pub(super) fn pasteable_value(value: &SettingValue) -> String {
    match value {
        SettingValue::Words(words) => word(words.join(",")),
        SettingValue::Word(one) => word(one),
        SettingValue::Bool(_) | SettingValue::Int(_) => value.to_string(),
    }
}
