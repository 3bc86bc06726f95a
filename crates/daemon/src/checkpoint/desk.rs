//! A repository with a line of checkpoints for tests, whose git is counted.

use super::cutter::{Cut, Cutter};
use super::order::{Order, ScanOrder};
use super::worksite::WorktreeContext;
use crate::group_commit::GroupCommit;
use crate::judge::Judge;
use engine::id::{ActorId, ActorKey, AgentKind, ClientSessionId, EventSeq, ToolUseId, WorktreeId};
use engine::policy::ORDER;
use engine::settings::{CheckpointSettings, Profile};
use engine::time::Timestamp;
use git::run::GitEnvironment;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::table::checkpoints::{Checkpoint, CheckpointKind};
use store::table::projects::{self, ProjectKind, ProjectPlace};
use store::table::touches::{self, Naming};
use store::table::{actors, worktrees};

/// A repository whose git is counted, and an agent's line of checkpoints in it.
pub struct Desk {
    pub folder: PathBuf,
    _temporary: tempfile::TempDir,
    pub site: WorktreeContext,
    writer: GroupCommit,
    worktree: WorktreeId,
    pub session: ActorId,
    pub settings: CheckpointSettings,
    number: i64,
}

impl Desk {
    /// Folders of ten files each, all of them committed and packed.
    pub fn new(folders: usize) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let folder = fs_err::canonicalize(temporary.path()).unwrap();
        let repo = folder.join("repo");
        for number in 0..folders {
            let within = repo.join(format!("src/part{number}"));
            fs_err::create_dir_all(&within).unwrap();
            for file in 0..10 {
                fs_err::write(within.join(format!("{file}.txt")), format!("{number} {file}\n")).unwrap();
            }
        }
        let environment = GitEnvironment {
            path: counted_git(&folder),
            home: Some(folder.clone().into_os_string()),
        };
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &["commit", "-qm", "first"],
            &["repack", "-adq"],
        ] {
            git(&repo, arguments);
        }
        let place = Arc::new(git::place::find(&repo));
        let site = WorktreeContext::at(&place, &environment, &folder.join("outside")).unwrap();
        let mut store = Store::open(&folder.join("db"), Duration::from_secs(5)).unwrap();
        let rows = store.begin().unwrap().only(|db| {
            let project = ProjectPlace {
                key: place.project.key.clone(),
                root: place.project.root.clone(),
                kind: ProjectKind::Git,
            };
            let project = projects::ensure(db, &project, Timestamp(1))?;
            let worktree = worktrees::ensure(db, project, &repo, Timestamp(1))?;
            let key = ActorKey {
                agent_kind: AgentKind::new("claude-code"),
                session: ClientSessionId::new("s1"),
                agent: None,
            };
            let sighting = actors::Sighting {
                key: &key,
                agent_type: None,
                project: Some(project),
                worktree: Some(worktree),
                cwd: None,
                at: Timestamp(1),
                boot: None,
            };
            Ok((worktree, actors::ensure(db, &sighting)?.id))
        });
        let (worktree, session) = rows.unwrap();
        let mut desk = Self {
            site: site.unwrap(),
            folder,
            _temporary: temporary,
            writer: GroupCommit::new(store, Judge::new(ORDER)),
            worktree,
            session,
            settings: CheckpointSettings::of(Profile::Standard),
            number: 0,
        };
        desk.order(CheckpointKind::Baseline, ScanOrder::Always);
        desk
    }

    /// The agent writes files and a call names them; then a checkpoint is cut of these.
    pub fn cut(&mut self, paths: &[String]) -> Checkpoint {
        self.number += 1;
        let call = ToolUseId::new(format!("toolu_{:012}", self.number));
        for path in paths {
            fs_err::write(
                self.folder.join("repo").join(path),
                format!("{path} {}\n", self.number),
            )
            .unwrap();
        }
        let named = self.writer.store().begin().unwrap().only(|db| {
            for path in paths {
                let naming = Naming {
                    worktree: self.worktree,
                    path: path.as_bytes(),
                    actor: self.session,
                    call: &call,
                };
                touches::finish(db, &naming, EventSeq(self.number))?;
            }
            Ok(())
        });
        named.unwrap();
        match self.order(CheckpointKind::Step, ScanOrder::Never) {
            Cut::New(row) => *row,
            other => panic!("{other:?}"),
        }
    }

    pub fn order(&mut self, kind: CheckpointKind, look: ScanOrder) -> Cut {
        self.number += 1;
        let order = Order {
            session: Some(self.session),
            actor: Some(self.session),
            event: Some(EventSeq(self.number)),
            look,
            ..Order::new(kind, self.number.to_string())
        };
        self.cutter().cut(&order, &[]).unwrap()
    }

    /// What cuts checkpoints here.
    pub fn cutter(&self) -> Cutter<'_> {
        Cutter {
            site: &self.site,
            writer: &self.writer,
            worktree: self.worktree,
            settings: &self.settings,
            limit: Duration::from_mins(1),
        }
    }

    /// What git was run for so far.
    pub fn git_runs(&self) -> Vec<String> {
        let log = fs_err::read_to_string(self.folder.join("git.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

/// A `PATH` on which git writes down what it is run for.
fn counted_git(folder: &Path) -> std::ffi::OsString {
    let (bin, log) = (folder.join("bin"), folder.join("git.log"));
    fs_err::create_dir(&bin).unwrap();
    let real = std::env::split_paths(&path())
        .map(|entry| entry.join("git"))
        .find(|git| git.is_file());
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n",
        log.display(),
        real.unwrap().display()
    );
    fs_err::write(bin.join("git"), script).unwrap();
    fs_err::set_permissions(bin.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
    let mut all = vec![bin];
    all.extend(std::env::split_paths(&path()));
    std::env::join_paths(all).unwrap()
}

/// What git says.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .env_clear()
        .env("PATH", path())
        .args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.com",
            "-c",
            "gc.auto=0",
        ])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "tests find git as everybody does")]
fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap()
}

/// Reads and writes of this thread so far, of whatever file.
#[cfg(target_os = "linux")]
pub fn reads_and_writes() -> u64 {
    let counts = fs_err::read_to_string("/proc/thread-self/io").unwrap();
    let of = |name: &str| {
        let line = counts.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse::<u64>().unwrap()
    };
    of("syscr:") + of("syscw:")
}
