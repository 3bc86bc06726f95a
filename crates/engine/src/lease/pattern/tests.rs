use super::*;
use crate::policy::guard::glob::{StarReach, fits};
use proptest::prelude::*;

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"))
}

fn overlap(one: &str, two: &str) -> bool {
    let (one, two) = (pattern(one), pattern(two));
    let found = one.overlaps(&two);
    assert_eq!(found, two.overlaps(&one), "{} and {}", one.as_str(), two.as_str());
    found
}

#[test]
fn patterns_overlap_if_a_path_can_be_both() {
    for (one, two) in [
        ("src/*.rs", "src/a*"),
        ("a/**/z", "a/z"),
        ("a/**/z", "a/b/c/z"),
        ("{a,b}/c", "b/?"),
        ("**", "docs/x.md"),
        ("**", ".a"),
        ("**/*.rs", "src/**"),
        ("src/**", "src/**/a"),
        ("docs/", "docs/x/y"),
        ("./a", "a"),
        ("*a*", "*b*"),
        ("a/**/b/**/c", "a/c/**/c"),
        ("{src,test}/{a,b}.{rs,toml}", "test/b.*"),
        ("[!a]", "b"),
        ("\\*", "[*]"),
        ("a-[0-9]", "a-[5-7]"),
        ("{a,{b,c}}/d", "c/d"),
        ("/etc/*", "/etc/hosts"),
        ("**/b", "{a/,}b"),
        ("{a/,b}**/c", "a/c"),
        ("a\u{e9}", "ae\u{301}"),
    ] {
        assert!(overlap(one, two), "{one} and {two}");
    }
}

#[test]
fn patterns_do_not_overlap_if_no_path_can_be_both() {
    for (one, two) in [
        ("src/*.rs", "docs/**"),
        ("[ab]x", "[cd]x"),
        ("a/*", "a/b/c"),
        ("a/**", "a"),
        ("docs/", "docs"),
        ("*.rs", "src/*.rs"),
        ("a?", "a"),
        ("a*", "b*"),
        ("*a", "*b"),
        ("a/**/z", "a/y"),
        ("[!ab]", "[ab]"),
        ("[a/]b", "/b"),
        ("a[!b]c", "a/c"),
        ("\\*", "a"),
        ("/etc/*", "etc/*"),
        ("{a/,b}**/c", "bc"),
        // Only `.` and `..` fit both, and those are no names.
        ("a/[.]", "a/?"),
        ("a/[.][.]", "a/??"),
        // Only the empty name fits both.
        ("a/{b,}", "a/{,c}"),
        ("**/*", "{,/}"),
    ] {
        assert!(!overlap(one, two), "{one} and {two}");
    }
}

#[test]
fn a_folder_overlaps_what_lies_below_it_whatever_its_name() {
    assert!(Pattern::below("src").overlaps(&pattern("src/*.rs")));
    assert!(Pattern::below("src/").overlaps(&pattern("**/a")));
    assert!(!Pattern::below("src").overlaps(&pattern("srcs/*")));
    assert!(Pattern::below("").overlaps(&pattern("a/b")));
    assert!(Pattern::below("a[b]*").fits("a[b]*/c"));
    assert!(!Pattern::below("a*").fits("ab/c"));
    assert!(Pattern::of_path("a[b]*").overlaps(&pattern("a*")));
    assert!(!Pattern::of_path("a*").overlaps(&pattern("ab")));
}

