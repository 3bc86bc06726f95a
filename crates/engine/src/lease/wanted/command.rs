//! What a command for the shell writes.

use super::{MOST_FILES, WantedOfCall, WantedPattern};
use crate::lease::target::{How, Means, Wanted};
use crate::settings::{LeaseSettings, Mode};
use crate::shell::{self, Budget, Command, Place, Scene, Unasked, UserWrappers, Word, Write};
use crate::text::one_line;
use std::path::{Path, PathBuf};

/// Most characters of a command in a message.
const SHOWN: usize = 80;

/// What the text writes, run in this folder.
pub(super) fn wanted(
    text: &str,
    background: bool,
    cwd: Option<&Path>,
    settings: &LeaseSettings,
) -> WantedOfCall {
    let mut found = WantedOfCall::default();
    let is_off = settings.bash == Mode::Off && settings.bulk_mode == Mode::Off;
    let more = settings
        .bulk
        .iter()
        .filter_map(|prefix| prefix.split_whitespace().next());
    if is_off || !shell::may_write(text, more) {
        return found;
    }
    let wrappers = UserWrappers::default();
    let scene = Scene {
        cwd: cwd.and_then(Path::to_str).map(str::to_owned),
        home: None,
        user: None,
        tmpdir: None,
        budget: Budget::default(),
        wrappers: &wrappers,
        known: &Unasked,
    };
    for command in &shell::read(text, &scene).commands {
        // Another machine's files are not ours.
        if command.place != Place::Local {
            continue;
        }
        let written = shell::written(command);
        let is_bulk = written.tree || is_declared(command, &settings.bulk);
        if is_bulk && found.bulk.is_none() && settings.bulk_mode != Mode::Off {
            found.bulk = Some(one_line(&command.text, SHOWN));
            found.bulk_at = command.cwd.as_ref().map(PathBuf::from);
        }
        if settings.bash != Mode::Off {
            let background = background || command.background;
            for write in &written.files {
                add(&mut found, write, command, background);
            }
        }
    }
    found.files.sort_by(|one, two| one.path.cmp(&two.path));
    found
}

fn add(found: &mut WantedOfCall, write: &Write, command: &Command, background: bool) {
    let how = match write.how {
        shell::How::Overwrite => How::Overwrite,
        shell::How::Change => How::Change,
        shell::How::Remove => How::Remove,
    };
    let cwd = command.cwd.as_deref();
    if let Word::Glob { pattern } = &write.target {
        let pattern = WantedPattern::new(pattern, cwd, how, write.below);
        if let Some(pattern) = pattern.filter(|_| found.patterns.len() < MOST_FILES)
            && !found.patterns.contains(&pattern)
        {
            found.patterns.push(pattern);
        }
    }
    for path in write.target.texts() {
        let Some(path) = shell::path::joined(cwd, path).filter(|_| !path.is_empty()) else {
            continue;
        };
        found.add(Wanted {
            path: PathBuf::from(path),
            how,
            means: Means::Shell,
            below: write.below,
            into: write.into.clone(),
            background,
        });
    }
}

/// Whether a command begins with the words of one of these.
fn is_declared(command: &Command, prefixes: &[String]) -> bool {
    prefixes.iter().any(|prefix| {
        let mut wanted = prefix.split_whitespace();
        let program = wanted.next();
        let mut words = command.argv.iter().skip(1);
        program.is_some()
            && command.program() == program
            && wanted.all(|wanted| words.next().and_then(Word::literal) == Some(wanted))
    })
}
