//! Options whose value is shell text: `script -c`, `git rebase --exec`, `tar --to-command`.

use super::outer::{WrapperCommand, placed};
use crate::inner::Inner;
use crate::place::CommandHost;
use crate::word::Word;

/// Program, subcommand path, option.
const TABLE: &[(&str, &[&str], &str)] = &[
    ("cargo", &["watch"], "--shell"),
    ("doppler", &["run"], "--command"),
    ("git", &["clone"], "--upload-pack"),
    ("git", &["difftool"], "--extcmd"),
    ("git", &["fetch"], "--upload-pack"),
    ("git", &["filter-branch"], "--commit-filter"),
    ("git", &["filter-branch"], "--env-filter"),
    ("git", &["filter-branch"], "--index-filter"),
    ("git", &["filter-branch"], "--msg-filter"),
    ("git", &["filter-branch"], "--parent-filter"),
    ("git", &["filter-branch"], "--setup"),
    ("git", &["filter-branch"], "--tag-name-filter"),
    ("git", &["filter-branch"], "--tree-filter"),
    ("git", &["ls-remote"], "--upload-pack"),
    ("git", &["pull"], "--upload-pack"),
    ("git", &["push"], "--receive-pack"),
    ("git", &["rebase"], "--exec"),
    ("hyperfine", &[], "--cleanup"),
    ("hyperfine", &[], "--conclude"),
    ("hyperfine", &[], "--prepare"),
    ("hyperfine", &[], "--setup"),
    ("mise", &["exec"], "--command"),
    ("nix-shell", &[], "--command"),
    ("nix-shell", &[], "--run"),
    ("nodemon", &[], "--exec"),
    ("npm", &["exec"], "--call"),
    ("npx", &[], "--call"),
    ("rsync", &[], "--rsh"),
    ("runuser", &[], "--command"),
    ("script", &[], "--command"),
    ("flock", &[], "--command"),
    ("split", &[], "--filter"),
    ("tar", &[], "--to-command"),
    ("tar", &[], "--use-compress-program"),
    ("gtar", &[], "--to-command"),
    ("zip", &[], "--unzip-command"),
];

/// Options whose value is shell text for another machine.
const REMOTE: &[(&str, &[&str], &str)] = &[
    ("ansible", &[], "--args"),
    ("gcloud", &["compute", "ssh"], "--command"),
    ("vagrant", &["ssh"], "-c"),
];

/// Programs each of whose operands is shell text.
const OPERANDS: &[&str] = &["concurrently", "hyperfine"];

pub(super) fn options(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let mut found = values(outer, TABLE);
    let remote = CommandHost::Remote { host: String::new() };
    found.extend(placed(values(outer, REMOTE), &remote));
    if OPERANDS.contains(&outer.name) {
        found.extend(
            outer
                .usage
                .operands
                .iter()
                .map(|operand| outer.text(operand.word.clone())),
        );
    }
    found.extend(checkpoints(outer));
    found.extend(editor(outer));
    found.extend(stream_editor(outer));
    found
}

/// `sed '1e command'`
fn stream_editor(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if !matches!(outer.name, "sed" | "gsed") {
        return Vec::new();
    }
    let first = outer.usage.operands.first().map(|operand| operand.word);
    let scripts = outer
        .values("--expression")
        .chain(first)
        .filter_map(Word::literal);
    let commands = scripts.flat_map(str::lines).filter_map(|line| {
        let is_address =
            |letter: char| letter.is_ascii_digit() || matches!(letter, '$' | ',' | '~' | ' ' | '!');
        line.trim_start_matches(is_address).strip_prefix("e ")
    });
    commands.map(|command| outer.text(Word::new(command))).collect()
}

fn values(outer: &WrapperCommand<'_>, table: &[(&str, &[&str], &str)]) -> Vec<Inner> {
    let rows = table
        .iter()
        .filter(|(name, sub, _)| *name == outer.name && outer.is_sub(sub));
    rows.flat_map(|(_, _, option)| outer.values(option))
        .map(|value| outer.text(value.clone()))
        .collect()
}

/// `tar --checkpoint-action=exec=…`
fn checkpoints(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let actions = outer
        .values("--checkpoint-action")
        .filter(|_| outer.name.ends_with("tar"));
    let commands = actions.filter_map(|action| action.literal()?.strip_prefix("exec="));
    commands.map(|command| outer.text(Word::new(command))).collect()
}

/// `vim -c ':!…'`
fn editor(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if !matches!(outer.name, "vim" | "vi" | "nvim" | "ex" | "view") {
        return Vec::new();
    }
    let commands = outer
        .values("-c")
        .chain(outer.values("--cmd"))
        .filter_map(Word::literal);
    let escapes = commands.filter_map(|command| command.trim_start_matches([':', ' ']).strip_prefix('!'));
    escapes.map(|command| outer.text(Word::new(command))).collect()
}
