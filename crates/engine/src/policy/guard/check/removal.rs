//! Removing what a checkpoint can bring back: held once, then kept before it runs.

use super::CheckContext;
use crate::policy::guard::aim;
use crate::policy::guard::cover::{self, LossCover};
use crate::policy::guard::facts::{MatchFact, PathFact};
use crate::policy::guard::glob::{is_pattern, literal_prefix};
use crate::policy::guard::keep_list::Keep;
use crate::policy::guard::loss::{Harm, HarmKind, harms};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{self, count, shown_word};
use crate::policy::guard::path::absolute;
use crate::policy::guard::verdict::{HarmClass, Ruling};
use crate::policy::guard::zone::{Zone, ZonedTarget, is_void};
use crate::settings::Created;
use crate::text::path_word;
use shell::Word;
use std::borrow::Cow;

/// Said of a target that may be anywhere.
const UNKNOWN: &str = "Its target is not known, so no checkpoint can be promised to hold it.";

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let mut lost = RemovalLoss::default();
    for harm in harms(look.seen)
        .iter()
        .filter(|harm| !harm.remote && is_meant(harm, look))
    {
        for target in values(&harm.target) {
            one(harm, &target, look, &mut lost);
        }
    }
    let mut hit = lost.hit.take()?;
    hit.keep.beside = std::mem::take(&mut lost.beside);
    if follows_links(look) {
        hit.cover = LossCover::Missing(
            "It also goes through links, and what they lead to outside the project is in no checkpoint."
                .to_owned(),
        );
        hit.zone = hit.zone.max(Some(Zone::Unknown));
    }
    if hit.aims.len() > aim::MOST {
        hit.aims = vec![aim::of_command_at(look.seen, &hit.aims)];
    }
    if look.seen.program.is_none() && !look.seen.command.argv.is_empty() {
        hit.missing = Some("the program");
    }
    if hit.what.is_none() {
        hit.what = Some(lost.what(look));
        hit.instead = hit.instead.or_else(|| Some(lost.instead(look)));
    }
    Some(hit)
}

/// What is found so far.
#[derive(Default)]
struct RemovalLoss {
    hit: Option<Hit>,
    names: Vec<String>,
    /// How many files that are; `None` once one of them cannot be counted.
    files: Option<u64>,
    is_folder: bool,
    is_pattern: bool,
    removes: bool,
    /// What goes as well and no checkpoint holds.
    beside: Vec<String>,
}

/// A search that removes what it finds.
fn is_search(look: &CheckContext<'_>) -> bool {
    look.seen.is(&["find", "gfind", "bfs"]) && look.seen.has(&["-delete"])
}

/// A search that goes where links lead.
fn follows_links(look: &CheckContext<'_>) -> bool {
    look.seen.is(&["find", "gfind", "bfs"]) && look.seen.has(&["-L", "-follow"])
}

impl RemovalLoss {
    fn add(&mut self, harm: &Harm<'_>, target: &Word, fact: Option<&PathFact>) -> &mut Hit {
        self.is_pattern |= !matches!(target, Word::Literal(_));
        let files = fact
            .filter(|fact| !fact.capped && !self.is_pattern)
            .map(|fact| fact.files.max(1));
        self.files = match (self.names.is_empty(), self.files) {
            (true, _) => files,
            (false, so_far) => so_far.zip(files).map(|(so_far, files)| so_far + files),
        };
        self.is_folder |= fact.is_some_and(|fact| fact.files > 1);
        self.removes |= harm.how == HarmKind::Remove;
        let shown = message::command(&shown_word(target));
        self.names.push(shown.clone());
        let hit = self.hit.get_or_insert_with(|| Hit {
            cover: LossCover::Held,
            ..Hit::yes()
        });
        if matches!(target, Word::Unknown { .. }) {
            // What is not known may lead out of the folder in front of it.
            hit.cover = LossCover::Missing(UNKNOWN.to_owned());
        }
        hit.targets.push(shown);
        hit
    }

