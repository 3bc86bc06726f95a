//! How well skills fit a prompt.

use super::*;
use proptest::prelude::*;

#[test]
fn a_map_of_keywords_calls_skills_to_mind() {
    let catalogue = effect();
    for (prompt, expected) in [
        ("Add a service for mail", "effect-services 3 (service)"),
        ("add SERVICES, then layers", "effect-services 6 (layer, service)"),
        (
            "use dependency injection here",
            "effect-services 4 (dependency injection)",
        ),
        (
            "Dependency-Injections?",
            "effect-services 4 (dependency injection)",
        ),
        ("injection of a dependency", ""),
        (
            "retry typed errors",
            "effect-errors 10 (typed error, error, retry)",
        ),
        (
            "write effect code",
            "effect-errors 3 (effect); effect-services 3 (effect)",
        ),
        ("service service service", "effect-services 3 (service)"),
    ] {
        assert_eq!(fits(prompt, &catalogue), expected, "{prompt}");
    }
}

#[test]
fn only_whole_words_hit() {
    let catalogue = effect();
    assert_eq!(fits("draw a border", &catalogue), "");
    assert_eq!(fits("change the order", &catalogue), "release 3 (order)");
    assert_eq!(fits("edit the dialog directory", &catalogue), "");
    assert_eq!(fits("wire it up with DI.", &catalogue), "effect-errors 3 (di)");
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
    assert_eq!(
        fits("use effect-services for the layer", &catalogue),
        "effect-errors 3 (effect)"
    );
    assert_eq!(
        fits("run /effect-errors, then retry", &catalogue),
        "effect-services 3 (effect)"
    );
    assert_eq!(fits("run /sql on it", &catalogue), "");
    let short = Catalogue::new(
        vec![skill("a-to", "", &["word"]), skill("to", "", &["word"])],
        &BTreeMap::new(),
    );
    assert_eq!(fits("a-to, /to: word", &short), "");
    // An ordinary word, or a part of a path, is no call.
    assert_eq!(fits("tune this sql", &catalogue), "sql 3 (sql)");
    assert_eq!(fits("look into db/sql/x", &catalogue), "sql 3 (sql)");
    assert_eq!(
        fits("my effect-services-old layer", &catalogue),
        "effect-services 9 (effect, layer, service); effect-errors 3 (effect)"
    );
}

#[test]
fn words_of_a_description_count_a_little_unless_many_have_them() {
    let skills = vec![
        skill("aa", "Deploys containers to production clusters quickly", &[]),
        skill("bb", "Writes production documentation for people", &[]),
        skill("cc", "Paints icons", &["cluster"]),
        skill("dd", "Sorts mail", &[]),
    ];
    let catalogue = Catalogue::new(skills, &BTreeMap::new());
    assert_eq!(
        fits("deploy the container to the production cluster", &catalogue),
        "aa 3 (cluster, container, deploy); cc 3 (cluster)"
    );
    assert_eq!(fits("tidy the mail", &catalogue), "dd 1 (mail)");
    assert_eq!(fits("production", &catalogue), "");
}

#[test]
fn the_first_of_two_skills_with_one_name_counts() {
    let skills = vec![
        skill("a", "", &["red"]),
        skill("a", "", &["blue"]),
        skill("b", "", &["blue"]),
    ];
    let catalogue = Catalogue::new(skills, &BTreeMap::new());
    assert_eq!(fits("red blue", &catalogue), "a 3 (red); b 3 (blue)");
    assert_eq!(catalogue.skills().len(), 2);
}

#[test]
fn only_the_beginning_of_a_prompt_counts() {
    let catalogue = effect();
    let long = format!("{} retry", "x ".repeat(10_000));
    assert_eq!(fits(&long, &catalogue), "");
    assert_eq!(
        fits(&format!("retry {long}"), &catalogue),
        "effect-errors 3 (retry)"
    );
}

#[test]
fn phrases_in_scripts_without_spaces_hit() {
    let catalogue = Catalogue::new(vec![skill("di", "", &["依存性注入"])], &BTreeMap::new());
    assert_eq!(
        fits("ここで依存性注入を使う", &catalogue),
        "di 4 (依 存 性 注 入)"
    );
    assert_eq!(fits("依存を注入する", &catalogue), "");
}

proptest! {
    #[test]
    fn the_best_comes_first_and_nothing_fits_without_a_word(prompt in "(?s).{0,80}( retry| service| layer|/sql| di){0,3}") {
        let catalogue = effect();
        let found: Vec<Suggestion> = fitting(&prompt, &catalogue).collect();
        prop_assert!(found.is_sorted_by(|one, two| (two.score, &one.name) < (one.score, &two.name)));
        for one in found {
            prop_assert!(one.score > 0 && !one.hits.is_empty());
        }
    }
}
