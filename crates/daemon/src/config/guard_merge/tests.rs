//! Whose word counts about single rules, wrappers, shell tools and rules of one's own.

use super::super::tests::{Desk, LOCAL, PROJECT, USER, everybody, nobody};
use super::super::{Cache, LoadedSettings, load, show_text};
use engine::policy::guard::{GuardFacts, RuleSet, Ruling, judge};
use engine::settings::Mode;
use insta::assert_snapshot;

const OWN_RULE: &str = r#"
id = "infra.no-prod-apply"
class = "irreversible"
verdict = "ask"
program = ["terraform", "tofu"]
sub = ["apply"]
operand = { glob = ["*prod*"] }
what = "applies to production without a plan"
why = "No checkpoint can bring infrastructure back."
instead = "terraform plan -out=plan.bin"
hits = ["cd infra && terraform apply prod.tfvars"]
misses = ["terraform plan"]
"#;

fn own_rule(table: &str) -> String {
    format!("[[{table}]]{OWN_RULE}")
}

/// What a command meets under these settings, while a person watches.
fn ruling(loaded: &LoadedSettings, command: &str) -> Ruling {
    let facts = GuardFacts {
        cwd: Some("/home/kim/app".to_owned()),
        home: Some("/home/kim".to_owned()),
        attended: true,
        ..GuardFacts::default()
    };
    judge(command, &RuleSet::of(&loaded.settings), &facts).ruling
}

#[test]
fn the_person_loosens_a_rule_and_a_project_does_not() {
    let off = "[guard.rules.\"core.git.stash\"]\nmode = \"off\"\n";
    let person = Desk::new().with(USER, off).loaded();
    assert_eq!(ruling(&person, "git stash drop"), Ruling::Silent);
    assert!(person.problems.is_empty());

    let desk = Desk::new().with(PROJECT, off);
    assert_eq!(ruling(&desk.loaded(), "git stash drop"), Ruling::Ask);
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/repo/toprope.toml:1:14: `guard.rules."core.git.stash"` would protect you less, so it does not count: a project's file may only tighten
    hint: if you want what this file says: `toprope trust /~/repo/toprope.toml`
    "#);
    let trusted = load(&desk.places, &everybody);
    assert_eq!(ruling(&trusted, "git stash drop"), Ruling::Silent);
    assert!(trusted.problems.is_empty());
}

#[test]
fn a_project_raises_a_verdict_and_keeps_what_it_may_not_lower() {
    let desk = Desk::new()
        .with(USER, "[guard.rules.\"core.git.clean\"]\nverdict = \"ask\"\n")
        .with(
            PROJECT,
            "[guard.rules]\n\"core.git.stash\" = { verdict = \"deny\" }\n\"core.git.clean\" = { verdict = \"advise\", mode = \"enforce\" }\n",
        );
    let loaded = desk.loaded();
    assert_eq!(ruling(&loaded, "git stash drop"), Ruling::Deny);
    assert_eq!(ruling(&loaded, "git clean -fd"), Ruling::Ask);
    assert_eq!(loaded.problems.len(), 1);
}

#[test]
fn the_local_file_may_not_take_back_what_the_project_raised() {
    let desk = Desk::new()
        .with(PROJECT, "[guard.rules.\"core.git.stash\"]\nverdict = \"deny\"\n")
        .with(LOCAL, "[guard.rules.\"core.git.stash\"]\nverdict = \"ask\"\n");
    let loaded = desk.loaded();
    assert_eq!(ruling(&loaded, "git stash drop"), Ruling::Deny);
    assert_eq!(loaded.problems.len(), 1);
}

#[test]
fn a_project_may_switch_a_pack_on_but_not_off() {
    let person = Desk::new().with(USER, "[guard.packs]\n\"core.git\" = \"off\"\n");
    assert_eq!(ruling(&person.loaded(), "git stash drop"), Ruling::Silent);
    let on = person.with(
        PROJECT,
        "[guard.packs.core]\ngit = \"enforce\"\nfilesystem = \"off\"\n",
    );
    let loaded = on.loaded();
    assert_eq!(ruling(&loaded, "git stash drop"), Ruling::Ask);
    assert_eq!(loaded.settings.guard.packs.core.filesystem, Mode::Enforce);
    assert_eq!(loaded.problems.len(), 1);
}

#[test]
fn rules_of_ones_own_count_from_every_file_that_may_hold_them() {
    let command = "terraform apply prod.tfvars";
    assert_eq!(ruling(&Desk::new().loaded(), command), Ruling::Silent);
    let user = Desk::new().with(USER, own_rule("guard.rule"));
    assert_eq!(ruling(&user.loaded(), command), Ruling::Ask);
    let project = Desk::new().with(PROJECT, own_rule("guard.rule"));
    assert_eq!(ruling(&project.loaded(), command), Ruling::Ask);
    let mine = Desk::new();
    let table = format!("project.{:?}.guard.rule", mine.root());
    let mine = mine.with(USER, own_rule(&table));
    assert_eq!(ruling(&mine.loaded(), command), Ruling::Ask);
    let elsewhere = Desk::new().with(USER, own_rule("project.\"/elsewhere\".guard.rule"));
    assert_eq!(ruling(&elsewhere.loaded(), command), Ruling::Silent);
    let folder = Desk::new();
    fs_err::create_dir(folder.path("guard")).unwrap();
    let folder = folder.with("guard/infra.toml", own_rule("rule"));
    assert_eq!(ruling(&folder.loaded(), command), Ruling::Ask);
    for desk in [&user, &project, &mine, &folder] {
        assert_eq!(desk.problems(), "");
    }
}

