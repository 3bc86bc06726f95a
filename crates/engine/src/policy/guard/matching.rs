//! Whether a command fits a rule: yes, no, or maybe with evidence. Ignorance alone is no evidence.

use super::command_view::{CommandView, upstream};
use super::exec;
use super::glob::{StarReach, fits};
use super::rule::{CommandPattern, Flags, Operands, StdinSource};
use super::world::GuardWorld;
use super::zone::Zone;
use shell::Word;
use shell::grammar::Given;

/// How far a command fits, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchStrength {
    /// How certain it is.
    pub sure: Certainty,
    /// Something literal beyond the program's name speaks for it.
    pub evidence: bool,
    /// What is missing for a yes.
    pub missing: Option<&'static str>,
    /// The worst zone of the operands it is about.
    pub zone: Option<Zone>,
}

/// How certain something is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It is not so.
    No,
    /// It may be so.
    Maybe,
    /// It is so.
    Yes,
}

impl MatchStrength {
    /// Nothing was looked at yet.
    pub fn yes() -> Self {
        Self {
            sure: Certainty::Yes,
            evidence: false,
            missing: None,
            zone: None,
        }
    }

    /// It does not fit.
    pub fn no() -> Self {
        Self {
            sure: Certainty::No,
            ..Self::yes()
        }
    }

    fn maybe(missing: &'static str) -> Self {
        Self {
            sure: Certainty::Maybe,
            missing: Some(missing),
            ..Self::yes()
        }
    }

    fn evident(mut self) -> Self {
        self.evidence = true;
        self
    }

    fn and(self, other: impl FnOnce() -> Self) -> Self {
        if self.sure == Certainty::No {
            return self;
        }
        let other = other();
        Self {
            sure: self.sure.min(other.sure),
            evidence: self.evidence || other.evidence,
            missing: self.missing.or(other.missing),
            zone: self.zone.max(other.zone),
        }
    }
}

/// How far the command fits the pattern. `strict`: an unknown program is evidence enough.
pub fn fit(
    pattern: &CommandPattern,
    seen: &CommandView<'_>,
    world: &GuardWorld<'_>,
    strict: bool,
) -> MatchStrength {
    let fit = program(pattern, seen)
        .and(|| sub(pattern, seen))
        .and(|| flags(&pattern.flags, seen))
        .and(|| match &pattern.operand {
            Some(operands) => operand(operands, seen, world),
            None => MatchStrength::yes(),
        })
        .and(|| redirect(pattern, seen, world))
        .and(|| stdin(pattern.stdin, seen))
        .and(|| env(pattern, seen))
        .and(|| statement(pattern, seen));
    if fit.sure == Certainty::Maybe && !fit.evidence && !strict {
        return MatchStrength::no();
    }
    fit
}

fn program(pattern: &CommandPattern, seen: &CommandView<'_>) -> MatchStrength {
    if pattern.program.is_empty() {
        return MatchStrength::yes();
    }
    let is_meant = |name: &str| {
        pattern
            .program
            .iter()
            .any(|wanted| fits(wanted, name, StarReach::Text))
    };
    if let Some(program) = seen.program {
        return if is_meant(program) {
            MatchStrength::yes()
        } else {
            MatchStrength::no()
        };
    }
    match seen.command.argv.first() {
        Some(Word::OneOf(names)) => {
            let base = |name: &String| name.rsplit('/').next().unwrap_or(name).to_owned();
            if names.iter().map(base).any(|name| is_meant(&name)) {
                MatchStrength::maybe("the program").evident()
            } else {
                MatchStrength::no()
            }
        }
        // Without a subcommand, option or operand of its own, a rule would fit every unknown program.
        Some(Word::Unknown { .. }) if *pattern != only_programs(pattern) => {
            MatchStrength::maybe("the program")
        }
        Some(Word::Unknown { .. } | Word::Literal(_) | Word::Glob { .. }) | None => MatchStrength::no(),
    }
}

fn only_programs(pattern: &CommandPattern) -> CommandPattern {
    CommandPattern {
        program: pattern.program.clone(),
        ..CommandPattern::default()
    }
}

fn sub(pattern: &CommandPattern, seen: &CommandView<'_>) -> MatchStrength {
    if pattern.sub.is_empty() {
        return MatchStrength::yes();
    }
    // A program whose table has no subcommands may have them all the same: its first words.
    let first: Vec<&str> = seen
        .operands()
        .iter()
        .map_while(|operand| operand.word.literal())
        .take(4)
        .collect();
    let given = if seen.usage.sub.is_empty() && seen.program.is_some() {
        &first
    } else {
        &seen.usage.sub
    };
    let is_meant = |path: &String| {
        let mut words = given.iter();
        path.split(' ').all(|wanted| {
            words
                .next()
                .is_some_and(|word| fits(wanted, word, StarReach::Text))
        })
    };
    if pattern.sub.iter().any(is_meant) {
        return if seen.usage.sub_sure || seen.program.is_some() {
            MatchStrength::yes().evident()
        } else {
            MatchStrength::maybe("the subcommand").evident()
        };
    }
    // The word where the subcommand would stand may be any.
    let hidden = given.is_empty()
        && seen
            .usage
            .operands
            .first()
            .is_some_and(|operand| operand.word.is_unknown());
    if hidden {
        MatchStrength::maybe("the subcommand")
    } else {
        MatchStrength::no()
    }
}

