//! The product in one process: a repository, a database, hooks that are answered and jobs that are done.

use super::crash::{self, Image};
use super::repo::{Deed, beginnings};
use super::rewinding::{self as model, Want};
use super::step::Actor;
use super::tree::{self, Tree};
use daemon::checkpoint::cutter::Cutter;
use daemon::checkpoint::hold::{Hold, Unread};
use daemon::checkpoint::order::{Order, ScanOrder};
use daemon::checkpoint::rewind::{Conflicts, RewindOwner, RewindTo, Rewinder, Wish};
use daemon::checkpoint::worker::{WorkLimits, work};
use daemon::checkpoint::worksite::WorktreeContext;
use daemon::clock;
use daemon::config::LoadedSettings;
use daemon::environment::Environment;
use daemon::frame::request::{Header, HookRequest};
use daemon::group_commit::GroupCommit;
use daemon::home::Home;
use daemon::judge::Judge;
use daemon::pipeline::PipelineContext;
use daemon::pipeline::record::RecordedEvent;
use engine::checkpoint::CheckpointKind;
use engine::id::{ActorId, ActorKey, AgentId, AgentKind, ClientSessionId, WorktreeId};
use engine::policy::ORDER;
use git::path::RepoPath;
use git::restore::PathChange;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::table::checkpoints::Checkpoint;
use store::table::{actors, checkpoints, jobs};
use store::{Db, Store, StoreError};
use tempfile::TempDir;

const PLENTY: Duration = Duration::from_mins(1);

/// Machines differ in how long a look takes; here nothing may depend on that.
const SETTINGS: &str = "[checkpoints]\nscan_budget_ms = 60000\nscan_timeout_ms = 60000\nbaseline_wait_ms = 60000\n\
    barrier_ms = 60000\n";

pub struct Real {
    _temporary: TempDir,
    base: PathBuf,
    open: Option<Open>,
    deliveries: usize,
    pub worktree: Option<WorktreeId>,
    /// Where the process is to die.
    pub crash: Option<u8>,
    /// The process hooks come from.
    pub client: u32,
    /// What the transactions of events asked of the database, each with the most steps it took.
    pub asked: BTreeMap<String, i32>,
    image: Image,
}

/// What ends with a process.
struct Open {
    world: PipelineContext,
    writer: GroupCommit,
}

impl Real {
    /// A world of its own, copied from a template.
    pub fn new(template: &TempDir) -> Self {
        let temporary = folder();
        let base = fs_err::canonicalize(temporary.path()).unwrap();
        crash::copy(template.path(), &base.join("all"));
        let mut real = Self {
            image: Image::beside(&base.join("all")),
            base,
            _temporary: temporary,
            open: None,
            deliveries: 0,
            worktree: None,
            crash: None,
            client: 0,
            asked: BTreeMap::new(),
        };
        real.start();
        real
    }

    /// Everything that survives a crash.
    pub fn all(&self) -> PathBuf {
        self.base.join("all")
    }

    pub fn root(&self) -> PathBuf {
        self.all().join("repo")
    }

    fn start(&mut self) {
        self.open = None;
        let place = |name: &str| self.all().join(name).to_str().unwrap().to_owned();
        let path = std::env::vars_os().find(|(name, _)| name == "PATH").unwrap().1;
        let environment = Environment::of(&[
            ("PATH", path.to_str().unwrap()),
            ("HOME", &place("home")),
            ("TOPROPE_HOME", &place("state")),
        ]);
        let home = Home::of(&environment);
        home.make().unwrap();
        let store = Store::open(&home.database(), PLENTY).unwrap();
        let world = PipelineContext::new(home, &environment);
        let writer = GroupCommit::new(store, Judge::new(ORDER));
        self.open = Some(Open { world, writer });
        // Whoever had jobs is gone.
        self.write(|db| jobs::requeue_abandoned(db, &|_| false, clock::now()));
    }

    fn open(&self) -> &Open {
        self.open.as_ref().unwrap()
    }

