//! The case files hold: what must stop is stopped by the rule it is meant for, what must pass is silent.

use crate::policy::guard::case::CaseFile;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::zone::Zone;
use crate::settings::Settings;

fn failures(text: &str) -> Vec<String> {
    let file = CaseFile::read(text).unwrap();
    let failures = file.failures(&|settings| RuleSet::built_in(settings));
    failures
        .iter()
        .map(|failure| {
            format!(
                "{:?}: expected {}, got {}",
                failure.command, failure.expected, failure.got
            )
        })
        .collect()
}

fn holds(text: &str) {
    let failures = failures(text);
    assert!(
        failures.is_empty(),
        "{} cases fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn everyday_commands_are_silent() {
    let text = include_str!("../cases/everyday.toml");
    assert!(CaseFile::read(text).unwrap().commands() >= 400);
    holds(text);
}

#[test]
fn dangerous_commands_are_stopped_by_their_rule() {
    let text = include_str!("../cases/must-stop.toml");
    assert!(CaseFile::read(text).unwrap().commands() >= 300);
    holds(text);
}

#[test]
fn what_the_seeds_hook_let_pass_and_held() {
    holds(include_str!("../cases/01-seed.toml"));
}

#[test]
fn a_retry_passes_once_the_warning_was_heard() {
    holds(include_str!("../cases/02-retry.toml"));
}

#[test]
fn a_heredoc_is_data_unless_something_runs_it() {
    holds(include_str!("../cases/03-heredoc.toml"));
}

#[test]
fn text_that_mentions_a_command_is_not_one() {
    holds(include_str!("../cases/04-text.toml"));
}

#[test]
fn spelling_does_not_matter() {
    holds(include_str!("../cases/05-spelling.toml"));
}

#[test]
fn what_only_looks_dangerous_is_silent() {
    holds(include_str!("../cases/06-misses.toml"));
}

#[test]
fn git_is_caught_in_every_spelling() {
    holds(include_str!("../cases/07-git.toml"));
}

#[test]
fn a_forced_push_gets_a_lease_or_is_denied() {
    holds(include_str!("../cases/08-force-push.toml"));
}

#[test]
fn a_worktree_is_removed_from_the_main_one() {
    holds(include_str!("../cases/09-worktree.toml"));
}

#[test]
fn temporary_files_go_into_the_project_in_strict() {
    holds(include_str!("../cases/10-tmp.toml"));
}

#[test]
fn the_floor_holds_everywhere() {
    holds(include_str!("../cases/11-floor.toml"));
}

#[test]
fn commits_and_merges_follow_their_gates() {
    holds(include_str!("../cases/12-commit.toml"));
}

#[test]
fn where_no_rewrite_is_possible_the_correction_is_shown() {
    holds(include_str!("../cases/13-no-span.toml"));
}

#[test]
fn a_variable_that_may_be_empty_must_be_set() {
    holds(include_str!("../cases/14-unset.toml"));
}

#[test]
fn ignorance_alone_is_no_evidence() {
    holds(include_str!("../cases/15-unknown.toml"));
}

#[test]
fn the_zone_decides() {
    holds(include_str!("../cases/16-zones.toml"));
}

#[test]
fn secrets_and_toprope_itself_are_guarded() {
    holds(include_str!("../cases/17-secrets-self.toml"));
}

#[test]
fn inline_code_is_judged_by_what_it_does() {
    holds(include_str!("../cases/18-inline.toml"));
}

#[test]
fn scripts_of_the_session_are_judged() {
    holds(include_str!("../cases/19-scripts.toml"));
}

#[test]
fn an_alias_is_what_it_stands_for() {
    holds(include_str!("../cases/29-aliases.toml"));
}

#[test]
fn a_change_of_the_worktree_names_its_zone() {
    let rules = RuleSet::built_in(&Settings::default());
    for command in [
        "git reset --hard",
        "git clean -fd",
        "git checkout .",
        "git restore .",
        "git stash drop",
    ] {
        let judged = Synthetic::default().judge(command, &rules);
        let zone = judged.findings.first().and_then(|finding| finding.zone);
        assert_eq!(zone, Some(Zone::Tree), "{command}");
    }
}
