//! What the guard advises passes the guard, and what it says reads as it should: every rule, every example.

use crate::policy::guard::judged::Judged;
use crate::policy::guard::loading::RuleSource;
use crate::policy::guard::message::{LONGEST, LONGEST_FIRST};
use crate::policy::guard::pack::{FILES, read};
use crate::policy::guard::rule::Rule;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::{Synthetic, example_worlds};
use crate::policy::guard::verdict::Ruling;
use crate::settings::{Profile, Settings};
use std::sync::Arc;

/// A rule's example in the world it matches, and what was said of it.
struct Said {
    rule: Arc<Rule>,
    world: Synthetic,
    command: String,
    judged: Judged,
}

/// Every example of every rule about commands, in every world in which it matches, watched or not.
fn said() -> Vec<Said> {
    let mut said = Vec::new();
    for (name, text) in FILES {
        for rule in read(name, text).rules.into_iter().map(Arc::new) {
            if rule.tool.is_some() {
                continue;
            }
            let mut settings = Settings::default();
            "tmp".clone_into(&mut settings.guard.scratch_dir);
            let rules = RuleSet::only(&settings, RuleSource::BuiltIn, &rule);
            for world in example_worlds(&rule) {
                for (attended, counts) in [(true, None), (false, None), (true, Some((3, 2)))] {
                    let world = Synthetic {
                        attended,
                        counts,
                        request: Some("g-abcdef".to_owned()),
                        ..world.clone()
                    };
                    for command in &rule.hits {
                        let judged = world.judge(command, &rules);
                        if judged.ruling != Ruling::Silent {
                            said.push(Said {
                                rule: Arc::clone(&rule),
                                world: world.clone(),
                                command: command.clone(),
                                judged,
                            });
                        }
                    }
                }
            }
        }
    }
    said
}

/// The commands a message offers, alone or in a sentence behind the first.
fn offered(message: &str) -> Vec<&str> {
    let quoted = message
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with('`') && !line.starts_with("Toprope asks: "))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        // Names of files and options are no commands.
        .filter(|quoted| quoted.contains(' ') && !quoted.starts_with('-'));
    let given = message
        .lines()
        .flat_map(|line| line.split(" Instead: ").skip(1).chain([line]))
        .filter_map(|part| {
            let command = part
                .strip_prefix("Instead: ")
                .or_else(|| part.strip_prefix("Safer: "))
                .or_else(|| {
                    (!part.contains(". ") && message.contains(&format!(" Instead: {part}"))).then_some(part)
                })?;
            Some(command.rsplit_once(" [").map_or(command, |(command, _)| command))
        });
    given.chain(quoted).collect()
}

#[test]
fn every_suggestion_of_every_rule_is_silent_in_the_state_that_led_to_it() {
    let mut followed = 0;
    let mut stopped = Vec::new();
    for one in said() {
        for profile in [Profile::Standard, Profile::Strict] {
            if profile == Profile::Standard && one.rule.strict {
                continue;
            }
            let rules = RuleSet::built_in(&Settings::of(profile));
            for command in offered(&one.judged.message) {
                followed += 1;
                let again = one.world.judge(command, &rules);
                if again.ruling != Ruling::Silent {
                    let got = again.ruling.word();
                    stopped.push(format!("{} {:?}: {command}: {got}", one.rule.id, one.command));
                }
            }
        }
    }
    stopped.sort();
    stopped.dedup();
    assert_eq!(stopped, Vec::<String>::new());
    assert!(followed > 200, "{followed} suggestions were followed");
}

#[test]
fn what_is_offered_beside_a_clean_is_silent_whatever_would_go() {
    let rules = RuleSet::built_in(&Settings::default());
    for hooked in [false, true] {
        for untracked in [0, 1, 20] {
            for command in [
                "git clean -fd",
                "git clean -fdx",
                "git clean -fdX",
                "git clean -f -x -e keep -- src",
                "git clean -ffdx .claude",
            ] {
                let world = Synthetic {
                    hooked,
                    counts: Some((3, untracked)),
                    ..Synthetic::default()
                };
                let judged = world.judge(command, &rules);
                let offered = offered(&judged.message);
                let message = &judged.message;
                assert_eq!(
                    judged.ruling == Ruling::Silent,
                    untracked == 0 && !hooked,
                    "{message}"
                );
                assert_eq!(offered.is_empty(), judged.ruling == Ruling::Silent, "{message}");
                for offer in offered {
                    // It is about the same files.
                    assert_eq!(offer.contains("-x"), command.contains('x'), "{message}");
                    let again = world.judge(offer, &rules);
                    assert_eq!(
                        again.ruling,
                        Ruling::Silent,
                        "{command}: {offer}: {}",
                        again.message
                    );
                }
            }
        }
    }
}

#[test]
fn a_suggestion_calls_no_program_that_stands_beside_the_one_that_was_called() {
    let mut others = Vec::new();
    for one in said() {
        let known: Vec<&String> = one.rule.any.iter().flat_map(|pattern| &pattern.program).collect();
        let is_word = |text: &str, program: &str| {
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_')
                .any(|word| word == program)
        };
        for offer in offered(&one.judged.message) {
            let program = offer.split(' ').next().unwrap_or_default();
            if known.iter().any(|known| *known == program) && !is_word(&one.command, program) {
                others.push(format!("{} {:?}: {offer}", one.rule.id, one.command));
            }
        }
    }
    others.sort();
    others.dedup();
    assert_eq!(others, Vec::<String>::new());
}

#[test]
fn what_a_search_removes_is_told_in_the_words_of_a_search() {
    let rules = RuleSet::built_in(&Settings::default());
    for command in [
        "find . -name '*.rs' -delete",
        "find src -type f -delete",
        "find . -name '*.rs' | xargs rm",
        "find docs -type f -exec rm -f {} +",
    ] {
        let message = Synthetic::default().judge(command, &rules).message;
        assert!(message.contains("List what it finds first"), "{message}");
        assert!(
            !message.contains("matches ") && !message.contains("mv "),
            "{message}"
        );
        assert!(!message.contains("without -r and -f"), "{message}");
    }
}

#[test]
fn every_message_begins_with_a_plain_sentence_and_ends_with_its_rule() {
    for one in said() {
        let message = &one.judged.message;
        let first = message.lines().next().unwrap_or_default();
        let context = format!("{} {:?}: {message}", one.rule.id, one.command);
        assert!(message.chars().count() <= LONGEST, "{context}");
        assert!(message.ends_with(']'), "{context}");
        if one.judged.ruling == Ruling::Rewrite {
            continue;
        }
        let plain = message.lines().count() > 1;
        assert!(!plain || !first.contains(&one.rule.id), "{context}");
        assert!(!first.starts_with('[') && first.contains('`'), "{context}");
        assert!(!plain || first.chars().count() <= LONGEST_FIRST, "{context}");
        let last = message.lines().next_back().unwrap_or_default();
        assert!(last.contains(&format!("[{}", one.rule.id)), "{context}");
        if one.judged.ruling == Ruling::Ask {
            assert!(first.starts_with("Toprope asks: "), "{context}");
        }
    }
}
