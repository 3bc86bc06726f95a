//! The guard as a policy: which events concern it, what it asks, and how a judged command becomes a verdict.
//!
//! What the pipeline supplies, in `answers.guard`: where the call is made (`cwd`, `home`, `user`, `tmpdir`), Toprope's own
//! places, the actor's strikes, denials and approval, the gates, `no_rewrite` where a person's permission rule matches the
//! original or a rewrite was lost before, the id a parked request would get; then the answers to [`Question::Guard`], asked
//! again until nothing is new. What it carries out: `Warn` (a strike), `KeepBefore` before the reply (if that fails:
//! [`message::no_checkpoint`], asked attended, denied unattended), `SpendApproval` in the same transaction, `ParkRequest`,
//! `AnswerRequest`, `Hear`, `ForgetWarnings`, `ExpireRequests`, `LoseRewrite` and `Explain`.

use super::approval::{ApprovalAnswer, in_prompt};
use super::facts::GuardFacts;
use super::hooks_removed;
use super::judge::{LEFT_OUT, judge_read};
use super::judged::Judged;
use super::message;
use super::ruleset::RuleSet;
use super::tool::{ToolUse, judge_tool};
use super::verdict::Ruling;
use crate::effect::{Audience, Effect, Explanation, Owed, Parked};
use crate::event::{Event, EventKind, PromptOrigin, StartSource};
use crate::facts::Facts;
use crate::policy::{Asking, FailureClass, Policy};
use crate::question::Question;
use crate::settings::{GuardSettings, Mode, Settings};
use crate::tool::{Action, InputPatch, ToolCall};
use crate::verdict::{Advice, Judgement, Verdict};
use serde_json::Value;
use shell::{Scene, is_signed};
use std::path::Path;

/// The key under which it is remembered that an actor was given a rule's advice.
pub const ADVISED: &str = "advised";
/// Most bytes of facts that are stored with a verdict.
const MOST_FACTS: usize = 8_192;

/// Judges commands and tool calls. See the module.
pub struct Guard;

impl Policy for Guard {
    fn name(&self) -> &'static str {
        "guard"
    }

    fn class(&self) -> FailureClass {
        FailureClass::Safety
    }

    /// Always asked: what `guard.mode` switches off, it leaves out itself, since the floor stays.
    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Enforce
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        match &event.kind {
            EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. } => {
                facts.rewrote.is_some() || facts.answers.guard.is_some()
            }
            EventKind::ConfigChange { path, .. } => hooks_removed::concerns(path.as_deref()),
            EventKind::ToolBefore { call } => !matches!(call.action(), Action::SpawnAgent { .. }),
            EventKind::ToolBatch { .. } => facts.unheard || facts.answers.guard.is_some(),
            EventKind::TurnEnd { .. } | EventKind::AgentStop { .. } => facts.unheard,
            EventKind::Prompt { text, .. } => facts.unheard || in_prompt(text).is_some(),
            EventKind::SessionStart { .. } | EventKind::SessionEnd { .. } => true,
            _ => false,
        }
    }

    fn questions(&self, event: &Event, known: &Asking<'_>) -> Vec<Question> {
        let Some(facts) = known.answers.guard.as_deref() else {
            return Vec::new();
        };
        let call = match &event.kind {
            EventKind::ToolBefore { call } => call,
            EventKind::ConfigChange { path, .. } => {
                let asked = hooks_removed::questions(path.as_deref(), facts);
                return asked.into_iter().map(Question::Guard).collect();
            }
            EventKind::SessionStart { .. } => {
                let asked = hooks_removed::questions(None, facts);
                return asked.into_iter().map(Question::Guard).collect();
            }
            _ => return Vec::new(),
        };
        let facts = settled(event, facts, &known.settings.guard, facts.attended);
        let Some(judged) = judge_call(call, known.settings, &facts) else {
            return Vec::new();
        };
        if shell_key(call, &known.settings.guard).is_some() {
            RuleSet::of(known.settings).aside().lay(&facts, &judged);
        }
        judged.asked.into_iter().map(Question::Guard).collect()
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        match &event.kind {
            EventKind::ToolBefore { call } => call_judged(event, call, facts),
            EventKind::ToolAfter { call, .. } | EventKind::ToolFailed { call, .. } => {
                also_told(ran(event, call, facts), facts)
            }
            EventKind::ConfigChange { path, .. } => hooks_removed::judge(path.as_deref(), facts),
            EventKind::Prompt { text, origin } => prompted(text, origin, facts),
            EventKind::ToolBatch { .. } => {
                let heard = facts.unheard.then_some(Effect::Hear);
                also_told(leaving(heard.into_iter().collect()), facts)
            }
            EventKind::TurnEnd { .. } | EventKind::AgentStop { .. } => leaving(vec![Effect::Hear]),
            EventKind::SessionStart { source, .. } => started(source, facts),
            EventKind::SessionEnd { .. } => leaving(vec![Effect::ForgetWarnings, Effect::ExpireRequests]),
            _ => Judgement::silent(),
        }
    }
}

