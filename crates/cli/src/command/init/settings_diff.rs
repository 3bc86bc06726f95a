//! What an installation has to say about a settings file: what changed, what stands beside it, what to look after.

use super::choice::ScopeChoice;
use super::context::Site;
use super::entries::{HookEntries, Invocation};
use super::output::AlignedLines;
use crate::install::apply::{InstallNote, Installed};
use crate::install::plan::InstallPlan;
use crate::install::target::SettingsTarget;
use engine::text::one_line;
use engine::text::path_word;

/// Foreign hooks that are listed by name; of more only the number is told.
const LISTED: usize = 5;
const LONGEST_SHOWN: usize = 100;

/// Whether a change was made, or only worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// It was made.
    Done,
    /// It would be made.
    Would,
}

/// A settings file, before and after.
pub struct SettingsDiff<'a> {
    /// The file.
    pub target: &'a SettingsTarget,
    /// What it held of ours.
    pub before: &'a HookEntries,
    /// What changed.
    pub installed: &'a Installed,
    /// How the client starts us from now on.
    pub now: &'a Invocation,
    /// Whether it was done.
    pub tense: Tense,
}

/// Tells everything about the change of a settings file.
pub fn tell(site: &Site<'_>, choice: ScopeChoice, change: &SettingsDiff<'_>, block: &mut AlignedLines) {
    let plan = &change.installed.plan;
    block.say_of(
        "Claude Code",
        site.shown(&change.target.file),
        changes(plan, change.before, change.tense),
    );
    list_foreign(plan, block);
    block.say("scope", choice.account());
    if let Some(replaced) = replaced(change.before, change.now) {
        block.say("note", replaced);
    }
    list_notes(site, change.installed, block);
    list_doubled(site, change, block);
}

/// What became of the settings file, in one line.
fn changes(plan: &InstallPlan, before: &HookEntries, tense: Tense) -> String {
    let (add, repair, keep) = match tense {
        Tense::Done => ("added", "repaired", "kept"),
        Tense::Would => ("would add", "would repair", "keep"),
    };
    let mut parts = Vec::new();
    if plan.is_already_installed() {
        parts.push(format!(
            "already installed, {}",
            counted(before.events.len(), "event")
        ));
    }
    if !plan.added.is_empty() {
        parts.push(format!(
            "{add} {} (exec form)",
            counted(plan.added.len(), "event")
        ));
    }
    if !plan.repaired.is_empty() {
        parts.push(format!("{repair} {}", counted(plan.repaired.len(), "event")));
    }
    if !plan.foreign.is_empty() {
        parts.push(format!("{keep} {} of yours", counted(plan.foreign.len(), "hook")));
    }
    parts.join(", ")
}

/// How the old entries started us, where that differs from now.
fn replaced(before: &HookEntries, now: &Invocation) -> Option<String> {
    let old: Vec<String> = before
        .invocations
        .iter()
        .filter(|old| *old != now)
        .map(|old| format!("`{old}`"))
        .collect();
    (!old.is_empty()).then(|| format!("its entries ran {} before, now `{now}`", old.join(", ")))
}

/// Lists the hooks of others: they run beside ours, in parallel.
fn list_foreign(plan: &InstallPlan, block: &mut AlignedLines) {
    for hook in plan.foreign.iter().take(LISTED) {
        block.say(
            "beside",
            format!(
                "{}: {}",
                one_line(&hook.event, 40),
                one_line(&hook.command, LONGEST_SHOWN)
            ),
        );
    }
    let more = plan.foreign.len().saturating_sub(LISTED);
    if more > 0 {
        block.say("beside", format!("and {more} more"));
    }
}

/// Tells what the person should look after.
fn list_notes(site: &Site<'_>, installed: &Installed, block: &mut AlignedLines) {
    let file = site.shown(&installed.file);
    for note in &installed.notes {
        block.say("note", match note {
            InstallNote::NotIgnored => {
                format!(
                    "git sees {file}; to keep it out: `echo {} >> \"$(git rev-parse --git-path info/exclude)\"`",
                    path_word(&file)
                )
            }
            InstallNote::HooksDisabled => format!("{file} says `disableAllHooks`: no hook runs until that is gone"),
        });
    }
}

/// Other settings files that start us in another way: the client would run both for every event.
fn list_doubled(site: &Site<'_>, change: &SettingsDiff<'_>, block: &mut AlignedLines) {
    for (other, entries) in site.installed() {
        let is_equal = entries
            .invocations
            .iter()
            .all(|invocation| invocation == change.now);
        if other.file == change.target.file || is_equal {
            continue;
        }
        let file = site.shown(&other.file);
        let how = entries
            .invocations
            .iter()
            .map(|one| format!("`{one}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let undo = format!("`toprope uninstall --scope {}` takes it out", other.scope.name());
        block.say(
            "note",
            format!("{file} also runs {how}, so every event comes twice; {undo}"),
        );
    }
}

/// A number of things.
pub fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