    pub fn read<T>(&self, ask: impl FnOnce(&Db) -> Result<T, StoreError>) -> T {
        ask(&self.open().writer.store().read()).unwrap()
    }

    fn write<T>(&self, change: impl FnOnce(&Db) -> Result<T, StoreError>) -> T {
        self.open().writer.store().begin().unwrap().only(change).unwrap()
    }

    pub fn site(&self) -> (Arc<WorktreeContext>, Arc<LoadedSettings>) {
        self.open().world.worksite(&self.root()).unwrap().unwrap()
    }

    pub fn key(actor: Actor) -> ActorKey {
        let session = match actor.session() {
            Actor::Main | Actor::Sub => "11111111-0000-4000-8000-000000000001",
            Actor::Other => "22222222-0000-4000-8000-000000000002",
        };
        ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new(session),
            agent: (actor == Actor::Sub).then(|| AgentId::new("a3f2")),
        }
    }

    pub fn id(&self, actor: Actor) -> Option<ActorId> {
        self.read(|db| actors::by_key(db, &Self::key(actor)))
            .map(|actor| actor.id)
    }

    /// A hook: the event is decided, recorded and answered, and what it names is read. A call that has to wait for jobs
    /// waits until they are done. Tells what was answered.
    pub fn hook(&mut self, actor: Actor, name: &str, fields: &Value) -> Value {
        self.deliveries += 1;
        let key = Self::key(actor);
        let mut payload = json!({
            "session_id": key.session.as_str(), "cwd": self.root(), "hook_event_name": name,
        });
        let object = payload.as_object_mut().unwrap();
        if let Some(agent) = &key.agent {
            object.insert("agent_id".to_owned(), json!(agent.as_str()));
            object.insert("agent_type".to_owned(), json!("Explore"));
        }
        object.extend(fields.as_object().unwrap().clone());
        let header = Header {
            agent: "claude-code".to_owned(),
            delivery: format!("delivery-{}", self.deliveries),
            parent: self.client,
            ..Header::default()
        };
        let request = HookRequest {
            header,
            body: payload.to_string().into_bytes(),
        };
        let open = self.open();
        let mut prepared = open.world.prepare(request, clock::now());
        open.world.answer(&mut prepared);
        open.world.look_at_named(&mut prepared);
        let prepared = Arc::new(prepared);
        let told: Arc<OnceLock<RecordedEvent>> = Arc::default();
        let then = Arc::clone(&told);
        let asked = asked(|| {
            open.writer.submit(Arc::clone(&prepared), move |outcome| {
                then.set(outcome.unwrap()).unwrap();
            });
        });
        for (sql, steps) in asked {
            let most = self.asked.entry(sql).or_default();
            *most = steps.max(*most);
        }
        let recorded = told.get().unwrap().clone();
        assert!(recorded.printed.stderr.is_empty(), "{recorded:?}");
        self.worktree = self.worktree.or(recorded.worktree);
        let open = self.open();
        let hold = Hold::of(&open.world, &prepared, &recorded.after, recorded.worktree);
        let unread = Unread::of(&open.world, &prepared, &recorded.after);
        if let Some(hold) = hold {
            if hold.is_closed() {
                self.work_once();
            }
            hold.wait(&self.open().writer).unwrap();
        }
        if let Some(unread) = unread {
            unread.read(&self.open().world, &self.open().writer).unwrap();
        }
        serde_json::from_slice(&recorded.printed.stdout).unwrap_or_default()
    }

    /// Does all jobs, with or without dying on the way.
    pub fn work(&mut self) {
        if let Some(moment) = self.crash.take() {
            let image = self.image.arm(moment, None);
            self.work_once();
            drop(image);
            self.die();
        }
        self.work_once();
    }

    /// Everything is as it was when the process died, if it did.
    pub fn die(&mut self) -> bool {
        self.open = None;
        let died = self.image.restore();
        self.start();
        died
    }

    /// Arms the crash that was asked for, around something else than jobs.
    pub fn arm(&mut self, since: Option<&'static str>) -> Option<crash::Armed> {
        let moment = self.crash.take()?;
        Some(self.image.arm(moment, since))
    }

    fn work_once(&self) {
        let Some(worktree) = self.worktree else { return };
        let terms = WorkLimits {
            look: Some(PLENTY),
            is_over: &|| false,
        };
        work(&self.open().world, &self.open().writer, worktree, "model", terms).unwrap();
    }

    /// The checkpoints on the line.
    pub fn kinds(&self) -> Vec<&'static str> {
        let line = self
            .worktree
            .map(|worktree| self.read(|db| checkpoints::line(db, worktree)));
        line.into_iter().flatten().map(|row| row.kind.as_str()).collect()
    }

    /// With everything that cuts checkpoints here.
    pub fn with_cutter<T>(&self, act: impl FnOnce(Cutter<'_>) -> T) -> T {
        let (site, loaded) = self.site();
        act(Cutter {
            site: &site,
            writer: &self.open().writer,
            worktree: self.worktree.unwrap(),
            settings: &loaded.settings.checkpoints,
            limit: PLENTY,
        })
    }

    /// `toprope checkpoint create`.
    pub fn create(&mut self) {
        self.deliveries += 1;
        let order = Order {
            look: ScanOrder::Always,
            ..Order::new(CheckpointKind::Manual, format!("manual-{}", self.deliveries))
        };
        self.with_cutter(|cutter| cutter.cut(&order, &[])).unwrap();
    }

    /// What `toprope rewind` or `toprope undo` would do, and then does; nothing where something stands against it.
    pub fn put_back(&self, want: &Want) -> Vec<PathChange> {
        let wish = self.wish(want);
        self.with_cutter(|cutter| {
            let rewinder = Rewinder::new(cutter);
            let _alone = rewinder.lock().unwrap();
            let proposal = rewinder.propose(&wish).unwrap();
            let changes = proposal.plan.changes();
            if !changes.is_empty() {
                // Nobody else is at work, so nothing can have changed meanwhile.
                rewinder.carry_out(&wish, &proposal).unwrap();
            }
            changes
        })
    }

    /// Puts the files of the main session back to a checkpoint, but for conflicts.
    pub fn rewind_to(&self, point: &Checkpoint) {
        self.carry_out(RewindTo::Back {
            to: Box::new(point.clone()),
            name: "there".to_owned(),
            whose: RewindOwner::Session(self.id(Actor::Main).unwrap()),
        });
    }

    /// Takes the last operation back.
    pub fn undo_last(&self) {
        let stack = self.read(|db| checkpoints::stack(db, self.worktree.unwrap()));
        let newest = stack.done.into_iter().next();
        self.carry_out(RewindTo::Undo(Box::new(newest.expect("something can be undone"))));
    }

    /// Does what was taken back last again.
    pub fn redo_last(&self) {
        let stack = self.read(|db| checkpoints::stack(db, self.worktree.unwrap()));
        let newest = stack.undone.into_iter().next();
        self.carry_out(RewindTo::Undo(Box::new(
            newest.expect("something can be done again"),
        )));
    }

    fn carry_out(&self, aim: RewindTo) {
        let wish = Wish {
            aim,
            only: Vec::new(),
            conflicts: Conflicts::Skip,
        };
        self.with_cutter(|cutter| {
            let rewinder = Rewinder::new(cutter);
            let _alone = rewinder.lock().unwrap();
            let proposal = rewinder.propose(&wish).unwrap();
            if !proposal.plan.changes().is_empty() {
                rewinder.carry_out(&wish, &proposal).unwrap();
            }
        });
    }

    fn wish(&self, want: &Want) -> Wish {
        let worktree = self.worktree.unwrap();
        let line = self.read(|db| checkpoints::line(db, worktree));
        let id = |actor: Actor| self.id(actor).unwrap();
        let back = |whose| RewindTo::Back {
            to: Box::new(line[want.target].clone()),
            name: "there".to_owned(),
            whose,
        };
        Wish {
            aim: match want.whose {
                model::Whose::Session(session) => back(RewindOwner::Session(id(session))),
                model::Whose::Agent(agent) => back(RewindOwner::Agent {
                    session: id(agent.session()),
                    agent: id(agent),
                }),
                model::Whose::Operation(at) => {
                    let stack = self.read(|db| checkpoints::stack(db, worktree));
                    let next = [stack.done.into_iter().next(), stack.undone.into_iter().next()];
                    let next = next
                        .into_iter()
                        .flatten()
                        .find(|next| next.done.id == line[at].id);
                    RewindTo::Undo(Box::new(next.expect("it is what undo or redo takes")))
                }
            },
            only: want
                .only
                .iter()
                .map(|only| RepoPath::new(only.clone()).unwrap())
                .collect(),
            conflicts: match want.conflicts {
                super::step::Conflicts::Refuse => Conflicts::Refuse,
                super::step::Conflicts::Skip => Conflicts::Skip,
                super::step::Conflicts::Force => Conflicts::Force,
            },
        }
    }

    /// Files change, by whoever does it.
    pub fn act(&self, deeds: &[Deed]) {
        for deed in deeds {
            match deed {
                Deed::Files { old, new } => tree::write(&self.root(), old, new),
                Deed::Git(commands) => {
                    for words in commands {
                        let words: Vec<&OsStr> = words.iter().map(|word| OsStr::from_bytes(word)).collect();
                        git(&self.root(), &words);
                    }
                }
            }
        }
    }

    pub fn files(&self) -> Tree {
        tree::read(&self.root())
    }
}

