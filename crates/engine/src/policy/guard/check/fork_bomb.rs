//! A function that starts itself twice, and its like in other languages.

use super::CheckContext;
use crate::policy::guard::match_result::Hit;
use shell::{UnreadCause, Word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let calls_itself = seen.intent.notes.iter().any(|note| {
        note.cause == UnreadCause::CallsItself && note.command.is_none_or(|index| index == seen.index)
    });
    if calls_itself {
        return Some(Hit::yes());
    }
    // Text given to a shell or an interpreter.
    let inner = seen.command.argv.iter().skip(1).filter_map(Word::literal);
    let runs = crate::policy::guard::exec::is_shell(seen)
        || crate::policy::guard::exec::is_interpreter(seen)
        || seen.is(&["eval"]);
    (runs && inner.into_iter().any(forks_forever)).then(Hit::yes)
}

/// `while True: os.fork()`, `fork while fork`.
fn forks_forever(code: &str) -> bool {
    let plain: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
    plain.contains("forkwhilefork")
        || plain.contains("whileTrue:os.fork()")
        || plain.contains("while1:os.fork()")
        || plain.contains("while(1){fork()")
        || plain.contains("loop{fork")
}
