//! Judges one command: read, match, rewrite, rank. One function for the policy, the command line and tests.

use super::aim;
use super::check::CheckContext;
use super::command_view::CommandView;
use super::cover::{self, LossCover};
use super::facts::{DenialFact, GuardFacts, WorldQuestion};
use super::fault;
use super::judged::{Finding, Judged, Rewritten};
use super::keep_list::{Keep, endangered};
use super::match_result::{Edit, Hit};
use super::matching::{Certainty, MatchStrength, fit};
use super::message;
use super::own;
use super::ranking;
use super::ruleset::{Active, RuleSet};
use super::suggestion;
use super::verdict::{HarmClass, Ruling};
use super::world::GuardWorld;
use super::zone::Zone;
use crate::settings::{Mode, Opaque, Profile};
use shell::{
    self, Budget, CommandHost, Coverage, Intent, Plain, ReadingNote, Scene, UnreadCause, Want, Word,
};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

/// Most rewrites of one command.
const MOST_REWRITES: usize = 3;
/// How many words of a command a rule looks at in one step of its effort.
const WORDS_AT_ONCE: usize = 8;
/// How many findings are corrected, and shown as they were written; no message holds more.
const MOST_SHOWN: usize = 8;
/// What is remembered, with the hash of the rules, once an agent was told that some are left out.
pub const LEFT_OUT: &str = "guard.rules";
/// The rule of findings about what cannot be read.
pub const OPAQUE: &str = "opaque";

/// Judges a command. The same input gives the same bytes, always. What it would have liked to know is in `asked`: with the
/// answers in the facts, the next call sees more.
pub fn judge(command: &str, rules: &RuleSet, facts: &GuardFacts) -> Judged {
    judge_read(command, &|| None, rules, facts)
}

/// The same for a command that may have been read before.
pub(super) fn judge_read(
    command: &str,
    plain: &dyn Fn() -> Option<Arc<Plain>>,
    rules: &RuleSet,
    facts: &GuardFacts,
) -> Judged {
    let world = GuardWorld::new(facts, rules.guard());
    let mut judged = blank(command, facts);
    if command.trim().is_empty() {
        return judged;
    }
    if let Some(approval) = &facts.approval {
        judged.approval = Some(approval.clone());
        judged.note_rules(rules);
        return judged;
    }
    let mut text = Cow::Borrowed(command);
    let plain = plain();
    let mut intent = read_before(&text, plain.as_deref(), rules, &world);
    judged.coverage = intent.coverage;
    if own::is_agents_own(&intent, &world) {
        judged.asked = world.open();
        return judged;
    }
    let mut found = findings(&text, &intent, rules, &world);
    let originals: Vec<(String, Option<usize>, String)> = found
        .iter()
        .map(|found| {
            (
                found.finding.rule.clone(),
                found.finding.index,
                found.finding.segment.clone(),
            )
        })
        .collect();
    // What is too much is not made more: the correction is shown instead.
    let is_too_much = |intent: &Intent| {
        intent
            .notes
            .iter()
            .any(|note| note.cause == UnreadCause::OverBudget)
    };
    while let Some((finding, edit)) = next_rewrite(&found, &judged, facts).filter(|_| !is_too_much(&intent)) {
        let Some(result) = edit.applied(&text) else { break };
        judged.rewrites.push(Rewritten {
            rule: finding.rule.clone(),
            why: finding.why.clone(),
            finding,
        });
        text = Cow::Owned(result);
        intent = Cow::Owned(read(&text, rules, &world));
        found = findings(&text, &intent, rules, &world);
    }
    if !judged.rewrites.is_empty() {
        judged.rewritten = Some(text.clone().into_owned());
    }
    let done: Vec<String> = judged
        .rewrites
        .iter()
        .map(|rewrite| rewrite.rule.clone())
        .collect();
    let is_rewritten = !judged.rewrites.is_empty();
    judged.findings = found
        .into_iter()
        .filter(|found| !(found.finding.ruling == Ruling::Rewrite && done.contains(&found.finding.rule)))
        .enumerate()
        .map(|(place, found)| {
            let is_shown = place < MOST_SHOWN;
            let finding = corrected(found, &text, is_shown, &|text| is_clear(text, rules, facts));
            if is_rewritten && is_shown {
                as_written(finding, command, &originals)
            } else {
                finding
            }
        })
        .collect();
    if world.is_exhausted() {
        judged.coverage = Coverage::Opaque;
    }
    ranking::conclude(&mut judged, facts);
    judged.left_out = left_out(&judged, rules, facts);
    judged.asked = world.open();
    judged.message = message::of(&judged);
    judged.note_rules(rules);
    judged
}

