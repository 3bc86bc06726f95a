//! A judged command as data, and on one line for each finding.

use ::daemon::pipeline::guard::Inquired;
use engine::policy::guard::judge::read;
use engine::policy::guard::judged::{Finding, Judged};
use engine::policy::guard::matching::Certainty;
use engine::policy::guard::message;
use engine::policy::guard::redact;
use engine::policy::guard::world::GuardWorld;
use engine::policy::guard::zone::Zone;
use engine::policy::guard::{HarmClass, RuleSet};
use engine::text::one_line;
use serde::Serialize;
use shell::{Coverage, Intent};

/// What `guard check --json` prints.
#[derive(Serialize)]
pub struct CheckOutput<'a> {
    verdict: &'static str,
    class: Option<&'static str>,
    coverage: &'static str,
    findings: Vec<FindingEntry<'a>>,
    rewritten: Option<&'a str>,
    attended: bool,
    rules_hash: &'a str,
}

#[derive(Serialize)]
struct FindingEntry<'a> {
    rule: &'a str,
    #[serde(rename = "match")]
    matches: &'static str,
    segment: String,
    through: &'a [String],
    zone: Option<&'static str>,
    what: &'a str,
    why: &'a str,
    instead: &'a str,
}

impl<'a> CheckOutput<'a> {
    /// The data of a judged command.
    pub fn of(judged: &'a Judged, rules: &'a RuleSet) -> Self {
        Self {
            verdict: judged.ruling.word(),
            class: judged.class.map(HarmClass::word),
            coverage: coverage(judged.coverage),
            findings: all(judged)
                .into_iter()
                .map(|finding| found(finding, judged))
                .collect(),
            rewritten: judged.rewritten.as_deref(),
            attended: judged.attended,
            rules_hash: rules.hash(),
        }
    }
}

fn found<'a>(finding: &'a Finding, judged: &'a Judged) -> FindingEntry<'a> {
    let rewrote = judged.rewrites.iter().any(|rewrite| rewrite.finding == *finding);
    let corrected = finding.corrected.as_deref();
    let rewritten = judged.rewritten.as_deref().filter(|_| rewrote);
    FindingEntry {
        rule: &finding.rule,
        matches: sure(finding.sure),
        segment: redact::text(&finding.segment),
        through: &finding.through,
        zone: finding.zone.map(Zone::word),
        what: &finding.what,
        why: &finding.why,
        instead: corrected
            .or(rewritten)
            .unwrap_or(message::unbracketed(&finding.instead)),
    }
}

/// Everything found: what stands, then what was rewritten away.
pub fn all(judged: &Judged) -> Vec<&Finding> {
    let rewritten = judged.rewrites.iter().map(|rewrite| &rewrite.finding);
    judged.findings.iter().chain(rewritten).collect()
}

/// How certain a match is, in a word.
pub fn sure(sure: Certainty) -> &'static str {
    match sure {
        Certainty::Yes => "yes",
        Certainty::Maybe => "maybe",
        Certainty::No => "no",
    }
}

/// How much of a text was understood, in a word.
pub fn coverage(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Full => "full",
        Coverage::Partial => "partial",
        Coverage::Opaque => "opaque",
    }
}

/// The text read once more with all that is known, for people to see.
pub fn intent(inquired: &Inquired) -> Intent {
    let world = GuardWorld::new(&inquired.facts, inquired.rules.guard());
    read(&inquired.judged.command, &inquired.rules, &world)
}

/// One line for each finding; one word where there is none.
pub fn lines(inquired: &Inquired) -> Vec<String> {
    let judged = &inquired.judged;
    let found = all(judged);
    if found.is_empty() {
        return vec![judged.ruling.word().to_owned()];
    }
    let intent = intent(inquired);
    let widest = found.iter().map(|finding| finding.rule.len()).max().unwrap_or(0);
    let mut lines: Vec<String> = Vec::new();
    for finding in found {
        let command = finding.index.and_then(|index| intent.commands.get(index));
        let cwd = command.and_then(|command| command.cwd.as_deref());
        let elsewhere = cwd.filter(|cwd| Some(*cwd) != inquired.facts.cwd.as_deref());
        let place = elsewhere.map_or(String::new(), |cwd| format!(" in {}", one_line(cwd, 80)));
        let through = if finding.through.is_empty() {
            String::new()
        } else {
            format!("   (through {})", one_line(&finding.through.join(" > "), 80))
        };
        let line = format!(
            "{:<11}{:<widest$}   `{}`{place}{through}",
            finding.ruling.word(),
            finding.rule,
            message::command(&finding.segment),
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if let Some(rewritten) = &judged.rewritten {
        lines.push(format!("instead    {}", one_line(&redact::text(rewritten), 400)));
    }
    lines
}
