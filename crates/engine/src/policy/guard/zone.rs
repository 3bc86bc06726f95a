//! Whose a target is, and so whether losing it can be undone.

use super::facts::{PathFact, PathKind, RepositoryFact};
use super::glob::{StarReach, fits};
use super::path::{absolute, below, folded, is_within, name};
use super::world::GuardWorld;
use super::{own, secret};
use serde::{Deserialize, Serialize};
use shell::{CommandHost, Word};

/// The zone of a target, the least dangerous to lose first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zone {
    /// Ignored, and made again by a build.
    Regenerable,
    /// Made by this session, and unchanged by others since.
    Created,
    /// A temporary folder.
    Scratch,
    /// This worktree, ignored by git.
    Ignored,
    /// This worktree: what a checkpoint holds.
    Tree,
    /// It cannot be told.
    Unknown,
    /// Another worktree or repository, or any other path.
    Elsewhere,
    /// Below the person's home, and no project.
    Home,
    /// A file of credentials.
    Secret,
    /// Toprope's own.
    #[serde(rename = "self")]
    Own,
    /// A git directory.
    Git,
    /// The machine's, or another user's.
    System,
}

impl Zone {
    /// All of them, the least dangerous to lose first.
    pub const ALL: [Self; 12] = [
        Self::Regenerable,
        Self::Created,
        Self::Scratch,
        Self::Ignored,
        Self::Tree,
        Self::Unknown,
        Self::Elsewhere,
        Self::Home,
        Self::Secret,
        Self::Own,
        Self::Git,
        Self::System,
    ];

    /// Its name in rules, messages and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regenerable => "regenerable",
            Self::Created => "created",
            Self::Scratch => "scratch",
            Self::Ignored => "ignored",
            Self::Tree => "tree",
            Self::Unknown => "unknown",
            Self::Elsewhere => "elsewhere",
            Self::Home => "home",
            Self::Secret => "secret",
            Self::Own => "self",
            Self::Git => "git",
            Self::System => "system",
        }
    }

    /// The zone of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|zone| zone.word() == word)
    }
}

/// A target with its zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZonedTarget {
    /// Whose it is.
    pub zone: Zone,
    /// It is the home itself, a worktree's root or the folder above one: losing it loses everything in it.
    pub whole: bool,
    /// Its absolute path, or a pattern's, as far as it is known.
    pub path: Option<String>,
}

impl ZonedTarget {
    fn of(zone: Zone, path: &str) -> Self {
        Self {
            zone,
            whole: false,
            path: Some(path.to_owned()),
        }
    }

    fn whole(zone: Zone, path: &str) -> Self {
        Self {
            whole: true,
            ..Self::of(zone, path)
        }
    }

    fn unknown() -> Self {
        Self {
            zone: Zone::Unknown,
            whole: false,
            path: None,
        }
    }
}

/// Where a command stands: what its relative paths are relative to.
#[derive(Debug, Clone, Copy)]
pub struct CommandFolder<'a> {
    /// The folder it runs in.
    pub cwd: Option<&'a str>,
    /// The machine it runs on.
    pub place: &'a CommandHost,
}

/// No system takes a longer path.
const LONGEST_PATH: usize = 4096;
/// Folders of the machine; `/lib*` is told by its name.
const SYSTEM: [&str; 19] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/opt",
    "/proc",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/run",
    "/snap",
    "/System",
    "/Library",
    "/Applications",
    "/Volumes",
    "/cores",
    "/nix",
];
/// Folders of people.
const HOMES: [&str; 2] = ["/home", "/Users"];
const SCRATCH: [&str; 3] = ["/tmp", "/var/tmp", "/var/folders"];
/// Folders of a container that its image fills.
const IMAGE: [&str; 12] = [
    "/app",
    "/workspace",
    "/src",
    "/work",
    "/w",
    "/code",
    "/build",
    "/usr",
    "/home",
    "/opt",
    "/var/cache",
    "/var/lib/apt",
];
/// Files below `/dev` that keep nothing.
const VOID: [&str; 7] = [
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/zero",
    "/dev/full",
];

/// Whether writing there loses nothing: `/dev/null` and its like.
pub fn is_void(path: &str) -> bool {
    VOID.contains(&path) || is_within(path, "/dev/fd") || is_within(path, "/dev/pts")
}

