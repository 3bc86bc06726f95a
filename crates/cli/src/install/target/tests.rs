use super::*;
use crate::install::tests::{Place, options};
use std::os::unix::fs::symlink;

/// The refusal of local settings, with the test's own folder left out.
fn refusal(place: &Place) -> String {
    let error = place.init(&options()).unwrap_err().to_string();
    error.replace(&place.path().display().to_string(), "")
}

#[test]
fn a_link_out_of_the_project_is_refused_and_its_target_unchanged() {
    let place = Place::with(b"");
    let outside = place.path().join("outside.json");
    fs_err::write(&outside, "{}").unwrap();
    fs_err::remove_file(place.settings()).unwrap();
    symlink(&outside, place.settings()).unwrap();
    insta::assert_snapshot!(refusal(&place), @"`/project/.claude/settings.local.json` leads to `/outside.json`, outside `/project`");
    assert_eq!(fs_err::read(&outside).unwrap(), b"{}");
}

#[test]
fn a_folder_linked_out_of_the_project_is_refused() {
    let place = Place::new();
    let outside = place.path().join("outside");
    fs_err::create_dir(&outside).unwrap();
    symlink(&outside, place.project().join(".claude")).unwrap();
    insta::assert_snapshot!(refusal(&place), @"`/project/.claude/settings.local.json` leads to `/outside/settings.local.json`, outside `/project`");
    assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_link_inside_the_project_is_followed_and_stays_a_link() {
    let place = Place::with(b"");
    let real = place.project().join("shared.json");
    fs_err::write(&real, "{}").unwrap();
    fs_err::remove_file(place.settings()).unwrap();
    symlink("../shared.json", place.settings()).unwrap();
    assert_eq!(place.init(&options()).unwrap().file, real);
    assert!(place.settings().is_symlink());
    place.outcome();
    assert_eq!(fs_err::read(&real).unwrap(), b"{}");
}

#[test]
fn a_client_folder_that_is_itself_a_link_is_the_persons_own_choice() {
    let place = Place::new();
    let real = place.path().join("dotfiles");
    fs_err::create_dir(&real).unwrap();
    let config = place.path().join("config");
    symlink(&real, &config).unwrap();
    assert_eq!(
        SettingsTarget::user(&config).resolve().unwrap().path(),
        real.join("settings.json")
    );
}

#[test]
fn links_to_nowhere_and_things_that_are_no_files_are_refused() {
    let place = Place::with(b"");
    fs_err::remove_file(place.settings()).unwrap();
    symlink("nowhere.json", place.settings()).unwrap();
    insta::assert_snapshot!(refusal(&place), @"`/project/.claude/settings.local.json` is a link to something that does not exist");

    fs_err::remove_file(place.settings()).unwrap();
    fs_err::create_dir(place.settings()).unwrap();
    insta::assert_snapshot!(refusal(&place), @"`/project/.claude/settings.local.json` is not a file");

    let place = Place::new();
    fs_err::write(place.project().join(".claude"), "").unwrap();
    insta::assert_snapshot!(refusal(&place), @"`/project/.claude` is not a folder");

    let place = Place::new();
    symlink("nowhere", place.project().join(".claude")).unwrap();
    insta::assert_snapshot!(refusal(&place), @"`/project/.claude` is a link to something that does not exist");
}

#[test]
fn a_project_named_by_a_link_is_the_project() {
    let place = Place::new();
    let name = place.path().join("name");
    symlink(place.project(), &name).unwrap();
    assert_eq!(
        SettingsTarget::local(&name).resolve().unwrap().path(),
        place.settings()
    );
}

#[test]
fn linked_worktrees_make_the_person_the_usual_scope() {
    assert_eq!(InstallScope::usual(true).name(), "user");
    assert_eq!(InstallScope::usual(false).name(), "local");
    let project = SettingsTarget::project(Path::new("/p"));
    assert_eq!(
        (project.scope.name(), project.file),
        ("project", PathBuf::from("/p/.claude/settings.json"))
    );
}
