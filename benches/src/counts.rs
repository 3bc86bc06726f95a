//! Instructions instead of milliseconds: callgrind counts the same on a busy machine as on a quiet one.

use crate::baseline::{Baseline, Change};
use crate::load;
use crate::machine;
use crate::product::Product;
use crate::report::Report;
use crate::stage::Stage;
use anyhow::{Context, ensure};
use daemon::client;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// What test runners take for "not run here, and here is why".
const SKIPPED: u8 = 77;
/// Keeps the C library from choosing wider or narrower string functions by the processor it meets.
const TUNABLES: &str =
    "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-BMI1,-BMI2,-ERMS,-FSRM,-MOVBE,-LZCNT,-RTM";
/// Each count is the middle one of so many.
const SAMPLES: usize = 5;
/// The daemon's count is the difference between a short and a long life, by the events between them.
const LIVES: (u64, u64) = (50, 150);
/// A daemon under callgrind takes its time.
const PATIENCE: Duration = Duration::from_mins(1);

/// Counts, and prints, writes or checks.
pub fn run(
    product: &Product,
    path: &OsStr,
    write: bool,
    check: bool,
    report: &mut Report,
) -> anyhow::Result<ExitCode> {
    let Some(valgrind) = machine::said("valgrind", &["--version"]) else {
        return skip(report, "valgrind is not installed");
    };
    let known = Baseline::read()?;
    let rustc = machine::rustc();
    if let Some(known) = known.as_ref().filter(|known| check && known.rustc != rustc) {
        return skip(
            report,
            &format!("the baseline is of {}, this is {rustc}", known.rustc),
        );
    }
    let libc = machine::said("getconf", &["GNU_LIBC_VERSION"]).unwrap_or_else(|| "unknown".to_owned());
    let counted = Baseline {
        rustc,
        valgrind,
        libc,
        glibc_tunables: TUNABLES.to_owned(),
        instructions: count(product, path)?,
    };
    report.line(&format!(
        "{}, {}, {}",
        counted.rustc, counted.valgrind, counted.libc
    ))?;
    let regressed = show(&counted, known.as_ref(), report)?;
    if write {
        counted.write()?;
        report.line("written to benches/baseline.json")?;
        return Ok(ExitCode::SUCCESS);
    }
    if check {
        ensure!(
            known.is_some(),
            "there is no baseline; `counts --write` makes one"
        );
        report.line(if regressed { "FAIL" } else { "PASS" })?;
        return Ok(if regressed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        });
    }
    Ok(ExitCode::SUCCESS)
}

fn skip(report: &mut Report, why: &str) -> anyhow::Result<ExitCode> {
    report.line(&format!("SKIP instruction counts: {why}"))?;
    Ok(ExitCode::from(SKIPPED))
}

/// Prints counts beside the baseline; tells whether one of them is a regression.
fn show(counted: &Baseline, known: Option<&Baseline>, report: &mut Report) -> anyhow::Result<bool> {
    let mut regressed = false;
    let rows: Vec<Vec<String>> = counted
        .instructions
        .iter()
        .map(|(what, count)| {
            let change = known.map_or(Change::New, |known| known.compare(what, *count));
            regressed |= change == Change::Higher;
            let remark = match change {
                Change::Same => "within tolerance",
                Change::Higher => "higher: a regression",
                Change::Lower => "lower: make it the baseline with `counts --write`",
                Change::New => "no baseline",
            };
            let before = known
                .and_then(|known| known.instructions.get(what))
                .map_or("-".to_owned(), u64::to_string);
            vec![what.clone(), count.to_string(), before, remark.to_owned()]
        })
        .collect();
    report.table("instructions", &["", "now", "baseline", ""], &rows)?;
    Ok(regressed)
}

fn count(product: &Product, path: &OsStr) -> anyhow::Result<BTreeMap<String, u64>> {
    let client = middle(|| client(product, path))?;
    let fallback = middle(|| fallback(product, path))?;
    let request = request(product, path)?;
    let named = [
        ("client, daemon running", client),
        ("daemon, one request", request),
        ("whole hook in its own process", fallback),
    ];
    Ok(named
        .into_iter()
        .map(|(what, count)| (what.to_owned(), count))
        .collect())
}

fn middle(mut count: impl FnMut() -> anyhow::Result<u64>) -> anyhow::Result<u64> {
    let mut counts = (0..SAMPLES)
        .map(|_| count())
        .collect::<anyhow::Result<Vec<_>>>()?;
    counts.sort_unstable();
    counts.get(SAMPLES / 2).copied().context("nothing was counted")
}

/// The hook's own process when a daemon answers.
fn client(product: &Product, path: &OsStr) -> anyhow::Result<u64> {
    let stage = Stage::new(path)?;
    load::start(&stage, product)?;
    hook_under_callgrind(&stage, &product.toprope, &[])
}

/// The hook that does everything itself, with a database that is already there.
fn fallback(product: &Product, path: &OsStr) -> anyhow::Result<u64> {
    let stage = Stage::new(path)?;
    let alone = [("TOPROPE_DAEMON", "never")];
    let mut first = stage.command(&product.toprope, &["hook", "claude-code"]);
    crate::stopwatch::run(first.envs(alone), &stage.payloads().before(0))?;
    hook_under_callgrind(&stage, &product.toprope, &alone)
}

fn hook_under_callgrind(stage: &Stage, program: &Path, variables: &[(&str, &str)]) -> anyhow::Result<u64> {
    let (mut command, counts) = under_callgrind(stage, program, &["hook", "claude-code"]);
    command.arg(client::STATE_FOLDER).arg(stage.home().folder());
    command.envs(variables.iter().copied());
    crate::stopwatch::run(&mut command, &stage.payloads().before(1))?;
    total(&counts)
}

/// One request in the daemon: what a longer life costs more than a shorter one, by the events it had more.
fn request(product: &Product, path: &OsStr) -> anyhow::Result<u64> {
    let (short, long) = LIVES;
    let more = life(product, path, long)?.saturating_sub(life(product, path, short)?);
    Ok(more / (2 * (long - short)))
}

fn life(product: &Product, path: &OsStr, calls: u64) -> anyhow::Result<u64> {
    let stage = Stage::new(path)?;
    let (mut command, counts) = under_callgrind(&stage, &product.toprope, &["daemon", "run"]);
    let mut daemon = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let lived = stage
        .wait_for_daemon(PATIENCE)
        .and_then(|_| load::storm(&stage, 1, 1, calls));
    if lived.is_err() {
        // Nothing else would end it.
        let _ = daemon.kill();
    }
    let left = stage.stop_daemon();
    daemon.wait()?;
    lived?;
    left?;
    total(&counts)
}

fn under_callgrind(stage: &Stage, program: &Path, arguments: &[&str]) -> (Command, PathBuf) {
    let counts = stage.file("callgrind.out");
    let mut command = stage.command(Path::new("valgrind"), &["--tool=callgrind", "--quiet"]);
    command
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(program)
        .args(arguments);
    command.env("GLIBC_TUNABLES", TUNABLES);
    (command, counts)
}

fn total(counts: &Path) -> anyhow::Result<u64> {
    let text = fs_err::read_to_string(counts)?;
    let total = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
    Ok(total.context("callgrind wrote no total")?.trim().parse()?)
}
