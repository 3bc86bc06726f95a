use super::{Parameter, ParameterOperation};

#[test]
fn the_inside_of_braces_is_taken_apart() {
    let cases: &[(&str, &str, Option<&str>, &str)] = &[
        ("x", "x", None, "Value"),
        ("10", "10", None, "Value"),
        ("@", "@", None, "Value"),
        ("x[@]", "x", Some("@"), "Value"),
        ("x[1]", "x", Some("1"), "Value"),
        ("#x", "x", None, "Length"),
        ("#x[@]", "x", Some("@"), "Length"),
        ("#", "#", None, "Value"),
        ("!x", "x", None, "Indirect"),
        ("!x[@]", "x", Some("@"), "Names"),
        ("!x@", "x", None, "Names"),
        ("x:-a", "x", None, "Default"),
        ("x-a", "x", None, "Default"),
        ("x:=a", "x", None, "Assign"),
        ("x:+a", "x", None, "Replace"),
        ("x:?", "x", None, "Require"),
        ("x?no", "x", None, "Require"),
        ("x%a", "x", None, "Trim"),
        ("x##a", "x", None, "Trim"),
        ("x/a/b", "x", None, "Substitute"),
        ("x//a/b", "x", None, "Substitute"),
        ("x:1:2", "x", None, "Slice"),
        ("x: -1", "x", None, "Slice"),
        ("x^^", "x", None, "Case"),
        ("x,", "x", None, "Case"),
        ("x@Q", "x", None, "Transform"),
        ("", "", None, "Other"),
        ("x y", "x", None, "Other"),
    ];
    for (body, name, subscript, act) in cases {
        let parameter = Parameter::new(body);
        assert_eq!(
            (parameter.name, parameter.subscript),
            (*name, *subscript),
            "{body}"
        );
        assert!(
            format!("{:?}", parameter.act).starts_with(act),
            "{body}: {:?}",
            parameter.act
        );
    }
}

#[test]
fn a_default_knows_where_it_stands() {
    let body = "x[0]:-abc";
    let ParameterOperation::Default { text, at, or_empty } = Parameter::new(body).act else {
        panic!("a default");
    };
    assert!(or_empty);
    assert_eq!(body.get(at..at + text.len()), Some("abc"));
}
