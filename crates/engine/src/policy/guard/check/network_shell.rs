//! A shell given to somebody on the network.

use super::CheckContext;
use crate::policy::guard::exec::{inline_code, is_interpreter, is_shell};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::path::name;
use shell::runner::SHELLS;
use shell::{Command, RedirectOp, Word};

/// How many commands in front are looked at.
const MOST_BEFORE: usize = 64;
/// What opens a connection in code.
const CONNECTING: [&str; 12] = [
    "socket.socket",
    "create_connection",
    "socket(",
    "IO::Socket",
    "TCPSocket",
    "fsockopen",
    "stream_socket_client",
    "net.connect",
    "net.Socket",
    "net.createConnection",
    "net\").connect",
    "net').connect",
];
/// How a shell is named in code that starts one.
const SHELL_NAMES: [&str; 8] = [
    "/bin/sh",
    "/bin/bash",
    "pty.spawn",
    "sh -i",
    "'sh'",
    "\"sh\"",
    "'bash'",
    "\"bash\"",
];

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let found = match seen.program {
        Some("nc" | "ncat" | "netcat") => seen.has(&["-e", "-c", "--exec", "--sh-exec"]) || feeds_shell(look),
        Some("socat") => seen.literals().any(|text| {
            let lower = text.to_lowercase();
            lower.starts_with("exec:") || lower.starts_with("system:") || lower.starts_with("shell:")
        }),
        // `exec bash -i >& /dev/tcp/…`: the redirection stands at the one that runs it.
        Some(_) if seen.command.wraps && talks(look) => {
            let words = seen.command.argv.iter().filter_map(Word::literal);
            words.map(name).any(|word| SHELLS.contains(&word))
        }
        Some(_) if is_interpreter(seen) => inline_code(seen).any(hands_out_shell),
        // `exec 5<>/dev/tcp/…; while read l; do $l >&5; done`: what comes in is run, what it says goes out.
        None if seen.command.argv.first().is_some_and(Word::is_unknown) => {
            uses_descriptor(seen.command) && opened_before(look)
        }
        Some(_) | None => is_shell(seen) && !seen.has(&["-c"]) && (talks(look) || reads_connection(look)),
    };
    found.then(Hit::yes)
}

fn talks(look: &CheckContext<'_>) -> bool {
    is_connection(look.seen.command)
}

fn is_connection(command: &Command) -> bool {
    command.redirects.iter().any(|redirect| {
        redirect.target.prefix().starts_with("/dev/tcp/") || redirect.target.prefix().starts_with("/dev/udp/")
    })
}

/// `exec 5<>/dev/tcp/host/port; sh <&5`: a descriptor opened before is where the shell's commands come from.
fn reads_connection(look: &CheckContext<'_>) -> bool {
    let seen = look.seen;
    let commands = &seen.intent.commands;
    let reads_descriptor = |command: &Command| {
        command.redirects.iter().any(|redirect| {
            redirect.op == RedirectOp::Duplicate
                && redirect.fd.is_none_or(|fd| fd == 0)
                && redirect
                    .target
                    .literal()
                    .is_some_and(|fd| !matches!(fd, "0" | "1" | "2" | "-"))
        })
    };
    let from_descriptor = reads_descriptor(seen.command)
        || seen
            .upstream()
            .iter()
            .any(|index| commands.get(*index).is_some_and(reads_descriptor));
    from_descriptor && opened_before(look)
}

/// Whether a connection was opened earlier in the text.
fn opened_before(look: &CheckContext<'_>) -> bool {
    let before = look.seen.before().iter();
    before.rev().take(MOST_BEFORE).any(is_connection)
}

/// Whether it reads or writes through a descriptor that somebody opened.
fn uses_descriptor(command: &Command) -> bool {
    command.redirects.iter().any(|redirect| {
        redirect.op == RedirectOp::Duplicate
            && redirect
                .target
                .literal()
                .is_some_and(|fd| !matches!(fd, "0" | "1" | "2" | "-"))
    })
}

/// Code that opens a connection and starts a shell.
fn hands_out_shell(code: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    has(&CONNECTING) && has(&SHELL_NAMES)
}

/// `sh | nc host port`: what the shell says goes out.
fn feeds_shell(look: &CheckContext<'_>) -> bool {
    let listens = look.seen.has(&["-l", "--listen"]);
    let talks = !look.seen.operands().is_empty() || listens;
    talks
        && look.seen.upstream().iter().any(|index| {
            look.seen.intent.commands.get(*index).is_some_and(|command| {
                command.program().is_some_and(|name| SHELLS.contains(&name)) && is_interactive(&command.argv)
            })
        })
}

fn is_interactive(argv: &[Word]) -> bool {
    argv.len() == 1 || argv.iter().skip(1).any(|word| word.literal() == Some("-i"))
}