/// The worst zone of everything a word can stand for.
pub fn of_word(word: &Word, stand: CommandFolder<'_>, world: &GuardWorld<'_>) -> ZonedTarget {
    match word {
        Word::Literal(text) => of_text(text, stand, world),
        Word::OneOf(texts) => texts
            .iter()
            .map(|text| of_text(text, stand, world))
            .max_by_key(|zoned| (zoned.whole, zoned.zone))
            .unwrap_or_else(ZonedTarget::unknown),
        Word::Glob { pattern } => of_pattern(pattern, stand, world),
        // Whatever it is set to, it is ours.
        Word::Unknown {
            prefix,
            name: Some(name),
            ..
        } if name == "TOPROPE_HOME" && prefix.is_empty() && *stand.place == CommandHost::Local => {
            ZonedTarget {
                zone: Zone::Own,
                whole: false,
                path: world.facts.own.home.clone(),
            }
        }
        Word::Unknown { prefix, .. } => match prefix.rsplit_once('/') {
            // What is unknown may be empty, but a folder in front of it is certain.
            Some((folder, _)) if folder.split('/').any(|part| !matches!(part, "" | "." | "..")) => {
                of_child(folder, "*", stand, world)
            }
            Some(("", _)) if prefix == "/" => ZonedTarget::of(Zone::System, "/"),
            Some(_) | None => ZonedTarget::unknown(),
        },
    }
}

fn of_text(text: &str, stand: CommandFolder<'_>, world: &GuardWorld<'_>) -> ZonedTarget {
    if text.len() > LONGEST_PATH {
        return ZonedTarget::unknown();
    }
    if *stand.place != CommandHost::Local {
        return of_distant(text, stand.place);
    }
    world.zone(text, stand.cwd, || {
        match absolute(&tilde(text, world), stand.cwd) {
            Some(path) => {
                // With a slash behind it, a link is the folder it leads to.
                let behind = text.ends_with('/').then(|| linked(&path, world)).flatten();
                of_path(&behind.unwrap_or(path), stand.cwd, world)
            }
            // Wherever it is, it is a git directory.
            None if text.split('/').any(|part| part == ".git") => ZonedTarget {
                zone: Zone::Git,
                ..ZonedTarget::unknown()
            },
            None => ZonedTarget::unknown(),
        }
    })
}

/// Another machine or a container: nothing there can be brought back, and its temporary files matter to nobody.
fn of_distant(text: &str, place: &CommandHost) -> ZonedTarget {
    let Some(path) = absolute(text, Some("/distant")) else {
        return ZonedTarget::unknown();
    };
    if text == "~" || text == "~/" {
        return ZonedTarget::whole(Zone::Home, text);
    }
    if is_scratch(&path, None) {
        return ZonedTarget::of(Zone::Regenerable, &path);
    }
    let is_top = path.matches('/').count() == 1;
    if path == "/" || (is_top && is_system(&path)) {
        return ZonedTarget::whole(Zone::System, &path);
    }
    let is_of_image = !text.starts_with('/') || IMAGE.iter().any(|folder| is_within(&path, folder));
    let zone = match place {
        // The files of an image are made again by its build; data elsewhere is not.
        CommandHost::Container if is_of_image => Zone::Regenerable,
        CommandHost::Container | CommandHost::Remote { .. } | CommandHost::Local => Zone::Elsewhere,
    };
    ZonedTarget::of(zone, &path)
}

/// A leading `~` that the shell left alone, as programs and tools read it.
pub(super) fn tilde(text: &str, world: &GuardWorld<'_>) -> String {
    match (text.strip_prefix('~'), world.facts.home.as_deref()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        (Some(_) | None, _) => text.to_owned(),
    }
}

/// A pattern takes the worst of what it can stand for.
fn of_pattern(pattern: &str, stand: CommandFolder<'_>, world: &GuardWorld<'_>) -> ZonedTarget {
    let literal = super::glob::literal_prefix(pattern);
    let (folder, from) = match literal.rsplit_once('/') {
        Some(("", _)) => ("/", pattern.trim_start_matches('/')),
        Some((folder, _)) => (folder, pattern.get(folder.len() + 1..).unwrap_or("*")),
        None => (".", pattern),
    };
    of_child(folder, from, stand, world)
}

