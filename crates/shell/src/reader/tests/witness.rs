//! Two witnesses: another grammar finds no command that the reader misses, and bash itself takes what the reader takes.

use super::intent;
use crate::{Intent, UnreadCause};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use tree_sitter::{Node, Parser};

/// Where the two differ, and why: one text a line, a tab, the reason.
const DIFFERENCES: &str = include_str!("witness-differences.txt");

/// The names of commands that the other grammar finds outside functions; none if it cannot read the text.
fn witnessed(text: &str) -> Option<BTreeSet<String>> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .expect("a language of this version");
    let tree = parser.parse(text, None)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut names = BTreeSet::new();
    collect(tree.root_node(), text, &mut names);
    Some(names)
}

fn collect(node: Node<'_>, text: &str, names: &mut BTreeSet<String>) {
    if node.kind() == "function_definition" {
        return;
    }
    if node.kind() == "command_name" {
        let name = text.get(node.byte_range()).unwrap_or_default();
        if name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        {
            names.insert(name.to_owned());
        }
    }
    for index in 0..node.child_count() {
        if let Some(child) = node.child(index) {
            collect(child, text, names);
        }
    }
}

fn found(read: &Intent) -> BTreeSet<String> {
    read.commands
        .iter()
        .filter_map(|command| command.program())
        .map(str::to_owned)
        .collect()
}

/// Names that are grammar for the one and commands for the other.
const GRAMMAR: &[&str] = &["exit", "return", "break", "continue", "time", "coproc"];

fn missed(text: &str) -> Vec<String> {
    let read = intent(text);
    let ours = found(&read);
    let theirs = witnessed(text).unwrap_or_default();
    let missed = theirs
        .into_iter()
        .filter(|name| !ours.contains(name) && !GRAMMAR.contains(&name.as_str()) && name != DATA);
    assert!(!ours.contains(DATA), "data was read as a command: {text:?}");
    missed.collect()
}

/// The words of every command that the other grammar finds outside functions, as they are written.
fn witnessed_words(text: &str) -> BTreeSet<Vec<String>> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .expect("a language of this version");
    let mut found = BTreeSet::new();
    if let Some(tree) = parser.parse(text, None) {
        collect_words(tree.root_node(), text, &mut found);
    }
    found
}

fn collect_words(node: Node<'_>, text: &str, found: &mut BTreeSet<Vec<String>>) {
    if node.kind() == "function_definition" {
        return;
    }
    if node.kind() == "command" {
        let mut cursor = node.walk();
        let words = node
            .child_by_field_name("name")
            .into_iter()
            .chain(node.children_by_field_name("argument", &mut cursor));
        found.insert(
            words
                .filter_map(|word| text.get(word.byte_range()))
                .filter(|word| *word != SEVERAL)
                .map(str::to_owned)
                .collect(),
        );
    }
    for index in 0..node.child_count() {
        if let Some(child) = node.child(index) {
            collect_words(child, text, found);
        }
    }
}

/// The words of every command we find, as they are written.
fn written_words(text: &str) -> BTreeSet<Vec<String>> {
    let words = |command: &crate::Command| {
        let mut spans = command.spans.clone();
        spans.dedup();
        let spans = spans.into_iter().flatten();
        spans
            .filter_map(|span| span.of(text).map(str::to_owned))
            .collect()
    };
    intent(text).commands.iter().map(words).collect()
}

/// A name that stands in quoted heredocs only; within substitutions the other grammar does not see that they are quoted.
const DATA: &str = "no";
/// A word that becomes several has no place of its own.
const SEVERAL: &str = "{j,k}";

/// A generator that needs no randomness: the same texts on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let high = usize::try_from(self.0 >> 33).unwrap_or(0);
        high % limit
    }

    fn one<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len())]
    }
}

const NAMES: &[&str] = &["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"];
const WORDS: &[&str] = &[
    "a",
    "-x",
    "'a b'",
    "\"c $d\"",
    "$e",
    "${f}",
    "${g:-h}",
    "*.o",
    "a\\ b",
    "~/i",
    "{j,k}",
    "--l=m",
    "\"it's\"",
    "'\"'",
    "o#p",
    "\"${q[@]}\"",
    "$((1+2))",
    "a=b",
    "$'r\\n'",
    "[s]",
    "=",
];

