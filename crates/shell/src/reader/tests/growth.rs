//! Work grows with the length of the text, not faster. Counted, not timed.

use super::super::{GroupLevel, ShellReader, SourceText};
use super::World;
use crate::state::ShellState;
use crate::{Budget, Scene, UserWrappers};

/// Pieces of syntax visited, and bytes scanned or copied.
fn work(text: &str) -> (usize, usize) {
    let (nodes, bytes, is_over) = spent(text);
    assert!(!is_over, "the budget of this test is large enough");
    (nodes, bytes)
}

/// The same, and whether even the large budget of these tests was not enough.
fn spent(text: &str) -> (usize, usize, bool) {
    let wrappers = UserWrappers::default();
    let world = World::asked();
    let scene = Scene {
        cwd: Some("/w".to_owned()),
        home: None,
        user: None,
        tmpdir: None,
        budget: Budget {
            bytes: 1 << 24,
            nodes: 1 << 20,
            words: 1 << 20,
            ..Budget::default()
        },
        wrappers: &wrappers,
        known: &world,
    };
    let mut reader = ShellReader::new(&scene);
    let (nodes, bytes) = (reader.nodes, reader.bytes);
    reader.page(
        &SourceText {
            text,
            base: Some(0),
            cuts: &[],
        },
        &mut ShellState::new(&scene),
        &GroupLevel::default(),
    );
    (nodes - reader.nodes, bytes - reader.bytes, reader.is_over)
}

#[test]
fn ten_times_the_text_is_ten_times_the_work() {
    let shapes: &[(&str, &str)] = &[
        ("plain words", "word "),
        ("commands", "rm -rf x; "),
        ("lines", "rm x\n"),
        ("pipes", "a | b; "),
        ("quotes", "'a b' \"c $d\" "),
        ("substitutions", "$(a b) "),
        ("nested substitutions", "$(a $(b $(c))) "),
        ("backticks", "`a b` "),
        ("parameters", "${a:-b} $c "),
        ("heredocs", "cat <<E\nsome $text\nE\n"),
        ("branches", "if a; then b; else c; fi\n"),
        ("loops", "for i in a b; do rm $i; done\n"),
        ("functions", "f() { rm x; }; f\n"),
        ("braces", "{a,b,c} "),
        ("texts in texts", "bash -c 'rm x'\n"),
        ("decoders", "echo cm0geAo= | base64 -d | sh\n"),
        ("files", "echo 'rm x' > f; bash f\n"),
        ("assignments", "X=a; rm $X\n"),
        ("wrappers", "sudo env A=1 rm x\n"),
    ];
    for (name, shape) in shapes {
        let (few, many) = (work(&shape.repeat(20)), work(&shape.repeat(200)));
        assert!(many.0 <= few.0 * 12, "{name}: {few:?} {many:?}");
        assert!(many.1 <= few.1 * 12, "{name}: {few:?} {many:?}");
    }
}

/// Texts that were made to be slow.
const SHAPES: &str = include_str!("../../../../../fuzz/shapes/shell.toml");

/// A shape of these, repeated to about this length.
fn shaped(shape: &toml::Table, length: usize) -> String {
    let part = |name: &str| shape.get(name).and_then(toml::Value::as_str).unwrap_or_default();
    let mut text = part("front").to_owned();
    let mut number = 0;
    while text.len() < length {
        text.push_str(&part("piece").replace("{n}", &number.to_string()));
        number += 1;
    }
    text + part("back")
}

#[test]
fn what_was_made_to_be_slow_is_ten_times_the_work_at_ten_times_the_length() {
    let shapes: toml::Table = toml::from_str(SHAPES).expect("shapes");
    for shape in shapes["shape"].as_array().expect("a list") {
        let shape = shape.as_table().expect("a shape");
        let (few, many) = (spent(&shaped(shape, 600)), spent(&shaped(shape, 6_000)));
        let name = &shape["name"];
        if few.2 || many.2 {
            continue;
        }
        assert!(many.0 <= few.0 * 14 + 100, "{name}: {few:?} {many:?}");
        assert!(many.1 <= few.1 * 14 + 100_000, "{name}: {few:?} {many:?}");
    }
}

#[test]
fn data_costs_one_pass() {
    let text = format!("cat > f <<'E'\n{}E\n", "some line of data $(x)\n".repeat(40_000));
    let (nodes, bytes) = work(&text);
    assert!(nodes < 40, "{nodes}");
    assert!(bytes <= text.len() + 100, "{bytes} of {}", text.len());
}

#[test]
fn loops_within_loops_are_not_walked_twice_each() {
    let nested = |depth: usize| {
        format!(
            "{}rm x{}",
            "for i in a b; do ".repeat(depth),
            "; done".repeat(depth)
        )
    };
    let (shallow, deep) = (work(&nested(3)), work(&nested(30)));
    assert!(deep.0 <= shallow.0 * 12, "{shallow:?} {deep:?}");
}