fn flags(flags: &Flags, seen: &CommandView<'_>) -> MatchStrength {
    let mut fit = MatchStrength::yes();
    if !flags.any.is_empty() {
        let best = flags
            .any
            .iter()
            .map(|name| flag(name, seen))
            .max_by_key(|fit| fit.sure);
        fit = fit.and(|| best.unwrap_or_else(MatchStrength::no));
    }
    for name in &flags.all {
        fit = fit.and(|| flag(name, seen));
    }
    for name in &flags.none {
        fit = fit.and(|| {
            let other = seen.usage.options.iter().find(|given| is_given(name, given));
            match other {
                Some(given) if given.sure => MatchStrength::no(),
                Some(_) => MatchStrength::maybe("an option"),
                None => MatchStrength::yes(),
            }
        });
    }
    fit
}

fn flag(name: &str, seen: &CommandView<'_>) -> MatchStrength {
    let found: Vec<&Given<'_>> = seen
        .usage
        .options
        .iter()
        .filter(|given| is_given(name, given))
        .collect();
    // One letter means something else to every program: of an unknown one it says nothing.
    let tells = seen.program.is_some() || found.iter().any(|given| given.written.starts_with("--"));
    let evident = |fit: MatchStrength| if tells { fit.evident() } else { fit };
    match found.iter().map(|given| given.sure).max() {
        Some(true) => evident(MatchStrength::yes()),
        Some(false) => evident(MatchStrength::maybe("an option")),
        None if seen.usage.has_unknown_options && !only_lists(seen) => MatchStrength::maybe("an option"),
        None => MatchStrength::no(),
    }
}

/// Programs that print names: what stands in for an operand, hardly ever for an option.
const LISTING: [&str; 26] = [
    "awk", "basename", "cut", "date", "dirname", "docker", "egrep", "fd", "find", "gh", "git", "grep",
    "head", "helm", "kubectl", "ls", "lsof", "pgrep", "pidof", "podman", "rg", "sed", "sort", "tail", "tr",
    "uniq",
];
/// How many commands in front of a word are looked at.
const MOST_LISTED: usize = 16;

/// Whether every word that may be several comes from programs that only print names: `docker rm $(docker ps -q)`.
fn only_lists(seen: &CommandView<'_>) -> bool {
    let lists = |index: &usize| {
        let command = seen.intent.commands.get(*index);
        command
            .and_then(super::command_view::program)
            .is_some_and(|name| LISTING.contains(&name))
    };
    let is_listed = |at: usize| {
        let feed = seen.command.feeds.iter().find(|feed| feed.word == at);
        feed.is_some_and(|feed| {
            let before = feed
                .commands
                .iter()
                .flat_map(|index| upstream(seen.intent, *index));
            let all: Vec<usize> = feed
                .commands
                .iter()
                .copied()
                .chain(before)
                .take(MOST_LISTED + 1)
                .collect();
            !all.is_empty() && all.len() <= MOST_LISTED && all.iter().all(lists)
        })
    };
    let words = || seen.command.argv.iter().enumerate();
    let mut several = words().filter(|(_, word)| matches!(word, Word::Unknown { quoted: false, .. }));
    let is_option = |(_, word): (usize, &Word)| word.is_unknown() && word.prefix().starts_with('-');
    !words().any(is_option) && several.all(|(at, _)| is_listed(at))
}

/// Whether an option is the one a rule names; `--name=glob` also looks at its value.
fn is_given(wanted: &str, given: &Given<'_>) -> bool {
    match wanted.split_once('=') {
        None => given.is(wanted),
        Some((name, value)) => {
            given.is(name)
                && match given.value.as_deref() {
                    Some(Word::Literal(text)) => fits(value, text, StarReach::Text),
                    Some(Word::OneOf(texts)) => texts.iter().any(|text| fits(value, text, StarReach::Text)),
                    Some(Word::Glob { .. } | Word::Unknown { .. }) => true,
                    None => value.is_empty(),
                }
        }
    }
}

