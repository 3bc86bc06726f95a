use super::*;
use crate::install::apply::install;
use crate::install::plan::plan;
use crate::install::tests::{Place, at, options, unwatched};

fn targets(place: &Place) -> [SettingsTarget; 3] {
    let project = place.project();
    [
        SettingsTarget::user(&place.path().join("config")),
        SettingsTarget::project(&project),
        SettingsTarget::local(&project),
    ]
}

fn removed(place: &Place) -> Vec<(InstallScope, RemoveOutcome)> {
    let visits = uninstall(&targets(place), &place.backups(), &unwatched).visits;
    visits
        .into_iter()
        .map(|visit| (visit.scope, visit.outcome.unwrap()))
        .collect()
}

#[test]
fn every_scope_is_visited_and_says_what_was_done() {
    let place = Place::with(b"{}");
    let [user, _, local] = targets(&place);
    for target in [user, local] {
        install(&target, &options(), &place.backups(), &unwatched).unwrap();
    }
    assert_eq!(
        removed(&place),
        [
            (InstallScope::User, RemoveOutcome::Deleted),
            (InstallScope::Project, RemoveOutcome::Absent),
            (InstallScope::Local, RemoveOutcome::Restored)
        ]
    );
    assert_eq!(
        removed(&place),
        [
            (InstallScope::User, RemoveOutcome::Absent),
            (InstallScope::Project, RemoveOutcome::Absent),
            (InstallScope::Local, RemoveOutcome::NothingOfOurs)
        ]
    );
}

#[test]
fn a_folder_two_scopes_share_goes_with_the_last_of_them() {
    for order in [[1, 2], [2, 1]] {
        let place = Place::new();
        let targets = targets(&place);
        for index in order {
            install(&targets[index], &options(), &place.backups(), &unwatched).unwrap();
        }
        removed(&place);
        assert!(place.listing().is_empty());
    }
}

#[test]
fn a_folder_somebody_else_uses_by_now_stays() {
    let place = Place::new();
    place.init(&options()).unwrap();
    fs_err::write(place.project().join(".claude/notes.md"), "mine").unwrap();
    assert!(place.remove().folders.is_empty());
    assert_eq!(place.listing(), [".claude", ".claude/notes.md"]);
}

#[test]
fn one_refusal_does_not_keep_the_other_files() {
    let place = Place::new();
    let [_, project, local] = targets(&place);
    for target in [&project, &local] {
        install(target, &options(), &place.backups(), &unwatched).unwrap();
    }
    fs_err::write(&project.file, "{ broken").unwrap();
    let visits = uninstall(&[project.clone(), local], &place.backups(), &unwatched).visits;
    let [first, second] = visits.as_slice() else {
        panic!("two files, two visits")
    };
    assert!(matches!(first.outcome, Err(InstallError::Content { .. })));
    assert_eq!(second.outcome.as_ref().unwrap(), &RemoveOutcome::Deleted);
    assert_eq!(fs_err::read(project.file).unwrap(), b"{ broken");
}

#[test]
fn without_a_kept_original_our_entries_are_found_by_what_they_are() {
    let theirs = plan(Some(b"{\n  \"model\": \"opus\"\n}\n"), &at("/theirs/toprope")).unwrap();
    let place = Place::with(&theirs.bytes);
    assert!(matches!(place.outcome(), RemoveOutcome::EntriesRemoved { events } if events.len() == 30));
    assert_eq!(place.text(), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn entries_we_only_repaired_are_removed_all_the_same() {
    let theirs = plan(Some(b"{\n  \"model\": \"opus\"\n}\n"), &at("/theirs/toprope")).unwrap();
    let place = Place::with(&theirs.bytes);
    place.init(&options()).unwrap();
    assert!(matches!(place.outcome(), RemoveOutcome::EntriesRemoved { .. }));
    assert_eq!(place.text(), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_file_that_holds_nothing_but_us_by_now_goes_back_to_what_it_was() {
    for original in [None, Some(&b""[..]), Some(b"\n\n")] {
        let place = original.map_or_else(Place::new, Place::with);
        place.init(&options()).unwrap();
        // Another writer laid the same settings out anew.
        let settings: serde_json::Value = serde_json::from_str(&place.text()).unwrap();
        fs_err::write(place.settings(), settings.to_string()).unwrap();
        place.outcome();
        assert_eq!(place.bytes().as_deref(), original);
    }
}

#[test]
fn a_file_that_was_emptied_meanwhile_is_left_alone() {
    let place = Place::with(b"{}");
    place.init(&options()).unwrap();
    fs_err::write(place.settings(), "").unwrap();
    assert_eq!(place.outcome(), RemoveOutcome::NothingOfOurs);
    assert_eq!(place.bytes().unwrap(), b"");
}

#[test]
fn nothing_is_kept_once_it_was_put_back() {
    let place = Place::with(b"{}");
    place.init(&options()).unwrap();
    let kept = place.path().join("state/backups");
    assert_eq!(fs_err::read_dir(&kept).unwrap().count(), 1);
    place.outcome();
    assert_eq!(fs_err::read_dir(&kept).unwrap().count(), 0);
}
