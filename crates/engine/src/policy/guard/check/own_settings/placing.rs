//! What lands on a settings file, or brings one along: a copy, a move, a link. What it holds is read where it lies.

use super::super::CheckContext;
use super::taking::PLACING;
use super::{ResultingSettings, SettingsEffect};
use crate::policy::guard::client::{NAMES, Relation, Target, fits_name, names, reached, spellings, targets};
use crate::policy::guard::facts::PathKind;
use crate::policy::guard::glob::is_pattern;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::own::is_agent_settings;
use crate::policy::guard::path::{absolute, below, is_within, name, parent};
use shell::{Word, writes};

pub(super) fn touched(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let seen = look.seen;
    if !seen.is(&PLACING) || seen.has(&["-n", "--dry-run"]) && seen.is(&["rsync"]) {
        return Vec::new();
    }
    let words: Vec<&Word> = seen.operands().iter().map(|operand| operand.word).collect();
    let here = Word::new(".");
    let (sources, target) = match (seen.value(&["-t", "--target-directory"]), words.as_slice()) {
        (Some(target), sources) => (sources, target),
        (None, [only]) if seen.is(&["ln"]) => (std::slice::from_ref(only), &here),
        (None, [sources @ .., target]) if !sources.is_empty() => (sources, *target),
        (None, _) => return Vec::new(),
    };
    let mut found = linked(sources, look);
    for place in targets(target, seen, look.world) {
        match &place {
            Target::Pattern { pattern, dotted } => {
                let files = reached(&place, true, look.world).into_iter();
                let meant = files.filter(|file| {
                    file.relation == Relation::Itself || fits_name(pattern, parent(&file.path), *dotted)
                });
                found.extend(meant.map(|file| {
                    SettingsEffect::new(file.path, ResultingSettings::Unknown, shown_word(target))
                }));
            }
            Target::Path(path) => {
                for place in spellings(&Target::Path(path.clone()), true, look.world) {
                    for source in sources {
                        found.extend(landing(&place, source, look));
                    }
                }
            }
        }
    }
    found
}

/// A link to a settings file is a way to write it unseen.
fn linked(sources: &[&Word], look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    if !look.seen.is(&["ln"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for source in sources {
        for target in targets(source, look.seen, look.world) {
            let files = reached(&target, false, look.world).into_iter();
            found.extend(
                files
                    .filter(|file| file.relation == Relation::Itself)
                    .map(|file| {
                        SettingsEffect::new(file.path, ResultingSettings::Unknown, shown_word(source))
                    }),
            );
        }
    }
    found
}

/// The settings files at or below a place, each as the client and as the place calls it.
fn files_at(place: &str, look: &CheckContext<'_>) -> Vec<(String, String)> {
    let known = &look.world.facts.own.settings;
    let mut files: Vec<(String, String)> = known
        .iter()
        .flat_map(|file| names(file).map(|called| (file.path.clone(), called.to_owned())))
        .filter(|(_, called)| is_within(called, place))
        .collect();
    if files.is_empty() && is_agent_settings(place, look.world) {
        files.push((place.to_owned(), place.to_owned()));
    }
    if files.is_empty() && name(place) == ".claude" {
        let others = NAMES.map(|file| format!("{place}/{file}"));
        files.extend(others.map(|file| (file.clone(), file)));
    }
    files
}

fn landing(place: &str, source: &Word, look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let mut found = Vec::new();
    for (file, called) in files_at(place, look) {
        let inside = below(&called, place).unwrap_or_default();
        let shown = shown_word(source);
        if inside.is_empty() {
            found.push(SettingsEffect::new(file, ResultingSettings::Unknown, shown));
            continue;
        }
        let after = match source {
            // Whatever it is called, it may be called like that.
            Word::Unknown { .. } => (!inside.contains('/')).then_some(ResultingSettings::Unknown),
            Word::Literal(_) | Word::OneOf(_) | Word::Glob { .. } => {
                let mut all = targets(source, look.seen, look.world).into_iter();
                all.find_map(|from| {
                    origin(&from, source, place, inside, look).and_then(|from| held(&from, look))
                })
            }
        };
        found.extend(after.map(|after| SettingsEffect::new(file, after, shown)));
    }
    found
}

/// Where that which would lie at `inside` below the place lies now; nothing where nothing would.
fn origin(
    from: &Target,
    source: &Word,
    place: &str,
    inside: &str,
    look: &CheckContext<'_>,
) -> Option<String> {
    let (first, rest) = inside
        .split_once('/')
        .map_or((inside, None), |(first, rest)| (first, Some(rest)));
    let with_rest = |folder: String| rest.map_or_else(|| folder.clone(), |rest| format!("{folder}/{rest}"));
    match from {
        Target::Path(from) => {
            if is_its_content(source, look) || !goes_into(place, look) {
                return Some(format!("{from}/{inside}"));
            }
            (name(from) == first).then(|| with_rest(from.clone()))
        }
        Target::Pattern { pattern, dotted } => {
            let folder = parent(pattern);
            let fits = fits_name(name(pattern), first, *dotted) && !is_pattern(folder);
            fits.then(|| with_rest(format!("{folder}/{first}")))
        }
    }
}

/// `cp -r x/. y`, `rsync x/ y`: what is in the folder, not the folder.
fn is_its_content(source: &Word, look: &CheckContext<'_>) -> bool {
    let text = source.literal().unwrap_or_default();
    text == "." || text.ends_with("/.") || text.ends_with('/') && look.seen.is(&["rsync"])
}

/// Whether a source keeps its name below the target: that is a folder already.
fn goes_into(place: &str, look: &CheckContext<'_>) -> bool {
    if look.seen.has(&["-T", "--no-target-directory"]) {
        return false;
    }
    let is_folder = look
        .world
        .path(place)
        .is_some_and(|fact| fact.exists && matches!(fact.kind, PathKind::Folder | PathKind::Link));
    is_folder || look.seen.operands().len() > 2 || look.seen.is(&["rsync"])
}

/// What a source holds; nothing where there is no such file.
fn held(path: &str, look: &CheckContext<'_>) -> Option<ResultingSettings> {
    if is_written_before(path, look) {
        return Some(ResultingSettings::Unknown);
    }
    match look.world.text(path) {
        Some(Some(text)) => Some(ResultingSettings::Text(text.to_owned())),
        Some(None) => None,
        None => Some(ResultingSettings::Unknown),
    }
}

/// How many commands in front are looked at.
const MOST_BEFORE: usize = 64;

/// Whether the text itself writes a path, or a folder above it, before this command.
fn is_written_before(path: &str, look: &CheckContext<'_>) -> bool {
    let before = look.seen.before().iter().rev().take(MOST_BEFORE);
    before.into_iter().any(|command| {
        writes(command).iter().any(|write| {
            let target = write.target.literal();
            target
                .and_then(|target| absolute(target, command.cwd.as_deref()))
                .is_some_and(|target| is_within(path, &target))
        })
    })
}