/// The zone of what lies in a folder under names that fit a pattern.
fn of_child(folder: &str, names: &str, stand: CommandFolder<'_>, world: &GuardWorld<'_>) -> ZonedTarget {
    let folder = of_text(folder, stand, world);
    let Some(path) = folder.path.clone() else {
        return folder;
    };
    let is_in_tree = matches!(folder.zone, Zone::Tree | Zone::Ignored);
    if let Some(real) = linked(&path, world).filter(|_| is_in_tree && *stand.place == CommandHost::Local) {
        return of_child(&real, names, stand, world);
    }
    let first = names.split('/').next().unwrap_or(names);
    let shown = format!("{}/{names}", path.trim_end_matches('/'));
    if path == "/" {
        return ZonedTarget::whole(Zone::System, &shown);
    }
    if is_scratch(&format!("{path}/x"), world.facts.tmpdir.as_deref()) && folder.zone == Zone::System {
        let zone = match *stand.place {
            // All that everybody has there: only what begins with a name is somebody's own to lose.
            CommandHost::Local if super::glob::literal_prefix(first).is_empty() => Zone::Elsewhere,
            CommandHost::Local => Zone::Scratch,
            // The temporary files of a container or another machine matter to nobody.
            CommandHost::Container | CommandHost::Remote { .. } => Zone::Regenerable,
        };
        return ZonedTarget::of(zone, &shown);
    }
    let in_tree =
        matches!(folder.zone, Zone::Tree | Zone::Ignored) || (folder.whole && folder.zone == Zone::Git);
    if in_tree && is_regenerable(&path, names, world) {
        return ZonedTarget::of(Zone::Regenerable, &shown);
    }
    if folder.whole {
        let takes_git = first.starts_with('.') && fits(first, ".git", StarReach::Name);
        return match folder.zone {
            // Everything in the home, though not the home itself.
            Zone::Home if matches!(first, "*" | ".*" | "**") => ZonedTarget::whole(Zone::Home, &shown),
            Zone::System if matches!(first, "*" | ".*" | "**") => ZonedTarget::whole(Zone::System, &shown),
            Zone::Git if takes_git => ZonedTarget::whole(Zone::Git, &shown),
            Zone::Git if is_above_root(&path, stand, world) => ZonedTarget::whole(Zone::Git, &shown),
            Zone::Git => ZonedTarget::of(Zone::Tree, &shown),
            other => ZonedTarget::of(other, &shown),
        };
    }
    ZonedTarget::of(folder.zone, &shown)
}

/// Where a folder that is a link leads: what is in it is there.
fn linked(path: &str, world: &GuardWorld<'_>) -> Option<String> {
    let fact = world.path(path)?;
    let is_elsewhere = fact.kind == PathKind::Link && !fact.real.is_empty() && fact.real != path;
    is_elsewhere.then(|| fact.real.clone())
}

/// Whether everything that fits the last name of a pattern is made again by a build: the name is one of those, and git
/// ignores a file called like that.
fn is_regenerable(folder: &str, names: &str, world: &GuardWorld<'_>) -> bool {
    let last = names.rsplit('/').next().unwrap_or(names);
    let plain = last.replace(['*', '?'], "x");
    if plain.contains(['[', '{']) || last == "*" || last == "**" {
        return false;
    }
    is_listed(&plain, &world.settings.regenerable)
        && world
            .path(&format!("{folder}/{plain}"))
            .is_some_and(|fact| fact.ignored)
}

/// Whether an ignored path is made again by a build: it, or a folder above it, is called like that.
pub fn is_made_again(path: &str, regenerable: &[String]) -> bool {
    path.split('/').any(|part| is_listed(part, regenerable))
}

fn is_listed(name: &str, patterns: &[String]) -> bool {
    patterns
        .iter()
        .any(|pattern| fits(pattern, name, StarReach::Name))
}

fn is_above_root(path: &str, stand: CommandFolder<'_>, world: &GuardWorld<'_>) -> bool {
    let root = world
        .repository(stand.cwd)
        .map_or(stand.cwd.unwrap_or("/"), |repository| repository.root.as_str());
    path != root && is_within(root, path)
}