/// What the first denial after a change says of rules that could not be loaded.
pub(super) fn left_out(judged: &Judged, rules: &RuleSet, facts: &GuardFacts) -> Option<String> {
    let first = rules.problems().first()?;
    let is_told = |denial: &DenialFact| denial.rule == LEFT_OUT && denial.target == rules.hash();
    if judged.ruling != Ruling::Deny || facts.denials.iter().any(is_told) {
        return None;
    }
    Some(message::left_out(&first.to_string(), rules.problems().len()))
}

pub(super) fn blank(command: &str, facts: &GuardFacts) -> Judged {
    Judged {
        command: command.to_owned(),
        ruling: Ruling::Silent,
        standing: Ruling::Silent,
        class: None,
        coverage: Coverage::Full,
        findings: Vec::new(),
        rewritten: None,
        rewrites: Vec::new(),
        warned: Vec::new(),
        unheard: false,
        passed: Vec::new(),
        must_keep: false,
        keep: Keep::default(),
        advised: Vec::new(),
        approval: None,
        parks: false,
        request: facts.request.clone(),
        attempt: 1,
        left_out: None,
        attended: facts.attended,
        asked: Vec::new(),
        rules_hash: String::new(),
        message: String::new(),
    }
}

/// Reads a text as the settings say, and notes what reading would like to know.
pub fn read(text: &str, rules: &RuleSet, world: &GuardWorld<'_>) -> Intent {
    read_before(text, None, rules, world).into_owned()
}

/// The same, where what was read before may be all there is to it.
fn read_before<'a>(
    text: &str,
    plain: Option<&'a Plain>,
    rules: &RuleSet,
    world: &GuardWorld<'_>,
) -> Cow<'a, Intent> {
    let guard = rules.guard();
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let budget = Budget {
        bytes: size(guard.budget.bytes),
        nodes: size(guard.budget.nodes),
        depth: size(guard.budget.depth),
        words: size(guard.budget.words),
        reparse: size(guard.budget.reparse),
        scripts: size(guard.budget.scripts),
        ..Budget::default()
    };
    let wrappers = guard.user_wrappers();
    let facts = world.facts;
    let scene = Scene {
        cwd: facts.cwd.clone(),
        home: facts.home.clone(),
        user: facts.user.clone(),
        tmpdir: facts.tmpdir.clone(),
        budget,
        wrappers: &wrappers,
        known: world,
    };
    if let Some(intent) = plain.and_then(|plain| plain.as_in(text, &scene)) {
        return Cow::Borrowed(intent);
    }
    let intent = shell::read(text, &scene);
    for want in &intent.wants {
        world.ask(match want {
            Want::GitAlias { cwd, name } => WorldQuestion::GitAlias {
                cwd: cwd.clone(),
                name: name.clone(),
            },
            Want::Script { path } => WorldQuestion::Script { path: path.clone() },
            Want::Root { cwd } => WorldQuestion::Repository { cwd: cwd.clone() },
        });
    }
    Cow::Owned(intent)
}

/// A finding, and what would make the command safe.
struct CorrectedFinding {
    finding: Finding,
    edit: Option<Edit>,
}

