//! The command line in the input of a tool that is no known shell: what a server's tool would run, and where.

mod code;
mod given;
mod shells;
#[cfg(test)]
mod tests;

use self::shells::Typing;
use super::ToolInput;
use super::folded::unfolded;
use super::name::{joined, words};
use super::named::is_path;
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

/// Words that make any key one that holds a command line: `bash_command`, `shellCmd`.
const COMMAND_WORDS: [&str; 4] = ["command", "commands", "cmd", "cmds"];
/// Last words of a key that says something of a command.
const ABOUT: [&str; 16] = [
    "id",
    "ids",
    "name",
    "type",
    "kind",
    "mode",
    "title",
    "description",
    "summary",
    "status",
    "output",
    "result",
    "count",
    "index",
    "timeout",
    "history",
];

/// Whether a key holds what a shell is given.
pub fn is_key(key: &str) -> bool {
    is_command(key) || CODE.contains(&&*joined(key))
}

/// Whether a key holds a command line.
fn is_command(key: &str) -> bool {
    if COMMANDS.contains(&&*joined(key)) {
        return true;
    }
    let words = words(key);
    let is_about = words.last().is_some_and(|last| ABOUT.contains(&last.as_str()));
    !is_about && words.iter().any(|word| COMMAND_WORDS.contains(&word.as_str()))
}

/// Everything the input would have run, one command per line; nothing if it holds no command line.
pub fn in_input(tool: &str, input: &ToolInput) -> Option<String> {
    let unfolded = unfolded(input);
    let input = unfolded.as_ref().unwrap_or(input);
    let mut search = CommandSearch {
        tool,
        typing: Typing::of(tool),
        left: MOST,
        groups: Vec::new(),
    };
    search.object(input, &Around::default(), 0);
    match search.groups.as_slice() {
        [] => None,
        [only] => Some(only.text()),
        several => {
            let apart = |group: &Group| {
                if group.around == Around::default() {
                    group.text()
                } else {
                    format!("(\n{}\n)", group.text())
                }
            };
            Some(several.iter().map(apart).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Where command lines run, and with which variables.
#[derive(Clone, PartialEq, Default)]
struct Around {
    folder: Option<String>,
    exports: Vec<String>,
}

/// The command lines of one object.
struct Group {
    around: Around,
    lines: Vec<String>,
}

impl Group {
    fn text(&self) -> String {
        let lines: Vec<&str> = self
            .around
            .exports
            .iter()
            .chain(&self.lines)
            .map(String::as_str)
            .collect();
        let lines = lines.join("\n");
        match &self.around.folder {
            None => lines,
            Some(folder) if lines.contains(['\n', ';', '&', '|']) => format!("cd {folder}\n{lines}"),
            Some(folder) => format!("cd {folder} && {lines}"),
        }
    }
}

struct CommandSearch<'a> {
    tool: &'a str,
    typing: Typing,
    left: usize,
    groups: Vec<Group>,
}

impl CommandSearch<'_> {
    fn object(&mut self, input: &ToolInput, outside: &Around, depth: usize) {
        let mut around = outside.clone();
        around.exports.extend(given::exports(input));
        around.folder = folder_in(input).or(around.folder);
        let lines = self.lines(input);
        if !lines.is_empty() {
            self.groups.push(Group {
                around: around.clone(),
                lines,
            });
        }
        for (key, value) in input {
            if !DATA.contains(&&*joined(key)) {
                self.value(value, &around, depth);
            }
        }
    }

    fn value(&mut self, value: &Value, around: &Around, depth: usize) {
        if depth >= DEEPEST || self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Value::Object(inner) => self.object(inner, around, depth + 1),
            Value::Array(items) => {
                for item in items.iter().filter(|item| item.is_object() || item.is_array()) {
                    self.value(item, around, depth + 1);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// What one object has run, its arguments and what it reads behind the first line.
    fn lines(&self, input: &ToolInput) -> Vec<String> {
        let names_a_file = names_a_file(input);
        let commands = input.iter().filter(|(key, _)| is_command(key));
        let mut lines: Vec<String> = commands
            .filter_map(|(key, value)| line(&joined(key), value))
            .collect();
        if lines.is_empty() {
            lines.extend(self.program(input));
        }
        let arguments = ARGUMENTS
            .into_iter()
            .filter_map(|key| field(input, key))
            .filter_map(|value| arguments(value, !lines.is_empty()))
            .collect::<Vec<_>>();
        for words in arguments {
            match lines.first_mut() {
                Some(first) => {
                    first.push(' ');
                    first.push_str(&words);
                }
                None if !names_a_file => lines.push(words),
                None => {}
            }
        }
        match lines.as_mut_slice() {
            [] if !names_a_file => lines = self.typing.lines(input),
            [only] => only.extend(given::read(input)),
            _ => {}
        }
        if code::runs(self.tool) || !names_a_file {
            let code = CODE
                .into_iter()
                .filter_map(|key| code::line(self.tool, input, field(input, key)?.as_str()?));
            lines.extend(code);
        }
        lines.retain(|line| line.contains(char::is_alphabetic));
        lines
    }

    /// The program an object names, where it has arguments as well, or the tool is a shell.
    fn program(&self, input: &ToolInput) -> Option<String> {
        let has_arguments = ARGUMENTS
            .into_iter()
            .any(|key| field(input, key).is_some_and(|value| value.is_array() || value.is_string()));
        let mut programs = PROGRAMS.into_iter().filter_map(|key| field(input, key)?.as_str());
        let program = programs.next()?;
        if has_arguments {
            Some(word(program))
        } else {
            (self.typing == Typing::Shell).then(|| program.to_owned())
        }
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

/// Whether an object names a file: code beside it is what the file holds.
fn names_a_file(input: &ToolInput) -> bool {
    input
        .iter()
        .any(|(key, value)| value.is_string() && is_path(&joined(key)))
}

/// The value of a key, however it is spelled.
fn field<'a>(input: &'a ToolInput, name: &str) -> Option<&'a Value> {
    let exact = input.get(name);
    exact.or_else(|| {
        input
            .iter()
            .find(|(key, _)| joined(key) == name)
            .map(|(_, value)| value)
    })
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
            quoted(items)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Arguments of a program; a text of them is none of its own.
fn arguments(value: &Value, has_program: bool) -> Option<String> {
    match value {
        Value::Array(items) => quoted(items),
        Value::String(text) => has_program.then(|| text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A list of words as a shell would have to write them.
fn quoted(items: &[Value]) -> Option<String> {
    let words: Option<Vec<String>> = items.iter().map(|one| one.as_str().map(word)).collect();
    words
        .map(|words| words.join(" "))
        .filter(|words| !words.is_empty())
}