/// A command of some shape; deeper ones hold others.
fn text(numbers: &mut Numbers, depth: usize) -> String {
    if depth == 0 {
        let count = numbers.below(3);
        let words: Vec<&str> = (0..count).map(|_| numbers.one(WORDS)).collect();
        return format!("{} {}", numbers.one(NAMES), words.join(" "));
    }
    let mut inner = || text(numbers, depth - 1);
    let (one, two, three) = (inner(), inner(), inner());
    match numbers.below(36) {
        0 => format!("{one}; {two}"),
        1 => format!("{one} && {two}"),
        2 => format!("{one} || {two}"),
        3 => format!("{one} | {two}"),
        4 => format!("({one})"),
        5 => format!("{{ {one}; }}"),
        6 => format!("if {one}; then {two}; else {three}; fi"),
        7 => format!("while {one}; do {two}; done"),
        8 => format!("for i in a $( {one}); do {two}; done"),
        9 => format!("case $x in a) {one};; b|c) {two};; *) {three};; esac"),
        10 => format!("echo \"$( {one})\" `alpha`"),
        11 => format!("x=$( {one}); {two}"),
        12 => format!("{one} > f 2>&1"),
        13 => format!("cat <<E{depth}\n$( {one}) text\nE{depth}\n{two}"),
        14 => format!("cat <<'E{depth}'\n$(no such) 'text\nE{depth}\n{two}"),
        15 => format!("beta <( {one})"),
        16 => format!("[[ -n $( {one}) && a == b* ]] && {two}"),
        17 => format!("if ! alpha; then {two}; fi"),
        18 => format!("{one} &\n{two}"),
        19 => format!("{one} # beta 'x $(y\n{three}"),
        20 => format!("gamma <<< \"$( {one})\"; {two}"),
        21 => format!("a=(b \"$( {one})\"); {two}"),
        22 => format!("until {one}; do {two}; break; done"),
        23 => format!("echo ${{v//a/$( {one})}}; {two}"),
        24 => format!("{one} |& {two}"),
        25 => format!("{{ ! alpha; }}; {one}"),
        26 => format!("time alpha; {two}"),
        27 => format!("cat <<-E{depth}\n\tsome text\n\tE{depth}\n{two}"),
        28 => format!("beta > >( {one})"),
        29 => format!("for ((i=0; i<3; i++)); do {one}; done"),
        30 => format!("(( x = 1 )) && {one}"),
        31 => format!("[[ a =~ ^b$ ]] || {one}"),
        32 => format!("if {one}\nthen {two}\nelif {three}\nthen alpha\nfi"),
        33 => format!("alpha a \\\n  --more; {two}"),
        34 => format!("case x in (a|b) {one} ;; *) ;; esac; {two}"),
        35 => format!("a+=($( {one})) b=`beta` gamma \"${{x:-\"$( {two})\"}}\""),
        _ => format!("echo ${{v:-$( {one})}}; {two}"),
    }
}

fn corpus(count: usize) -> Vec<String> {
    let seeded = |seed: u64| {
        let mut numbers = Numbers(seed);
        (0..count / 3).map(move |index| text(&mut numbers, 1 + index % 3))
    };
    [42, 7, 3].into_iter().flat_map(seeded).collect()
}

fn differences() -> Vec<(String, &'static str)> {
    let lines = DIFFERENCES
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let (text, reason) = line.split_once('\t').expect("a text and a reason");
            (text.replace("\\n", "\n"), reason)
        })
        .collect()
}

#[test]
fn no_command_is_missed_that_another_grammar_finds() {
    let known = differences();
    let mut compared = 0;
    for text in corpus(1200) {
        if known.iter().any(|(other, _)| *other == text) || witnessed(&text).is_none() {
            continue;
        }
        compared += 1;
        let missed = missed(&text);
        assert!(missed.is_empty(), "{missed:?} in {text:?}");
    }
    assert!(compared > 800, "only {compared} texts could be compared");
}

#[test]
fn no_word_is_missed_that_another_grammar_finds() {
    let known = differences();
    let mut compared = 0;
    for text in corpus(1200) {
        if known.iter().any(|(other, _)| *other == text) || witnessed(&text).is_none() {
            continue;
        }
        let ours = written_words(&text);
        for words in witnessed_words(&text) {
            let is_grammar = words
                .first()
                .is_some_and(|name| GRAMMAR.contains(&name.as_str()) || name == DATA);
            compared += 1;
            assert!(
                is_grammar || ours.contains(&words),
                "{words:?} in {text:?}, not in {ours:?}"
            );
        }
    }
    assert!(compared > 2000, "only {compared} commands could be compared");
}

#[test]
fn every_difference_that_is_written_down_is_one() {
    for (text, reason) in differences() {
        assert!(
            !missed(&text).is_empty(),
            "no longer a difference: {text:?} ({reason})"
        );
    }
}

#[test]
fn bash_takes_what_is_read_as_complete() {
    let takes = |text: &str| -> Option<bool> {
        let mut bash = Command::new("bash");
        let status = bash.args(["-n", "-c", text]).stderr(Stdio::null()).status();
        status.ok().map(|status| status.success())
    };
    if takes("true").is_none() {
        return;
    }
    for text in corpus(150) {
        let is_read = intent(&text)
            .notes
            .iter()
            .all(|note| note.cause != UnreadCause::Unparseable);
        assert_eq!(takes(&text), Some(is_read), "{text:?}");
    }
    for text in [
        "if",
        "a (",
        "'",
        "$(",
        "a |",
        "case x in",
        "for",
        ")",
        "{ a;",
        "a;;b",
        "a <",
        "f() {",
    ] {
        let is_read = intent(text)
            .notes
            .iter()
            .all(|note| note.cause != UnreadCause::Unparseable);
        assert_eq!(takes(text), Some(is_read), "{text:?}");
    }
}
