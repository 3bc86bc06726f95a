//! Files a tool wrote that no checkpoint follows: a guard asks later whose they are.

use super::AgentEvent;
use super::effects::EventScope;
use engine::event::EventKind;
use engine::tool::Action;
use std::path::Path;
use store::StoreError;

/// Notes the file of a tool that wrote one outside every worktree.
pub fn note(source: &EventScope<'_>, subject: &AgentEvent) -> Result<(), StoreError> {
    let EventKind::ToolAfter { call, response, .. } = &subject.event.kind else {
        return Ok(());
    };
    let path = match call.action() {
        Action::WriteFile { path } | Action::EditFile { path } if subject.named.is_empty() => path,
        _ => return Ok(()),
    };
    let cwd = subject.event.cwd.as_deref().unwrap_or(Path::new("/"));
    let real = git::target::real(&cwd.join(path));
    let made = matches!(call.action(), Action::WriteFile { .. }) && subject.agent.made_file(response);
    source.wrote(&real, made)
}
