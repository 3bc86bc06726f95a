use super::*;
use serde_json::json;

fn document(text: &str) -> JsonDocument {
    JsonDocument::parse(text.to_owned()).unwrap()
}

fn problem(text: &str) -> String {
    JsonDocument::parse(text.to_owned()).unwrap_err().to_string()
}

fn member(key: &str, value: serde_json::Value) -> Child {
    Child::Member(key.to_owned(), value)
}

/// The text with a member added to its root.
fn with_member(text: &str) -> String {
    let before = document(text);
    let splice = before.append(before.root(), &[member("new", json!({"a": [1, {}], "b": []}))]);
    before.spliced(vec![splice]).unwrap().text().to_owned()
}

/// The text without the root's last member.
fn without_last(text: &str) -> String {
    let before = document(text);
    let last = before.root().children().len() - 1;
    before
        .spliced(before.root().remove(vec![last], ""))
        .unwrap()
        .text()
        .to_owned()
}

#[test]
fn a_member_is_added_in_the_files_own_layout() {
    let cases = [
        (
            "{\n  \"x\": 1\n}\n",
            "{\n  \"x\": 1,\n  \"new\": {\n    \"a\": [\n      1,\n      {}\n    ],\n    \"b\": []\n  }\n}\n",
        ),
        (
            "{\r\n\t\"x\": 1\r\n}",
            "{\r\n\t\"x\": 1,\r\n\t\"new\": {\r\n\t\t\"a\": [\r\n\t\t\t1,\r\n\t\t\t{}\r\n\t\t],\r\n\t\t\"b\": []\r\n\t}\r\n}",
        ),
        (
            "{\n    \"x\":1\n}",
            "{\n    \"x\":1,\n    \"new\":{\n        \"a\":[\n            1,\n            {}\n        ],\n        \"b\":[]\n    }\n}",
        ),
        (r#"{"x":1}"#, r#"{"x":1,"new":{"a":[1,{}],"b":[]}}"#),
        (
            r#"{ "x": 1, "y": 2 }"#,
            r#"{ "x": 1, "y": 2, "new": {"a": [1, {}], "b": []} }"#,
        ),
    ];
    for (before, after) in cases {
        assert_eq!(with_member(before), after);
        assert_eq!(
            without_last(after),
            before,
            "taking it out again restores every byte"
        );
    }
}

#[test]
fn an_empty_object_opens_over_lines_and_keeps_its_blanks() {
    let cases = [
        ("{}", "{\n  \"n\": 1\n}"),
        ("{\n}\n", "{\n  \"n\": 1\n}\n"),
        ("{ }", "{\n  \"n\": 1\n }"),
    ];
    for (before, after) in cases {
        let before = document(before);
        let splice = before.append(before.root(), &[member("n", json!(1))]);
        assert!(splice.range.is_empty(), "nothing of the file goes");
        assert_eq!(before.spliced(vec![splice]).unwrap().text(), after);
    }
}

#[test]
fn an_emptied_container_takes_the_interior_it_is_given() {
    let before = document("{\n  \"n\": 1\n}");
    let emptied = |interior| before.spliced(before.root().remove(vec![0], interior)).unwrap();
    assert_eq!(emptied("").text(), "{}");
    assert_eq!(emptied("\n").text(), "{\n}");
}

#[test]
fn children_go_with_one_comma_each_wherever_they_stand() {
    let before = document("[ 0,\n 1, 2 ,3, 4 ]");
    let without = |indices: &[usize]| {
        let splices = before.root().remove(indices.to_vec(), "");
        before.spliced(splices).unwrap().text().to_owned()
    };
    assert_eq!(without(&[0]), "[ 1, 2 ,3, 4 ]");
    assert_eq!(without(&[4]), "[ 0,\n 1, 2 ,3 ]");
    assert_eq!(without(&[2, 1]), "[ 0 ,3, 4 ]");
    assert_eq!(without(&[0, 1, 3]), "[ 2, 4 ]");
    assert_eq!(without(&[0, 1, 2, 3, 4]), "[]");
}

#[test]
fn a_value_is_replaced_in_its_own_flow() {
    let before = document("{\n  \"a\": {\"b\": 1},\n  \"c\": [\n    1\n  ]\n}");
    let replaced = |key: &str| {
        let splice = before.replace(before.root().member(key).unwrap(), &json!([1, 2]));
        before.spliced(vec![splice]).unwrap().text().to_owned()
    };
    assert_eq!(replaced("a"), "{\n  \"a\": [1, 2],\n  \"c\": [\n    1\n  ]\n}");
    assert_eq!(
        replaced("c"),
        "{\n  \"a\": {\"b\": 1},\n  \"c\": [\n    1,\n    2\n  ]\n}"
    );
}

#[test]
fn keys_and_strings_are_compared_unescaped() {
    let text = "\u{feff}{\"h\\u006foks\": \"\\ud83d\\ude00 \\ud800x \\n\\/\"}";
    let value = document(text)
        .root()
        .member("hooks")
        .and_then(Node::as_text)
        .map(str::to_owned);
    assert_eq!(value.as_deref(), Some("😀 \u{fffd}x \n/"));
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    let refused = [
        "{\n  // note\n  \"a\": 1\n}",
        "{\"a\": 1} /* end */",
        "{\n  \"a\": 1,\n}",
        "[1, 2,]",
        "{\"ä\": tru}",
        "{'a': 1}",
        "{\"a\" 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": }",
        "{\"a\": 01}",
        "{\"a\": 1.}",
        "{\"a\": \"x\ny\"}",
        "{\"a\": \"\\x\"}",
        "{\"a\": \"\\u12g4\"}",
        "{\"a\": \"open",
        "{\"a\": 1",
        "{} {}",
        "\u{feff}{,}",
        "{\"a\": 1, \"a\": 2}",
        "{\"a\": 1, \"\\u0061\": 2}",
    ];
    let shown: Vec<String> = refused.iter().map(|text| problem(text)).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    not valid JSON at line 2, column 3: a comment
    not valid JSON at line 1, column 10: a comment
    not valid JSON at line 2, column 9: a comma with nothing after it
    not valid JSON at line 1, column 6: a comma with nothing after it
    not valid JSON at line 1, column 7: not a value
    not valid JSON at line 1, column 2: expected a key in double quotes
    not valid JSON at line 1, column 6: expected `:` after a key
    not valid JSON at line 1, column 9: expected `,` or `}`
    not valid JSON at line 1, column 7: a value is missing
    not valid JSON at line 1, column 7: not a number
    not valid JSON at line 1, column 7: not a number
    not valid JSON at line 1, column 9: a line break or control character inside a string
    not valid JSON at line 1, column 8: an unknown escape
    not valid JSON at line 1, column 8: an unknown escape
    not valid JSON at line 1, column 12: a string without an end
    not valid JSON at line 1, column 8: the file ends too early
    not valid JSON at line 1, column 4: text after the end of the value
    not valid JSON at line 1, column 2: expected a key in double quotes
    the key `a` stands twice in one object, again at line 1, column 10
    the key `a` stands twice in one object, again at line 1, column 10
    ");
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(JsonDocument::parse(nested(parse::DEPTH_LIMIT + 1)).is_ok());
    assert_eq!(problem(&nested(100_000)), "nested deeper than 200 levels");
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    assert_eq!(
        JsonDocument::from_bytes(b"{\"a\": \"\xff\"}").unwrap_err(),
        JsonError::NotUtf8
    );
}

proptest::proptest! {
    #[test]
    fn accepts_and_refuses_what_a_strict_parser_does(text in r#"[\[\]{},:"a01.eE+\-tn \\u\n/]{0,12}"#) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match JsonDocument::parse(text.clone()) {
            Ok(_) => {
                // Half a surrogate pair and a number too large for a float are grammatical all the same.
                let excuse = |error: &serde_json::Error| {
                    let text = error.to_string();
                    text.contains("surrogate") || text.contains("out of range") || text.contains("hex escape")
                };
                proptest::prop_assert!(theirs.as_ref().err().is_none_or(excuse), "{theirs:?}");
            }
            Err(JsonError::Duplicate { .. }) => {}
            Err(error) => proptest::prop_assert!(theirs.is_err(), "{error}"),
        }
    }
}
