use super::*;

fn said(payload: &[u8]) -> String {
    match PayloadFields::parse(payload) {
        Ok(_) => "read".to_owned(),
        Err(malformed) => malformed.to_string(),
    }
}

fn read(payload: &[u8]) -> PayloadFields {
    PayloadFields::parse(payload).unwrap_or_else(|malformed| panic!("{malformed}"))
}

#[test]
fn what_cannot_be_read_is_named_in_one_sentence() {
    assert_eq!(said(b""), "the payload is empty");
    assert_eq!(said(b" \r\n\t"), "the payload is empty");
    assert_eq!(said(b"\xEF\xBB\xBF\n"), "the payload is empty");
    assert_eq!(said(b"[1]"), "the payload is an array, not a JSON object");
    assert_eq!(said(b"\"text\""), "the payload is a string, not a JSON object");
    assert_eq!(said(b"7"), "the payload is a number, not a JSON object");
    assert_eq!(said(b"true"), "the payload is a boolean, not a JSON object");
    assert_eq!(said(b"null"), "the payload is null, not a JSON object");
    assert_eq!(said(b"{\"a\":\"b"), "the payload ends in the middle of its JSON");
    assert_eq!(
        said(b"hello"),
        "the payload is not JSON: expected value at line 1 column 1"
    );
    assert_eq!(
        said(b"{} {}"),
        "the payload is not JSON: trailing characters at line 1 column 4"
    );
    assert_eq!(
        said(b"\xff\xfe{\0}\0"),
        "the payload is not JSON: expected value at line 1 column 1"
    );
}

#[test]
fn deep_nesting_is_refused_before_the_stack_is_exhausted() {
    let depth = 100_000;
    let arrays = ["[".repeat(depth), "]".repeat(depth)].concat();
    let objects = ["{\"a\":".repeat(depth), "1".to_owned(), "}".repeat(depth)].concat();
    let inside = format!("{{\"tool_input\":{arrays}}}");
    for payload in [arrays, objects, inside, "[".repeat(depth)] {
        assert_eq!(
            said(payload.as_bytes()),
            "the payload is nested too deeply to be read safely"
        );
    }
}

#[test]
fn a_byte_order_mark_and_white_space_around_are_tolerated() {
    let mut payload = read(b"\xEF\xBB\xBF \n{\"cwd\":\"/p\"}\r\n");
    assert_eq!(payload.path("cwd"), Some(PathBuf::from("/p")));
}

#[test]
fn a_broken_byte_in_a_name_does_not_hide_the_event() {
    let mut payload = read(b"{\"tool_name\":\"Write\",\"file\":\"caf\xe9.txt\"}");
    assert_eq!(payload.text("tool_name").as_deref(), Some("Write"));
    assert_eq!(payload.text("file").as_deref(), Some("caf\u{fffd}.txt"));
}

#[test]
fn half_an_emoji_does_not_hide_the_event() {
    let mut payload = read(
        br#"{"cut":"a\ud83d","turned":"\ude00\ud83d","whole":"\ud83d\ude00","twice":"\ud83d\ud83d\ude00","not":"\\ud83d"}"#,
    );
    assert_eq!(payload.text("cut").as_deref(), Some("a\u{fffd}"));
    assert_eq!(payload.text("turned").as_deref(), Some("\u{fffd}\u{fffd}"));
    assert_eq!(payload.text("whole").as_deref(), Some("😀"));
    assert_eq!(payload.text("twice").as_deref(), Some("\u{fffd}😀"));
    assert_eq!(payload.text("not").as_deref(), Some("\\ud83d"));
}

#[test]
fn of_equal_keys_the_last_counts() {
    let mut payload = read(br#"{"agent_id":"first","agent_id":"last"}"#);
    assert_eq!(payload.id("agent_id").as_deref(), Some("last"));
}

#[test]
fn a_field_of_the_wrong_type_is_absent() {
    let mut payload = read(
        br#"{"text":1,"id":["x"],"path":{},"flag":"true","number":-1,"float":1.5,"object":[],"list":{},"null":null}"#,
    );
    assert_eq!(payload.text("text"), None);
    assert_eq!(payload.id("id"), None);
    assert_eq!(payload.path("path"), None);
    assert!(!payload.is("flag"));
    assert_eq!(payload.number("number"), None);
    assert_eq!(payload.number("float"), None);
    assert_eq!(payload.object("object"), None);
    assert!(payload.objects("list").is_none());
    assert!(!payload.has("null"));
    assert_eq!(payload.value("null"), None);
}

#[test]
fn both_spellings_of_a_key_are_found_and_the_clients_own_wins() {
    let mut payload = read(br#"{"toolUseId":"camel","session_id":"snake","sessionId":"camel","cwd":"/p"}"#);
    assert_eq!(payload.id("tool_use_id").as_deref(), Some("camel"));
    assert_eq!(payload.id("session_id").as_deref(), Some("snake"));
    assert!(payload.has("cwd"));
}

#[test]
fn an_id_is_kept_as_it_is_if_it_is_short_and_plain() {
    assert_eq!(id(String::new()), None);
    assert_eq!(id("a1 é".to_owned()).as_deref(), Some("a1 é"));
    let longest = "y".repeat(128);
    assert_eq!(id(longest.clone()), Some(longest));
}

#[test]
fn ids_that_are_too_long_or_hold_control_characters_are_their_hash_and_stay_apart() {
    let long = "x".repeat(9_999);
    let strange = [
        format!("{long}x"),
        format!("{long}y"),
        "y".repeat(129),
        "é".repeat(65),
        "q\nb".to_owned(),
        "q\u{1b}b".to_owned(),
        "q\u{85}b".to_owned(),
    ];
    let kept: Vec<String> = strange.iter().cloned().filter_map(id).collect();
    for (kept, text) in kept.iter().zip(&strange) {
        assert_eq!(kept.len(), 64, "{text:?}");
        assert!(kept.bytes().all(|byte| byte.is_ascii_hexdigit()), "{kept}");
    }
    let apart: std::collections::BTreeSet<_> = kept.iter().collect();
    assert_eq!(apart.len(), strange.len());
    assert_eq!(
        id("q\nb".to_owned()),
        id("q\nb".to_owned()),
        "the same id is the same actor"
    );
}

#[test]
fn names_are_never_empty_and_are_cut_between_characters() {
    let named = |text: &str| read(format!(r#"{{"name":"{text}"}}"#).as_bytes()).name("name");
    assert_eq!(named(""), None);
    assert_eq!(
        named(&format!("a{}", "é".repeat(400))).map(|name| name.len()),
        Some(127)
    );
}