/// The zone of an absolute path. Links count by where they lead.
pub fn of_path(path: &str, cwd: Option<&str>, world: &GuardWorld<'_>) -> ZonedTarget {
    let lexical = unlinked(path, cwd, world, None);
    let needs_look = match lexical.zone {
        Zone::Tree
        | Zone::Ignored
        | Zone::Elsewhere
        | Zone::Unknown
        | Zone::Regenerable
        | Zone::Created
        // Somebody's repository may lie there.
        | Zone::Scratch => true,
        Zone::Home => !lexical.whole,
        Zone::Git | Zone::Own | Zone::Secret | Zone::System => false,
    };
    if !needs_look {
        return lexical;
    }
    let Some(fact) = world.path(path) else {
        return lexical;
    };
    let mut seen = unlinked(path, cwd, world, Some(fact));
    if fact.folds_case {
        let spelled = folded(path, &places(cwd, world));
        let zones = spelled.iter().map(|path| unlinked(path, cwd, world, Some(fact)));
        seen = zones.fold(seen, |worst, other| {
            if other.zone > worst.zone || (other.zone == worst.zone && other.whole) {
                other
            } else {
                worst
            }
        });
    }
    if fact.real.is_empty() || fact.real == path {
        return seen;
    }
    let real = absolute(&fact.real, None).unwrap_or_else(|| fact.real.clone());
    let real = unlinked(&real, cwd, world, Some(fact));
    // What lies behind a link out of the worktree is in no checkpoint; the link itself is.
    let is_behind = fact.exists && fact.kind != PathKind::Link && real.zone == Zone::Scratch;
    let is_kept = matches!(seen.zone, Zone::Tree | Zone::Ignored | Zone::Regenerable);
    if real.zone > seen.zone || (is_behind && is_kept) {
        real
    } else {
        seen
    }
}

/// The places a path is compared with.
fn places<'a>(cwd: Option<&'a str>, world: &GuardWorld<'a>) -> Vec<&'a str> {
    let repository = world.repository(cwd);
    let own = &world.facts.own;
    let known = [
        world.facts.home.as_deref(),
        cwd,
        repository.map(|repository| repository.root.as_str()),
        repository.map(|repository| repository.git_dir.as_str()),
        repository.map(|repository| repository.common_dir.as_str()),
        own.home.as_deref(),
        own.socket.as_deref(),
        own.config.as_deref(),
    ];
    known
        .into_iter()
        .flatten()
        .chain(own.agent_settings.iter().map(String::as_str))
        .filter(|place| !place.is_empty())
        .collect()
}

fn unlinked(path: &str, cwd: Option<&str>, world: &GuardWorld<'_>, fact: Option<&PathFact>) -> ZonedTarget {
    let facts = world.facts;
    if path == "/" {
        return ZonedTarget::whole(Zone::System, path);
    }
    if own::is_protected(path, cwd, world) {
        return ZonedTarget::of(Zone::Own, path);
    }
    let in_home = facts.home.as_deref().is_some_and(|home| is_within(path, home));
    if (in_home || !is_system(path)) && secret::is_outside_secret(path, facts.home.as_deref()) {
        return ZonedTarget::of(Zone::Secret, path);
    }
    let home = facts.home.as_deref().filter(|home| *home != "/");
    if let Some(home) = home
        && is_within(home, path)
    {
        return ZonedTarget::whole(if path == home { Zone::Home } else { Zone::System }, path);
    }
    let repository = world.repository(cwd);
    if in_git_directory(path, repository) || fact.is_some_and(|fact| fact.git_dir) {
        // Lock files there come and go; git itself says to remove one that was left behind.
        let is_lock = std::path::Path::new(name(path))
            .extension()
            .is_some_and(|end| end == "lock");
        return ZonedTarget::of(if is_lock { Zone::Regenerable } else { Zone::Git }, path);
    }
    if fact.is_some_and(|fact| fact.mount) {
        return ZonedTarget::whole(Zone::System, path);
    }
    // What is in a checkpoint is the worktree of the session, wherever the command goes.
    let session = facts.cwd.as_deref();
    if let Some(root) = root(session, world.repository(session), home) {
        if is_within(root, path) {
            return ZonedTarget::whole(Zone::Git, path);
        }
        if let Some(inside) = below(path, root) {
            return ZonedTarget::of(in_tree(path, inside, world, fact), path);
        }
    }
    if let Some(root) = repository.and(root(cwd, repository, home))
        && is_within(root, path)
    {
        return ZonedTarget::whole(Zone::Git, path);
    }
    if let Some(other) = fact.and_then(|fact| fact.worktree.as_deref()) {
        let whole = is_within(other, path);
        return ZonedTarget {
            whole,
            ..ZonedTarget::of(Zone::Elsewhere, path)
        };
    }
    if repository.is_some_and(|repository| repository.worktrees.iter().any(|tree| is_within(path, tree))) {
        return ZonedTarget::of(Zone::Elsewhere, path);
    }
    if fact.is_some_and(|fact| fact.created) {
        return ZonedTarget::of(Zone::Created, path);
    }
    ZonedTarget::of(outside(path, world, home), path)
}

