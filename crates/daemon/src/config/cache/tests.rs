//! A change applies to the next event; a file that breaks keeps its last good values.

use super::*;
use crate::config::tests::{Desk, PROJECT, USER, everybody, nobody};
use engine::settings::{Profile, Settings};

#[test]
fn nothing_is_read_again_while_nothing_changes() {
    let desk = Desk::new().with(PROJECT, "profile = 'strict'\n");
    let mut cache = Cache::default();
    let first = cache.get(&desk.places, &nobody);
    let second = cache.get(&desk.places, &nobody);
    assert!(Arc::ptr_eq(&first, &second));
}

#[test]
fn a_change_counts_at_the_next_event() {
    let desk = Desk::new();
    let mut cache = Cache::default();
    assert_eq!(
        cache.get(&desk.places, &nobody).settings.profile,
        Profile::Standard
    );
    let desk = desk.with(PROJECT, "profile = 'strict'\n");
    assert_eq!(cache.get(&desk.places, &nobody).settings.profile, Profile::Strict);
    let desk = desk.with(USER, "structure.max_chars = 300\n");
    assert_eq!(cache.get(&desk.places, &nobody).settings.structure.max_chars, 300);
    fs_err::remove_file(desk.path(PROJECT)).unwrap();
    assert_eq!(
        cache.get(&desk.places, &nobody).settings.profile,
        Profile::Standard
    );
}

#[test]
fn a_file_replaced_by_one_of_the_same_size_and_time_is_noticed() {
    let desk = Desk::new()
        .with(USER, "structure.max_chars = 300\n")
        .with("new.toml", "structure.max_chars = 400\n");
    let mut cache = Cache::default();
    cache.get(&desk.places, &nobody);
    let copied = std::process::Command::new("touch")
        .arg("-r")
        .args([desk.path(USER), desk.path("new.toml")])
        .status()
        .unwrap();
    assert!(copied.success());
    fs_err::rename(desk.path("new.toml"), desk.path(USER)).unwrap();
    assert_eq!(cache.get(&desk.places, &nobody).settings.structure.max_chars, 400);
}

#[test]
fn a_file_that_breaks_keeps_its_last_good_values_and_says_so() {
    let desk = Desk::new().with(PROJECT, "profile = 'strict'\n");
    let mut cache = Cache::default();
    cache.get(&desk.places, &nobody);
    for broken in ["profile = \n", "\u{0}", "[[[", &"#".repeat(1024 * 1024 + 1)] {
        fs_err::write(desk.path(PROJECT), broken).unwrap();
        let loaded = cache.get(&desk.places, &nobody);
        assert_eq!(loaded.settings.profile, Profile::Strict);
        assert_eq!(loaded.problems.len(), 1);
        assert_eq!(
            loaded.problems[0].hint.as_deref(),
            Some("until it is mended, its last good values stand")
        );
    }
    let desk = desk.with(PROJECT, "structure.max_chars = 300\n");
    let mended = cache.get(&desk.places, &nobody);
    assert_eq!(mended.settings.profile, Profile::Standard);
    assert!(mended.problems.is_empty());
}

#[test]
fn a_file_that_was_broken_from_the_start_leaves_the_built_in_values() {
    let desk = Desk::new().with(PROJECT, "profile = \n");
    let loaded = Cache::default().get(&desk.places, &nobody);
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(loaded.problems.len(), 1);
}

#[test]
fn a_file_that_was_removed_does_not_come_back_when_its_successor_is_broken() {
    let desk = Desk::new().with(PROJECT, "profile = 'strict'\n");
    let mut cache = Cache::default();
    cache.get(&desk.places, &nobody);
    fs_err::remove_file(desk.path(PROJECT)).unwrap();
    cache.get(&desk.places, &nobody);
    let desk = desk.with(PROJECT, "profile = \n");
    assert_eq!(
        cache.get(&desk.places, &nobody).settings.profile,
        Profile::Standard
    );
}

#[test]
fn trust_given_or_taken_away_counts_at_the_next_event() {
    let desk = Desk::new().with(PROJECT, "enabled = false\n");
    let mut cache = Cache::default();
    assert!(cache.get(&desk.places, &nobody).settings.enabled);
    assert!(!cache.get(&desk.places, &everybody).settings.enabled);
    assert!(cache.get(&desk.places, &nobody).settings.enabled);
}

#[test]
fn trust_is_not_asked_for_where_nothing_is_loosened() {
    let desk = Desk::new().with(PROJECT, "profile = 'strict'\nstructure.mode = 'off'\n");
    let mut cache = Cache::default();
    let asked = |_: &Path, _: &[u8; 32]| panic!("asked for trust");
    cache.get(&desk.places, &asked);
    cache.get(&desk.places, &asked);
}

#[test]
fn projects_are_kept_apart_and_only_so_many_at_once() {
    let desk = Desk::new().with(PROJECT, "profile = 'strict'\n");
    let mut cache = Cache::default();
    let first = cache.get(&desk.places, &nobody);
    for number in 0..MOST {
        let other = SettingsPaths {
            project_root: Some(desk.path(&number.to_string())),
            ..desk.places.clone()
        };
        assert_eq!(cache.get(&other, &nobody).settings.profile, Profile::Standard);
        assert!(
            Arc::ptr_eq(&first, &cache.get(&desk.places, &nobody)),
            "in use, so kept"
        );
    }
    assert_eq!(cache.entries.len(), MOST);
}
