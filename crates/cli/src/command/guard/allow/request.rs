//! A request as a person sees it before they answer: the command, where, the rule, what would be lost.

use crate::moment;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::pipeline::PipelineContext;
use ::daemon::pipeline::guard::Inquiry;
use engine::text::{lines, one_line};
use engine::time::Timestamp;
use serde::Serialize;
use std::borrow::Cow;
use store::table::approvals::Approval;

/// A request as data.
#[derive(Serialize)]
pub struct ApprovalEntry<'a> {
    /// Its id.
    pub id: &'a str,
    /// The client's session.
    pub session: &'a str,
    /// The subagent.
    pub agent: Option<&'a str>,
    /// The command, redacted.
    pub command: &'a str,
    /// Where it would run.
    pub cwd: Cow<'a, str>,
    /// The rule that stopped it.
    pub rule: &'a str,
    /// The event that was denied.
    pub event: Option<i64>,
    /// When.
    pub at: String,
}

/// A request on one line.
pub fn line(approval: &Approval, now: Timestamp) -> String {
    let session: String = approval.session.as_str().chars().take(4).collect();
    format!(
        "{}  {}  {session}  {}  {}  in {}",
        approval.id,
        moment::ago(approval.asked_at, now),
        approval.rule_id,
        one_line(&approval.shown, 120),
        one_line(&approval.cwd.to_string_lossy(), 80)
    )
}

/// A request before it is answered. What would be lost is looked at now, not then.
pub fn shown(approval: &Approval, home: &Home, environment: &Environment) -> String {
    let mut text = format!(
        "  {}\n  in {}\n  by session {}{}\n  rule {}\n",
        one_line(&approval.shown, 400),
        one_line(&approval.cwd.to_string_lossy(), usize::MAX),
        one_line(approval.session.as_str(), 80),
        approval.agent.as_ref().map_or(String::new(), |agent| format!(
            ", agent {}",
            one_line(agent.as_str(), 80)
        )),
        approval.rule_id
    );
    let inquiry = Inquiry {
        command: approval.shown.clone(),
        cwd: approval.cwd.clone(),
        attended: true,
        branch: None,
        candidate: None,
    };
    let judged = PipelineContext::new(home.clone(), environment)
        .inquire(&inquiry, environment)
        .judged;
    for finding in judged
        .findings
        .iter()
        .filter(|finding| finding.rule == approval.rule_id)
        .take(1)
    {
        let zone = finding
            .zone
            .map_or(String::new(), |zone| format!(" [{}]", zone.word()));
        push(&mut text, &format!("  it {}{zone}\n", lines(&finding.what)));
        if !finding.targets.is_empty() {
            push(
                &mut text,
                &format!("  targets: {}\n", one_line(&finding.targets.join(", "), 300)),
            );
        }
    }
    text
}

fn push(text: &mut String, part: &str) {
    text.push_str(part);
}
