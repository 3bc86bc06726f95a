//! The rules of the house: what no compiler checks and every part of the repository keeps to.

use fs_err as fs;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::repository::{files, root, sources};

/// Which of our crates each of them may build on. `testkit` and `bench` are apart: they may use all.
const EDGES: [(&str, &[&str]); 7] = [
    ("shell", &[]),
    ("git", &[]),
    ("engine", &["shell"]),
    ("agents", &["engine", "shell"]),
    ("store", &["engine"]),
    ("daemon", &["agents", "engine", "git", "shell", "store"]),
    (
        "toprope",
        &["agents", "daemon", "engine", "git", "shell", "store"],
    ),
];
const UNBOUND: [&str; 2] = ["bench", "testkit"];

const LOCKED_PACKAGES: usize = 300;
const LINES_PER_FILE: usize = 600;
/// How many numbered scenarios each specification has.
const SCENARIOS: [(&str, u32); 5] = [
    ("foundation", 21),
    ("checkpoints", 55),
    ("guard", 42),
    ("coordination", 46),
    ("trust", 60),
];
/// Names that say nothing, and so attract everything.
const VAGUE: [&str; 8] = [
    "util", "utils", "helpers", "common", "manager", "service", "misc", "v2",
];

#[test]
fn crates_build_only_on_the_crates_below_them() {
    let mut wrong = Vec::new();
    for package in packages() {
        let name = package.name.as_str();
        if UNBOUND.contains(&name) {
            continue;
        }
        let below = EDGES.iter().find(|(crate_name, _)| *crate_name == name);
        for (used, is_dev) in package.uses {
            let on_the_map = below.is_some_and(|(_, below)| below.contains(&used.as_str()));
            let for_its_tests = is_dev && used == "testkit";
            if !on_the_map && !for_its_tests {
                wrong.push(format!("{name} -> {used}"));
            }
        }
    }
    assert_eq!(
        wrong,
        Vec::<String>::new(),
        "edges that the map of the crates does not have"
    );
}

#[test]
fn there_are_no_crates_beside_those_on_the_map() {
    let found: BTreeSet<String> = packages().into_iter().map(|package| package.name).collect();
    let known = EDGES.iter().map(|(name, _)| *name).chain(UNBOUND);
    assert_eq!(
        found,
        known.map(str::to_owned).collect(),
        "a new crate needs a decision record and a line here"
    );
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for package in packages() {
        let text = fs::read_to_string(&package.manifest).unwrap();
        assert!(text.contains("[lints]\nworkspace = true"), "{}", package.manifest);
    }
}

#[test]
fn the_lock_file_stays_within_its_budget() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let locked = lock.lines().filter(|line| *line == "[[package]]").count();
    assert!(
        locked <= LOCKED_PACKAGES,
        "{locked} packages; raising {LOCKED_PACKAGES} is a decision record"
    );
}

#[test]
fn no_source_file_is_longer_than_anyone_reads() {
    let long: Vec<String> = sources()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LINES_PER_FILE)
        .map(|(path, lines)| format!("{} has {lines} lines", path.display()))
        .collect();
    assert_eq!(
        long,
        Vec::<String>::new(),
        "find the second concept and give it a file"
    );
}

#[test]
fn lints_are_expected_with_a_reason_never_allowed() {
    let mut allowed = Vec::new();
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if (line.starts_with("#[") || line.starts_with("#![")) && line.contains("allow(") {
                allowed.push(format!("{}:{}: {line}", path.display(), number + 1));
            }
        }
    }
    assert_eq!(allowed, Vec::<String>::new());
}

#[test]
fn files_are_named_after_what_they_hold() {
    let vague: Vec<PathBuf> = files()
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| {
            let parents = path.parent().into_iter().flat_map(Path::iter);
            let mut names = parents.chain(path.file_stem());
            names.any(|name| VAGUE.iter().any(|word| name == *word))
        })
        .collect();
    assert_eq!(vague, Vec::<PathBuf>::new());
}

#[test]
fn every_policy_says_what_it_does_in_its_folder() {
    let folder = root().join("crates/engine/src/policy");
    let policies = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let silent: Vec<PathBuf> = policies
        .filter(|path| path.is_dir() && path.join("mod.rs").exists())
        .filter(|path| !path.join("README.md").exists())
        .collect();
    assert_eq!(silent, Vec::<PathBuf>::new(), "policies without a README");
}

