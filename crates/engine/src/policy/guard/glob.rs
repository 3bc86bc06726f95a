//! Patterns over names and paths: `*`, `?`, `[a-z]`, and `**` in paths. Bounded, whatever the pattern.

/// How far a single star reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StarReach {
    /// Over any text.
    Text,
    /// Within one name of a path; two stars reach over several.
    Name,
}

/// Steps after which a pattern counts as not matching; only hostile ones get there.
const MOST_STEPS: usize = 100_000;

/// Whether the whole text fits the pattern.
pub fn fits(pattern: &str, text: &str, reach: StarReach) -> bool {
    let is_special = |byte: u8| matches!(byte, b'*' | b'?' | b'[' | b'\\' | b'{');
    // Most patterns are names of programs, and of another one.
    if let (Some(first), Some(letter)) = (pattern.bytes().next(), text.bytes().next())
        && first != letter
        && !is_special(first)
    {
        return false;
    }
    let Some(plain) = pattern.bytes().position(is_special) else {
        return pattern == text;
    };
    let begins = pattern.get(..plain).is_some_and(|front| text.starts_with(front));
    if !begins {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    GlobMatcher {
        pattern: &pattern,
        text: &text,
        reach,
        steps: 0,
    }
    .from(0, 0)
}

/// Whether a text with `*` or its like stands for several texts.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// What every text that fits begins with.
pub fn literal_prefix(pattern: &str) -> &str {
    pattern
        .find(['*', '?', '[', '{'])
        .and_then(|at| pattern.get(..at))
        .unwrap_or(pattern)
}

struct GlobMatcher<'a> {
    pattern: &'a [char],
    text: &'a [char],
    reach: StarReach,
    steps: usize,
}

impl GlobMatcher<'_> {
    fn from(&mut self, mut at: usize, mut here: usize) -> bool {
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return false;
            }
            match self.pattern.get(at) {
                None => return here == self.text.len(),
                Some('*') => return self.star(at, here),
                Some(letter) => {
                    let Some(next) = self.text.get(here) else {
                        return false;
                    };
                    let Some(width) = self.one(at, *letter, *next) else {
                        return false;
                    };
                    at += width;
                    here += 1;
                }
            }
        }
    }

    /// How many letters of the pattern stand for this one letter of the text.
    fn one(&self, at: usize, letter: char, next: char) -> Option<usize> {
        match letter {
            '?' => (self.reach == StarReach::Text || next != '/').then_some(1),
            '[' => {
                let rest = self.pattern.get(at + 1..)?;
                let end = rest.iter().skip(1).position(|letter| *letter == ']')? + 1;
                let set = rest.get(..end)?;
                let (negated, set) = match set.split_first() {
                    Some(('!' | '^', set)) => (true, set),
                    Some(_) | None => (false, set),
                };
                (within(set, next) != negated).then_some(end + 2)
            }
            '\\' => {
                let meant = self.pattern.get(at + 1).copied().unwrap_or('\\');
                (meant == next).then_some(2)
            }
            other => (other == next).then_some(1),
        }
    }

    fn star(&mut self, at: usize, here: usize) -> bool {
        let stars = self
            .pattern
            .iter()
            .skip(at)
            .take_while(|letter| **letter == '*')
            .count();
        let crosses = self.reach == StarReach::Text || stars > 1;
        let mut rest = at + stars;
        // `**/x` fits `x` as well.
        if crosses
            && self.reach == StarReach::Name
            && self.pattern.get(rest) == Some(&'/')
            && self.from(rest + 1, here)
        {
            return true;
        }
        if rest == self.pattern.len() && crosses {
            return true;
        }
        rest = rest.min(self.pattern.len());
        for from in here..=self.text.len() {
            if self.steps > MOST_STEPS {
                return false;
            }
            if self.from(rest, from) {
                return true;
            }
            if !crosses && self.text.get(from) == Some(&'/') {
                return false;
            }
        }
        false
    }
}

fn within(set: &[char], letter: char) -> bool {
    let mut rest = set;
    while let Some((first, after)) = rest.split_first() {
        if let [dash, last, others @ ..] = after
            && *dash == '-'
        {
            if (*first..=*last).contains(&letter) {
                return true;
            }
            rest = others;
            continue;
        }
        if *first == letter {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_in_a_path_stays_within_a_name() {
        for (pattern, text, holds) in [
            ("infra/*", "infra/a", true),
            ("infra/*", "infra/a/b", false),
            ("infra/**", "infra/a/b", true),
            ("**/.env", ".env", true),
            ("**/.env", "a/b/.env", true),
            ("*.pem", "a/b.pem", false),
            ("id_?sa", "id_rsa", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
        ] {
            assert_eq!(fits(pattern, text, StarReach::Name), holds, "{pattern} {text}");
        }
        assert!(fits("*prod*", "a/prod.tfvars", StarReach::Text));
    }

    #[test]
    fn a_hostile_pattern_ends() {
        let text = "a".repeat(3_000) + "b";
        assert!(!fits(&"*a".repeat(200), &text, StarReach::Name));
    }
}