    fn what(&self, look: &CheckContext<'_>) -> String {
        let verb = if self.removes { "remove" } else { "empty" };
        if self.is_pattern && (is_search(look) || is_handed_over(look)) {
            return format!("would {verb} everything that the search finds");
        }
        let names = message::names(&self.names);
        match (self.files, self.names.as_slice()) {
            (Some(1), [_]) => format!("would {verb} {names}"),
            (Some(files), [_]) if self.is_folder => {
                format!("would {verb} {} in {names}", count(files, "file", "files"))
            }
            (Some(files), _) => format!("would {verb} {} ({names})", count(files, "file", "files")),
            (None, _) if self.is_pattern => format!("would {verb} everything that matches {names}"),
            (None, _) => format!("would {verb} {names}"),
        }
    }

    fn instead(&self, look: &CheckContext<'_>) -> String {
        match self.names.as_slice() {
            _ if is_search(look) => "(list what it finds first: the same search without -delete)".to_owned(),
            _ if is_handed_over(look) => {
                "(list what it finds first: the search alone, then name the files)".to_owned()
            }
            [name] if self.removes && !self.is_pattern && is_plain(name) && !is_here(name) => {
                aside(name, look)
            }
            _ if self.removes => "(name the files one by one, without -r and -f)".to_owned(),
            _ => "(write the new content with the file tool)".to_owned(),
        }
    }
}

/// A move to a name that is free.
fn aside(name: &str, look: &CheckContext<'_>) -> String {
    let name = name.trim_end_matches('/');
    let is_free = |to: &&String| {
        let cwd = look.seen.command.cwd.as_deref();
        let there = absolute(to, cwd).and_then(|path| look.world.path(&path));
        there.is_none_or(|fact| !fact.exists)
    };
    let names = ["old", "old2", "old3"].map(|end| format!("{name}.{end}"));
    names.iter().find(is_free).map_or_else(
        || "(move it to a name that is free)".to_owned(),
        |to| format!("mv {name} {to}"),
    )
}

/// A folder that cannot be moved aside from where one stands.
fn is_here(name: &str) -> bool {
    name.split('/').all(|part| matches!(part, "" | "." | ".."))
}

/// A name that means itself in a shell.
fn is_plain(name: &str) -> bool {
    path_word(name) == name
}

fn one(harm: &Harm<'_>, target: &Word, look: &CheckContext<'_>, lost: &mut RemovalLoss) {
    let zoned = look.seen.zone(target, look.world);
    if zoned.path.as_deref().is_some_and(is_void) {
        return;
    }
    let is_brought = is_brought(&zoned, look);
    let matched = matched(&zoned, look);
    let linked = matched.map_or(&[][..], |matched| behind_links(matched, look));
    let fits_nothing = matched.is_some_and(|matched| matched.paths.is_empty()) && linked.is_empty();
    let is_nothing = zoned.zone == Zone::Scratch || is_absent(&zoned, look) || fits_nothing;
    if is_brought && (is_nothing || is_ours(zoned.zone)) {
        brought(harm, target, lost);
        return;
    }
    if is_nothing {
        if zoned.zone == Zone::Scratch && !is_absent(&zoned, look) {
            lost.beside.push(message::command(&shown_word(target)));
        }
        return;
    }
    let in_tree = match zoned.zone {
        Zone::Tree => true,
        // The folder a narrowed search starts from stays.
        Zone::Git if harm.narrowed && zoned.whole => true,
        Zone::Created if look.rules.guard().created == Created::OneStrike => true,
        Zone::Ignored => false,
        Zone::Unknown => return unknown(harm, target, lost),
        Zone::Git
        | Zone::Created
        | Zone::Scratch
        | Zone::Regenerable
        | Zone::Home
        | Zone::Elsewhere
        | Zone::Secret
        | Zone::Own
        | Zone::System => return,
    };
    let Some(path) = zoned.path.clone() else { return };
    let fact = look.world.path(&path).filter(|_| !is_pattern(&path));
    let hit = lost.add(harm, target, fact);
    let zone = if zoned.zone == Zone::Git {
        Zone::Tree
    } else {
        zoned.zone
    };
    hit.zone = hit.zone.max(Some(zone));
    let kind = if harm.deep { aim::FILES } else { aim::FILE };
    let paths = matched.map_or(std::slice::from_ref(&path), |matched| &matched.paths);
    hit.aims
        .extend(paths.iter().chain(linked).map(|path| aim::at(kind, path)));
    if let Some(first) = linked.first() {
        hit.cover = LossCover::Missing(format!(
            "It also goes through a link: {} would go, and not come back with an undo.",
            message::command(first)
        ));
        hit.zone = hit.zone.max(Some(Zone::Unknown));
    }
    if let Some(link) = through_link(target, &path, look) {
        // What such a command takes away is not told by the names in it, so its end would not be known as its own.
        hit.cover = LossCover::Missing(
            "It goes through a link: what that leads to would go, and not come back with an undo.".to_owned(),
        );
        hit.instead = Some(link);
    }
    if in_tree {
        let below = harm.deep || is_pattern(&path);
        for path in paths {
            hit.keep.join(of_tree(path, below));
        }
    } else {
        ignored(hit, target, &path, look);
    }
}

