//! Our entries in an agent's settings file: whether they are there, and whether a change leaves them as they are.

use super::seen::Seen;
use super::unhooking::calls_us;
use crate::shell::decode;
use crate::shell::{RedirectOp, Stdin, Word};

/// Whether a settings file calls us. One that is no JSON counts by its words.
pub fn are_in(text: &str) -> bool {
    match serde_json::from_str(text) {
        Ok(settings) => calls_us(&settings),
        Err(_) => text.contains("toprope"),
    }
}

/// Whether our entries stand there after a change as they did before, and nothing switches hooks off.
pub fn are_kept(before: &str, after: &str) -> bool {
    let ours = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.contains("toprope"))
            .map(|line| line.trim().trim_end_matches(',').to_owned())
            .collect()
    };
    let switches_off = |text: &str| text.contains("disableAllHooks");
    ours(before) == ours(after) && (!switches_off(after) || switches_off(before))
}

/// What a command makes of the text of a file it writes, where that can be told.
pub fn after(seen: &Seen<'_>, before: &str) -> Option<String> {
    if seen.is(&["sed", "gsed"]) && seen.has(&["-i", "--in-place"]) {
        return substituted(seen, before);
    }
    let input = match &seen.command.stdin {
        Stdin::Heredoc { text } => text.as_deref(),
        Stdin::HereString(word) => word.literal(),
        Stdin::Nothing | Stdin::Pipe(_) | Stdin::File(_) | Stdin::Substitution(_) => None,
    };
    if seen.is(&["tee"]) {
        return (!seen.has(&["-a", "--append"]))
            .then(|| input.map(str::to_owned))
            .flatten();
    }
    let mut writing = seen.command.redirects.iter().filter(|redirect| redirect.writes());
    let only = writing.next().filter(|_| writing.next().is_none())?;
    let printed = decode::output(&seen.command.argv, input.map(str::as_bytes))?;
    let printed = String::from_utf8(printed).ok()?;
    match only.op {
        RedirectOp::Append | RedirectOp::AppendAll => Some(format!("{before}{printed}")),
        _ => Some(printed),
    }
}

/// `sed -i 's/old/new/'` with nothing in it that a pattern would read otherwise.
fn substituted(seen: &Seen<'_>, before: &str) -> Option<String> {
    let script = seen
        .value(&["-e", "--expression"])
        .or_else(|| seen.operands().first().map(|operand| operand.word))
        .and_then(Word::literal)?;
    let mut letters = script.strip_prefix('s')?.chars();
    let mark = letters.next()?;
    let mut parts = letters.as_str().split(mark);
    let (old, new, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let is_plain = |text: &str| !text.contains(['\\', '.', '*', '[', ']', '^', '$', '+', '?', '(', '{', '|']);
    let is_simple = is_plain(old) && !new.contains(['\\', '&']) && !old.is_empty() && parts.next().is_none();
    let times = match flags {
        "" => 1,
        "g" => usize::MAX,
        _ => return None,
    };
    let line = |line: &str| line.replacen(old, new, times);
    is_simple.then(|| before.split_inclusive('\n').map(line).collect())
}
