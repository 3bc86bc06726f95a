//! Printing every variable of the environment, secrets among them.

use super::CheckContext;
use super::secret_file::is_consumed;
use crate::policy::guard::command_view::CommandView;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::secret::is_telling_name;
use shell::{Stdin, Word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    (dumps(seen) && !is_consumed(seen, look.world) && !is_searched(look)).then(Hit::yes)
}

/// Whether the command prints the environment.
pub(super) fn dumps(seen: &CommandView<'_>) -> bool {
    let words = seen.command.argv.len();
    match seen.program {
        Some("env") => {
            !seen.command.wraps
                && seen.command.argv.iter().skip(1).all(|word| {
                    word.literal()
                        .is_some_and(|text| text.contains('=') || matches!(text, "-0" | "--null"))
                })
                && seen
                    .command
                    .argv
                    .iter()
                    .skip(1)
                    .filter_map(Word::literal)
                    .all(|text| text != "-i")
        }
        Some("printenv") => seen.operands().is_empty(),
        Some("set") => words == 1,
        Some("export" | "declare" | "typeset") => {
            seen.operands().is_empty()
                && (seen.has(&["-p", "-x"])
                    || seen
                        .command
                        .argv
                        .iter()
                        .skip(1)
                        .any(|word| matches!(word.literal(), Some("-p" | "-x" | "-xp" | "-px")))
                    || (words == 1 && seen.program == Some("export")))
        }
        Some("cat" | "strings" | "xargs" | "tr" | "head" | "less" | "more") => {
            let is_environ = |word: &Word| {
                let text = word.prefix();
                text.starts_with("/proc/")
                    && (text.ends_with("/environ")
                        || matches!(word, Word::Glob { pattern } if pattern.ends_with("/environ"))
                        || matches!(word, Word::Unknown { suffix, .. } if suffix.ends_with("/environ")))
            };
            seen.command.argv.iter().skip(1).any(is_environ)
                || matches!(&seen.command.stdin, Stdin::File(word) if is_environ(word))
        }
        Some(_) | None => false,
    }
}

/// `env | grep PATH` shows what it names.
fn is_searched(look: &CheckContext<'_>) -> bool {
    let seen = look.seen;
    look.world.spend(1 + seen.intent.commands.len() / 16);
    seen.intent.commands.iter().any(|command| {
        let reads = matches!(&command.stdin, Stdin::Pipe(from) if from.contains(&seen.index));
        let searches = matches!(command.program(), Some("grep" | "egrep" | "rg" | "ag"));
        let telling = command.argv.iter().skip(1).any(|word| match word {
            Word::Literal(text) => is_telling_name(text),
            Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. } => true,
        });
        reads && searches && !telling
    })
}
