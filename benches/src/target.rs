//! The speed we hold ourselves to: every target in one list, and how a measurement stands against it.

/// What may not be exceeded, or must be reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Not more than this.
    AtMost(f64),
    /// Not less than this.
    AtLeast(f64),
}

/// One target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// What is measured.
    pub what: &'static str,
    limit: Limit,
    unit: &'static str,
}

const fn at_most(what: &'static str, limit: f64, unit: &'static str) -> Target {
    Target {
        what,
        limit: Limit::AtMost(limit),
        unit,
    }
}

const fn at_least(what: &'static str, limit: f64, unit: &'static str) -> Target {
    Target {
        what,
        limit: Limit::AtLeast(limit),
        unit,
    }
}

/// A hook before a command that only reads.
pub const WARM_READ: Target = at_most("warm hook, reading / empty process", 1.6, "x");
/// The warm hook against an empty process.
pub const WARM: Target = at_most("warm hook / empty process", 1.6, "x");
/// A hook of a project that is switched off against an empty process.
pub const DISABLED: Target = at_most("disabled project / empty process", 1.2, "x");
/// The decision in the hook's own process against the warm hook.
pub const FALLBACK: Target = at_most("in-process fallback / warm hook", 6.0, "x");
/// Six calls of jq against the hook.
pub const BASH_JQ: Target = at_least("bash with 6 jq / warm hook (sh -c)", 15.0, "x");
/// Python with a database against the hook.
pub const PYTHON_SQLITE: Target = at_least("python with sqlite / warm hook (sh -c)", 14.0, "x");
/// Node against the hook.
pub const NODE: Target = at_least("node / warm hook (sh -c)", 45.0, "x");
/// The slowest of a hundred hooks while eight run at a time.
pub const EIGHT_CLIENTS: Target = at_most("hook p99 with 8 parallel clients", 10.0, " ms");
/// Events that were answered and are not in the database.
pub const LOST: Target = at_most("events lost by parallel clients", 0.0, "");
/// Events that were answered over the socket and are not in the database.
pub const LOST_BY_SOCKET: Target = at_most("events lost by socket clients", 0.0, "");
/// The daemon's decision, from socket to socket, with one committed transaction.
pub const DECISION: Target = at_most("daemon decision p50, 1 client", 0.3, " ms");
/// What the daemon decides under load.
pub const THROUGHPUT: Target = at_least("daemon events per second, 32 clients", 10_000.0, "/s");
/// Events while the log is pruned against events while it may grow, the slowest of a hundred.
pub const PRUNING: Target = at_most("event p99, log pruned / not", 1.5, "x");
/// How long an event waits at most while the log is pruned.
pub const PRUNING_LONGEST: Target = at_most("longest event while the log is pruned", 20.0, " ms");
/// How long the write-ahead log grows while the log is pruned.
pub const PRUNING_LOG: Target = at_most("write-ahead log while the log is pruned", 64.0, " MB");
/// The daemon's memory when nothing happens.
pub const RESIDENT: Target = at_most("daemon idle, resident", 30.0, " MB");