/// A window opens: an empty one has heard no warning. The person learns what the client's settings do to us.
fn started(source: &StartSource, facts: &Facts) -> Judgement {
    let is_empty = matches!(source, StartSource::Clear | StartSource::Compact);
    let forgotten = is_empty.then_some(Effect::ForgetWarnings);
    let told = hooks_removed::told_at_start(facts);
    Judgement {
        verdict: told.map_or(Verdict::Silent, |told| Verdict::Advise(vec![told])),
        ..leaving(forgotten.into_iter().collect())
    }
}

/// The same, and the person learns that the client's settings no longer have us called as before.
fn also_told(mut judgement: Judgement, facts: &Facts) -> Judgement {
    let Some(told) = hooks_removed::told_after(facts) else {
        return judgement;
    };
    match &mut judgement.verdict {
        Verdict::Advise(pieces) => pieces.push(told),
        _ => judgement.verdict = Verdict::Advise(vec![told]),
    }
    judgement
}

fn leaving(always: Vec<Effect>) -> Judgement {
    Judgement {
        verdict: Verdict::Silent,
        always,
        granted: Vec::new(),
    }
}

/// What we rewrote has run. Another text than ours: another hook's rewrite won, as the last to finish does.
fn ran(event: &Event, call: &ToolCall, facts: &Facts) -> Judgement {
    let command = shell_text(call, &facts.settings.guard);
    let (Some(ours), Some(command)) = (&facts.rewrote, command) else {
        return Judgement::silent();
    };
    let wrappers = facts.settings.guard.user_wrappers();
    let scene = Scene::at(event.cwd.as_deref(), &wrappers);
    if ours == command || is_signed(command, ours, &scene) {
        return Judgement::silent();
    }
    Judgement {
        verdict: Verdict::Advise(vec![Advice::new(message::outrun(ours, command), "guard advice")]),
        always: vec![
            Effect::LoseRewrite,
            Effect::Owe(Owed {
                audience: Audience::Person,
                kind: "guard".to_owned(),
                key: "rewrite-lost".to_owned(),
                text: message::rewrite_lost(ours, command),
            }),
        ],
        granted: Vec::new(),
    }
}

/// A person's prompt marks what was said as heard, and may decide a request.
fn prompted(text: &str, origin: &PromptOrigin, facts: &Facts) -> Judgement {
    let mut effects = Vec::new();
    if facts.unheard {
        effects.push(Effect::Hear);
    }
    let attended = facts.settings.guard.is_attended(facts.attended);
    let decides = *origin == PromptOrigin::Person && attended;
    let Some(answer) = in_prompt(text).filter(|_| decides) else {
        return leaving(effects);
    };
    let lives = u64::from(facts.settings.guard.approval_minutes) * 60_000;
    let (ApprovalAnswer::Grant(id) | ApprovalAnswer::Refuse(id)) = &answer;
    if facts.awaited.as_ref() != Some(id) {
        let said = format!("No request {id} waits for an answer: nothing was decided.");
        return Judgement {
            verdict: Verdict::Advise(vec![Advice::new(said, "guard request")]),
            always: effects,
            granted: Vec::new(),
        };
    }
    let (id, granted_ms, said) = match answer {
        ApprovalAnswer::Grant(id) => {
            let said = format!("The person allowed request {id} once. Run the same command again.");
            (id, Some(lives), said)
        }
        ApprovalAnswer::Refuse(id) => {
            let said = format!("The person refused request {id}. Do not try it in another way.");
            (id, None, said)
        }
    };
    effects.push(Effect::AnswerRequest { id, granted_ms });
    Judgement {
        verdict: Verdict::Advise(vec![Advice::new(said, "guard request")]),
        always: effects,
        granted: Vec::new(),
    }
}

