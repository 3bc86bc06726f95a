//! Showing or copying what is in files of credentials.

use super::CheckContext;
use crate::policy::guard::command_view::CommandView;
use crate::policy::guard::exec::is_interpreter;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::secret::{SHOWING, Secret, folder_of_word, hides_values, of_word};
use crate::policy::guard::verdict::Ruling;
use crate::policy::guard::world::GuardWorld;
use crate::policy::guard::zone::Zone;
use crate::text::path_word;
use shell::{CommandHost, Stdin, Word};

/// Keys and credential stores.
pub(super) fn credentials(look: &CheckContext<'_>) -> Option<Hit> {
    let (secret, path) = shown(look.seen, look.world)
        .into_iter()
        .find(|(secret, _)| *secret != Secret::EnvFile)?;
    Some(Hit {
        zone: Some(Zone::Secret),
        verdict: (secret == Secret::Credentials).then_some(Ruling::Deny),
        ..Hit::yes().about(path)
    })
}

/// The project's own values.
pub(super) fn environment(look: &CheckContext<'_>) -> Option<Hit> {
    let (_, path) = shown(look.seen, look.world)
        .into_iter()
        .find(|(secret, _)| *secret == Secret::EnvFile)?;
    Some(Hit {
        zone: Some(Zone::Secret),
        instead: Some(format!("cut -d= -f1 {}", path_word(&path))),
        ..Hit::yes().about(path)
    })
}