/// A checkpoint of one file, in the largest repository against the smallest.
pub const KNOWN_BY_SIZE: Target = at_most("checkpoint of 1 file, 100,000 files / 1,000", 2.0, "x");
/// A checkpoint of seventy files against one of one, in the repository where that is worst.
pub const KNOWN_BY_CHANGES: Target = at_most("checkpoint of 70 files / of 1", 25.0, "x");
/// Git's commands for a known path against a checkpoint.
pub const KNOWN_PATHS_10K: Target = at_least("git, known path / checkpoint, 10,000 files", 15.0, "x");
/// The same in the largest repository.
pub const KNOWN_PATHS_100K: Target = at_least("git, known path / checkpoint, 100,000 files", 50.0, "x");
/// Git's commands for whatever changed against a checkpoint.
pub const ADD_ALL_100K: Target = at_least("git add -A / checkpoint, 100,000 files", 100.0, "x");
/// A look at the worktree against git's own, in the repository where that is worst.
pub const SCAN: Target = at_most("look at the worktree / git status", 1.3, "x");
/// A rewind against a look and three times writing the files, where that is worst.
pub const REWIND: Target = at_most("rewind / (look + 3 x writing the files)", 1.0, "x");
/// The hook of a shell command with checkpoints on against off.
pub const REPLY: Target = at_most("hook before a command, checkpoints on / off", 1.1, "x");
/// The hook of a prompt, which waits for no look.
pub const PROMPT: Target = at_most("hook of a prompt, checkpoints on / off", 1.1, "x");
/// The hook before a write of a file whose content is kept first.
pub const PRE_IMAGE: Target = at_most("hook before a write of 10 kB, on / off", 1.5, "x");
/// What the shadow keeps of the same edits, in the largest repository against the smallest.
pub const SHADOW_BY_SIZE: Target = at_most("shadow after tidying, 100,000 files / 1,000", 1.5, "x");
/// What turns without changes add to the shadow.
pub const IDLE_TURNS: Target = at_most("added by 200 turns without changes", 0.0, " bytes");
/// What is read of a session's transcript, by its length.
pub const SESSION_BYTES: Target = at_most("transcript bytes read / its length", 1.05, "x");
/// All of a long transcript against its end.
pub const TAIL: Target = at_least("transcript of 200 MB / its last 64 kB", 500.0, "x");
/// What reading a transcript ten times as long needs more.
pub const TRANSCRIPT_MEMORY: Target = at_most("memory for 200 MB beyond that for 20 MB", 4.0, " MB");
/// Linking a commit where many sessions worked before.
pub const LINKING: Target = at_most("linking a commit, 500 old sessions / none", 1.5, "x");
/// Listing out of many checkpoints.
pub const LIST: Target = at_most("checkpoint list, of 10,000 / of 100", 2.0, "x");

/// Reading and judging a typical command against all the daemon does for an event.
pub const JUDGING: Target = at_most("judging a typical command / daemon, one event", 0.1, "x");
/// The whole hook with a command to judge against one without.
pub const GUARDED: Target = at_most("hook before a command / before a search", 1.2, "x");
/// Commands of any length up to 64 kB, under any number of rules up to 5,000; the slowest in a hundred.
pub const LONGEST: Target = at_most("judging any command, p99", 5.0, " ms");
/// The same with ten times as many rules.
pub const RULES: Target = at_most("judging with 10 times the rules", 1.5, "x");
/// Text that is ten times as long, of the kind where that is worst.
pub const GROWTH: Target = at_most("judging 10 times the text", 12.0, "x");
/// Data in a command against looking at its bytes.
pub const DATA: Target = at_most("heredoc of 1 MB / memory scan", 3.0, "x");
/// The slowest hostile text against a typical command.
pub const HOSTILE: Target = at_most("slowest hostile text / typical command", 1_000.0, "x");
/// Questions of commands that are about nothing.
pub const QUESTIONS: Target = at_most("questions of commands without a target", 0.0, "");
/// How often the worktree was looked at before a reply.
pub const LOOKS: Target = at_most("`git status` before a reply", 0.0, "");
/// How often a rule file is read, by how often it changes.
pub const LOADS: Target = at_most("loads of a rule file / its changes", 1.0, "x");

