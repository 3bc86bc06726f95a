mod commands;
mod tools;

use super::*;
use crate::settings::Profile;
use crate::testing;
use serde_json::{Value, json};

fn settings() -> LeaseSettings {
    LeaseSettings::of(Profile::Standard)
}

fn of(tool: &str, input: Value) -> WantedOfCall {
    in_w(&testing::call(tool, input), &settings())
}

/// What a call in `/w` writes, nothing known but what it says.
fn in_w(call: &ToolCall, settings: &LeaseSettings) -> WantedOfCall {
    wanted(call, Some(Path::new("/w")), settings, &ReadingContext::default())
}

/// One line per file: `-` gone, `~` changed, `/**` with all below, `>a` in a folder, `&` in the background.
fn shown(wanted: &WantedOfCall) -> String {
    let files = wanted.files.iter().map(|file| {
        let how = sign(file.how);
        let below = if file.below { "/**" } else { "" };
        let into = file.into.as_ref().map(|name| format!(">{name}"));
        let background = if file.background { " &" } else { "" };
        let path = file.path.display();
        format!("{how}{path}{below}{}{background}", into.unwrap_or_default())
    });
    let patterns = wanted.patterns.iter().map(|wanted| {
        let pattern = wanted.inside("/w").map(|pattern| pattern.as_str().to_owned());
        format!("{}glob {}", sign(wanted.how), pattern.unwrap_or_default())
    });
    let at = wanted.bulk_at.as_ref().map(|at| at.display().to_string());
    let bulk = wanted
        .bulk
        .iter()
        .map(|command| format!("bulk `{command}` in {}", at.as_deref().unwrap_or("?")));
    files.chain(patterns).chain(bulk).collect::<Vec<_>>().join("; ")
}

fn sign(how: FileChangeKind) -> &'static str {
    match how {
        FileChangeKind::Overwrite => "",
        FileChangeKind::Change => "~",
        FileChangeKind::Remove => "-",
    }
}

#[test]
fn write_tools_name_their_file() {
    let path = |tool: &str, path: &str| shown(&of(tool, json!({ "file_path": path })));
    assert_eq!(path("Write", "/w/a.rs"), "/w/a.rs");
    assert_eq!(path("Edit", "src/../a.rs"), "~/w/a.rs");
    assert_eq!(path("Edit", "../a.rs"), "~/a.rs");
    assert_eq!(path("Write", ""), "");
    assert_eq!(path("Read", "/w/a.rs"), "");
    assert_eq!(path("Agent", "/w/a.rs"), "");
    let call = testing::call("Write", json!({ "file_path": "a" }));
    assert!(wanted(&call, None, &settings(), &ReadingContext::default()).is_nothing());
}
