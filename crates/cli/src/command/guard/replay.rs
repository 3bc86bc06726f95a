//! `toprope guard replay`: judges recorded calls again with what was known then, and says what would be different.

use super::recorded::{POLICY, facts};
use super::terms::rule_file;
use crate::command::log::when::LogMoment;
use crate::failure::Failure;
use crate::{here, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::pipeline::PipelineContext;
use ::daemon::pipeline::guard::RecordedCommand;
use clap::Args;
use engine::policy::guard::{Judged, Ruling, message};
use engine::text::one_line;
use engine::verdict::VerdictKind;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use store::table::verdicts::{self, RecordedCall, ReplayFilter};

/// The client's name of the event before a call.
const BEFORE: &str = "PreToolUse";
/// Tools whose calls the guard judges, beside those the settings add.
const TOOLS: [&str; 10] = [
    "Bash",
    "Monitor",
    "PowerShell",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "Grep",
    "Glob",
];

/// Judge recorded calls again, and say what would be different
///
/// With what was known then, and the rules of now: newly stopped, newly passed, another rule. Try a change of rules on what
/// really happened before it is in force. Writes nothing.
#[derive(Args)]
pub struct ReplayArgs {
    /// Calls since then
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = LogMoment::parse)]
    since: LogMoment,
    /// Calls of one session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Candidate rules on top of those in force
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Exit with 1 if anything would be different
    #[arg(long)]
    fail_on_change: bool,
    /// One JSON object per difference
    #[arg(long)]
    json: bool,
}

/// How a call would be judged differently.
#[derive(Serialize)]
struct ReplayDifference {
    event: i64,
    change: &'static str,
    command: String,
    was: String,
    now: String,
}

#[derive(Default)]
struct Account {
    judged: u64,
    unknown: u64,
    changes: Vec<ReplayDifference>,
    rules: BTreeMap<String, u64>,
}

impl ReplayArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let candidate = self.rules.as_ref().map(rule_file).transpose()?;
        let home = Home::of(environment);
        let world = PipelineContext::new(home.clone(), environment);
        let mut account = Account::default();
        if let Some(store) = here::store(&home)? {
            let db = store.snapshot()?;
            verdicts::each(&db, &self.filter(&world), |recorded| {
                account.take(&recorded, &world, candidate.as_ref(), environment);
                ControlFlow::Continue(())
            })?;
        }
        account.show(self.json)?;
        Ok(if self.fail_on_change && !account.changes.is_empty() {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }

    fn filter(&self, world: &PipelineContext) -> ReplayFilter {
        let added = world.settings_of_user().guard.shell_tools.into_keys();
        ReplayFilter {
            event: BEFORE.to_owned(),
            tools: TOOLS.map(str::to_owned).into_iter().chain(added).collect(),
            policy: POLICY.to_owned(),
            since: Some(self.since.moment(clock::now(), &TimeZone::system())),
            session: self.session.clone(),
            project: None,
        }
    }
}

impl Account {
    fn take(
        &mut self,
        recorded: &RecordedCall,
        world: &PipelineContext,
        candidate: Option<&(String, String)>,
        environment: &Environment,
    ) {
        let payload = recorded.payload.as_ref().filter(|payload| !payload.is_clipped());
        let Some(payload) = payload.and_then(|payload| payload.bytes().ok()) else {
            self.unknown += 1;
            return;
        };
        let known = facts(recorded.verdict.as_ref(), recorded.answers.as_deref());
        // What a verdict rests on may have been too much to keep.
        let is_lost = known.is_none() && (recorded.verdict.is_some() || recorded.answers.is_some());
        let memoir = RecordedCommand {
            payload: &payload,
            at: recorded.at,
            facts: known.as_ref(),
            candidate,
        };
        let again = world.judge_again(&memoir, environment).filter(|_| !is_lost);
        let Some(again) = again else {
            self.unknown += 1;
            return;
        };
        self.judged += 1;
        for rule in again.judged.rules() {
            *self.rules.entry(rule.to_owned()).or_default() += 1;
        }
        self.compare(recorded, &again.judged);
    }

    fn compare(&mut self, recorded: &RecordedCall, judged: &Judged) {
        let said = recorded.verdict.as_ref();
        let was = said.map_or(VerdictKind::Silent, |said| said.verdict.verdict);
        let now = kind(judged.ruling);
        let old_rule = said
            .filter(|_| was != VerdictKind::Silent)
            .and_then(|said| said.detail.rule_id.as_deref());
        let rules = judged.rules();
        let same_rule = old_rule.is_none_or(|rule| rules.contains(&rule));
        let change = match (stops(was), stops(now)) {
            (false, true) => "newly stopped",
            (true, false) => "newly passed",
            _ if was != now => "another verdict",
            _ if !same_rule => "another rule",
            _ => return,
        };
        self.changes.push(ReplayDifference {
            event: recorded.event.0,
            change,
            command: message::command(&judged.command),
            was: named(was, old_rule),
            now: named(now, rules.first().copied()),
        });
    }

    fn show(&self, json: bool) -> Result<(), Failure> {
        for change in &self.changes {
            if json {
                show::json(change)?;
                continue;
            }
            show::line(&format!(
                "{}  {:<15}  {}  {} -> {}",
                change.event,
                change.change,
                one_line(&change.command, 120),
                change.was,
                change.now
            ));
        }
        if json {
            return Ok(());
        }
        let times = |count: u64| message::count(count, "time", "times");
        for (rule, count) in &self.rules {
            show::line(&format!("{rule}  {}", times(*count)));
        }
        let unknown = match self.unknown {
            0 => String::new(),
            count => format!(", {count} not kept whole"),
        };
        show::line(&format!(
            "{} judged again, {} different{unknown}",
            message::count(self.judged, "call", "calls"),
            self.changes.len()
        ));
        Ok(())
    }
}

fn named(kind: VerdictKind, rule: Option<&str>) -> String {
    match rule.filter(|_| kind != VerdictKind::Silent) {
        Some(rule) => format!("{} {rule}", kind.as_str()),
        None => kind.as_str().to_owned(),
    }
}

fn stops(kind: VerdictKind) -> bool {
    matches!(kind, VerdictKind::Deny | VerdictKind::Ask)
}

fn kind(ruling: Ruling) -> VerdictKind {
    match ruling {
        Ruling::Silent => VerdictKind::Silent,
        Ruling::Advise => VerdictKind::Advise,
        Ruling::Rewrite => VerdictKind::Rewrite,
        Ruling::Ask => VerdictKind::Ask,
        Ruling::OneStrike | Ruling::Deny => VerdictKind::Deny,
    }
}
