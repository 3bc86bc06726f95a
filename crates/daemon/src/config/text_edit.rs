//! Puts one value into a TOML text; comments, order, spelling and line ends of the rest stay.

use engine::settings::SettingValue;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

const MARK: &str = "\u{feff}";

/// A text with the value in it.
pub(super) struct EditedText {
    pub text: String,
    /// What stood there before.
    pub before: Option<String>,
}

/// Puts the value at the path of names. Fails with the name of what is in the way, if that is no table or no value.
pub(super) fn put(text: &str, path: &[String], value: &SettingValue) -> Result<EditedText, String> {
    let (mark, body) = match text.strip_prefix(MARK) {
        Some(body) => (MARK, body),
        None => ("", text),
    };
    // The text is sound (see `edit::sound`); should the two parsers ever disagree, nothing is written.
    let mut document: DocumentMut = body.parse().map_err(|_| path.join("."))?;
    let only_comments = document.as_table().is_empty();
    if only_comments {
        document = DocumentMut::new();
    }
    let before = put_item(&mut document, path, value)?;
    if before.as_deref() == Some(value.to_string().as_str()) {
        return Ok(EditedText {
            text: text.to_owned(),
            before,
        });
    }
    let mut edited = document.to_string();
    if only_comments {
        edited = below(body, &edited);
    }
    if has_windows_ends(body) {
        edited = edited.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    Ok(EditedText {
        text: format!("{mark}{edited}"),
        before,
    })
}

/// The new lines after a text that holds nothing but comments.
fn below(comments: &str, lines: &str) -> String {
    let gap = if comments.is_empty() || comments.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{comments}{gap}{lines}")
}

/// Whether every line ends the Windows way.
fn has_windows_ends(text: &str) -> bool {
    let all = text.matches('\n').count();
    all > 0 && text.matches("\r\n").count() == all
}

fn put_item(
    document: &mut DocumentMut,
    path: &[String],
    value: &SettingValue,
) -> Result<Option<String>, String> {
    let Some((name, sections)) = path.split_last() else {
        return Ok(None);
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let mut is_inline = false;
    for (depth, section) in sections.iter().enumerate() {
        let is_last = depth + 1 == sections.len();
        let item = table
            .entry(section)
            .or_insert_with(|| empty_table(is_inline, !is_last));
        is_inline = item.is_inline_table();
        table = item.as_table_like_mut().ok_or_else(|| section.clone())?;
    }
    match table.get_mut(name) {
        Some(Item::Value(old)) => {
            let before = written(old);
            exchange(old, value);
            Ok(Some(before))
        }
        Some(Item::Table(_) | Item::ArrayOfTables(_)) => Err(name.clone()),
        Some(Item::None) | None => {
            let mut new = toml(value);
            if is_inline {
                take_end(table, &mut new);
            }
            table.insert(name, Item::Value(new));
            Ok(None)
        }
    }
}

/// Moves what stands between the last value and the brace behind the value that is now the last.
fn take_end(table: &mut dyn TableLike, new: &mut toml_edit::Value) {
    let last = table.iter_mut().last();
    let Some(last) = last.and_then(|(_, item)| item.as_value_mut()) else {
        return;
    };
    let end = last
        .decor()
        .suffix()
        .and_then(|end| end.as_str())
        .unwrap_or_default()
        .to_owned();
    last.decor_mut().set_suffix("");
    new.decor_mut().set_prefix(" ");
    new.decor_mut().set_suffix(end);
}

fn empty_table(is_inline: bool, is_implicit: bool) -> Item {
    if is_inline {
        return Item::Value(InlineTable::new().into());
    }
    let mut table = Table::new();
    table.set_implicit(is_implicit);
    Item::Table(table)
}

fn toml(value: &SettingValue) -> toml_edit::Value {
    match value {
        SettingValue::Bool(value) => (*value).into(),
        SettingValue::Int(value) => (*value).into(),
        SettingValue::Word(word) => word.as_str().into(),
        SettingValue::Words(words) => words.iter().collect::<Array>().into(),
    }
}

/// The value as one line, in our own spelling where it is one of ours.
fn written(value: &toml_edit::Value) -> String {
    let words = |array: &Array| -> Option<Vec<String>> {
        array
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    match value {
        toml_edit::Value::String(text) => SettingValue::Word(text.value().clone()).to_string(),
        toml_edit::Value::Integer(number) => SettingValue::Int(*number.value()).to_string(),
        toml_edit::Value::Boolean(value) => SettingValue::Bool(*value.value()).to_string(),
        toml_edit::Value::Array(array) => match words(array) {
            Some(words) => SettingValue::Words(words).to_string(),
            None => array.to_string().trim().to_owned(),
        },
        toml_edit::Value::Float(_) | toml_edit::Value::Datetime(_) | toml_edit::Value::InlineTable(_) => {
            value.to_string().trim().to_owned()
        }
    }
}

/// The new value with the old one's surroundings: the comment behind it stays behind it.
fn exchange(old: &mut toml_edit::Value, value: &SettingValue) {
    if let (toml_edit::Value::Array(array), SettingValue::Words(words)) = (&mut *old, value)
        && exchange_words(array, words)
    {
        return;
    }
    let decor = old.decor().clone();
    *old = toml(value);
    *old.decor_mut() = decor;
}

/// Takes out and adds entries where that is all there is to do, so that comments between the others stay.
fn exchange_words(array: &mut Array, words: &[String]) -> bool {
    let mut changed = without_others(array, words);
    for word in words.iter().skip(changed.len()) {
        let mut item = toml_edit::Value::from(word.as_str());
        if let Some(last) = changed.iter().last() {
            // Only white space is repeated: a comment above the last entry belongs to that entry.
            let prefix = Some(prefix(last)).filter(|prefix| prefix.trim().is_empty());
            item.decor_mut().set_prefix(prefix.unwrap_or(" "));
        }
        changed.push_formatted(item);
    }
    let same = changed.len() == words.len()
        && changed
            .iter()
            .zip(words)
            .all(|(item, word)| item.as_str() == Some(word));
    if same {
        *array = changed;
    }
    same
}

/// The list without entries that are not among the words. A comment behind an entry is, to the parser, part of the
/// one after it: when that one goes, the comment moves on.
fn without_others(array: &Array, words: &[String]) -> Array {
    let mut kept = array.clone();
    kept.clear();
    let mut carried = String::new();
    for item in array {
        let of_the_one_before = prefix(item).split('\n').next().unwrap_or_default();
        if item
            .as_str()
            .is_some_and(|text| words.iter().any(|word| word == text))
        {
            let mut item = item.clone();
            let joined = format!("{}{}", std::mem::take(&mut carried), prefix(&item));
            item.decor_mut().set_prefix(joined);
            kept.push_formatted(item);
        } else if of_the_one_before.contains('#') {
            carried.push_str(of_the_one_before.trim_end());
        }
    }
    let end = array.trailing().as_str().unwrap_or_default();
    kept.set_trailing(format!("{carried}{end}"));
    kept
}

fn prefix(value: &toml_edit::Value) -> &str {
    value
        .decor()
        .prefix()
        .and_then(|prefix| prefix.as_str())
        .unwrap_or_default()
}
