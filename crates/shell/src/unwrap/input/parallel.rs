//! GNU parallel: a template that is shell text, run once per input.

use super::{MOST_PLACES, replaced};
use crate::inner::{Inner, Inputs};
use crate::unwrap::outer::WrapperCommand;
use crate::word::Word;

/// Placeholders that stand for an input or a part of it.
const PLACES: &[&str] = &["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}", "{+}"];

pub(in crate::unwrap) fn parallel(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if outer.usage.has("--dry-run") {
        return Vec::new();
    }
    let words = outer.operands(0);
    let is_mark = |word: &Word| matches!(word.literal(), Some(":::" | ":::+" | "::::" | "::::+"));
    let end = words.iter().position(is_mark).unwrap_or(words.len());
    let template = words.get(..end).unwrap_or_default();
    let given = words.get(end..).unwrap_or_default();
    let inputs = match given.split_first() {
        Some((mark, inputs)) if matches!(mark.literal(), Some(":::" | ":::+")) => Some(inputs),
        Some(_) => Some(&[][..]),
        None => None,
    };
    match (template, inputs) {
        ([], Some(inputs)) => inputs
            .iter()
            .take(MOST_PLACES)
            .map(|input| outer.text(input.clone()))
            .collect(),
        ([], None) => vec![Inner::Stdin {
            place: None,
            through: outer.label(),
        }],
        ([one], _)
            if one
                .literal()
                .is_some_and(|text| text.contains([' ', ';', '|', '&', '$'])) =>
        {
            template_text(outer, one, inputs)
        }
        (words, inputs) => template_words(outer, words, inputs),
    }
}

/// A template in one word is shell text; an input that is not known becomes a variable nobody sets.
fn template_text(outer: &WrapperCommand<'_>, template: &Word, inputs: Option<&[Word]>) -> Vec<Inner> {
    let text = template.literal().unwrap_or_default();
    let put = |input: &str| {
        let mut text = text.to_owned();
        if PLACES.iter().any(|place| text.contains(place)) {
            for place in PLACES {
                text = text.replace(place, input);
            }
        } else {
            text = format!("{text} {input}");
        }
        outer.text(Word::Literal(text))
    };
    let known: Option<Vec<&str>> = inputs
        .unwrap_or_default()
        .iter()
        .take(MOST_PLACES)
        .map(Word::literal)
        .collect();
    match known {
        Some(known) if !known.is_empty() => known.into_iter().map(put).collect(),
        Some(_) | None => vec![put("\"$PARALLEL_INPUT\"")],
    }
}

fn template_words(outer: &WrapperCommand<'_>, template: &[Word], inputs: Option<&[Word]>) -> Vec<Inner> {
    let Some(inputs) = inputs else {
        let mut found = outer.made(template.to_vec());
        let has_place = template
            .iter()
            .any(|word| word.literal().is_some_and(|text| text.contains("{}")));
        if let Some(Inner::Words { inputs, .. }) = found.first_mut() {
            *inputs = Inputs::Stdin {
                replace: has_place.then(|| "{}".to_owned()),
            };
        }
        return found;
    };
    let known: Option<Vec<String>> = inputs
        .iter()
        .map(|input| input.literal().map(str::to_owned))
        .collect();
    let input = match (known, inputs) {
        (_, []) => Word::unknown(),
        (_, [one]) => one.clone(),
        (Some(known), _) => Word::one_of(known),
        (None, _) => Word::unknown(),
    };
    let inputs = [input];
    let mut words = template.to_vec();
    let has_place = words.iter().any(|word| {
        PLACES
            .iter()
            .any(|place| word.literal().is_some_and(|text| text.contains(place)))
    });
    if !has_place {
        words.push(Word::new("{}"));
    }
    for place in PLACES {
        words = replaced(&words, place, &inputs);
    }
    outer.made(words)
}
