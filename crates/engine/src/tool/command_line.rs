//! The command line in the input of a tool that is no known shell: what a server's tool would run.

use super::ToolInput;
use crate::text::word;
use serde_json::Value;

/// Keys that hold a command line: a text for a shell, or a program with its arguments.
pub const KEYS: [&str; 10] = [
    "command",
    "cmd",
    "commands",
    "command_line",
    "commandLine",
    "cmdline",
    "shell_command",
    "shellCommand",
    "bash",
    "script",
];

/// Keys that hold arguments of a program that another key names.
const ARGUMENTS: [&str; 3] = ["args", "arguments", "argv"];

/// Everything the input would have run, one command per line; nothing if it holds no command line.
pub fn in_input(input: &ToolInput) -> Option<String> {
    let mut lines: Vec<String> = KEYS
        .into_iter()
        .filter_map(|key| line(key, input.get(key)?))
        .filter(|line| !line.trim().is_empty())
        .collect();
    let first = lines.first_mut()?;
    for arguments in ARGUMENTS.into_iter().filter_map(|key| input.get(key)) {
        if let Some(words) = words(arguments) {
            first.push(' ');
            first.push_str(&words);
        }
    }
    Some(lines.join("\n"))
}

fn line(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        // Several commands are a list of texts; a program with its arguments is one, too.
        Value::Array(items) if key == "commands" => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Some(texts?.join("\n"))
        }
        Value::Array(_) => words(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A list of words as a shell would have to write them.
fn words(value: &Value) -> Option<String> {
    let words: Option<Vec<String>> = value
        .as_array()?
        .iter()
        .map(|one| one.as_str().map(word))
        .collect();
    words.map(|words| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::object;
    use serde_json::json;

    fn found(input: Value) -> Option<String> {
        in_input(&object(input))
    }

    #[test]
    fn a_text_a_list_of_words_and_a_program_with_arguments_are_command_lines() {
        for input in [
            json!({ "command": "git push --force" }),
            json!({ "cmd": ["git", "push", "--force"] }),
            json!({ "command": "git", "args": ["push", "--force"] }),
            json!({ "commands": ["git push --force"] }),
            json!({ "script": "git push --force", "timeout": 3 }),
        ] {
            assert_eq!(
                found(input.clone()).as_deref(),
                Some("git push --force"),
                "{input}"
            );
        }
    }

    #[test]
    fn words_stay_what_they_are_and_none_of_several_lines_is_left_out() {
        let quoting = json!({ "argv": ["x"], "command": ["sh", "-c", "echo 'a b'"] });
        assert_eq!(found(quoting).as_deref(), Some(r"sh -c 'echo '\''a b'\''' x"));
        let several = json!({ "script": "rm -rf build", "command": "ls" });
        assert_eq!(found(several).as_deref(), Some("ls\nrm -rf build"));
    }

    #[test]
    fn an_input_without_one_has_none() {
        for input in [
            json!({}),
            json!({ "path": "a", "args": ["b"] }),
            json!({ "command": 3 }),
            json!({ "command": " " }),
        ] {
            assert_eq!(found(input), None);
        }
    }
}
