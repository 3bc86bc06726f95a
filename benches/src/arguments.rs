//! What is asked for on the command line.

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Measures the hook, the daemon and the alternatives, side by side
#[derive(Parser)]
#[command(name = "bench", max_term_width = 100)]
pub struct Arguments {
    /// What to measure; everything but the instruction counts if left out
    #[command(subcommand)]
    pub section: Option<Section>,
    /// Few rounds: to see that everything runs, not to judge
    #[arg(long, global = true)]
    quick: bool,
    /// Rounds of the interleaved run
    #[arg(long, global = true, value_name = "N")]
    rounds: Option<u32>,
    /// Only contenders whose name contains this, of checkpoints, guard and coordination: only these parts; can be given several times
    #[arg(long, global = true, value_name = "NAME")]
    only: Vec<String>,
    /// Leave out repositories with more files
    #[arg(long, global = true, value_name = "FILES")]
    largest: Option<u32>,
    /// Measure this binary instead of building one: to compare two builds
    #[arg(long, global = true, value_name = "PATH")]
    pub toprope: Option<PathBuf>,
    /// Start this program as the empty process instead of building one
    #[arg(long, global = true, value_name = "PATH")]
    pub empty: Option<PathBuf>,
    /// Given by `cargo bench`; means nothing
    #[arg(long, global = true, hide = true)]
    bench: bool,
}

/// One part of the run.
#[derive(Subcommand, Clone, PartialEq, Eq)]
pub enum Section {
    /// The hook warm, cold, in its own process and switched off, and the peers, in interleaved rounds
    Hook,
    /// 1, 8, 32 and 128 hook processes at a time, and whether an event was lost
    Parallel,
    /// The daemon behind its socket, without processes in between
    Load,
    /// What the daemon keeps in memory
    Memory,
    /// Checkpoints beside git's own commands, and in repositories of 1,000 to 100,000 files. Parts: known, git, scan,
    /// rewind, size, reply, transcript, linking, listing
    Checkpoints,
    /// Reading and judging commands, also those made to be slow. Parts: daemon, hook, sizes, rules, growth, data, hostile,
    /// questions, loading
    Guard,
    /// Leases, what files hold, the log, skills and the project's structure. Parts: leases, seen, actors, script, hook,
    /// structure, skills, log
    Coordination,
    /// Instructions, by callgrind: the same everywhere, however busy the machine is
    Counts {
        /// Make this the committed baseline
        #[arg(long, conflicts_with = "check")]
        write: bool,
        /// Compare with the committed baseline
        #[arg(long)]
        check: bool,
    },
}

/// How much is run.
pub struct Effort {
    /// Rounds of the interleaved run.
    pub rounds: u32,
    /// Calls, of two events each, by all parallel clients together.
    pub calls: u64,
    /// Calls, of two events each, that one socket client makes.
    pub socket_calls: u64,
    /// Contenders that take part; empty for all.
    pub only: Vec<String>,
    /// Repositories with more files are left out.
    pub largest: u32,
    /// To see that everything runs.
    pub is_quick: bool,
}

impl Arguments {
    /// Whether a part belongs to this run.
    pub fn wants(&self, section: &Section) -> bool {
        self.section.as_ref().is_none_or(|wanted| wanted == section)
    }

    /// How much is run.
    pub fn effort(&self) -> Effort {
        let (rounds, calls, socket_calls) = if self.quick {
            (20, 128, 250)
        } else {
            (300, 1024, 4000)
        };
        Effort {
            rounds: self.rounds.unwrap_or(rounds).max(1),
            calls,
            socket_calls,
            only: self.only.clone(),
            largest: self.largest.unwrap_or(if self.quick { 10_000 } else { u32::MAX }),
            is_quick: self.quick,
        }
    }
}

impl Effort {
    /// Whether a contender takes part.
    pub fn includes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.contains(only.as_str()))
    }
}
