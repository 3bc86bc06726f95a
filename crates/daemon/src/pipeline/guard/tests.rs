//! The world, as a guard is told of it: real git, real files, a real store.

use super::ground::{Ground, event_of, scene_of};
use super::*;
use crate::pipeline::EventSubject;
use engine::policy::guard::facts::PathKind;
use engine::policy::{Asking, Policy};
use engine::question::Question;
use engine::settings::{Mode, Settings};
use engine::verdict::Judgement;
use serde_json::json;

#[test]
fn paths_of_a_worktree_are_known_ignored_or_neither() {
    let ground = Ground::new();
    ground.write("repo/build/out", "123");
    ground.write("repo/new.rs", "12");
    let source = ground.path_fact("repo/src");
    assert!(source.exists && source.tracked && !source.ignored);
    assert_eq!(
        (source.kind, source.files, source.bytes),
        (PathKind::Folder, 1, 3)
    );
    let build = ground.path_fact("repo/build");
    assert!(build.ignored && !build.tracked && !build.capped);
    let new = ground.path_fact("repo/new.rs");
    assert!(new.exists && !new.tracked && !new.ignored && new.worktree.is_none());
    let gone = ground.path_fact("repo/gone.log");
    assert!(!gone.exists && gone.ignored);
    assert!(new.real.is_empty(), "it is where it says");
}

#[test]
fn links_git_directories_and_other_worktrees_are_seen_for_what_they_are() {
    let ground = Ground::new();
    std::os::unix::fs::symlink("/etc", ground.path("repo/system")).unwrap();
    let link = ground.path_fact("repo/system");
    assert_eq!(link.kind, PathKind::Link);
    assert_eq!(link.real, fs_err::canonicalize("/etc").unwrap().to_str().unwrap());
    assert!(ground.path_fact("repo/.git").git_dir);
    assert!(ground.path_fact("repo/.git/refs/heads/main").git_dir);
    assert!(!ground.path_fact("repo").git_dir);

    ground.git("repo", &["worktree", "add", "-q", "../wt", "-b", "side"]);
    ground.git(".", &["init", "-q", "repo/vendor"]);
    let other = ground.path_fact("wt/src/a.rs");
    assert_eq!(other.worktree, Some(ground.text("wt")));
    assert!(other.tracked, "its own git was asked");
    assert_eq!(
        ground.path_fact("repo/vendor").worktree,
        Some(ground.text("repo/vendor"))
    );
    assert!(ground.path_fact("home").worktree.is_none());
}

#[test]
fn keys_are_told_from_files_that_are_only_named_like_them() {
    let ground = Ground::new();
    ground.write("repo/real.pem", "-----BEGIN PRIVATE KEY-----\nabc\n");
    ground.write("repo/public.pem", "-----BEGIN CERTIFICATE-----\nabc\n");
    ground.write("repo/store.p12", "x");
    assert!(ground.path_fact("repo/real.pem").private_key);
    assert!(!ground.path_fact("repo/public.pem").private_key);
    assert!(ground.path_fact("repo/store.p12").private_key);
    assert!(!ground.path_fact("repo/gone.p12").private_key);
}

#[test]
fn what_the_session_made_is_its_own_and_only_that_is_read_as_a_script() {
    let ground = Ground::new();
    ground.agent_writes("repo/new/x.sh", "rm -rf ~");
    ground.write("repo/theirs.sh", "rm -rf ~");
    let mine = ground.path_fact("repo/new/x.sh");
    assert!(mine.wrote && mine.created);
    assert!(ground.path_fact("repo/new").created, "all in it is");
    let theirs = ground.path_fact("repo/theirs.sh");
    assert!(!theirs.wrote && !theirs.created);
    let asked = ["repo/new/x.sh", "repo/theirs.sh"].map(|name| WorldQuestion::Script {
        path: ground.text(name),
    });
    let facts = ground.asked("bash new/x.sh", &asked);
    assert_eq!(
        facts.scripts.get(&ground.text("repo/new/x.sh")),
        Some(&Some("rm -rf ~".to_owned()))
    );
    assert_eq!(facts.scripts.get(&ground.text("repo/theirs.sh")), Some(&None));
    ground.write("repo/new/x.sh", "rm -rf ~ # by hand");
    assert!(ground.path_fact("repo/new/x.sh").wrote);
    ground.write("repo/new/y.sh", "");
    assert!(
        !ground.path_fact("repo/new").created,
        "somebody else put a file there"
    );
}

