//! What is said about leases: to whoever is stopped, to whoever waits, and to the person. All texts are here.

use super::judging::LeaseObstacle;
use crate::lease::facts::{Bulk, PlannedCommit};
use crate::lease::{ActorLabel, HeldLease, Me, PermissionQuestion, Reserved, TargetFacts, WaitEdge};
use crate::text::{one_line, path_word, word};
use crate::time::short;

/// Characters of a task or a reason that are shown.
const LONGEST_TASK: usize = 40;
/// Characters of a command that are shown.
const LONGEST_COMMAND: usize = 80;
/// Files named in the text about a command that changes the whole tree.
const MOST_NAMED: usize = 5;

/// Files that a command to commit them names.
const MOST_COMMITTED: usize = 20;

/// Where the person sees more, behind a line about a call that was stopped.
const WHO_HOLDS: &str = "Who holds what: toprope lease list";

/// What follows a denial of an agent whose id the client never announced.
pub const UNANNOUNCED: &str = "(This call came from an agent id the client never announced.)";

/// Said once a session where a client does not tell its subagents apart.
pub const SESSION_IDENTITY: &str = "This client does not tell subagents apart: files are protected between sessions only. Update the client.";

/// Foreign text between quotation marks.
fn quotable(text: &str) -> String {
    one_line(text, LONGEST_TASK).replace('"', "'")
}

/// A denial.
pub fn denied(me: &Me, facts: &TargetFacts, obstacle: LeaseObstacle, place: Option<usize>) -> String {
    let what = in_the_way(facts, obstacle);
    match obstacle {
        LeaseObstacle::Running(_) => format!("{what} Nothing was written. Try again when it ends."),
        LeaseObstacle::Held(held) if held.call_only => {
            format!("{what} Nothing was written. Try again when that command ends.")
        }
        LeaseObstacle::Reserved(reserved) if reserved.who.is_person => {
            format!("{what} Nothing was written. Leave it, or ask the user.")
        }
        // What is in a folder is waited for file by file.
        LeaseObstacle::Reserved(_) if facts.target.folder => {
            format!("{what} Nothing was written. Work on something else until then.")
        }
        LeaseObstacle::Held(_) | LeaseObstacle::Reserved(_) | LeaseObstacle::Offered(_) => {
            let Some(place) = place else {
                return format!(
                    "{what} Nothing was written. You wait for too many files to stand in line for one more: finish those first."
                );
            };
            let place = ordinal(place);
            let wait = wait_command(&facts.target.shown);
            // Nobody hears of it after its end.
            let promise = if me.subagent {
                "while you are at work you will be told when it is free"
            } else {
                "you will be told when it is free"
            };
            format!(
                "{what} Nothing was written. You are {place} in line. Work on something else, or run `{wait}`; {promise}."
            )
        }
    }
}

/// The line the person reads of it: what was stopped and why, without what the agent is to do.
pub fn to_person(facts: &TargetFacts, obstacle: LeaseObstacle) -> String {
    let path = &facts.target.shown;
    let why = match obstacle {
        LeaseObstacle::Held(held) if held.call_only => {
            format!("a command of {} is writing {path}.", held.who.name())
        }
        LeaseObstacle::Held(held) => format!("{} is editing {path}.", held.who.name()),
        LeaseObstacle::Running(held) => sweeping(held),
        LeaseObstacle::Reserved(reserved) => {
            let left = short(reserved.ends_in_ms);
            format!(
                "{path} is reserved by {} for another {left}.",
                reserved.who.name()
            )
        }
        LeaseObstacle::Offered(offered) => format!("{path} is promised to {}.", offered.who.name()),
    };
    format!("Toprope stopped a write: {why} {WHO_HOLDS}")
}

