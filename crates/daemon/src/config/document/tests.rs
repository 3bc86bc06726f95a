//! What is wrong in a file is told with its place, and costs nothing but itself.

use crate::config::tests::{Desk, LOCAL, PROJECT, USER};
use engine::settings::{Profile, Settings};
use insta::assert_snapshot;

#[test]
fn an_unknown_key_is_told_with_the_nearest_known_one() {
    let text = "porfile = 'strict'\nmax_chars = 300\nweather = 'fine'\n[structure]\nmax-chars = 300\n[strucutre]\nmode = 'off'\n";
    let desk = Desk::new().with(USER, text);
    assert_eq!(desk.loaded().settings, Settings::default());
    assert_snapshot!(desk.problems(), @"
    warning: /~/config.toml:1:1: unknown key `porfile`
    hint: did you mean `profile`?
    warning: /~/config.toml:2:1: unknown key `max_chars`
    hint: did you mean `structure.max_chars`?
    warning: /~/config.toml:3:1: unknown key `weather`
    warning: /~/config.toml:5:1: unknown key `structure.max-chars`
    hint: did you mean `structure.max_chars`?
    warning: /~/config.toml:6:2: unknown key `strucutre`
    hint: did you mean `structure`?
    ");
}

#[test]
fn a_wrong_type_is_told_with_its_line_and_column() {
    let text = "enabled = \"yes\"\nprofile = 3\nprotected_branches = [\n  \"main\",\n  7,\n]\nlog = 1\n\n[structure]\n  max_chars = 'ä' # ä\n  timeout_ms = 1.5\n  mode = { a = 1 }\n[context]\nbudget = 1979-05-27\n";
    let desk = Desk::new().with(USER, text);
    assert_eq!(desk.loaded().settings, Settings::default());
    assert_snapshot!(desk.problems(), @"
    warning: /~/config.toml:1:11: `enabled` is a string, expected `true` or `false`
    warning: /~/config.toml:2:11: `profile` is a whole number, expected `observe`, `standard` or `strict`
    warning: /~/config.toml:5:3: `protected_branches` is a list with a whole number in it, expected a list of words without spaces
    warning: /~/config.toml:7:7: `log` is a whole number, expected a table
    warning: /~/config.toml:10:15: `structure.max_chars` is a string, expected a whole number from 200 to 8000
    warning: /~/config.toml:11:16: `structure.timeout_ms` is a number with a fraction, expected a whole number from 10 to 5000
    warning: /~/config.toml:12:10: `structure.mode` is a table, expected `off`, `advise` or `enforce`
    warning: /~/config.toml:14:10: `context.budget` is a date, expected a whole number from 500 to 9500
    ");
}

#[test]
fn a_value_out_of_range_keeps_the_next_lower_layers_value() {
    let wrong = "structure.max_chars = 8_001\nprofile = 'strickt'\nprotected_branches = ['two words']\nlog.keep_days = 0x7fff_ffff_ffff_ffff_f\n";
    let desk = Desk::new()
        .with(USER, "structure.max_chars = 400\n")
        .with(PROJECT, wrong);
    assert_eq!(desk.loaded().settings.structure.max_chars, 400);
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/repo/toprope.toml:1:23: `structure.max_chars` is `8001`, expected a whole number from 200 to 8000
    warning: /~/repo/toprope.toml:2:11: `profile` is `"strickt"`, expected `observe`, `standard` or `strict`
    hint: did you mean `strict`?
    warning: /~/repo/toprope.toml:3:22: `protected_branches` is `["two words"]`, expected a list of words without spaces
    warning: /~/repo/toprope.toml:4:17: `log.keep_days` is `0x7ffffffffffffffff`, expected a whole number from 1 to 3650
    "#);
}

#[test]
fn one_wrong_value_does_not_cost_the_others_of_its_file() {
    let desk = Desk::new().with(USER, "profile = 7\nstructure.max_chars = 400\n");
    assert_eq!(desk.loaded().settings.structure.max_chars, 400);
}

#[test]
fn a_file_that_is_no_toml_is_told_and_the_layers_below_stand() {
    let desk = Desk::new()
        .with(USER, "profile = 'strict'\n")
        .with(PROJECT, "enabled = true\nprofile = \n");
    assert_eq!(desk.loaded().settings.profile, Profile::Strict);
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml:2:11: string values must be quoted, expected literal string
    hint: until it is mended, none of its values count
    ");
}

#[test]
fn a_file_that_is_no_text_is_told_with_the_place_where_it_stops_being_text() {
    let desk = Desk::new().with(PROJECT, b"# \xc3\xa4\nprofile = \"\xff\"\n");
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml:2:12: is not UTF-8 text
    hint: until it is mended, none of its values count
    ");
}

#[test]
fn a_file_larger_than_a_mebibyte_is_not_read() {
    let mut large = b"profile = 'strict'\n".to_vec();
    large.resize(1024 * 1024 + 1, b'\n');
    let desk = Desk::new().with(PROJECT, &large);
    assert_eq!(desk.loaded().settings.profile, Profile::Standard);
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml: is larger than 1 MiB
    hint: until it is mended, none of its values count
    ");
    large.pop();
    assert_eq!(
        desk.with(PROJECT, &large).loaded().settings.profile,
        Profile::Strict
    );
}

#[test]
fn a_folder_or_a_pipe_in_place_of_a_file_is_told_without_waiting() {
    let desk = Desk::new();
    fs_err::create_dir(desk.path(PROJECT)).unwrap();
    let pipe = desk.path(LOCAL);
    assert!(
        std::process::Command::new("mkfifo")
            .arg(pipe)
            .status()
            .unwrap()
            .success()
    );
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml: is not a regular file
    hint: until it is mended, none of its values count
    warning: /~/repo/toprope.local.toml: is not a regular file
    hint: until it is mended, none of its values count
    ");
}

#[test]
fn a_file_behind_a_link_is_read_and_a_link_to_nothing_is_no_file() {
    let desk = Desk::new().with("elsewhere.toml", "profile = 'strict'\n");
    std::os::unix::fs::symlink(desk.path("elsewhere.toml"), desk.path(PROJECT)).unwrap();
    std::os::unix::fs::symlink(desk.path("nothing"), desk.path(LOCAL)).unwrap();
    assert_eq!(desk.loaded().settings.profile, Profile::Strict);
    assert_eq!(desk.problems(), "");
}

#[test]
fn a_link_to_itself_is_told() {
    let desk = Desk::new();
    std::os::unix::fs::symlink(desk.path(PROJECT), desk.path(PROJECT)).unwrap();
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml: cannot be read (filesystem loop or indirection limit (e.g. symlink loop))
    hint: until it is mended, none of its values count
    ");
}

#[test]
fn deep_nesting_is_told_not_followed() {
    for text in [
        "a = ".to_owned() + &"[".repeat(200_000),
        "a.".repeat(200_000) + "b = 1",
        "[".repeat(300_000),
    ] {
        let desk = Desk::new().with(PROJECT, text);
        let loaded = desk.loaded();
        assert_eq!(loaded.settings, Settings::default());
        assert_eq!(loaded.problems.len(), 1);
    }
}

#[test]
fn a_file_with_thousands_of_mistakes_tells_twenty() {
    let lines: Vec<String> = (0..30_000).map(|index| format!("k{index} = 1")).collect();
    let loaded = Desk::new().with(PROJECT, lines.join("\n")).loaded();
    assert_eq!(loaded.problems.len(), 21);
    assert_eq!(loaded.problems[20].message, "has 29980 more problems like these");
}

#[test]
fn a_mark_at_the_start_and_windows_line_ends_do_not_matter() {
    let desk = Desk::new().with(PROJECT, "\u{feff}profile = 'strict'\r\nweather = 1\r\n");
    assert_eq!(desk.loaded().settings.profile, Profile::Strict);
    assert_snapshot!(desk.problems(), @"warning: /~/repo/toprope.toml:2:1: unknown key `weather`");
}

#[test]
fn text_from_a_file_cannot_move_the_cursor_of_who_reads_the_problem() {
    let text = "\"\\u001b[2J\" = 1\nprofile = \"\\u001b]0;x\"\n[project.\"\\u001b\"]\n";
    let desk = Desk::new().with(USER, text);
    let told = desk.problems();
    assert_eq!(told.lines().count(), 3, "{told}");
    assert!(!told.contains('\u{1b}'), "{told:?}");
}

#[test]
fn a_project_table_needs_an_absolute_root() {
    let desk = Desk::new().with(USER, "[project.repo]\nenabled = false\n[project]\nother = 1\n");
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/config.toml:1:10: `project."repo"` names no project: its root is an absolute path
    warning: /~/config.toml:4:9: `project."other"` is a whole number, expected a table
    "#);
}
