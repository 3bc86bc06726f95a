use super::*;
use proptest::prelude::*;

fn report(id: &str, output: u64) -> MessageUsage {
    MessageUsage {
        id: MessageId::new(id),
        request: None,
        model: Some("m".to_owned()),
        tokens: Tokens {
            input: 100,
            output,
            ..Tokens::default()
        },
        at: None,
    }
}

#[test]
fn four_reports_of_one_message_count_once_with_the_largest_output() {
    let mut ledger = UsageLedger::new();
    for output in [1, 20, 7, 20] {
        ledger.enter(report("msg_1", output), "main");
    }
    assert_eq!(ledger.len(), 1);
    assert_eq!(
        ledger.total(),
        Tokens {
            input: 100,
            output: 20,
            ..Tokens::default()
        }
    );
}

#[test]
fn a_copy_in_another_session_counts_nothing_and_the_first_owner_keeps_the_message() {
    let mut ledger = UsageLedger::new();
    ledger.enter(report("msg_1", 20), "first");
    ledger.enter(report("msg_1", 25), "fork");
    ledger.enter(report("msg_2", 5), "fork");
    let owners: Vec<_> = ledger
        .entries()
        .map(|(usage, owner)| (usage.tokens.output, *owner))
        .collect();
    assert_eq!(owners, [(25, "first"), (5, "fork")]);
}

#[test]
fn a_report_with_less_output_still_tells_what_was_unknown() {
    let mut known = MessageUsage {
        model: None,
        ..report("msg_1", 20)
    };
    known.hear(MessageUsage {
        request: Some("req_1".to_owned()),
        at: Some(Timestamp(7)),
        ..report("msg_1", 1)
    });
    assert_eq!(known.model.as_deref(), Some("m"));
    assert_eq!(known.request.as_deref(), Some("req_1"));
    assert_eq!(known.at, Some(Timestamp(7)));
    assert_eq!(known.tokens.output, 20);
}

#[test]
fn sums_stop_at_the_largest_number_instead_of_wrapping() {
    let most = Tokens {
        input: u64::MAX,
        cache_write_5m: u64::MAX,
        cache_write_1h: 1,
        ..Tokens::default()
    };
    assert_eq!((most + most).input, u64::MAX);
    assert_eq!(most.total(), u64::MAX);
    assert_eq!(most.cache_write(), u64::MAX);
}

fn mark(turn: u64, prompt: &str, start: Option<u64>) -> TurnMark<u64> {
    TurnMark {
        turn,
        prompt: (!prompt.is_empty()).then(|| PromptId::new(prompt)),
        start,
    }
}

#[test]
fn a_message_belongs_to_the_turn_its_prompt_names_wherever_it_stands() {
    let turns = [mark(1, "p1", Some(0)), mark(2, "p2", Some(500))];
    let late = PromptId::new("p1");
    assert_eq!(turn_of(&turns, Some(&late), Some(9_000)), Some(1));
    assert_eq!(turn_of(&turns, Some(&late), None), Some(1));
}

#[test]
fn without_a_prompt_the_offset_decides_and_without_either_nothing() {
    let turns = [
        mark(1, "p1", Some(0)),
        mark(2, "", Some(500)),
        mark(3, "p3", None),
    ];
    assert_eq!(turn_of(&turns, None, Some(499)), Some(1));
    assert_eq!(turn_of(&turns, None, Some(500)), Some(2));
    let unknown = PromptId::new("other");
    assert_eq!(turn_of(&turns, Some(&unknown), Some(900)), Some(2));
    assert_eq!(turn_of(&turns, Some(&unknown), None), None);
    assert_eq!(turn_of::<u64>(&[], None, Some(1)), None);
}

#[test]
fn of_two_turns_with_one_prompt_the_newer_is_meant() {
    let turns = [mark(1, "p", Some(0)), mark(2, "p", Some(5))];
    assert_eq!(turn_of(&turns, Some(&PromptId::new("p")), None), Some(2));
}

proptest! {
    #[test]
    fn the_order_of_reports_changes_no_sum(
        reports in proptest::collection::vec((0_u8..6, 0_u64..50), 0..40),
        turned in any::<proptest::sample::Index>(),
    ) {
        let total = |reports: &[(u8, u64)]| {
            let mut ledger = UsageLedger::new();
            for (id, output) in reports {
                ledger.enter(report(&format!("msg_{id}"), *output), ());
            }
            ledger.total()
        };
        let mut other = reports.clone();
        if !other.is_empty() {
            let by = turned.index(other.len());
            other.rotate_left(by);
            other.extend_from_slice(&reports);
        }
        prop_assert_eq!(total(&reports), total(&other));
    }
}
