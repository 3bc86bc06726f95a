//! Stops a writer who never saw what the file holds now. A read clears it.

mod message;
mod staleness;

use crate::effect::Effect;
use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::lease::cover::LeaseCover;
use crate::lease::wanted::absolute;
use crate::lease::{FileChangeKind, Me, Means, TargetFacts};
use crate::policy::{Asking, Policy, lease};
use crate::question::Question;
use crate::settings::{Mode, Settings, StaleWriteSettings};
use crate::tool::{Action, ToolCall};
use crate::verdict::{Advice, Judgement, Verdict};
use shell::{self, Shown, ShownFile};

/// See the module.
pub struct StaleWrite;

impl Policy for StaleWrite {
    fn name(&self) -> &'static str {
        "stale_write"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.stale_write.mode.max(settings.stale_write.changes)
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        let is_written = |facts: &crate::lease::LeaseFacts| !facts.targets.is_empty();
        matches!(event.kind, EventKind::ToolBefore { .. }) && facts.lease.as_deref().is_some_and(is_written)
    }

    fn questions(&self, event: &Event, known: &Asking<'_>) -> Vec<Question> {
        // Where leases are on, they ask the same.
        if known.settings.lease.mode == Mode::Off {
            lease::files(event, known)
        } else {
            Vec::new()
        }
    }

    fn judge(&self, _event: &Event, facts: &Facts) -> Judgement {
        let Some(lease) = &facts.lease else {
            return Judgement::silent();
        };
        let settings = &facts.settings;
        // Patterns were checked when the settings were read.
        let Ok(cover) = LeaseCover::new(&settings.lease.include, &settings.lease.exclude) else {
            return Judgement::silent();
        };
        let mut advice = Vec::new();
        for target in lease.targets.iter().filter(|facts| is_covered(facts, &cover)) {
            let mode = mode_of(&settings.stale_write, target.target.how);
            let Some(unseen) = staleness::unseen(&lease.me, target).filter(|_| mode != Mode::Off) else {
                continue;
            };
            let (path, how) = (&target.target.shown, target.target.how);
            if mode == Mode::Enforce {
                return Judgement {
                    verdict: Verdict::Deny(message::denied(path, how, unseen)),
                    always: vec![Effect::TellPerson(message::to_person(path, how, unseen))],
                    granted: Vec::new(),
                };
            }
            let text = message::advised(path, how, unseen);
            advice.push(Advice::new(text, format!("stale {path}")));
        }
        if advice.is_empty() {
            Judgement::silent()
        } else {
            Verdict::Advise(advice).into()
        }
    }
}

/// Outside every worktree only tools are judged: commands write logs and temporary files there.
fn is_covered(facts: &TargetFacts, cover: &LeaseCover) -> bool {
    let target = &facts.target;
    let is_anywhere = target.key.worktree.is_some() || target.means == Means::Tool;
    target.leasable && is_anywhere && cover.has(&target.key.path)
}

fn mode_of(settings: &StaleWriteSettings, how: FileChangeKind) -> Mode {
    match how {
        FileChangeKind::Overwrite => settings.mode,
        FileChangeKind::Change | FileChangeKind::Remove => settings.changes,
    }
}

/// Whether the actor changes a file on top of a change that it has not seen.
pub fn overlooks(me: &Me, facts: &TargetFacts) -> bool {
    facts.target.how == FileChangeKind::Change && staleness::overlooked(me, facts).is_some()
}

/// Asks what a reader is about to see, and what else it has seen once all of a command ran.
pub(super) fn seen(event: &Event) -> Option<Question> {
    let call = match &event.kind {
        EventKind::ToolBefore { call } => call,
        EventKind::ToolAfter { call, .. } => return seen_with_success(call, event),
        _ => return None,
    };
    let (shown, means) = match call.action() {
        Action::ReadFile { path, extent } => {
            let path = absolute(path, event.cwd.as_deref())?;
            let shown = Shown {
                file: ShownFile::Path(path),
                extent: *extent,
            };
            (vec![shown], Means::Tool)
        }
        Action::RunCommand {
            command,
            background: false,
        } if shell::may_show(command) => {
            let plain = call.plain(command, event.cwd.as_deref());
            (shell::shown(command, plain.intent()), Means::Shell)
        }
        Action::RunCommand { .. }
        | Action::WriteFile { .. }
        | Action::EditFile { .. }
        | Action::SpawnAgent { .. }
        | Action::Other
        | Action::Unknown => return None,
    };
    (!shown.is_empty()).then_some(Question::Seen { shown, means })
}

/// What is shown behind `&&` is shown if the client says that the command succeeded.
fn seen_with_success(call: &ToolCall, event: &Event) -> Option<Question> {
    let Action::RunCommand {
        command,
        background: false,
    } = call.action()
    else {
        return None;
    };
    if !command.contains("&&") || !shell::may_show(command) {
        return None;
    }
    let plain = call.plain(command, event.cwd.as_deref());
    let shown = shell::shown_with_success(command, plain.intent());
    let means = Means::Shell;
    (!shown.is_empty()).then_some(Question::Seen { shown, means })
}

#[cfg(test)]
mod tests;
