//! Text with gaps: known but for some values, so that it can still be read as commands or code.
//!
//! A gap is written with two characters that no program uses, around the variable's name. Whoever makes words of such
//! a text makes unknown parts of its gaps.

const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

/// A gap for the value of a variable, or of something without a name.
pub(super) fn gap(name: Option<&str>) -> String {
    format!("{OPEN}{}{CLOSE}", name.unwrap_or_default())
}

/// A part of a text with gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GapPart<'a> {
    Known(&'a str),
    Gap(Option<&'a str>),
}

/// Whether the text has gaps.
pub(super) fn has_gaps(text: &str) -> bool {
    text.contains(OPEN)
}

/// The parts of a text, in order.
pub(super) fn parts(text: &str) -> Vec<GapPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(OPEN) {
        if !before.is_empty() {
            parts.push(GapPart::Known(before));
        }
        let (name, after) = behind.split_once(CLOSE).unwrap_or((behind, ""));
        parts.push(GapPart::Gap(Some(name).filter(|name| !name.is_empty())));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(GapPart::Known(rest));
    }
    parts
}

/// Whether nothing but gaps, quotes and separators is known.
pub(super) fn is_blank(text: &str) -> bool {
    parts(text).iter().all(|part| match part {
        GapPart::Known(text) => text
            .chars()
            .all(|letter| letter.is_whitespace() || "\"';&".contains(letter)),
        GapPart::Gap(_) => true,
    })
}

/// The text as people should see it.
pub(super) fn shown(text: &str) -> String {
    let show = |part: &GapPart<'_>| match part {
        GapPart::Known(text) => (*text).to_owned(),
        GapPart::Gap(Some(name)) => format!("${{{name}}}"),
        GapPart::Gap(None) => "…".to_owned(),
    };
    parts(text).iter().map(show).collect()
}

#[cfg(test)]
mod tests;
