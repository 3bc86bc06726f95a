//! `toprope guard explain`: how a text is read, which rules look at it, what was known, and what comes of it.

use super::finding::{CheckOutput, all, coverage, intent, sure};
use super::recorded;
use super::terms::{GuardTermsArgs, text};
use crate::failure::Failure;
use crate::show;
use crate::terminal::padded;
use ::daemon::environment::Environment;
use ::daemon::pipeline::guard::Inquired;
use clap::Args;
use engine::policy::guard::facts::{GuardFacts, PathFact, RepositoryFact};
use engine::policy::guard::judge::reason;
use engine::policy::guard::judged::Finding;
use engine::policy::guard::matching::Certainty;
use engine::policy::guard::{RuleSet, Ruling, judge, message};
use engine::settings::Opaque;
use engine::text::{lines, one_line};
use shell::Command;
use std::process::ExitCode;

/// Say how a command is read, and why it is judged as it is
///
/// Each command in the text, what it was unwrapped from, every rule that matches or may match, what was known, and what the
/// agent would read. With the id of an event: the same from what was known then.
#[derive(Args)]
pub struct ExplainArgs {
    /// The command, in quotes; `-` reads it from stdin; or the id of an event, as `toprope log --events` shows it
    #[arg(value_name = "COMMAND|EVENT", allow_hyphen_values = true)]
    subject: String,
    #[command(flatten)]
    terms: GuardTermsArgs,
}

impl ExplainArgs {
    /// Says it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let inquired = match recorded::event_id(&self.subject) {
            Some(event) => recorded::judged(event, environment)?,
            None => self.terms.judge(&text(&self.subject)?, environment)?,
        };
        if self.terms.json {
            show::json(&CheckOutput::of(&inquired.judged, &inquired.rules))?;
        } else {
            show::line(page(&inquired).trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn page(inquired: &Inquired) -> String {
    let judged = &inquired.judged;
    let mut page = String::new();
    let near = near(inquired);
    if inquired.text.is_some() {
        page.push_str(&commands(inquired, &near));
    } else {
        for finding in all(judged) {
            push(
                &mut page,
                &format!("{}  {}\n", one_line(&finding.segment, 120), matched(finding)),
            );
        }
    }
    push(
        &mut page,
        &format!(
            "coverage {}{}\n",
            coverage(judged.coverage),
            questions(&inquired.facts)
        ),
    );
    push(
        &mut page,
        &format!("verdict {}{}\n", judged.ruling.word(), course(inquired)),
    );
    if let Some(rewritten) = &judged.rewritten {
        push(&mut page, &format!("instead {}\n", message::command(rewritten)));
    }
    if !judged.message.is_empty() {
        page.push('\n');
        for line in lines(&judged.message).lines() {
            push(&mut page, &format!("  {line}\n"));
        }
    }
    page
}

/// What a person who wants to be asked about everything unclear would be told beside what is told anyway.
fn near(inquired: &Inquired) -> Vec<Finding> {
    let Some(text) = &inquired.text else {
        return Vec::new();
    };
    let mut settings = inquired.loaded.settings.clone();
    settings.guard = inquired.rules.guard().clone();
    settings.guard.opaque = Opaque::Ask;
    let judged = judge(text, &RuleSet::of(&settings), &inquired.facts);
    let known = all(&inquired.judged);
    judged
        .findings
        .into_iter()
        .filter(|finding| finding.sure == Certainty::Maybe)
        .filter(|finding| {
            !known
                .iter()
                .any(|other| other.rule == finding.rule && other.index == finding.index)
        })
        .collect()
}

/// A line of the page: number, command, folder, wrappers, rules.
type ExplainRow = [String; 5];

fn commands(inquired: &Inquired, near: &[Finding]) -> String {
    let intent = intent(inquired);
    let found = all(&inquired.judged);
    let mut rows: Vec<ExplainRow> = Vec::new();
    for (index, command) in intent.commands.iter().enumerate() {
        let about: Vec<String> = found
            .iter()
            .copied()
            .chain(near)
            .filter(|finding| finding.index == Some(index))
            .map(matched)
            .collect();
        if command.wraps && about.is_empty() {
            continue;
        }
        let rules = if about.is_empty() {
            "no rule".to_owned()
        } else {
            about.join(", ")
        };
        rows.push([
            (rows.len() + 1).to_string(),
            words(command),
            format!("in {}", folder(command, inquired.facts.cwd.as_deref())),
            through(command),
            rules,
        ]);
    }
    for note in &intent.notes {
        rows.push([
            String::new(),
            message::command(&note.segment),
            String::new(),
            String::new(),
            reason(note.cause).to_owned(),
        ]);
    }
    table(&rows)
}

fn table(rows: &[ExplainRow]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| crate::terminal::width(cell))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..4).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, cell)| match widths.get(column) {
                Some(0) => String::new(),
                Some(width) => padded(cell, width + 2),
                None => cell.clone(),
            })
            .collect();
        text.push_str(cells.concat().trim_end());
        text.push('\n');
    }
    text
}