/// The same of a command that changes the whole tree, or a part of it.
pub fn bulk_to_person(bulk: &Bulk, editing: &[&HeldLease], reserved: &[&Reserved]) -> String {
    let command = one_line(&bulk.command, LONGEST_TASK);
    let more = match editing.len() + reserved.len() {
        0 | 1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    let why = match (editing.first(), reserved.first()) {
        (Some(held), _) => format!("{} is editing {}{more}.", held.who.name(), held.shown),
        (None, Some(reserved)) => {
            format!("{} reserved {}{more}.", reserved.who.name(), pattern(reserved))
        }
        (None, None) => "others are at work there.".to_owned(),
    };
    format!("Toprope stopped `{command}`: {why} {WHO_HOLDS}")
}

/// The same where another such command runs.
pub fn bulk_waits_to_person(bulk: &Bulk, held: &HeldLease) -> String {
    let command = one_line(&bulk.command, LONGEST_TASK);
    format!("Toprope stopped `{command}`: {} {WHO_HOLDS}", sweeping(held))
}

fn sweeping(held: &HeldLease) -> String {
    format!("a command of {} is changing the whole tree.", held.who.name())
}

/// The same where leases only advise: the call goes on.
pub fn advised(facts: &TargetFacts, obstacle: LeaseObstacle) -> String {
    let what = in_the_way(facts, obstacle);
    format!(
        "{what} Leases only advise here, so your call goes on: read the file again before you edit it again."
    )
}

/// What is in the way of a file, as one sentence.
pub fn in_the_way(facts: &TargetFacts, obstacle: LeaseObstacle) -> String {
    let path = &facts.target.shown;
    match obstacle {
        LeaseObstacle::Held(held) if held.call_only => format!(
            "{path} is being written by a command of {} for {}.",
            held.who.shown(),
            short(held.held_ms)
        ),
        LeaseObstacle::Held(held) => {
            let last = held
                .last_write_ms
                .map(|ago| format!(", last write {} ago", short(ago)))
                .unwrap_or_default();
            format!(
                "{path} is being edited by {} for {}{last}.{}",
                held.who.shown(),
                short(held.held_ms),
                held.permission.map(asked).unwrap_or_default()
            )
        }
        LeaseObstacle::Running(held) => running(held),
        LeaseObstacle::Reserved(reserved) => {
            let reason = reserved.reason.as_deref().map(str::trim);
            let reason = reason.filter(|reason| !reason.is_empty()).map(quotable);
            let why = match (reserved.who.is_person, reason) {
                (true, Some(reason)) => format!(" (\"{reason}\")"),
                (true, None) => String::new(),
                (false, Some(reason)) => format!(" (\"{}\", {reason})", quotable(&reserved.pattern)),
                (false, None) => format!(" (\"{}\")", quotable(&reserved.pattern)),
            };
            let left = short(reserved.ends_in_ms);
            format!(
                "{path} is reserved by {}{why} for another {left}.",
                reserved.who.shown_within()
            )
        }
        LeaseObstacle::Offered(offered) => format!(
            "{path} is free but promised to {} for {}.",
            offered.who.shown(),
            short(offered.for_ms)
        ),
    }
}

/// Why a holder may do nothing for a while.
fn asked(permission: PermissionQuestion) -> String {
    let ago = short(permission.ago_ms);
    if permission.is_open {
        format!(" It has been waiting for the user's answer to a permission question for {ago}.")
    } else {
        format!(" It asked the user for permission to run a command {ago} ago.")
    }
}

/// What the person is told of a question that keeps a file from somebody.
pub fn awaits_person(held: &HeldLease, path: &str, waiter: &str) -> String {
    format!(
        "{} waits for your answer and keeps {path} from {}.",
        held.who.shown(),
        one_line(waiter, LONGEST_TASK)
    )
}

/// What else stands in the way of a call that writes several files.
pub fn also(others: &[(&TargetFacts, LeaseObstacle)]) -> String {
    let named: Vec<String> = others
        .iter()
        .take(MOST_NAMED)
        .map(|(facts, obstacle)| format!("{} ({})", facts.target.shown, blocker(obstacle).shown_within()))
        .collect();
    format!("The same holds for {}.", listed(&named, others.len()))
}

/// Who is behind it.
pub fn blocker<'a>(obstacle: &LeaseObstacle<'a>) -> &'a ActorLabel {
    match obstacle {
        LeaseObstacle::Held(held) | LeaseObstacle::Running(held) => &held.who,
        LeaseObstacle::Reserved(reserved) => &reserved.who,
        LeaseObstacle::Offered(offered) => &offered.who,
    }
}

/// The third denial in a row, and those after it.
pub fn insisting(facts: &TargetFacts, obstacle: LeaseObstacle, attempt: u32) -> String {
    format!(
        "Stop retrying {}: {} still has it (attempt {attempt} in {}). Do the rest of your task first, or finish and report that this file is waiting.",
        facts.target.shown,
        blocker(&obstacle).shown(),
        short(facts.first_denial_ms)
    )
}

