//! Code that comes from elsewhere: who fetches, who decodes, who runs what it reads.

use super::command_view::{CommandView, program, read_by};
use super::world::GuardWorld;
use shell::runner::{INTERPRETERS, SHELLS};
use shell::{Command, Word};
use std::collections::BTreeSet;

const FETCHERS: [&str; 18] = [
    "curl", "wget", "wget2", "http", "https", "xh", "aria2c", "fetch", "lynx", "w3m", "nc", "ncat", "netcat",
    "ftp", "axel", "curlie", "links", "ssh",
];

/// Whether the command brings something from the network.
pub fn fetches(command: &Command) -> bool {
    let from_connection = || {
        command.redirects.iter().any(|redirect| {
            let target = redirect.target.prefix();
            !redirect.writes() && (target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/"))
        })
    };
    program(command).is_some_and(|name| FETCHERS.contains(&name)) || from_connection()
}

/// Whether the command turns one text into another that no longer looks like it.
pub fn decodes(command: &Command) -> bool {
    let has = |flags: &[&str]| {
        command
            .argv
            .iter()
            .filter_map(Word::literal)
            .any(|word| flags.contains(&word))
    };
    let clustered = |letter: char| {
        command
            .argv
            .iter()
            .skip(1)
            .filter_map(Word::literal)
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    match program(command) {
        Some("base64" | "gbase64" | "base32" | "basenc") => {
            has(&["--decode", "-D", "--dec"]) || clustered('d') || clustered('D')
        }
        Some("xxd") => clustered('r'),
        Some("openssl") => has(&["-d", "-decrypt", "-D"]),
        Some(
            "gunzip" | "zcat" | "bunzip2" | "bzcat" | "unxz" | "xzcat" | "zstdcat" | "uudecode" | "rev"
            | "tr",
        ) => true,
        Some("gzip" | "bzip2" | "xz" | "zstd") => clustered('d') || has(&["--decompress", "--uncompress"]),
        Some("gpg") => has(&["-d", "--decrypt"]),
        Some(_) | None => false,
    }
}

/// Whether it is a shell.
pub fn is_shell(seen: &CommandView<'_>) -> bool {
    seen.is(SHELLS)
}

/// Whether it is an interpreter.
pub fn is_interpreter(seen: &CommandView<'_>) -> bool {
    seen.program.is_some_and(|name| {
        let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        INTERPRETERS.contains(&name) || plain.len() < name.len() && INTERPRETERS.contains(&plain)
    })
}

/// The code an interpreter is given in its own words.
pub fn inline_code<'a>(seen: &'a CommandView<'_>) -> impl Iterator<Item = &'a str> {
    let code = ["-c", "-e", "-E", "-r", "-p", "-pe", "-ne", "--eval", "--print"];
    seen.usage
        .options
        .iter()
        .filter(move |given| code.iter().any(|name| given.is(name) || given.written == *name))
        .filter_map(|given| given.literal())
}

/// Whether code fetches something and runs it as code.
pub fn runs_fetched(code: &str) -> bool {
    let fetching = [
        "urlopen",
        "urlretrieve",
        "requests.get",
        "httpx.get",
        "http.get(",
        "https.get(",
        "fetch(",
        "axios.get",
        "Net::HTTP",
        "open-uri",
        "LWP::",
        "file_get_contents('http",
        "file_get_contents(\"http",
    ];
    let running = [
        "exec",
        "eval",
        "instance_eval",
        "Function",
        "runInThisContext",
        "loadstring",
    ];
    fetching.iter().any(|call| code.contains(call)) && running.iter().any(|call| calls(code, call))
}

/// Whether a function of that name is called, or handed on to be called: not a method of something else.
fn calls(code: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$');
    code.match_indices(name).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        let after = code.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && matches!(after, Some('(' | ')' | ' '))
    })
}

/// Whether what the command reads on its standard input is what it runs.
pub fn runs_input(seen: &CommandView<'_>) -> bool {
    let first = seen.operands().first().map(|operand| operand.word);
    let from_input = match first.map(Word::literal) {
        None | Some(Some("-" | "/dev/stdin" | "/proc/self/fd/0")) => true,
        Some(_) => false,
    };
    if is_shell(seen) {
        return !seen.has(&["-c"]) && (from_input || seen.has(&["-s"]));
    }
    if is_interpreter(seen) {
        let has_code = seen.has(&["-c", "-e", "-m", "-r", "-E", "-p", "--eval", "--print", "-n"])
            || seen
                .usage
                .sub
                .first()
                .is_some_and(|sub| matches!(*sub, "eval" | "test" | "fmt"));
        return from_input && !has_code;
    }
    seen.is(&["source", "."]) && from_input && first.is_some()
}

/// The words of a command that are run as code: a shell's text, a script, an interpreter's program.
pub fn code_words(seen: &CommandView<'_>) -> Vec<usize> {
    let mut found = vec![0];
    if seen.is(&["eval"]) {
        found.extend(1..seen.command.argv.len());
    }
    if seen.is(&["source", "."]) {
        found.push(1);
    }
    if is_shell(seen) || is_interpreter(seen) {
        let code = seen
            .usage
            .options
            .iter()
            .filter(|given| ["-c", "-e", "-r", "--eval"].iter().any(|name| given.is(name)));
        for given in code {
            found.extend(given.words.clone());
            // A cluster such as `-lc` has its text in the next operand.
            found.extend(seen.operands().first().map(|operand| operand.index));
        }
        found.extend(seen.operands().first().map(|operand| operand.index));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The commands that make the words this command runs, with everything in front of them in pipes.
pub fn makers<'a>(seen: &CommandView<'a>, world: &GuardWorld<'_>) -> Vec<&'a Command> {
    let words = code_words(seen);
    let feeds = seen.command.feeds.iter();
    let mut next: Vec<usize> = feeds
        .filter(|feed| words.contains(&feed.word))
        .flat_map(|feed| feed.commands.iter().copied())
        .collect();
    if runs_input(seen) {
        next.extend(read_by(seen.intent, seen.index));
    }
    let behind = behind(seen, next, world);
    behind.into_iter().map(|(_, command)| command).collect()
}

/// These commands, and those that make what they read.
pub fn behind<'a>(
    seen: &CommandView<'a>,
    mut next: Vec<usize>,
    world: &GuardWorld<'_>,
) -> Vec<(usize, &'a Command)> {
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(index) = next.pop() {
        let Some(command) = seen.intent.commands.get(index).filter(|_| known.insert(index)) else {
            continue;
        };
        let before = next.len();
        next.extend(read_by(seen.intent, index));
        next.extend(command.feeds.iter().flat_map(|feed| &feed.commands));
        found.push((index, command));
        if !world.spend(1 + (next.len() - before + command.argv.len()) / 16) {
            break;
        }
    }
    found
}
