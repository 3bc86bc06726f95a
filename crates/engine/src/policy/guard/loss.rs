//! What a command takes away: which of its words are removed, emptied, overwritten, moved or changed.

use super::command_view::CommandView;
use super::glob::is_pattern;
use shell::search::{self, Picked};
use shell::{CodeEffect, RedirectOp, Stdin, Word};
use std::borrow::Cow;

/// One thing that would be lost or changed.
#[expect(clippy::struct_excessive_bools, reason = "independent properties of one loss")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harm<'a> {
    /// What happens to it.
    pub how: HarmKind,
    /// To what.
    pub target: Cow<'a, Word>,
    /// With everything below it.
    pub deep: bool,
    /// Only what fits a name or an age; the folder itself stays.
    pub narrowed: bool,
    /// Without a further question, or by a program that never asks.
    pub forced: bool,
    /// It is on another machine.
    pub remote: bool,
}

/// What happens to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarmKind {
    /// It is gone.
    Remove,
    /// Its content is gone.
    Empty,
    /// Its content is replaced.
    Overwrite,
    /// Something is added to it.
    Append,
    /// It goes elsewhere.
    Move,
    /// Its mode or owner changes.
    Mode,
}

impl<'a> Harm<'a> {
    fn new(how: HarmKind, target: &'a Word) -> Self {
        Self {
            how,
            target: Cow::Borrowed(target),
            deep: false,
            narrowed: false,
            forced: false,
            remote: false,
        }
    }
}

/// Options of find that leave some files alone.
const NARROWING: [&str; 20] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-size",
    "-empty",
    "-user",
    "-xtype",
    "-links",
    "-lname",
];

/// More names than this are one search in the folder.
const MOST_NAMES: usize = 16;

/// Everything the command would take away.
pub fn harms<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    let mut found = by_program(seen);
    for redirect in &seen.command.redirects {
        let how = match redirect.op {
            RedirectOp::Write | RedirectOp::Clobber | RedirectOp::WriteAll => {
                if prints_nothing(seen) {
                    HarmKind::Empty
                } else {
                    HarmKind::Overwrite
                }
            }
            RedirectOp::Append | RedirectOp::AppendAll | RedirectOp::ReadWrite => HarmKind::Append,
            RedirectOp::Read | RedirectOp::Duplicate | RedirectOp::HereDoc | RedirectOp::HereString => {
                continue;
            }
        };
        found.push(Harm::new(how, &redirect.target));
    }
    found
}

/// A redirection of nothing empties its file.
fn prints_nothing(seen: &CommandView<'_>) -> bool {
    match seen.program {
        None => seen.command.argv.is_empty(),
        Some(":" | "true" | "false" | "exec") => true,
        Some("cat") => seen.literals().any(|text| text == "/dev/null"),
        Some("echo") => {
            let mut words = seen.command.argv.iter().skip(1).map(Word::literal);
            words.next() == Some(Some("-n")) && words.all(|word| word == Some(""))
        }
        Some("printf") => seen.literals().next() == Some("") && seen.operands().len() == 1,
        Some(_) => false,
    }
}

fn by_program<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    match seen.program {
        Some("rm") => removed(
            seen,
            seen.has(&["-r", "-R", "--recursive"]),
            seen.has(&["-f", "--force"]),
        ),
        Some("unlink") => removed(seen, false, true),
        Some("srm" | "rimraf" | "del-cli") => removed(seen, true, true),
        Some("rmdir") => removed(
            seen,
            seen.has(&["-p", "--parents"]),
            seen.has(&["-p", "--parents"]),
        ),
        // Code opens a file for writing to write it, as `>` does.
        Some("truncate") if seen.command.effect == Some(CodeEffect::Truncate) => {
            all(seen, HarmKind::Overwrite)
        }
        Some("shred" | "truncate") => all(seen, HarmKind::Empty),
        Some("dd") => output(seen),
        Some("find" | "gfind" | "bfs") => found(seen),
        Some("mv" | "gmv") => moved(seen),
        Some("cp" | "gcp" | "install" | "ln") => copied(seen),
        Some("rsync") => synced(seen),
        Some("tee" | "sponge") => copies_of_input(seen),
        Some("chmod" | "chown" | "chgrp" | "chattr" | "setfacl") => modes(seen),
        Some("sed" | "gsed" | "perl") if seen.has(&["-i", "--in-place"]) => edited(seen),
        Some("curl") => value(seen, &["-o", "--output"]),
        Some("wget") => value(seen, &["-O", "--output-document"]),
        Some(_) => Vec::new(),
        None => unnamed(seen),
    }
}

/// `tee`: its files get what it reads, and nothing if that is nothing.
fn copies_of_input<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    if seen.has(&["-a", "--append"]) {
        return all(seen, HarmKind::Append);
    }
    if reads_nothing(seen) {
        return operands(seen)
            .map(|word| Harm::new(HarmKind::Empty, word))
            .collect();
    }
    all(seen, HarmKind::Overwrite)
}

