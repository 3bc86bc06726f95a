//! Which branches nobody but a person moves.

use super::Settings;

impl Settings {
    /// Whether nobody but a person commits on this branch: it is one of `protected_branches`, in which `*` stands for
    /// anything.
    pub fn protects(&self, branch: &str) -> bool {
        self.protected_branches.iter().any(|name| matches(name, branch))
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(start) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = left.get(at + part.len()..).unwrap_or_default();
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Profile;

    #[test]
    fn the_usual_branches_and_all_releases_are_protected() {
        let settings = Settings::of(Profile::Standard);
        let protected = |branch| settings.protects(branch);
        assert!(
            protected("main") && protected("master") && protected("release/1.2") && protected("release/1/2")
        );
        assert!(
            !protected("feature/main")
                && !protected("mainly")
                && !protected("releases")
                && !protected("Main")
        );
    }

    #[test]
    fn a_star_stands_for_anything_anywhere() {
        for (pattern, text, holds) in [
            ("*", "anything", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("*-stable", "v1-stable", true),
            ("ab*ba", "aba", false),
            ("", "main", false),
        ] {
            assert_eq!(matches(pattern, text), holds, "{pattern} {text}");
        }
    }
}