fn findings(text: &str, intent: &Intent, rules: &RuleSet, world: &GuardWorld<'_>) -> Vec<CorrectedFinding> {
    let mut found = Vec::new();
    world.begin();
    for (index, command) in intent.commands.iter().enumerate() {
        let seen = CommandView::new(text, intent, index, command);
        if seen.asks_for_help() {
            continue;
        }
        let candidates = rules.candidates(&seen);
        let words = command.redirects.len() + command.argv.iter().map(Word::count).sum::<usize>();
        if !world.spend(candidates.len() * (1 + words / WORDS_AT_ONCE)) {
            break;
        }
        for active in candidates {
            fault::point(&active.rule.id, text);
            found.extend(one(active, &seen, rules, world));
        }
        world.note_made(&seen);
    }
    opaque_notes(text, intent, rules, world, &mut found);
    // The harshest first; then by place in the text, then by rule: never by the order of files.
    found.sort_by(|one, two| {
        let key = |found: &CorrectedFinding| {
            (
                std::cmp::Reverse(found.finding.ruling),
                std::cmp::Reverse(found.finding.class),
                found.finding.index,
                found.finding.rule.clone(),
            )
        };
        key(one).cmp(&key(two))
    });
    found
}

/// How much it is to judge a text: rules tried, and commands followed for them.
#[cfg(test)]
pub(super) fn effort(text: &str, rules: &RuleSet, facts: &GuardFacts) -> usize {
    let world = GuardWorld::new(facts, rules.guard());
    findings(text, &read(text, rules, &world), rules, &world);
    world.spent()
}

/// What one rule says about one command.
fn one(
    active: &Active,
    seen: &CommandView<'_>,
    rules: &RuleSet,
    world: &GuardWorld<'_>,
) -> Option<CorrectedFinding> {
    let rule = &active.rule;
    let strict = rules.profile() == Profile::Strict;
    if !super::conditions::hold(&rule.when, seen, rules, world) {
        return None;
    }
    let best = if rule.any.is_empty() {
        MatchStrength::yes()
    } else {
        rule.any
            .iter()
            .map(|pattern| fit(pattern, seen, world, strict))
            .max_by_key(|fit| fit.sure)?
    };
    if best.sure == Certainty::No {
        return None;
    }
    let mut hit = match rule.check {
        Some(check) => (check.find)(&CheckContext {
            seen,
            world,
            rules,
            rule,
        })?,
        None => Hit {
            zone: best.zone,
            targets: seen
                .operands()
                .iter()
                .take(4)
                .map(|operand| message::shown_word(operand.word))
                .collect(),
            ..Hit::yes()
        },
    };
    if best.sure == Certainty::Maybe {
        hit.missing = hit.missing.or(best.missing).or(Some("a word"));
    }
    if rule.class == HarmClass::Recoverable && changes_worktree(seen) && stands_in_new_folder(seen, world) {
        return None;
    }
    if rule.class == HarmClass::Recoverable && hit.zone.is_none() && changes_worktree(seen) {
        hit.zone = Some(match hit.cover {
            LossCover::Held | LossCover::Untold => Zone::Tree,
            LossCover::Missing(_) => Zone::Elsewhere,
        });
    }
    if hit.aims.is_empty() {
        hit.aims.push(aim::of_command(seen));
    }
    if let Some(rewrite) = &rule.rewrite {
        hit.edit = super::rewriting::edit(rewrite, seen, rules, world);
    }
    if rule.class == HarmClass::Recoverable {
        hit.keep.join(endangered(seen));
        if !cover::settle(&mut hit, world) {
            return None;
        }
    }
    finding(active, seen, rules, world, hit)
}

/// Whether it is a git command about the files of the worktree as a whole.
fn changes_worktree(seen: &CommandView<'_>) -> bool {
    let subs = [
        "reset",
        "clean",
        "checkout",
        "switch",
        "restore",
        "stash",
        "checkout-index",
    ];
    seen.is(&["git"]) && seen.command.place == CommandHost::Local && subs.iter().any(|sub| seen.sub(&[*sub]))
}

