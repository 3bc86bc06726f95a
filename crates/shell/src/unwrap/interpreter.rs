//! Interpreters of other languages: code in an option, in a file, on standard input.

use super::outer::WrapperCommand;
use crate::code::Language;
use crate::inner::{CodeSource, Inner};
use crate::word::Word;

/// The language a program runs, by its base name with or without a version.
pub(crate) fn language(name: &str) -> Option<Language> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match plain {
        "python" | "pypy" | "ipython" => Some(Language::Python),
        "node" | "nodejs" | "tsx" | "ts-node" => Some(Language::JavaScript),
        "perl" => Some(Language::Perl),
        "ruby" | "jruby" | "truffleruby" => Some(Language::Ruby),
        "php" => Some(Language::Php),
        "lua" | "luajit" => Some(Language::Lua),
        "osascript" => Some(Language::AppleScript),
        "awk" | "gawk" | "mawk" | "nawk" => Some(Language::Awk),
        "expect" | "tclsh" => Some(Language::Tcl),
        _ => None,
    }
}

/// Scripts that are programs of their own, whoever interprets them.
const PROGRAMS: &[&str] = &["artisan", "manage.py", "rails", "rake", "setup.py"];

pub(super) fn inner(outer: &WrapperCommand<'_>, language: Language) -> Vec<Inner> {
    let usage = &outer.usage;
    let only_tells = match language {
        Language::Lua => {
            ["--version", "--help", "-V"]
                .iter()
                .any(|option| usage.has(option))
                && usage.operands.is_empty()
        }
        _ => {
            ["--version", "--help", "-V", "-v", "--check", "--syntax-check"]
                .iter()
                .any(|option| usage.has(option))
                && usage.operands.is_empty()
        }
    };
    match language {
        Language::Python => python(outer),
        Language::Awk => awk(outer),
        _ if !options(language).iter().all(|option| !usage.has(option)) => by_option(outer, language),
        _ if only_tells => Vec::new(),
        _ => by_operand(outer, language),
    }
}

/// The options that carry code.
fn options(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python | Language::Tcl => &["-c"],
        Language::JavaScript => &["--eval", "--print", "-pe"],
        Language::Perl => &["-e", "-E"],
        Language::Php => &["--run", "--process-code", "--process-begin", "--process-end"],
        Language::Ruby | Language::Lua | Language::AppleScript => &["-e"],
        Language::Awk => &["--source"],
    }
}

/// Every piece of code given by options, as one text: they run one after the other.
fn by_option(outer: &WrapperCommand<'_>, language: Language) -> Vec<Inner> {
    let names = options(language);
    let given = outer
        .usage
        .options
        .iter()
        .filter(|given| names.iter().any(|name| given.is(name)));
    let mut label = outer.name.to_owned();
    let mut known = Vec::new();
    let mut unknown = None;
    for given in given {
        if label == outer.name {
            label = format!(
                "{} {}",
                outer.name,
                given.aliases.first().copied().unwrap_or("-e")
            );
        }
        match given.value.as_deref() {
            Some(Word::Literal(text)) => known.push(text.clone()),
            Some(other) => unknown = Some(other.clone()),
            None => {}
        }
    }
    let text = unknown.unwrap_or_else(|| Word::Literal(known.join("\n")));
    vec![Inner::Code {
        language,
        source: CodeSource::Text(text),
        through: label,
    }]
}

fn by_operand(outer: &WrapperCommand<'_>, language: Language) -> Vec<Inner> {
    let given = outer.usage.value("-f").or(outer.usage.value("--file"));
    if let Some(file) = given.filter(|_| matches!(language, Language::Php | Language::Tcl)) {
        return vec![code(outer, language, CodeSource::File(file.clone()))];
    }
    match outer.literal(0) {
        Some("-" | "/dev/stdin") => stdin(outer, language),
        None if outer.usage.operands.is_empty() => stdin(outer, language),
        Some(_) | None => file(outer, language, 0),
    }
}

fn code(outer: &WrapperCommand<'_>, language: Language, source: CodeSource) -> Inner {
    Inner::Code {
        language,
        source,
        through: outer.name.to_owned(),
    }
}

pub(super) fn stdin(outer: &WrapperCommand<'_>, language: Language) -> Vec<Inner> {
    vec![code(outer, language, CodeSource::Stdin)]
}

/// A file of code; one that is a known program by itself is that command, too.
pub(super) fn file(outer: &WrapperCommand<'_>, language: Language, operand: usize) -> Vec<Inner> {
    let Some(file) = outer.usage.operands.get(operand) else {
        return Vec::new();
    };
    let base = file.word.literal().and_then(|path| path.rsplit('/').next());
    if base.is_some_and(|base| PROGRAMS.contains(&base)) {
        return outer.command(operand);
    }
    vec![code(outer, language, CodeSource::File(file.word.clone()))]
}

fn python(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let usage = &outer.usage;
    if usage.has("-c") {
        return by_option(outer, Language::Python);
    }
    if let Some(module) = usage.options.iter().find(|given| given.is("-m")) {
        let mut words: Vec<Word> = module.value.as_deref().cloned().into_iter().collect();
        words.extend(
            outer
                .argv
                .get(module.index + 2..)
                .unwrap_or_default()
                .iter()
                .cloned(),
        );
        return outer.made(words);
    }
    if usage.has("--version") || usage.has("--help") {
        return Vec::new();
    }
    by_operand(outer, Language::Python)
}

fn awk(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let files = outer.values("--file").chain(outer.values("--exec"));
    let mut found: Vec<Inner> = files
        .map(|file| code(outer, Language::Awk, CodeSource::File(file.clone())))
        .collect();
    if outer.usage.has("--source") {
        found.extend(by_option(outer, Language::Awk));
    }
    if found.is_empty()
        && let Some(program) = outer.usage.operands.first()
    {
        found.push(code(outer, Language::Awk, CodeSource::Text(program.word.clone())));
    }
    found
}

pub(super) fn deno(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    match outer.sub() {
        ["eval"] => {
            let text = outer.usage.operands.first().map(|operand| operand.word.clone());
            let source = text.map(CodeSource::Text);
            source
                .map(|source| code(outer, Language::JavaScript, source))
                .into_iter()
                .collect()
        }
        ["run"] => by_operand(outer, Language::JavaScript),
        _ => Vec::new(),
    }
}

pub(super) fn bun(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if outer.usage.has("--eval") || outer.usage.has("--print") {
        return by_option(outer, Language::JavaScript);
    }
    let path = match outer.sub() {
        ["run"] => outer.literal(0),
        _ => outer.literal(0).filter(|_| outer.sub().is_empty()),
    };
    match path {
        Some("-") => stdin(outer, Language::JavaScript),
        Some(path) if path.contains(['.', '/']) => file(outer, Language::JavaScript, 0),
        Some(_) | None => Vec::new(),
    }
}
