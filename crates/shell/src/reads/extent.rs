//! How much of a file the programs that show files print, by their options.

use crate::extent::ReadExtent;
use crate::intent::Command;
use crate::word::Word;

/// What `head` and `tail` print unless told otherwise.
const USUAL_LINES: u64 = 10;

/// How much of each file it is given a command prints; of what it is handed, where it is given none.
pub(super) fn of(command: &Command) -> ReadExtent {
    // A word nobody knows may be an option.
    let is_known = |word: &Word| matches!(word, Word::Literal(_) | Word::Glob { .. });
    if !command.argv.iter().all(is_known) {
        return ReadExtent::Part;
    }
    let words: Vec<&str> = command.argv.iter().skip(1).filter_map(Word::literal).collect();
    match command.program() {
        Some("cat" | "gcat" | "nl" | "tac" | "less" | "more") => ReadExtent::Whole,
        Some("bat" | "batcat") if !words.iter().any(|word| chooses_lines(word)) => ReadExtent::Whole,
        Some("head" | "ghead") => of_head(&words),
        Some("tail" | "gtail") => of_tail(&words),
        Some("sed" | "gsed") => of_sed(&words),
        _ => ReadExtent::Part,
    }
}

/// `-r 1:5`, `--line-range=1:5`, `--diff`.
fn chooses_lines(word: &str) -> bool {
    word.starts_with("-r") || word.starts_with("--line-range") || word == "-d" || word == "--diff"
}

fn of_head(words: &[&str]) -> ReadExtent {
    match count(words) {
        LineCountOption::Unsaid => ReadExtent::Lines {
            first: 1,
            last: USUAL_LINES,
        },
        LineCountOption::Said(text) => text
            .parse()
            .map_or(ReadExtent::Part, |last| ReadExtent::Lines { first: 1, last }),
        LineCountOption::Other => ReadExtent::Part,
    }
}

fn of_tail(words: &[&str]) -> ReadExtent {
    let text = match count(words) {
        LineCountOption::Unsaid => return ReadExtent::LastLines(USUAL_LINES),
        LineCountOption::Said(text) => text,
        LineCountOption::Other => return ReadExtent::Part,
    };
    match text.strip_prefix('+') {
        Some(first) => first.parse().map_or(ReadExtent::Part, |first| ReadExtent::Lines {
            first,
            last: u64::MAX,
        }),
        None => text
            .trim_start_matches('-')
            .parse()
            .map_or(ReadExtent::Part, ReadExtent::LastLines),
    }
}

/// What the options of `head` and `tail` say of lines.
enum LineCountOption<'a> {
    Unsaid,
    Said(&'a str),
    /// Bytes, or an option that is not known here.
    Other,
}

fn count<'a>(words: &[&'a str]) -> LineCountOption<'a> {
    let mut said = LineCountOption::Unsaid;
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        let text = match word {
            "-n" | "--lines" => rest.next().unwrap_or_default(),
            "-q" | "-v" | "--quiet" | "--silent" | "--verbose" => continue,
            _ if let Some(text) = word.strip_prefix("--lines=") => text,
            _ if let Some(text) = word.strip_prefix("-n") => text,
            _ if let Some(digits) = word.strip_prefix('-') => {
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return LineCountOption::Other;
                }
                digits
            }
            _ => continue,
        };
        said = LineCountOption::Said(text);
    }
    said
}

/// `sed -n 5,20p`: anything else may leave lines out.
fn of_sed(words: &[&str]) -> ReadExtent {
    let mut is_quiet = false;
    let mut scripts = Vec::new();
    let mut first_operand = None;
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            "-n" | "--quiet" | "--silent" => is_quiet = true,
            "-e" => scripts.extend(rest.next()),
            "-E" | "-r" | "-u" | "-s" => {}
            _ if word.starts_with('-') => return ReadExtent::Part,
            _ => first_operand = first_operand.or(Some(word)),
        }
    }
    let script = match scripts.as_slice() {
        [] => first_operand,
        [script] => Some(*script),
        _ => None,
    };
    script.filter(|_| is_quiet).map_or(ReadExtent::Part, printed)
}

/// The lines that a script of `sed` prints, where all it does is print.
fn printed(script: &str) -> ReadExtent {
    let Some(lines) = script.trim().strip_suffix('p') else {
        return ReadExtent::Part;
    };
    if lines.is_empty() {
        return ReadExtent::Whole;
    }
    let (first, last) = lines.split_once(',').unwrap_or((lines, lines));
    let last = if last == "$" { Ok(u64::MAX) } else { last.parse() };
    match (first.parse(), last) {
        (Ok(first), Ok(last)) => ReadExtent::Lines { first, last },
        _ => ReadExtent::Part,
    }
}
