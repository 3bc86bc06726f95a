//! From a request to everything a decision needs, before any transaction opens: translate, locate, load, ask.
//!
//! The same steps for the daemon and for a hook that decides in its own process.

pub mod answers;
mod attended;
mod background;
pub mod effects;
mod export;
pub mod guard;
mod journal;
pub mod lease;
pub mod log_outline;
mod pending_elsewhere;
pub mod place_rows;
mod places;
mod readings;
pub mod record;
pub mod reply_wait;
mod session_start;
mod skill_dirs;
mod token;
pub mod unrecorded;
mod wrong_settings;

use crate::checkpoint::intake::FoundFile;
use crate::checkpoint::naming::PlacedFile;
use crate::checkpoint::preimage::is_large;
use crate::checkpoint::stamps::CallDates;
use crate::checkpoint::worksite::{WorktreeContext, WorktreeContexts};
use crate::clock;
use crate::config::{self, LoadedSettings, SettingsPaths};
use crate::environment::Environment;
use crate::frame::request::HookRequest;
use crate::home::Home;
use crate::marker;
use crate::process::Process;
use crate::skill::Library;
use crate::spool;
use crate::trust::Trusts;
use agents::{Agent, Delivery, Malformed};
use engine::answer::Answers;
use engine::event::{Event, EventKind};
use engine::id::DeliveryId;
use engine::policy::skills::Catalogue;
use engine::policy::{Asking, ORDER, questions};
use engine::question::Question;
use engine::settings::Settings;
use engine::time::Timestamp;
use git::place::Place;
use git::shadow::ShadowError;
use log_outline::Outline;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use store::payload::Payload;
use store::{Boot, Moment};

/// What preparing needs of the world, shared by all events.
pub struct PipelineContext {
    home: Home,
    user_settings: Option<PathBuf>,
    git: git::run::GitEnvironment,
    trusts: Trusts,
    places: places::PlaceCache,
    settings: Mutex<config::Cache>,
    worksites: WorktreeContexts,
    person: guard::PersonContext,
    permissions: guard::Permissions,
    client_files: guard::ClientFiles,
    memory: guard::GuardStore,
    volumes: lease::Volumes,
    library: Library,
    readings: readings::Readings,
    pub(crate) stamps: CallDates,
    /// Since when this process works: it holds no call that is older.
    pub(crate) since: Timestamp,
}

/// An event with everything its decision needs, but no transaction yet.
pub struct PreparedEvent {
    /// Which delivery brought it.
    pub delivery: DeliveryId,
    /// When it arrived.
    pub at: Timestamp,
    /// When by the clock that starts with the machine, where there is one.
    pub boot: Option<Boot>,
    /// When work on it began.
    pub began: Instant,
    /// The agent's process.
    pub client: Process,
    /// The allow-listed environment of the hook.
    pub env: BTreeMap<String, String>,
    /// The payload, as it will be kept.
    pub payload: Payload,
    /// What it is about.
    pub subject: EventSubject,
}

/// What a request turned out to be.
pub enum EventSubject {
    /// An event of an agent we know.
    Event(Box<AgentEvent>),
    /// Not an event we can read; recorded, counted, answered with nothing.
    Unreadable {
        /// One sentence for a person.
        why: String,
    },
    /// A large event that is no longer where its hook left it.
    TakenBack,
    /// The project is switched off: nothing is kept but a marker for the next hook.
    Disabled {
        /// The settings that say so.
        loaded: Arc<LoadedSettings>,
        /// Where they hold.
        root: Option<PathBuf>,
    },
}

/// An event, where it happened, and under which settings.
pub struct AgentEvent {
    /// Who translates the answer.
    pub agent: &'static dyn Agent,
    /// What happened.
    pub event: Arc<Event>,
    /// Where.
    pub place: Option<Arc<Place>>,
    /// The settings in force there.
    pub loaded: Arc<LoadedSettings>,
    /// What the log will show of it.
    pub outline: Outline,
    /// What policies want to know before they judge.
    pub questions: Vec<Question>,
    /// What the world answered.
    pub answers: Answers,
    /// The files the payload names, where they are kept.
    pub named: Vec<PlacedFile>,
    /// Of those, the ones that tools write, as they were found.
    pub found: Vec<FoundFile>,
    /// How long the transcript is.
    pub transcript_length: u64,
    /// The skills there are; looked up at prompts.
    pub skills: Option<Arc<Catalogue>>,
}

