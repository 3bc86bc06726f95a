//! Facts as indented text: easier on the eye than JSON, and just as whole.

use engine::text::one_line;
use serde_json::Value;

/// A value over as many lines as it needs. Every text in it is safe to show.
pub fn shown(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0);
    text
}

fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                entry(text, &format!("{}:", one_line(name, usize::MAX)), member, depth);
            }
        }
        Value::Array(items) => {
            for item in items {
                entry(text, "-", item, depth);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&scalar(value));
            text.push('\n');
        }
    }
}

/// A name or a dash, then its value: beside it, or further in below it.
fn entry(text: &mut String, lead: &str, value: &Value, depth: usize) {
    text.push_str(&"  ".repeat(depth));
    text.push_str(lead);
    match value {
        Value::Object(members) if members.is_empty() => text.push_str(" none\n"),
        Value::Array(items) if items.is_empty() => text.push_str(" none\n"),
        Value::Object(members) if lead == "-" => {
            let known = members.iter().filter(|(_, member)| !member.is_null());
            let told: Vec<String> = known
                .map(|(name, member)| format!("{name} {}", scalar(member)))
                .collect();
            text.push_str(&[" ", &one_line(&told.join(", "), usize::MAX), "\n"].concat());
        }
        Value::Object(_) | Value::Array(_) => {
            text.push('\n');
            write(text, value, depth + 1);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&[" ", &scalar(value), "\n"].concat());
        }
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => one_line(text, usize::MAX),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts_read_like_notes() {
        let facts = json!({ "project_state": {
            "branch": "main", "upstream": null, "changes": { "modified": 1, "staged": 0 },
            "tree": [{ "path": "src/", "files": 3 }, { "path": "a\n.txt", "files": null }], "late": [],
        }});
        insta::assert_snapshot!(shown(&facts), @r"
        project_state:
          branch: main
          upstream: unknown
          changes:
            modified: 1
            staged: 0
          tree:
            - path src/, files 3
            - path a\n.txt
          late: none
        ");
    }
}
