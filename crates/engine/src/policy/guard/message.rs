//! Everything the guard says: what, why, instead, the way on. Short, escaped, without secrets.

mod unhooked;

pub use unhooked::{HookFault, Unhooked, missed, unhooked, unhooking, wrong_at_start};

use super::cover::LossCover;
use super::facts::LossFact;
use super::judged::{Finding, Judged};
use super::redact;
use super::verdict::{HarmClass, Ruling};
use crate::effect::KeepList;
use crate::text::one_line;
use shell::Word;

/// Most characters of one message.
pub const LONGEST: usize = 900;
/// Most characters of the first line: a client shows about so many of a refusal.
pub const LONGEST_FIRST: usize = 120;
/// A command is not shortened further, however long the rest is.
const SHORTEST_COMMAND: usize = 28;
/// Most characters of the line a person reads, where no long path is in it.
const LONGEST_LINE: usize = 120;
/// The same for a command in that line.
const SHORTEST_IN_LINE: usize = 10;
/// Most characters of a command in a message.
const LONGEST_COMMAND: usize = 120;
/// From this attempt at the same effect on, it is called one, and the person is told.
pub const INSISTS: u32 = 3;
/// Most characters of names in a first line, but for a single one.
const LONGEST_NAMES: usize = 40;
/// Most findings told one by one.
const MOST_TOLD: usize = 3;

/// A command as people should see it: on one line, without secrets, shortened in the middle.
pub fn command(text: &str) -> String {
    middle(&one_line(&redacted(text), usize::MAX), LONGEST_COMMAND)
}

/// Longer texts are cut before they are searched for secrets, far behind what is shown of them.
const SEARCHED: usize = 4096;

/// The text without secrets; of a long one only its two ends, which are more than any message shows.
fn redacted(text: &str) -> String {
    if text.len() <= SEARCHED {
        return redact::text(text);
    }
    let head = text
        .get(..text.floor_char_boundary(SEARCHED / 2))
        .unwrap_or_default();
    let tail = text
        .get(text.ceil_char_boundary(text.len() - SEARCHED / 2)..)
        .unwrap_or_default();
    redact::text(&format!("{head} … {tail}"))
}

/// The text within `limit` characters, its middle left out.
fn middle(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let room = limit.saturating_sub(3);
    let head: String = text.chars().take(room.div_ceil(2)).collect();
    let tail: String = text.chars().skip(length - room / 2).collect();
    format!("{head} … {tail}")
}

/// A word as people should see it.
pub fn shown_word(word: &Word) -> String {
    match word {
        Word::Literal(text) => text.clone(),
        Word::OneOf(texts) => texts.join("|"),
        Word::Glob { pattern } => pattern.clone(),
        Word::Unknown {
            prefix, suffix, name, ..
        } => {
            let name = name
                .as_deref()
                .map_or_else(|| "…".to_owned(), |name| format!("${name}"));
            format!("{prefix}{name}{suffix}")
        }
    }
}

/// A number with its word.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Foreign text of a rule on one line.
fn plain(text: &str) -> String {
    one_line(&redacted(text), 300)
}

/// What the guard says about a judged command; empty where it says nothing.
pub fn of(judged: &Judged) -> String {
    let told = judged.told();
    let text = match judged.ruling {
        Ruling::Silent => String::new(),
        Ruling::Advise => advised(&told),
        Ruling::Rewrite => rewritten(judged),
        Ruling::OneStrike => held(judged, &told),
        Ruling::Ask => asked(&told),
        Ruling::Deny => denied(judged, &told),
    };
    limited(&text)
}

fn limited(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    // The way on stands at the end and must survive.
    let room = LONGEST - 3;
    let tail: String = text.chars().skip(text.chars().count() - room * 2 / 5).collect();
    let head: String = text.chars().take(room - room * 2 / 5).collect();
    format!("{head} … {tail}")
}

fn more(told: usize, all: usize) -> Option<String> {
    (all > told).then(|| format!("and {} more", all - told))
}

/// A few names, and how many more there are.
pub fn names(all: &[String]) -> String {
    let shown = all.len().min(MOST_TOLD);
    listed(all, shown)
}

/// The same for a first line: fewer of long ones.
pub fn few_names(all: &[String]) -> String {
    let mut room = LONGEST_NAMES;
    let fits = |name: &&String| {
        let left = room.checked_sub(name.chars().count());
        room = left.unwrap_or_default();
        left.is_some()
    };
    let shown = all.iter().take(MOST_TOLD).take_while(fits).count();
    listed(all, shown.max(1))
}

