//! The ways people write hooks today: which of them can run here, and how they are started.

use crate::product::workspace;
use crate::stopwatch::quoted;
use crate::tool::{self, Tool};
use daemon::environment::Environment;
use std::ffi::OsString;

/// The jq that targets mean: older ones start several times slower.
const JQ: (u32, u32) = (1, 7);

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Bash,
    Python,
    Node,
}

/// Every peer: its name, its script in `benches/peers/`, its language.
const PEERS: &[(&str, &str, Language)] = &[
    (BASH_JQ_1, "bash-jq-1.sh", Language::Bash),
    (BASH_JQ_3, "bash-jq-3.sh", Language::Bash),
    (BASH_JQ_6, "bash-jq-6.sh", Language::Bash),
    (PYTHON_PLAIN, "python-plain.py", Language::Python),
    (PYTHON_SQLITE, "python-sqlite.py", Language::Python),
    (NODE, "node.js", Language::Node),
];

/// Peers that keep one writer per file in a lock file.
const LOCKING: &[(&str, &str, Language)] = &[
    (NODE, "node-lock.js", Language::Node),
    (PYTHON_PLAIN, "python-lock.py", Language::Python),
];

const BASH_JQ_1: &str = "bash, 1 jq";
const BASH_JQ_3: &str = "bash, 3 jq";
/// Bash that calls jq six times.
pub const BASH_JQ_6: &str = "bash, 6 jq";
/// Python without a database.
pub const PYTHON_PLAIN: &str = "python";
/// Python that keeps its events in a database.
pub const PYTHON_SQLITE: &str = "python, sqlite";
/// Node.
pub const NODE: &str = "node";

/// A peer that can run here.
#[derive(Debug, Clone)]
pub struct Peer {
    /// How tables name it.
    pub name: &'static str,
    /// What the agent hands to `sh -c`.
    pub command: String,
}

/// What was found on this machine.
pub struct Peers {
    /// Where hooks look for programs.
    pub path: OsString,
    /// Those that can run.
    pub present: Vec<Peer>,
    /// Of those with a lock file, the ones that can run.
    pub locking: Vec<Peer>,
    /// Programs they run on, by name and version.
    pub versions: Vec<String>,
    /// Programs that are missing.
    pub missing: Vec<&'static str>,
    jq: Option<Tool>,
}

impl Peers {
    /// Looks for what the peers run on.
    pub fn find() -> Self {
        let path = tool::search_path(workspace(), Environment::read().value("PATH"));
        let tools = [
            ("bash", tool::find("bash", &path, &["--version"])),
            ("jq", tool::find("jq", &path, &["--version"])),
            ("python", tool::find("python3", &path, &["--version"])),
            ("node", tool::find("node", &path, &["--version"])),
        ];
        let versions = tools
            .iter()
            .filter_map(|(name, tool)| Some(format!("{name} {}", tool.as_ref()?.version)))
            .collect();
        let missing = tools
            .iter()
            .filter(|(_, tool)| tool.is_none())
            .map(|(name, _)| *name)
            .collect();
        let [(_, bash), (_, jq), (_, python), (_, node)] = tools;
        let runner = |language| match language {
            Language::Bash => bash.as_ref().filter(|_| jq.is_some()),
            Language::Python => python.as_ref(),
            Language::Node => node.as_ref(),
        };
        let peer = |&(name, script, language): &(&'static str, &str, Language)| {
            let script = workspace().join("benches").join("peers").join(script);
            Some(Peer {
                name,
                command: format!("{} {}", quoted(&runner(language)?.path), quoted(&script)),
            })
        };
        let present = PEERS.iter().filter_map(peer).collect();
        let locking = LOCKING.iter().filter_map(peer).collect();
        Self {
            path,
            present,
            locking,
            versions,
            missing,
            jq,
        }
    }

    /// Why a comparison with jq does not count here, if it does not.
    pub fn jq_too_old(&self) -> Option<String> {
        let jq = self.jq.as_ref()?;
        (!tool::is_at_least(&jq.version, JQ)).then(|| format!("jq {} (< {}.{})", jq.version, JQ.0, JQ.1))
    }
}