#[test]
fn what_is_no_pattern_says_why() {
    for (text, fault) in [
        ("", PatternFault::Empty),
        ("./", PatternFault::Empty),
        ("[a", PatternFault::Class),
        ("[]", PatternFault::Class),
        ("[z-a]", PatternFault::Class),
        ("[a-", PatternFault::Class),
        ("{a,b", PatternFault::Brace),
        ("a}", PatternFault::Brace),
        ("{{a}", PatternFault::Brace),
        ("a\\", PatternFault::Escape),
        ("a/../b", PatternFault::Dots),
        ("a/.", PatternFault::Dots),
        ("a\nb", PatternFault::Control),
        ("a\0b", PatternFault::Control),
    ] {
        assert_eq!(Pattern::parse(text), Err(fault), "{text:?}");
    }
    assert_eq!(
        Pattern::parse(&"a".repeat(LONGEST + 1)),
        Err(PatternFault::TooLong)
    );
    assert_eq!(Pattern::parse(&"{".repeat(200)), Err(PatternFault::TooDeep));
    let faults = [
        PatternFault::Empty,
        PatternFault::TooLong,
        PatternFault::TooDeep,
        PatternFault::Class,
        PatternFault::Brace,
        PatternFault::Escape,
        PatternFault::Dots,
        PatternFault::Control,
    ];
    let said: Vec<&str> = faults.into_iter().map(PatternFault::as_str).collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    is empty
    is longer than 250 characters
    nests braces too deep
    has a `[` that does not end
    has a brace without its partner
    ends with a backslash
    has a name that is `.` or `..`
    holds a control character
    ");
}

#[test]
fn hostile_patterns_are_decided_within_the_square_of_their_length() {
    let stars = pattern(&"*a".repeat(125));
    let deep = pattern(&"**/".repeat(83));
    let braces = pattern(&format!("{}z", "{a,b}".repeat(49)));
    let nested = pattern(&format!("{}a{}", "{,".repeat(8), "}".repeat(8)).repeat(9));
    for one in [&stars, &deep, &braces, &nested] {
        for two in [&stars, &deep, &braces, &nested] {
            assert_eq!(one.overlaps(two), two.overlaps(one));
        }
    }
    assert!(!stars.fits(&format!("{}b", "a".repeat(4_096))));
    assert!(!braces.fits(&"a".repeat(4_096)));
}

/// Every tidy path of up to five letters over a small alphabet.
fn paths() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..5 {
        let longer = last
            .iter()
            .flat_map(|path| ['a', 'b', '.', '/'].map(|letter| format!("{path}{letter}")));
        last = longer.collect();
        all.extend(last.iter().cloned());
    }
    let is_tidy = |path: &String| {
        let inside = path.strip_prefix('/').unwrap_or(path);
        inside.split('/').all(|name| !matches!(name, "" | "." | ".."))
    };
    all.retain(is_tidy);
    all
}

fn piece() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "b", ".", "/", "*", "**", "**/", "?", "[ab]", "[!a]", "[.-b]", "\\a",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop::collection::vec(inner, 1..3).prop_map(|parts| format!("{{{}}}", parts.join(",")))
    })
}

proptest! {
    #[test]
    fn overlap_is_what_trying_all_short_paths_says(
        one in prop::collection::vec(piece(), 1..4),
        two in prop::collection::vec(piece(), 1..4),
    ) {
        let (Ok(one), Ok(two)) = (Pattern::parse(&one.concat()), Pattern::parse(&two.concat())) else {
            return Ok(());
        };
        let witness = paths().into_iter().find(|path| one.fits(path) && two.fits(path));
        // Three pieces on each side force no path of more than five letters.
        if let Some(path) = &witness {
            prop_assert!(one.overlaps(&two), "{} and {}: {path}", one.as_str(), two.as_str());
        } else {
            prop_assert!(!one.overlaps(&two), "{} and {}", one.as_str(), two.as_str());
        }
    }

    #[test]
    fn a_path_fits_as_the_guards_patterns_say(
        names in prop::collection::vec("a|b|\\*|\\?|\\*\\*|a\\*|\\*b|\\[ab\\]|\\.a", 1..4),
        at in 0_usize..10_000,
    ) {
        let text = names.join("/");
        let paths = paths();
        let path = &paths[at % paths.len()];
        prop_assert_eq!(pattern(&text).fits(path), fits(&text, path, StarReach::Name), "{} {}", text, path);
    }

    #[test]
    fn any_text_is_a_pattern_or_a_fault(text in "[a*?{},\\[\\]!/.\\\\-]{0,60}") {
        if let Ok(found) = Pattern::parse(&text) {
            found.fits("a/b");
            found.overlaps(&found);
        }
    }
}
