//! Ending Toprope's daemon.

use super::CheckContext;
use super::own_files::says_toprope;
use crate::policy::guard::match_result::Hit;
use shell::{Command, CommandHost, Intent, Stdin, Word};

/// How many commands of one pipe are looked at.
const MOST_IN_A_PIPE: usize = 16;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.command.place != CommandHost::Local {
        return None;
    }
    let found = match seen.program {
        Some("kill") => {
            let pid = look.world.facts.own.daemon_pid.map(|pid| pid.to_string());
            let names_it = seen
                .literals()
                .any(|text| Some(text.trim_start_matches('-')) == pid.as_deref() && pid.is_some());
            // `kill $(pgrep toprope)`
            let feeds = seen.command.feeds.iter().flat_map(|feed| &feed.commands);
            let finds_it = feeds
                .flat_map(|index| with_upstream(*index, seen.intent))
                .any(|command| {
                    matches!(
                        command.program(),
                        Some(
                            "pgrep"
                                | "pidof"
                                | "ps"
                                | "lsof"
                                | "cat"
                                | "grep"
                                | "awk"
                                | "sed"
                                | "head"
                                | "tail"
                                | "cut"
                                | "jq"
                        )
                    ) && command.argv.iter().any(says_toprope)
                });
            names_it || finds_it
        }
        Some("pkill" | "killall" | "skill") => seen.command.argv.iter().skip(1).any(says_toprope),
        Some("systemctl" | "launchctl") => {
            let acts = seen.command.argv.iter().filter_map(Word::literal).any(|word| {
                matches!(
                    word,
                    "stop" | "kill" | "disable" | "mask" | "restart" | "unload" | "bootout" | "remove"
                )
            });
            acts && seen.command.argv.iter().any(says_toprope)
        }
        Some(_) | None => false,
    };
    found.then(Hit::yes)
}

/// A command, and those in front of it in its pipe.
fn with_upstream(index: usize, intent: &Intent) -> Vec<&Command> {
    let mut found = Vec::new();
    let mut next = vec![index];
    while let Some(command) = next.pop().and_then(|index| intent.commands.get(index)) {
        if found.len() >= MOST_IN_A_PIPE {
            break;
        }
        if let Stdin::Pipe(from) = &command.stdin {
            next.extend(from.iter());
        }
        found.push(command);
    }
    found
}
