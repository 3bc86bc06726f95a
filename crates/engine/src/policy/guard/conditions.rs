//! Whether a rule holds here and now: its `when`.

use super::command_view::CommandView;
use super::facts::GuardFacts;
use super::glob::{StarReach, fits};
use super::push::is_protected;
use super::rule::RuleCondition;
use super::ruleset::RuleSet;
use super::world::GuardWorld;

/// Whether every condition holds. What is not known does not hold, but for the branch: there the worse case counts.
pub fn hold(when: &RuleCondition, seen: &CommandView<'_>, rules: &RuleSet, world: &GuardWorld<'_>) -> bool {
    hold_of_actor(when, world.facts)
        && when.branch.as_deref().is_none_or(|wanted| {
            let branch = world
                .repository(seen.command.cwd.as_deref())
                .and_then(|repository| repository.branch.as_deref());
            match (wanted, branch) {
                (_, None) => true,
                ("protected", Some(branch)) => is_protected(branch, seen, world, rules),
                (pattern, Some(branch)) => fits(pattern, branch, StarReach::Text),
            }
        })
}

/// Whether the conditions hold that are about who acts, and when. What is not known does not hold.
pub fn hold_of_actor(when: &RuleCondition, facts: &GuardFacts) -> bool {
    let fits_one = |pattern: &Option<String>, value: Option<&str>| match pattern {
        None => true,
        Some(pattern) => value.is_some_and(|value| fits(pattern, value, StarReach::Text)),
    };
    when.attended.is_none_or(|attended| attended == facts.attended)
        && fits_one(&when.skill, facts.skill.as_deref())
        && fits_one(&when.phase, facts.phase.as_deref())
        && (when.agent_type.is_empty()
            || facts
                .agent_type
                .as_ref()
                .is_some_and(|kind| when.agent_type.contains(kind)))
}
