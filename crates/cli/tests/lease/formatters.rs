//! Commands that go over parts of a tree are held up by what others hold there, and by nothing else.

use crate::{OTHER, SESSION, world};
use testkit::{Agent, World};

/// One who holds these files, and one who runs commands.
fn holder_and_runner<'a>(world: &'a World, held: &[&str]) -> [Agent<'a>; 2] {
    let [holder, runner] = [SESSION, OTHER].map(|session| {
        let agent = world.agent(session);
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
        agent
    });
    for path in held {
        holder.writes(path, "held\n");
    }
    [holder, runner]
}

#[test]
fn a_formatter_is_held_up_only_by_held_files_in_its_scope() {
    let world = world();
    let [_, runner] = holder_and_runner(&world, &["README.md", "docs/a.md", "api/main.go"]);
    for command in [
        "prettier --write web/",
        "npx prettier --write 'src/**/*.ts'",
        "eslint --fix web",
        "isort src",
        "cargo fmt",
        "cargo fmt --all",
        "gofmt -w web",
        "black .",
        "terraform fmt",
        "cd web && prettier --write .",
        "ruff check --fix",
        "prettier --write .prettierrc web/a.ts",
    ] {
        let denial = runner.is_about_to_run_maybe(command);
        assert_eq!(denial, None, "{command}");
    }
    for (command, held) in [
        ("prettier --write .", "README.md"),
        ("prettier --write docs", "docs/a.md"),
        ("prettier --write '**/*.md'", "README.md"),
        ("gofmt -w .", "api/main.go"),
        ("go fmt ./...", "api/main.go"),
        ("cd api && gofmt -w .", "api/main.go"),
    ] {
        let denial = runner.is_about_to_run_maybe(command).unwrap_or_default();
        assert!(denial.contains(held), "{command}: {denial}");
    }
    let denial = runner.is_about_to_run_maybe("gofmt -w .").unwrap_or_default();
    insta::assert_snapshot!(denial, @"`gofmt -w .` would change *.go files in this tree, and others are editing there: api/main.go (main@ab31). It was not run. Name your own files or folders, or wait: `toprope lease wait api/main.go`.");
}

#[test]
fn ones_own_folder_always_passes_and_holds_up_nobody_elsewhere() {
    let world = world();
    let [holder, runner] = holder_and_runner(&world, &["web/a.ts", "web/b.ts"]);
    runner.writes("api/a.ts", "one\n");
    let call = runner.is_about_to_run("prettier --write api/");
    for command in [
        "prettier --write web/",
        "eslint --fix web",
        "prettier --write web/a.ts",
    ] {
        assert_eq!(holder.is_about_to_run_maybe(command), None, "{command}");
    }
    holder.writes("web/c.ts", "one\n");
    call.ends(&serde_json::json!({ "stdout": "" })).ok();
}

#[test]
fn a_reserved_folder_stops_a_formatter_only_if_a_file_of_its_kind_is_in_it() {
    let world = world();
    world.write("docs/guide.md", "one\n");
    let [_, runner] = holder_and_runner(&world, &[]);
    world.toprope(&["lease", "reserve", "docs/"]).ok();
    for command in ["cargo fmt", "black .", "prettier --write src"] {
        assert_eq!(runner.is_about_to_run_maybe(command), None, "{command}");
    }
    let denial = runner
        .is_about_to_run_maybe("prettier --write .")
        .unwrap_or_default();
    assert!(denial.contains("docs/"), "{denial}");
    assert!(runner.is_about_to_run_maybe("git checkout main").is_some());
}

#[test]
fn what_was_begun_may_be_given_up_and_our_own_commands_run_whatever_others_hold() {
    let world = world();
    let [_, runner] = holder_and_runner(&world, &["src/parser.rs"]);
    assert!(runner.is_about_to_run_maybe("git rebase main").is_some());
    for command in [
        "git rebase --abort",
        "git rebase --continue",
        "git cherry-pick --abort",
        "git merge --abort",
        "git revert --quit",
        "git am --skip",
        "toprope lease list",
        "toprope lease wait src/parser.rs --timeout 0",
        "toprope status",
        "toprope why src/parser.rs",
    ] {
        assert_eq!(runner.is_about_to_run_maybe(command), None, "{command}");
    }
}
