//! A decision in the client's words: nothing, one JSON object, or exit code 2 where JSON is not understood.
//!
//! Never says `allow`: the person's own permission rules stay in force. Nothing surrounds the object, because a single
//! line of text beside it makes the client run what was denied.

use super::hook::{Hook, StopMethod};
use crate::agent::Reply;
use engine::decision::{Decision, Outcome};
use engine::event::{Context, Event, EventKind};
use engine::text::utf16_len;
use engine::tool::ToolInput;
use serde::Serialize;

/// The client replaces context over 10,000 UTF-16 units by a preview. The round keeps to its budget; this is the net.
const CONTEXT_LIMIT: usize = 9_500;

/// What a person or model reads when a denial came without its reason.
const NO_REASON: &str = "Toprope stopped this; `toprope log` shows why.";

/// The exit code by which the client takes stderr as a refusal.
const REFUSED: u8 = 2;

/// The bytes that say this decision.
pub(super) fn reply(event: &Event, decision: &Decision) -> Reply {
    let Some(hook) = Hook::named(&event.name) else {
        return Reply::default();
    };
    match (&event.kind, &decision.outcome) {
        // Whatever stands on stdout is taken as the path of the new worktree.
        (EventKind::WorktreeCreate { .. }, _) => Reply::default(),
        (_, Outcome::Deny { reason, .. }) if hook.refusal == StopMethod::Exit => {
            refusal(reason, &decision.person)
        }
        (EventKind::CompactBefore { .. }, _) if !decision.context.is_empty() => steering(&decision.context),
        _ => HookOutput::new(hook, decision).into_reply(),
    }
}

/// Stderr alone is read, so what the person should know goes there as well.
fn refusal(reason: &str, person: &[String]) -> Reply {
    let mut lines = vec![spoken(reason)];
    lines.extend(person.iter().map(String::as_str));
    Reply {
        exit: REFUSED,
        stdout: Vec::new(),
        stderr: lines.join("\n").into_bytes(),
    }
}

/// Plain text that joins the instructions for the summary. It must not look like an answer in JSON, and leaves no
/// place for text to the person.
fn steering(context: &[String]) -> Reply {
    let text = joined(context.iter().map(String::as_str)).unwrap_or_default();
    let text = if text.trim_start().starts_with('{') {
        format!("Keep: {text}")
    } else {
        text
    };
    Reply {
        stdout: cut(text).into_bytes(),
        ..Reply::default()
    }
}

/// The one object. Field order is the order on the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookOutput<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<BlockDecision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Specific::is_empty")]
    hook_specific_output: Specific<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<PermissionDecision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a ToolInput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Dialog<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Elicitation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum BlockDecision {
    Block,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum PermissionDecision {
    Deny,
    Ask,
}

#[derive(Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
enum Dialog<'a> {
    Deny { message: &'a str },
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Elicitation {
    Decline,
}

impl<'a> HookOutput<'a> {
    fn new(hook: &Hook, decision: &'a Decision) -> Self {
        let mut answer = Self::empty(hook.name);
        let mut context: Vec<&str> = Vec::new();
        let mut person: Vec<&str> = Vec::new();
        match &decision.outcome {
            Outcome::Ask { reason } if hook.refusal == StopMethod::ToolCall => {
                answer.permission(PermissionDecision::Ask, spoken(reason));
            }
            Outcome::Deny {
                reason,
                keeps_prompt: true,
            } if hook.refusal == StopMethod::Prompt => answer.stop(spoken(reason)),
            Outcome::Deny { reason, .. } if hook.refusal != StopMethod::Impossible => {
                answer.deny(hook.refusal, spoken(reason), &mut person);
            }
            // What cannot be done can still be said, unless saying it would wake an agent that is done.
            Outcome::Ask { reason } | Outcome::Deny { reason, .. } if hook.context == Context::Heard => {
                context.push(spoken(reason));
            }
            Outcome::Pass | Outcome::Ask { .. } | Outcome::Deny { .. } => {}
        }
        let denied = matches!(decision.outcome, Outcome::Deny { .. });
        if hook.refusal == StopMethod::ToolCall && !denied {
            answer.hook_specific_output.updated_input = decision.input.as_ref();
        }
        if hook.context != Context::No {
            context.extend(decision.context.iter().map(String::as_str));
            answer.hook_specific_output.additional_context = joined(context.into_iter()).map(cut);
        }
        person.extend(decision.person.iter().map(String::as_str));
        answer.system_message = (!person.is_empty()).then(|| person.join("\n"));
        answer
    }

    fn empty(hook_event_name: &'static str) -> Self {
        Self {
            goes_on: None,
            stop_reason: None,
            decision: None,
            reason: None,
            system_message: None,
            hook_specific_output: Specific {
                hook_event_name,
                permission_decision: None,
                permission_decision_reason: None,
                updated_input: None,
                decision: None,
                action: None,
                additional_context: None,
            },
        }
    }

    fn deny(&mut self, refusal: StopMethod, reason: &'a str, person: &mut Vec<&'a str>) {
        let specific = &mut self.hook_specific_output;
        match refusal {
            StopMethod::ToolCall | StopMethod::Permission => {
                self.permission(PermissionDecision::Deny, reason);
            }
            StopMethod::Dialog => specific.decision = Some(Dialog::Deny { message: reason }),
            StopMethod::Block | StopMethod::Prompt => {
                self.decision = Some(BlockDecision::Block);
                self.reason = Some(reason);
            }
            StopMethod::Decline => {
                specific.action = Some(Elicitation::Decline);
                // The client has no place for a reason here, and the dialog the person expected does not come.
                person.push(reason);
            }
            // Said by exit code, or not at all.
            StopMethod::Exit | StopMethod::Impossible => {}
        }
    }

    fn stop(&mut self, reason: &'a str) {
        self.goes_on = Some(false);
        self.stop_reason = Some(reason);
    }

    fn permission(&mut self, permission: PermissionDecision, reason: &'a str) {
        self.hook_specific_output.permission_decision = Some(permission);
        self.hook_specific_output.permission_decision_reason = Some(reason);
    }

    fn is_empty(&self) -> bool {
        self.goes_on.is_none()
            && self.decision.is_none()
            && self.system_message.is_none()
            && self.hook_specific_output.is_empty()
    }

    fn into_reply(self) -> Reply {
        if self.is_empty() {
            return Reply::default();
        }
        Reply {
            stdout: serde_json::to_vec(&self).expect("text and JSON values always serialise"),
            ..Reply::default()
        }
    }
}

impl Specific<'_> {
    fn is_empty(&self) -> bool {
        self.permission_decision.is_none()
            && self.updated_input.is_none()
            && self.decision.is_none()
            && self.action.is_none()
            && self.additional_context.is_none()
    }
}

/// The client may take a denial without a reason for none at all.
fn spoken(reason: &str) -> &str {
    if reason.trim().is_empty() {
        NO_REASON
    } else {
        reason
    }
}

fn joined<'a>(pieces: impl Iterator<Item = &'a str>) -> Option<String> {
    let pieces: Vec<&str> = pieces.filter(|piece| !piece.trim().is_empty()).collect();
    (!pieces.is_empty()).then(|| pieces.join("\n\n"))
}

fn cut(text: String) -> String {
    if utf16_len(&text) <= CONTEXT_LIMIT {
        return text;
    }
    let mut room = CONTEXT_LIMIT - 1;
    let mut kept: String = text
        .chars()
        .take_while(|character| match room.checked_sub(character.len_utf16()) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        })
        .collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests;
