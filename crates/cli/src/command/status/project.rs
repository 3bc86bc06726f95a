//! One project: its settings in short, and who is at work in it.

use super::agent::{self, AgentEntry};
use crate::command::config;
use crate::command::doctor::entries;
use crate::command::init::context::Site;
use crate::failure::Failure;
use ::daemon::config::{LoadedSettings, SettingsPaths, user_file};
use ::daemon::environment::Environment;
use engine::policy::ORDER;
use engine::settings::{Mode, Profile, Settings};
use serde::Serialize;
use std::path::Path;
use store::Db;
use store::table::{approvals, checkpoints, projects};

/// See the module.
#[derive(Debug, Serialize)]
pub struct ProjectEntry {
    pub root: String,
    /// Whether the client's settings here call us.
    pub installed: bool,
    /// What is wrong with the entries that call us.
    pub hooks: Vec<String>,
    /// Whether any agent was ever seen here.
    pub seen: bool,
    pub enabled: bool,
    pub profile: &'static str,
    pub policies: Vec<PolicyMode>,
    pub checkpoints: Checkpoints,
    /// Denied calls that wait for a person's word.
    pub requests: u64,
    /// What is wrong with the settings.
    pub problems: Vec<String>,
    pub agents: Vec<AgentEntry>,
}

/// Whether states are kept here, and how many there are.
#[derive(Debug, Serialize)]
pub struct Checkpoints {
    pub enabled: bool,
    pub count: u64,
}

/// A policy, and how far it may go here.
#[derive(Debug, Serialize)]
pub struct PolicyMode {
    pub name: &'static str,
    pub mode: &'static str,
    /// What of it does not go as far: packs and rules that are off or only advise.
    pub loosened: Vec<String>,
}

impl ProjectEntry {
    /// A project the store knows.
    pub fn known(environment: &Environment, db: &Db, known: &projects::Project) -> Result<Self, Failure> {
        let agents = agent::live(db, known.id)?;
        let count = checkpoints::tally(db, known.id)?.checkpoints;
        let mut project = Self::at(environment, &known.place.root);
        project.checkpoints.count = count;
        project.requests = approvals::count_pending(db, known.id)?;
        Ok(Self {
            seen: true,
            agents,
            ..project
        })
    }

    /// A folder no agent was seen in yet.
    pub fn unseen(environment: &Environment, folder: &Path) -> Self {
        let place = git::place::find(folder);
        Self::at(environment, &place.worktree.unwrap_or(place.project.root))
    }

    fn at(environment: &Environment, root: &Path) -> Self {
        let places = SettingsPaths::at(user_file(environment), Some(&git::place::find(root)));
        let LoadedSettings {
            settings, problems, ..
        } = config::load(environment, &places);
        let site = Site::at(root, environment);
        Self {
            root: root.to_string_lossy().into_owned(),
            installed: site.is_installed(),
            hooks: entries::failures(&site, &settings.guard),
            seen: false,
            enabled: settings.enabled,
            profile: settings.profile.word(),
            policies: ORDER
                .iter()
                .map(|policy| PolicyMode {
                    name: policy.name(),
                    mode: in_force(*policy, &settings),
                    loosened: loosened(*policy, &settings),
                })
                .collect(),
            checkpoints: Checkpoints {
                enabled: settings.enabled && settings.checkpoints.enabled,
                count: 0,
            },
            requests: 0,
            problems: problems.iter().map(ToString::to_string).collect(),
            agents: Vec::new(),
        }
    }
}

/// How far a policy really goes here. The guard is asked even where it is off, for what no setting allows.
fn in_force(policy: &dyn engine::policy::Policy, settings: &Settings) -> &'static str {
    if !settings.enabled {
        return Mode::Off.word();
    }
    if settings.profile == Profile::Observe {
        return "observe";
    }
    if policy.name() == "guard" {
        return settings.guard.mode.word();
    }
    policy.mode(settings).word()
}

/// What of a policy does not go as far as the rest of it.
fn loosened(policy: &dyn engine::policy::Policy, settings: &Settings) -> Vec<String> {
    let is_in_force = settings.enabled && settings.profile != Profile::Observe;
    if policy.name() == "guard" && is_in_force && settings.guard.mode != Mode::Off {
        settings.guard.loosened()
    } else {
        Vec::new()
    }
}
