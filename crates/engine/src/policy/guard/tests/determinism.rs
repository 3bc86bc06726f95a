//! The same input gives the same bytes, whatever the order of files and however often.

use crate::policy::guard::command_view::CommandView;
use crate::policy::guard::layer::LayerRules;
use crate::policy::guard::loading::RuleSource;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::world::GuardWorld;
use crate::settings::Settings;

const COMMAND: &str =
    "sudo rm -rf src / ~/notes; git push -f origin feat && git reset --hard; cat .env; cat ~/.ssh/id_rsa";

fn layer(name: &str, program: &str) -> LayerRules {
    let text = format!(
        "[[rule]]\nid = \"team.{name}\"\nclass = \"irreversible\"\nverdict = \"deny\"\nprogram = \"{program}\"\nwhat = \"x\"\nwhy = \"{name}\"\nhits = [\"{program} y\"]\nmisses = [\"echo {program}\"]\n"
    );
    let layer = LayerRules::read(RuleSource::User, &format!("{name}.toml"), &text);
    assert_eq!(layer.rules.len(), 1, "{:?}", layer.problems);
    layer
}

#[test]
fn a_thousand_runs_give_the_same_bytes() {
    let settings = Settings::default();
    let world = Synthetic::default();
    let rules = RuleSet::built_in(&settings);
    let first = format!("{:?}", world.judge(COMMAND, &rules));
    for _ in 0..1_000 {
        assert_eq!(format!("{:?}", world.judge(COMMAND, &rules)), first);
    }
}

#[test]
fn the_order_of_rule_files_does_not_matter() {
    let settings = Settings::default();
    let names = [("a", "rm"), ("b", "git"), ("c", "cat"), ("d", "sudo")];
    let layers: Vec<LayerRules> = names.iter().map(|(name, program)| layer(name, program)).collect();
    let world = Synthetic::default();
    let first = world.judge(COMMAND, &RuleSet::new(&settings, &layers));
    for turn in 1..24_usize {
        let mut shuffled = layers.clone();
        shuffled.rotate_left(turn % 4);
        shuffled.swap(turn % 4, (turn / 4) % 4);
        let again = world.judge(COMMAND, &RuleSet::new(&settings, &shuffled));
        assert_eq!(again, first);
    }
    assert!(first.message.contains("and "), "{}", first.message);
}

#[test]
fn ten_times_the_rules_are_no_more_comparisons() {
    let settings = Settings::default();
    let few = RuleSet::built_in(&settings);
    let layers: Vec<LayerRules> = (0..600)
        .map(|number| layer(&format!("n{number}"), &format!("tool{number}")))
        .collect();
    let many = RuleSet::new(&settings, &layers);
    assert!(many.rules().len() >= few.rules().len() * 9);
    let facts = Synthetic::default().facts();
    let world = GuardWorld::new(&facts, few.guard());
    let text = "cd src && cargo test -p engine | tail -5";
    let intent = crate::policy::guard::judge::read(text, &few, &world);
    for (index, command) in intent.commands.iter().enumerate() {
        let seen = CommandView::new(text, &intent, index, command);
        assert_eq!(few.candidates(&seen).len(), many.candidates(&seen).len());
    }
}
