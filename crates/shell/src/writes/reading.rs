//! Commands that change nothing.

use super::{is_sink, writes};
use crate::grammar;
use crate::intent::Command;
use crate::word::Word;

/// Programs that only read, however they are called, redirections aside.
const READERS: &[&str] = &[
    "[",
    ":",
    "basename",
    "bat",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expr",
    "false",
    "fgrep",
    "file",
    "fold",
    "free",
    "getconf",
    "grep",
    "groups",
    "head",
    "hexdump",
    "hostname",
    "id",
    "jq",
    "less",
    "ls",
    "lsof",
    "md5sum",
    "more",
    "nl",
    "nproc",
    "od",
    "paste",
    "pgrep",
    "popd",
    "printenv",
    "printf",
    "ps",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "seq",
    "sha1sum",
    "sha256sum",
    "shasum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "true",
    "tty",
    "type",
    "uname",
    "uniq",
    "uptime",
    "wait",
    "wc",
    "which",
    "whoami",
    "xxd",
    "yes",
    "zcat",
];

/// Words that set something in this shell only.
const SHELL_ONLY: &[&str] = &[
    "alias", "break", "command", "continue", "declare", "exit", "export", "local", "readonly", "return",
    "set", "shift", "shopt", "typeset", "unalias", "unset",
];

/// Commands of git that only read, whatever their options.
const GIT_READERS: &[&str] = &[
    "blame",
    "cat-file",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "var",
    "verify-commit",
    "version",
    "whatchanged",
];

/// Whether a command changes nothing. A wrapper does what it wraps.
pub fn only_reads(command: &Command) -> bool {
    if command
        .redirects
        .iter()
        .any(|redirect| redirect.writes() && !is_sink(&redirect.target))
    {
        return false;
    }
    only_reads_itself(command)
}

/// The same, wherever its output goes.
pub(super) fn only_reads_itself(command: &Command) -> bool {
    if command.wraps {
        return true;
    }
    if command.argv.is_empty() {
        return true;
    }
    let Some(program) = command.program() else {
        return false;
    };
    if READERS.contains(&program) || SHELL_ONLY.contains(&program) {
        return true;
    }
    match program {
        "git" => git_reads(command),
        "find" | "fd" | "fdfind" => !has_any(
            command,
            &[
                "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fls", "-x", "-X", "--exec",
            ],
        ),
        "sed" | "gsed" => writes(command).is_empty() && !has_in_place(command),
        "sort" => !has_any(command, &["-o"]) && !begins_any(command, "--output"),
        "awk" | "gawk" => command.argv.iter().skip(1).all(|word| {
            word.literal().is_some_and(|text| {
                !text.contains(['>', '|']) && !text.contains("system") && text != "inplace"
            })
        }),
        _ => false,
    }
}

fn git_reads(command: &Command) -> bool {
    let usage = grammar::usage(grammar::program("git"), &command.argv);
    let Some(sub) = usage.sub.first() else {
        return false;
    };
    let second = usage.sub.get(1).copied();
    let has = |name: &str| usage.has(name);
    match *sub {
        name if GIT_READERS.contains(&name) => !begins_any(command, "--output") && !has("--output"),
        "branch" => usage.operands.is_empty() && !has("-d") && !has("-D") && !has("-m") && !has("-u"),
        "tag" => usage.operands.is_empty() || has("-l") || has("--list"),
        "remote" => usage.operands.is_empty() && second.is_none_or(|name| matches!(name, "show" | "get-url")),
        "stash" => matches!(second, Some("list" | "show")),
        "worktree" => second == Some("list"),
        "reflog" => second.is_none_or(|name| name == "show"),
        "config" => has("--get") || has("--list") || has("-l") || has("--get-all"),
        _ => false,
    }
}

fn has_any(command: &Command, words: &[&str]) -> bool {
    command.argv.iter().any(|word| match word {
        Word::Literal(text) => words.contains(&text.as_str()),
        Word::OneOf(texts) => texts.iter().any(|text| words.contains(&text.as_str())),
        Word::Glob { .. } => false,
        Word::Unknown { quoted, .. } => !quoted,
    })
}

fn begins_any(command: &Command, prefix: &str) -> bool {
    command.argv.iter().any(|word| word.prefix().starts_with(prefix))
}

fn has_in_place(command: &Command) -> bool {
    let options = command.argv.iter().skip(1).filter_map(Word::literal);
    let mut clusters = options.filter(|word| word.starts_with('-'));
    clusters.any(|word| word.starts_with("--in-place") || (!word.starts_with("--") && word.contains('i')))
}