/// Whether git works in a folder that the text itself made, as a fresh clone: nothing in it was there before. The stash
/// is not in the folder.
fn stands_in_new_folder(seen: &CommandView<'_>, world: &GuardWorld<'_>) -> bool {
    let looks_elsewhere = seen.has(&["--git-dir", "--work-tree"])
        || seen
            .command
            .env
            .iter()
            .any(|(name, _)| matches!(name.as_str(), "GIT_DIR" | "GIT_WORK_TREE"));
    let is_new = |cwd: &str| world.is_made(cwd) || world.is_temporary(cwd);
    world.has_made()
        && !looks_elsewhere
        && !seen.sub(&["stash"])
        && seen.command.cwd.as_deref().is_some_and(is_new)
}

fn finding(
    active: &Active,
    seen: &CommandView<'_>,
    rules: &RuleSet,
    world: &GuardWorld<'_>,
    hit: Hit,
) -> Option<CorrectedFinding> {
    let rule = &active.rule;
    let mut class = hit.class.unwrap_or(rule.class);
    let overruled = active.verdict != rule.verdict;
    let mut ruling = match hit.verdict {
        Some(verdict) if !overruled => verdict,
        Some(_) | None => active.verdict,
    };
    if ruling == Ruling::Silent {
        return None;
    }
    let mut why = hit.why.unwrap_or_else(|| rule.why.clone());
    let mut softened = false;
    // Where no checkpoint holds it, a retry is no way past: a person decides.
    if ruling == Ruling::OneStrike {
        if let LossCover::Missing(reason) = &hit.cover {
            why.clone_from(reason);
        }
        if hit.target_unknown || matches!(hit.cover, LossCover::Missing(_)) {
            class = HarmClass::Irreversible;
            ruling = Ruling::Ask;
        }
    }
    if let Some(missing) = hit.missing {
        // What may be a habit or a hint is neither.
        if matches!(class, HarmClass::Advice | HarmClass::Workflow) {
            return None;
        }
        class = HarmClass::Opaque;
        why = format!("{missing} is not known; it may be {}", rule.id);
        ruling = opaque_ruling(rules, world.facts)?;
    }
    if active.mode == Mode::Advise && ruling > Ruling::Advise {
        softened = true;
        ruling = Ruling::Advise;
    }
    Some(CorrectedFinding {
        finding: Finding {
            rule: rule.id.clone(),
            class,
            ruling: ruling.for_attendance(world.facts.attended),
            sure: if hit.missing.is_some() {
                Certainty::Maybe
            } else {
                Certainty::Yes
            },
            missing: hit.missing,
            index: Some(seen.index),
            segment: seen.segment(hit.source),
            through: seen.command.through.clone(),
            zone: hit.zone,
            targets: hit.targets,
            aims: hit.aims,
            cover: hit.cover,
            what: hit.what.unwrap_or_else(|| rule.what.clone()),
            why,
            instead: hit.instead.unwrap_or_else(|| suggestion::of(rule, seen)),
            corrected: None,
            softened,
            keep: hit.keep,
        },
        edit: hit.edit,
    })
}

/// What a command that cannot be read meets; `None`: nothing.
fn opaque_ruling(rules: &RuleSet, facts: &GuardFacts) -> Option<Ruling> {
    if !facts.attended {
        return Some(Ruling::Deny);
    }
    match rules.guard().opaque {
        Opaque::Silent => None,
        Opaque::Ask => Some(Ruling::Ask),
    }
}

