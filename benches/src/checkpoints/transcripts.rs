//! Transcripts: a tail beside the whole file, how much of a session's file is read in all, and what memory that takes.

use super::{Plan, judge};
use crate::product::workspace;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use agents::Agent;
use anyhow::{Context, ensure};
use daemon::transcript::{Chunks, Cursor, Slice, TranscriptPath};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const LONG: u64 = 200_000_000;
const SHORT: u64 = 20_000_000;
/// With few rounds, a file of this length stands for the long one.
const QUICK: u64 = 40_000_000;
const TAIL: u64 = 64 * 1024;
/// Turns of the session that is read as it grows.
const TURNS: u32 = 400;
/// What is behind every text of the client's that samples leave out.
const FILLER: usize = 600;
const AGENT: &str = "claude-code";

/// Reads the end of a long file and all of it, then a session as it grows.
pub fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
    let agent = agents::by_name(AGENT).context("an agent of the bench is not known")?;
    let sample = Sample::recorded()?;
    let (short, long) = (
        folder.path().join("short.jsonl"),
        folder.path().join("long.jsonl"),
    );
    sample.write(&short, if plan.is_quick { QUICK / 10 } else { SHORT })?;
    let length = sample.write(&long, if plan.is_quick { QUICK } else { LONG })?;
    memory(agent, [&short, &long], report)?;
    tail(plan, agent, (&long, length), report)?;
    growing(agent, &sample, &folder.path().join("growing.jsonl"), report)
}

fn tail(
    plan: &Plan,
    agent: &dyn Agent,
    (path, length): (&Path, u64),
    report: &mut Report,
) -> anyhow::Result<()> {
    let end = read_all(agent, path, &Cursor::default())?.0;
    let mut from = end.clone();
    from.place.offset = line_start(path, length.saturating_sub(TAIL))?;
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    let (all, last) = ("all of it", "its last 64 kB");
    for _ in 0..plan.rounds(30) {
        let mut order = [true, false];
        shuffle.order(&mut order);
        for is_all in order {
            let from = if is_all { &Cursor::default() } else { &from };
            let began = Instant::now();
            let (cursor, _) = read_all(agent, path, from)?;
            series.add(if is_all { all } else { last }, began.elapsed());
            ensure!(cursor.place == end.place, "reading did not come to the same end");
        }
    }
    let heading = format!("reading a transcript of {} MB, milliseconds", length / 1_000_000);
    series.show(report, &heading, |_| series.median(last))?;
    let reason = (length < LONG).then(|| format!("a file of {} MB", length / 1_000_000));
    judge(report, target::TAIL, series.ratio(all, last), reason);
    Ok(())
}

/// A session that is read after every turn, each time while a line is still being written.
fn growing(agent: &dyn Agent, sample: &Sample, path: &Path, report: &mut Report) -> anyhow::Result<()> {
    let source = TranscriptPath { path, folder: None };
    let mut file = File::create(path)?;
    let mut cursor = Cursor::default();
    let (mut read, mut kept) = (0, 0);
    for turn in 0..TURNS {
        let text = sample.turn(turn);
        let (whole, rest) = text.as_bytes().split_at(text.len() - 100);
        for part in [whole, rest] {
            file.write_all(part)?;
            let (next, bytes) = read_all(agent, path, &cursor)?;
            read += bytes;
            if next.place.offset > kept {
                for chunk in Chunks::open(&source, kept, next.place.offset)? {
                    kept += u64::try_from(chunk?.bytes.len())?;
                }
            }
            cursor = next;
        }
    }
    let length = file.metadata()?.len();
    ensure!(
        cursor.place.offset == length && kept == length,
        "a session was not read to its end"
    );
    let rows = [
        vec!["for what it says".to_owned(), read.to_string(), by(read, length)],
        vec!["to keep it".to_owned(), kept.to_string(), by(kept, length)],
    ];
    let heading = format!("bytes read in a session of {TURNS} turns that comes to {length}");
    report.table(&heading, &["", "bytes", "/ its length"], &rows)?;
    judge(
        report,
        target::SESSION_BYTES,
        Some(number(read)? / number(length)?),
        None,
    );
    Ok(())
}

