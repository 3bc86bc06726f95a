//! Files written into the system's temporary folder go into the project's own.

use super::CheckContext;
use crate::policy::guard::loss::{HarmKind, harms};
use crate::policy::guard::match_result::{Edit, Hit, Splice};
use crate::policy::guard::path::{absolute, is_within};
use crate::text::path_word;
use shell::{CommandHost, Span, Word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    let scratch = look.rules.guard().scratch_dir.as_str();
    if scratch.is_empty() || seen.command.place != CommandHost::Local {
        return None;
    }
    let mut moved: Vec<String> = Vec::new();
    for harm in harms(seen) {
        if matches!(harm.how, HarmKind::Overwrite | HarmKind::Empty | HarmKind::Append)
            && is_meant(&harm.target, look)
        {
            moved.extend(harm.target.texts().iter().cloned());
        }
    }
    if seen.is(&["mkdir", "touch"]) {
        let made = seen
            .operands()
            .iter()
            .filter(|operand| is_meant(operand.word, look));
        moved.extend(made.flat_map(|operand| operand.word.texts().iter().cloned()));
    }
    if moved.is_empty() {
        return None;
    }
    let root = look
        .world
        .repository(look.world.facts.cwd.as_deref())
        .map(|repository| repository.root.clone())
        .or_else(|| look.world.facts.cwd.clone())?;
    let folder = format!("{root}/{scratch}");
    let mut hit = Hit {
        targets: moved.clone(),
        ..Hit::yes()
    };
    if seen.command.span.is_some() {
        hit.edit = edit(look, &moved, &folder);
    }
    Some(hit)
}

fn is_meant(word: &Word, look: &CheckContext<'_>) -> bool {
    let Some(path) = word.literal().and_then(|text| absolute(text, None)) else {
        return false;
    };
    let facts = look.world.facts;
    let cwd = look.seen.command.cwd.as_deref();
    let spared = [
        facts.client_scratch.as_deref(),
        facts.tmpdir.as_deref().filter(|folder| *folder != "/tmp"),
    ];
    let root = look
        .world
        .repository(cwd)
        .map(|repository| repository.root.as_str());
    is_within(&path, "/tmp")
        && path != "/tmp"
        && !path.starts_with("/tmp/claude")
        && !spared
            .into_iter()
            .flatten()
            .chain(root)
            .any(|folder| is_within(&path, folder))
}

/// Every word of the whole text that names one of these paths, and the folder made in front.
fn edit(look: &CheckContext<'_>, moved: &[String], folder: &str) -> Option<Edit> {
    let mut splices: Vec<Splice> = Vec::new();
    look.world.spend(1 + look.seen.intent.commands.len() / 4);
    for command in &look.seen.intent.commands {
        let words = command
            .argv
            .iter()
            .zip(&command.spans)
            .map(|(word, span)| (word, *span));
        let targets = command
            .redirects
            .iter()
            .map(|redirect| (&redirect.target, redirect.target_span));
        for (word, span) in words.chain(targets) {
            let (Some(text), Some(span)) = (word.literal(), span) else {
                continue;
            };
            if !moved.iter().any(|path| path == text) || splices.iter().any(|splice| splice.span == span) {
                continue;
            }
            let inside = absolute(text, None)?;
            let inside = inside.strip_prefix("/tmp/")?;
            splices.push(Splice {
                span,
                with: path_word(format!("{folder}/{inside}")),
            });
        }
    }
    let first = Span { start: 0, end: 0 };
    let is_new = splices.iter().all(|splice| splice.span != first);
    if splices.is_empty() || !is_new {
        return None;
    }
    splices.push(Splice {
        span: first,
        with: format!("mkdir -p {} && ", path_word(folder)),
    });
    Some(Edit { splices })
}
