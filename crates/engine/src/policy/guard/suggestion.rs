//! What a rule offers instead, in the words of the program that was called: a rule names several programs, and its own text
//! can call only one of them.

use super::command_view::CommandView;
use super::rule::{CommandPattern, Rule};

/// Offered where the rule's own suggestion is about another program.
const NONE: &str = "(say what would go, and let the person decide)";

/// The rule's suggestion, as it fits the command.
pub fn of(rule: &Rule, seen: &CommandView<'_>) -> String {
    let (offered, rest) = rule.instead.split_once(' ').unwrap_or((&rule.instead, ""));
    let names = |pattern: &&CommandPattern, name: &str| pattern.program.iter().any(|program| program == name);
    let called = seen.program.unwrap_or_default();
    let is_known = rule.any.iter().any(|pattern| names(&pattern, offered));
    if called == offered || !is_known {
        return rule.instead.clone();
    }
    // Programs that one line of a rule names take the same words.
    let is_alike = |pattern: &CommandPattern| names(&pattern, offered) && names(&pattern, called);
    if rule.any.iter().any(is_alike) {
        format!("{called} {rest}")
    } else {
        NONE.to_owned()
    }
}
