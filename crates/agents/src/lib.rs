//! Translates: what an agent says into engine events, and decisions into what the agent understands.
//!
//! One folder per agent. Nothing here decides, remembers or touches the world: bytes in, values out, and back.

mod agent;
pub mod claude_code;
mod malformed;
pub mod permission;
pub mod transcript;

pub use agent::{Agent, Delivery, Reply};
pub use malformed::Malformed;

/// Every agent we understand.
pub const AGENTS: &[&dyn Agent] = &[&claude_code::ClaudeCode];

/// The agent that `toprope hook <name>` names.
pub fn by_name(name: &str) -> Option<&'static dyn Agent> {
    AGENTS.iter().copied().find(|agent| agent.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_found_by_its_exact_name_and_no_two_share_one() {
        for agent in AGENTS {
            assert_eq!(by_name(agent.name()).map(Agent::name), Some(agent.name()));
            assert_eq!(
                AGENTS.iter().filter(|other| other.name() == agent.name()).count(),
                1
            );
        }
        assert!(by_name("claude-code").is_some());
        assert!(by_name("Claude-Code").is_none());
        assert!(by_name("").is_none());
    }
}