fn listed(all: &[String], shown: usize) -> String {
    let shown: Vec<&str> = all.iter().take(shown).map(String::as_str).collect();
    let more = more(shown.len(), all.len()).map_or(String::new(), |more| format!(" {more}"));
    format!("{}{more}", shown.join(", "))
}

/// Files that would be lost: their number, and the first of them.
pub fn files(lost: &LossFact) -> String {
    let first: Vec<String> = lost
        .first
        .iter()
        .take(MOST_TOLD)
        .map(|name| command(name))
        .collect();
    let over = if lost.capped { "more than " } else { "" };
    let number = format!("{over}{}", count(lost.count, "file", "files"));
    if first.is_empty() {
        return number;
    }
    let shown = u64::try_from(first.len()).unwrap_or(u64::MAX);
    let more = lost.count.saturating_sub(shown);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{number} ({}{more})", first.join(", "))
}

/// The plain sentence: what would be lost. Short enough for the one line a client shows of a refusal.
fn sentence(finding: &Finding, before: &str) -> String {
    if finding.class == HarmClass::Opaque {
        return format!(
            "Toprope cannot tell what `{}` would run ({}). Write it out literally.",
            command(&finding.segment),
            plain(&finding.why)
        );
    }
    let segment = command(&finding.segment);
    // A client shows the whole command beside a question.
    let shortest = if before.is_empty() {
        SHORTEST_COMMAND
    } else {
        SHORTEST_IN_LINE
    };
    let least = segment.chars().count().min(shortest) + before.chars().count() + 4;
    let (what, rest) = within(&plain(&finding.what), LONGEST_FIRST.saturating_sub(least));
    let room = LONGEST_FIRST.saturating_sub(before.chars().count() + what.chars().count() + 4);
    let segment = middle(&segment, room.max(shortest));
    let first = format!("{before}`{segment}` {what}.");
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n")
}

/// A statement that fits, and the names in it that did not.
fn within(what: &str, room: usize) -> (String, Vec<String>) {
    let (mut what, mut rest) = (what.to_owned(), Vec::new());
    let is_long = |what: &str| what.chars().count() > room;
    if let Some((head, tail)) = what.split_once(", among them ").filter(|_| is_long(&what)) {
        rest.push(format!("Among them {tail}."));
        what = head.to_owned();
    }
    let named = what.split_once(" (").and_then(|(head, tail)| {
        let (names, tail) = tail.split_once(')')?;
        Some((head.to_owned(), names.to_owned(), tail.to_owned()))
    });
    if let Some((head, names, tail)) = named.filter(|_| is_long(&what)) {
        rest.insert(0, format!("These are {names}."));
        what = format!("{head}{tail}");
    }
    (what, rest)
}

/// What to do instead: a command is given as one, a sentence in brackets is one.
fn way(text: &str, label: &str) -> Option<String> {
    let text = plain(text);
    if text.is_empty() {
        return None;
    }
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        Some(sentence) => Some(format!("{}.", capital(sentence))),
        None => Some(format!("{label}: {text}")),
    }
}

/// The same for where there is no label.
pub fn unbracketed(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.unwrap_or(text)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn small(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The rules, where every message ends.
fn signed(mut lines: Vec<String>, told: &[&Finding], how: Option<&str>) -> String {
    let mut rules: Vec<String> = Vec::new();
    for finding in told.iter().take(MOST_TOLD) {
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule.clone());
        }
    }
    rules.extend(how.map(str::to_owned));
    let rules = format!("[{}]", rules.join(", "));
    match lines.last_mut() {
        Some(last) => *last = format!("{last} {rules}"),
        None => lines.push(rules),
    }
    lines.join("\n")
}

fn denied(judged: &Judged, told: &[&Finding]) -> String {
    let mut lines = Vec::new();
    for finding in told.iter().take(MOST_TOLD) {
        lines.push(sentence(finding, ""));
        if finding.class == HarmClass::Opaque {
            continue;
        }
        lines.push(plain(&finding.why));
        match &finding.corrected {
            Some(corrected) => lines.push(format!("Instead: {}", one_line(&redacted(corrected), 400))),
            None => lines.extend(way(&finding.instead, "Instead")),
        }
    }
    lines.extend(more(MOST_TOLD.min(told.len()), told.len()));
    if judged.attempt >= INSISTS {
        lines.push(format!("This is attempt {} at the same effect.", judged.attempt));
    }
    lines.extend(judged.left_out.clone());
    lines.extend(way_on(judged));
    signed(lines, told, None)
}

/// That rules of files are not in force, and which is the first.
pub fn left_out(first: &str, count: usize) -> String {
    let first = one_line(&redacted(first), 200);
    let more = more(1, count).map_or(String::new(), |more| format!(" {more}"));
    format!("Not every rule is in force: {first}{more}. A person can see them all: toprope doctor")
}

