//! What the text itself makes before it takes it away again: nothing that was there before can be lost with it.

use super::command_view::CommandView;
use super::path::{absolute, name};
use shell::{CommandHost, Word};

/// The absolute paths a command makes where nothing was.
pub fn paths(seen: &CommandView<'_>) -> Vec<String> {
    if seen.command.place != CommandHost::Local {
        return Vec::new();
    }
    let mut words: Vec<&Word> = seen
        .command
        .redirects
        .iter()
        .filter(|redirect| redirect.writes())
        .map(|redirect| &redirect.target)
        .collect();
    words.extend(by_program(seen));
    let mut found: Vec<String> = words
        .into_iter()
        .filter_map(Word::literal)
        .filter_map(|path| absolute(path, seen.command.cwd.as_deref()))
        .collect();
    found.extend(cloned(seen));
    found
}

fn by_program<'a>(seen: &'a CommandView<'_>) -> Vec<&'a Word> {
    let operands = || seen.operands().iter().map(|operand| operand.word);
    match seen.program {
        Some("mkdir" | "touch" | "tee" | "mkfifo" | "virtualenv") => operands().collect(),
        Some("cp" | "gcp" | "install" | "rsync") if seen.operands().len() == 2 => {
            operands().skip(1).collect()
        }
        Some("curl") => seen.value(&["-o", "--output"]).into_iter().collect(),
        Some("wget") => seen
            .value(&["-O", "--output-document"])
            .into_iter()
            .chain(seen.value(&["-P", "--directory-prefix"]))
            .collect(),
        Some("git") if seen.sub(&["init"]) => operands().collect(),
        Some("git") if seen.sub(&["clone"]) => operands().skip(1).collect(),
        Some("unzip") => seen.value(&["-d"]).into_iter().collect(),
        Some("python" | "python3") if seen.value(&["-m"]).and_then(Word::literal) == Some("venv") => {
            operands().collect()
        }
        Some(_) | None => Vec::new(),
    }
}

/// `git clone <address>` makes a folder named after the address.
fn cloned(seen: &CommandView<'_>) -> Option<String> {
    if seen.program != Some("git") || !seen.sub(&["clone"]) || seen.operands().len() != 1 {
        return None;
    }
    let address = seen.literals().next()?.trim_end_matches('/');
    let folder = name(address).rsplit(':').next()?;
    absolute(folder.trim_end_matches(".git"), seen.command.cwd.as_deref())
}

/// Whether a command may make commits or stash entries, or take names away: all of git's that are not known to do neither.
pub fn renames(seen: &CommandView<'_>) -> bool {
    const HARMLESS: [&str; 10] = [
        "status",
        "log",
        "diff",
        "show",
        "checkout",
        "switch",
        "rev-parse",
        "ls-files",
        "add",
        "grep",
    ];
    seen.program == Some("git") && !HARMLESS.iter().any(|sub| seen.sub(&[sub]))
}

/// Whether `mktemp` of this text may have made a path: the reader leaves its pattern in the name.
pub fn is_temporary(path: &str) -> bool {
    path.split('/').any(|part| part.contains("XXX"))
}