#[test]
fn a_script_outside_every_worktree_is_the_sessions_too() {
    let ground = Ground::new();
    ground.agent_writes("elsewhere/x.sh", "rm -rf ~");
    let mine = ground.path_fact("elsewhere/x.sh");
    assert!(mine.wrote && mine.created);
}

#[test]
fn the_repository_and_its_aliases_are_told() {
    let ground = Ground::new();
    ground.git(
        "repo",
        &["config", "alias.nuke", "!git reset --hard && git clean -fd"],
    );
    ground.git("repo", &["worktree", "add", "-q", "../wt", "-b", "side"]);
    let (repo, cwd) = (ground.text("repo"), ground.text("repo/src"));
    let alias = |name: &str| WorldQuestion::GitAlias {
        cwd: repo.clone(),
        name: name.to_owned(),
    };
    let asked = [
        WorldQuestion::Repository { cwd: cwd.clone() },
        WorldQuestion::Repository {
            cwd: ground.text("home"),
        },
        alias("nuke"),
        alias("status"),
    ];
    let facts = ground.asked("git nuke", &asked);
    let found = facts.repositories.get(&cwd).cloned().flatten().unwrap();
    assert_eq!(
        (found.root.as_str(), found.branch.as_deref()),
        (repo.as_str(), Some("main"))
    );
    assert_eq!(found.worktrees, [repo.clone(), ground.text("wt")]);
    assert_eq!(facts.repositories.get(&ground.text("home")), Some(&None));
    assert_eq!(
        facts.aliases.get(&format!("{repo}\nnuke")),
        Some(&Some("!git reset --hard && git clean -fd".to_owned()))
    );
    assert_eq!(facts.aliases.get(&format!("{repo}\nstatus")), Some(&None));
    assert_eq!(found.staged, None, "only a commit asks for that");
}

#[test]
fn a_commit_is_told_what_is_staged_and_a_removal_which_worktrees_have_work() {
    let ground = Ground::new();
    ground.write("repo/plan.md", "x");
    ground.git("repo", &["add", "plan.md"]);
    ground.write("repo/src/a.rs", "changed");
    ground.git("repo", &["worktree", "add", "-q", "../clean", "-b", "clean"]);
    ground.git("repo", &["worktree", "add", "-q", "../dirty", "-b", "dirty"]);
    ground.write("dirty/new", "x");
    let cwd = ground.text("repo");
    let asked = [WorldQuestion::Repository { cwd: cwd.clone() }];
    let of = |command: &str| {
        let facts = ground.asked(command, &asked);
        facts.repositories.get(&cwd).cloned().flatten().unwrap()
    };
    let commits = of("git commit -m x");
    assert_eq!(commits.staged, Some(vec!["plan.md".to_owned()]));
    assert_eq!(commits.changed, Some(vec!["src/a.rs".to_owned()]));
    let removes = of("git worktree remove --force ../dirty");
    assert_eq!(removes.dirty_worktrees, [ground.text("dirty")]);
}

#[test]
fn a_call_knows_where_it_is_made_before_anything_is_asked() {
    let ground = Ground::new();
    let payload = ground.payload("PreToolUse", "Bash", &json!({ "command": "ls" }));
    let prepared = ground.prepared(&payload, &[("USER", "dev"), ("TMPDIR", "/var/tmp/x")]);
    let facts = scene_of(&prepared);
    assert_eq!(facts.cwd, Some(ground.text("repo")));
    assert_eq!(facts.home, Some(ground.text("home")));
    assert_eq!(facts.user.as_deref(), Some("dev"));
    assert_eq!(facts.tmpdir.as_deref(), Some("/var/tmp/x"));
    assert_eq!(facts.own.home, Some(ground.text("state")));
    assert_eq!(facts.own.agent_settings, [ground.text("home/.claude")]);
    assert!(!facts.own.binaries.is_empty() && !facts.no_rewrite);
    assert!(
        facts
            .client_scratch
            .as_deref()
            .is_some_and(|path| path.starts_with("/tmp/claude-"))
    );
}