fn reads_nothing(seen: &CommandView<'_>) -> bool {
    match &seen.command.stdin {
        Stdin::File(word) => word.literal() == Some("/dev/null"),
        Stdin::Pipe(from) if from.len() == 1 => from.iter().all(|index| {
            seen.intent.commands.get(*index).is_some_and(|command| {
                prints_nothing(&CommandView::new(seen.text, seen.intent, *index, command))
            })
        }),
        Stdin::Pipe(_)
        | Stdin::Nothing
        | Stdin::Heredoc { .. }
        | Stdin::HereString(_)
        | Stdin::Substitution(_) => false,
    }
}

fn operands<'a>(seen: &'a CommandView<'a>) -> impl Iterator<Item = &'a Word> {
    seen.usage.operands.iter().map(|operand| operand.word)
}

fn removed<'a>(seen: &'a CommandView<'a>, deep: bool, forced: bool) -> Vec<Harm<'a>> {
    operands(seen)
        .map(|word| Harm {
            deep,
            forced,
            ..Harm::new(HarmKind::Remove, word)
        })
        .collect()
}

fn all<'a>(seen: &'a CommandView<'a>, how: HarmKind) -> Vec<Harm<'a>> {
    operands(seen)
        .map(|word| Harm {
            forced: true,
            ..Harm::new(how, word)
        })
        .collect()
}

/// `$X -rf /`: whatever runs, nothing but a removal is called like that.
fn unnamed<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    let is_removal = seen.usage.options.iter().any(|given| {
        let letters = given.written.trim_start_matches('-');
        given.written.starts_with('-')
            && letters.len() <= 4
            && letters.contains('f')
            && letters.contains(['r', 'R'])
            && letters
                .chars()
                .all(|letter| matches!(letter, 'r' | 'R' | 'f' | 'v' | 'i'))
    });
    if is_removal {
        removed(seen, true, true)
    } else {
        Vec::new()
    }
}

fn output<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    let target = |word: &Word| match word {
        Word::Literal(text) => text.strip_prefix("of=").map(Word::new),
        Word::Unknown {
            prefix,
            suffix,
            quoted,
            name,
        } => prefix.strip_prefix("of=").map(|prefix| Word::Unknown {
            prefix: prefix.to_owned(),
            suffix: suffix.clone(),
            quoted: *quoted,
            name: name.clone(),
        }),
        Word::OneOf(texts) => {
            let targets: Vec<String> = texts
                .iter()
                .filter_map(|text| text.strip_prefix("of=").map(str::to_owned))
                .collect();
            (!targets.is_empty()).then(|| Word::one_of(targets))
        }
        Word::Glob { pattern } => pattern.strip_prefix("of=").map(|pattern| Word::Glob {
            pattern: pattern.to_owned(),
        }),
    };
    seen.command
        .argv
        .iter()
        .filter_map(target)
        .map(|word| Harm {
            how: HarmKind::Empty,
            target: Cow::Owned(word),
            deep: false,
            narrowed: false,
            forced: true,
            remote: false,
        })
        .collect()
}

/// `find … -delete`: the folders it starts from, or what fits in them.
fn found<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    if !seen.has(&["-delete"]) {
        return Vec::new();
    }
    let narrowed = seen.has(&NARROWING);
    let picked = search::picked(&seen.command.argv, &seen.usage);
    let patterns = |root: Cow<'a, Word>| -> Vec<Cow<'a, Word>> {
        match (root.literal(), &picked) {
            // A folder that is called like a pattern would be read as one.
            (Some(folder), Picked::Named(names)) if names.len() <= MOST_NAMES && !is_pattern(folder) => {
                let below = |name: &String| Word::Glob {
                    pattern: format!("{}/**/{name}", folder.trim_end_matches('/')),
                };
                names.iter().map(|name| Cow::Owned(below(name))).collect()
            }
            (Some(_) | None, _) => vec![root],
        }
    };
    find_roots(seen)
        .into_iter()
        .flat_map(patterns)
        .map(|target| Harm {
            how: HarmKind::Remove,
            target,
            deep: true,
            narrowed,
            forced: true,
            remote: false,
        })
        .collect()
}

/// The folders a `find` starts from.
pub fn find_roots<'a>(seen: &'a CommandView<'a>) -> Vec<Cow<'a, Word>> {
    let is_expression = |word: &Word| {
        word.literal()
            .is_some_and(|text| text.starts_with('-') || matches!(text, "(" | ")" | "!" | ","))
    };
    let roots: Vec<Cow<'a, Word>> = operands(seen)
        .filter(|word| !is_expression(word))
        .map(Cow::Borrowed)
        .collect();
    if roots.is_empty() {
        return vec![Cow::Owned(Word::new("."))];
    }
    roots
}

