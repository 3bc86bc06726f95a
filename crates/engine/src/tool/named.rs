//! The files that a tool's input names: by keys that are known to hold a path, and by any other value that may be one.

use super::ToolInput;
use super::name::joined;
use serde_json::Value;

/// How deep an input is looked into.
const DEEPEST: usize = 6;
/// How many of its values are looked at.
const MOST: usize = 1_024;
/// No system takes a longer path.
const LONGEST: usize = 4_096;

/// Keys that hold the path of a file, without what joins their words.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filepath",
    "filepaths",
    "filename",
    "filenames",
    "targetfile",
    "targetpath",
    "destinationfile",
    "destinationpath",
    "destpath",
    "sourcefile",
    "sourcepath",
    "srcpath",
    "relativepath",
    "absolutepath",
    "fullpath",
    "localpath",
    "notebookpath",
    "oldpath",
    "newpath",
    "outputfile",
    "outputpath",
    "uri",
];

/// Keys that hold one where a tool works on files, and something else in a graph or a form.
const ENDS: &[&str] = &["target", "destination", "dest", "dst", "source", "src"];

/// Keys of what is said, looked for or put into a file, whatever it looks like.
const TEXTS: &[&str] = &[
    "answer",
    "body",
    "caption",
    "code",
    "command",
    "comment",
    "content",
    "contents",
    "data",
    "description",
    "filetext",
    "html",
    "instructions",
    "label",
    "markdown",
    "message",
    "newcontent",
    "newstr",
    "newstring",
    "newtext",
    "note",
    "observations",
    "oldstr",
    "oldstring",
    "oldtext",
    "pattern",
    "prompt",
    "query",
    "question",
    "reason",
    "regex",
    "replacement",
    "reply",
    "script",
    "subject",
    "summary",
    "text",
    "thought",
    "title",
];

/// A value that may be the path of a file.
#[derive(Debug, Clone)]
pub struct NamedPath<'a> {
    /// The key it stands under, its words joined.
    pub key: String,
    /// As it was written; an address of a file is its path.
    pub path: String,
    /// What stands beside it; nothing where it is a key itself.
    pub beside: Option<&'a ToolInput>,
    /// It was written as an address: `file:///a`.
    pub is_address: bool,
    /// How many objects it is in.
    depth: usize,
}

impl NamedPath<'_> {
    /// Whether its key is known to hold a path.
    pub fn is_known(&self) -> bool {
        is_path(&self.key) || self.depth == 0 && ENDS.contains(&&*self.key)
    }

    /// Whether it stands in a part of the input.
    pub fn is_inside(&self) -> bool {
        self.depth > 0
    }
}

/// Whether a key, its words joined, is known to hold the path of a file and nothing else.
pub fn is_path(key: &str) -> bool {
    PATHS.contains(&key)
}

/// Whether a key, its words joined, holds what is said, looked for or put into a file.
pub fn is_text(key: &str) -> bool {
    TEXTS.contains(&key)
}

/// Whether the paths of an input are likely those of a repository on a server, and no files here.
pub fn is_on_server(input: &ToolInput) -> bool {
    input.contains_key("owner") && input.contains_key("repo")
}

/// Everything in an input that may be the path of a file, in its order.
pub fn named(input: &ToolInput) -> Vec<NamedPath<'_>> {
    let mut search = PathSearch {
        left: MOST,
        found: Vec::new(),
    };
    search.object(input, 0);
    search.found
}

struct PathSearch<'a> {
    left: usize,
    found: Vec<NamedPath<'a>>,
}

impl<'a> PathSearch<'a> {
    fn object(&mut self, object: &'a ToolInput, depth: usize) {
        for (key, value) in object {
            if key.contains('/') {
                self.add("", key, None, depth);
            }
            self.value(&joined(key), value, object, depth);
        }
    }

    fn value(&mut self, key: &str, value: &'a Value, beside: &'a ToolInput, depth: usize) {
        if depth > DEEPEST || self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Value::String(text) if !is_text(key) => self.add(key, text, Some(beside), depth),
            Value::Object(inner) => self.object(inner, depth + 1),
            Value::Array(items) => {
                for item in items {
                    let depth = depth + usize::from(!item.is_string());
                    self.value(key, item, beside, depth);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn add(&mut self, key: &str, text: &str, beside: Option<&'a ToolInput>, depth: usize) {
        let path = Some(text)
            .filter(|text| text.len() <= LONGEST && !text.contains('\n'))
            .and_then(path);
        self.found.extend(path.map(|path| NamedPath {
            key: key.to_owned(),
            path,
            beside,
            is_address: text.starts_with("file://"),
            depth,
        }));
    }
}

/// The path a text means; none if it is an address of something else.
pub fn path(text: &str) -> Option<String> {
    let Some(address) = text.strip_prefix("file://") else {
        return (!text.is_empty() && !text.contains("://")).then(|| text.to_owned());
    };
    let path = address.strip_prefix("localhost").unwrap_or(address);
    decoded(path).filter(|path| path.starts_with('/'))
}

/// `%20` is a space.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::object;
    use serde_json::json;

    fn shown(input: Value) -> String {
        let input = object(input);
        let found = named(&input).into_iter();
        let shown: Vec<String> = found
            .map(|named| format!("{}{}", if named.is_known() { "" } else { "?" }, named.path))
            .collect();
        shown.join(" ")
    }

    #[test]
    fn values_at_any_depth_may_be_paths_and_texts_are_not() {
        for (input, expected) in [
            (json!({ "path": "a", "content": "b" }), "a"),
            (
                json!({ "filePath": "a", "relative_path": "b", "absolute-path": "c" }),
                "a b c",
            ),
            (json!({ "files": ["a", { "path": "b", "text": "c" }] }), "a b"),
            (json!({ "files": { "x/a": "text" } }), "?x/a ?text"),
            (json!({ "rename": { "from": "a", "to": "b" } }), "?a ?b"),
            (json!({ "target": "a", "edges": [{ "target": "b" }] }), "a ?b"),
            (json!({ "uri": "file:///a%20b", "path": "http://x/y" }), "/a b"),
            (json!({ "path": "a\nb", "file": "" }), ""),
        ] {
            assert_eq!(shown(input.clone()), expected, "{input}");
        }
        let wide: Vec<Value> = (0..100_000).map(|_| json!("a")).collect();
        assert!(named(&object(json!({ "paths": wide }))).len() <= MOST);
    }
}
