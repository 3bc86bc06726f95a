//! No text hangs the reader, overflows its stack or passes in silence.

use super::{World, intent};
use crate::{Budget, Coverage};

/// Texts made to break readers, each with what it must be read as.
#[expect(clippy::too_many_lines, reason = "a table")]
fn shapes() -> Vec<(&'static str, String, Option<Coverage>)> {
    let openers = ["$(", "`", "\"", "'", "${", "((", "{ ", "("];
    let quiet = ["$(", "${", "(( ", "{ ", "(", "<(", "if ", "case x in "];
    let mixed = |marks: [&str; 8]| -> String { (0..60).map(|index| marks[index % 8]).collect() };
    let opaque = Some(Coverage::Opaque);
    vec![
        ("60 mixed openers", mixed(openers), opaque),
        ("60 mixed openers without quotes", mixed(quiet), opaque),
        ("3000 groups", "{ ".repeat(3000), opaque),
        (
            "3000 closed groups",
            format!("{}a{}", "{ ".repeat(3000), "; }".repeat(3000)),
            opaque,
        ),
        ("3000 braces in a word", "{".repeat(3000), None),
        (
            "3000 braces with commas",
            format!("echo {}{}", "{a,".repeat(3000), "}".repeat(3000)),
            None,
        ),
        (
            "5000 subshells",
            format!("{}a{}", "( ".repeat(5000), ")".repeat(5000)),
            opaque,
        ),
        (
            "5000 substitutions",
            format!("{}{}", "$(".repeat(5000), ")".repeat(5000)),
            opaque,
        ),
        (
            "5000 defaults",
            format!("echo {}{}", "${x:-".repeat(5000), "}".repeat(5000)),
            opaque,
        ),
        (
            "5000 quotes in substitutions",
            format!("echo {}", "\"$(".repeat(5000)),
            opaque,
        ),
        ("arithmetic that is none", "((a) ".repeat(3000), opaque),
        ("a nul", "rm\0 -rf x".to_owned(), opaque),
        (
            "a word of a megabyte",
            "x".repeat(1_000_000),
            Some(Coverage::Full),
        ),
        (
            "a quote of a megabyte",
            format!("echo '{}'", "x".repeat(1_000_000)),
            Some(Coverage::Full),
        ),
        ("more than a megabyte", "x ".repeat(600_000), opaque),
        ("200000 words", "word ".repeat(200_000), opaque),
        ("170000 commands", "rm x; ".repeat(170_000), opaque),
        ("250000 stages", format!("{}b", "a | ".repeat(250_000)), opaque),
        (
            "999 stages",
            format!("{}b", "a | ".repeat(999)),
            Some(Coverage::Full),
        ),
        (
            "999 conditions",
            format!("{}b", "a && ".repeat(999)),
            Some(Coverage::Full),
        ),
        ("a fork bomb", ":(){ :|:& };:".to_owned(), None),
        (
            "60 loops",
            format!("{}a{}", "for i in b; do ".repeat(60), "; done".repeat(60)),
            None,
        ),
        (
            "60 cases",
            format!("{}a{}", "case x in x) ".repeat(60), ";; esac".repeat(60)),
            None,
        ),
        (
            "60 branches",
            format!("{}a{}", "if b; then ".repeat(60), "; fi".repeat(60)),
            None,
        ),
        ("backslashes", "\\".repeat(100_000), None),
        ("dollars", "$".repeat(500_000), None),
        ("backticks", "`".repeat(100_000), None),
        ("quotes in turn", "'\"".repeat(50_001), None),
        (
            "heredocs that never end",
            "cat <<A <<B <<C\n".repeat(20_000),
            None,
        ),
        (
            "a huge sequence",
            "echo {1..99999999999999}".to_owned(),
            Some(Coverage::Partial),
        ),
        (
            "a sequence at the limits",
            "echo {-9223372036854775808..9223372036854775807..1}".to_owned(),
            None,
        ),
        (
            "a step at the limits",
            "echo {1..9..-9223372036854775808}".to_owned(),
            None,
        ),
        (
            "brace products",
            format!("echo {}", "{a,b}".repeat(40)),
            Some(Coverage::Partial),
        ),
        (
            "doubling",
            format!("x=aaaa; {}rm $x", "x=$x$x; ".repeat(60)),
            Some(Coverage::Partial),
        ),
        (
            "large values used often",
            format!("x={}; {}", "a".repeat(60_000), "rm $x; ".repeat(3000)),
            opaque,
        ),
        (
            "functions that double",
            "a(){ b;b;};b(){ c;c;};c(){ d;d;};d(){ e;e;};e(){ f;f;};f(){ rm x;}; a".to_owned(),
            None,
        ),
        (
            "a group of many with many redirections",
            format!("{{ {}}} {}", "a;".repeat(3000), "> f ".repeat(500)),
            None,
        ),
        (
            "many exports",
            format!("{}{}", "export a=b; ".repeat(200), "c; ".repeat(3000)),
            None,
        ),
        (
            "slow patterns",
            format!("x={}; echo ${{x%%{}b}}", "a".repeat(4000), "*a".repeat(200)),
            None,
        ),
        (
            "not a character",
            "rm \u{fffd}\u{200b}\u{feff} x".to_owned(),
            None,
        ),
        (
            "private characters",
            "rm \u{e000}x\u{e001} \u{e000}".to_owned(),
            None,
        ),
        ("controls", "rm \u{1}\u{7f}\u{1b}[2J x".to_owned(), None),
        ("carriage returns", "rm x\r\nrm y\r\n".to_owned(), None),
        ("only separators", ";;;&&&|||".to_owned(), opaque),
        (
            "an index out of range",
            "echo ${x:99999999999999999999:1} ${1000000} $99".to_owned(),
            None,
        ),
        ("nested backticks", format!("echo `{}`", "\\`".repeat(200)), None),
        ("pattern groups", format!("echo {}", "!(a)".repeat(100_000)), None),
        ("open pattern groups", format!("echo {}", "!(".repeat(50)), None),
        ("a path of dots", format!("cd {}; rm x", "../".repeat(5000)), None),
    ]
}

