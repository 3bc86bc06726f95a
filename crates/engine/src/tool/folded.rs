//! Inputs that hand on another one as text: `{"arguments": "{\"path\": …}"}`.

use super::ToolInput;
use super::name::joined;
use super::named::is_text;
use serde_json::Value;

/// How deep texts are looked for.
const DEEPEST: usize = 6;
/// Longer texts are left as they are.
const LONGEST: usize = 1 << 20;

/// The input with every such text as what it says; nothing where it has none. The text of a file stays a text.
pub fn unfolded(input: &ToolInput) -> Option<ToolInput> {
    let is_folded = input.iter().any(|(key, value)| is_folded(key, value, 0));
    is_folded.then(|| {
        let mut input = input.clone();
        for (key, value) in &mut input {
            unfold(key, value, 0);
        }
        input
    })
}

fn is_folded(key: &str, value: &Value, depth: usize) -> bool {
    match value {
        Value::String(text) => looks_folded(text) && !is_text(&joined(key)),
        Value::Array(items) if depth < DEEPEST => items.iter().any(|item| is_folded(key, item, depth + 1)),
        Value::Object(object) if depth < DEEPEST => {
            object.iter().any(|(key, value)| is_folded(key, value, depth + 1))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn unfold(key: &str, value: &mut Value, depth: usize) {
    if let Value::String(text) = value
        && looks_folded(text)
        && !is_text(&joined(key))
        && let Ok(inner) = serde_json::from_str(text)
    {
        *value = inner;
    }
    match value {
        Value::Array(items) if depth < DEEPEST => {
            for item in items {
                unfold(key, item, depth + 1);
            }
        }
        Value::Object(object) if depth < DEEPEST => {
            for (key, value) in object {
                unfold(key, value, depth + 1);
            }
        }
        _ => {}
    }
}

fn looks_folded(text: &str) -> bool {
    let text = text.trim();
    text.len() <= LONGEST
        && matches!(
            text.as_bytes(),
            [b'{', b'"' | b' ' | b'\n', .., b'}'] | [b'[', b'{' | b'"', .., b']']
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::object;
    use serde_json::json;

    #[test]
    fn a_text_that_is_an_input_is_opened_and_the_text_of_a_file_is_not() {
        let opened = |input: Value| unfolded(&object(input)).map(Value::Object);
        let folded = json!({ "a": [{ "b": r#"{"path": "x"}"# }], "c": r#"["x"]"# });
        let expected = json!({ "a": [{ "b": { "path": "x" } }], "c": ["x"] });
        assert_eq!(opened(folded), Some(expected));
        assert_eq!(opened(json!({ "path": "x", "content": r#"{"a": 1}"# })), None);
        assert_eq!(opened(json!({ "a": "x", "b": "{x}" })), None);
        let broken = json!({ "a": r#"{"path": x}"# });
        assert_eq!(opened(broken.clone()), Some(broken));
    }
}
