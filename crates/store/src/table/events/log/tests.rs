//! Every filter alone and some together, and what finding lines costs in a log of any length.

use super::*;
use crate::stage::{Stage, main_of};
use crate::verdicts;
use engine::lease::pattern::Pattern;
use engine::round::VerdictRecord;
use rusqlite::named_params;
use serde_json::json;

fn listed(stage: &Stage, filter: &LogFilter) -> Vec<i64> {
    let filter = LogFilter {
        limit: if filter.limit == 0 { 100 } else { filter.limit },
        ..filter.clone()
    };
    let rows = list(&stage.read(), &filter).unwrap();
    rows.into_iter().map(|row| row.seq.0).collect()
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|&word| word.to_owned()).collect()
}

/// 1 prompt of main, 2 and 3 a denied Bash of main, 4 an Agent call of main, 5 a Read of Explore, 6 a prompt elsewhere.
fn lines() -> Stage {
    let mut stage = Stage::new();
    let main = main_of("7c1e0000");
    stage.prompts(&main, "go");
    let denied = stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.returns(&main, "toolu_1");
    stage.spawns(&main, "toolu_2", "Explore", false);
    stage.calls(
        &main.agent("a1110000000000001", "Explore"),
        "Read",
        "toolu_3",
        json!({}),
    );
    stage.pass(60_000);
    stage.prompts(&main_of("9999"), "elsewhere");
    let record = VerdictRecord {
        policy: "guard",
        verdict: VerdictKind::Deny,
        reason: "no".to_owned(),
        applied: true,
        took_us: 7,
    };
    stage.write(|db| {
        verdicts::insert(db, denied.seq, &record)?;
        db.execute(
            "UPDATE events SET target = '/repo/src/lexer.rs' WHERE seq = 5",
            &[],
        )?;
        Ok(())
    });
    stage
}

#[test]
fn each_filter_lets_through_what_it_names() {
    let stage = lines();
    let all = LogFilter::default();
    let by = |change: fn(&mut LogFilter)| {
        let mut filter = all.clone();
        change(&mut filter);
        listed(&stage, &filter)
    };
    assert_eq!(by(|_| ()), [1, 2, 3, 4, 5, 6]);
    assert_eq!(by(|filter| filter.limit = 2), [5, 6]);
    assert_eq!(by(|filter| filter.tools = words(&["Task"])), [4]);
    assert_eq!(by(|filter| filter.tools = words(&["Bash", "Read"])), [2, 3, 5]);
    assert_eq!(by(|filter| filter.agents = words(&["main@7c1e"])), [1, 2, 3, 4]);
    assert_eq!(by(|filter| filter.agents = words(&["a111"])), [5]);
    assert_eq!(by(|filter| filter.agents = words(&["9999"])), [6]);
    assert_eq!(by(|filter| filter.sessions = words(&["7c1e"])), [1, 2, 3, 4, 5]);
    assert_eq!(by(|filter| filter.events = words(&["PostToolUse"])), [3]);
    assert_eq!(by(|filter| filter.verdicts = vec![VerdictKind::Deny]), [2]);
    assert_eq!(
        by(|filter| filter.verdicts = vec![VerdictKind::Silent]),
        [1, 3, 4, 5, 6]
    );
    assert_eq!(by(|filter| filter.policies = words(&["guard", "lease"])), [2]);
    assert_eq!(by(|filter| filter.policies = words(&["lease"])), [0; 0]);
    assert_eq!(by(|filter| filter.paths = vec![like("src/*.rs")]), [5]);
    assert_eq!(by(|filter| filter.since = Some(Timestamp(1_010_000))), [6]);
    assert_eq!(by(|filter| filter.until = Some(Timestamp(1_000_002))), [1, 2]);
    assert_eq!(
        by(|filter| filter.project = Some(ProjectId(1))),
        [1, 2, 3, 4, 5, 6]
    );
    assert_eq!(by(|filter| filter.project = Some(ProjectId(2))), [0; 0]);
}

#[test]
fn filters_combine_and_following_goes_on_after_the_last_line() {
    let stage = lines();
    let filter = LogFilter {
        tools: words(&["Bash", "Agent"]),
        sessions: words(&["7c1e"]),
        after_seq: Some(EventSeq(2)),
        ..LogFilter::default()
    };
    assert_eq!(listed(&stage, &filter), [3, 4]);
    assert_eq!(listed(&stage, &LogFilter { limit: 1, ..filter }), [3]);
}

#[test]
fn since_finds_its_lines_though_the_clock_was_turned_back() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let hour = 60 * 60 * 1000;
    for step in [hour, -hour, hour, hour] {
        stage.pass(step);
        stage.prompts(&main, "go");
    }
    let since = Some(Timestamp(1_000_000 + hour));
    let filter = LogFilter {
        since,
        ..LogFilter::default()
    };
    assert_eq!(listed(&stage, &filter), [1, 3, 4]);
}

