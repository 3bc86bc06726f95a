//! The guard's open tables in a settings file: single rules, wrappers, shell tools, and rules of its own.

use super::document::{DocumentPart, DocumentWalk, in_order, kind_of, read};
use super::problem::FilePosition;
use engine::policy::guard::Ruling;
use engine::settings::{Mode, RuleSetting, SettingValue, WrapperSetting};
use engine::text::one_line;
use toml::de::DeValue;

/// Entries of one table that are read.
const MOST: usize = 500;
/// Characters of a foreign name shown in a message.
const LONGEST_SHOWN: usize = 80;

/// What a file says in them.
#[derive(Debug, Default)]
pub(super) struct GuardTables {
    /// `[guard.rules."<id>"]`
    pub rules: Vec<NamedValue<RuleSetting>>,
    /// `[guard.wrappers]`
    pub wrappers: Vec<NamedValue<WrapperSetting>>,
    /// `[guard.shell_tools]`
    pub shell_tools: Vec<NamedValue<String>>,
    /// Whether `[[guard.rule]]` stands there.
    pub has_rules: bool,
}

/// A value with its name and place.
#[derive(Debug)]
pub(super) struct NamedValue<T> {
    pub name: String,
    pub value: T,
    pub spot: FilePosition,
}

impl DocumentWalk<'_> {
    /// Reads one of the guard's open tables; `false`: the path names none.
    pub(super) fn guard_table(&mut self, path: &str, part: &DocumentPart) -> bool {
        match path {
            "guard.rule" => self.guard.has_rules = true,
            "guard.rules" => self.each(path, part, Self::rule_setting),
            "guard.wrappers" => self.each(path, part, Self::wrapper),
            "guard.shell_tools" => self.each(path, part, Self::shell_tool),
            _ => return false,
        }
        true
    }

    pub(super) fn each(&mut self, path: &str, part: &DocumentPart, read: fn(&mut Self, &str, &DocumentPart)) {
        let DeValue::Table(table) = part.value else {
            return self.unfit(path, part.value_at, &kind_of(part.value), "a table", None);
        };
        for (at, part) in in_order(table).iter().enumerate() {
            let name = format!("{path}.{:?}", one_line(part.name, LONGEST_SHOWN));
            if at == MOST {
                let message =
                    format!("`{path}` has more than {MOST} entries; from here on they do not count");
                return self.tell(part.name_at, &name, message, None);
            }
            read(self, &name, part);
        }
    }

    fn rule_setting(&mut self, name: &str, part: &DocumentPart) {
        let expected = "a table with `mode` or `verdict`";
        let DeValue::Table(table) = part.value else {
            return self.unfit(name, part.value_at, &kind_of(part.value), expected, None);
        };
        let mut setting = RuleSetting::default();
        for part in in_order(table) {
            let key = format!("{name}.{}", one_line(part.name, LONGEST_SHOWN));
            let word = match read(&part) {
                Ok(SettingValue::Word(word)) => word,
                Ok(_) | Err(_) => kind_of(part.value),
            };
            match part.name {
                "mode" => match Mode::named(&word) {
                    Some(mode) => setting.mode = Some(mode),
                    None => self.unfit_word(&key, &part, &word, "`off`, `advise` or `enforce`"),
                },
                "verdict" => {
                    let is_known = Ruling::named(&word).is_some_and(|ruling| ruling != Ruling::Silent);
                    if is_known {
                        setting.verdict = Some(word);
                    } else {
                        let expected = "`deny`, `ask`, `one-strike`, `rewrite` or `advise`";
                        self.unfit_word(&key, &part, &word, expected);
                    }
                }
                _ => {
                    let hint = "a rule's id stands in quotes: `[guard.rules.\"core.git.stash\"]`".to_owned();
                    let message = format!("unknown key `{key}`: here stand `mode` and `verdict`");
                    self.tell(part.name_at, &key, message, Some(hint));
                }
            }
        }
        if setting != RuleSetting::default() {
            let named = self.named(part, setting);
            self.guard.rules.push(named);
        }
    }

    fn unfit_word(&mut self, key: &str, part: &DocumentPart, word: &str, expected: &str) {
        let found = format!("`{}`", one_line(word, LONGEST_SHOWN));
        self.unfit(key, part.value_at, &found, expected, None);
    }

    fn wrapper(&mut self, name: &str, part: &DocumentPart) {
        let expected = "a table like `{ skip = 1 }`";
        let DeValue::Table(table) = part.value else {
            return self.unfit(name, part.value_at, &kind_of(part.value), expected, None);
        };
        let mut wrapper = WrapperSetting::default();
        for part in in_order(table) {
            let skip = match read(&part) {
                Ok(SettingValue::Int(skip)) if part.name == "skip" => {
                    u32::try_from(skip).ok().filter(|skip| *skip <= 64)
                }
                Ok(_) | Err(_) => None,
            };
            let Some(skip) = skip else {
                let key = format!("{name}.{}", one_line(part.name, LONGEST_SHOWN));
                return self.unfit(
                    &key,
                    part.value_at,
                    &kind_of(part.value),
                    "`skip` from 0 to 64",
                    None,
                );
            };
            wrapper.skip = skip;
        }
        let named = self.named(part, wrapper);
        self.guard.wrappers.push(named);
    }

    fn shell_tool(&mut self, name: &str, part: &DocumentPart) {
        match read(part) {
            Ok(SettingValue::Word(key)) if !key.is_empty() => {
                let named = self.named(part, key);
                self.guard.shell_tools.push(named);
            }
            Ok(_) | Err(_) => {
                let expected = "the name of the input that holds the command";
                self.unfit(name, part.value_at, &kind_of(part.value), expected, None);
            }
        }
    }

    pub(super) fn named<T>(&self, part: &DocumentPart, value: T) -> NamedValue<T> {
        NamedValue {
            name: part.name.to_owned(),
            value,
            spot: self.lines.spot(part.name_at),
        }
    }
}
