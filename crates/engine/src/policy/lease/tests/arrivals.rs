//! What an agent that starts is told.

use crate::event::{Context, EventKind};
use crate::facts::Facts;
use crate::lease::{HeldLease, LeaseFacts};
use crate::policy::lease::LeasePolicy;
use crate::round::{RoundWatch, decide};
use crate::settings::Mode;
use crate::testing::event;
use crate::testing::lease::*;
use crate::text::utf16_len;

fn told(facts: &Facts) -> String {
    let start = event(EventKind::AgentStart)
        .by("a3f2", "general-purpose")
        .hearing(Context::Heard);
    let round = decide(&[&LeasePolicy], &start, facts, &RoundWatch::default());
    assert_eq!(changes(&round), []);
    round.decision.context.join("\n")
}

fn arriving(editing: Vec<HeldLease>) -> LeaseFacts {
    LeaseFacts {
        editing,
        ..LeaseFacts::of(me(&[(12, true)]))
    }
}

#[test]
fn who_it_is_what_others_edit_and_what_is_reserved() {
    let facts = LeaseFacts {
        reservations: vec![
            reservation("docs/**", person(), "release notes"),
            reservation("mine/**", agent(12, "main@7c1e", ""), ""),
        ],
        ..arriving(vec![
            held("src/parser.rs", fixer()),
            held("src/lexer.rs", reviewer()),
        ])
    };
    insta::assert_snapshot!(told(&knowing(facts)), @r#"You are known here as main@7c1e. Others are editing: src/parser.rs (general-purpose@a3f2 "fix parser"), src/lexer.rs (reviewer@a91c). Reserved: "docs/**" (the user). Leave these to them, or run `toprope lease wait <path>`."#);
}

#[test]
fn alone_it_is_told_its_name_only() {
    insta::assert_snapshot!(told(&knowing(arriving(vec![]))), @"You are known here as main@7c1e.");
    let own = knowing(arriving(vec![held("a.rs", myself())]));
    assert_eq!(told(&own), told(&knowing(arriving(vec![]))));
}

#[test]
fn at_most_eight_files_are_named_and_never_more_than_six_hundred_characters() {
    let many = |name: &str| {
        (0..20)
            .map(|number| held(&format!("{name}{number}.rs"), fixer()))
            .collect()
    };
    let short = told(&knowing(arriving(many("f"))));
    assert_eq!(short.matches(".rs (").count(), 8, "{short}");
    assert!(short.contains(" and 12 more."), "{short}");
    for length in [60, 200, 2_000] {
        let text = told(&knowing(arriving(many(&"n".repeat(length)))));
        assert!(utf16_len(&text) <= 600, "{text}");
        assert!(
            text.contains("20 with long names") || text.contains(" more."),
            "{text}"
        );
    }
}

#[test]
fn switched_off_nothing_is_told() {
    let mut facts = knowing(arriving(vec![held("a.rs", fixer())]));
    facts.settings.lease.mode = Mode::Off;
    assert_eq!(told(&facts), "");
}
