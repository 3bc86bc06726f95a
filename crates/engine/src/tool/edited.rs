//! What a tool's call makes of the text of a file, where its input says so.

use crate::tool::ToolInput;
use crate::tool::named::named;
use serde_json::{Map, Value};

/// Keys that hold a file's whole new text.
const WHOLE: [&str; 7] = [
    "content",
    "contents",
    "text",
    "file_text",
    "new_content",
    "newContent",
    "data",
];
/// Keys of a text and of what takes its place.
const PARTS: [(&str, &str); 4] = [
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("oldText", "newText"),
    ("old_text", "new_text"),
];

/// The text after the call; nothing where the input does not say.
pub fn edited(input: &ToolInput, before: &str) -> Option<String> {
    let whole = WHOLE.into_iter().filter_map(|key| input.get(key)?.as_str());
    match whole.collect::<Vec<_>>().as_slice() {
        [] => {}
        [only] => return Some((*only).to_owned()),
        // Nobody can tell which one the tool takes.
        [_, _, ..] => return None,
    }
    if let Some(edits) = input.get("edits").and_then(Value::as_array) {
        // Edits of several files: which of them are of this one is not told here.
        if named(input)
            .iter()
            .any(|named| named.is_known() && named.is_inside())
        {
            return None;
        }
        return edits
            .iter()
            .try_fold(before.to_owned(), |text, edit| replaced(edit.as_object()?, &text));
    }
    replaced(input, before)
}

fn replaced(edit: &Map<String, Value>, before: &str) -> Option<String> {
    let text = |key: &str| edit.get(key).and_then(Value::as_str);
    let (old, new) = PARTS
        .into_iter()
        .find_map(|(old, new)| Some((text(old)?, text(new)?)))?;
    let is_everywhere = ["replace_all", "replaceAll"]
        .into_iter()
        .any(|key| edit.get(key).and_then(Value::as_bool) == Some(true));
    Some(match (old.is_empty(), is_everywhere) {
        // The client makes a new file of it.
        (true, _) => new.to_owned(),
        (false, true) => before.replace(old, new),
        (false, false) => before.replacen(old, new, 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::object;
    use serde_json::json;

    #[test]
    fn a_whole_text_one_part_and_several_parts_are_read() {
        let after = |input: Value| edited(&object(input), "a b a");
        assert_eq!(after(json!({"content": "x"})).as_deref(), Some("x"));
        assert_eq!(
            after(json!({"old_string": "a", "new_string": "c"})).as_deref(),
            Some("c b a")
        );
        let all = json!({"old_str": "a", "new_str": "c", "replace_all": true});
        assert_eq!(after(all).as_deref(), Some("c b c"));
        let several = json!({"edits": [{"oldText": "a", "newText": "c"}, {"oldText": "b", "newText": "d"}]});
        assert_eq!(after(several).as_deref(), Some("c d a"));
        let unread = [
            json!({}),
            json!({"edits": [{"op": "cut"}]}),
            json!({"patch": "@@"}),
        ];
        assert!(unread.into_iter().all(|input| after(input).is_none()));
    }
}
