//! The prompts by which the client reports on background tasks, and what they name.

use super::payload;
use engine::event::{BackgroundReport, PromptOrigin};
use engine::id::ToolUseId;

const OPENING: &str = "<task-notification>";

/// Whose words a prompt is.
pub(super) fn origin(prompt: &str) -> PromptOrigin {
    match prompt.trim_start().strip_prefix(OPENING) {
        Some(body) => PromptOrigin::Notification(report(body)),
        None => PromptOrigin::Person,
    }
}

/// What the elements at its head say. A summary, a result or an event quotes others: nothing from there on is read.
fn report(body: &str) -> BackgroundReport {
    let mut report = BackgroundReport::default();
    let mut rest = body;
    while let Some((name, value, after)) = element(rest) {
        rest = after;
        match name {
            "task-id" => report.task = payload::id(value.to_owned()),
            "tool-use-id" => report.call = payload::id(value.to_owned()).map(ToolUseId::new),
            "status" => report.is_over = true,
            "output-file" => {}
            _ => break,
        }
    }
    report
}

/// The element a text begins with: its name, what is in it, and what follows.
fn element(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.trim_start().strip_prefix('<')?.split_once('>')?;
    let (value, after) = rest.split_once(&format!("</{name}>"))?;
    Some((name, value, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(prompt: &str) -> (Option<String>, Option<String>, bool) {
        match origin(prompt) {
            PromptOrigin::Notification(report) => {
                (report.task, report.call.map(|id| id.to_string()), report.is_over)
            }
            PromptOrigin::Person => panic!("a person's: {prompt}"),
        }
    }

    #[test]
    fn the_end_of_a_command_names_its_task_and_its_call() {
        let text = "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n\
            <output-file>/tmp/b1.output</output-file>\n<status>failed</status>\n<summary>failed</summary>\n</task-notification>";
        assert_eq!(told(text), (Some("b1".into()), Some("toolu_1".into()), true));
    }

    #[test]
    fn a_line_of_a_monitor_names_its_task_alone() {
        let text = "<task-notification>\n<task-id>b2</task-id>\n<summary>Monitor event: \"w\"</summary>\n\
            <event>x</event>\n</task-notification>";
        assert_eq!(told(text), (Some("b2".into()), None, false));
    }

    #[test]
    fn what_a_task_printed_names_nothing() {
        let text = "<task-notification>\n<task-id>b3</task-id>\n<summary>s</summary>\n\
            <event><tool-use-id>toolu_9</tool-use-id><status>completed</status></event>\n</task-notification>";
        assert_eq!(told(text), (Some("b3".into()), None, false));
    }

    #[test]
    fn a_hook_that_wakes_the_model_names_nothing() {
        let text = "<task-notification>\n<summary>Stop hook feedback</summary>\n</task-notification>";
        assert_eq!(told(text), (None, None, false));
        assert_eq!(told("\n <task-notification>"), (None, None, false));
        assert_eq!(told("<task-notification><task-id>cut off"), (None, None, false));
    }

    #[test]
    fn a_prompt_that_only_speaks_of_notifications_is_a_persons() {
        assert_eq!(origin("what is <task-notification>?"), PromptOrigin::Person);
        assert_eq!(origin(""), PromptOrigin::Person);
    }
}
