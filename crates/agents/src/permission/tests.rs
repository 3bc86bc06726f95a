use super::*;
use proptest::prelude::*;

fn rule(about: RuleTarget) -> PermissionRules {
    PermissionRules::of(vec![PermissionRule::new(Speech::Deny, "rule", "Bash", about)])
}

#[test]
fn layers_add_up() {
    let mut rules = PermissionRules::default();
    assert!(rules.is_empty());
    rules.add(rule(RuleTarget::Words("rm".to_owned())));
    rules.add(rule(RuleTarget::Words("mv".to_owned())));
    assert!(rules.about("Bash", "rm x").is_some() && rules.about("Bash", "mv x y").is_some());
    assert!(rules.about("Bash", "cp x y").is_none());
}

proptest! {
    #[test]
    fn no_text_and_no_rule_makes_it_panic(text in any::<String>(), pieces in prop::collection::vec(any::<String>(), 0..4)) {
        let _ = rule(RuleTarget::Words(pieces.concat())).about("Bash", &text);
        let _ = rule(RuleTarget::Pieces(pieces)).about("Bash", &text);
    }

    #[test]
    fn a_command_written_out_in_a_rule_is_always_spoken_about(words in "[a-z]{1,6}( [a-z-]{1,6}){0,3}") {
        let (followed, last) = (format!("cd x && {words} y"), format!("true; {words}"));
        prop_assert!(rule(RuleTarget::Words(words.clone())).about("Bash", &followed).is_some());
        prop_assert!(rule(RuleTarget::Pieces(vec![words])).about("Bash", &last).is_some());
    }
}
