use super::{Library, SkillDirs, find};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn skill(root: &Path, folder: &str, text: &str) {
    let folder = root.join(folder);
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("SKILL.md"), text).unwrap();
}

fn described(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\ntext\n")
}

fn names(dirs: &SkillDirs) -> Vec<String> {
    find(dirs).skills.into_iter().map(|skill| skill.name).collect()
}

#[test]
fn the_projects_skills_come_before_the_persons_and_the_first_name_wins() {
    let (project, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    skill(
        &project.path().join(".claude/skills"),
        "a",
        &described("deploy", "of the project"),
    );
    skill(
        &config.path().join("skills"),
        "b",
        &described("deploy", "of the person"),
    );
    skill(
        &config.path().join("skills"),
        "c",
        &described("review", "of the person"),
    );
    let dirs = SkillDirs::new(Some(project.path()), None, Some(config.path()), &[], None);
    assert_eq!(names(&dirs), ["deploy", "review"]);
    assert_eq!(find(&dirs).skills[0].description, "of the project");
}

#[test]
fn a_file_that_is_no_skill_is_named_and_the_others_count() {
    let project = TempDir::new().unwrap();
    let folder = project.path().join(".claude/skills");
    skill(&folder, "bad", "no front matter");
    skill(&folder, "good", &described("good", "text"));
    let dirs = SkillDirs::new(Some(project.path()), None, None, &[], None);
    assert_eq!(names(&dirs), ["good"]);
    assert_eq!(find(&dirs).faults.len(), 1);
}

#[test]
fn a_folder_of_the_settings_may_begin_at_home() {
    let home = TempDir::new().unwrap();
    skill(&home.path().join("more"), "a", &described("more", "text"));
    let more = ["~/more".to_owned(), "relative".to_owned()];
    let dirs = SkillDirs::new(None, None, None, &more, Some(home.path()));
    assert_eq!(names(&dirs), ["more"]);
}

#[test]
fn skills_are_read_once_and_again_when_one_changes() {
    let project = TempDir::new().unwrap();
    let folder = project.path().join(".claude/skills");
    skill(&folder, "a", &described("deploy", "text"));
    let dirs = SkillDirs::new(Some(project.path()), None, None, &[], None);
    let (library, map) = (Library::default(), BTreeMap::new());
    let first = library.catalogue(&dirs, &map);
    assert!(Arc::ptr_eq(&first, &library.catalogue(&dirs, &map)));
    skill(&folder, "a", &described("deployment", "another text"));
    let second = library.catalogue(&dirs, &map);
    assert_eq!(second.skills()[0].name, "deployment");
    skill(&folder, "b", &described("review", "text"));
    assert_eq!(library.catalogue(&dirs, &map).skills().len(), 2);
}