#[test]
fn a_rule_of_the_persons_in_any_layer_keeps_a_command_from_being_rewritten() {
    for layer in [
        "home/.claude/settings.json",
        "repo/.claude/settings.json",
        "repo/.claude/settings.local.json",
    ] {
        let ground = Ground::new();
        let push = json!({ "command": "cd x && git push --force" });
        assert!(!scene_of(&ground.calls("Bash", &push)).no_rewrite);
        ground.write(layer, r#"{"permissions": {"ask": ["Bash(git push:*)"]}}"#);
        assert!(scene_of(&ground.calls("Bash", &push)).no_rewrite, "{layer}");
        assert!(!scene_of(&ground.calls("Bash", &json!({ "command": "ls" }))).no_rewrite);
        ground.write(layer, r#"{"permissions": {"allow": ["Bash"]}}"#);
        assert!(
            !scene_of(&ground.calls("Bash", &push)).no_rewrite,
            "{layer} changed"
        );
    }
}

/// Asks about a folder, then about what it learned of it, and so on.
struct Curious;

impl Policy for Curious {
    fn name(&self) -> &'static str {
        "curious"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Enforce
    }

    fn concerns(&self, _event: &Event, _facts: &engine::facts::Facts) -> bool {
        true
    }

    fn questions(&self, event: &Event, asking: &Asking<'_>) -> Vec<Question> {
        let known = asking.answers.guard.as_ref().map_or(0, |facts| facts.paths.len());
        let cwd = event.cwd.as_deref().unwrap_or(Path::new("/"));
        (0..=known)
            .map(|number| {
                let path = cwd.join(number.to_string()).to_str().unwrap().to_owned();
                Question::Guard(WorldQuestion::Path { path })
            })
            .collect()
    }

    fn judge(&self, _event: &Event, _facts: &engine::facts::Facts) -> Judgement {
        Judgement::silent()
    }
}

#[test]
fn a_policy_asks_on_with_what_it_learned_but_not_for_ever() {
    let ground = Ground::new();
    let mut prepared = ground.calls("Bash", &json!({ "command": "ls" }));
    let path = WorldQuestion::Path {
        path: ground.text("repo/0"),
    };
    if let EventSubject::Event(subject) = &mut prepared.subject {
        subject.questions = vec![Question::Guard(path)];
    }
    ground.world.answer_to(&[&Curious], &mut prepared);
    assert_eq!(scene_of(&prepared).paths.len(), ROUNDS);
}

#[test]
fn beyond_the_most_questions_nothing_is_answered() {
    let ground = Ground::new();
    let asked: Vec<WorldQuestion> = (0..MOST_QUESTIONS + 20)
        .map(|number| WorldQuestion::Path {
            path: ground.text(&format!("repo/{number}")),
        })
        .collect();
    assert_eq!(ground.asked("ls", &asked).paths.len(), MOST_QUESTIONS);
}

#[test]
fn without_time_or_a_database_what_cannot_be_told_stays_unknown() {
    let ground = Ground::new();
    let prepared = ground.calls("Bash", &json!({ "command": "ls" }));
    let (event, place) = event_of(&prepared);
    let cwd = ground.text("repo");
    let settings = GuardSettings::of(engine::settings::Profile::Standard);
    let mut witness = WorldWitness::new(&ground.world, event, place, &settings);
    witness.until = Instant::now();
    let mut facts = GuardFacts::default();
    let asked = [
        &WorldQuestion::Repository { cwd: cwd.clone() },
        &WorldQuestion::GitAlias {
            cwd: cwd.clone(),
            name: "x".to_owned(),
        },
    ];
    witness.answer(&asked, &mut facts);
    assert_eq!(facts, GuardFacts::default());
    fs_err::remove_file(ground.world.home().database()).unwrap();
    let script = WorldQuestion::Script {
        path: ground.text("repo/src/a.rs"),
    };
    assert!(ground.asked("x", &[script]).scripts.is_empty());
}
