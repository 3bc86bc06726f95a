//! The newest lines of a log that grew for a long time beside a young one, by each filter alone.

use super::judge;
use crate::arguments::Effort;
use crate::processor_time::used;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use anyhow::{Context, ensure};
use daemon::clock;
use engine::id::{
    ActorId, ActorKey, AgentKind, ClientSessionId, DeliveryId, ProjectId, ToolUseId, WorktreeId,
};
use engine::lease::Pattern;
use engine::round::VerdictRecord;
use engine::time::Timestamp;
use engine::verdict::VerdictKind;
use std::path::Path;
use std::time::{Duration, Instant};
use store::table::events::{self, LogFilter, NewEvent, PathFilter};
use store::table::projects::{self, ProjectKind, ProjectPlace};
use store::table::{actors, verdicts, worktrees};
use store::{ClientProcess, Db, Payload, Store, StoreError};

const FEW: u32 = 10_000;
const MANY: u32 = 1_000_000;
/// What is enough to see that it runs.
const FEWER: u32 = 50_000;
/// What the command shows unless told otherwise.
const SHOWN: u64 = 200;
const ACTORS: u32 = 20;
const TOOLS: [&str; 5] = ["Bash", "Read", "Edit", "Grep", "Write"];
/// Of so many events one is denied, and of so many is one about a certain file.
const RARE: u32 = 40;
/// Between two events: a million of them are a month, which is how long they are kept.
const PACE_MS: i64 = 2_500;
const ROOT: &str = "/project";
const DATABASE_WAIT: Duration = Duration::from_secs(10);

/// A store with so many events.
struct Log {
    count: u32,
    store: Store,
    filters: Vec<(&'static str, LogFilter)>,
}

/// Asks both logs in turn.
pub fn run(effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
    let many = if effort.is_quick { FEWER } else { MANY };
    let began = Instant::now();
    let mut logs = Vec::new();
    for count in [FEW, many] {
        logs.push(Log::new(&folder.path().join(format!("{count}.db")), count)?);
    }
    report.line(&format!(
        "\nlogs of {FEW} and {many} events made in {:.0?}",
        began.elapsed()
    ))?;
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..(effort.rounds / 10).max(3) {
        shuffle.order(&mut logs);
        for log in &logs {
            for (name, filter) in &log.filters {
                let (took, shown) = used(|| events::list(&log.store.read(), filter));
                let shown = shown?.len();
                series.add(&name_of(name, log.count), took);
                ensure!(
                    u64::try_from(shown)? == SHOWN,
                    "{name}: {shown} events were listed"
                );
            }
        }
    }
    let heading = format!("the newest {SHOWN} events by one filter, milliseconds; ratio to {FEW}");
    series.show(report, &heading, |name| {
        let filter = name.split(',').next()?;
        series.median(&name_of(filter, FEW))
    })?;
    let names = logs.first().context("there are logs")?.filters.iter();
    let ratios = names.filter_map(|(name, _)| series.ratio(&name_of(name, many), &name_of(name, FEW)));
    let reason = (many < MANY).then(|| format!("of {many} events only"));
    judge(report, target::LOG, ratios.reduce(f64::max), reason);
    Ok(())
}

fn name_of(filter: &str, count: u32) -> String {
    format!("{filter}, of {count}")
}

/// Where and by whom, and when the first event was.
struct Scene {
    project: ProjectId,
    worktree: WorktreeId,
    actors: Vec<ActorId>,
    began: Timestamp,
}

impl Log {
    fn new(path: &Path, count: u32) -> anyhow::Result<Self> {
        let mut store = Store::open(path, DATABASE_WAIT)?;
        let payload = Payload::prepare(br#"{"session_id":"s","hook_event_name":"PreToolUse"}"#, 1 << 16);
        let began = Timestamp(clock::now().0 - PACE_MS * i64::from(count));
        let scene = store.begin()?.only(|db| {
            let scene = Scene::new(db, began)?;
            for number in 0..count {
                scene.happens(db, number, &payload)?;
            }
            Ok::<_, StoreError>(scene)
        })?;
        Ok(Self {
            count,
            filters: filters(&scene, count)?,
            store,
        })
    }
}

/// Each filter alone, and none.
fn filters(scene: &Scene, count: u32) -> anyhow::Result<Vec<(&'static str, LogFilter)>> {
    let glob = Pattern::parse("src/*7.rs").map_err(|_| anyhow::anyhow!("the glob of the bench is none"))?;
    let all = LogFilter {
        project: Some(scene.project),
        limit: SHOWN,
        ..LogFilter::default()
    };
    let with = |set: &dyn Fn(&mut LogFilter)| {
        let mut filter = all.clone();
        set(&mut filter);
        filter
    };
    let half = Timestamp(scene.began.0 + PACE_MS * i64::from(count / 2));
    let file = || PathFilter::At {
        whole: format!("{ROOT}/src/file7.rs"),
        inside: Some("src/file7.rs".to_owned()),
    };
    Ok(vec![
        ("no filter", all.clone()),
        ("all projects", with(&|filter| filter.project = None)),
        ("tool", with(&|filter| filter.tools = vec!["Edit".to_owned()])),
        ("agent", with(&|filter| filter.agents = vec![session(7)])),
        ("session", with(&|filter| filter.sessions = vec![session(7)])),
        (
            "event",
            with(&|filter| filter.events = vec!["PostToolUse".to_owned()]),
        ),
        (
            "verdict",
            with(&|filter| filter.verdicts = vec![VerdictKind::Deny]),
        ),
        (
            "silent",
            with(&|filter| filter.verdicts = vec![VerdictKind::Silent]),
        ),
        (
            "policy",
            with(&|filter| filter.policies = vec!["lease".to_owned()]),
        ),
        ("path", with(&|filter| filter.paths = vec![file()])),
        (
            "glob",
            with(&|filter| filter.paths = vec![PathFilter::Like(glob.clone())]),
        ),
        ("since", with(&|filter| filter.since = Some(half))),
        ("until", with(&|filter| filter.until = Some(half))),
    ])
}

impl Scene {
    fn new(db: &Db, began: Timestamp) -> Result<Self, StoreError> {
        let place = ProjectPlace {
            key: format!("{ROOT}/.git").into(),
            root: ROOT.into(),
            kind: ProjectKind::Git,
        };
        let project = projects::ensure(db, &place, began)?;
        let worktree = worktrees::ensure(db, project, Path::new(ROOT), began)?;
        let mut actors = Vec::new();
        for number in 0..ACTORS {
            let key = ActorKey {
                agent_kind: AgentKind::new("claude-code"),
                session: ClientSessionId::new(session(number)),
                agent: None,
            };
            let sighting = actors::Sighting {
                key: &key,
                agent_type: None,
                project: Some(project),
                worktree: Some(worktree),
                cwd: None,
                at: began,
                boot: None,
            };
            actors.push(actors::ensure(db, &sighting)?.id);
        }
        Ok(Self {
            project,
            worktree,
            actors,
            began,
        })
    }

