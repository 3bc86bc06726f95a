//! The contract as a table: every event, how it is read, how it is refused, and whether the model hears us.

use super::PROBE;
use super::kind;
use super::payload::PayloadFields;
use Context::{Heard, No, Wakes};
use StopMethod::{Block, Decline, Dialog, Exit, Impossible, Permission, Prompt, ToolCall};
use engine::event::{Abilities, Context, EventKind};

/// One event of the client.
pub(super) struct Hook {
    /// Its name; an answer must repeat it exactly.
    pub name: &'static str,
    /// Reads the fields of its own.
    pub read: fn(&mut PayloadFields) -> EventKind,
    /// How a denial is said.
    pub refusal: StopMethod,
    /// Whether text reaches the model.
    pub context: Context,
}

/// How the client lets us stop the thing an event reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopMethod {
    /// Nothing stops it.
    Impossible,
    /// `permissionDecision`; the person can be asked and the input replaced as well.
    ToolCall,
    /// `permissionDecision`, to deny only.
    Permission,
    /// `decision.behavior`, in the place of the person who would be asked.
    Dialog,
    /// `decision: "block"` beside `reason`.
    Block,
    /// The same, or `continue: false` beside `stopReason`, which keeps the prompt in the person's history.
    Prompt,
    /// `action: "decline"`.
    Decline,
    /// Exit code 2; the client knows no JSON for it.
    Exit,
}

/// The events of the client, in the order of a session's life.
///
/// `PostToolUse`, `PostToolUseFailure` and `PostToolBatch` take a block as well, but a block undoes nothing there and
/// ends the turn after a batch: we only speak. `PreCompact` text steers the summary and is no context for the agent.
pub(super) const HOOKS: &[Hook] = &[
    hook("Setup", kind::setup, Impossible, Heard),
    hook("SessionStart", kind::session_start, Impossible, Heard),
    hook("InstructionsLoaded", kind::instructions_loaded, Impossible, No),
    hook("UserPromptSubmit", kind::prompt, Prompt, Heard),
    hook("UserPromptExpansion", kind::prompt_expansion, Block, Heard),
    hook("PreToolUse", kind::tool_before, ToolCall, Heard),
    hook("PermissionRequest", kind::permission_request, Dialog, No),
    hook("PermissionDenied", kind::permission_denied, Impossible, No),
    hook("PostToolUse", kind::tool_after, Impossible, Heard),
    hook("PostToolUseFailure", kind::tool_failed, Impossible, Heard),
    hook("PostToolBatch", kind::tool_batch, Impossible, Heard),
    hook("SubagentStart", kind::agent_start, Impossible, Heard),
    hook("SubagentStop", kind::agent_stop, Block, Wakes),
    hook("TeammateIdle", kind::teammate_idle, Exit, No),
    hook("TaskCreated", kind::task_created, Exit, No),
    hook("TaskCompleted", kind::task_completed, Exit, No),
    hook("Notification", kind::notification, Impossible, No),
    hook("Elicitation", kind::elicitation, Decline, No),
    hook("ElicitationResult", kind::elicitation_result, Impossible, No),
    hook("PreCompact", kind::compact_before, Exit, No),
    hook("PostCompact", kind::compact_after, Impossible, No),
    hook("PreModelSwitch", kind::model_switch_before, Permission, No),
    hook("PostModelSwitch", kind::model_switch_after, Impossible, Heard),
    hook("ConfigChange", kind::config_change, Block, No),
    hook("CwdChanged", kind::cwd_changed, Impossible, No),
    hook("FileChanged", kind::file_changed, Impossible, No),
    hook("DirectoryAdded", kind::directory_added, Impossible, No),
    hook("WorktreeCreate", kind::worktree_create, Impossible, No),
    hook("WorktreeRemove", kind::worktree_remove, Impossible, No),
    hook("MessageDisplay", kind::message_display, Impossible, No),
    hook("Stop", kind::turn_end, Block, Wakes),
    hook("StopFailure", kind::turn_failed, Impossible, No),
    hook("SessionEnd", kind::session_end, Impossible, No),
];

const OUR_PROBE: &Hook = &hook(PROBE, |_| EventKind::Probe, Impossible, No);

impl Hook {
    /// The event of this name, unless it is one this version does not know.
    pub fn named(name: &str) -> Option<&'static Self> {
        HOOKS.iter().chain([OUR_PROBE]).find(|hook| hook.name == name)
    }

    /// What an answer to it can achieve.
    pub fn abilities(&self) -> Abilities {
        Abilities {
            block: self.refusal != Impossible,
            ask: self.refusal == ToolCall,
            rewrite: self.refusal == ToolCall,
            context: self.context,
        }
    }
}

const fn hook(
    name: &'static str,
    read: fn(&mut PayloadFields) -> EventKind,
    refusal: StopMethod,
    context: Context,
) -> Hook {
    Hook {
        name,
        read,
        refusal,
        context,
    }
}
