//! One strike: what was shown and heard passes when it is tried again; anything else is held first.

use super::aim::covers;
use super::facts::StrikeFact;

/// What earlier warnings mean for this match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strike {
    /// Something of it was never shown.
    First,
    /// The model has not read it yet: both calls were made in one step.
    Unheard,
    /// The model has read it, and means it.
    Heard,
}

/// What the actor's warnings mean for a match of this rule at these targets.
pub fn of(rule: &str, aims: &[String], strikes: &[StrikeFact]) -> Strike {
    let has_shown = |strike: &&StrikeFact| {
        let is_shown = |aim: &String| strike.targets.iter().any(|shown| covers(shown, aim));
        strike.rule == rule && !aims.is_empty() && aims.iter().all(is_shown)
    };
    // One warning has to have shown all of it: two of them were two decisions.
    let shown: Vec<&StrikeFact> = strikes.iter().filter(has_shown).collect();
    if shown.iter().any(|strike| strike.heard) {
        Strike::Heard
    } else if shown.is_empty() {
        Strike::First
    } else {
        Strike::Unheard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strike(heard: bool, targets: &[&str]) -> StrikeFact {
        StrikeFact {
            rule: "core.filesystem.rm".to_owned(),
            heard,
            targets: targets.iter().map(|target| (*target).to_owned()).collect(),
        }
    }

    #[test]
    fn a_strike_opens_what_was_shown_and_no_more() {
        let strikes = [
            strike(true, &["files /p/a", "files /p/b"]),
            strike(false, &["files /p/c"]),
            strike(true, &["files /p/e"]),
        ];
        let met = |rule: &str, aims: &[&str]| {
            let aims: Vec<String> = aims.iter().map(|aim| (*aim).to_owned()).collect();
            of(rule, &aims, &strikes)
        };
        let rule = "core.filesystem.rm";
        assert_eq!(met(rule, &["files /p/a"]), Strike::Heard);
        assert_eq!(met(rule, &["files /p/b", "files /p/a"]), Strike::Heard);
        assert_eq!(met(rule, &["files /p/c"]), Strike::Unheard);
        assert_eq!(met(rule, &["files /p/a", "files /p/e"]), Strike::First);
        assert_eq!(met(rule, &["files /p/a", "files /p/d"]), Strike::First);
        assert_eq!(met(rule, &["files /p/*"]), Strike::First);
        assert_eq!(met(rule, &[]), Strike::First);
        assert_eq!(met("core.git.clean", &["files /p/a"]), Strike::First);
    }
}
