//! Any bytes as a client's settings file: refused and left alone, or edited so that every foreign byte stays and the
//! edit can be taken back.

use crate::install::claude_code::{BrokenHook, HookProgram, ShellTools};
use crate::install::handler::{Handler, handlers};
use crate::install::json::{BYTE_ORDER_MARK, JsonDocument, JsonError, Node};
use crate::install::plan::{GitView, InstallOptions, is_blank, plan};
use crate::install::strip::strip;
use serde::de::IgnoredAny;
use std::path::Path;

/// Parses the file, registers the hook in it, repairs the registration, and takes it out again.
///
/// # Panics
///
/// If a promise is broken.
pub fn check(bytes: &[u8]) {
    parsed(bytes);
    let here = options("/opt/bin/toprope", BrokenHook::GoesOn);
    let Ok(first) = plan(Some(bytes), &here) else {
        return;
    };
    stands(bytes, &first.bytes, &here);
    let moved = options(
        "/usr/bin/toprope",
        BrokenHook::BlocksShell(ShellTools::with(std::iter::empty())),
    );
    let second = plan(Some(&first.bytes), &moved).expect("what we wrote can be read");
    assert!(
        second.had_entries && second.added.is_empty(),
        "our own entries are not recognised"
    );
    stands(bytes, &second.bytes, &moved);
}

fn options(program: &str, broken: BrokenHook) -> InstallOptions {
    InstallOptions {
        program: HookProgram::at(Path::new(program), Path::new("/state"))
            .expect("an absolute path to the program"),
        broken,
        git: GitView::PassesOver,
    }
}

/// The parser accepts what is JSON and nothing else, apart from what an edit could get wrong.
fn parsed(bytes: &[u8]) {
    let read = JsonDocument::from_bytes(bytes);
    let Ok(text) = str::from_utf8(bytes) else {
        assert_eq!(read.err(), Some(JsonError::NotUtf8));
        return;
    };
    let is_json = is_json(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
    match read {
        Ok(document) => {
            assert!(is_json, "accepted, but not JSON");
            assert_eq!(document.text(), text);
            placed(&document, document.root());
        }
        // Either may stand before whatever else is wrong.
        Err(JsonError::Duplicate { .. } | JsonError::TooDeep { .. }) => {}
        Err(error) => assert!(!is_json, "JSON, but refused: {error}"),
    }
}

/// Only the grammar: no limit to depth or numbers, and half a surrogate pair is as good as a whole one.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Every value stands where the tree says.
fn placed(document: &JsonDocument, node: &Node) {
    let text = document.text_of(node);
    assert!(is_json(text), "no value at {:?}", node.span);
    if let (Some(unescaped), Ok(other)) = (node.as_text(), serde_json::from_str::<String>(text)) {
        assert_eq!(unescaped, other);
    }
    for value in node
        .members()
        .iter()
        .map(|member| &member.value)
        .chain(node.elements())
    {
        placed(document, value);
    }
}

/// The registration is complete, leaves what is foreign alone, and comes out again.
fn stands(original: &[u8], now: &[u8], options: &InstallOptions) {
    let again = plan(Some(now), options).expect("what we wrote can be read");
    assert!(
        again.is_already_installed(),
        "a second run finds {:?} {:?}",
        again.added,
        again.repaired
    );
    assert_eq!(again.bytes, now, "a second run changes the file");
    let now = JsonDocument::from_bytes(now).expect("what we wrote is JSON");
    let Ok(original) = JsonDocument::from_bytes(original) else {
        let text = str::from_utf8(original);
        assert!(text.is_ok_and(is_blank), "a file that is no JSON was edited");
        let left = strip(&now, None).expect("what we wrote can be read").document;
        assert!(left.root().members().is_empty(), "left behind: {}", left.text());
        return;
    };
    let left = strip(&now, Some(&original))
        .expect("what we wrote can be read")
        .document;
    assert_eq!(foreign(&now), foreign(&original));
    assert_eq!(foreign(&left), foreign(&original));
    if ours(&original) == 0 {
        assert_eq!(left.text(), original.text(), "not what it was");
    }
    assert_eq!(ours(&left), 0, "an entry of ours stays: {}", left.text());
}

fn ours(document: &JsonDocument) -> usize {
    let all = handlers(document).expect("checked by the plan");
    all.iter().filter(|handler| handler.is_ours()).count()
}

/// Every setting beside the hooks, and every hook that is not ours, as it stands in the file.
fn foreign(document: &JsonDocument) -> Vec<(String, String)> {
    let settings = document
        .root()
        .members()
        .iter()
        .filter(|member| member.key != "hooks");
    let settings = settings.map(|member| (member.key.clone(), document.text_of(&member.value).to_owned()));
    let hooks = handlers(document).expect("checked by the plan");
    let hooks = hooks.iter().filter(|handler| !handler.is_ours());
    let hook = |handler: &Handler<'_>| {
        (
            handler.event.to_owned(),
            document.text_of(handler.node).to_owned(),
        )
    };
    settings.chain(hooks.map(hook)).collect()
}
