use crate::install::apply::install;
use crate::install::error::InstallError;
use crate::install::remove::uninstall;
use crate::install::tests::{Place, options};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

fn set_mode(place: &Place, mode: u32) {
    fs_err::set_permissions(place.settings(), Permissions::from_mode(mode)).unwrap();
}

fn mode(place: &Place) -> u32 {
    fs_err::metadata(place.settings()).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_read_only_file_is_refused_unchanged() {
    let place = Place::with(b"{}");
    set_mode(&place, 0o444);
    assert!(
        matches!(place.init(&options()), Err(InstallError::ReadOnly { path }) if path == place.settings())
    );
    assert_eq!(place.text(), "{}");
    assert_eq!(place.listing().len(), 2, "nothing was left beside it");
}

#[test]
fn a_read_only_file_is_not_cleaned_either() {
    let place = Place::with(b"{}");
    place.init(&options()).unwrap();
    let installed = place.text();
    set_mode(&place, 0o400);
    let refused = place.remove().visits.pop().unwrap().outcome;
    assert!(matches!(refused, Err(InstallError::ReadOnly { .. })));
    assert_eq!(place.text(), installed);
    set_mode(&place, 0o600);
    place.outcome();
    assert_eq!(place.text(), "{}");
}

#[test]
fn the_files_mode_outlives_init_and_uninstall() {
    for kept in [0o600, 0o640, 0o664] {
        let place = Place::with(b"{}");
        set_mode(&place, kept);
        place.init(&options()).unwrap();
        assert_eq!(mode(&place), kept);
        place.outcome();
        assert_eq!(mode(&place), kept);
    }
}

#[test]
fn a_file_that_changes_while_we_work_is_left_to_whoever_changed_it() {
    for rival in [Some("{\"a\": 1}"), None] {
        let place = Place::with(b"{}");
        let probe = |step: &str| match rival {
            Some(text) if step == "staged" => fs_err::write(place.settings(), text).unwrap(),
            None if step == "staged" => fs_err::remove_file(place.settings()).unwrap(),
            _ => {}
        };
        let refused = install(&place.target(), &options(), &place.backups(), &probe);
        assert!(matches!(refused, Err(InstallError::Changed { .. })));
        assert_eq!(place.bytes(), rival.map(|text| text.as_bytes().to_vec()));
        assert_eq!(
            place.listing().len(),
            1 + usize::from(rival.is_some()),
            "nothing was left beside it"
        );
    }
}

#[test]
fn a_file_that_appears_while_we_work_is_not_overwritten() {
    let place = Place::new();
    let probe = |step: &str| {
        if step == "staged" {
            fs_err::write(place.settings(), "{\"a\": 1}").unwrap();
        }
    };
    let refused = install(&place.target(), &options(), &place.backups(), &probe);
    assert!(matches!(refused, Err(InstallError::Changed { .. })));
    assert_eq!(place.text(), "{\"a\": 1}");
}

#[test]
fn a_file_that_changes_under_uninstall_keeps_the_change_and_can_be_cleaned_after() {
    for original in [Some(&b"{}"[..]), None] {
        let place = original.map_or_else(Place::new, Place::with);
        place.init(&options()).unwrap();
        let edited = place.text().replacen('{', "{\n  \"a\": 1,", 1);
        let probe = |step: &str| {
            if step == "staged" {
                fs_err::write(place.settings(), &edited).unwrap();
            }
        };
        let refused = uninstall(&[place.target()], &place.backups(), &probe)
            .visits
            .pop()
            .unwrap()
            .outcome;
        assert!(matches!(refused, Err(InstallError::Changed { .. })));
        assert_eq!(place.text(), edited);
        place.outcome();
        assert_eq!(place.text().split_whitespace().collect::<String>(), "{\"a\":1}");
    }
}

#[test]
fn a_refused_init_takes_back_the_folder_it_made() {
    let place = Place::new();
    let probe = |step: &str| {
        if step == "staged" {
            fs_err::write(place.settings(), "{}").unwrap();
        }
    };
    install(&place.target(), &options(), &place.backups(), &probe).unwrap_err();
    assert_eq!(place.listing().len(), 2, "the rival's file keeps its folder");
}
