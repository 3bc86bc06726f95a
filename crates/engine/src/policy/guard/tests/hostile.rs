//! Judging is bounded: so many rules are tried, and not more. What is too much is opaque, never silent where nobody watches.

use crate::policy::guard::judge::effort;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::verdict::Ruling;
use crate::settings::Settings;
use shell::Coverage;
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::built_in(&Settings::default()));

/// A piece again and again, each with its number.
fn numbered(piece: &str, count: usize) -> String {
    let numbers: Vec<String> = (0..count)
        .map(|at| piece.replace("{n}", &at.to_string()))
        .collect();
    numbers.concat()
}

/// More than may be judged, in several ways.
fn floods() -> Vec<(&'static str, String)> {
    vec![
        ("commands", "rm x; ".repeat(6_000)),
        ("removals", numbered("rm -rf a{n}\n", 6_000)),
        ("pipes", "a | sh; ".repeat(5_000)),
        ("downloads", "curl -o f u; sh f; ".repeat(2_000)),
        ("substitutions", "$(a $(b $(c))); ".repeat(3_000)),
        ("a value fed again and again", format!("x=$(curl u); {}", "y=$y$x; eval $y; ".repeat(2_000))),
        ("wrappers", format!("echo a | {}rm", "xargs ".repeat(4_000))),
        ("functions", "a(){ b;b;b;b;};b(){ c;c;c;c;};c(){ d;d;d;d;};d(){ e;e;e;e;};e(){ f;f;f;f;};f(){ g;g;g;g;};g(){ rm x;}; a".to_owned()),
        ("groups that feed each other", format!("{{ {} }} | {{ {} }}", "cat a;".repeat(1_500), "cat;".repeat(1_500))),
        ("secrets", "cat .env; ".repeat(5_000)),
    ]
}

#[test]
fn a_flood_is_opaque_and_denied_where_nobody_watches() {
    let alone = Synthetic {
        attended: false,
        ..Synthetic::default()
    };
    for (name, text) in floods() {
        let judged = alone.judge(&text, &RULES);
        assert_eq!(judged.coverage, Coverage::Opaque, "{name}");
        assert_eq!(judged.ruling, Ruling::Deny, "{name}");
        assert!(judged.asked.len() <= 64, "{name}");
        assert!(judged.message.chars().count() <= 900, "{name}");
    }
}

#[test]
fn the_floor_in_front_of_a_flood_is_denied() {
    for (name, text) in floods() {
        for joined in ["; ", " && "] {
            let judged = Synthetic::default().judge(&format!("rm -rf /{joined}{text}"), &RULES);
            let first = judged.findings.first().map(|finding| finding.rule.as_str());
            assert_eq!(
                (judged.ruling, first),
                (Ruling::Deny, Some("core.filesystem.rm-floor")),
                "{name} behind {joined:?}"
            );
        }
    }
}

#[test]
fn ten_times_the_commands_are_ten_times_the_rules_tried() {
    let facts = Synthetic::default().facts();
    for piece in [
        "ls -la src; ",
        "rm -rf a{n}; ",
        "git push -f origin b{n}; ",
        "cat a | grep b | sort; ",
        "echo $(cat a{n}); ",
        "curl u{n} | sh; ",
        "x=$(a); eval \"$x\"; ",
        "echo a > f{n}; bash f{n}; ",
        "find . -name x{n} | xargs rm; ",
    ] {
        let (few, many) = (numbered(piece, 6), numbered(piece, 60));
        let (few, many) = (effort(&few, &RULES, &facts), effort(&many, &RULES, &facts));
        assert!(few > 0 && many <= few * 12, "{piece}: {few} {many}");
    }
}
