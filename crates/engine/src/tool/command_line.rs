//! The command line in the input of a tool that is no known shell: what a server's tool would run, and where.

mod code;
#[cfg(test)]
mod tests;

use super::ToolInput;
use crate::text::word;
use serde_json::Value;

/// How deep an input is looked into.
const DEEPEST: usize = 6;
/// How many of its values are looked at.
const MOST: usize = 1_024;

/// Keys that hold a command line: a text for a shell, or a program with its arguments. All keys are compared without
/// regard to case and to what joins their words.
const COMMANDS: [&str; 12] = [
    "command",
    "cmd",
    "commands",
    "cmds",
    "commandline",
    "cmdline",
    "shellcommand",
    "bash",
    "exec",
    "execute",
    "run",
    "shell",
];

/// Keys that hold a program whose arguments another key holds.
const PROGRAMS: [&str; 4] = ["program", "executable", "binary", "bin"];

/// Keys that hold arguments of a program that another key names, or the program as well.
const ARGUMENTS: [&str; 3] = ["args", "arguments", "argv"];

/// Keys that hold code: of a shell, or of the language that another key names.
const CODE: [&str; 2] = ["script", "code"];

/// Keys that name the folder to run in.
const FOLDERS: [&str; 10] = [
    "cwd",
    "workdir",
    "workingdirectory",
    "workingdir",
    "currentdirectory",
    "currentdir",
    "directory",
    "dir",
    "folder",
    "chdir",
];

/// Keys of what belongs to the command beside it.
const OPTIONS: [&str; 3] = ["options", "opts", "config"];

/// Keys that name a file: code beside one is what the file holds.
const FILES: [&str; 7] = [
    "path",
    "filepath",
    "file",
    "filename",
    "notebookpath",
    "targetfile",
    "uri",
];

/// Keys whose values are texts of files or of forms, whatever they look like.
const DATA: [&str; 8] = [
    "content",
    "contents",
    "text",
    "edits",
    "env",
    "environment",
    "schema",
    "properties",
];

/// Whether a key holds what a shell is given.
pub fn is_key(key: &str) -> bool {
    let key = plain(key);
    COMMANDS.contains(&&*key) || CODE.contains(&&*key)
}

