//! One value changes, nothing else does, and a refusal leaves the file as it was.

use super::*;
use crate::config::load;
use crate::config::tests::{Desk, PROJECT, USER, everybody};
use engine::settings::ValueKind;
use insta::assert_snapshot;
use proptest::prelude::*;
use std::os::unix::fs::PermissionsExt as _;

impl Desk {
    fn set(&self, scope: EditScope, key: &str, value: &str) -> Edited {
        set(&self.places, scope, key, value).unwrap()
    }

    fn refused(&self, scope: EditScope, key: &str, value: &str) -> String {
        let error = set(&self.places, scope, key, value).unwrap_err();
        let hint = error
            .hint()
            .map(|hint| format!("\nhint: {hint}"))
            .unwrap_or_default();
        self.plain(&format!("error: {error}{hint}"))
    }

    fn text(&self, name: &str) -> String {
        fs_err::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn a_missing_file_and_its_folder_are_created() {
    let mut desk = Desk::new();
    desk.places.user = Some(desk.path("new/folder/config.toml"));
    let edited = desk.set(EditScope::User, "structure.mode", "off");
    assert_snapshot!(desk.text("new/folder/config.toml"), @r#"
    [structure]
    mode = "off"
    "#);
    assert_eq!(
        edited,
        Edited {
            path: desk.path("new/folder/config.toml"),
            key: "structure.mode",
            before: None,
            after: "\"off\"".to_owned(),
            changed: true
        }
    );
}

#[test]
fn comments_order_and_spelling_of_the_rest_stay() {
    let desk = Desk::new().with(
        PROJECT,
        "# ours\n\nprofile   =   'strict'   # why not\n\n# the page\n[structure] # here\nmax_chars = 1_000 # enough\n\n  # odd\n  mode = \"advise\"\n# the end\n",
    );
    desk.set(EditScope::Project, "structure.max_chars", "2000");
    desk.set(EditScope::Project, "profile", "standard");
    desk.set(EditScope::Project, "structure.timeout_ms", "100");
    desk.set(EditScope::Project, "log.payload_kib", "7");
    assert_snapshot!(desk.text(PROJECT), @r#"
    # ours

    profile   =   "standard"   # why not

    # the page
    [structure] # here
    max_chars = 2000 # enough

      # odd
      mode = "advise"
    timeout_ms = 100

    [log]
    payload_kib = 7
    # the end
    "#);
}

#[test]
fn windows_line_ends_stay_and_new_lines_get_them_too() {
    let desk = Desk::new().with(PROJECT, "# a\r\nprofile = 'strict' # b\r\n\r\n# c\r\n");
    desk.set(EditScope::Project, "profile", "standard");
    desk.set(EditScope::Project, "structure.mode", "off");
    assert_eq!(
        desk.text(PROJECT),
        "# a\r\nprofile = \"standard\" # b\r\n\r\n[structure]\r\nmode = \"off\"\r\n\r\n# c\r\n"
    );
}

#[test]
fn a_mark_at_the_start_and_a_missing_end_of_line_do_no_harm() {
    let desk = Desk::new().with(PROJECT, "\u{feff}# a\nprofile = 'strict'");
    desk.set(EditScope::Project, "profile", "standard");
    assert_eq!(desk.text(PROJECT), "\u{feff}# a\nprofile = \"standard\"\n");
    let desk = Desk::new().with(PROJECT, "# only a comment");
    desk.set(EditScope::Project, "profile", "strict");
    assert_eq!(desk.text(PROJECT), "# only a comment\nprofile = \"strict\"\n");
}

#[test]
fn dotted_and_inline_spellings_are_kept() {
    let desk = Desk::new().with(
        PROJECT,
        "structure.mode = 'off' # dotted\nlog = { payload_kib = 3 } # inline\n",
    );
    desk.set(EditScope::Project, "structure.max_chars", "300");
    desk.set(EditScope::Project, "log.payload_kib", "8");
    assert_snapshot!(desk.text(PROJECT), @"
    structure.mode = 'off' # dotted
    structure.max_chars = 300
    log = { payload_kib = 8 } # inline
    ");
}

#[test]
fn comments_inside_a_list_stay_when_entries_come_and_go() {
    let desk = Desk::new().with(
        PROJECT,
        "protected_branches = [\n  \"main\", # always\n  \"old\",\n  # releases\n  \"release/*\",\n  \"next\",\n]\n",
    );
    desk.set(
        EditScope::Project,
        "protected_branches",
        "main,release/*,next,dev",
    );
    assert_snapshot!(desk.text(PROJECT), @r#"
    protected_branches = [
      "main", # always
      # releases
      "release/*",
      "next",
      "dev",
    ]
    "#);
    desk.set(EditScope::Project, "protected_branches", "dev,main");
    assert_eq!(desk.text(PROJECT), "protected_branches = [\"dev\", \"main\"]\n");
}

#[test]
fn a_value_for_one_project_goes_into_its_table() {
    let desk = Desk::new().with(USER, "# mine\nprofile = 'strict'\n");
    desk.set(EditScope::UserProject, "structure.mode", "off");
    desk.set(EditScope::UserProject, "profile", "observe");
    assert_snapshot!(desk.plain(&desk.text(USER)), @r#"
    # mine
    profile = 'strict'

    [project."/~/repo"]
    profile = "observe"

    [project."/~/repo".structure]
    mode = "off"
    "#);
    assert_eq!(desk.loaded().settings.profile.word(), "observe");
    assert_eq!(
        desk.set(EditScope::UserProject, "profile", "strict")
            .before
            .as_deref(),
        Some("\"observe\"")
    );
}

#[test]
fn a_value_that_is_there_already_leaves_the_file_alone() {
    let desk = Desk::new().with(PROJECT, "profile   = 'strict'\n");
    let before = crate::config::FileStamp::of(&desk.path(PROJECT));
    assert!(!desk.set(EditScope::Project, "profile", "strict").changed);
    assert_eq!(crate::config::FileStamp::of(&desk.path(PROJECT)), before);
}

#[test]
fn permissions_stay_and_nothing_is_left_beside_the_file() {
    let desk = Desk::new().with(PROJECT, "profile = 'strict'\n");
    fs_err::set_permissions(desk.path(PROJECT), std::fs::Permissions::from_mode(0o640)).unwrap();
    desk.set(EditScope::Project, "profile", "standard");
    assert_eq!(
        fs_err::metadata(desk.path(PROJECT)).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(fs_err::read_dir(desk.path("repo")).unwrap().count(), 1);
}

#[test]
fn a_link_is_written_through() {
    let desk = Desk::new().with("dotfiles.toml", "profile = 'strict'\n");
    std::os::unix::fs::symlink(desk.path("dotfiles.toml"), desk.path(USER)).unwrap();
    desk.set(EditScope::User, "profile", "observe");
    assert!(fs_err::symlink_metadata(desk.path(USER)).unwrap().is_symlink());
    assert_eq!(desk.text("dotfiles.toml"), "profile = \"observe\"\n");
}

#[test]
fn a_projects_link_to_somewhere_else_is_refused() {
    let desk = Desk::new().with("dotfiles.toml", "profile = 'strict'\n");
    std::os::unix::fs::symlink(desk.path("dotfiles.toml"), desk.path(PROJECT)).unwrap();
    assert_snapshot!(desk.refused(EditScope::Project, "profile", "observe"), @"
    error: /~/repo/toprope.toml is a link out of the project
    hint: edit the file by hand
    ");
    assert_eq!(desk.text("dotfiles.toml"), "profile = 'strict'\n");
}

#[test]
fn a_key_or_value_that_is_wrong_is_refused_before_any_file_is_touched() {
    let desk = Desk::new();
    let told = [
        desk.refused(EditScope::User, "porfile", "strict"),
        desk.refused(EditScope::User, "weather", "fine"),
        desk.refused(EditScope::User, "structure.max_chars", "9000"),
        desk.refused(EditScope::User, "enabled", "yes"),
        desk.refused(EditScope::User, "protected_branches", "two words"),
        desk.refused(EditScope::Project, "log.max_mib", "64"),
    ];
    assert_snapshot!(told.join("\n"), @"
    error: unknown key `porfile`
    hint: did you mean `profile`?
    error: unknown key `weather`
    hint: `toprope config show` lists them all
    error: `structure.max_chars` cannot be `9000`, expected a whole number from 200 to 8000
    error: `enabled` cannot be `yes`, expected `true` or `false`
    error: `protected_branches` cannot be `two words`, expected a list of words without spaces
    error: `log.max_mib` is one value for all projects, so it cannot be set for one
    hint: `toprope config set log.max_mib 64 --scope user`
    ");
    assert!(!desk.path(USER).exists());
}

#[test]
fn a_broken_or_read_only_file_is_refused_and_unchanged() {
    let desk = Desk::new()
        .with(PROJECT, "profile = \n")
        .with(USER, "profile = 'strict'\n");
    fs_err::set_permissions(desk.path(USER), std::fs::Permissions::from_mode(0o444)).unwrap();
    let told = [
        desk.refused(EditScope::Project, "profile", "strict"),
        desk.refused(EditScope::User, "profile", "observe"),
    ];
    assert_snapshot!(told.join("\n"), @"
    error: /~/repo/toprope.toml:1:11: string values must be quoted, expected literal string
    hint: mend the file first; nothing was changed
    error: /~/config.toml is read-only
    hint: `chmod u+w /~/config.toml`
    ");
    assert_eq!(desk.text(PROJECT), "profile = \n");
    assert_eq!(desk.text(USER), "profile = 'strict'\n");
}

#[test]
fn something_else_in_the_place_of_the_value_is_refused() {
    let desk = Desk::new().with(PROJECT, "[[structure]]\nmode = 'off'\n[profile]\n");
    let told = [
        desk.refused(EditScope::Project, "structure.mode", "off"),
        desk.refused(EditScope::Project, "profile", "strict"),
    ];
    assert_snapshot!(told.join("\n"), @"
    error: `structure` in /~/repo/toprope.toml is something else than a setting
    hint: edit the file by hand
    error: `profile` in /~/repo/toprope.toml is something else than a setting
    hint: edit the file by hand
    ");
}

#[test]
fn without_a_project_or_a_home_there_is_nowhere_to_write() {
    let mut desk = Desk::new();
    desk.places = SettingsPaths::default();
    let told: Vec<String> = [
        EditScope::User,
        EditScope::UserProject,
        EditScope::Project,
        EditScope::Local,
    ]
    .map(|scope| desk.refused(scope, "profile", "strict"))
    .into();
    assert_snapshot!(told.join("\n"), @"
    error: there is no folder for your settings: neither HOME nor XDG_CONFIG_HOME is set
    error: there is no project here to set it for
    hint: run it inside the project, or with `--scope user`
    error: there is no project here to set it for
    hint: run it inside the project, or with `--scope user`
    error: there is no project here to set it for
    hint: run it inside the project, or with `--scope user`
    ");
}

#[test]
fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let desk = Desk::new().with(PROJECT, "profile = 'strict'\n");
    let path = desk.path(PROJECT);
    let changed = replace(&path, Some(b"what was read"), b"what was meant");
    assert!(matches!(changed, Err(ReplaceError::Changed { .. })));
    let appeared = replace(&path, None, b"what was meant");
    assert!(matches!(appeared, Err(ReplaceError::Changed { .. })));
    assert_eq!(desk.text(PROJECT), "profile = 'strict'\n");
    assert_eq!(fs_err::read_dir(desk.path("repo")).unwrap().count(), 1);
}

fn text_for(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Bool => "false",
        ValueKind::Int { min, max } if max < 1000 => {
            if min > 8 {
                "90"
            } else {
                "8"
            }
        }
        ValueKind::Int { .. } => "1000",
        ValueKind::Word(words) => words[0],
        ValueKind::Folder => "tmp",
        ValueKind::Words
        | ValueKind::Globs
        | ValueKind::Patterns
        | ValueKind::Commands
        | ValueKind::Folders => "a,b/*",
    }
}

proptest! {
    #[test]
    fn what_was_set_is_what_is_loaded(
        key in 0..KEYS.len(),
        scope in prop::sample::select(vec![EditScope::User, EditScope::UserProject, EditScope::Project, EditScope::Local]),
        before in prop::collection::vec(prop::sample::select(vec![
            "# note", "", "structure.mode = 'off'", "[structure]", "mode = 'enforce'", "[log]", "keep_days = 3",
            "profile = 'strict' # p", "[project]", "[project.'/x']", "log = { payload_kib = 3 }", "enabled = true",
        ]), 0..7),
        windows: bool,
    ) {
        let key = &KEYS[key];
        let name = match scope {
            EditScope::User | EditScope::UserProject => USER,
            EditScope::Project => PROJECT,
            EditScope::Local => "repo/toprope.local.toml",
        };
        let before = before.join(if windows { "\r\n" } else { "\n" });
        let desk = Desk::new().with(name, &before);
        let sound = desk.loaded().problems.iter().all(|problem| problem.hint.as_deref() != Some("until it is mended, none of its values count"));
        match set(&desk.places, scope, key.name, text_for(key.kind)) {
            Ok(_) => {
                prop_assert!(sound);
                let value = key.value(&load(&desk.places, &everybody).settings);
                prop_assert_eq!(Some(value), key.kind.read(text_for(key.kind)));
            }
            Err(EditError::Shared { .. }) => prop_assert!(scope != EditScope::User),
            Err(EditError::Person { .. }) => prop_assert!(matches!(scope, EditScope::Project | EditScope::Local)),
            Err(EditError::Broken(_)) => {
                prop_assert!(!sound);
                prop_assert_eq!(desk.text(name), before);
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
}
