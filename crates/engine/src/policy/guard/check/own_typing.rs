//! Typing into a terminal, where a person would: the way around every rule about who acts.

use super::CheckContext;
use super::own_files::says_toprope;
use crate::policy::guard::match_result::Hit;
use shell::Word;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let argv = &seen.command.argv;
    let has = |text: &str| argv.iter().any(|word| word.literal() == Some(text));
    let types = match seen.program {
        Some("tmux") => has("send-keys") || has("send") || has("paste-buffer") || has("pipe-pane"),
        Some("screen") => has("stuff"),
        Some("xdotool" | "ydotool" | "wtype" | "dotool") => {
            has("type") || has("key") || seen.program == Some("wtype")
        }
        Some("expect" | "unbuffer") => argv.iter().any(says_toprope),
        Some(_) | None => false,
    };
    let writes_to_terminal = seen
        .command
        .redirects
        .iter()
        .any(|redirect| redirect.writes() && is_terminal(&redirect.target));
    if seen.is(&["tee"]) && seen.operands().iter().any(|operand| is_terminal(operand.word)) {
        let commands = &seen.intent.commands;
        let mut before = seen
            .upstream()
            .into_iter()
            .filter_map(|index| commands.get(index));
        return before
            .any(|command| command.argv.iter().any(says_toprope))
            .then(Hit::yes);
    }
    if !types && !writes_to_terminal {
        return None;
    }
    let says = argv.iter().skip(1).any(says_toprope);
    let hides = argv.iter().skip(1).any(Word::is_unknown) && types;
    (says || hides).then(Hit::yes)
}

/// Another terminal than the one the command has.
fn is_terminal(word: &Word) -> bool {
    let target = word.prefix();
    target.starts_with("/dev/pts/") || (target.starts_with("/dev/tty") && target != "/dev/tty")
}
