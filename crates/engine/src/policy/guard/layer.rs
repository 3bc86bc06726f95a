//! Layers of rules: built-in, the person's, the project's, the effort's. The last two may only tighten.

use super::loading::{LoadedRules, MOST_PROBLEMS, RuleFault, RuleProblem, RuleSource, load};
use super::rule::Rule;
use super::synthetic;
use super::verdict::Ruling;
use crate::settings::RuleSetting;
use std::sync::Arc;

/// The rules of one file of one layer.
#[derive(Debug, Clone)]
pub struct LayerRules {
    /// Whose they are.
    pub origin: RuleSource,
    /// The file, as people know it.
    pub file: String,
    /// The sound ones.
    pub rules: Vec<Arc<Rule>>,
    /// What was left out.
    pub problems: Vec<RuleProblem>,
}

impl LayerRules {
    /// Reads the rules of a file (`[[rule]]`, or `[[guard.rule]]` in a settings file) and runs their examples. One that is
    /// wrong is left out.
    pub fn read(origin: RuleSource, file: &str, text: &str) -> Self {
        let LoadedRules { rules, mut problems } = load(file, text, origin);
        let mut sound = Vec::new();
        for rule in rules {
            let rule = Arc::new(rule);
            match synthetic::failing_example(&rule, origin) {
                None => sound.push(rule),
                Some(_) if problems.len() >= MOST_PROBLEMS => {}
                Some((command, should_hit)) => problems.push(RuleProblem {
                    file: file.to_owned(),
                    line: line_of(text, &rule.id),
                    rule: Some(rule.id.clone()),
                    what: RuleFault::Example { command, should_hit },
                }),
            }
        }
        Self {
            origin,
            file: file.to_owned(),
            rules: sound,
            problems,
        }
    }
}

/// The line a rule's id stands in.
fn line_of(text: &str, id: &str) -> usize {
    let quoted = format!("\"{id}\"");
    text.lines()
        .position(|line| line.trim_start().starts_with("id") && line.contains(&quoted))
        .map_or(1, |at| at + 1)
}

/// What a project's setting for one rule comes to over the person's: it may only tighten.
pub fn tightened(below: &RuleSetting, wanted: &RuleSetting) -> RuleSetting {
    let verdict = |setting: &RuleSetting| setting.verdict.as_deref().and_then(Ruling::named);
    RuleSetting {
        mode: match (below.mode, wanted.mode) {
            (Some(below), Some(wanted)) => Some(below.max(wanted)),
            (Some(below), None) => Some(below),
            // A rule without a setting of its own is as its pack says; only enforcing is surely no less.
            (None, Some(crate::settings::Mode::Enforce)) => wanted.mode,
            (None, Some(_) | None) => None,
        },
        verdict: match (verdict(below), verdict(wanted)) {
            (Some(low), Some(high)) if high > low => wanted.verdict.clone(),
            (Some(_), _) => below.verdict.clone(),
            (None, Some(Ruling::Deny)) => wanted.verdict.clone(),
            (None, _) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Mode;

    fn setting(mode: Option<Mode>, verdict: Option<&str>) -> RuleSetting {
        RuleSetting {
            mode,
            verdict: verdict.map(str::to_owned),
        }
    }

    #[test]
    fn a_project_raises_a_rule_and_never_lowers_it() {
        let below = setting(Some(Mode::Advise), Some("ask"));
        assert_eq!(
            tightened(&below, &setting(Some(Mode::Enforce), Some("deny"))),
            setting(Some(Mode::Enforce), Some("deny"))
        );
        assert_eq!(
            tightened(&below, &setting(Some(Mode::Off), Some("advise"))),
            below
        );
        let nothing = setting(None, None);
        assert_eq!(
            tightened(&nothing, &setting(Some(Mode::Off), Some("advise"))),
            nothing
        );
    }
}