/// What reading a long file takes more than reading a short one.
fn memory(agent: &dyn Agent, paths: [&Path; 2], report: &mut Report) -> anyhow::Result<()> {
    let mut peaks = Vec::new();
    for path in paths {
        // From here on the system counts anew.
        if fs_err::write("/proc/self/clear_refs", "5").is_err() {
            return report.line("skipped: this system does not tell the most memory a process had");
        }
        read_all(agent, path, &Cursor::default())?;
        peaks.push(peak()?);
    }
    let [short, long] = peaks.as_slice() else {
        return Ok(());
    };
    let rows = [
        vec!["short".to_owned(), short.to_string()],
        vec!["ten times as long".to_owned(), long.to_string()],
    ];
    report.table(
        "most memory while reading a transcript, kilobytes",
        &["", "kB"],
        &rows,
    )?;
    judge(
        report,
        target::TRANSCRIPT_MEMORY,
        Some(number(long.saturating_sub(*short))? / 1000.0),
        None,
    );
    Ok(())
}

/// Reads from a cursor to the end. Returns where that is, and how many bytes were read.
fn read_all(agent: &dyn Agent, path: &Path, from: &Cursor) -> anyhow::Result<(Cursor, u64)> {
    let source = TranscriptPath { path, folder: None };
    let mut cursor = from.clone();
    let mut bytes = 0;
    loop {
        let slice = Slice::read(agent, &source, &cursor, false)?;
        ensure!(
            slice.skipped == daemon::transcript::SkippedLines::default(),
            "lines were passed over"
        );
        bytes += slice.bytes_read;
        cursor = slice.cursor;
        if !slice.has_more {
            return Ok((cursor, bytes));
        }
    }
}

/// The recorded session, whose lines are said again and again.
struct Sample(String);

impl Sample {
    fn recorded() -> anyhow::Result<Self> {
        let path = "tests/real-client/samples/transcripts/simple-edit/project_slug/uuid-1.jsonl";
        let text = fs_err::read_to_string(workspace().join(path))?;
        Ok(Self(text.replace(
            "{{client text}}",
            &"what a client says. ".repeat(FILLER / 20),
        )))
    }

    /// The session with ids of its own.
    fn turn(&self, number: u32) -> String {
        self.0
            .replace("{{uuid-1}}", "0b5b0d1e-52a4-4c55-9f0f-3c2a9d6e7f10")
            .replace("{{uuid-", &format!("{number:08}-"))
            .replace("msg_mock_", &format!("msg_{number:08}_"))
    }

    /// Writes turns until the file is so long. Returns how long it is.
    fn write(&self, path: &Path, length: u64) -> anyhow::Result<u64> {
        let mut file = BufWriter::new(File::create(path)?);
        let (mut written, mut number) = (0, 0);
        while written < length {
            let turn = self.turn(number);
            file.write_all(turn.as_bytes())?;
            written += u64::try_from(turn.len())?;
            number += 1;
        }
        file.flush()?;
        Ok(written)
    }
}

/// Where the first line after an offset begins.
fn line_start(path: &Path, offset: u64) -> anyhow::Result<u64> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; usize::try_from(TAIL)?];
    let read = File::open(path)?.read_at(&mut bytes, offset)?;
    let end = bytes.iter().take(read).position(|byte| *byte == b'\n');
    let end = end.context("a line of the bench is longer than a tail")?;
    Ok(offset + u64::try_from(end)? + 1)
}

/// The most memory this process had, in kilobytes.
fn peak() -> anyhow::Result<u64> {
    let text = fs_err::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kilobytes.context("the system does not tell")?.trim().parse()?)
}

fn number(value: u64) -> anyhow::Result<f64> {
    Ok(f64::from(u32::try_from(value)?))
}

fn by(bytes: u64, length: u64) -> String {
    format!(
        "{:.3}",
        Duration::from_secs(bytes).as_secs_f64() / Duration::from_secs(length).as_secs_f64()
    )
}
