//! `[[lease.tool]]` in a settings file: what a server's tools write. The last word about a tool counts.

use super::document::{DocumentPart, DocumentWalk, in_order, kind_of, read};
use super::guard_tables::NamedValue;
use super::layer::SettingOrigin;
use super::merge::{FileLayer, Merge};
use engine::settings::{LeaseTool, SettingValue, ToolEffect, nearest};
use engine::text::one_line;
use serde_json::json;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// Tools of one file that are read.
const MOST: usize = 200;
/// Arguments of one tool that are read.
const MOST_ARGUMENTS: usize = 20;
/// Characters of a name.
const LONGEST: usize = 200;
/// Characters of a foreign name shown in a message.
const LONGEST_SHOWN: usize = 80;

const TABLE: &str = "lease.tool";
const KEYS: [&str; 3] = ["name", "path", "effect"];

/// The tools so far, by name.
#[derive(Debug, Default)]
pub(super) struct LeaseTools {
    tools: BTreeMap<String, (LeaseTool, SettingOrigin)>,
}

impl LeaseTools {
    /// As the settings hold them.
    pub(super) fn values(&self) -> Vec<LeaseTool> {
        self.tools.values().map(|(tool, _)| tool.clone()).collect()
    }

    /// Each of them as people see it.
    pub(super) fn shown(&self) -> impl Iterator<Item = (String, serde_json::Value, SettingOrigin)> {
        self.tools.iter().map(|(name, (tool, origin))| {
            let value = json!({ "path": tool.path, "effect": tool.effect.word() });
            (format!("{TABLE}.{name:?}"), value, origin.clone())
        })
    }
}

impl Merge<'_> {
    /// Adds a file's tools on top.
    pub(super) fn add_lease_tools(&mut self, file: &FileLayer, tools: &[NamedValue<LeaseTool>]) {
        for tool in tools {
            let stands = self.lease_tools.tools.get(&tool.name);
            if stands.is_some_and(|(stands, _)| *stands == tool.value) {
                continue;
            }
            let origin = SettingOrigin::File {
                layer: file.layer,
                path: file.path.to_owned(),
                line: tool.spot.line,
                column: tool.spot.column,
            };
            let value = (tool.value.clone(), origin);
            self.lease_tools.tools.insert(tool.name.clone(), value);
        }
    }
}

impl DocumentWalk<'_> {
    /// Reads the tools; `false`: the path names something else.
    pub(super) fn lease_tool_table(&mut self, path: &str, part: &DocumentPart) -> bool {
        if path != TABLE {
            return false;
        }
        let DeValue::Array(items) = part.value else {
            self.unfit(
                TABLE,
                part.value_at,
                &kind_of(part.value),
                "`[[lease.tool]]` tables",
                None,
            );
            return true;
        };
        for (index, item) in items.iter().enumerate() {
            let at = item.span().start;
            if index == MOST {
                let message =
                    format!("`{TABLE}` has more than {MOST} entries; from here on they do not count");
                self.tell(at, TABLE, message, None);
                break;
            }
            let DeValue::Table(table) = item.get_ref() else {
                self.unfit(
                    TABLE,
                    at,
                    &kind_of(item.get_ref()),
                    "`[[lease.tool]]` tables",
                    None,
                );
                continue;
            };
            if let Some(value) = self.lease_tool(at, table) {
                let name = value.name.clone();
                let spot = self.lines.spot(at);
                self.lease_tools.push(NamedValue { name, value, spot });
            }
        }
        true
    }

    /// One tool; what is wrong in it leaves all of it out.
    fn lease_tool(&mut self, at: usize, table: &DeTable) -> Option<LeaseTool> {
        let (mut name, mut path, mut effect) = (None, None, None);
        let mut is_sound = true;
        for part in in_order(table) {
            let key = format!("{TABLE}.{}", one_line(part.name, LONGEST_SHOWN));
            let expected = match (part.name, read(&part).ok()) {
                ("name", Some(SettingValue::Word(word))) if is_name(&word) => {
                    name = Some(word);
                    continue;
                }
                ("path", Some(SettingValue::Word(word))) if is_name(&word) => {
                    path = Some(vec![word]);
                    continue;
                }
                ("path", Some(SettingValue::Words(words))) if are_names(&words) => {
                    path = Some(words);
                    continue;
                }
                ("effect", Some(SettingValue::Word(word))) if ToolEffect::named(&word).is_some() => {
                    effect = ToolEffect::named(&word);
                    continue;
                }
                ("name", _) => "the tool's name",
                ("path", _) => "the names of the arguments that hold paths",
                ("effect", _) => "`overwrite`, `change` or `delete`",
                (other, _) => {
                    let hint = nearest(other, KEYS).map(|near| format!("did you mean `{near}`?"));
                    let message = format!("unknown key `{key}`: here stand `name`, `path` and `effect`");
                    self.tell(part.name_at, &key, message, hint);
                    is_sound = false;
                    continue;
                }
            };
            is_sound = false;
            self.unfit(&key, part.value_at, &found(&part), expected, None);
        }
        if let (Some(name), Some(path), Some(effect), true) = (&name, &path, effect, is_sound) {
            return Some(LeaseTool {
                name: name.clone(),
                path: path.clone(),
                effect,
            });
        }
        if is_sound {
            let message = format!("`{TABLE}` needs `name`, `path` and `effect`");
            self.tell(at, TABLE, message, None);
        }
        None
    }
}

fn found(part: &DocumentPart) -> String {
    match read(part) {
        Ok(SettingValue::Word(word)) => format!("`{}`", one_line(&word, LONGEST_SHOWN)),
        Ok(_) | Err(_) => kind_of(part.value),
    }
}

fn is_name(word: &str) -> bool {
    !word.trim().is_empty() && word.chars().count() <= LONGEST && !word.chars().any(char::is_control)
}

fn are_names(words: &[String]) -> bool {
    (1..=MOST_ARGUMENTS).contains(&words.len()) && words.iter().all(|word| is_name(word))
}

#[cfg(test)]
mod tests;
