//! `find` and `fd`: the commands they run, with the places they search as inputs.

use super::{MOST_PLACES, replaced};
use crate::inner::{Inner, Inputs};
use crate::search::{self, Picked};
use crate::unwrap::outer::WrapperCommand;
use crate::word::Word;

const ACTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
/// Tests that a place itself can never pass, or that choose below it.
const BELOW: &[&str] = &["-mindepth", "-path", "-ipath", "-wholename", "-regex", "-iregex"];

pub(in crate::unwrap) fn find(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let inputs = places(outer);
    let actions = outer
        .usage
        .options
        .iter()
        .filter(|given| ACTIONS.iter().any(|name| given.is(name)));
    let mut found = Vec::new();
    for given in actions {
        let range = given.index + 1..given.words.end;
        let written = outer.argv.get(range).unwrap_or_default();
        let words = match written.split_last() {
            Some((last, words)) if matches!(last.literal(), Some(";" | "+")) => words,
            Some(_) | None => written,
        };
        let through = format!("{} {}", outer.name, given.name);
        found.extend(command(replaced(words, "{}", &inputs), through));
    }
    found
}

fn command(words: Vec<Word>, through: String) -> Option<Inner> {
    if words.is_empty() {
        return None;
    }
    let inputs = Inputs::None;
    Some(Inner::Words {
        words,
        from: None,
        inputs,
        cwd: None,
        env: Vec::new(),
        place: None,
        through,
    })
}

/// What `find` can hand on, as path patterns.
pub(in crate::unwrap) fn places(outer: &WrapperCommand<'_>) -> Vec<Word> {
    let usage = &outer.usage;
    let is_expression = |word: &&Word| matches!(word.literal(), Some("(" | ")" | "!" | ","));
    let mut roots: Vec<Word> = usage
        .operands
        .iter()
        .map(|operand| operand.word)
        .filter(|word| !is_expression(word))
        .cloned()
        .collect();
    if roots.is_empty() {
        roots.push(Word::new("."));
    }
    if roots.len() > MOST_PLACES {
        return vec![Word::unknown()];
    }
    if usage.has("-L") || usage.has("-follow") {
        return roots.iter().map(anywhere).collect();
    }
    let only_files = usage.value("-type").and_then(Word::literal) == Some("f");
    let is_below = only_files || BELOW.iter().any(|option| usage.has(option));
    let patterns = match search::picked(outer.argv, usage) {
        Picked::Named(patterns) => patterns,
        Picked::All if !is_below => return roots,
        Picked::All | Picked::Some => vec!["*".to_owned()],
    };
    if roots.len() * patterns.len() > MOST_PLACES {
        return vec![Word::unknown()];
    }
    roots
        .iter()
        .flat_map(|root| patterns.iter().map(|pattern| below(root, pattern)))
        .collect()
}

fn below(root: &Word, pattern: &str) -> Word {
    match root {
        Word::Literal(root) => {
            let root = escaped(root.trim_end_matches('/'));
            Word::Glob {
                pattern: format!("{root}/**/{pattern}"),
            }
        }
        Word::Glob { pattern: root } => Word::Glob {
            pattern: format!("{root}/**/{pattern}"),
        },
        Word::OneOf(_) => Word::unknown(),
        Word::Unknown {
            prefix, quoted, name, ..
        } => Word::Unknown {
            prefix: prefix.clone(),
            suffix: String::new(),
            quoted: *quoted,
            name: name.clone(),
        },
    }
}

/// What a search that follows links finds: it starts from a folder, and may be anywhere.
fn anywhere(root: &Word) -> Word {
    match root {
        Word::Literal(root) => Word::Unknown {
            prefix: format!("{}/", root.trim_end_matches('/')),
            suffix: String::new(),
            quoted: true,
            name: None,
        },
        Word::Glob { .. } | Word::OneOf(_) | Word::Unknown { .. } => below(root, "*"),
    }
}

fn escaped(text: &str) -> String {
    let mut done = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '[' | '\\') {
            done.push('\\');
        }
        done.push(letter);
    }
    done
}

pub(in crate::unwrap) fn fd(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let usage = &outer.usage;
    let mut roots: Vec<Word> = usage
        .operands
        .iter()
        .skip(1)
        .map(|operand| operand.word.clone())
        .collect();
    roots.extend(outer.values("--search-path").cloned());
    roots.extend(outer.values("--base-directory").cloned());
    if roots.is_empty() {
        roots.push(Word::new("."));
    }
    roots.truncate(MOST_PLACES);
    let inputs: Vec<Word> = roots.iter().map(|root| below(root, "*")).collect();
    let actions = usage
        .options
        .iter()
        .filter(|given| given.is("--exec") || given.is("--exec-batch"));
    let mut found = Vec::new();
    for given in actions {
        let written = outer
            .argv
            .get(given.index + 1..given.words.end)
            .unwrap_or_default();
        let is_end = |word: &Word| word.literal() == Some(";");
        let mut words: Vec<Word> = written.iter().take_while(|word| !is_end(word)).cloned().collect();
        let has_place = |word: &Word| word.literal().is_some_and(|text| text.contains('{'));
        if !words.iter().any(has_place) {
            words.push(Word::new("{}"));
        }
        for placeholder in ["{}", "{/}", "{//}", "{.}", "{/.}"] {
            words = replaced(&words, placeholder, &inputs);
        }
        found.extend(command(words, format!("{} {}", outer.name, given.name)));
    }
    found
}
