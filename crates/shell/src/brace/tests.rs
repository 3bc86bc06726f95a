use super::expanded;

fn words(raw: &str) -> String {
    expanded(raw, 64, &mut 0).map_or_else(|| "too many".to_owned(), |words| words.join(" "))
}

#[test]
fn braces_expand_as_in_the_shell() {
    let cases = [
        ("abc", "abc"),
        ("{a,b}", "a b"),
        ("x{a,b}y", "xay xby"),
        ("{a,b}{c,d}", "ac ad bc bd"),
        ("{a,{b,c}}d", "ad bd cd"),
        ("x{,.bak}", "x x.bak"),
        ("{1..3}", "1 2 3"),
        ("{3..1}", "3 2 1"),
        ("{1..9..4}", "1 5 9"),
        ("{a..c}x", "ax bx cx"),
        ("{-1..1}", "-1 0 1"),
        ("{}", "{}"),
        ("{a}", "{a}"),
        ("{a,b", "{a,b"),
        ("a,b}", "a,b}"),
        ("'{a,b}'", "'{a,b}'"),
        ("\"{a,b}\"", "\"{a,b}\""),
        (r"\{a,b}", r"\{a,b}"),
        ("{a,'b,c'}", "a 'b,c'"),
        ("{a,$(b,c)}", "a $(b,c)"),
        ("${a,b}", "${a,b}"),
        ("{a}{b,c}", "{a}b {a}c"),
        ("{1..x}", "{1..x}"),
    ];
    for (raw, expected) in cases {
        assert_eq!(words(raw), expected, "{raw}");
    }
}

#[test]
fn more_than_64_words_are_not_followed() {
    assert_eq!(words("{1..64}").split(' ').count(), 64);
    for raw in [
        "{1..65}",
        "{1..99999999999}",
        "{-9223372036854775808..9223372036854775807}",
        "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
    ] {
        assert_eq!(words(raw), "too many", "{raw}");
    }
}

#[test]
fn many_braces_that_do_not_expand_are_passed_over() {
    let raw = "{".repeat(3000);
    assert_eq!(words(&raw), raw);
    let nested = |count: usize| format!("{}{}", "{".repeat(count), "}".repeat(count));
    assert_eq!(words(&nested(1000)), nested(1000));
    assert_eq!(
        words(&nested(100_000)),
        "too many",
        "looking for it would take too long"
    );
}
