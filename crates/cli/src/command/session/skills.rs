//! `toprope session skills`: the skills prompts are met with, and what of a prompt each fits.

use crate::failure::Failure;
use crate::terminal::{Terminal, cut, padded, width};
use crate::{here, show};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::pipeline::PipelineContext;
use ::daemon::skill::FoundSkills;
use clap::Args;
use engine::policy::skills::{Catalogue, MOST_SHOWN, Skill, Suggestion, fitting};
use engine::settings::{Mode, SkillsSettings};
use engine::text::one_line;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Characters of a text that a person sees.
const LONGEST: usize = 200;

/// Show the skills there are here, and what of a prompt each fits
///
/// Those of the project, the person and the settings; of two with one name the first counts. Files that are no skills are
/// listed with the reason.
#[derive(Args)]
pub struct SkillsArgs {
    /// Show by which words each fits this prompt
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// The order of the fields is that of the JSON object.
#[derive(Serialize)]
struct SkillsReport {
    mode: Mode,
    skills: Vec<SkillEntry>,
    problems: Vec<SkillProblem>,
}

#[derive(Serialize)]
struct SkillEntry {
    name: String,
    source: String,
    description: String,
    keywords: Vec<String>,
    /// Only where a prompt was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    fit: Option<SkillFit>,
}

#[derive(Serialize)]
struct SkillFit {
    hits: Vec<String>,
    /// It would be suggested to a session that was not told of it yet.
    suggested: bool,
}

#[derive(Serialize)]
struct SkillProblem {
    path: String,
    problem: String,
}

impl SkillsArgs {
    /// Shows them.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let world = PipelineContext::new(Home::of(environment), environment);
        let folder = here::folder()?;
        let (found, settings) = world.skills_at(&folder, environment);
        let report = self.report(found, &settings);
        if self.json {
            show::json(&report)?;
            return Ok(ExitCode::SUCCESS);
        }
        let from = PathBase {
            folder,
            home: environment.value("HOME").map(PathBuf::from),
        };
        let text = self.page(&report, &from, Terminal::of_stdout(environment));
        if text.is_empty() {
            show::talk("there are no skills here");
        } else {
            show::line(text.trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn report(&self, found: FoundSkills, settings: &SkillsSettings) -> SkillsReport {
        let problems = found.faults.iter().map(|(path, fault)| SkillProblem {
            path: path.to_string_lossy().into_owned(),
            problem: fault.shown(),
        });
        let problems = problems.collect();
        let catalogue = Catalogue::new(found.skills, &settings.map);
        let prompt = self.prompt.as_ref();
        let fitting: Option<Vec<Suggestion>> = prompt.map(|prompt| fitting(prompt, &catalogue));
        let mut skills: Vec<SkillEntry> = catalogue
            .skills()
            .iter()
            .map(|skill| entry(skill, settings, fitting.as_deref()))
            .collect();
        // Best first; the order in which they were found decides among equals.
        let place = |name: &str| fitting.iter().flatten().position(|fit| fit.name == name);
        skills.sort_by_key(|skill| place(&skill.name).unwrap_or(usize::MAX));
        SkillsReport {
            mode: settings.mode,
            skills,
            problems,
        }
    }

    fn page(&self, report: &SkillsReport, from: &PathBase, terminal: Terminal) -> String {
        let mut rows: Vec<[String; 3]> = report.skills.iter().map(|entry| row(entry, from)).collect();
        if !rows.is_empty() {
            let last = if self.prompt.is_some() { "FIT" } else { "KEYWORDS" };
            rows.insert(0, ["NAME", "SOURCE", last].map(str::to_owned));
        }
        let columns = |at: usize| {
            rows.iter()
                .filter_map(|row| row.get(at))
                .map(|cell| width(cell))
                .max()
        };
        let (name, source) = (columns(0).unwrap_or(0), columns(1).unwrap_or(0));
        let mut text = String::new();
        for [first, second, third] in &rows {
            let line = format!("{}  {}  {third}", padded(first, name), padded(second, source));
            text.push_str(&cut(line.trim_end(), terminal.width));
            text.push('\n');
        }
        for problem in &report.problems {
            let line = format!("{} {}", from.there(&problem.path), problem.problem);
            text.push_str(&["problem: ", &one_line(&line, LONGEST), "\n"].concat());
        }
        text
    }
}

fn entry(skill: &Skill, settings: &SkillsSettings, fitting: Option<&[Suggestion]>) -> SkillEntry {
    let added = settings.map.get(&skill.name).into_iter().flatten();
    let fit = fitting.map(|fitting| {
        let place = fitting.iter().position(|one| one.name == skill.name);
        let found = place.and_then(|place| fitting.get(place));
        SkillFit {
            hits: found.map(|found| found.hits.clone()).unwrap_or_default(),
            suggested: place.is_some_and(|place| place < MOST_SHOWN),
        }
    });
    SkillEntry {
        name: skill.name.clone(),
        source: skill.source.to_string_lossy().into_owned(),
        description: skill.description.clone(),
        keywords: skill.keywords.iter().chain(added).cloned().collect(),
        fit,
    }
}

/// From where paths are shown.
struct PathBase {
    folder: PathBuf,
    home: Option<PathBuf>,
}

impl PathBase {
    fn there(&self, path: &str) -> String {
        let below = |folder: &Path| Path::new(path).strip_prefix(folder).ok();
        if let Some(inside) = below(&self.folder) {
            return inside.to_string_lossy().into_owned();
        }
        match self.home.as_deref().and_then(below) {
            Some(inside) => format!("~/{}", inside.display()),
            None => path.to_owned(),
        }
    }
}

fn row(entry: &SkillEntry, from: &PathBase) -> [String; 3] {
    let last = match &entry.fit {
        None => entry.keywords.join(", "),
        Some(fit) if fit.hits.is_empty() => "-".to_owned(),
        Some(fit) => {
            let suggested = if fit.suggested { " (suggested)" } else { "" };
            format!("{}{suggested}", fit.hits.join(", "))
        }
    };
    [&entry.name, &from.there(&entry.source), &last].map(|text| one_line(text, LONGEST))
}
