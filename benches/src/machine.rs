//! What the numbers were measured on: the machine, how busy it is, the versions of everything that takes part.

use crate::peer::Peers;
use crate::report::Report;
use std::process::Command;
use std::thread::available_parallelism;

/// The first lines of every run.
pub fn introduce(peers: &Peers, report: &mut Report) -> anyhow::Result<()> {
    let cores = available_parallelism().map_or(0, usize::from);
    let kernel = said("uname", &["-sr"]).unwrap_or_else(|| "unknown system".to_owned());
    report.line(&format!("machine   {cores} cores, {}, {kernel}", processor()))?;
    let folder = std::env::temp_dir();
    let filesystem = said("stat", &["-f", "-c", "%T", &folder.display().to_string()]);
    report.line(&format!(
        "state in  {} ({})",
        folder.display(),
        filesystem.unwrap_or_else(|| "unknown".to_owned())
    ))?;
    report.line(&format!("toprope   {}, {}", env!("CARGO_PKG_VERSION"), rustc()))?;
    let git = said("git", &["--version"]).unwrap_or_else(|| "git unknown".to_owned());
    report.line(&format!("git       {}", git.trim_start_matches("git version ")))?;
    report.line(&format!("peers     {}", peers.versions.join(", ")))?;
    for missing in &peers.missing {
        report.line(&format!("skipped: {missing} (not installed)"))?;
    }
    load_now(report)
}

/// How busy the machine is. Medians of a busy machine compare; its absolute times say little.
pub fn load_now(report: &mut Report) -> anyhow::Result<()> {
    let text = fs_err::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages: Vec<&str> = text.split(' ').take(3).collect();
    report.line(&format!(
        "load      {}",
        if text.is_empty() {
            "unknown".to_owned()
        } else {
            averages.join(" ")
        }
    ))
}

/// The compiler everything is built with.
pub fn rustc() -> String {
    said("rustc", &["--version"]).unwrap_or_else(|| "rustc unknown".to_owned())
}

fn processor() -> String {
    let text = fs_err::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name"));
    model.map_or_else(
        || "unknown processor".to_owned(),
        |model| model.trim_start_matches([' ', '\t', ':']).to_owned(),
    )
}

/// The first line a program prints.
pub fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    String::from_utf8(output.stdout)
        .ok()?
        .lines()
        .next()
        .map(str::to_owned)
}
