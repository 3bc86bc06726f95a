//! The figures of the house, each with a ceiling that only falls. `scripts/house` prints them.
#![cfg(test)]

mod functions;
mod modules;
mod source;
mod types;

use source::SourceFile;
use std::fmt::Write as _;
use std::io::Write as _;
use testkit::repository;
use types::TypeNames;

/// A function is not read in one piece above this.
const LINES_PER_FUNCTION: usize = 100;

/// Words that say nothing of a type when they are all of its name: participles and questions, then nouns that every
/// part has its own of.
const BARE: &[&str] = &[
    "Found", "Seen", "Known", "Named", "Kept", "Left", "Met", "Asked", "Wanted", "Here", "How", "When",
    "Who", "Why", "What", "Whose", "By", "From", "Entry", "Item", "Kind", "State", "Record", "Report", "Row",
    "Value", "Work",
];

/// What only the client's own crate should say.
const CLIENT: &[&str] = &["CLAUDE", ".claude", "claude-code", "claude_code"];

/// One figure: what it is today, what it may be, and where it is to go.
struct Figure {
    what: &'static str,
    found: usize,
    ceiling: usize,
    goal: usize,
    /// What was counted, for one who has to find it.
    which: Vec<String>,
}

impl Figure {
    fn new(what: &'static str, found: usize, (ceiling, goal): (usize, usize)) -> Self {
        Self {
            what,
            found,
            ceiling,
            goal,
            which: Vec::new(),
        }
    }

    fn counting(what: &'static str, which: Vec<String>, limits: (usize, usize)) -> Self {
        Self {
            found: which.len(),
            which,
            ..Self::new(what, 0, limits)
        }
    }
}

#[test]
fn every_figure_is_within_its_ceiling() {
    let files = source::read(repository::sources());
    let figures = figures(&files);
    let mut table = format!("{:<62} {:>7} {:>7} {:>7}\n", "", "now", "ceiling", "goal");
    let mut over = String::new();
    for figure in &figures {
        let (found, ceiling) = (figure.found, figure.ceiling);
        let _ = writeln!(
            table,
            "{:<62} {found:>7} {ceiling:>7} {:>7}",
            figure.what, figure.goal
        );
        if found > ceiling {
            let _ = writeln!(over, "{}: {found}, at most {ceiling}", figure.what);
            for one in &figure.which {
                let _ = writeln!(over, "  {one}");
            }
        }
    }
    // Straight to standard output, where `scripts/house` shows it.
    std::io::stdout().write_all(table.as_bytes()).unwrap();
    assert!(over.is_empty(), "above its ceiling, which only falls:\n{over}");
}

fn figures(files: &[SourceFile]) -> Vec<Figure> {
    let product: usize = files.iter().map(SourceFile::product_lines).sum();
    let tests: usize = files.iter().map(SourceFile::test_lines).sum();
    let types = TypeNames::of(files);
    let circles = modules::circles(files);
    let in_circles: Vec<String> = circles
        .iter()
        .flat_map(|(owner, modules)| modules.iter().map(move |module| format!("{owner}::{module}")))
        .collect();
    let long = files
        .iter()
        .flat_map(|file| functions::longer_than(LINES_PER_FUNCTION, file))
        .collect();
    let bare = types.named(BARE).into_iter().map(str::to_owned).collect();
    vec![
        Figure::new("lines of product code", product, (108_900, 90_000)),
        Figure::new(
            "product code per hundred lines of tests",
            100 * product / tests,
            (122, 100),
        ),
        Figure::counting("names of types that a crate uses twice", types.twice(), (0, 0)),
        Figure::new(
            "types per thousand that share their name with another",
            1000 * types.shared() / types.count(),
            (10, 120),
        ),
        Figure::counting("types named by a word that says nothing alone", bare, (0, 0)),
        Figure::counting(
            "top-level modules that need each other in a circle",
            in_circles,
            (32, 0),
        ),
        Figure::counting("functions of more than a hundred lines", long, (2, 0)),
        Figure::new("settings", engine::settings::KEYS.len(), (79, 40)),
        Figure::counting("limits in time outside `limits.rs`", durations(files), (108, 0)),
        Figure::counting(
            "lines outside `agents` with words of the client",
            of_the_client(files),
            (84, 0),
        ),
        Figure::counting(
            "doc comments of fewer than three words",
            short_docs(files),
            (742, 0),
        ),
    ]
}

fn durations(files: &[SourceFile]) -> Vec<String> {
    let others = files.iter().filter(|file| !file.path.ends_with("limits.rs"));
    lines_with(others, |code| code.contains("Duration::from_"))
}

fn of_the_client(files: &[SourceFile]) -> Vec<String> {
    let others = files
        .iter()
        .filter(|file| file.in_crate().is_some_and(|(owner, _)| owner != "agents"));
    lines_with(others, |code| CLIENT.iter().any(|word| code.contains(word)))
}

fn lines_with<'a>(
    files: impl Iterator<Item = &'a SourceFile>,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let lines = file.written().filter(|(_, line)| is_meant(line));
        found
            .extend(lines.map(|(number, line)| format!("{}:{number}: {}", file.path.display(), line.trim())));
    }
    found
}

fn short_docs(files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let short = file
            .docs()
            .into_iter()
            .filter(|doc| doc.split_whitespace().count() < 3);
        found.extend(short.map(|doc| format!("{}:{doc}", file.path.display())));
    }
    found
}
