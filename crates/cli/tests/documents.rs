//! What is written about the product is true: generated pages are fresh, and what the README says to type works.

use std::path::{Path, PathBuf};
use testkit::World;

const BINARY: &str = env!("CARGO_BIN_EXE_toprope");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs_err::read_to_string(root().join("README.md")).expect("a README")
}

#[test]
fn the_generated_reference_is_fresh() {
    let world = World::new(BINARY);
    let folder = world.root().join("reference");
    let names = world.toprope(&["reference", folder.to_str().unwrap()]).ok();
    for name in names.lines() {
        let committed = fs_err::read_to_string(root().join("docs/reference").join(name)).unwrap_or_default();
        let generated = fs_err::read_to_string(folder.join(name)).unwrap();
        assert!(
            committed == generated,
            "docs/reference/{name} is stale; run `cargo run -- reference docs/reference`"
        );
    }
}

/// The n-th TOML block of the page about rules.
fn example(number: usize) -> String {
    let text = fs_err::read_to_string(root().join("docs/rules.md")).expect("the page about rules");
    let block = text.split("```toml\n").nth(number).expect("a TOML block");
    block.split("```").next().unwrap_or_default().to_owned()
}

#[test]
fn what_the_page_about_rules_says_to_type_works() {
    let world = World::new(BINARY);
    for (name, number) in [("rules.toml", 1), ("cases.toml", 2)] {
        fs_err::write(world.root().join(name), example(number)).unwrap();
    }
    let rules = world.root().join("rules.toml");
    let cases = world.root().join("cases.toml");
    let (rules, cases) = (rules.to_str().unwrap(), cases.to_str().unwrap());
    world.toprope(&["guard", "packs", "--verify", rules]).ok();
    world
        .toprope(&["guard", "replay", "--since", "7d", "--rules", rules])
        .ok();
    world.toprope(&["guard", "test", cases]).ok();
    let command = "sudo bash -lc 'tofu apply -auto-approve prod.tfvars'";
    let asked = world.toprope(&["guard", "check", "--rules", rules, command]);
    assert_eq!(asked.code, Some(11), "{}", asked.whole());
    assert!(asked.stdout.contains("infra.no-prod-apply"), "{}", asked.whole());
}

/// The lines a reader would type, from every console block.
fn typed() -> Vec<String> {
    let text = readme();
    let mut lines = Vec::new();
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        lines.extend(
            block
                .lines()
                .filter_map(|line| line.strip_prefix("$ "))
                .map(str::to_owned),
        );
    }
    lines
}

#[test]
fn every_line_the_readme_says_to_type_works() {
    let world = World::new(BINARY);
    for line in typed() {
        let command = line.split('#').next().unwrap_or_default().trim();
        if let Some(alias) = command
            .strip_prefix("cargo ")
            .filter(|words| !words.contains(' '))
        {
            let words = alias_of(alias);
            let output = world.toprope(&words.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(output.code, Some(0), "{command}: {}", output.whole());
        } else if let Some(words) = command.strip_prefix("toprope ") {
            let output = world.toprope(&words.split(' ').collect::<Vec<_>>());
            assert_eq!(output.code, Some(0), "{command}: {}", output.whole());
        } else if let Some(words) = command.strip_prefix("cargo install --path ") {
            let (path, profile) = words.split_once(" --profile ").unwrap();
            let profiles = fs_err::read_to_string(root().join("Cargo.toml")).unwrap();
            assert!(
                profiles.contains(&format!("[profile.{profile}]")),
                "{command}: no such profile"
            );
            let manifest = fs_err::read_to_string(root().join(path).join("Cargo.toml")).unwrap();
            assert!(
                manifest.contains("name = \"toprope\""),
                "{command} installs something else"
            );
        } else if let Some(script) = command.strip_prefix("./") {
            // The test command itself: running it from here would never end.
            assert!(root().join(script).is_file(), "{command} is not there");
        } else {
            assert!(
                command.starts_with("cd "),
                "the README says to type `{command}`, which no test can run"
            );
        }
    }
}

/// What one of cargo's aliases here gives the program to do.
fn alias_of(name: &str) -> Vec<String> {
    let settings = fs_err::read_to_string(root().join(".cargo/config.toml")).expect("settings of cargo");
    let said = format!("{name} = \"run ");
    let line = settings.lines().find(|line| line.starts_with(&said));
    let words = line.and_then(|line| line.trim_end_matches('"').split_once(" -- "));
    let (_, words) = words.expect("an alias that runs the program");
    words.split(' ').map(str::to_owned).collect()
}

#[test]
fn every_command_the_readme_names_exists() {
    let world = World::new(BINARY);
    let text = readme();
    let named: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.strip_prefix("toprope "))
        .collect();
    assert!(named.len() > 5, "the README names commands");
    for command in named {
        let words = command
            .split(' ')
            .filter(|word| word.starts_with(|first: char| first.is_ascii_lowercase()));
        let mut words: Vec<&str> = words.collect();
        words.push("--help");
        let output = world.toprope(&words);
        assert_eq!(output.code, Some(0), "toprope {command}: {}", output.whole());
        for option in command.split(' ').filter(|word| word.starts_with("--")) {
            assert!(
                output.stdout.contains(option),
                "`toprope {command}` has no {option}"
            );
        }
    }
}

#[test]
fn wrong_use_is_told_on_stderr_with_exit_code_two() {
    let world = World::new(BINARY);
    for wrong in [
        &["fly"][..],
        &["log", "--verdict", "maybe"],
        &["why"],
        &["config", "set", "structure.mode"],
    ] {
        let output = world.toprope(wrong);
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (Some(2), ""),
            "{wrong:?}: {}",
            output.whole()
        );
        assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
    }
}