/// What reading itself could not follow. What a rule already names is not said twice.
fn opaque_notes(
    text: &str,
    intent: &Intent,
    rules: &RuleSet,
    world: &GuardWorld<'_>,
    found: &mut Vec<CorrectedFinding>,
) {
    let Some(ruling) = opaque_ruling(rules, world.facts) else {
        return;
    };
    let (ruling, softened) = match rules.guard().mode {
        Mode::Enforce => (ruling, false),
        Mode::Advise => (Ruling::Advise, true),
        Mode::Off => return,
    };
    let too_much = world.is_exhausted().then(|| ReadingNote {
        cause: UnreadCause::OverBudget,
        segment: message::command(text),
        command: None,
    });
    let is_triggered = OnceCell::new();
    let notes = intent.notes.iter().chain(&too_much);
    for note in notes.filter(|note| note.cause.is_opaque()) {
        let is_named = found.iter().any(|other| {
            note.command.is_some() && other.finding.index == note.command && other.finding.ruling >= ruling
        });
        let is_broken = note.cause == UnreadCause::Unparseable;
        if is_named || (is_broken && !is_triggered.get_or_init(|| rules.is_triggered_by(text))) {
            continue;
        }
        let command = note.command.and_then(|index| intent.commands.get(index));
        let finding = Finding {
            rule: OPAQUE.to_owned(),
            class: HarmClass::Opaque,
            ruling,
            sure: Certainty::Maybe,
            missing: Some(reason(note.cause)),
            index: note.command,
            segment: note.segment.clone(),
            through: command.map(|command| command.through.clone()).unwrap_or_default(),
            zone: None,
            targets: Vec::new(),
            aims: Vec::new(),
            cover: LossCover::Untold,
            what: "runs something nobody can read".to_owned(),
            why: reason(note.cause).to_owned(),
            instead: String::new(),
            corrected: None,
            softened,
            keep: Keep::default(),
        };
        if !found.iter().any(|other| other.finding == finding) {
            found.push(CorrectedFinding { finding, edit: None });
        }
    }
}

/// Why a text cannot be followed, as the end of a sentence.
pub fn reason(cause: UnreadCause) -> &'static str {
    match cause {
        UnreadCause::UnknownCode => "its text is not known",
        UnreadCause::UnknownInput => "it runs input that is not known",
        UnreadCause::UnknownProgram => "the program is not known",
        UnreadCause::CallsItself => "it starts itself without end",
        UnreadCause::Unparseable => "it is not complete shell text",
        UnreadCause::OverBudget => "it is too large or too deep",
    }
}

/// The next rewrite to make: the first in the text, none twice by one rule.
fn next_rewrite(found: &[CorrectedFinding], judged: &Judged, facts: &GuardFacts) -> Option<(Finding, Edit)> {
    if facts.no_rewrite || judged.rewrites.len() >= MOST_REWRITES {
        return None;
    }
    found
        .iter()
        .filter(|found| found.finding.ruling == Ruling::Rewrite)
        .filter(|found| !judged.rewrites.iter().any(|done| done.rule == found.finding.rule))
        .find_map(|found| Some((found.finding.clone(), found.edit.clone()?)))
}

/// Whether nothing is said about a text: only then is it offered as a way on.
fn is_clear(text: &str, rules: &RuleSet, facts: &GuardFacts) -> bool {
    let world = GuardWorld::new(facts, rules.guard());
    let found = findings(text, &read(text, rules, &world), rules, &world);
    found.iter().all(|found| found.finding.ruling <= Ruling::Advise)
}

/// Where no rewrite is possible, the command is denied and the corrected one shown, unless that is stopped itself.
fn corrected(
    found: CorrectedFinding,
    text: &str,
    is_shown: bool,
    is_clear: &dyn Fn(&str) -> bool,
) -> Finding {
    let mut finding = found.finding;
    if finding.ruling == Ruling::Rewrite {
        finding.ruling = Ruling::Deny;
        let edit = found.edit.filter(|_| is_shown);
        finding.corrected = edit
            .and_then(|edit| edit.applied(text))
            .filter(|corrected| is_clear(corrected));
    }
    finding
}

/// What is said about the result of a rewrite shows what was written.
fn as_written(mut finding: Finding, command: &str, originals: &[(String, Option<usize>, String)]) -> Finding {
    if command.contains(&finding.segment) || finding.rule == OPAQUE {
        return finding;
    }
    let mut same = originals.iter().filter(|(rule, _, _)| *rule == finding.rule);
    let original = originals
        .iter()
        .find(|(rule, index, _)| *rule == finding.rule && *index == finding.index)
        .or_else(|| same.next());
    if let Some((_, _, segment)) = original {
        finding.segment.clone_from(segment);
    }
    finding
}
