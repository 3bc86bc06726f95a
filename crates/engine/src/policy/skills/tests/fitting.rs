//! How well skills fit a prompt.

use super::*;
use proptest::prelude::*;

#[test]
fn a_map_of_keywords_calls_skills_to_mind() {
    let catalogue = effect();
    for (prompt, expected) in [
        ("Add a service for mail", "effect-services (service)"),
        ("add SERVICES, then layers", "effect-services (layer, service)"),
        (
            "use dependency injection here",
            "effect-services (dependency injection)",
        ),
        ("Dependency-Injections?", "effect-services (dependency injection)"),
        ("injection of a dependency", ""),
        ("retry typed errors", "effect-errors (retry, typed error)"),
        ("service service service", "effect-services (service)"),
    ] {
        assert_eq!(fits(prompt, &catalogue), expected, "{prompt}");
    }
}

#[test]
fn a_whole_name_is_enough_and_one_word_of_it_is_not() {
    let skills = vec![
        skill("code-review", "", &[]),
        skill("sql", "", &[]),
        skill("notes:weekly", "", &[]),
        skill("the", "", &[]),
    ];
    let catalogue = Catalogue::new(skills, &BTreeMap::new());
    for (prompt, expected) in [
        ("do a code review", "code-review (code review)"),
        ("run code-review on it", "code-review (code review)"),
        ("a code_reviews please", "code-review (code review)"),
        ("review the code", "code-review (code, review)"),
        ("review it", ""),
        ("format the code", ""),
        ("tune this SQL", "sql (sql)"),
        ("look into db/sql/x", "sql (sql)"),
        ("weekly notes", "notes:weekly (note, weekly)"),
        ("notes weekly", "notes:weekly (note weekly)"),
    ] {
        assert_eq!(fits(prompt, &catalogue), expected, "{prompt}");
    }
}

#[test]
fn only_whole_words_hit() {
    let catalogue = effect();
    assert_eq!(fits("draw a border", &catalogue), "");
    assert_eq!(fits("change the order", &catalogue), "release (order)");
    assert_eq!(fits("edit the dialog directory", &catalogue), "");
    assert_eq!(fits("wire it up with DI.", &catalogue), "effect-errors (di)");
}

#[test]
fn prompts_that_call_or_say_nothing_get_nothing() {
    let catalogue = effect();
    for prompt in [
        "",
        "  \n",
        "/effect-services add a service",
        "  /clear retry",
        "the of and to",
        "?!",
    ] {
        assert_eq!(fits(prompt, &catalogue), "", "{prompt:?}");
    }
}

#[test]
fn a_skill_the_prompt_calls_is_not_named_again() {
    let catalogue = effect();
    assert_eq!(fits("run /effect-errors, then retry", &catalogue), "");
    assert_eq!(fits("run /SQL on it", &catalogue), "");
    // Another name that begins the same, and a path, are no call.
    assert_eq!(fits("/effect-errors", &catalogue), "");
    assert_eq!(
        fits("see /effect-errors-old and retry", &catalogue),
        "effect-errors (effect error, retry)"
    );
    assert_eq!(fits("see /sql/x", &catalogue), "sql (sql)");
}

#[test]
fn two_words_of_a_description_are_enough_unless_many_skills_have_them() {
    let skills = vec![
        skill("aa", "Deploys containers to production clusters quickly", &[]),
        skill("bb", "Writes production documentation for people", &[]),
        skill("cc", "Paints icons", &["cluster"]),
        skill("dd", "Sorts mail", &[]),
    ];
    let catalogue = Catalogue::new(skills, &BTreeMap::new());
    for (prompt, expected) in [
        ("deploy the container", "aa (container, deploy)"),
        ("deploy to the cluster", "cc (cluster); aa (cluster, deploy)"),
        ("deploy deploy deploy", ""),
        ("tidy the mail", ""),
        ("documentation for production", ""),
        ("documentation people read", "bb (documentation, people)"),
    ] {
        assert_eq!(fits(prompt, &catalogue), expected, "{prompt}");
    }
}

#[test]
fn the_best_comes_first() {
    let skills = vec![
        skill("by-words", "Rotates passwords of databases", &[]),
        skill("by-keyword", "", &["rotate"]),
        skill("rotate-database-passwords", "", &[]),
    ];
    let catalogue = Catalogue::new(skills, &BTreeMap::new());
    let found = fitting("rotate database passwords", &catalogue);
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["rotate-database-passwords", "by-keyword"]);
}

#[test]
fn the_first_of_two_skills_with_one_name_counts() {
    let skills = vec![
        skill("a", "", &["red"]),
        skill("a", "", &["blue"]),
        skill("b", "", &["blue"]),
    ];
    let catalogue = Catalogue::new(skills, &BTreeMap::new());
    assert_eq!(fits("red blue", &catalogue), "a (red); b (blue)");
    assert_eq!(catalogue.skills().len(), 2);
}

#[test]
fn only_the_beginning_of_a_prompt_counts() {
    let catalogue = effect();
    let long = format!("{} retry", "x ".repeat(10_000));
    assert_eq!(fits(&long, &catalogue), "");
    assert_eq!(
        fits(&format!("retry {long}"), &catalogue),
        "effect-errors (retry)"
    );
}

#[test]
fn phrases_in_scripts_without_spaces_hit() {
    let catalogue = Catalogue::new(vec![skill("di", "", &["依存性注入"])], &BTreeMap::new());
    assert_eq!(fits("ここで依存性注入を使う", &catalogue), "di (依 存 性 注 入)");
    assert_eq!(fits("依存を注入する", &catalogue), "");
}

proptest! {
    #[test]
    fn nothing_fits_without_a_reason(prompt in "(?s).{0,80}( retry| service| layer|/sql| di){0,3}") {
        for one in fitting(&prompt, &effect()) {
            prop_assert!(!one.hits.is_empty());
        }
    }
}