/// A write decision where many leases are live against where few are.
pub const MANY_LEASES: Target = at_most("write decision, 10,000 leases / 10", 1.3, "x");
/// The same with reservations that have to be looked at.
pub const RESERVATIONS: Target = at_most("write decision, 200 reservations / none", 2.0, "x");
/// Others' reservations in another worktree against none.
pub const RESERVED_ELSEWHERE: Target = at_most("write decision, 200 reservations elsewhere / none", 1.1, "x");
/// A large file nobody changed against a small one; hashing it would show.
pub const UNCHANGED: Target = at_most("before an edit of a seen file, 1 MB / 1 kB", 1.1, "x");
/// Many agents with a file each against one.
pub const MANY_ACTORS: Target = at_most("per event, 32 actors on 32 files / 1 on 1", 1.5, "x");
/// Agents that were denied a file nobody else wanted.
pub const NEEDLESS_DENIALS: Target = at_most("denials among 32 actors on 32 files", 0.0, "");
/// A lock file in a script runtime against the hook.
pub const LOCK_FILE: Target = at_least("node, lock file / hook before a write (sh -c)", 50.0, "x");
/// Files that two agents were given at once.
pub const DOUBLE_GRANTS: Target = at_most("files given to two agents at once", 0.0, "");
/// The whole hook before a write with leases and stale writes watched against both off.
pub const LEASED: Target = at_most("hook before a write, leases on / off", 1.1, "x");
/// The hook of a session's start, where the project is largest; `structure.timeout_ms` is the limit.
pub const STRUCTURE: Target = at_most("hook of a session's start, p95", 500.0, " ms");
/// What is told of a large project against a small one.
pub const STRUCTURE_SIZE: Target = at_most("project state told, 100,000 files / 1,000", 1.1, "x");
/// The same where the small project has fewer folders: lines that are not there are not told.
pub const STRUCTURE_LINES: Target = at_most("the same, where the small one has few folders", 1.1, "x");
/// Scoring a long prompt against starting a process.
pub const SKILLS: Target = at_most("scoring 500 skills, 20,000 characters / empty process", 1.0, "x");
/// The newest lines of a long log, by the filter where that is worst.
pub const LOG: Target = at_most("newest 200 of 1,000,000 events / of 10,000", 3.0, "x");
/// What a session's events add to the database against the payloads in them.
pub const LOG_SIZE: Target = at_most("what events add to the database / payloads kept", 1.2, "x");

/// How a measurement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Within the target.
    Pass,
    /// Outside of it.
    Fail,
    /// Measured against something the target does not mean.
    Informative,
}

/// One measurement against its target.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    target: Target,
    measured: f64,
    only_informative: Option<String>,
}

impl Judgement {
    /// A measurement that counts.
    pub fn new(target: Target, measured: f64) -> Self {
        Self {
            target,
            measured,
            only_informative: None,
        }
    }

    /// Says why this measurement proves nothing, if there is a reason.
    pub fn informative(self, reason: Option<String>) -> Self {
        Self {
            only_informative: reason,
            ..self
        }
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        let holds = match self.target.limit {
            Limit::AtMost(limit) => self.measured <= limit,
            Limit::AtLeast(limit) => self.measured >= limit,
        };
        match (&self.only_informative, holds) {
            (Some(_), _) => Standing::Informative,
            (None, true) => Standing::Pass,
            (None, false) => Standing::Fail,
        }
    }

    /// The row of the last table.
    pub fn row(&self) -> Vec<String> {
        let word = match self.standing() {
            Standing::Pass => "PASS",
            Standing::Fail => "FAIL",
            Standing::Informative => "INFO",
        };
        let (sign, limit) = match self.target.limit {
            Limit::AtMost(limit) => ("<=", limit),
            Limit::AtLeast(limit) => (">=", limit),
        };
        let reason = self
            .only_informative
            .as_ref()
            .map(|reason| format!("informative: {reason}"));
        vec![
            word.to_owned(),
            self.target.what.to_owned(),
            format!("{}{}", rounded(self.measured), self.target.unit),
            format!("{sign} {limit}{}", self.target.unit),
            reason.unwrap_or_default(),
        ]
    }
}

fn rounded(value: f64) -> String {
    if value >= 100.0 || value == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_on_its_own_limit() {
        assert_eq!(Judgement::new(WARM, 1.6).standing(), Standing::Pass);
        assert_eq!(Judgement::new(WARM, 1.61).standing(), Standing::Fail);
        assert_eq!(Judgement::new(NODE, 45.0).standing(), Standing::Pass);
        assert_eq!(Judgement::new(NODE, 44.9).standing(), Standing::Fail);
    }

    #[test]
    fn what_is_only_informative_neither_passes_nor_fails() {
        let old = Judgement::new(BASH_JQ, 3.0).informative(Some("jq 1.6 (< 1.7)".to_owned()));
        assert_eq!(old.standing(), Standing::Informative);
        assert_eq!(
            old.row().join(" | "),
            "INFO | bash with 6 jq / warm hook (sh -c) | 3.00x | >= 15x | informative: jq 1.6 (< 1.7)"
        );
    }
}
