//! Every form of an address, and what is none.

use super::*;

#[test]
fn every_form_is_read() {
    let id = |digits: &str| Some(Address::Id(digits.to_owned()));
    let agent = |id: &str, start| {
        Some(Address::Agent {
            id: id.to_owned(),
            start,
        })
    };
    for (text, address) in [
        ("7be1", id("7be1")),
        ("7BE1C09D42AA", id("7be1c09d42aa")),
        ("7b", id("7b")),
        ("@", Some(Address::Newest(0))),
        ("@-3", Some(Address::Newest(3))),
        ("start", Some(Address::Start)),
        ("t3", Some(Address::Turn(3))),
        ("t3.2", Some(Address::Point { turn: 3, point: 2 })),
        ("agent:a3f2", agent("a3f2", false)),
        ("agent:a3f2^", agent("a3f2", true)),
        ("commit:HEAD~2", Some(Address::Commit("HEAD~2".to_owned()))),
    ] {
        assert_eq!(Address::parse(text), address, "{text}");
    }
}

#[test]
fn what_is_no_address_is_none() {
    for text in [
        "",
        "t",
        "t-1",
        "t3.",
        "t3.x",
        "t+3",
        "@3",
        "@-",
        "@-x",
        "agent:",
        "agent:^",
        "commit:",
        "main",
        "7be1c09d42aaf",
        "../x",
        "t99999999999999999999999",
    ] {
        assert_eq!(Address::parse(text), None, "{text}");
    }
}
