//! Which changes of settings end our hooks, and what is said.

use super::*;
use crate::answer::Answers;
use crate::settings::Settings;
use crate::testing::facts as plain;
use insta::assert_snapshot;

const OURS: &str = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/usr/bin/toprope","args":["hook","claude-code"]}]}]}}"#;
const SHELL_FORM: &str =
    r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"toprope hook claude-code"}]}]}}"#;
const FOREIGN: &str =
    r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo toprope hook x"}]}]}}"#;
const STOP_ONLY: &str =
    r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"toprope hook claude-code"}]}]}}"#;
const OFF: &str = r#"{"disableAllHooks":true}"#;

/// What is said once the person's settings and the project's read like this.
fn said(user: Option<&str>, project: Option<&str>, busy: bool) -> Judgement {
    said_in(Profile::Standard, user, project, busy)
}

fn said_in(profile: Profile, user: Option<&str>, project: Option<&str>, busy: bool) -> Judgement {
    let path = Path::new("/home/kim/.claude/settings.json");
    let mut known = GuardFacts {
        cwd: Some("/project/deep/inside".to_owned()),
        ..GuardFacts::default()
    };
    known.own.agent_settings = vec!["/home/kim/.claude".to_owned(), "/project/.claude".to_owned()];
    for asked in questions(Some(path), &known) {
        if let Asked::Text { path } = asked {
            let text = match path.as_str() {
                "/home/kim/.claude/settings.json" => user,
                "/project/.claude/settings.json" => project,
                _ => None,
            };
            known.texts.insert(path, text.map(str::to_owned));
        }
    }
    let facts = Facts {
        agent_is_busy: busy,
        answers: Answers {
            guard: Some(Box::new(known)),
            ..Answers::default()
        },
        settings: Settings::of(profile),
        ..plain()
    };
    judge(Some(path), &facts)
}

#[test]
fn a_change_that_leaves_one_of_our_hooks_is_nobodys_business() {
    for (user, project) in [
        (Some(OURS), None),
        (Some(SHELL_FORM), None),
        (Some("{}"), Some(OURS)),
        (None, Some(OURS)),
        (Some("{ not JSON"), Some(OURS)),
    ] {
        assert_eq!(
            said(user, project, true),
            Judgement::silent(),
            "{user:?} {project:?}"
        );
    }
}

#[test]
fn hooks_that_end_while_an_agent_works_are_kept_and_otherwise_told() {
    for (user, project) in [
        (Some("{}"), None),
        (Some(FOREIGN), None),
        (Some(STOP_ONLY), None),
        (Some(OFF), Some(OURS)),
        (Some("{ not JSON"), None),
        (None, None),
    ] {
        let busy = said(user, project, true);
        assert!(matches!(busy.verdict, Verdict::Deny(_)), "{user:?}");
        assert_eq!(busy.always.len(), 1);
        let idle = said(user, project, false);
        assert_eq!(idle.verdict, Verdict::Silent);
        assert_eq!(idle.always.len(), 1);
    }
}

#[test]
fn strict_has_the_entries_put_back_and_only_where_an_agent_was_at_work() {
    let put_back = Effect::Job(NewJob {
        kind: JobKind::PutHooksBack,
        key: "/home/kim/.claude/settings.json".to_owned(),
    });
    let of = |profile, busy| said_in(profile, Some("{}"), None, busy).always;
    assert_eq!(of(Profile::Strict, true).last(), Some(&put_back));
    assert!(!of(Profile::Strict, false).contains(&put_back));
    assert!(!of(Profile::Standard, true).contains(&put_back));
}

#[test]
fn the_person_is_told_what_became_of_the_change() {
    let file = "/home/kim/.claude/settings.json";
    assert_snapshot!(message::unhooked(file, message::Unhooked::Kept), @"/home/kim/.claude/settings.json changed while an agent's call was running, and no longer calls Toprope; this session keeps its hooks. If it was you: change it again while no agent works. If not: `toprope init`");
    assert_snapshot!(message::unhooked(file, message::Unhooked::LetGo), @"/home/kim/.claude/settings.json no longer calls Toprope: from here on this session goes unguarded. To undo: `toprope init`");
    assert_snapshot!(message::unhooked(file, message::Unhooked::PutBack), @"/home/kim/.claude/settings.json changed while an agent's call was running, and no longer called Toprope; its entries are put back. If it was you: change it again while no agent works");
    assert_snapshot!(message::unhooking(file), @"/home/kim/.claude/settings.json no longer calls Toprope. An agent's call was running when it changed, so the change is not taken.");
}
