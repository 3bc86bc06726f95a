//! The block at the top of a skill's file: a small part of YAML, read without trust.

/// How much of a file counts.
pub const MOST_BYTES: usize = 16 * 1024;
/// Most characters of a description.
const MOST_DESCRIPTION: usize = 4_000;
/// Most keywords, and most characters of one.
const MOST_KEYWORDS: usize = 64;
const LONGEST_KEYWORD: usize = 80;

/// What the block says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) name: Option<String>,
    pub(super) description: String,
    pub(super) keywords: Vec<String>,
}

/// A key with what stands behind it and below it.
struct FrontMatterField<'t> {
    key: &'t str,
    value: &'t str,
    below: Vec<&'t str>,
}

/// What the block at the top of a text says; `None` if there is none, or it has no end.
pub(super) fn read(text: &str) -> Option<FrontMatter> {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().map(str::trim_end);
    if lines.next() != Some("---") {
        return None;
    }
    let mut fields: Vec<FrontMatterField<'_>> = Vec::new();
    for line in lines {
        if matches!(line, "---" | "...") {
            return Some(of(&fields));
        }
        let is_below = line.is_empty() || line.starts_with([' ', '\t', '-', '#']);
        match (line.split_once(':').filter(|_| !is_below), fields.last_mut()) {
            (Some((key, value)), _) => fields.push(FrontMatterField {
                key: key.trim(),
                value: value.trim(),
                below: Vec::new(),
            }),
            (None, Some(field)) => field.below.push(line),
            (None, None) => {}
        }
    }
    None
}

fn of(fields: &[FrontMatterField<'_>]) -> FrontMatter {
    // The first of two counts.
    let find = |key: &str| fields.iter().find(|field| field.key == key);
    let text = |field: &FrontMatterField<'_>| field.text();
    let description = find("description").map(text).unwrap_or_default();
    FrontMatter {
        name: find("name").map(text).filter(|name| !name.is_empty()),
        description: description.chars().take(MOST_DESCRIPTION).collect(),
        keywords: find("keywords").map(FrontMatterField::list).unwrap_or_default(),
    }
}

impl FrontMatterField<'_> {
    /// Its value as one text, however many lines it has.
    fn text(&self) -> String {
        let is_block = self.value.starts_with(['|', '>']);
        let first = if is_block { "" } else { plain(self.value) };
        let below = self.below.iter().map(|line| line.trim());
        let below = below.filter(|line| is_block || !line.starts_with('#'));
        let all = [first].into_iter().chain(below).filter(|part| !part.is_empty());
        let joined = all.collect::<Vec<_>>().join(" ");
        unquoted(&joined)
    }

    /// Its value as a list: `[a, b]`, `a, b`, or one per line behind a dash.
    fn list(&self) -> Vec<String> {
        let dashed = self
            .below
            .iter()
            .filter_map(|line| line.trim().strip_prefix("- "));
        let dashed: Vec<String> = dashed.map(|item| unquoted(plain(item.trim()))).collect();
        let items = if dashed.is_empty() {
            let text = self.text();
            let inner = text.trim_start_matches('[').trim_end_matches(']');
            inner.split(',').map(|item| unquoted(item.trim())).collect()
        } else {
            dashed
        };
        items
            .into_iter()
            .filter(|item| !item.is_empty() && item.chars().count() <= LONGEST_KEYWORD)
            .take(MOST_KEYWORDS)
            .collect()
    }
}

/// Without a comment at its end.
fn plain(value: &str) -> &str {
    if value.starts_with(['"', '\'']) {
        return value;
    }
    let value = value.split_once(" #").map_or(value, |(value, _)| value);
    if value.starts_with('#') {
        ""
    } else {
        value.trim_end()
    }
}

fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        let inner = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return match quote {
                '"' => inner.replace("\\\"", "\""),
                _ => inner.replace("''", "'"),
            };
        }
    }
    value.to_owned()
}
