//! A day of three agents in one repository: each edits, formats, tests and commits in its own folder, and is stopped only where
//! two of them mean the same file or the same part of the tree.

use crate::world;
use serde_json::json;
use testkit::{Agent, Call, World};

const ROUNDS: usize = 8;
const FOLDERS: [&str; 3] = ["api", "web", "docs"];

/// Whoever works in a folder of its own.
struct Worker<'a> {
    agent: Agent<'a>,
    folder: &'static str,
    ending: &'static str,
}

impl Worker<'_> {
    fn file(&self, name: &str) -> String {
        format!("{}/{name}.{}", self.folder, self.ending)
    }

    /// What it does to its own files in a round. Every command is judged, and those that write run.
    fn round(&self, world: &World, round: usize) {
        let own = self.file("main");
        self.agent.reads(&own);
        self.passes(
            "Edit",
            &json!({ "file_path": world.repo().join(&own), "old_string": "a", "new_string": "b" }),
            || {
                world.write(&own, &format!("{} {round}\n", self.folder));
            },
        );
        self.agent.writes(&self.file(&format!("new{round}")), "new\n");
        self.agent
            .shell(&format!("sed -i s/new/newer/ {}/*.{}", self.folder, self.ending));
        self.agent.shell(&format!("cat {own}; grep -c . {own}"));
        self.formats();
        self.tests(world, round);
        self.commits(world, round);
    }

    fn formats(&self) {
        let folder = self.folder;
        let commands = match self.ending {
            "go" => [
                format!("gofmt -w {folder}"),
                format!("cd {folder} && go fmt ./..."),
            ],
            "ts" => [
                format!("prettier --write {folder}/"),
                format!("npx eslint --fix '{folder}/**/*.ts'"),
            ],
            _ => [
                format!("prettier --write {folder}"),
                format!("markdownlint --fix {folder}"),
            ],
        };
        for command in commands {
            self.passes("Bash", &json!({ "command": command }), || {});
        }
    }

    /// A test run that rewrites a lock file and a snapshot, which git tracks, and a log, which it does not.
    fn tests(&self, world: &World, round: usize) {
        let content = format!("{} {round}\n", self.folder);
        let call = self.agent.is_about_to_run("npm test > test.log 2>&1");
        for path in ["package-lock.json", "out.snap", "test.log"] {
            world.write(path, &content);
        }
        let paths: Vec<_> = ["package-lock.json", "out.snap", "test.log"]
            .map(|path| world.repo().join(path))
            .into();
        let diff = json!({ "files": [], "moreFiles": 0, "changedFiles": paths });
        let told = call.ends(&json!({ "stdout": "", "bashEditDiff": diff }));
        assert_eq!(told.context(), "", "{}", self.folder);
        call.ends_step().ok();
    }

    fn commits(&self, world: &World, round: usize) {
        if round.is_multiple_of(2) {
            let own = format!("git add {0} && git commit -qm {0} -- {0}", self.folder);
            self.agent.shell(&own);
        } else {
            self.passes(
                "Bash",
                &json!({ "command": "git add -A && git commit -m all" }),
                || {},
            );
            world.git(&["reset", "-q"]);
        }
    }

    fn passes(&self, tool: &str, input: &serde_json::Value, does: impl FnOnce()) {
        let call: Call<'_> = self.agent.call(tool, input);
        let answer = call.begins();
        assert_eq!(answer.denial(), None, "{input}");
        assert!(!answer.whole().contains("\"ask\""), "{}", answer.whole());
        does();
        call.ends(&json!({ "stdout": "" })).ok();
        call.ends_step().ok();
    }

    fn is_denied(&self, command: &str) -> bool {
        self.agent.is_about_to_run_maybe(command).is_some()
    }
}

#[test]
fn three_agents_work_side_by_side_for_a_day_and_only_true_conflicts_are_refused() {
    let world = world();
    for path in [
        "api/main.go",
        "web/main.ts",
        "docs/main.md",
        "package-lock.json",
        "out.snap",
        "shared.md",
    ] {
        world.write(path, "one\n");
    }
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "modules"]);
    let workers: Vec<Worker<'_>> = FOLDERS
        .into_iter()
        .zip(["go", "ts", "md"])
        .map(|(folder, ending)| {
            let agent = world.agent(&format!("{folder}-session"));
            agent.starts().ok();
            Worker {
                agent,
                folder,
                ending,
            }
        })
        .collect();
    for round in 0..ROUNDS {
        for worker in &workers {
            worker.agent.is_asked("Go on.").ok();
        }
        for worker in &workers {
            worker.round(&world, round);
        }
        // Where two mean the same, the second is stopped.
        let [api, web, docs] = workers.as_slice() else {
            panic!("three of them");
        };
        web.agent.reads("shared.md");
        web.agent.writes("shared.md", &format!("{round}\n"));
        assert!(docs.is_denied("echo x >> shared.md"));
        assert!(
            docs.is_denied("prettier --write ."),
            "others' files are in that scope"
        );
        assert!(api.is_denied("git checkout main"));
        assert!(api.is_denied("sed -i s/a/b/ web/main.ts"));
        for worker in &workers {
            worker.agent.stops().ok();
        }
    }
}
