//! Finds the skills there are: folders with a `SKILL.md`, read once and again when they change.

mod library;

pub use library::Library;

use engine::policy::skills::{MOST_BYTES, MOST_SKILLS, Skill, SkillFault};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file that makes a folder a skill.
const FILE: &str = "SKILL.md";

/// What was found in some folders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundSkills {
    /// The skills, the first of each name, in the order of their folders.
    pub skills: Vec<Skill>,
    /// Files that are no skills, and why.
    pub faults: Vec<(PathBuf, SkillFault)>,
}

/// Where skills are looked for, the first folder that names one winning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SkillDirs {
    folders: Vec<PathBuf>,
}

impl SkillDirs {
    /// The project's own, the worktree's, the agent's, and those the settings name, in this order.
    pub fn new(
        project: Option<&Path>,
        worktree: Option<&Path>,
        config: Option<&Path>,
        more: &[String],
        home: Option<&Path>,
    ) -> Self {
        let own = |root: &Path| root.join(".claude/skills");
        let named = |folder: &String| match (folder.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => Some(home.join(rest)),
            _ => Some(PathBuf::from(folder)).filter(|folder| folder.is_absolute()),
        };
        let mut folders: Vec<PathBuf> = project.map(own).into_iter().collect();
        folders.extend(worktree.map(own));
        folders.extend(config.map(|config| config.join("skills")));
        folders.extend(more.iter().filter_map(named));
        let mut known = Vec::new();
        folders.retain(|folder| {
            let is_new = !known.contains(folder);
            known.push(folder.clone());
            is_new
        });
        Self { folders }
    }
}

/// What changes when a skill does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SkillStamp {
    path: PathBuf,
    size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
}

/// Everything in these folders, also what is no skill.
pub fn find(dirs: &SkillDirs) -> FoundSkills {
    read(stamps(dirs).iter().map(|stamp| stamp.path.as_path()))
}

fn stamps(dirs: &SkillDirs) -> Vec<SkillStamp> {
    let mut found = Vec::new();
    for folder in &dirs.folders {
        let Ok(entries) = fs_err::read_dir(folder) else {
            continue;
        };
        let mut files: Vec<SkillStamp> = entries
            .take(MOST_SKILLS)
            .filter_map(|entry| stamp(&entry.ok()?.path().join(FILE)))
            .collect();
        files.sort_by(|one, two| one.path.cmp(&two.path));
        found.extend(files);
    }
    found.truncate(MOST_SKILLS);
    found
}

fn stamp(path: &Path) -> Option<SkillStamp> {
    let found = fs_err::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(SkillStamp {
        path: path.to_owned(),
        size: found.size(),
        modified: (found.mtime(), found.mtime_nsec()),
    })
}

fn read<'a>(files: impl Iterator<Item = &'a Path>) -> FoundSkills {
    let mut found = FoundSkills::default();
    for path in files {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let Some(text) = beginning(path) else { continue };
        match Skill::read(&text, &folder.to_string_lossy(), path.to_owned()) {
            Ok(skill) if found.skills.iter().any(|other| other.name == skill.name) => {}
            Ok(skill) => found.skills.push(skill),
            Err(fault) => found.faults.push((path.to_owned(), fault)),
        }
    }
    found
}

/// The beginning of a file; what is no text in it is replaced.
fn beginning(path: &Path) -> Option<String> {
    let file = fs_err::File::open(path).ok()?;
    let mut bytes = Vec::new();
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
