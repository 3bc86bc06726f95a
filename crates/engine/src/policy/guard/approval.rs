//! Approvals: a person's word for exactly one command, in one folder, for one session.

use crate::hex::hex;
use sha2::{Digest, Sha256};

/// What an approval is bound to: SHA-256 of the exact bytes of the command.
pub fn command_hash(command: &str) -> String {
    hex(&Sha256::digest(command.as_bytes()))
}

/// What a prompt says about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// It is granted.
    Grant(String),
    /// It is refused.
    Refuse(String),
}

/// What a person's prompt decides, if it is nothing but that: one line, exactly the command they were shown.
pub fn in_prompt(prompt: &str) -> Option<ApprovalAnswer> {
    let rest = prompt.trim().strip_prefix("toprope guard allow ")?;
    let (refuse, id) = match rest.strip_prefix("--refuse ") {
        Some(id) => (true, id),
        None => (false, rest),
    };
    let is_id = id.len() == 8
        && id.strip_prefix("g-").is_some_and(|name| {
            name.chars()
                .all(|letter| letter.is_ascii_lowercase() || matches!(letter, '2'..='7'))
        });
    is_id.then(|| {
        if refuse {
            ApprovalAnswer::Refuse(id.to_owned())
        } else {
            ApprovalAnswer::Grant(id.to_owned())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_prompt_that_is_nothing_else_decides() {
        assert_eq!(
            in_prompt(" toprope guard allow g-ab2345\n"),
            Some(ApprovalAnswer::Grant("g-ab2345".to_owned()))
        );
        assert_eq!(
            in_prompt("toprope guard allow --refuse g-ab2345"),
            Some(ApprovalAnswer::Refuse("g-ab2345".to_owned()))
        );
        for other in [
            "please toprope guard allow g-ab2345",
            "toprope guard allow g-ab2345 and go on",
            "toprope guard allow g-ab2345\nthanks",
            "toprope guard allow g-AB2345",
            "toprope guard allow",
        ] {
            assert_eq!(in_prompt(other), None, "{other}");
        }
    }

    #[test]
    fn one_byte_makes_another_command() {
        assert_ne!(command_hash("rm -rf a"), command_hash("rm -rf a "));
        assert_eq!(command_hash("").len(), 64);
    }
}