/// Everything the input would have run, one command per line; nothing if it holds no command line.
pub fn in_input(tool: &str, input: &ToolInput) -> Option<String> {
    let mut search = Search {
        tool,
        left: MOST,
        groups: Vec::new(),
    };
    search.object(input, None, 0);
    match search.groups.as_slice() {
        [] => None,
        [only] => Some(only.text()),
        several => {
            let apart = |group: &Group| match group.folder {
                Some(_) => format!("(\n{}\n)", group.text()),
                None => group.text(),
            };
            Some(several.iter().map(apart).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// The command lines of one object, and where they run.
struct Group {
    folder: Option<String>,
    lines: Vec<String>,
}

impl Group {
    fn text(&self) -> String {
        let lines = self.lines.join("\n");
        match &self.folder {
            None => lines,
            Some(folder) if lines.contains(['\n', ';', '&', '|']) => format!("cd {folder}\n{lines}"),
            Some(folder) => format!("cd {folder} && {lines}"),
        }
    }
}

struct Search<'a> {
    tool: &'a str,
    left: usize,
    groups: Vec<Group>,
}

impl Search<'_> {
    fn object(&mut self, input: &ToolInput, folder: Option<&str>, depth: usize) {
        let own = folder_in(input);
        let folder = own.as_deref().or(folder);
        let lines = self.lines(input);
        if !lines.is_empty() {
            self.groups.push(Group {
                folder: folder.map(str::to_owned),
                lines,
            });
        }
        for (key, value) in input {
            if !DATA.contains(&&*plain(key)) {
                self.value(value, folder, depth);
            }
        }
    }

    fn value(&mut self, value: &Value, folder: Option<&str>, depth: usize) {
        if depth >= DEEPEST || self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Value::Object(inner) => self.object(inner, folder, depth + 1),
            Value::Array(items) => {
                for item in items.iter().filter(|item| item.is_object() || item.is_array()) {
                    self.value(item, folder, depth + 1);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// What one object has run, its arguments behind the first line.
    fn lines(&self, input: &ToolInput) -> Vec<String> {
        let commands = COMMANDS
            .into_iter()
            .filter_map(|key| line(key, field(input, key)?));
        let mut lines: Vec<String> = commands.collect();
        if lines.is_empty() {
            let program = PROGRAMS
                .into_iter()
                .find_map(|key| field(input, key)?.as_str().map(word));
            let has_arguments = ARGUMENTS
                .into_iter()
                .any(|key| field(input, key).is_some_and(Value::is_array));
            lines.extend(program.filter(|_| has_arguments));
        }
        let arguments = ARGUMENTS
            .into_iter()
            .filter_map(|key| field(input, key))
            .filter_map(arguments);
        for words in arguments {
            match lines.first_mut() {
                Some(first) => {
                    first.push(' ');
                    first.push_str(&words);
                }
                None if !names_a_file(input) => lines.push(words),
                None => {}
            }
        }
        let runs = code::runs(self.tool);
        if runs || !names_a_file(input) {
            let code = CODE
                .into_iter()
                .filter_map(|key| code::line(self.tool, input, field(input, key)?.as_str()?));
            lines.extend(code);
        }
        lines.retain(|line| line.contains(char::is_alphabetic));
        lines
    }
}

/// The folder an object names for what it runs, as a shell would write it.
fn folder_in(input: &ToolInput) -> Option<String> {
    let named = |input: &ToolInput| {
        let mut folders = FOLDERS.into_iter().filter_map(|key| field(input, key)?.as_str());
        folders.find(|folder| !folder.is_empty()).map(in_shell)
    };
    let beside = || {
        let mut options = OPTIONS
            .into_iter()
            .filter_map(|key| field(input, key)?.as_object());
        options.find_map(named)
    };
    named(input).or_else(beside)
}

/// A folder as a word; whoever takes it may well understand `~`.
fn in_shell(folder: &str) -> String {
    match folder.strip_prefix("~/") {
        Some("") => "~".to_owned(),
        Some(rest) => format!("~/{}", word(rest)),
        None if folder == "~" => folder.to_owned(),
        None => word(folder),
    }
}

fn names_a_file(input: &ToolInput) -> bool {
    FILES
        .into_iter()
        .any(|key| field(input, key).is_some_and(Value::is_string))
}

/// The value of a key, however it is spelled.
fn field<'a>(input: &'a ToolInput, name: &str) -> Option<&'a Value> {
    let exact = input.get(name);
    exact.or_else(|| {
        input
            .iter()
            .find(|(key, _)| plain(key) == name)
            .map(|(_, value)| value)
    })
}

/// A key without what joins its words, in small letters.
fn plain(key: &str) -> String {
    let letters = key
        .chars()
        .filter(|character| !matches!(character, '_' | '-' | ' ' | '.'));
    letters.flat_map(char::to_lowercase).collect()
}

fn line(key: &str, value: &Value) -> Option<String> {
    match value {
        // A single word is the name of a shell.
        Value::String(text) if key == "shell" && !text.trim().contains(char::is_whitespace) => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        // Several commands are a list of texts; a program with its arguments is one, too.
        Value::Array(items) => {
            let texts: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
            let first = texts.first()?;
            if matches!(key, "commands" | "cmds") || first.contains(char::is_whitespace) {
                return Some(texts.join("\n"));
            }
            words(items)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn arguments(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => words(items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
    }
}

/// A list of words as a shell would have to write them.
fn words(items: &[Value]) -> Option<String> {
    let words: Option<Vec<String>> = items.iter().map(|one| one.as_str().map(word)).collect();
    words
        .map(|words| words.join(" "))
        .filter(|words| !words.is_empty())
}
