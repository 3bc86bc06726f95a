//! Says to our own commands who runs them: a shell does not know which agent it works for.
//!
//! It comes after the round, so that no policy judges it, and changes nothing but the commands that ask.

use super::Subjected;
use super::effects::Source;
use crate::random;
use engine::decision::Outcome;
use engine::event::EventKind;
use engine::round::Round;
use engine::shell::{Budget, Scene, Unasked, UserWrappers, with_token};
use engine::tool::{Action, InputPatch};
use store::StoreError;
use store::life::Now;
use store::table::tokens::{self, Bearer};

/// Gives the commands of ours in a call that will run a token of their own.
pub fn sign(
    source: &Source<'_>,
    subject: &Subjected,
    round: &mut Round,
    now: &Now,
) -> Result<(), StoreError> {
    let EventKind::ToolBefore { call } = &subject.event.kind else {
        return Ok(());
    };
    let Action::RunCommand { command, .. } = call.action() else {
        return Ok(());
    };
    let is_denied = matches!(round.decision.outcome, Outcome::Deny { .. });
    // A text of ours that another hook may replace is compared with what ran: it stays as it was told.
    let is_rewritten = round.decision.input.is_some();
    if is_denied || is_rewritten || !subject.event.can.rewrite || !command.contains("toprope") {
        return Ok(());
    }
    let scene = Scene {
        cwd: subject
            .event
            .cwd
            .as_ref()
            .map(|cwd| cwd.to_string_lossy().into_owned()),
        home: None,
        user: None,
        tmpdir: None,
        budget: Budget::default(),
        wrappers: &UserWrappers::default(),
        known: &Unasked,
    };
    let Ok(token) = random::token() else {
        return Ok(());
    };
    let Some(signed) = with_token(command, &token, &scene) else {
        return Ok(());
    };
    let bearer = Bearer {
        actor: source.actor,
        call: source.event,
    };
    tokens::issue(source.db, &token, bearer, now.moment)?;
    let patch = InputPatch::default().set("command", signed);
    round.decision.input = Some(patch.applied_to(call.input()));
    Ok(())
}