/// The secrets whose content the command prints or copies.
pub(super) fn shown(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> Vec<(Secret, String)> {
    if seen.command.place != CommandHost::Local || hides_values(seen) {
        return Vec::new();
    }
    let mut found: Vec<(Secret, String)> = Vec::new();
    if seen.is(&SHOWING) {
        for word in read_words(seen) {
            found.extend(of_word(word, seen, world));
        }
        for word in named_within(seen) {
            found.extend(of_word(&word, seen, world));
        }
    }
    if takes_folders(seen) {
        let words = read_words(seen).into_iter();
        found.extend(words.filter_map(|word| folder_of_word(word, seen, world)));
    }
    if let Stdin::File(word) = &seen.command.stdin {
        let is_quiet = seen.is(&[
            "read",
            "while",
            "mapfile",
            "readarray",
            "ssh-add",
            "docker",
            "psql",
            "gpg",
        ]);
        if !is_quiet {
            found.extend(of_word(word, seen, world));
        }
    }
    if is_interpreter(seen) {
        found.extend(read_by_code(seen, world));
    }
    if !found.is_empty() && is_consumed(seen, world) {
        return Vec::new();
    }
    found
}

/// Whether it reads everything below the folders it is given.
pub(super) fn takes_folders(seen: &CommandView<'_>) -> bool {
    match seen.program {
        Some("tar" | "gtar" | "bsdtar" | "7z" | "rg" | "ag") => true,
        Some("zip" | "grep" | "egrep" | "fgrep" | "scp" | "cp" | "gcp") => {
            seen.has(&["-r", "-R", "--recursive", "-a", "--archive"])
        }
        Some("rsync") => seen.has(&["-r", "--recursive", "-a", "--archive"]),
        Some(_) | None => false,
    }
}

/// Secrets that inline code opens: a reading call, and the path as a string of its own.
fn read_by_code(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> Vec<(Secret, String)> {
    let reads = [
        "open(",
        "readFile",
        "read_text",
        "File.read",
        "file_get_contents",
        "slurp",
    ];
    let code = seen.usage.options.iter().filter_map(|given| given.literal());
    code.filter(|code| reads.iter().any(|call| code.contains(call)))
        .flat_map(|code| code.split(['\'', '"', '`']).skip(1).step_by(2).take(64))
        .filter_map(|text| of_word(&Word::new(text), seen, world))
        .collect()
}

/// The words whose content is read: not the target of a copy, not the pattern of a search.
fn read_words<'a>(seen: &'a CommandView<'_>) -> Vec<&'a Word> {
    let mut words: Vec<&Word> = seen.operands().iter().map(|operand| operand.word).collect();
    match seen.program {
        Some("cp" | "gcp" | "scp" | "rsync" | "install") if !seen.has(&["-t", "--target-directory"]) => {
            words.pop();
        }
        Some(
            "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "sed" | "gsed" | "awk" | "gawk"
            | "mawk" | "jq" | "yq",
        ) if !seen.has(&["-e", "-f", "--regexp", "--file", "--expression", "--from-file"])
            && !words.is_empty() =>
        {
            words.remove(0);
        }
        // In place: changed, not shown.
        Some("tar" | "gtar") if seen.has(&["-x", "--extract", "-t", "--list"]) => words.clear(),
        Some("openssl") => {
            words.clear();
            if !is_public(seen) {
                words.extend(seen.value(&["-in"]));
            }
        }
        Some("gpg") if !seen.has(&["-d", "--decrypt", "--export-secret-keys"]) => words.clear(),
        Some("dd" | "python" | "python3") => words.clear(),
        Some("perl" | "ruby") if !seen.has(&["-n", "-p"]) || seen.has(&["-i"]) => words.clear(),
        Some("git") if !(seen.sub(&["diff"]) && seen.has(&["--no-index"])) => words.clear(),
        Some(_) | None => {}
    }
    if seen.is(&["sed", "gsed"]) && seen.has(&["-i", "--in-place"]) {
        words.clear();
    }
    words
}

/// Files that are read though no operand names them: `dd if=…`, `git show HEAD:…`, `python3 -m json.tool …`.
fn named_within(seen: &CommandView<'_>) -> Vec<Word> {
    let after = |mark: &str, text: &str| text.split_once(mark).map(|(_, path)| Word::new(path));
    match seen.program {
        Some("dd") => {
            let words = seen.command.argv.iter().filter_map(Word::literal);
            words
                .filter_map(|text| text.strip_prefix("if=").map(Word::new))
                .collect()
        }
        Some("python" | "python3") => {
            let words = seen.command.argv.iter();
            let behind = words.skip_while(|word| word.literal() != Some("json.tool"));
            behind.skip(1).cloned().collect()
        }
        Some("git") if seen.sub(&["show"]) || seen.sub(&["cat-file"]) => {
            seen.literals().filter_map(|text| after(":", text)).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

/// `openssl x509`, `openssl rsa -pubout`: what they print is no secret.
fn is_public(seen: &CommandView<'_>) -> bool {
    let first = seen.usage.sub.first().copied().or_else(|| seen.literals().next());
    matches!(
        first,
        Some("x509" | "req" | "verify" | "crl" | "dgst" | "s_client")
    ) || seen.has(&["-pubout", "-noout", "-check"])
}

/// Whether what it prints goes into variables or is reduced to names: nobody sees a value.
pub(super) fn is_consumed(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> bool {
    reaches(seen, seen.index, 0, world)
}

fn reaches(seen: &CommandView<'_>, index: usize, depth: usize, world: &GuardWorld<'_>) -> bool {
    if depth > 8 || !world.spend(1 + seen.intent.commands.len() / 16) {
        return false;
    }
    for (at, command) in seen.intent.commands.iter().enumerate() {
        let piped =
            matches!(&command.stdin, Stdin::Pipe(from) | Stdin::Substitution(from) if from.contains(&index));
        let fed = command.feeds.iter().any(|feed| feed.commands.contains(&index));
        if !piped && !fed {
            continue;
        }
        let next = CommandView::new(seen.text, seen.intent, at, command);
        if fed
            && next.is(&[
                "export", "declare", "typeset", "readonly", "local", "env", "source", ".",
            ])
        {
            return true;
        }
        if piped && (hides_values(&next) || next.is(&["read", "ssh-add"])) {
            return true;
        }
        if piped && reaches(seen, at, depth + 1, world) {
            return true;
        }
    }
    false
}
