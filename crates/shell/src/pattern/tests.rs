use super::Glob;

fn found(pattern: &str, text: &str) -> Option<bool> {
    Glob::new(pattern).fits(text, &mut 10_000)
}

#[test]
fn patterns_fit_as_in_the_shell() {
    let fits = [
        ("", ""),
        ("*", ""),
        ("*", "abc"),
        ("a*c", "abbc"),
        ("a*c", "ac"),
        ("?b", "ab"),
        ("[ab]c", "bc"),
        ("[a-c]", "b"),
        ("[!a]", "b"),
        ("[^a]", "b"),
        ("[]a]", "]"),
        (r"\*", "*"),
        (r"[\]]", "]"),
        ("[", "["),
        ("*.tar.*", "x.tar.gz"),
        ("é*", "éa"),
    ];
    for (pattern, text) in fits {
        assert_eq!(found(pattern, text), Some(true), "{pattern} {text}");
    }
    let fails = [
        ("", "a"),
        ("?", ""),
        ("a*c", "ab"),
        ("[ab]", "c"),
        ("[!a]", "a"),
        (r"\*", "a"),
        ("a?", "a"),
    ];
    for (pattern, text) in fails {
        assert_eq!(found(pattern, text), Some(false), "{pattern} {text}");
    }
}

#[test]
fn many_stars_are_given_up() {
    let pattern = "*a".repeat(100);
    assert_eq!(found(&pattern, &"a".repeat(99)), Some(false));
    assert_eq!(found(&pattern, &"a".repeat(500)), Some(true));
    assert_eq!(found(&format!("*{}b", "a".repeat(50)), &"a".repeat(2_000)), None);
}