/// The facts as this event and the settings decide them.
fn settled(event: &Event, facts: &GuardFacts, guard: &GuardSettings, attended: bool) -> GuardFacts {
    let mut facts = facts.clone();
    facts.attended = guard.is_attended(attended) && event.permission_mode.as_deref() != Some("dontAsk");
    if facts.cwd.is_none() {
        facts.cwd = event.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned());
    }
    if facts.agent_type.is_none() {
        facts.agent_type.clone_from(&event.agent_type);
    }
    facts.no_rewrite |= !event.can.rewrite;
    facts
}

/// The input's key that holds shell text, for a tool that runs it.
pub fn shell_key<'a>(call: &'a ToolCall, guard: &'a GuardSettings) -> Option<&'a str> {
    if let Some(key) = guard.shell_tools.get(call.tool()) {
        return Some(key);
    }
    call.command_key()
}

/// The shell text a call would run.
pub fn shell_text<'a>(call: &'a ToolCall, guard: &GuardSettings) -> Option<&'a str> {
    if let Some(key) = guard.shell_tools.get(call.tool()) {
        return call.input().get(key).and_then(Value::as_str);
    }
    match call.action() {
        Action::RunCommand { command, .. } => Some(command),
        _ => None,
    }
}

/// Judges a call; `None` if it holds nothing to judge.
pub fn judge_call(call: &ToolCall, settings: &Settings, facts: &GuardFacts) -> Option<Judged> {
    let rules = RuleSet::of(settings);
    let as_tool = || {
        let call = ToolUse {
            tool: call.tool(),
            input: call.input(),
            writes_nothing: matches!(call.action(), Action::Other),
        };
        judge_tool(call, &rules, facts)
    };
    let Some(command) = shell_text(call, &settings.guard) else {
        let is_silent_shell = settings.guard.shell_tools.contains_key(call.tool());
        return (!is_silent_shell).then(as_tool);
    };
    let plain = || Some(call.plain(command, facts.cwd.as_deref().map(Path::new)));
    let as_command = || {
        // Several texts make one command here, and none of them can be replaced by what became of it.
        if shell_key(call, &settings.guard).is_none() {
            let facts = GuardFacts {
                no_rewrite: true,
                ..facts.clone()
            };
            return judge_read(command, &plain, &rules, &facts);
        }
        let known = rules.aside().take(command, facts);
        known.unwrap_or_else(|| judge_read(command, &plain, &rules, facts))
    };
    let mut judged = as_command();
    // A server's tool may name files beside its command.
    if call.tool().contains("__") {
        let other = as_tool();
        let asked: Vec<_> = judged.asked.iter().chain(&other.asked).cloned().collect();
        if other.ruling > judged.ruling {
            judged = other;
        }
        judged.asked = asked;
    }
    Some(judged)
}

fn call_judged(event: &Event, call: &ToolCall, facts: &Facts) -> Judgement {
    let settings = &facts.settings;
    let known = facts.answers.guard.as_deref().cloned().unwrap_or_default();
    let known = settled(event, &known, &settings.guard, facts.attended);
    let Some(judged) = judge_call(call, settings, &known) else {
        return Judgement::silent();
    };
    let key = shell_key(call, &settings.guard).unwrap_or("command");
    let mut judgement: Judgement = verdict(&judged, key).into();
    judgement.always = left_behind(&judged);
    judgement
        .always
        .extend(message::to_person(&judged).map(Effect::TellPerson));
    judgement.granted = granted(&judged);
    if judged.ruling != Ruling::Silent || !judged.findings.is_empty() || judged.approval.is_some() {
        judgement.always.push(explanation(&judged, &known));
    }
    judgement
}