fn way_on(judged: &Judged) -> Option<String> {
    if judged.is_own() {
        return None;
    }
    let id = judged.request.as_deref();
    if !judged.attended {
        let parked = id.map_or_else(
            || "The request is parked.".to_owned(),
            |id| format!("The request is parked as {id}."),
        );
        return Some(format!(
            "No person is watching this session. {parked} Do not try another spelling: go on with other work, or stop and say what you need."
        ));
    }
    id.map(|id| format!("A person can allow it once: toprope guard allow {id} (in their own terminal)."))
}

fn held(judged: &Judged, told: &[&Finding]) -> String {
    let mut lines: Vec<String> = told
        .iter()
        .take(MOST_TOLD)
        .map(|finding| sentence(finding, ""))
        .collect();
    lines.extend(more(MOST_TOLD.min(told.len()), told.len()));
    lines.extend(told.first().and_then(|finding| way(&finding.instead, "Safer")));
    let is_held = told.iter().all(|finding| finding.cover == LossCover::Held);
    let mut keep = KeepList::default();
    for finding in told {
        keep.join(finding.keep.clone());
    }
    lines.push(if is_held {
        format!(
            "Run it again if you mean it: it then runs only behind a checkpoint that holds all of this{}.",
            except(&keep)
        )
    } else {
        "Run it again if you mean it.".to_owned()
    });
    if judged.unheard {
        lines.push(
            "The same was held a moment ago in this step. Read that message first, then decide.".to_owned(),
        );
    }
    signed(lines, told, Some("held once"))
}

fn asked(told: &[&Finding]) -> String {
    let mut lines = Vec::new();
    for finding in told.iter().take(MOST_TOLD) {
        lines.push(sentence(finding, "Toprope asks: "));
        if finding.class != HarmClass::Opaque {
            lines.push(plain(&finding.why));
            lines.extend(way(&finding.instead, "Safer"));
        }
    }
    lines.extend(more(MOST_TOLD.min(told.len()), told.len()));
    signed(lines, told, None)
}

fn advised(told: &[&Finding]) -> String {
    let mut lines: Vec<String> = told
        .iter()
        .take(MOST_TOLD)
        .map(|finding| {
            let first = sentence(
                finding,
                if finding.softened {
                    "Toprope would have stopped this: "
                } else {
                    ""
                },
            );
            let way = way(&finding.instead, "Instead").map_or(String::new(), |way| format!(" {way}"));
            format!("{first} {}{way}", plain(&finding.why))
        })
        .collect();
    lines.extend(more(lines.len(), told.len()));
    signed(lines, told, None)
}

/// What is told beside a rewrite, also where a person is asked about the result.
pub fn rewritten(judged: &Judged) -> String {
    let rules: Vec<&str> = judged
        .rewrites
        .iter()
        .map(|rewrite| rewrite.rule.as_str())
        .collect();
    ran_instead(judged).map_or(String::new(), |text| format!("{text} [{}]", rules.join(", ")))
}

fn ran_instead(judged: &Judged) -> Option<String> {
    let result = judged.rewritten.as_deref()?;
    let why = judged
        .rewrites
        .first()
        .map(|rewrite| small(&plain(&rewrite.why)))
        .unwrap_or_default();
    let shown = |text: &str| middle(&one_line(&redacted(text), usize::MAX), 300);
    Some(format!(
        "Toprope ran `{}` instead of `{}`: {why}",
        shown(result),
        shown(&judged.command)
    ))
}

/// The same for the person, who knows the command that was asked for.
fn made(judged: &Judged) -> Option<String> {
    let result = judged.rewritten.as_deref()?;
    let why = judged.rewrites.first().map(|rewrite| small(&plain(&rewrite.why)));
    let (front, behind) = ("Toprope made it `", format!("`: {}", why.unwrap_or_default()));
    Some(format!("{front}{}{behind}", shortened(result, &[front, &behind])))
}

/// A command in a line for the person: as much of it as fits beside these texts.
fn shortened(text: &str, beside: &[&str]) -> String {
    let taken: usize = beside.iter().map(|text| text.chars().count()).sum();
    let room = LONGEST_LINE.saturating_sub(taken);
    middle(&command(text), room.max(SHORTEST_IN_LINE))
}