fn words(command: &Command) -> String {
    let words: Vec<String> = command.argv.iter().map(message::shown_word).collect();
    message::command(&words.join(" "))
}

fn folder(command: &Command, from: Option<&str>) -> String {
    let Some(cwd) = command.cwd.as_deref() else {
        return "an unknown folder".to_owned();
    };
    let inside = from.and_then(|from| cwd.strip_prefix(from));
    let shown = match inside {
        Some("") => ".".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{}/", rest.trim_matches('/')),
        Some(_) | None => cwd.to_owned(),
    };
    one_line(&shown, 60)
}

fn through(command: &Command) -> String {
    if command.through.is_empty() {
        return String::new();
    }
    format!("from {}", one_line(&command.through.join(" > "), 60))
}

fn matched(finding: &Finding) -> String {
    let missing = finding
        .missing
        .map_or(String::new(), |missing| format!(" ({missing})"));
    let zone = finding
        .zone
        .map_or(String::new(), |zone| format!(" [{}]", zone.word()));
    format!("{}  {}{missing}{zone}", finding.rule, sure(finding.sure))
}

/// What was asked of the world, and what it said.
fn questions(facts: &GuardFacts) -> String {
    let mut told: Vec<String> = Vec::new();
    for (cwd, repository) in &facts.repositories {
        let said = repository.as_ref().map_or("none".to_owned(), about_repository);
        told.push(format!("repository {}: {said}", one_line(cwd, 80)));
    }
    for (path, fact) in &facts.paths {
        told.push(format!("path {}: {}", one_line(path, 80), about_path(fact)));
    }
    for (question, loss) in &facts.losses {
        let what = question.split('\n').nth(1).unwrap_or_default();
        let said = loss
            .as_ref()
            .map_or("not told".to_owned(), |loss| loss.count.to_string());
        told.push(format!("{}: {said}", one_line(what, 40)));
    }
    for (name, alias) in &facts.aliases {
        let name = name.rsplit('\n').next().unwrap_or(name);
        let said = alias.as_deref().unwrap_or("none");
        told.push(format!("alias {}: {}", one_line(name, 40), one_line(said, 80)));
    }
    for (path, script) in &facts.scripts {
        let said = if script.is_some() {
            "the session's own"
        } else {
            "not the session's"
        };
        told.push(format!("script {}: {said}", one_line(path, 80)));
    }
    if told.is_empty() {
        return "   questions 0".to_owned();
    }
    format!("   questions {} ({})", told.len(), told.join("; "))
}

fn about_repository(fact: &RepositoryFact) -> String {
    let mut said = vec![fact.branch.as_deref().map_or("no branch".to_owned(), |branch| {
        format!("branch {}", one_line(branch, 60))
    })];
    said.extend(fact.operation.clone());
    said.join(", ")
}

fn about_path(fact: &PathFact) -> String {
    if !fact.exists {
        return "nothing there".to_owned();
    }
    let mut said = Vec::new();
    for (holds, word) in [
        (fact.tracked, "tracked"),
        (fact.ignored, "ignored"),
        (fact.created, "made by this session"),
        (fact.mount, "mount point"),
        (fact.git_dir, "git directory"),
        (fact.private_key, "private key"),
    ] {
        if holds {
            said.push(word.to_owned());
        }
    }
    said.push(message::count(fact.files, "file", "files"));
    said.join(", ")
}

/// What happens now, and at the next try.
fn course(inquired: &Inquired) -> String {
    let judged = &inquired.judged;
    match judged.ruling {
        Ruling::OneStrike => {
            ": held once; the same again, or a part of it, runs behind a checkpoint".to_owned()
        }
        Ruling::Silent if judged.approval.is_some() => ": a person allowed it".to_owned(),
        Ruling::Silent if !judged.passed.is_empty() => {
            ": it was held before; checkpoint, then it runs".to_owned()
        }
        Ruling::Deny if judged.parks => ": a person can allow it once".to_owned(),
        Ruling::Silent | Ruling::Advise | Ruling::Rewrite | Ruling::Ask | Ruling::Deny => String::new(),
    }
}

fn push(page: &mut String, part: &str) {
    page.push_str(part);
}
