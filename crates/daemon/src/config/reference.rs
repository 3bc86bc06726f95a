//! The reference page and the schema of the settings, made from the registry.

use engine::settings::{KEYS, Profile, Restraint, SettingKey, ValueKind};
use serde_json::{Map, Value, json};

const HEAD: &str = "\
# Settings

<!-- Generated from `engine::settings::KEYS`; a test checks that it is fresh. -->

Layers, the later winning: built-in (the profile's values), the user's `config.toml`, its `[project.\"<root>\"]` table for
this project, `toprope.toml`, `toprope.local.toml`. No variable is a setting. `toprope config show --origin` says which layer
each value came from, `toprope config check` what is wrong.

A project's files (`toprope.toml`, `toprope.local.toml`) may tighten, not loosen, what protects you (`enabled`, `profile`,
`protected_branches`, the guard, checkpoints), unless you trusted their bytes (`toprope trust`); how agents work together
(leases, stale writes, skills, the project's state) is theirs to choose. A value that is wrong, unknown or not theirs to set is told and left out; the layer below stands.
A file that is not TOML keeps its last good values.

";

const VALUES: &str = "\
| Key | observe | standard | strict | Accepts | A project's files |
|---|---|---|---|---|---|
";

const MEANINGS: &str = "\
| Key | Meaning |
|---|---|
";

const FOOT: &str = "
There are six more tables, in the user's file (also below `[project.\"<root>\"]`) and in a project's:

| Table | Meaning | A project's files |
|---|---|---|
| `[guard.rules.\"<id>\"]` | `mode` (`off`, `advise`, `enforce`) and `verdict` (`deny`, `ask`, `one-strike`, `rewrite`, `advise`) of one rule, over its pack's | may only raise them |
| `[[guard.rule]]` | a rule of your own; also as `[[rule]]` in `guard/*.toml` beside the user's `config.toml` | may add up to 500 |
| `[guard.wrappers]` | programs that only run the command behind them: `with-env = { skip = 1 }` | may add programs that no rule knows |
| `[guard.shell_tools]` | tools that run shell text beside `Bash`, with the input's key that holds it | may set them only if you trusted them |
| `[[lease.tool]]` | what a server's tool writes: `name` of the tool, `path` (the arguments that name files), `effect` (`overwrite`, `change`, `delete`) | may set them |
| `[skills.map]` | words and phrases that call a skill to mind: `effect-errors = [\"retry\", \"typed error\"]` | may add words |

A rule that is wrong, or whose examples do not hold, is told and left out; the others stay.
";

/// The Markdown page of all settings.
pub fn reference_page() -> String {
    let values: String = KEYS.iter().map(values_row).collect();
    let meanings: String = KEYS.iter().map(meaning_row).collect();
    format!("{HEAD}{VALUES}{values}\n{MEANINGS}{meanings}{FOOT}")
}

fn values_row(key: &SettingKey) -> String {
    let [observe, standard, strict] = Profile::ALL.map(|profile| key.default(profile).to_string());
    let accepts = key.kind.expected();
    let restraint = restraint(key.restraint);
    format!(
        "| `{}` | `{observe}` | `{standard}` | `{strict}` | {accepts} | {restraint} |\n",
        key.name
    )
}

fn meaning_row(key: &SettingKey) -> String {
    format!("| `{}` | {} |\n", key.name, key.doc)
}

fn restraint(restraint: Restraint) -> &'static str {
    match restraint {
        Restraint::Free => "may set it",
        Restraint::NoLowering => "may only raise it",
        Restraint::NoRemoving => "may only add to it",
        Restraint::Trusted => "may set it only if you trusted them",
        Restraint::Person => "may not set it: yours alone",
        Restraint::Shared => "may not set it: one value for all projects",
    }
}

/// The JSON schema (draft 2020-12) of all settings files, for editors.
pub fn json_schema() -> String {
    let mut top = Map::new();
    for key in KEYS {
        put(&mut top, key.name, property(key));
    }
    for (name, property) in open_tables() {
        put(&mut top, name, property);
    }
    let one_project = object(&top);
    top.insert(
        "project".to_owned(),
        json!({
            "description": "Values for one project, by its root. Only in the user's own file.",
            "type": "object",
            "additionalProperties": { "$ref": "#/$defs/project" },
        }),
    );
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Toprope settings",
    });
    if let (Some(schema), Value::Object(all)) = (schema.as_object_mut(), object(&top)) {
        schema.extend(all);
        schema.insert("$defs".to_owned(), json!({ "project": one_project }));
    }
    format!("{schema:#}\n")
}