#[test]
fn a_verdict_and_a_policy_together_mean_one_verdict_that_is_both() {
    let mut stage = lines();
    let advice = VerdictRecord {
        policy: "notices",
        verdict: VerdictKind::Advise,
        reason: "by the way".to_owned(),
        applied: true,
        took_us: 1,
    };
    stage.write(|db| verdicts::insert(db, EventSeq(2), &advice));
    let by = |verdict, policy: &str| {
        let filter = LogFilter {
            verdicts: vec![verdict],
            policies: words(&[policy]),
            ..LogFilter::default()
        };
        listed(&stage, &filter)
    };
    assert_eq!(by(VerdictKind::Deny, "guard"), [2]);
    assert_eq!(by(VerdictKind::Advise, "notices"), [2]);
    assert_eq!(by(VerdictKind::Advise, "guard"), [0; 0]);
    let both = LogFilter {
        policies: words(&["guard", "notices"]),
        ..LogFilter::default()
    };
    assert_eq!(listed(&stage, &both), [2], "an event is listed once");
}

fn like(pattern: &str) -> PathFilter {
    PathFilter::Like(Pattern::parse(pattern).unwrap())
}

fn at(whole: &str, inside: Option<&str>) -> PathFilter {
    PathFilter::At {
        whole: whole.to_owned(),
        inside: inside.map(str::to_owned),
    }
}

/// 1 src/a.rs, 2 src/deep/b.rs, 3 src/a.rs of another worktree inside the first, 4 outside, 5 a command, 6 src-old/a.rs.
fn paths() -> Stage {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let beside = main.in_worktree("/repo/trees/x");
    for (who, tool, target) in [
        (&main, "Edit", "/repo/src/a.rs"),
        (&main, "Edit", "/repo/src/deep/b.rs"),
        (&beside, "Edit", "/repo/trees/x/src/a.rs"),
        (&main, "Edit", "/etc/src/a.rs"),
        (&main, "Bash", "/repo/run.sh src/a.rs"),
        (&main, "Edit", "/repo/src-old/a.rs"),
    ] {
        let seq = stage.calls(who, tool, target, json!({})).seq;
        stage.write(|db| {
            let sql = "UPDATE events SET target = :target WHERE seq = :seq";
            db.execute(sql, named_params! { ":target": target, ":seq": seq.0 })
        });
    }
    stage
}

#[test]
fn a_path_is_one_file_in_every_worktree_or_a_folder_with_all_in_it() {
    let stage = paths();
    let by = |path: PathFilter| {
        let filter = LogFilter {
            paths: vec![path],
            project: Some(ProjectId(1)),
            ..LogFilter::default()
        };
        listed(&stage, &filter)
    };
    assert_eq!(by(at("/repo/src/a.rs", Some("src/a.rs"))), [1, 3]);
    assert_eq!(by(at("/repo/src", Some("src"))), [1, 2, 3]);
    assert_eq!(by(at("/repo/src/", None)), [1, 2]);
    assert_eq!(by(at("/etc/src/a.rs", None)), [4]);
    assert_eq!(by(at("/repo/src/a", Some("src/a"))), [0; 0]);
}

#[test]
fn a_glob_begins_at_the_root_of_the_worktree_and_never_means_a_command() {
    let stage = paths();
    let by = |pattern: &str| {
        let filter = LogFilter {
            paths: vec![like(pattern)],
            ..LogFilter::default()
        };
        listed(&stage, &filter)
    };
    assert_eq!(by("src/*.rs"), [1, 3]);
    assert_eq!(by("src/**"), [1, 2, 3]);
    assert_eq!(by("**/*.rs"), [1, 2, 3, 6]);
    assert_eq!(by("trees/**"), [0; 0]);
}

/// Two lines of everything at the beginning, then so many calls of others, all in one project.
fn long(others: u32) -> Stage {
    let mut stage = Stage::new();
    let wanted = main_of("7c1e0000");
    stage.prompts(&wanted, "go");
    let call = stage.calls(&wanted, "Edit", "toolu_1", json!({}));
    let denied = VerdictRecord {
        policy: "lease",
        verdict: VerdictKind::Deny,
        reason: "held".to_owned(),
        applied: true,
        took_us: 1,
    };
    stage.write(|db| {
        verdicts::insert(db, call.seq, &denied)?;
        db.execute("UPDATE events SET target = '/repo/src/a.rs' WHERE seq = 2", &[])
    });
    let other = stage.prompts(&main_of("9999"), "busy");
    stage.pass(i64::from(others) + 24 * 60 * 60 * 1000);
    let now = stage.now();
    stage.write(|db| {
        db.execute(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < :others)
             INSERT INTO events (at, project_id, actor_id, event, tool, tool_use_id, delivery, target)
             SELECT :now + n, :project, :actor, 'PostToolUse', 'Bash', 'busy-' || n, 'busy-' || n, 'ls ' || n FROM n",
            named_params! {
                ":others": others,
                ":now": now.0,
                ":project": other.project.0,
                ":actor": other.actor.id.0,
            },
        )?;
        db.execute(
            "INSERT INTO verdicts (event, policy, verdict, reason, applied, took_us)
             SELECT seq, 'guard', 'advise', '', 1, 1 FROM events WHERE seq > 3",
            &[],
        )
    });
    stage
}

