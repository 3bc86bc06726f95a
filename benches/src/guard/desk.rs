//! A guard with the built-in rules in a made-up project, without a daemon: what is measured is reading and judging alone, in
//! processor time, which a busy machine hardly changes.

use crate::processor_time;
use engine::policy::guard::synthetic::Synthetic;
use engine::policy::guard::{GuardFacts, Judged, RuleSet};
use engine::settings::Settings;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// What agents run all day. None of them is about a target, so none asks a question.
pub const TYPICAL: [&str; 10] = [
    "git status --short",
    "cargo test -p client --test retries",
    "ls -la src",
    "rg -n 'retry' src | head -20",
    "sed -n '1,80p' src/lib.rs",
    "cd app && cargo build --release 2>&1 | tail -40",
    "git diff HEAD~1 -- src/main.rs",
    "python3 -m pytest tests -q",
    "for f in a b c; do wc -l \"$f\"; done",
    "git log --oneline -5 && git show --stat HEAD",
];

/// See the module.
pub struct Desk {
    /// The rules in force.
    pub rules: Arc<RuleSet>,
    facts: GuardFacts,
}

impl Desk {
    /// The built-in rules.
    pub fn new() -> Self {
        Self::with(Arc::new(RuleSet::built_in(&Settings::default())))
    }

    /// These rules.
    pub fn with(rules: Arc<RuleSet>) -> Self {
        Self {
            rules,
            facts: Synthetic::default().facts(),
        }
    }

    /// Reads and judges a text, once.
    pub fn judge(&self, text: &str) -> Judged {
        engine::policy::guard::judge(text, &self.rules, &self.facts)
    }

    /// What that takes.
    pub fn time(&self, text: &str) -> Duration {
        let began = processor_time::own();
        black_box(self.judge(black_box(text)));
        processor_time::since(began)
    }

    /// What a typical command takes: the mean over all of them.
    pub fn typical(&self) -> Duration {
        let began = processor_time::own();
        for text in TYPICAL {
            black_box(self.judge(black_box(text)));
        }
        processor_time::since(began) / u32::try_from(TYPICAL.len()).unwrap_or(1)
    }
}