/// What the person is told of an agent that asks for the same file again and again.
pub fn insisting_for_person(
    label: &str,
    facts: &TargetFacts,
    obstacle: LeaseObstacle,
    attempt: u32,
) -> String {
    format!(
        "{} asked for {} {attempt} times in {}; {} has it.",
        one_line(label, LONGEST_TASK),
        facts.target.shown,
        short(facts.first_denial_ms),
        blocker(&obstacle).shown()
    )
}

/// One actor's place in a circle.
pub struct CycleMember<'a> {
    /// What it holds.
    pub held: &'a str,
    /// Who waits for that.
    pub waiter: &'a ActorLabel,
    /// What it wants.
    pub wanted: &'a str,
    /// Who holds that.
    pub holder: &'a ActorLabel,
}

/// What an actor in a circle is told.
pub fn cycle(circle: &CycleMember) -> String {
    let CycleMember { held, wanted, .. } = circle;
    format!(
        "You hold {held}, which {} waits for, and you want {wanted}, which {} holds. Nobody can go on. Finish {held} and run `{}`, then wait for {wanted}.",
        circle.waiter.shown(),
        circle.holder.shown(),
        command("release", held)
    )
}

/// What the actor that closed a circle is told when the file it wants was let go, and it is the next in line.
pub fn freed(path: &str, owner: &ActorLabel) -> String {
    format!(
        "{path} was kept by {}, who waits for you in turn. It is promised to you now. Nothing was written. Read it again, then write.",
        owner.shown()
    )
}

/// What the owner of a lease is told that ended because it was in a circle.
pub fn broken_by_circle(wait: &WaitEdge) -> String {
    format!(
        "You no longer keep {}: you and {} waited for each other, and nothing of yours was in it. Ask again before you edit.",
        wait.shown,
        wait.who.shown()
    )
}

/// What the person is told of a circle.
pub fn cycle_for_person(waits: &[&WaitEdge]) -> String {
    let named: Vec<String> = waits
        .iter()
        .take(MOST_NAMED)
        .map(|wait| {
            format!(
                "{} waits for {} ({})",
                wait.who.shown_within(),
                wait.shown,
                wait.held_by.shown_within()
            )
        })
        .collect();
    let named = listed(&named, waits.len());
    format!(
        "Agents wait for each other, and nobody can go on: {named}. `toprope lease list` shows who holds what."
    )
}

/// A command that changes the whole tree, or a part of it, while others edit there.
pub fn bulk(bulk: &Bulk, editing: &[&HeldLease], reserved: &[&Reserved]) -> String {
    let instead = match (&bulk.scope, editing.first()) {
        (None, _) => "Wait for them, restrict it to your files, or use your own worktree.".to_owned(),
        (Some(_), Some(held)) => {
            let wait = wait_command(&held.shown);
            format!("Name your own files or folders, or wait: `{wait}`.")
        }
        (Some(_), None) => "Name your own files or folders.".to_owned(),
    };
    let stopped = bulk_in_the_way(bulk, editing, reserved);
    format!("{stopped} It was not run. {instead}")
}

/// The same where leases only advise.
pub fn bulk_advised(bulk: &Bulk, editing: &[&HeldLease], reserved: &[&Reserved]) -> String {
    format!(
        "{} Leases only advise here, so it runs: what they were writing may be gone or mixed.",
        bulk_in_the_way(bulk, editing, reserved)
    )
}

fn bulk_in_the_way(bulk: &Bulk, editing: &[&HeldLease], reserved: &[&Reserved]) -> String {
    let command = one_line(&bulk.command, LONGEST_COMMAND);
    let scope = bulk.scope.as_deref().unwrap_or("the whole tree");
    let kept: Vec<String> = reserved
        .iter()
        .take(MOST_NAMED)
        .map(|reserved| format!("{} ({})", pattern(reserved), reserved.who.shown_within()))
        .collect();
    let kept = listed(&kept, reserved.len());
    match (editing.is_empty(), reserved.is_empty()) {
        (true, _) => format!("`{command}` would change {scope}, and some of it is reserved: {kept}."),
        (false, true) => format!(
            "`{command}` would change {scope}, and others are editing there: {}.",
            files(editing)
        ),
        (false, false) => format!(
            "`{command}` would change {scope}, and others are editing there: {}. Some of it is reserved: {kept}.",
            files(editing)
        ),
    }
}

fn files(editing: &[&HeldLease]) -> String {
    let named: Vec<String> = editing
        .iter()
        .take(MOST_NAMED)
        .map(|held| format!("{} ({})", held.shown, held.who.shown_within()))
        .collect();
    listed(&named, editing.len())
}