#[test]
fn a_rule_file_that_comes_changes_or_goes_counts_at_the_next_event() {
    let command = "terraform apply prod.tfvars";
    let desk = Desk::new();
    let mut cache = Cache::default();
    let mut now = |desk: &Desk| ruling(&cache.get(&desk.places, &nobody), command);
    assert_eq!(now(&desk), Ruling::Silent);
    fs_err::create_dir(desk.path("guard")).unwrap();
    let desk = desk.with("guard/infra.toml", own_rule("rule"));
    assert_eq!(now(&desk), Ruling::Ask);
    let harsher = own_rule("rule").replace("\"ask\"", "\"deny\"");
    let desk = desk.with("guard/infra.toml", harsher);
    assert_eq!(now(&desk), Ruling::Deny);
    fs_err::remove_file(desk.path("guard/infra.toml")).unwrap();
    assert_eq!(now(&desk), Ruling::Silent);
}

#[test]
fn a_broken_rule_is_left_out_and_told_and_the_others_stay() {
    let broken = own_rule("guard.rule")
        .replace("no-prod-apply", "no-misses")
        .replace("misses = [\"terraform plan\"]\n", "");
    let wrong = own_rule("guard.rule")
        .replace("no-prod-apply", "wrong-example")
        .replace("\"terraform plan\"", "\"terraform apply prod\"");
    let desk = Desk::new().with(PROJECT, format!("{broken}{}{wrong}", own_rule("guard.rule")));
    assert_eq!(ruling(&desk.loaded(), "terraform apply prod.tfvars"), Ruling::Ask);
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml:1:1: rule `infra.no-misses` is left out: it has no `misses`
    warning: /~/repo/toprope.toml:25:1: rule `infra.wrong-example` is left out: it matches its example `terraform apply prod`
    ");
}

#[test]
fn a_project_has_at_most_500_rules() {
    let rules: String = (0..501)
        .map(|at| own_rule("guard.rule").replace("no-prod-apply", &format!("rule-{at}")))
        .collect();
    let desk = Desk::new().with(PROJECT, rules);
    let loaded = desk.loaded();
    let own = RuleSet::of(&loaded.settings);
    let own = own
        .rules()
        .iter()
        .filter(|active| active.rule.id.starts_with("infra."));
    assert_eq!(own.count(), 500);
    assert_eq!(loaded.problems.len(), 1);
}

#[test]
fn what_names_no_rule_or_a_fixed_one_is_told() {
    let desk = Desk::new().with(
        USER,
        "[guard.rules]\n\"core.git.stsh\" = { mode = \"off\" }\n\"core.filesystem.rm-floor\" = { mode = \"off\" }\n\
         \"core.git.stash\" = { mode = \"of\", verdict = \"silent\", why = 1 }\n",
    );
    assert_eq!(ruling(&desk.loaded(), "rm -rf /"), Ruling::Deny);
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/config.toml:4:29: `guard.rules."core.git.stash".mode` is `of`, expected `off`, `advise` or `enforce`
    warning: /~/config.toml:4:45: `guard.rules."core.git.stash".verdict` is `silent`, expected `deny`, `ask`, `one-strike`, `rewrite` or `advise`
    warning: /~/config.toml:4:55: unknown key `guard.rules."core.git.stash".why`: here stand `mode` and `verdict`
    hint: a rule's id stands in quotes: `[guard.rules."core.git.stash"]`
    warning: /~/config.toml:3:1: `guard.rules."core.filesystem.rm-floor"` always holds: no setting changes it
    warning: /~/config.toml:2:1: `guard.rules."core.git.stsh"` names no rule
    hint: did you mean `core.git.stash`?
    "#);
}

#[test]
fn a_project_adds_a_wrapper_but_hides_no_known_program_behind_one() {
    let person = Desk::new().with(USER, "[guard.wrappers]\nwith-env = { skip = 1 }\n");
    let held = ruling(&person.loaded(), "with-env prod git stash drop");
    assert_eq!(held, Ruling::Ask);
    let project = Desk::new().with(
        PROJECT,
        "[guard.wrappers]\nwith-env = { skip = 1 }\nrm = { skip = 1 }\nterraform = {}\n",
    );
    let loaded = project.loaded();
    assert_eq!(ruling(&loaded, "with-env prod git stash drop"), Ruling::Ask);
    let names: Vec<&String> = loaded.settings.guard.wrappers.keys().collect();
    assert_eq!(names, ["with-env"]);
    assert_eq!(loaded.problems.len(), 2);
}

#[test]
fn which_tools_run_commands_is_the_persons_to_say() {
    let tools = "[guard.shell_tools]\nmcp__shell__run = \"script\"\n";
    let person = Desk::new().with(USER, tools).loaded();
    assert_eq!(person.settings.guard.shell_tools.len(), 1);
    let project = Desk::new().with(PROJECT, tools);
    assert!(project.loaded().settings.guard.shell_tools.is_empty());
    assert_eq!(project.loaded().problems.len(), 1);
    let trusted = load(&project.places, &everybody);
    assert_eq!(trusted.settings.guard.shell_tools.len(), 1);
}

#[test]
fn the_tables_are_shown_with_their_origin() {
    let desk = Desk::new()
        .with(USER, "[guard.shell_tools]\nmcp__shell__run = \"script\"\n")
        .with(PROJECT, "[guard.rules.\"core.git.stash\"]\nverdict = \"deny\"\n");
    let text = desk.plain(&show_text(&desk.loaded(), true));
    let shown: Vec<String> = text
        .lines()
        .filter(|line| line.contains('"') && line.contains("/~"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let shown = shown.join("\n");
    assert_snapshot!(shown, @r#"
    guard.rules."core.git.stash" = { verdict = "deny" } # project /~/repo/toprope.toml:1
    guard.shell_tools."mcp__shell__run" = "script" # user /~/config.toml:2
    "#);
}