/// A link with a slash behind it is what it leads to: the command for the link alone.
fn through_link(target: &Word, path: &str, look: &CheckContext<'_>) -> Option<String> {
    let text = target.literal().filter(|text| text.ends_with('/'))?;
    let written = absolute(text, look.seen.command.cwd.as_deref())?;
    let name = text.trim_end_matches('/');
    (written != path).then(|| {
        if is_plain(name) && look.seen.is(&["rm"]) {
            format!("rm {name}")
        } else {
            "(name the folder it leads to)".to_owned()
        }
    })
}

/// What the checkpoint must hold of a target in the tree: git's files, and the ignored ones at or below it.
fn of_tree(path: &str, below: bool) -> Keep {
    Keep {
        ignored_below: if below {
            vec![folder(path).to_owned()]
        } else {
            Vec::new()
        },
        files: vec![path.to_owned()],
        ..Keep::default()
    }
}

/// The folder that a pattern starts from; a plain path itself.
fn folder(path: &str) -> &str {
    let fixed = literal_prefix(path);
    if fixed.len() == path.len() {
        return path;
    }
    fixed.rsplit_once('/').map_or(fixed, |(folder, _)| folder)
}

/// Whether the text itself puts something there first.
fn is_brought(zoned: &ZonedTarget, look: &CheckContext<'_>) -> bool {
    let world = look.world;
    world.has_moved() && zoned.path.as_deref().is_some_and(|path| world.is_brought(path))
}

/// Whether no other rule looks at what is removed from there.
fn is_ours(zone: Zone) -> bool {
    matches!(
        zone,
        Zone::Tree | Zone::Ignored | Zone::Created | Zone::Scratch | Zone::Regenerable
    )
}

/// What the text itself puts there goes with it, and where that came from is not followed.
fn brought(harm: &Harm<'_>, target: &Word, lost: &mut RemovalLoss) {
    let shown = message::command(&shown_word(target));
    let hit = lost.add(harm, target, None);
    hit.zone = hit.zone.max(Some(Zone::Unknown));
    hit.cover = LossCover::Missing(cover::BROUGHT.to_owned());
    let verb = if harm.how == HarmKind::Remove {
        "remove"
    } else {
        "empty"
    };
    hit.what = Some(format!(
        "would {verb} {shown} with what the same command puts there first"
    ));
    hit.instead = Some(cover::APART.to_owned());
}

fn unknown(harm: &Harm<'_>, target: &Word, lost: &mut RemovalLoss) {
    let shown = message::command(&shown_word(target));
    let hit = lost.add(harm, target, None);
    hit.target_unknown = true;
    hit.zone = hit.zone.max(Some(Zone::Unknown));
    hit.what = Some(format!("would remove something that cannot be told ({shown})"));
    hit.why = Some(UNKNOWN.to_owned());
    hit.instead = Some("(write the path out literally)".to_owned());
}

/// Every word it may be.
fn values(word: &Word) -> Vec<Cow<'_, Word>> {
    match word {
        Word::OneOf(texts) => texts
            .iter()
            .map(|text| Cow::Owned(Word::new(text.as_str())))
            .collect(),
        Word::Literal(_) | Word::Glob { .. } | Word::Unknown { .. } => vec![Cow::Borrowed(word)],
    }
}

