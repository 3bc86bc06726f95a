//! What the next in line is told when a file becomes free.

use super::held::ActorLabel;
use crate::time::short;

/// A file is the reader's for a while. `before` had it, where that is known.
pub fn offer(shown: &str, before: Option<&ActorLabel>, for_ms: u64) -> String {
    let kept = short(for_ms);
    let done = before.map_or_else(String::new, |who| format!(": {} is done with it", who.shown()));
    format!("{shown} is yours for {kept}{done}. Read it again before you edit.")
}

/// A file that the reader waited for when its last turn ended is free.
pub fn free(shown: &str) -> String {
    format!("{shown}, which you waited for, is free now. Read it again before you edit.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ActorId;

    fn who(description: Option<&str>) -> ActorLabel {
        ActorLabel {
            actor: ActorId(1),
            label: "reviewer@a91c".to_owned(),
            description: description.map(str::to_owned),
            is_person: false,
            in_my_session: false,
        }
    }

    #[test]
    fn an_offer_that_began_a_moment_ago_is_not_a_minute_shorter() {
        assert_eq!(
            offer("a", None, 119_900),
            "a is yours for 2 min. Read it again before you edit."
        );
    }

    #[test]
    fn an_offer_says_who_is_done_and_how_long_it_lasts() {
        assert_eq!(
            offer("src/a.rs", Some(&who(Some("fix parser"))), 120_000),
            "src/a.rs is yours for 2 min: reviewer@a91c (\"fix parser\") is done with it. Read it again before you edit."
        );
        assert_eq!(
            offer("src/a.rs", Some(&who(None)), 30_000),
            "src/a.rs is yours for 30 s: reviewer@a91c is done with it. Read it again before you edit."
        );
        assert_eq!(
            offer("a", None, 10_000),
            "a is yours for 10 s. Read it again before you edit."
        );
    }
}
