//! Commands for another machine: `ssh host words…` is shell text over there.

use super::outer::{WrapperCommand, joined, placed};
use crate::inner::Inner;
use crate::place::CommandHost;
use crate::word::Word;

pub(super) fn ssh(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let mut found = proxies(outer);
    let Some(host) = outer.usage.operands.first() else {
        return found;
    };
    let only_connects = ["-N", "-O", "-G", "-W", "-s"]
        .iter()
        .any(|option| outer.usage.has(option));
    if only_connects {
        return found;
    }
    let place = Some(CommandHost::Remote {
        host: host.word.literal().unwrap_or_default().to_owned(),
    });
    let dashes = outer.literal(1) == Some("--");
    let words = outer.operands(1 + usize::from(dashes));
    let through = outer.name.to_owned();
    found.push(if words.is_empty() {
        Inner::Stdin { place, through }
    } else {
        Inner::Text {
            text: joined(&words),
            arguments: Vec::new(),
            is_same_shell: false,
            place,
            through,
        }
    });
    found
}

/// `pdsh -w hosts words…`: the hosts are an option's.
pub(super) fn many(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let words = outer.operands(0);
    if words.is_empty() {
        return Vec::new();
    }
    placed(
        vec![outer.text(joined(&words))],
        &CommandHost::Remote { host: String::new() },
    )
}

/// `-o ProxyCommand=…` and `-o LocalCommand=…` run on this machine.
fn proxies(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let settings = outer.values("-o").filter_map(Word::literal);
    let commands = settings.filter_map(|setting| {
        let (name, value) = setting.split_once(['=', ' '])?;
        let runs = ["proxycommand", "localcommand"].contains(&name.trim().to_ascii_lowercase().as_str());
        (runs && value.trim() != "none").then(|| outer.text(Word::new(value.trim())))
    });
    commands.collect()
}
