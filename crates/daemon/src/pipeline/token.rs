//! Says to our own commands who runs them: a shell does not know which agent it works for.
//!
//! It comes after the round, so that no policy judges it, and changes nothing but the commands that ask.

use super::AgentEvent;
use super::effects::EventScope;
use crate::random;
use engine::decision::Outcome;
use engine::event::EventKind;
use engine::round::Round;
use engine::tool::{Action, InputPatch};
use serde_json::Value;
use shell::{Scene, with_token};
use store::StoreError;
use store::life::LeaseMoment;
use store::table::tokens::{self, Bearer};

/// Gives the commands of ours in a call that will run a token of their own.
pub fn sign(
    source: &EventScope<'_>,
    subject: &AgentEvent,
    round: &mut Round,
    now: &LeaseMoment,
) -> Result<(), StoreError> {
    let EventKind::ToolBefore { call } = &subject.event.kind else {
        return Ok(());
    };
    let Action::RunCommand { command, .. } = call.action() else {
        return Ok(());
    };
    let is_denied = matches!(round.decision.outcome, Outcome::Deny { .. });
    // What a policy made of the command is what runs.
    let input = round.decision.input.as_ref().unwrap_or_else(|| call.input());
    let Some(key) = call.command_key() else {
        return Ok(());
    };
    let command = input.get(key).and_then(Value::as_str).unwrap_or(command);
    if is_denied || !subject.event.can.rewrite || !command.contains("toprope") {
        return Ok(());
    }
    let wrappers = subject.loaded.settings.guard.user_wrappers();
    let scene = Scene::at(subject.event.cwd.as_deref(), &wrappers);
    let Ok(token) = random::token() else {
        return Ok(());
    };
    let Some(signed) = with_token(command, &token, &scene) else {
        return Ok(());
    };
    let patch = InputPatch::default().set(key, signed);
    let input = patch.applied_to(input);
    let bearer = Bearer {
        actor: source.actor,
        call: source.event,
    };
    tokens::issue(source.db, &token, bearer, now.moment)?;
    round.decision.input = Some(input);
    Ok(())
}
