use super::{Library, Shelves, find};
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

fn names(shelves: &Shelves) -> Vec<String> {
    find(shelves).skills.into_iter().map(|skill| skill.name).collect()
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
    let shelves = Shelves::new(Some(project.path()), None, Some(config.path()), &[], None);
    assert_eq!(names(&shelves), ["deploy", "review"]);
    assert_eq!(find(&shelves).skills[0].description, "of the project");
}

#[test]
fn a_file_that_is_no_skill_is_named_and_the_others_count() {
    let project = TempDir::new().unwrap();
    let folder = project.path().join(".claude/skills");
    skill(&folder, "bad", "no front matter");
    skill(&folder, "good", &described("good", "text"));
    let shelves = Shelves::new(Some(project.path()), None, None, &[], None);
    assert_eq!(names(&shelves), ["good"]);
    assert_eq!(find(&shelves).faults.len(), 1);
}

#[test]
fn a_folder_of_the_settings_may_begin_at_home() {
    let home = TempDir::new().unwrap();
    skill(&home.path().join("more"), "a", &described("more", "text"));
    let more = ["~/more".to_owned(), "relative".to_owned()];
    let shelves = Shelves::new(None, None, None, &more, Some(home.path()));
    assert_eq!(names(&shelves), ["more"]);
}

#[test]
fn skills_are_read_once_and_again_when_one_changes() {
    let project = TempDir::new().unwrap();
    let folder = project.path().join(".claude/skills");
    skill(&folder, "a", &described("deploy", "text"));
    let shelves = Shelves::new(Some(project.path()), None, None, &[], None);
    let (library, map) = (Library::default(), BTreeMap::new());
    let first = library.catalogue(&shelves, &map);
    assert!(Arc::ptr_eq(&first, &library.catalogue(&shelves, &map)));
    skill(&folder, "a", &described("deployment", "another text"));
    let second = library.catalogue(&shelves, &map);
    assert_eq!(second.skills()[0].name, "deployment");
    skill(&folder, "b", &described("review", "text"));
    assert_eq!(library.catalogue(&shelves, &map).skills().len(), 2);
}

/// More skills than a prompt looks at.
fn many() -> (TempDir, Shelves, std::path::PathBuf) {
    let project = TempDir::new().unwrap();
    let folder = project.path().join(".claude/skills");
    for number in 0..70 {
        let name = format!("s{number:02}");
        skill(&folder, &name, &described(&name, "text"));
    }
    let shelves = Shelves::new(Some(project.path()), None, None, &[], None);
    (project, shelves, folder)
}

#[test]
fn where_skills_are_many_a_prompt_sees_that_one_came_or_went() {
    let (_project, shelves, folder) = many();
    let (library, map) = (Library::default(), BTreeMap::new());
    assert_eq!(library.catalogue(&shelves, &map).skills().len(), 70);
    skill(&folder, "new", &described("new", "text"));
    assert_eq!(library.catalogue(&shelves, &map).skills().len(), 71);
    fs_err::remove_dir_all(folder.join("new")).unwrap();
    assert_eq!(library.catalogue(&shelves, &map).skills().len(), 70);
}

#[test]
fn where_skills_are_many_a_look_after_the_reply_finds_what_was_edited() {
    let (_project, shelves, folder) = many();
    let (library, map) = (Library::default(), BTreeMap::new());
    let first = library.catalogue(&shelves, &map);
    assert!(!library.is_due());
    skill(&folder, "s00", &described("edited", "text"));
    assert!(Arc::ptr_eq(&first, &library.catalogue(&shelves, &map)));
    assert!(library.is_due());
    library.look();
    assert!(!library.is_due());
    assert_eq!(library.catalogue(&shelves, &map).skills()[0].name, "edited");
    // Nothing changed since: what is known is kept.
    let second = library.catalogue(&shelves, &map);
    library.look();
    assert!(Arc::ptr_eq(&second, &library.catalogue(&shelves, &map)));
}

#[test]
fn what_was_marked_old_is_read_again_by_whoever_comes_first() {
    let (_project, shelves, folder) = many();
    let (library, map) = (Library::default(), BTreeMap::new());
    library.catalogue(&shelves, &map);
    skill(&folder, "s00", &described("edited", "text"));
    library.mark_old();
    assert_eq!(library.catalogue(&shelves, &map).skills()[0].name, "edited");
    skill(&folder, "s00", &described("again", "text"));
    library.mark_old();
    library.look();
    assert_eq!(library.catalogue(&shelves, &map).skills()[0].name, "again");
}

#[test]
fn skills_that_are_expected_are_read_before_the_prompt() {
    let (_project, shelves, folder) = many();
    let (library, map) = (Library::default(), BTreeMap::new());
    library.expect(&shelves, &map);
    assert!(library.is_due());
    library.look();
    // Unreadable now: what the prompt gets was read before.
    skill(&folder, "s00", "no front matter");
    assert_eq!(library.catalogue(&shelves, &map).skills().len(), 70);
    // A prompt that is faster than the look reads them itself.
    let hasty = Library::default();
    hasty.expect(&shelves, &map);
    assert_eq!(hasty.catalogue(&shelves, &map).skills().len(), 69);
}
