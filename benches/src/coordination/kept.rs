//! What a session adds to the database beside the payloads that are kept in it.

use super::agent::{Agent, Calls};
use super::{SETTINGS, judge};
use crate::arguments::Effort;
use crate::report::Report;
use crate::stage::Stage;
use crate::target;
use anyhow::ensure;
use serde_json::json;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use store::table::payloads;

/// Calls before the first look: tables that are empty have a page all the same.
const FIRST: u32 = 100;
const CALLS: u32 = 900;
/// Bytes that a call reads, writes or prints, in turn; short ones are most of them.
const LENGTHS: [usize; 8] = [80, 400, 1_200, 150, 3_000, 700, 9_000, 250];

/// What a database weighs.
struct Weight {
    all: u64,
    /// Payloads that can be read back, and what they are packed into.
    payloads: u64,
    packed: u64,
    events: u64,
}

/// A session of calls as agents make them, all of which pass.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    stage.settle(SETTINGS)?;
    let mut agent = Agent::new(&stage, 1);
    let calls = if effort.is_quick { CALLS / 3 } else { CALLS };
    agent.works(&stage, toprope, 0..FIRST)?;
    let before = Weight::of(&stage)?;
    agent.works(&stage, toprope, FIRST..FIRST + calls)?;
    let after = Weight::of(&stage)?;
    let events = after.events - before.events;
    ensure!(
        events >= u64::from(2 * calls),
        "events of the bench were not kept"
    );
    let (all, payloads) = (after.all - before.all, after.payloads - before.payloads);
    let packed = after.packed - before.packed;
    let each = |bytes: u64| (bytes / events.max(1)).to_string();
    report.table(
        "what an event of a session adds to the database, bytes",
        &["", "payload", "packed", "all", "beside it", "all / packed"],
        &[vec![
            format!("{events} events"),
            each(payloads),
            each(packed),
            each(all),
            each(all.saturating_sub(packed)),
            format!("{:.2}x", bytes(all) / bytes(packed).max(1.0)),
        ]],
    )?;
    let ratio = bytes(all) / bytes(payloads).max(1.0);
    judge(report, target::LOG_SIZE, Some(ratio), None);
    Ok(())
}

fn bytes(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Weight {
    /// With its daemon gone, so that everything is in the one file.
    fn of(stage: &Stage) -> anyhow::Result<Self> {
        stage.stop_daemon()?;
        let all = fs_err::metadata(stage.home().database())?.len();
        let store = stage.store()?;
        let (payloads, packed) = payloads::bytes(&store.read())?;
        Ok(Self {
            all,
            payloads,
            packed,
            events: stage.recorded()?,
        })
    }
}

impl Agent<'_> {
    fn works(&mut self, stage: &Stage, toprope: &Path, calls: std::ops::Range<u32>) -> anyhow::Result<()> {
        self.is_asked(toprope)?;
        for number in calls {
            let tool = ["Bash", "Read", "Edit", "Bash", "Write"]
                .iter()
                .cycle()
                .nth(usize::try_from(number)? % 5);
            let (mut before, mut after) = {
                let tool = tool.copied().unwrap_or_default();
                (
                    self.recorded("PreToolUse", tool)?,
                    self.recorded("PostToolUse", tool)?,
                )
            };
            let text = text(number);
            let file = stage.project().join(format!("src/file{}.rs", number % 60));
            let told = [
                ("/tool_input/file_path", json!(file)),
                ("/tool_response/filePath", json!(file)),
                ("/tool_response/file/filePath", json!(file)),
                (
                    "/tool_input/command",
                    json!(format!("cargo test -p part{number} --lib")),
                ),
                ("/tool_input/content", json!(text)),
                ("/tool_response/stdout", json!(text)),
                ("/tool_response/content", json!(text)),
                ("/tool_response/originalFile", json!(text)),
                ("/tool_response/file/content", json!(text)),
            ];
            for (place, value) in told {
                for event in [&mut before, &mut after] {
                    if let Some(found) = event.pointer_mut(place) {
                        *found = value.clone();
                    }
                }
            }
            self.writes(&Calls::of(&before, &after))?;
        }
        Ok(())
    }
}

/// Lines as programs print them.
fn text(number: u32) -> String {
    let length = LENGTHS
        .iter()
        .cycle()
        .nth(usize::try_from(number).unwrap_or_default() % LENGTHS.len());
    let mut text = String::new();
    let mut line = number;
    while text.len() < length.copied().unwrap_or_default() {
        line = line.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "test part::case_{line:08x} ... ok in {} ms", line % 977);
    }
    text
}