fn verdict(judged: &Judged, key: &str) -> Verdict {
    let message = judged.message.clone();
    let patch = || {
        let text = judged.rewritten.clone().unwrap_or_default();
        InputPatch::default().set(key, text)
    };
    match judged.ruling {
        Ruling::Silent => Verdict::Silent,
        Ruling::Advise => Verdict::Advise(vec![Advice::new(message, "guard advice")]),
        Ruling::Rewrite => Verdict::Rewrite {
            patch: patch(),
            reason: message,
        },
        Ruling::Ask if judged.rewritten.is_some() => Verdict::AskRewritten {
            patch: patch(),
            reason: message,
            note: message::rewritten(judged),
        },
        Ruling::Ask => Verdict::Ask(message),
        Ruling::OneStrike => Verdict::Hold(message),
        Ruling::Deny => Verdict::Deny(message),
    }
}

/// What a denial leaves behind: the strike, the request.
fn left_behind(judged: &Judged) -> Vec<Effect> {
    let mut effects: Vec<Effect> = judged.warned.iter().cloned().map(Effect::Strike).collect();
    effects.extend(judged.advised.iter().map(|rule| Effect::Warn {
        rule: rule.clone().into(),
        key: ADVISED.to_owned(),
    }));
    effects.extend(repeated(judged));
    if judged.left_out.is_some() {
        effects.push(Effect::Warn {
            rule: LEFT_OUT.into(),
            key: judged.rules_hash.clone(),
        });
    }
    if let (true, Some(id), Some(first)) = (judged.parks, &judged.request, judged.findings.first()) {
        effects.push(Effect::ParkRequest(Parked {
            id: id.clone(),
            rule: first.rule.clone(),
            shown: message::command(&judged.command),
        }));
    }
    effects
}

/// A denial is remembered by its target, so that a third spelling of the same is told from a first try.
fn repeated(judged: &Judged) -> Vec<Effect> {
    let Some(first) = judged.findings.first().filter(|_| judged.ruling == Ruling::Deny) else {
        return Vec::new();
    };
    let aim = first.aim();
    let mut effects = vec![Effect::Warn {
        rule: first.rule.clone().into(),
        key: aim.clone(),
    }];
    if judged.attempt >= message::INSISTS {
        effects.push(Effect::Owe(Owed {
            audience: Audience::Person,
            kind: "guard".to_owned(),
            key: format!("{} {aim}", first.rule),
            text: message::insists(judged, first),
        }));
    }
    effects
}

/// What comes true only if the command runs.
fn granted(judged: &Judged) -> Vec<Effect> {
    let mut effects = Vec::new();
    if let Some(id) = &judged.approval {
        effects.push(Effect::SpendApproval { id: id.clone() });
    }
    let runs = !judged.ruling.stops() || judged.ruling == Ruling::Ask;
    if runs && (!judged.passed.is_empty() || judged.approval.is_some()) {
        effects.push(Effect::KeepBefore {
            command: judged.rewritten.clone().unwrap_or_else(|| judged.command.clone()),
            also: judged.keep.clone(),
        });
    }
    if runs && judged.must_keep {
        effects.push(Effect::MustKeep {
            otherwise: message::no_checkpoint(&judged.command),
        });
    }
    effects
}

fn explanation(judged: &Judged, facts: &GuardFacts) -> Effect {
    let first = judged.findings.first();
    let facts = serde_json::to_string(facts)
        .ok()
        .filter(|facts| facts.len() <= MOST_FACTS);
    let rewrote = judged.rewrites.first();
    Effect::Explain(Box::new(Explanation {
        policy: "guard",
        rule: first
            .map(|finding| finding.rule.clone())
            .or_else(|| rewrote.map(|rewrite| rewrite.rule.clone())),
        class: judged.class.map(|class| class.word().to_owned()),
        segment: first.map(|finding| message::command(&finding.segment)),
        coverage: Some(coverage(judged).to_owned()),
        rewritten: judged.rewritten.clone(),
        strike: judged.passed.first().or(judged.warned.first()).cloned(),
        approval: judged
            .approval
            .clone()
            .or_else(|| judged.request.clone().filter(|_| judged.parks)),
        facts,
        rules_hash: Some(judged.rules_hash.clone()),
    }))
}

/// How much of the command was understood, in a word.
fn coverage(judged: &Judged) -> &'static str {
    match judged.coverage {
        shell::Coverage::Full => "full",
        shell::Coverage::Partial => "partial",
        shell::Coverage::Opaque => "opaque",
    }
}