#[test]
fn hostile_shapes_are_read_within_the_budget() {
    for (name, text, coverage) in shapes() {
        let read = intent(&text);
        let budget = Budget::default();
        assert!(read.commands.len() <= budget.nodes, "{name}");
        assert!(read.notes.len() <= 64 && read.wants.len() <= 64, "{name}");
        if let Some(coverage) = coverage {
            assert_eq!(read.coverage, coverage, "{name}: {:?}", read.notes);
        }
    }
}

#[test]
fn the_deepest_text_that_is_read_fits_a_small_stack() {
    let texts = [
        format!("echo {}x{}", "$(echo ".repeat(60), ")".repeat(60)),
        format!("echo {}x{}", "\"$(echo ".repeat(30), ")\"".repeat(30)),
        format!("{}rm x{}", "( ".repeat(60), " )".repeat(60)),
        format!("echo {}x{}", "${a:-".repeat(60), "}".repeat(60)),
        format!("{}rm x; {}", "if a; then ".repeat(40), "fi; ".repeat(40)),
        format!("{}b", "a && ".repeat(19_000)),
        format!("{}b", "a | ".repeat(19_000)),
        format!("{}b", "a && ".repeat(3_000)),
        format!("{}b", "a | ".repeat(3_000)),
        format!("a {}", "b ".repeat(19_000)),
    ];
    let read = std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(move || {
            for text in &texts {
                intent(text);
            }
        })
        .expect("a thread");
    assert!(read.join().is_ok());
}

#[test]
fn what_stands_before_the_limit_is_still_read() {
    let deep = "$(".repeat(200);
    let texts = [
        format!("rm -rf /; {}", "echo a; ".repeat(100_000)),
        format!("rm -rf /; # {}", "x".repeat(2_000_000)),
        format!("rm -rf / && echo {deep}"),
        format!("rm -rf / | {}", "{ ".repeat(3000)),
        format!("rm -rf / || {}b", "a | ".repeat(9000)),
        format!("rm -rf / || {}b", "a && ".repeat(1200)),
        "rm -rf / && echo a) b".to_owned(),
        "rm -rf / | ;; b".to_owned(),
        format!("rm -rf / & {}", "'a".repeat(50_001)),
        "rm -rf /\0; ls".to_owned(),
    ];
    for text in texts {
        let read = intent(&text);
        let shown: String = text.chars().take(40).collect();
        let first = read.commands.first();
        assert_eq!(first.and_then(|command| command.program()), Some("rm"), "{shown}");
        assert_eq!(read.coverage, Coverage::Opaque, "{shown}");
    }
}

#[test]
fn a_small_budget_is_kept() {
    let world = World {
        budget: Budget {
            nodes: 50,
            words: 5,
            ..Budget::default()
        },
        ..World::default()
    };
    assert_eq!(world.read("a b c d e f g").coverage, Coverage::Opaque);
    let read = world.read(&"rm x\n".repeat(100));
    assert!(read.coverage == Coverage::Opaque && read.commands.len() <= 50);
}