/// The open tables.
fn open_tables() -> [(&'static str, Value); 6] {
    let verdicts = ["deny", "ask", "one-strike", "rewrite", "advise"];
    let rule = json!({
        "type": "object",
        "properties": {
            "mode": { "description": "How far the rule goes, over its pack's mode.", "enum": ["off", "advise", "enforce"] },
            "verdict": { "description": "What it says instead of its own verdict.", "enum": verdicts },
        },
        "additionalProperties": false,
    });
    let wrapper = json!({
        "type": "object",
        "properties": {
            "skip": {
                "description": "Operands of its own in front of the command.",
                "type": "integer", "minimum": 0, "maximum": 64, "default": 0,
            },
        },
        "additionalProperties": false,
    });
    let tool = json!({
        "type": "object",
        "properties": {
            "name": { "description": "The tool's whole name.", "type": "string", "minLength": 1 },
            "path": {
                "description": "The arguments that name files.",
                "type": ["string", "array"], "items": { "type": "string" },
            },
            "effect": { "description": "What happens to them.", "enum": ["overwrite", "change", "delete"] },
        },
        "required": ["name", "path", "effect"],
        "additionalProperties": false,
    });
    [
        (
            "guard.rules",
            json!({ "description": "Single rules, by id.", "type": "object", "additionalProperties": rule }),
        ),
        (
            "guard.wrappers",
            json!({
                "description": "Programs that only run the command behind them, by name.",
                "type": "object",
                "additionalProperties": wrapper,
            }),
        ),
        (
            "guard.shell_tools",
            json!({
                "description": "Tools that run shell text beside `Bash`, with the input's key that holds it.",
                "type": "object",
                "additionalProperties": { "type": "string", "minLength": 1 },
            }),
        ),
        (
            "guard.rule",
            json!({ "description": "Rules of your own.", "type": "array", "items": { "type": "object" } }),
        ),
        (
            "lease.tool",
            json!({ "description": "What tools of servers write.", "type": "array", "items": tool }),
        ),
        (
            "skills.map",
            json!({
                "description": "Words and phrases that call a skill to mind, by its name.",
                "type": "object",
                "additionalProperties": { "type": ["string", "array"], "items": { "type": "string" } },
            }),
        ),
    ]
}

/// Puts a property below the sections its name lists.
fn put(properties: &mut Map<String, Value>, name: &str, property: Value) {
    let Some((section, rest)) = name.split_once('.') else {
        properties.insert(name.to_owned(), property);
        return;
    };
    let section = properties.entry(section).or_insert_with(|| object(&Map::new()));
    if let Some(Value::Object(inner)) = section.get_mut("properties") {
        put(inner, rest, property);
    }
}

fn object(properties: &Map<String, Value>) -> Value {
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn property(key: &SettingKey) -> Value {
    let mut property = json!({ "description": key.doc });
    let kind = match key.kind {
        ValueKind::Bool => json!({ "type": "boolean" }),
        ValueKind::Int { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        ValueKind::Word(words) => json!({ "enum": words }),
        ValueKind::Folder => json!({ "type": "string", "maxLength": 250 }),
        ValueKind::Words => {
            json!({ "type": "array", "items": { "type": "string", "pattern": "^[^\\s,]{1,250}$" }, "maxItems": 256 })
        }
        ValueKind::Globs | ValueKind::Patterns | ValueKind::Commands | ValueKind::Folders => {
            json!({ "type": "array", "items": { "type": "string", "minLength": 1, "maxLength": 250 }, "maxItems": 256 })
        }
    };
    if let (Some(property), Value::Object(kind)) = (property.as_object_mut(), kind) {
        property.extend(kind);
        property.insert("default".to_owned(), json!(key.default(Profile::Standard)));
    }
    property
}

#[cfg(test)]
mod tests;