fn operand(operands: &Operands, seen: &CommandView<'_>, world: &GuardWorld<'_>) -> MatchStrength {
    let given = seen.operands();
    let certain = given.iter().all(|operand| !is_several(operand.word));
    let mut fit = MatchStrength::yes();
    if let Some(count) = operands.count {
        fit = fit.and(|| match (count.holds(given.len()), certain) {
            (true, true) => MatchStrength::yes(),
            (true | false, false) => MatchStrength::maybe("the operands"),
            (false, true) => MatchStrength::no(),
        });
    }
    if !operands.none.is_empty() {
        let spared = given
            .iter()
            .filter_map(|operand| operand.word.literal())
            .any(|text| {
                operands
                    .none
                    .iter()
                    .any(|pattern| fits(pattern, text, StarReach::Text))
            });
        fit = fit.and(|| {
            if spared {
                MatchStrength::no()
            } else {
                MatchStrength::yes()
            }
        });
    }
    let wants_one = !operands.glob.is_empty() || !operands.text.is_empty() || !operands.zone.is_empty();
    if !wants_one {
        return fit;
    }
    let best = given
        .iter()
        .map(|operand| word(operands, operand.word, seen, world))
        .max_by_key(|fit| (fit.sure, fit.zone));
    fit.and(|| best.unwrap_or_else(MatchStrength::no))
}

fn word(operands: &Operands, word: &Word, seen: &CommandView<'_>, world: &GuardWorld<'_>) -> MatchStrength {
    let mut fit = MatchStrength::yes();
    if !operands.glob.is_empty() || !operands.text.is_empty() {
        let is_meant = |text: &str| {
            operands
                .glob
                .iter()
                .any(|pattern| fits(pattern, text, StarReach::Text))
                || operands.text.iter().any(|exact| exact == text)
        };
        fit = fit.and(|| match word {
            Word::Literal(text) if is_meant(text) => MatchStrength::yes().evident(),
            Word::OneOf(texts) if texts.iter().any(|text| is_meant(text)) => {
                MatchStrength::maybe("an operand").evident()
            }
            Word::Glob { pattern } if is_meant(pattern) => MatchStrength::yes().evident(),
            Word::Literal(_) | Word::OneOf(_) | Word::Glob { .. } => MatchStrength::no(),
            Word::Unknown { prefix, suffix, .. } if is_meant(&format!("{prefix}{suffix}")) => {
                MatchStrength::maybe("an operand").evident()
            }
            Word::Unknown { .. } => MatchStrength::maybe("an operand"),
        });
    }
    if !operands.zone.is_empty() {
        fit = fit.and(|| {
            let zone = seen.zone(word, world).zone;
            if operands.zone.contains(&zone) {
                MatchStrength {
                    zone: Some(zone),
                    ..MatchStrength::yes().evident()
                }
            } else if zone == Zone::Unknown {
                MatchStrength {
                    zone: Some(zone),
                    ..MatchStrength::maybe("a target")
                }
            } else {
                MatchStrength::no()
            }
        });
    }
    fit
}

/// An unquoted unknown may be any number of words.
fn is_several(word: &Word) -> bool {
    matches!(word, Word::Unknown { quoted: false, .. } | Word::Glob { .. })
}

fn redirect(pattern: &CommandPattern, seen: &CommandView<'_>, world: &GuardWorld<'_>) -> MatchStrength {
    let Some(wanted) = &pattern.redirect else {
        return MatchStrength::yes();
    };
    let best = seen
        .command
        .redirects
        .iter()
        .filter(|redirect| redirect.writes())
        .map(|redirect| word(&wanted.to, &redirect.target, seen, world))
        .max_by_key(|fit| (fit.sure, fit.zone));
    best.unwrap_or_else(MatchStrength::no)
}

fn stdin(source: Option<StdinSource>, seen: &CommandView<'_>) -> MatchStrength {
    let Some(source) = source else {
        return MatchStrength::yes();
    };
    let is_meant = |index: &usize| {
        seen.intent
            .commands
            .get(*index)
            .is_some_and(|command| match source {
                StdinSource::Network => exec::fetches(command),
                StdinSource::Decoder => exec::decodes(command),
            })
    };
    if seen.upstream().iter().any(is_meant) {
        MatchStrength::yes().evident()
    } else {
        MatchStrength::no()
    }
}

fn env(pattern: &CommandPattern, seen: &CommandView<'_>) -> MatchStrength {
    if pattern.env.is_empty() {
        return MatchStrength::yes();
    }
    let is_set = |wanted: &String| {
        let (name, value) = wanted.split_once('=').unwrap_or((wanted, "*"));
        seen.command.env.iter().any(|(given, word)| {
            fits(name, given, StarReach::Text)
                && (value == "*" || word.texts().iter().any(|text| fits(value, text, StarReach::Text)))
        })
    };
    if pattern.env.iter().any(is_set) {
        MatchStrength::yes().evident()
    } else {
        MatchStrength::no()
    }
}

fn statement(pattern: &CommandPattern, seen: &CommandView<'_>) -> MatchStrength {
    if pattern.statement.is_empty() {
        return MatchStrength::yes();
    }
    let is_told = |wanted: &String| {
        let (verb, without) = match wanted.strip_suffix(" without where") {
            Some(verb) => (verb, true),
            None => (wanted.as_str(), false),
        };
        seen.command
            .statements
            .iter()
            .any(|statement| statement.verb.eq_ignore_ascii_case(verb) && !(without && statement.has_where))
    };
    if pattern.statement.iter().any(is_told) {
        MatchStrength::yes().evident()
    } else {
        MatchStrength::no()
    }
}