/// What some work asks of the database.
#[cfg(feature = "testing")]
fn asked(work: impl FnOnce()) -> BTreeMap<String, i32> {
    store::ledger::open();
    work();
    store::ledger::close()
}

/// Other builds do not count.
#[cfg(not(feature = "testing"))]
fn asked(work: impl FnOnce()) -> BTreeMap<String, i32> {
    work();
    BTreeMap::new()
}

/// Runs git as the person does.
pub fn git(folder: &Path, words: &[&OsStr]) -> String {
    git_with(folder, words, &[])
}

pub fn git_with(folder: &Path, words: &[&OsStr], variables: &[(&str, &OsStr)]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.invalid",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(words)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// In memory where there is such a place: nothing here has to survive the machine.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

/// A repository with two branches, made once and copied for each case.
pub fn template() -> TempDir {
    let folder = folder();
    let root = folder.path().join("repo");
    fs_err::create_dir_all(&root).unwrap();
    fs_err::create_dir_all(folder.path().join("home/.config/toprope")).unwrap();
    fs_err::write(folder.path().join("home/.config/toprope/config.toml"), SETTINGS).unwrap();
    let run = |words: &[&str]| git(&root, &words.iter().map(OsStr::new).collect::<Vec<_>>());
    run(&["init", "-q", "-b", "main", "--template="]);
    let [main, other] = beginnings();
    tree::write(&root, &Tree::new(), &main);
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "main"]);
    run(&["checkout", "-q", "-b", "other"]);
    tree::write(&root, &main, &other);
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "other"]);
    run(&["checkout", "-q", "main"]);
    folder
}

/// A repository with these files, committed.
pub fn template_with(names: &[&str]) -> TempDir {
    let folder = folder();
    let root = folder.path().join("repo");
    for name in names {
        let path = root.join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, format!("morning {name}\n")).unwrap();
    }
    fs_err::create_dir_all(folder.path().join("home/.config/toprope")).unwrap();
    fs_err::write(folder.path().join("home/.config/toprope/config.toml"), SETTINGS).unwrap();
    let run = |words: &[&str]| git(&root, &words.iter().map(OsStr::new).collect::<Vec<_>>());
    run(&["init", "-q", "-b", "main", "--template="]);
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "main"]);
    folder
}
