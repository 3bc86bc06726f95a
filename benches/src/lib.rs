//! What we claim about speed, side by side with the ways people write hooks today.
//!
//! Builds the release binary, plays agents against it in temporary folders, and leaves nothing behind. Every
//! contender of a table runs once per round, in an order shuffled anew: noise of the machine falls on all of them.

mod arguments;
mod baseline;
mod checkpoints;
mod contender;
mod coordination;
mod counts;
mod guard;
mod load;
mod machine;
mod memory;
mod parallel;
mod payload;
mod peer;
mod processor_time;
mod product;
mod pruning;
mod report;
mod rounds;
mod series;
mod shuffle;
mod stage;
mod stopwatch;
mod target;
mod timing;
mod tool;

use arguments::{Arguments, Effort, Section};
use clap::Parser;
use peer::Peers;
use product::Product;
use report::Report;
use std::process::ExitCode;

/// Measures what the arguments ask for. Fails when a target is missed.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let toprope = product::toprope(arguments.toprope.as_deref())?;
    let peers = Peers::find();
    let mut report = Report::new();
    if let Some(Section::Counts { write, check }) = arguments.section {
        return counts::run(
            &Product::of(toprope, arguments.empty.as_deref())?,
            &peers.path,
            write,
            check,
            &mut report,
        );
    }
    machine::introduce(&peers, &mut report)?;
    let effort = arguments.effort();
    if !matches!(arguments.section, Some(Section::Checkpoints | Section::Guard)) {
        let product = Product::of(toprope.clone(), arguments.empty.as_deref())?;
        hooks(arguments, &product, &peers, &effort, &mut report)?;
        if arguments.wants(&Section::Coordination) {
            coordination::run(&product, &peers, &effort, &mut report)?;
        }
    }
    if arguments.wants(&Section::Checkpoints) {
        checkpoints::run(&toprope, &peers.path, &effort, &mut report)?;
    }
    if arguments.wants(&Section::Guard) {
        guard::run(&toprope, &peers.path, &effort, &mut report)?;
    }
    machine::load_now(&mut report)?;
    report.conclude()
}

/// The parts about hooks and the daemon that answers them.
fn hooks(
    arguments: &Arguments,
    product: &Product,
    peers: &Peers,
    effort: &Effort,
    report: &mut Report,
) -> anyhow::Result<()> {
    if arguments.wants(&Section::Hook) {
        rounds::run(product, peers, effort, report)?;
    }
    if arguments.wants(&Section::Parallel) {
        parallel::run(product, &peers.path, effort, report)?;
    }
    if arguments.wants(&Section::Load) {
        load::run(product, &peers.path, effort, report)?;
        pruning::run(product, &peers.path, effort, report)?;
    }
    if arguments.wants(&Section::Memory) {
        memory::run(product, &peers.path, effort, report)?;
    }
    Ok(())
}
