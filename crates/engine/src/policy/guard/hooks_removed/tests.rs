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
        if let WorldQuestion::Text { path } = asked {
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

/// Our entry before calls, with these members beside and instead of its own.
fn entry(matcher: Option<&str>, members: &str) -> String {
    let matcher = matcher.map(|matcher| format!(r#""matcher":"{matcher}","#));
    format!(
        r#"{{{}"hooks":[{{"type":"command","command":"/usr/bin/toprope","args":["hook","claude-code"]{members}}}]}}"#,
        matcher.unwrap_or_default()
    )
}

fn before_calls(entries: &[String]) -> String {
    format!(r#"{{"hooks":{{"PreToolUse":[{}]}}}}"#, entries.join(","))
}

#[test]
fn an_entry_that_does_less_than_the_installed_one_is_told_and_not_taken() {
    let fine = [
        before_calls(&[entry(Some("*"), r#","timeout":60"#)]),
        before_calls(&[
            entry(Some("Bash|Monitor"), ""),
            entry(Some("^(?!(?:Bash|Monitor)$)"), ""),
        ]),
    ];
    for settings in &fine {
        assert_eq!(
            said(Some(settings), None, true),
            Judgement::silent(),
            "{settings}"
        );
    }
    let weak = [
        entry(None, r#","timeout":0.001"#),
        entry(None, r#","timeout":"60""#),
        entry(None, r#","async":true"#),
        entry(None, r#","if":"Bash(true)""#),
        entry(Some("Write"), ""),
        entry(Some("^(?!(?:Bash)$)"), ""),
    ];
    for weak in weak {
        let settings = before_calls(std::slice::from_ref(&weak));
        let Verdict::Deny(reason) = said(Some(&settings), None, true).verdict else {
            panic!("taken: {settings}");
        };
        assert!(reason.contains("as `toprope init` set it up"), "{reason}");
    }
    let beside = before_calls(&[entry(None, r#","timeout":0.001"#)]);
    let later = said(Some(&before_calls(&[entry(None, "")])), Some(&beside), true);
    assert!(
        matches!(later.verdict, Verdict::Deny(_)),
        "of two equal entries the later counts"
    );
}

#[test]
fn variables_that_steer_us_are_told_and_not_taken() {
    let steered = OURS.replacen('{', r#"{"env":{"TOPROPE_HOME":"/tmp/x","EDITOR":"vi"},"#, 1);
    let busy = said(Some(&steered), None, true);
    assert_snapshot!(format!("{:?}", busy.verdict), @r#"Deny("/home/kim/.claude/settings.json sets `TOPROPE_HOME` under `env`. An agent's call was running when it changed, so the change is not taken.")"#);
    let wrong = HookFault::Variables {
        file: "/p/.claude/settings.json".to_owned(),
        names: vec!["PATH".to_owned(), "HOME".to_owned()],
    };
    assert_snapshot!(message::wrong_at_start(&wrong).unwrap_or_default(), @"/p/.claude/settings.json sets `PATH`, `HOME` under `env`. Toprope does not follow them; if they are not yours, take them out");
    assert_snapshot!(message::unhooked("/p/s.json", &wrong, message::Unhooked::LetGo), @"/p/s.json sets `PATH`, `HOME` under `env`. Toprope does not follow them; if they are not yours, take them out");
    assert_snapshot!(message::unhooked("/p/s.json", &wrong, message::Unhooked::Kept), @"/p/s.json changed while an agent's call was running, and sets `PATH`, `HOME` under `env`; the change is not taken for now. If it was not you: take them out");
    assert_snapshot!(message::wrong_at_start(&HookFault::Weakened).unwrap_or_default(), @"Toprope's entries in the client's settings were changed, so it may be asked too late or not at all. To mend them: `toprope init`");
    assert_snapshot!(message::unhooked("/p/s.json", &HookFault::Weakened, message::Unhooked::LetGo), @"/p/s.json no longer calls Toprope as `toprope init` set it up. To undo: `toprope init`");
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
    assert_snapshot!(message::unhooked(file, &HookFault::Gone, message::Unhooked::Kept), @"/home/kim/.claude/settings.json changed while an agent's call was running, and no longer calls Toprope; this session keeps its hooks. If it was you: change it again while no agent works. If not: `toprope init`");
    assert_snapshot!(message::unhooked(file, &HookFault::Gone, message::Unhooked::LetGo), @"/home/kim/.claude/settings.json no longer calls Toprope: from here on this session goes unguarded. To undo: `toprope init`");
    assert_snapshot!(message::unhooked(file, &HookFault::Gone, message::Unhooked::PutBack), @"/home/kim/.claude/settings.json changed while an agent's call was running, and no longer calls Toprope; its entries are put back. If it was you: change it again while no agent works");
    assert_snapshot!(message::unhooking(file, &HookFault::Gone), @"/home/kim/.claude/settings.json no longer calls Toprope. An agent's call was running when it changed, so the change is not taken.");
}