/// The one line the person reads of it in their client; nothing where they read the question itself, or nothing is told.
pub fn to_person(judged: &Judged) -> Option<String> {
    let told = judged.told();
    match judged.ruling {
        Ruling::Silent | Ruling::Advise | Ruling::Ask => None,
        Ruling::Rewrite => made(judged),
        Ruling::OneStrike => line("Toprope held `", &told, "` once: ", ""),
        Ruling::Deny => {
            let allow = judged.request.as_deref().filter(|_| judged.parks);
            let allow = allow.map_or(String::new(), |id| {
                format!(" Allow once: toprope guard allow {id}")
            });
            line("Toprope stopped `", &told, "`: ", &allow)
        }
    }
}

/// What was done, to which command and why, and the way on, which is never cut.
fn line(done: &str, told: &[&Finding], then: &str, way: &str) -> Option<String> {
    let first = told.first()?;
    let fixed = [done, then, way].map(|text| text.chars().count());
    // Rather without the names of files than without the command.
    let least = command(&first.segment).chars().count().min(SHORTEST_COMMAND);
    let room = LONGEST_LINE.saturating_sub(fixed.iter().sum::<usize>() + least);
    let why = reason(told, room);
    let segment = shortened(&first.segment, &[done, then, way, &why]);
    Some(limited(&format!("{done}{segment}{then}{why}{way}")))
}

fn reason(told: &[&Finding], room: usize) -> String {
    let Some(first) = told.first() else {
        return String::new();
    };
    let more = more(1, told.len()).map_or(String::new(), |more| format!(" {}.", capital(&more)));
    let what = if first.class == HarmClass::Opaque {
        format!("nobody can tell what it would run ({}).", plain(&first.why))
    } else {
        // The names are told to the agent, and by `toprope log`.
        let room = room.saturating_sub(more.chars().count() + "it .".len());
        format!("it {}.", within(&plain(&first.what), room).0)
    };
    format!("{what}{more}")
}

/// What is told where another hook's rewrite ran instead of ours.
pub fn outrun(ours: &str, ran: &str) -> String {
    let shown = |text: &str| middle(&one_line(&redacted(text), usize::MAX), 300);
    format!(
        "Another hook changed this command after Toprope: `{}` ran, not `{}`. In this session Toprope no longer rewrites; it stops a command and names the corrected one.",
        shown(ran),
        shown(ours)
    )
}

/// What is told once the checkpoint before a held command is taken.
pub fn passed(checkpoint: &str, also: &KeepList) -> String {
    format!(
        "Checkpoint {checkpoint} holds what this command takes away{}. A person can take it back: {}",
        except(also),
        way_back(checkpoint)
    )
}

/// What goes and is in no checkpoint.
fn except(also: &KeepList) -> String {
    let mut parts = Vec::new();
    if !also.beside.is_empty() {
        parts.push(names(&also.beside));
    }
    if also.made_again {
        parts.push("what builds make again".to_owned());
    }
    if parts.is_empty() {
        return String::new();
    }
    format!(", but for {}", parts.join(" and "))
}

/// The command that takes it back, also while the agent is at work: that is when this is read.
pub fn way_back(checkpoint: &str) -> String {
    format!("toprope undo {checkpoint} --while-running")
}

/// The one line the person reads of a command that passed behind a checkpoint.
pub fn kept(segment: &str, checkpoint: &str, also: &KeepList) -> String {
    let (front, back) = (
        "Toprope kept a checkpoint before `",
        format!(". Take it back: {}", way_back(checkpoint)),
    );
    let except = if also.beside.is_empty() && also.made_again {
        " (no build output)".to_owned()
    } else {
        except(also)
    };
    let segment = shortened(segment, &[front, "`", &except, &back]);
    format!("{front}{segment}`{except}{back}")
}

/// What is said where the checkpoint before a held command could not be taken.
pub fn no_checkpoint(segment: &str) -> String {
    format!(
        "`{}` would run without a way back: no checkpoint holds all that it takes away.",
        command(segment)
    )
}

/// The same, with what is in the way.
pub fn not_held(otherwise: &str, cause: &str) -> String {
    limited(&format!(
        "{otherwise}\n{}.\nA narrower command, or moving the files aside, needs no checkpoint. [guard.checkpoint]",
        capital(&one_line(&redacted(cause), 300))
    ))
}

/// What the person is told of an agent that tries the same in one way after another.
pub fn insists(judged: &Judged, finding: &Finding) -> String {
    format!(
        "an agent was denied the same effect {} times [{}], last as `{}`",
        judged.attempt,
        finding.rule,
        command(&finding.segment)
    )
}

/// What the person is told where another hook's rewrite won over ours.
pub fn rewrite_lost(rewrote: &str, ran: &str) -> String {
    format!(
        "another hook rewrote a command after Toprope did: `{}` ran instead of `{}`. For the rest of this session Toprope \
         denies such commands and names the safer form; see `toprope doctor`",
        command(ran),
        command(rewrote)
    )
}