/// What an agent that starts is told.
pub fn arrival(label: &str, editing: Option<&str>, reserved: Option<&str>) -> String {
    let label = one_line(label, LONGEST_TASK);
    let mut text = format!("You are known here as {label}.");
    if let Some(editing) = editing {
        text = format!("{text} Others are editing: {editing}.");
    }
    if let Some(reserved) = reserved {
        text = format!("{text} Reserved: {reserved}.");
    }
    if editing.is_some() || reserved.is_some() {
        text.push_str(" Leave these to them, or run `toprope lease wait <path>`.");
    }
    text
}

/// A reservation's pattern between quotation marks.
pub fn pattern(reserved: &Reserved) -> String {
    format!("\"{}\"", quotable(&reserved.pattern))
}

/// A command that changes the whole tree while another one does.
pub fn bulk_waits(held: &HeldLease) -> String {
    format!("{} Yours was not run. Try again when it ends.", running(held))
}

/// The same where leases only advise.
pub fn bulk_waits_advised(held: &HeldLease) -> String {
    format!(
        "{} Leases only advise here, so yours runs beside it.",
        running(held)
    )
}

fn running(held: &HeldLease) -> String {
    format!(
        "`{}` of {} is changing the whole tree ({}).",
        one_line(&held.shown, LONGEST_COMMAND),
        held.who.shown(),
        short(held.held_ms)
    )
}

/// A commit that takes along what others are editing.
pub fn commit(commit: &PlannedCommit) -> String {
    let others: Vec<&HeldLease> = commit.others.iter().collect();
    let taken = format!(
        "This commit would take along files that others are editing: {}.",
        files(&others)
    );
    if commit.own.is_empty() {
        return format!("{taken} No file of yours is changed: leave the commit to them.");
    }
    let words: Vec<String> = places(commit).iter().map(word).collect();
    let own = words.join(" ");
    let git = match &commit.root {
        Some(root) => format!("git -C {}", word(root)),
        None => "git".to_owned(),
    };
    let options = commit.options.as_deref().unwrap_or_default();
    format!("{taken} To commit only your own: `{git} add -- {own} && {git} commit{options} -- {own}`.")
}

/// One's own files; where they are many, the folders in which nobody else edits.
fn places(commit: &PlannedCommit) -> Vec<String> {
    if commit.own.len() <= MOST_COMMITTED {
        return commit.own.clone();
    }
    let mut places: Vec<String> = Vec::new();
    for path in &commit.own {
        let folder = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
        let is_shared = |folder: &String| commit.others.iter().any(|held| held.key.path.starts_with(folder));
        let place = folder
            .filter(|folder| !is_shared(folder))
            .unwrap_or_else(|| path.clone());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// A file whose last writer was cut off.
pub fn left_behind(path: &str, writer: &ActorLabel) -> String {
    format!(
        "{} stopped in the middle of {path}; look at its changes first.",
        writer.shown()
    )
}

/// A file that somebody edits in another worktree.
pub fn forecast(path: &str, others: &[ActorLabel]) -> String {
    let named: Vec<String> = others.iter().take(MOST_NAMED).map(ActorLabel::shown).collect();
    let named = listed(&named, others.len());
    let verb = if others.len() == 1 { "is" } else { "are" };
    format!("{named} {verb} editing {path} in another worktree: expect a merge conflict.")
}

/// To an actor whose lease a person took away.
pub fn broken(path: &str) -> String {
    format!("The user took your lease on {path}. Read it again before you edit.")
}

/// The command that waits for a file.
pub fn wait_command(path: &str) -> String {
    command("wait", path)
}

/// A command about a file, such as `wait` or `release`. A path that was cut or escaped is not the file's.
pub fn command(verb: &str, path: &str) -> String {
    if path.ends_with('…') || path.contains('\\') {
        return format!("toprope lease {verb} <path>");
    }
    format!("toprope lease {verb} {}", path_word(path))
}

fn listed(named: &[String], all: usize) -> String {
    let more = all.saturating_sub(named.len());
    let named = named.join(", ");
    if more == 0 {
        named
    } else {
        format!("{named} and {more} more")
    }
}

/// At most so many of these, and how many more there are; `None` where there is nothing to list.
pub fn some_of(all: &[String], most: usize) -> Option<String> {
    match all.get(..most.min(all.len())) {
        Some([]) if all.is_empty() => None,
        Some([]) => Some(format!("{} with long names", all.len())),
        Some(named) => Some(listed(named, all.len())),
        None => None,
    }
}

/// A place in line: `1st`.
pub fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