impl PipelineContext {
    /// The world as this environment shows it.
    pub fn new(home: Home, environment: &Environment) -> Self {
        let git = git::run::GitEnvironment {
            path: environment.value("PATH").cloned().unwrap_or_default(),
            home: environment.value("HOME").cloned(),
        };
        let user_settings = config::user_file(environment);
        let persons_home = environment.value("HOME").map(PathBuf::from);
        Self {
            trusts: Trusts::of(&home),
            person: guard::PersonContext::of(persons_home, user_settings.clone()),
            permissions: guard::Permissions::default(),
            client_files: guard::ClientFiles::default(),
            memory: guard::GuardStore::of(home.database()),
            volumes: lease::Volumes::default(),
            library: Library::default(),
            readings: readings::Readings::default(),
            stamps: CallDates::default(),
            since: clock::now(),
            worksites: WorktreeContexts::new(git.clone(), home.shadows()),
            home,
            user_settings,
            git,
            places: places::PlaceCache::default(),
            settings: Mutex::default(),
        }
    }

    /// Where things live.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Reads a request into everything its decision needs, except the answers to slow questions.
    pub fn prepare(&self, request: HookRequest, now: impl Into<Moment>) -> PreparedEvent {
        let Moment { at, boot } = now.into();
        let began = Instant::now();
        let HookRequest { header, body } = request;
        let delivery = DeliveryId::new(header.delivery.clone());
        let body = match header.spool.as_deref() {
            Some(path) => spool::take(&self.home, path),
            None => Ok(body),
        };
        let (subject, body) = match body {
            Ok(body) => {
                let session_hint = header.env.get("CLAUDE_CODE_SESSION_ID").cloned();
                let delivered = Delivery {
                    id: delivery.clone(),
                    at,
                    session_hint,
                    cwd: header.working_directory(),
                };
                (self.subject(&header.agent, &body, &delivered, &header.env), body)
            }
            // Its hook gave up waiting and took it back: it decides itself.
            Err(_) => (EventSubject::TakenBack, Vec::new()),
        };
        let limit = match &subject {
            EventSubject::Event(subject) => subject.loaded.settings.log.payload_kib,
            EventSubject::Unreadable { .. } | EventSubject::Disabled { .. } | EventSubject::TakenBack => 4,
        };
        PreparedEvent {
            delivery,
            at,
            boot,
            began,
            client: Process {
                pid: header.parent,
                started: header.parent_started,
            },
            env: header.env,
            payload: Payload::prepare(&body, usize::try_from(limit).unwrap_or(64) * 1024),
            subject,
        }
    }

    fn subject(
        &self,
        agent: &str,
        body: &[u8],
        delivery: &Delivery,
        env: &BTreeMap<String, String>,
    ) -> EventSubject {
        let Some(agent) = agents::by_name(agent) else {
            let known: Vec<&str> = agents::AGENTS.iter().map(|agent| agent.name()).collect();
            let why = format!(
                "there is no agent `{}`; known: {}",
                engine::text::one_line(agent, 40),
                known.join(", ")
            );
            return EventSubject::Unreadable { why };
        };
        let event = match agent.translate(body, delivery) {
            Ok(event) => event,
            Err(malformed) => {
                return EventSubject::Unreadable {
                    why: unreadable(&malformed),
                };
            }
        };
        let folder = event.cwd.clone().or_else(|| delivery.cwd.clone());
        let place = folder.as_deref().map(|folder| self.places.of(folder));
        let loaded = self.settings(place.as_deref());
        if !loaded.settings.enabled {
            return EventSubject::Disabled {
                loaded,
                root: place.as_deref().map(root),
            };
        }
        let answers = Answers {
            guard: self.scene(agent, &event, place.as_deref(), env),
            ..Answers::default()
        };
        let asking = Asking {
            settings: &loaded.settings,
            answers: &answers,
            is_first: true,
        };
        self.readings.hand_over(&event);
        let questions = questions(ORDER, &event, &asking);
        self.readings.keep(&event);
        let outline = Outline::of(agent, &event);
        let event = Arc::new(event);
        let named = self.named(&event, place.as_ref(), &loaded.settings.checkpoints);
        let transcript_length = transcript_length(&event);
        let skills = self.skills(agent, &event, place.as_deref(), env, &loaded.settings);
        EventSubject::Event(Box::new(AgentEvent {
            agent,
            event,
            place,
            loaded,
            outline,
            questions,
            answers,
            named,
            found: Vec::new(),
            transcript_length,
            skills,
        }))
    }

