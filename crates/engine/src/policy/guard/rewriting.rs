//! Rewrites that rules say as data: each is a splice that leaves every other byte as it is.

use super::command_view::CommandView;
use super::match_result::{Edit, Splice};
use super::rule::Rewrite;
use super::ruleset::RuleSet;
use super::world::GuardWorld;
use shell::{Span, Word};

/// What a rule's `rewrite` makes of a command; `None` where the text has no place for it.
pub fn edit(
    rewrite: &Rewrite,
    seen: &CommandView<'_>,
    rules: &RuleSet,
    world: &GuardWorld<'_>,
) -> Option<Edit> {
    let whole = seen.command.span?;
    let span = |index: usize| seen.command.spans.get(index).copied().flatten();
    let mut splices = Vec::new();
    for (name, with) in &rewrite.replace_flag {
        for given in seen.usage.options.iter().filter(|given| given.is(name)) {
            let at = span(given.index)?;
            let written = at.of(seen.text)?;
            // A cluster holds other options as well; those are for checks that know them.
            if written != name && !given.aliases.contains(&written) {
                return None;
            }
            splices.push(Splice {
                span: at,
                with: with.clone(),
            });
        }
    }
    if let Some(flag) = &rewrite.add_flag {
        let behind = behind_sub(seen).and_then(span)?;
        splices.push(Splice {
            span: Span {
                start: behind.end,
                end: behind.end,
            },
            with: format!(" {flag}"),
        });
    }
    if let Some(prefix) = &rewrite.prefix {
        let repository = world.repository(seen.command.cwd.as_deref())?;
        let with = prefix
            .replace("{main_worktree}", &repository.main_worktree)
            .replace("{root}", &repository.root);
        if [&repository.main_worktree, &repository.root]
            .into_iter()
            .any(|path| path.is_empty() || path.contains(['"', '$', '`', '\\', '\n']))
        {
            return None;
        }
        splices.push(Splice {
            span: Span {
                start: whole.start,
                end: whole.start,
            },
            with,
        });
    }
    if let Some(root) = &rewrite.operand_root {
        let scratch = &rules.guard().scratch_dir;
        let to = root
            .to
            .replace("{scratch}", if scratch.is_empty() { "tmp" } else { scratch });
        for operand in seen.operands() {
            let Word::Literal(text) = operand.word else {
                continue;
            };
            let Some(inside) = super::path::below(text, &root.from) else {
                continue;
            };
            splices.push(Splice {
                span: span(operand.index)?,
                with: format!("{}/{inside}", to.trim_end_matches('/')),
            });
        }
    }
    (!splices.is_empty()).then_some(Edit { splices })
}

/// The word behind which an option of the subcommand stands.
fn behind_sub(seen: &CommandView<'_>) -> Option<usize> {
    match seen.usage.sub.last() {
        None => Some(0),
        Some(sub) => seen
            .command
            .argv
            .iter()
            .position(|word| word.literal() == Some(sub)),
    }
}