fn moved<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    let words: Vec<&Word> = operands(seen).collect();
    let target = seen.value(&["-t", "--target-directory"]);
    let (last, sources) = match (target, words.split_last()) {
        (Some(target), _) => (target, words.as_slice()),
        (None, Some((last, sources))) if !sources.is_empty() => (*last, sources),
        (None, Some(_) | None) => return Vec::new(),
    };
    // What goes there is gone.
    let is_gone = last.literal().is_some_and(super::zone::is_void);
    let mut found: Vec<Harm<'a>> = sources
        .iter()
        .map(|word| Harm {
            deep: true,
            forced: is_gone,
            ..Harm::new(if is_gone { HarmKind::Remove } else { HarmKind::Move }, word)
        })
        .collect();
    if !seen.has(&["-n", "--no-clobber", "-b", "--backup"]) {
        found.extend(landing(last, sources));
    }
    found
}

fn copied<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    if seen.has(&["-n", "--no-clobber", "-d", "--directory", "-b", "--backup"]) && !seen.is(&["cp", "gcp"]) {
        return Vec::new();
    }
    if seen.has(&["--no-clobber", "-n", "--backup", "-b"]) {
        return Vec::new();
    }
    if seen.is(&["ln"]) && !seen.has(&["-f", "--force"]) {
        return Vec::new();
    }
    let words: Vec<&Word> = operands(seen).collect();
    let from_nothing = words
        .first()
        .is_some_and(|word| word.literal() == Some("/dev/null"));
    let mut found = match (seen.value(&["-t", "--target-directory"]), words.split_last()) {
        (Some(target), _) => landing(target, &words),
        (None, Some((last, sources))) if !sources.is_empty() => landing(last, sources),
        (None, Some(_) | None) => Vec::new(),
    };
    if from_nothing {
        for harm in &mut found {
            harm.how = HarmKind::Empty;
        }
    }
    found
}

/// What a copy or a move may replace: the target itself, or files of the same name in it.
fn landing<'a>(target: &'a Word, sources: &[&'a Word]) -> Vec<Harm<'a>> {
    let mut found = vec![Harm::new(HarmKind::Overwrite, target)];
    if let Word::Literal(folder) = target {
        for source in sources.iter().take(8) {
            if let Word::Literal(source) = source {
                let name = super::path::name(source);
                if !matches!(name, "" | "." | "..") {
                    found.push(Harm {
                        target: Cow::Owned(Word::new(format!("{}/{name}", folder.trim_end_matches('/')))),
                        ..Harm::new(HarmKind::Overwrite, target)
                    });
                }
            }
        }
    }
    found
}

fn synced<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    if seen.has(&["-n", "--dry-run"]) {
        return Vec::new();
    }
    let deletes = seen
        .usage
        .options
        .iter()
        .any(|given| given.written.starts_with("--del"));
    let words: Vec<&Word> = operands(seen).collect();
    match words.last() {
        Some(target) if deletes && words.len() > 1 => vec![Harm {
            deep: true,
            forced: true,
            narrowed: true,
            remote: names_host(target),
            ..Harm::new(HarmKind::Remove, target)
        }],
        Some(_) | None => Vec::new(),
    }
}

/// `host:path`
fn names_host(word: &Word) -> bool {
    let text = word.prefix();
    text.split_once(':')
        .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

fn modes<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    let deep = seen.has(&["-R", "--recursive"]);
    // `-x` and its like look like options.
    let dashed = |given: &shell::grammar::Given<'_>| {
        given
            .written
            .strip_prefix('-')
            .is_some_and(|mode| !mode.is_empty() && mode.chars().all(|letter| "rwxXst".contains(letter)))
    };
    let is_dashed = seen.is(&["chmod"]) && seen.usage.options.iter().any(dashed);
    let has_mode = !(is_dashed || seen.has(&["--reference"]) || seen.is(&["setfacl"]));
    operands(seen)
        .skip(usize::from(has_mode))
        .map(|word| Harm {
            deep,
            ..Harm::new(HarmKind::Mode, word)
        })
        .collect()
}

/// `sed -i 's/a/b/' file`: the first operand is the program unless one is given by option.
fn edited<'a>(seen: &'a CommandView<'a>) -> Vec<Harm<'a>> {
    let has_script = seen.has(&["-e", "--expression", "-f", "--file"]);
    operands(seen)
        .skip(usize::from(!has_script))
        .map(|word| Harm::new(HarmKind::Append, word))
        .collect()
}

fn value<'a>(seen: &'a CommandView<'a>, names: &[&str]) -> Vec<Harm<'a>> {
    seen.value(names)
        .map(|word| Harm::new(HarmKind::Overwrite, word))
        .into_iter()
        .collect()
}