    /// Where a folder belongs.
    pub fn place_of(&self, folder: &Path) -> Arc<Place> {
        self.places.of(folder)
    }

    /// The settings in force at a place, whoever asks.
    pub(crate) fn settings_at(&self, place: &Place) -> Arc<LoadedSettings> {
        self.settings(Some(place))
    }

    /// The worksite at a place; nothing where there are no files to keep.
    pub(crate) fn worksite_at(
        &self,
        place: &Arc<Place>,
    ) -> Result<Option<Arc<WorktreeContext>>, ShadowError> {
        self.worksites.at(place)
    }

    /// The settings where no project is meant.
    pub fn settings_of_user(&self) -> Settings {
        self.settings(None).settings.clone()
    }

    /// The settings in force at a place.
    fn settings(&self, place: Option<&Place>) -> Arc<LoadedSettings> {
        let places = SettingsPaths::at(self.user_settings.clone(), place);
        let mut cache = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(&places, &|path, hash| self.trusts.holds(path, hash))
    }
}

fn unreadable(malformed: &Malformed) -> String {
    format!("ignored an event: {malformed}")
}

/// How long the transcript is when a prompt is given; the client makes the file a little later.
fn transcript_length(event: &Event) -> u64 {
    let EventKind::Prompt { .. } = event.kind else {
        return 0;
    };
    let found = event
        .transcript
        .as_ref()
        .and_then(|path| fs_err::symlink_metadata(path).ok());
    found.map_or(0, |found| found.len())
}

impl PreparedEvent {
    /// Whether its hook took it back.
    pub fn is_taken_back(&self) -> bool {
        matches!(self.subject, EventSubject::TakenBack)
    }

    /// Lets the commands of a session that starts know its id, where that is wanted. Belongs before the answer.
    pub fn export_session(&self) -> io::Result<()> {
        let EventSubject::Event(subject) = &self.subject else {
            return Ok(());
        };
        let starts = matches!(subject.event.kind, EventKind::SessionStart { .. });
        match self.env.get(crate::environment::ENV_FILE) {
            Some(file) if starts && subject.loaded.settings.actors.export_env => {
                export::session(Path::new(file), subject.event.actor.session.as_str())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether answering its questions may take long enough to be done beside other events.
    pub fn has_long_questions(&self) -> bool {
        let EventSubject::Event(subject) = &self.subject else {
            return false;
        };
        let is_large = |path: &PathBuf| is_large(path);
        let mut questions = subject.questions.iter();
        questions.any(|question| question.may_take_long() || question.files().any(is_large))
    }
}

/// The folder whose settings files count at a place.
fn root(place: &Place) -> PathBuf {
    place
        .worktree
        .clone()
        .unwrap_or_else(|| place.project.root.clone())
}

impl PipelineContext {
    /// Leaves a marker where the project is switched off, so that its next hook need not ask.
    ///
    /// The marker is found by the folder the client was started in. An agent that merely went into a project that is
    /// switched off must not silence that folder.
    pub fn mark_if_disabled(&self, prepared: &PreparedEvent) {
        let EventSubject::Disabled {
            loaded,
            root: disabled,
        } = &prepared.subject
        else {
            return;
        };
        let Some(project) = prepared.env.get("CLAUDE_PROJECT_DIR") else {
            return;
        };
        let started_in = root(&self.places.of(Path::new(project)));
        if disabled.as_ref() != Some(&started_in) {
            return;
        }
        let mut stamps = loaded.stamps.clone();
        if !loaded.asked.is_empty() {
            stamps.push(self.trusts.stamp());
        }
        // A marker only saves time; without one the next hook asks again.
        let _ = marker::write(&self.home, project, &started_in, &stamps);
    }
}