#[test]
fn the_newest_lines_of_any_filter_cost_the_same_in_a_log_of_any_length() {
    let project = Some(ProjectId(1));
    let filters: [(&str, LogFilter, usize); 12] = [
        (
            "all",
            LogFilter {
                project,
                ..LogFilter::default()
            },
            200,
        ),
        ("every project", LogFilter::default(), 200),
        (
            "tool",
            LogFilter {
                project,
                tools: words(&["Edit"]),
                ..LogFilter::default()
            },
            1,
        ),
        (
            "common tool",
            LogFilter {
                project,
                tools: words(&["Bash"]),
                ..LogFilter::default()
            },
            200,
        ),
        (
            "event",
            LogFilter {
                events: words(&["UserPromptSubmit"]),
                ..LogFilter::default()
            },
            2,
        ),
        (
            "agent",
            LogFilter {
                project,
                agents: words(&["main@7c1e"]),
                ..LogFilter::default()
            },
            2,
        ),
        (
            "session",
            LogFilter {
                project,
                sessions: words(&["7c1e"]),
                ..LogFilter::default()
            },
            2,
        ),
        (
            "verdict",
            LogFilter {
                project,
                verdicts: vec![VerdictKind::Deny],
                ..LogFilter::default()
            },
            1,
        ),
        (
            "policy",
            LogFilter {
                project,
                policies: words(&["lease"]),
                ..LogFilter::default()
            },
            1,
        ),
        (
            "path",
            LogFilter {
                project,
                paths: vec![at("/repo/src/a.rs", Some("src/a.rs"))],
                ..LogFilter::default()
            },
            1,
        ),
        (
            "glob",
            LogFilter {
                project,
                paths: vec![like("**/*.rs")],
                ..LogFilter::default()
            },
            1,
        ),
        (
            "until",
            LogFilter {
                project,
                until: Some(Timestamp(1_000_002)),
                ..LogFilter::default()
            },
            2,
        ),
    ];
    let (short, long) = (long(500), long(20_000));
    let cost = |stage: &Stage, filter: &LogFilter| {
        let filter = LogFilter {
            limit: 200,
            ..filter.clone()
        };
        list(&stage.read(), &filter).unwrap();
        stage.read().spent();
        let found = list(&stage.read(), &filter).unwrap().len();
        (found, stage.read().spent())
    };
    for (name, filter, expected) in filters {
        let ((few, early), (found, late)) = (cost(&short, &filter), cost(&long, &filter));
        assert_eq!((few, found), (expected, expected), "{name}");
        // Finding a moment takes a step more for each doubling.
        assert!(
            late.steps <= early.steps + early.steps / 10 + 200,
            "{name}: {early:?} {late:?}"
        );
    }
}

#[test]
fn filters_together_never_cost_more_than_the_narrowest_of_them() {
    let filter = LogFilter {
        project: Some(ProjectId(1)),
        tools: words(&["Bash", "Edit"]),
        events: words(&["PreToolUse", "PostToolUse"]),
        agents: words(&["main@7c1e"]),
        since: Some(Timestamp(0)),
        limit: 200,
        ..LogFilter::default()
    };
    let stage = long(20_000);
    stage.read().spent();
    assert_eq!(listed(&stage, &filter), [2]);
    assert!(stage.read().spent().steps < 5_000);
}

#[test]
fn a_filter_that_fits_hundreds_of_agents_still_finds_their_lines() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    for number in 0..300 {
        let agent = main.agent(&format!("a{number:016}"), "Explore");
        stage.calls(&agent, "Read", &format!("toolu_{number}"), json!({}));
    }
    let filter = LogFilter {
        sessions: words(&["7c1e"]),
        limit: 3,
        ..LogFilter::default()
    };
    assert_eq!(listed(&stage, &filter), [298, 299, 300]);
    let tenths = LogFilter {
        agents: words(&["a00000000000000"]),
        ..filter
    };
    assert_eq!(listed(&stage, &tenths), [98, 99, 100]);
}
