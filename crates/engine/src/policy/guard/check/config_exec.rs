//! Settings of git that make it run something.

use super::CheckContext;
use crate::policy::guard::glob::{StarReach, fits};
use crate::policy::guard::match_result::Hit;
use shell::Word;

/// Settings that name a program.
const KEYS: [&str; 16] = [
    "core.hookspath",
    "core.sshcommand",
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "sequence.editor",
    "core.askpass",
    "credential.helper",
    "diff.external",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "url.*.insteadof",
    "url.*.pushinsteadof",
    "gpg.program",
    "include.path",
];
/// Programs everybody names there.
const USUAL: [&str; 28] = [
    "",
    "cat",
    "less",
    "more",
    "most",
    "delta",
    "bat",
    "diff-so-fancy",
    "vim",
    "vi",
    "nvim",
    "nano",
    "emacs",
    "code",
    "true",
    ":",
    "false",
    "ed",
    "subl",
    "micro",
    "hx",
    "zed",
    "cursor",
    "store",
    "cache",
    "osxkeychain",
    "manager",
    "less -R",
];

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if seen.program != Some("git") {
        return None;
    }
    for given in &seen.usage.options {
        let carries =
            given.is("-c") && given.index < first_sub(look) || given.is("--config") && seen.sub(&["clone"]);
        if let (true, Some(Word::Literal(text))) = (carries, given.value.as_deref()) {
            let (key, value) = text.split_once('=').unwrap_or((text, "true"));
            if runs(key, value) {
                return Some(Hit::yes().about(key));
            }
        }
    }
    if let Some(key) = in_environment(look) {
        return Some(Hit::yes().about(key));
    }
    if seen.sub(&["config"]) {
        let reads = seen.has(&[
            "--get",
            "--get-all",
            "--get-regexp",
            "--list",
            "-l",
            "--unset",
            "--unset-all",
            "--remove-section",
        ]);
        let words: Vec<Option<&str>> = seen
            .operands()
            .iter()
            .map(|operand| operand.word.literal())
            .collect();
        let words = match words.as_slice() {
            [Some("set" | "add"), rest @ ..] => rest,
            [
                Some("get" | "list" | "unset" | "edit" | "remove-section" | "rename-section"),
                ..,
            ] => return None,
            all => all,
        };
        if let (false, [Some(key), value, ..]) = (reads, words) {
            let value = value.unwrap_or("unknown");
            return runs(key, value).then(|| Hit::yes().about(*key));
        }
    }
    None
}

/// `GIT_CONFIG_KEY_n` and `GIT_CONFIG_VALUE_n`: settings for this call, as `-c` gives them.
fn in_environment<'a>(look: &CheckContext<'a>) -> Option<&'a str> {
    let env = &look.seen.command.env;
    env.iter().find_map(|(name, key)| {
        let number = name.strip_prefix("GIT_CONFIG_KEY_")?;
        let key = key.literal()?;
        let value = env
            .iter()
            .find(|(name, _)| name.strip_prefix("GIT_CONFIG_VALUE_") == Some(number))
            .and_then(|(_, value)| value.literal());
        runs(key, value.unwrap_or("unknown")).then_some(key)
    })
}

fn first_sub(look: &CheckContext<'_>) -> usize {
    let sub = look.seen.usage.sub.first();
    look.seen
        .command
        .argv
        .iter()
        .position(|word| word.literal().is_some_and(|text| Some(&text) == sub))
        .unwrap_or(usize::MAX)
}

/// Whether setting this makes git run something.
fn runs(key: &str, value: &str) -> bool {
    let key = key.to_lowercase();
    if key.starts_with("alias.") {
        return value.starts_with('!');
    }
    if !KEYS.iter().any(|pattern| fits(pattern, &key, StarReach::Text)) {
        return false;
    }
    let first = value.split_whitespace().next().unwrap_or_default();
    let is_usual =
        (USUAL.contains(&value) || USUAL.contains(&first)) && !value.contains(['|', ';', '&', '`', '$', '>']);
    let is_switch = key == "core.fsmonitor" && matches!(value, "true" | "false" | "1" | "0");
    let is_lfs = first.starts_with("git-lfs");
    let is_other = key == "core.hookspath"
        || key.starts_with("url.")
        || key == "include.path"
        || key == "core.sshcommand";
    !(is_switch || is_lfs || (is_usual && !is_other))
}
