use super::*;
use crate::install::tests::{Place, options};

#[test]
fn a_preview_says_what_init_would_do_and_writes_nothing() {
    let place = Place::new();
    let preview = preview(&place.target(), &options()).unwrap();
    assert!(place.listing().is_empty());
    assert!(!place.path().join("state").exists());
    assert_eq!(place.init(&options()).unwrap(), preview);
}

#[test]
fn a_file_that_is_not_json_is_refused_unchanged() {
    for broken in [
        &b"{\"a\": 1,}"[..],
        b"{ // mine\n}",
        b"{\"a\": 1",
        b"\xff\xfe{}",
        b"[]",
        b"{\"hooks\": []}",
    ] {
        let place = Place::with(broken);
        assert!(matches!(
            place.init(&options()),
            Err(InstallError::Content { .. })
        ));
        assert!(matches!(
            preview(&place.target(), &options()),
            Err(InstallError::Content { .. })
        ));
        assert_eq!(place.bytes().unwrap(), broken);
        assert!(!place.path().join("state").exists());
    }
}

#[test]
fn a_personal_file_that_git_would_commit_is_mentioned_and_nothing_done_about_it() {
    let place = Place::new();
    let seen = InstallOptions {
        git: GitView::Sees,
        ..options()
    };
    assert_eq!(place.init(&seen).unwrap().notes, [InstallNote::NotIgnored]);
    assert_eq!(place.listing(), [".claude", ".claude/settings.local.json"]);
    let team = preview(&SettingsTarget::project(&place.project()), &seen).unwrap();
    assert!(team.notes.is_empty(), "a team's file is meant to be committed");
}

#[test]
fn switched_off_hooks_are_mentioned() {
    let place = Place::with(b"{\"disableAllHooks\": true}");
    assert_eq!(
        place.init(&options()).unwrap().notes,
        [InstallNote::HooksDisabled]
    );
}

#[test]
fn an_installation_that_is_already_there_writes_nothing_at_all() {
    let place = Place::new();
    place.init(&options()).unwrap();
    let steps = std::cell::RefCell::new(Vec::new());
    let probe = |step: &str| steps.borrow_mut().push(step.to_owned());
    let again = install(&place.target(), &options(), &place.backups(), &probe).unwrap();
    assert!(again.plan.is_already_installed());
    assert_eq!(steps.into_inner(), ["read"]);
}

#[test]
fn the_clients_folder_is_made_as_deep_as_it_must_be() {
    let place = Place::new();
    let config = place.path().join("a/b/config");
    let target = SettingsTarget::user(&config);
    install(&target, &options(), &place.backups(), &|_| {}).unwrap();
    assert!(config.join("settings.json").is_file());
    let removed = crate::install::remove::uninstall(&[target], &place.backups(), &|_| {});
    assert_eq!(removed.folders.len(), 3);
    assert!(!place.path().join("a").exists());
}