/// The root that checkpoints cover: the worktree's, or outside git the folder itself unless that is a home or a system's.
fn root<'a>(
    cwd: Option<&'a str>,
    repository: Option<&'a RepositoryFact>,
    home: Option<&str>,
) -> Option<&'a str> {
    let root = match repository {
        Some(repository) if repository.is_bare => return None,
        Some(repository) => repository.root.as_str(),
        None => cwd?,
    };
    let is_home = home.is_some_and(|home| is_within(home, root));
    let in_home = home.is_some_and(|home| is_within(root, home));
    let is_project = root != "/" && !is_home && (in_home || repository.is_some() || !is_plain_system(root));
    is_project.then_some(root)
}

fn is_plain_system(path: &str) -> bool {
    is_system(path) && !is_scratch(path, None) || SCRATCH.contains(&path) || HOMES.contains(&path)
}

fn in_tree(path: &str, inside: &str, world: &GuardWorld<'_>, fact: Option<&PathFact>) -> Zone {
    let Some(fact) = fact else { return Zone::Tree };
    if fact.worktree.is_some() {
        return Zone::Elsewhere;
    }
    if fact.created {
        return Zone::Created;
    }
    // What is not there yet can only be what a build will have made.
    if (fact.ignored || !fact.exists) && is_made_again(inside, &world.settings.regenerable) {
        return Zone::Regenerable;
    }
    if !fact.ignored {
        return Zone::Tree;
    }
    if inside == "tmp"
        || inside.starts_with("tmp/")
        || is_scratch(path, world.facts.client_scratch.as_deref()) && inside.starts_with(".claude")
    {
        return Zone::Scratch;
    }
    Zone::Ignored
}

fn outside(path: &str, world: &GuardWorld<'_>, home: Option<&str>) -> Zone {
    let facts = world.facts;
    let scratch = [facts.tmpdir.as_deref(), facts.client_scratch.as_deref()];
    let in_own_scratch = scratch
        .into_iter()
        .flatten()
        .any(|folder| folder != "/" && path != folder && is_within(path, folder));
    let in_home = home.is_some_and(|home| is_within(path, home));
    // A home may itself lie in a temporary folder.
    let is_homes_own = in_home && home.is_some_and(|home| is_scratch(home, None));
    if in_own_scratch || is_scratch(path, None) && !is_homes_own {
        return Zone::Scratch;
    }
    if in_home {
        return Zone::Home;
    }
    if is_system(path) {
        return Zone::System;
    }
    Zone::Elsewhere
}

/// Within a temporary folder; such a folder itself belongs to the machine.
fn is_scratch(path: &str, more: Option<&str>) -> bool {
    SCRATCH
        .iter()
        .copied()
        .chain(more)
        .any(|folder| path != folder && is_within(path, folder))
        || is_within(path, "/dev/shm") && path != "/dev/shm"
}

fn is_system(path: &str) -> bool {
    let top = path.split('/').nth(1).unwrap_or_default();
    SYSTEM.iter().any(|folder| is_within(path, folder))
        || (top.starts_with("lib") && matches!(top, "lib" | "lib32" | "lib64" | "libx32"))
        || SCRATCH.contains(&path)
        || HOMES.iter().any(|homes| is_within(path, homes))
        || path == "/mnt"
        || path == "/media"
        || is_within(path, "/root")
}

/// Whether the path is a git directory or lies in one.
fn in_git_directory(path: &str, repository: Option<&RepositoryFact>) -> bool {
    let named = path.split('/').any(|part| part == ".git");
    let known = repository.is_some_and(|repository| {
        [&repository.common_dir, &repository.git_dir]
            .into_iter()
            .any(|folder| !folder.is_empty() && is_within(path, folder))
    });
    named || known
}
