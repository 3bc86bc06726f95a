//! What the guard would say of a command if it were run now. The same questions get the same answers as before a real
//! call; nothing is changed, and no daemon is needed.

use super::{ROUNDS, WorldWitness};
use crate::clock;
use crate::config::LoadedSettings;
use crate::environment::Environment;
use crate::pipeline::PipelineContext;
use agents::{Agent, Delivery};
use engine::event::Event;
use engine::id::DeliveryId;
use engine::policy::guard::facts::{GuardFacts, WorldQuestion};
use engine::policy::guard::{Judged, RuleSet, judge, judge_call, shell_text};
use engine::settings::{RuleFile, RuleLayer, Settings};
use engine::time::Timestamp;
use git::place::Place;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A command that is only asked about.
pub struct Inquiry {
    /// The command.
    pub command: String,
    /// Where it would run.
    pub cwd: PathBuf,
    /// Whether a person would watch.
    pub attended: bool,
    /// The branch it would run on, instead of the one that is checked out.
    pub branch: Option<String>,
    /// Candidate rules on top of those in force: the file, and what it holds.
    pub candidate: Option<(String, String)>,
}

/// What the guard would say, and what that rests on.
pub struct Inquired {
    /// What came of it.
    pub judged: Judged,
    /// The shell text that was judged; `None` for another tool.
    pub text: Option<String>,
    /// What was known.
    pub facts: GuardFacts,
    /// The rules in force.
    pub rules: Arc<RuleSet>,
    /// The settings they come from.
    pub loaded: Arc<LoadedSettings>,
}

impl PipelineContext {
    /// What the guard would say of a command.
    pub fn inquire(&self, inquiry: &Inquiry, environment: &Environment) -> Inquired {
        let env = travelling(environment);
        let agent: &dyn Agent = &agents::claude_code::ClaudeCode;
        let place = self.place_of(&inquiry.cwd);
        let loaded = self.settings(Some(&place));
        let settings = with_candidate(&loaded.settings, inquiry.candidate.as_ref());
        let rules = RuleSet::of(&settings);
        let event = event(agent, inquiry, &env);
        let mut facts = event
            .as_ref()
            .and_then(|event| self.scene(agent, event, Some(&place), &env))
            .map(|facts| *facts)
            .unwrap_or_default();
        facts.attended = inquiry.attended;
        facts.cwd = inquiry.cwd.to_str().map(str::to_owned);
        // This process is no daemon, and whether one runs must not matter here.
        facts.own.daemon_pid = None;
        let mut judged = judge(&inquiry.command, &rules, &facts);
        if let Some(event) = &event {
            let mut witness = WorldWitness::new(self, event, Some(&place), &settings.guard);
            for _ in 0..ROUNDS {
                let asked: Vec<&WorldQuestion> = judged.asked.iter().collect();
                if asked.is_empty() {
                    break;
                }
                witness.answer(&asked, &mut facts);
                on_branch(&mut facts, &place, inquiry.branch.as_deref());
                judged = judge(&inquiry.command, &rules, &facts);
            }
        }
        Inquired {
            judged,
            text: Some(inquiry.command.clone()),
            facts,
            rules,
            loaded,
        }
    }

    /// What the guard says of a recorded call now, with what was known of it then; `None` if it holds nothing to judge.
    ///
    /// Of a call about which nothing was kept, nothing was asked, or only where it was made: that is found out anew. It was
    /// let through, so somebody watched wherever that made a difference.
    pub fn judge_again(&self, recorded: &RecordedCommand<'_>, environment: &Environment) -> Option<Inquired> {
        let env = travelling(environment);
        let agent: &dyn Agent = &agents::claude_code::ClaudeCode;
        let delivery = Delivery {
            id: DeliveryId::new("inquiry"),
            at: recorded.at,
            session_hint: None,
            cwd: None,
        };
        let event = agent.translate(recorded.payload, &delivery).ok()?;
        let call = event.kind.call()?;
        let place = event.cwd.as_deref().map(|cwd| self.place_of(cwd));
        let loaded = self.settings(place.as_deref());
        let settings = with_candidate(&loaded.settings, recorded.candidate);
        let facts = recorded.facts.cloned().or_else(|| {
            let mut facts = *self.scene(agent, &event, place.as_deref(), &env)?;
            facts.attended = true;
            facts.no_rewrite = false;
            facts.own.daemon_pid = None;
            Some(facts)
        })?;
        let judged = judge_call(call, &settings, &facts)?;
        let text = shell_text(call, &settings.guard);
        Some(Inquired {
            judged,
            text: text.map(str::to_owned),
            facts,
            rules: RuleSet::of(&settings),
            loaded,
        })
    }
}

/// A recorded call.
pub struct RecordedCommand<'a> {
    /// What the agent sent.
    pub payload: &'a [u8],
    /// When.
    pub at: Timestamp,
    /// What was known.
    pub facts: Option<&'a GuardFacts>,
    /// Candidate rules on top of those in force: the file, and what it holds.
    pub candidate: Option<&'a (String, String)>,
}

fn travelling(environment: &Environment) -> BTreeMap<String, String> {
    environment
        .travelling()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The settings with candidate rules on top, as if the person had written them.
pub fn with_candidate(settings: &Settings, candidate: Option<&(String, String)>) -> Settings {
    let mut settings = settings.clone();
    if let Some((file, text)) = candidate {
        settings.guard.layers.push(RuleFile {
            layer: RuleLayer::User,
            file: file.clone(),
            text: text.as_str().into(),
        });
    }
    settings
}

/// The call an agent would report.
fn event(agent: &dyn Agent, inquiry: &Inquiry, env: &BTreeMap<String, String>) -> Option<Event> {
    let payload = json!({
        "hook_event_name": "PreToolUse",
        "session_id": env.get("CLAUDE_CODE_SESSION_ID").map_or("", String::as_str),
        "cwd": inquiry.cwd.to_string_lossy(),
        "tool_name": "Bash",
        "tool_input": { "command": inquiry.command },
    });
    let delivery = Delivery {
        id: DeliveryId::new("inquiry"),
        at: clock::now(),
        session_hint: None,
        cwd: Some(inquiry.cwd.clone()),
    };
    agent.translate(payload.to_string().as_bytes(), &delivery).ok()
}

/// Puts another branch into what is known of the worktree the command starts in.
fn on_branch(facts: &mut GuardFacts, place: &Place, branch: Option<&str>) {
    let Some(branch) = branch else { return };
    let here = place.worktree.as_deref();
    for repository in facts.repositories.values_mut().flatten() {
        if here.is_none_or(|root| Path::new(&repository.root) == root) {
            repository.branch = Some(branch.to_owned());
        }
    }
}