#[test]
fn nothing_names_a_path_of_the_machine_it_was_written_on() {
    // In pieces, so that this file is not the first finding.
    let foreign = [["/wo", "rk/"], ["/ro", "ot/"], ["../sha", "red/"]].map(|pieces| pieces.concat());
    let mut found = Vec::new();
    for path in files() {
        let bytes = fs::read(root().join(&path)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for (number, line) in text.lines().enumerate() {
            if foreign.iter().any(|piece| line.contains(piece.as_str())) {
                found.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn every_promise_names_its_proof_or_says_why_it_does_not_hold() {
    for (part, scenarios) in SCENARIOS {
        let page = fs::read_to_string(root().join(format!("docs/acceptance/{part}.md"))).unwrap();
        let rows = acceptance_rows(&page);
        let numbers: Vec<u32> = rows.iter().filter_map(|row| row.number.parse().ok()).collect();
        let expected: Vec<u32> = (1..=scenarios).collect();
        assert_eq!(numbers, expected, "{part}");
        for row in rows {
            assert!(
                !row.proofs.is_empty() || row.excuse,
                "{part} {} has neither a proof nor a reason why it does not hold yet",
                row.number
            );
        }
    }
}

#[test]
fn every_proof_in_the_acceptance_tables_exists() {
    let tables: Vec<PathBuf> = fs::read_dir(root().join("docs/acceptance"))
        .expect("docs/acceptance has one table per specification")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    assert!(!tables.is_empty(), "docs/acceptance holds no table");
    let mut missing = Vec::new();
    for table in tables {
        let rows = acceptance_rows(&fs::read_to_string(&table).unwrap());
        assert!(
            !rows.is_empty(),
            "{} has no rows under a column `Proof`",
            table.display()
        );
        for row in rows {
            for proof in row.proofs.iter().filter(|proof| !proof_exists(proof)) {
                missing.push(format!("{} {}: {proof}", table.display(), row.number));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn a_proof_is_a_test_in_its_file_or_a_scenario_folder() {
    assert!(proof_exists(
        "crates/testkit/tests/house.rs::a_proof_is_a_test_in_its_file_or_a_scenario_folder"
    ));
    assert!(proof_exists("tests/real-client/product/deny"));
    assert!(
        !proof_exists("crates/testkit/tests/house.rs::proof_exists"),
        "a function that is no test"
    );
    assert!(!proof_exists("crates/testkit/tests/house.rs::nowhere"));
    assert!(!proof_exists("tests/real-client/product/nowhere"));
}

#[test]
fn proofs_are_what_the_column_proof_names_in_backticks() {
    let page = "\
        # Acceptance\n\
        | # | Promise | Proof |\n\
        |--:|---|---|\n\
        | 1 | `init` twice is once | `a.rs::one`, and `tests/two` |\n\
        | 2 | not yet | |\n\
        \n\
        | Word | Meaning |\n\
        |---|---|\n\
        | proof | `no/proof` |\n";
    let rows = acceptance_rows(page);
    let read: Vec<(&str, Vec<&str>)> = rows
        .iter()
        .map(|row| {
            (
                row.number.as_str(),
                row.proofs.iter().map(String::as_str).collect(),
            )
        })
        .collect();
    assert_eq!(read, [("1", vec!["a.rs::one", "tests/two"]), ("2", vec![])]);
}

/// A row of an acceptance table: its first cell, and what the column `Proof` names in backticks.
struct Row {
    number: String,
    proofs: Vec<String>,
    /// It says why it does not hold yet.
    excuse: bool,
}

/// The rows of every table in a page that has a column `Proof`.
fn acceptance_rows(page: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut proof_column = None;
    for line in page.lines() {
        let Some(inner) = line
            .trim()
            .strip_prefix('|')
            .and_then(|rest| rest.strip_suffix('|'))
        else {
            proof_column = None;
            continue;
        };
        let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
        if let Some(column) = proof_column {
            let is_rule = cells.iter().all(|cell| cell.trim_matches([':', '-']).is_empty());
            if !is_rule {
                rows.push(Row {
                    number: cells.first().copied().unwrap_or_default().to_owned(),
                    proofs: in_backticks(cells.get(column).copied().unwrap_or_default()),
                    excuse: cells
                        .get(column)
                        .is_some_and(|cell: &&str| cell.starts_with("not yet:")),
                });
            }
        } else {
            proof_column = cells.iter().position(|cell| *cell == "Proof");
        }
    }
    rows
}

fn in_backticks(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// `path/to/file.rs::name_of_a_test`, or the path of a scenario or test file.
fn proof_exists(proof: &str) -> bool {
    let Some((file, name)) = proof.split_once("::") else {
        return root().join(proof).exists();
    };
    let Ok(text) = fs::read_to_string(root().join(file)) else {
        return false;
    };
    let declaration = format!("fn {name}(");
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with(&declaration) && is_test {
            return true;
        }
        // The attributes of a function stand above it without a gap.
        let is_gap = line.is_empty() || line == "}" || line.starts_with("fn ");
        is_test = line == "#[test]" || is_test && !is_gap;
    }
    false
}

/// One crate of the workspace.
struct Package {
    name: String,
    manifest: String,
    /// Our own crates it names, and whether all it wants them for is testing.
    uses: BTreeMap<String, bool>,
}

fn packages() -> Vec<Package> {
    let read = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let metadata: Value = serde_json::from_slice(&read.stdout).expect("cargo writes JSON");
    list(&metadata, "packages").map(package).collect()
}

fn package(described: &Value) -> Package {
    let mut uses = BTreeMap::new();
    let own = list(described, "dependencies").filter(|dependency| dependency.get("path").is_some());
    for dependency in own {
        let is_dev = dependency.get("kind").and_then(Value::as_str) == Some("dev");
        *uses.entry(text(dependency, "name")).or_insert(true) &= is_dev;
    }
    Package {
        name: text(described, "name"),
        manifest: text(described, "manifest_path"),
        uses,
    }
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, key: &str) -> String {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
