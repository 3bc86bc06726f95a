//! Where a call is made, and by whom: what a guard knows before it asks anything.

use super::super::{PipelineContext, attended};
use super::client_files;
use agents::Agent;
use agents::permission::{Folders, SettingsSources};
use engine::event::{Event, EventKind};
use engine::policy::guard::facts::{GuardFacts, OwnPlaces};
use engine::tool::Action;
use git::place::Place;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The person whose processes these are, and where Toprope itself lives.
#[derive(Debug, Clone, Default)]
pub struct PersonContext {
    /// Their home.
    pub home: Option<PathBuf>,
    /// Their settings of ours.
    pub settings: Option<PathBuf>,
    /// This program, under every name it is known by.
    pub binaries: Vec<PathBuf>,
}

impl PersonContext {
    /// The person this process runs for.
    pub fn of(home: Option<PathBuf>, settings: Option<PathBuf>) -> Self {
        let mut binaries: Vec<PathBuf> = std::env::current_exe().into_iter().collect();
        let real = binaries.first().and_then(|path| fs_err::canonicalize(path).ok());
        binaries.extend(real.filter(|real| !binaries.contains(real)));
        Self {
            home,
            settings,
            binaries,
        }
    }
}

impl PersonContext {
    /// Whether a path leads to this program, whatever its name: by device and inode. A copy is told by its beginning, which
    /// holds where everything else lies and is the same in no other build.
    pub fn is_our_program(&self, path: &Path) -> bool {
        let Ok(asked) = fs_err::metadata(path) else {
            return false;
        };
        let id = |file: &Metadata| (file.dev(), file.ino());
        let mut own = self.binaries.iter();
        own.any(|own| {
            let found = fs_err::metadata(own);
            found.is_ok_and(|found| {
                id(&found) == id(&asked)
                    || asked.is_file()
                        && asked.len() >= found.len()
                        && beginning(path).is_some_and(|bytes| Some(bytes) == beginning(own))
            })
        })
    }
}

/// The first bytes of a program.
fn beginning(path: &Path) -> Option<Vec<u8>> {
    const LENGTH: u64 = 64 * 1024;
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path).ok()?;
    file.take(LENGTH).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What a call would run, if that is text.
pub fn command(event: &Event) -> Option<&str> {
    match event.kind.call()?.action() {
        Action::RunCommand { command, .. } => Some(command),
        _ => None,
    }
}

impl PipelineContext {
    /// What a guard knows of a call before it asks anything; a little of changed settings and of a session's start. After a
    /// call only what is needed where settings no longer have us called; nothing of other events.
    pub(in super::super) fn scene(
        &self,
        agent: &dyn Agent,
        event: &Event,
        place: Option<&Place>,
        env: &BTreeMap<String, String>,
    ) -> Option<Box<GuardFacts>> {
        let is_after = matches!(
            event.kind,
            EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. } | EventKind::ToolBatch { .. }
        );
        let call = match &event.kind {
            EventKind::ToolBefore { call } => Some(call),
            EventKind::ConfigChange { .. } | EventKind::SessionStart { .. } => None,
            _ if is_after => None,
            _ => return None,
        };
        let said = |name: &str| env.get(name).filter(|value| !value.is_empty()).cloned();
        let home = said("HOME")
            .map(PathBuf::from)
            .or_else(|| self.person.home.clone());
        let config = agent.config_folder(home.as_deref(), env);
        let folders = Folders {
            config: config.as_deref(),
            project: env.get("CLAUDE_PROJECT_DIR").map(Path::new),
            worktree: place.and_then(|place| place.worktree.as_deref()),
            main_worktree: place.map(|place| place.project.root.as_path()),
        };
        let sources = agent.permission_sources(&folders);
        let in_folders = settings_folders(&folders, &sources);
        let files = client_files::files(&in_folders, sources.files.clone());
        if is_after {
            return self.client_files.after(&files, &in_folders).map(Box::new);
        }
        let speaks = call.zip(command(event)).is_some_and(|(call, command)| {
            self.permissions
                .speak_about(agent, &sources, call.tool(), command)
        });
        let user = rustix::process::getuid().as_raw();
        let mut own = self.own(config.as_deref());
        if call.is_some() {
            own.settings = self.client_files.before(&files, &in_folders);
        } else {
            own.agent_settings = in_folders;
        }
        Some(Box::new(GuardFacts {
            cwd: event.cwd.as_deref().and_then(absolute),
            home: home.as_deref().and_then(absolute),
            user: said("USER"),
            tmpdir: said("TMPDIR"),
            client_scratch: agent.scratch_folder(env, user).as_deref().and_then(absolute),
            own,
            attended: attended::is_attended(env, event),
            no_rewrite: speaks,
            agent_type: event.agent_type.clone(),
            ..GuardFacts::default()
        }))
    }

    /// Where Toprope itself lives, and the agent's settings that call it.
    fn own(&self, config: Option<&Path>) -> OwnPlaces {
        OwnPlaces {
            home: absolute(self.home.folder()),
            socket: self.home.socket().parent().and_then(absolute),
            config: self
                .person
                .settings
                .as_deref()
                .and_then(Path::parent)
                .and_then(absolute),
            binaries: self
                .person
                .binaries
                .iter()
                .filter_map(|path| absolute(path))
                .collect(),
            daemon_pid: Some(std::process::id()),
            agent_settings: config.and_then(absolute).into_iter().collect(),
            settings: Vec::new(),
        }
    }
}

/// Every folder the agent takes settings from, the person's first.
fn settings_folders(folders: &Folders<'_>, sources: &SettingsSources) -> Vec<String> {
    let mut found: Vec<String> = folders.config.and_then(absolute).into_iter().collect();
    for file in &sources.files {
        let folder = file.parent().and_then(absolute);
        found.extend(folder.filter(|folder| !found.contains(folder)));
    }
    found
}

/// An absolute path as text; what is neither is unknown.
fn absolute(path: &Path) -> Option<String> {
    path.is_absolute()
        .then(|| path.to_str().map(str::to_owned))
        .flatten()
}