    /// The event with this number: calls of two events each, by agents in turn.
    fn happens(&self, db: &Db, number: u32, payload: &Payload) -> Result<(), StoreError> {
        let call = number / 2;
        let pick = |count: usize| usize::try_from(call).map_or(0, |call| call % count.max(1));
        let file = call % RARE;
        let event = NewEvent {
            delivery: &DeliveryId::new(format!("d{number}")),
            at: Timestamp(self.began.0 + PACE_MS * i64::from(number)),
            project: Some(self.project),
            worktree: Some(self.worktree),
            actor: self.actors.get(pick(self.actors.len())).copied(),
            session: None,
            name: if number.is_multiple_of(2) {
                "PreToolUse"
            } else {
                "PostToolUse"
            },
            tool: TOOLS.get(pick(TOOLS.len())).copied(),
            tool_use_id: Some(&ToolUseId::new(format!("toolu_{call}"))),
            target: Some(&format!("{ROOT}/src/file{file}.rs")),
            input: Some(r#"{"file_path":"src/file.rs"}"#),
            payload,
            client: &ClientProcess { pid: 1, started: 1 },
            prompt_id: None,
            duration_ms: Some(8),
            facts: None,
            degraded: None,
        };
        let seq = events::insert(db, &event)?;
        if number.is_multiple_of(RARE) {
            let record = VerdictRecord {
                policy: "lease",
                verdict: VerdictKind::Deny,
                reason: "src/file.rs is being edited by main@0007".to_owned(),
                applied: true,
                took_us: 12,
            };
            verdicts::insert(db, seq, &record)?;
        }
        Ok(())
    }
}

fn session(number: u32) -> String {
    format!("{number:04x}c0de-0000-4000-8000-000000000000")
}