/// What is not there has nothing to lose.
fn is_absent(zoned: &ZonedTarget, look: &CheckContext<'_>) -> bool {
    zoned
        .path
        .as_deref()
        // A pattern stands for files that are there.
        .filter(|path| !is_pattern(path))
        .and_then(|path| look.world.path(path))
        .is_some_and(|fact| !fact.exists)
}

/// What a pattern in the worktree stands for, if that is known.
fn matched<'a>(zoned: &ZonedTarget, look: &CheckContext<'a>) -> Option<&'a MatchFact> {
    let is_inside = matches!(zoned.zone, Zone::Tree | Zone::Ignored | Zone::Created);
    let pattern = zoned
        .path
        .as_deref()
        .filter(|path| is_inside && is_pattern(path))?;
    look.world.matches(pattern)
}

/// What a pattern reaches through links.
fn behind_links<'a>(matched: &'a MatchFact, look: &CheckContext<'_>) -> &'a [String] {
    let is_shells = !is_search(look) && !is_handed_over(look);
    if matched.behind.is_empty() && is_shells {
        &matched.starred
    } else {
        &matched.behind
    }
}

/// What the rule is about: forced or deep removals, and what empties a file.
fn is_meant(harm: &Harm<'_>, look: &CheckContext<'_>) -> bool {
    match harm.how {
        HarmKind::Remove => {
            harm.deep
                || harm.forced
                || is_everything(&harm.target)
                || (is_handed_over(look) && !matches!(*harm.target, Word::Literal(_) | Word::OneOf(_)))
                || is_moved_there(harm, look)
        }
        // What git knows is somebody's work, however it is emptied; what it ignores is emptied every day.
        HarmKind::Empty => harm.forced || look.seen.zone(&harm.target, look.world).zone == Zone::Tree,
        HarmKind::Overwrite | HarmKind::Append | HarmKind::Move | HarmKind::Mode => false,
    }
}

/// Whether what goes is nowhere else any more: the text itself moves it there first.
fn is_moved_there(harm: &Harm<'_>, look: &CheckContext<'_>) -> bool {
    let world = look.world;
    let is_moved = |target: Cow<'_, Word>| {
        let path = look.seen.zone(&target, world).path;
        path.is_some_and(|path| world.is_moved_to(&path))
    };
    world.has_moved() && values(&harm.target).into_iter().any(is_moved)
}

/// Whether other programs name what is removed: as many files as they find.
fn is_handed_over(look: &CheckContext<'_>) -> bool {
    look.seen.command.through.iter().any(|outer| {
        outer == "xargs" || outer == "parallel" || outer.starts_with("find ") || outer.starts_with("fd ")
    })
}

fn is_everything(word: &Word) -> bool {
    matches!(word, Word::Glob { pattern } if matches!(pattern.rsplit('/').next(), Some("*" | "**" | ".*")))
}

/// Ignored files are kept by name, up to a size; beyond it nothing brings them back.
fn ignored(hit: &mut Hit, target: &Word, path: &str, look: &CheckContext<'_>) {
    let folder = folder(path).trim_end_matches('/');
    let limit_mb = look.rules.guard().capture_limit_mb;
    let limit = u64::from(limit_mb) * 1_048_576;
    let fact = look.world.path(folder);
    if fact.is_some_and(|fact| fact.bytes > limit || fact.capped) {
        let name = target.literal().unwrap_or(folder).trim_end_matches('/');
        hit.class = Some(HarmClass::Irreversible);
        hit.verdict = Some(Ruling::Ask);
        hit.what = Some(format!(
            "would remove {}, which git ignores and which is too large for a checkpoint",
            message::command(name)
        ));
        hit.why = Some(format!("Ignored files above {limit_mb} MB are in no checkpoint."));
        hit.instead = Some(if is_plain(name) {
            aside(name, look)
        } else {
            "(move it aside)".to_owned()
        });
    } else {
        hit.keep.join(Keep {
            ignored: vec![folder.to_owned()],
            ..Keep::default()
        });
    }
}
