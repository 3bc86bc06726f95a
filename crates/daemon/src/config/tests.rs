//! Which value stands when layers disagree, and what is told when one of them is wrong.

use super::*;
use engine::settings::{KEYS, Mode, Profile, Restraint, Steps};
use insta::assert_snapshot;
use proptest::prelude::*;
use tempfile::TempDir;

/// A home folder and a project, with real settings files.
pub(super) struct Desk {
    folder: TempDir,
    pub places: SettingsPaths,
}

impl Desk {
    pub(super) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("repo");
        fs_err::create_dir_all(&root).unwrap();
        let places = SettingsPaths {
            user: Some(folder.path().join("config.toml")),
            project: Some(root.clone()),
            project_root: Some(root),
        };
        Self { folder, places }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        fs_err::write(self.path(name), text).unwrap();
        self
    }

    pub(super) fn root(&self) -> String {
        self.path("repo").to_str().unwrap().to_owned()
    }

    pub(super) fn loaded(&self) -> LoadedSettings {
        load(&self.places, &nobody)
    }

    /// The text with this desk's folder shown as `/~`.
    pub(super) fn plain(&self, text: &str) -> String {
        text.replace(self.folder.path().to_str().unwrap(), "/~")
    }

    pub(super) fn problems(&self) -> String {
        self.plain(&show_problems(&self.loaded()))
    }
}

pub(super) fn nobody(_: &Path, _: &[u8; 32]) -> bool {
    false
}

pub(super) fn everybody(_: &Path, _: &[u8; 32]) -> bool {
    true
}

pub(super) const USER: &str = "config.toml";
pub(super) const PROJECT: &str = "repo/toprope.toml";
pub(super) const LOCAL: &str = "repo/toprope.local.toml";

#[test]
fn without_any_file_the_built_in_values_stand() {
    let loaded = Desk::new().loaded();
    assert_eq!(loaded.settings, Settings::default());
    assert!(loaded.problems.is_empty());
    assert!(loaded.stamps.iter().all(|stamp| !stamp.exists));
    assert!(loaded.origins.values().all(|origin| *origin
        == SettingOrigin::BuiltIn {
            profile: Profile::Standard
        }));
}

#[test]
fn outside_any_project_and_home_the_built_in_values_stand() {
    let loaded = load(&SettingsPaths::default(), &nobody);
    assert_eq!(loaded.settings, Settings::default());
    assert!(loaded.stamps.is_empty());
}

/// Every subset of the layers, each with its own number: the highest layer present wins.
#[test]
fn of_all_layers_that_set_a_value_the_highest_wins() {
    for present in 0_u32..16 {
        let has = |bit: u32| present & (1 << bit) != 0;
        let mut desk = Desk::new();
        let mut user = String::new();
        if has(0) {
            user.push_str("structure.max_chars = 301\n");
        }
        if has(1) {
            user = format!("{user}[project.{:?}]\nstructure.max_chars = 302\n", desk.root());
        }
        if !user.is_empty() {
            desk = desk.with(USER, user);
        }
        if has(2) {
            desk = desk.with(PROJECT, "structure = { max_chars = 303 }\n");
        }
        if has(3) {
            desk = desk.with(LOCAL, "[structure]\nmax_chars = 304\n");
        }
        let loaded = load(&desk.places, &nobody);
        let highest = (0..4).rev().find(|bit| has(*bit));
        assert_eq!(
            loaded.settings.structure.max_chars,
            highest.map_or(2_000, |bit| 301 + bit),
            "{present:b}"
        );
        let layers = [
            SettingsLayer::User,
            SettingsLayer::UserProject,
            SettingsLayer::Project,
            SettingsLayer::Local,
        ];
        let layer = highest.map_or(SettingsLayer::BuiltIn, |bit| {
            layers[usize::try_from(bit).unwrap()]
        });
        assert_eq!(
            loaded.origins["structure.max_chars"].layer(),
            layer,
            "{present:b}"
        );
        assert_eq!(show_problems(&loaded), "", "{present:b}");
    }
}

#[test]
fn a_profile_is_the_ground_that_single_values_of_lower_layers_stand_on() {
    let desk = Desk::new().with(USER, "structure.mode = 'enforce'\n");
    let desk = desk.with(PROJECT, "profile = 'observe'\n");
    let loaded = load(&desk.places, &everybody);
    assert_eq!(loaded.settings.structure.mode, Mode::Enforce);
    let bare = Desk::new().with(PROJECT, "profile = 'observe'\n");
    let bare = load(&bare.places, &everybody);
    assert_eq!(bare.settings, Settings::of(Profile::Observe));
}

#[test]
fn a_project_table_counts_for_its_project_only() {
    let desk = Desk::new();
    let text = format!(
        "profile = 'strict'\n[project.{:?}]\nprofile = 'observe'\n",
        desk.root()
    );
    let desk = desk.with(USER, text);
    assert_eq!(desk.loaded().settings.profile, Profile::Observe);
    let elsewhere = SettingsPaths {
        project_root: Some(desk.path("other")),
        project: Some(desk.path("other")),
        ..desk.places.clone()
    };
    assert_eq!(load(&elsewhere, &nobody).settings.profile, Profile::Strict);
    let nowhere = SettingsPaths {
        project_root: None,
        project: None,
        ..desk.places.clone()
    };
    assert_eq!(load(&nowhere, &nobody).settings.profile, Profile::Strict);
}

#[test]
fn a_project_table_counts_in_linked_worktrees_too_and_one_of_their_own_counts_over_it() {
    let desk = Desk::new();
    let text = format!("[project.{:?}]\nprofile = 'observe'\n", desk.root());
    let desk = desk.with(USER, text.clone());
    let linked = SettingsPaths {
        project_root: Some(desk.path("linked")),
        ..desk.places.clone()
    };
    assert_eq!(load(&linked, &nobody).settings.profile, Profile::Observe);
    let own = format!("{text}[project.{:?}]\nprofile = 'strict'\n", desk.path("linked"));
    let desk = desk.with(USER, own);
    assert_eq!(load(&linked, &nobody).settings.profile, Profile::Strict);
    assert_eq!(desk.loaded().settings.profile, Profile::Observe);
}

#[test]
fn a_project_table_may_name_the_project_through_a_link() {
    let desk = Desk::new();
    std::os::unix::fs::symlink(desk.path("repo"), desk.path("link")).unwrap();
    let link = desk.path("link");
    let desk = desk.with(
        USER,
        format!("[project.'{}/']\nenabled = false\n", link.display()),
    );
    assert!(!desk.loaded().settings.enabled);
}

#[test]
fn a_project_file_has_no_project_tables() {
    let desk = Desk::new();
    let text = format!("[project.{:?}]\nenabled = false\n", desk.root());
    let desk = desk.with(PROJECT, text);
    assert!(desk.loaded().settings.enabled);
    assert_snapshot!(desk.problems(), @"warning: /~/repo/toprope.toml:1:2: unknown key `project`");
}

/// The person has `standard`, is on, and protects the built-in branches; the project's file says something else.
#[test]
fn a_project_file_may_tighten_but_not_loosen_what_protects_the_person() {
    let branches = "protected_branches = ['main', 'master', 'trunk', 'release/*'";
    let table: &[(&str, String, bool)] = &[
        ("", "enabled = false".to_owned(), true),
        ("enabled = false", "enabled = true".to_owned(), false),
        ("", "profile = 'observe'".to_owned(), true),
        ("", "profile = 'standard'".to_owned(), false),
        ("", "profile = 'strict'".to_owned(), false),
        ("profile = 'strict'", "profile = 'standard'".to_owned(), true),
        ("profile = 'observe'", "profile = 'standard'".to_owned(), false),
        ("", format!("{branches}, 'dev']"), false),
        ("", "protected_branches = ['main']".to_owned(), true),
        ("", "protected_branches = []".to_owned(), true),
        (
            "protected_branches = []",
            "protected_branches = ['main']".to_owned(),
            false,
        ),
        (
            "structure.mode = 'enforce'",
            "structure.mode = 'off'".to_owned(),
            false,
        ),
        ("context.budget = 9000", "context.budget = 500".to_owned(), false),
    ];
    for file in [PROJECT, LOCAL] {
        for (user, project, loosens) in table {
            let desk = Desk::new().with(USER, user).with(file, project);
            let without = Desk::new().with(USER, user).loaded().settings;
            let wanted = load(&desk.places, &everybody).settings;
            let loaded = desk.loaded();
            let expected = if *loosens { &without } else { &wanted };
            assert_eq!(&loaded.settings, expected, "{file}: {user} / {project}");
            assert_eq!(
                loaded.problems.len(),
                usize::from(*loosens),
                "{file}: {user} / {project}"
            );
            assert_eq!(
                loaded.asked.len(),
                usize::from(*loosens),
                "{file}: {user} / {project}"
            );
        }
    }
}

/// Finer and longer is the project's to choose, up to the person's own caps.
#[test]
fn a_project_file_may_refine_checkpoints_but_not_thin_them() {
    let desk = Desk::new()
        .with(USER, "[checkpoints]\nsteps = 'todo'\ncommit = { sign = true }\n")
        .with(
            PROJECT,
            "[checkpoints]\nsteps = 'batch'\nkeep_last = 50\nenabled = false\nexclude = ['*.log']\nmax_store_mb = 9000\n",
        );
    let checkpoints = desk.loaded().settings.checkpoints;
    assert_eq!((checkpoints.steps, checkpoints.keep_last), (Steps::Batch, 50));
    assert!(checkpoints.enabled && checkpoints.exclude.is_empty() && checkpoints.commit.sign);
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml:4:1: `checkpoints.enabled = false` would protect you less, so `true` stands: a project's file may only tighten it
    hint: if you want what this file says: `toprope trust /~/repo/toprope.toml`
    warning: /~/repo/toprope.toml:5:1: `checkpoints.exclude` is yours to choose, so `[]` stands: a project's file may set it only if you trusted it
    hint: if you want what this file says: `toprope trust /~/repo/toprope.toml`
    warning: /~/repo/toprope.toml:6:1: `checkpoints.max_store_mb` is yours to choose, so `2048` stands: a project's file may set it only if you trusted it
    hint: if you want what this file says: `toprope trust /~/repo/toprope.toml`
    ");
    let trusted = load(&desk.places, &everybody).settings.checkpoints;
    assert!(!trusted.enabled);
    assert_eq!(
        (trusted.exclude, trusted.max_store_mb),
        (vec!["*.log".to_owned()], 9_000)
    );
}

#[test]
fn no_file_of_a_project_makes_commits_in_the_persons_name() {
    let text = "[checkpoints]\nstrategy = 'commit'\n";
    let desk = Desk::new().with(PROJECT, text);
    let strategy = load(&desk.places, &everybody).settings.checkpoints.strategy;
    assert_eq!(
        strategy,
        engine::settings::Strategy::Shadow,
        "not even a trusted one"
    );
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml:2:1: `checkpoints.strategy` is yours alone to set: no file of a project may
    hint: `toprope config set checkpoints.strategy commit --scope user`
    ");
    let own = format!("[project.{:?}.checkpoints]\nstrategy = 'commit'\n", desk.root());
    let desk = desk.with(USER, own);
    assert_eq!(
        desk.loaded().settings.checkpoints.strategy,
        engine::settings::Strategy::Commit
    );
}

#[test]
fn a_wrong_limit_of_checkpoints_is_told_and_the_default_stands() {
    let desk = Desk::new().with(
        USER,
        "[checkpoints]\nmax_file_mb = 0\nexclude = ['**']\nbarrier = 3\ncommit = { timeout_ms = 60001, signed = true }\n",
    );
    assert_eq!(desk.loaded().settings, Settings::default());
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/config.toml:2:15: `checkpoints.max_file_mb` is `0`, expected a whole number from 1 to 10240
    warning: /~/config.toml:3:11: `checkpoints.exclude` is `["**"]`, expected a list of globs, none of which matches everything
    warning: /~/config.toml:4:1: unknown key `checkpoints.barrier`
    hint: did you mean `checkpoints.barrier_ms`?
    warning: /~/config.toml:5:25: `checkpoints.commit.timeout_ms` is `60001`, expected a whole number from 0 to 60000
    warning: /~/config.toml:5:32: unknown key `checkpoints.commit.signed`
    hint: did you mean `checkpoints.commit.sign`?
    "#);
}

#[test]
fn trust_is_given_to_the_bytes_of_one_file() {
    let text = "enabled = false\n";
    let desk = Desk::new()
        .with(PROJECT, text)
        .with(LOCAL, "profile = 'observe'\n");
    let project = desk.path(PROJECT);
    let trusted = |path: &Path, hash: &[u8; 32]| path == project && *hash == digest(text.as_bytes());
    let loaded = load(&desk.places, &trusted);
    assert!(!loaded.settings.enabled, "the trusted file may loosen");
    assert_eq!(loaded.settings.profile, Profile::Standard, "the other may not");
    assert_eq!(
        loaded.asked.iter().map(|asked| asked.trusted).collect::<Vec<_>>(),
        [true, false],
        "each file is asked about once"
    );
}

#[test]
fn the_local_file_may_not_take_back_what_the_project_file_tightened() {
    let desk = Desk::new()
        .with(PROJECT, "profile = 'strict'\n")
        .with(LOCAL, "profile = 'standard'\n");
    assert_eq!(desk.loaded().settings.profile, Profile::Strict);
}

#[test]
fn the_person_may_loosen_in_their_own_file() {
    let desk = Desk::new().with(
        USER,
        "profile = 'observe'\nenabled = false\nprotected_branches = []\n",
    );
    let settings = desk.loaded().settings;
    assert!(!settings.enabled && settings.protected_branches.is_empty());
}

#[test]
fn what_a_shorter_branch_list_adds_is_still_protected() {
    let desk = Desk::new().with(PROJECT, "protected_branches = ['main', 'dev']\n");
    let loaded = desk.loaded();
    assert_eq!(
        loaded.settings.protected_branches,
        ["main", "master", "trunk", "release/*", "dev"]
    );
    assert_eq!(
        loaded.origins["protected_branches"].layer(),
        SettingsLayer::Project
    );
}

#[test]
fn a_loosening_is_told_with_the_way_to_allow_it() {
    let desk = Desk::new().with(
        PROJECT,
        "# ours\nprofile = \"observe\"\nprotected_branches = [\"main\"]\n",
    );
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/repo/toprope.toml:2:1: `profile = "observe"` would protect you less, so `"standard"` stands: a project's file may only tighten it
    hint: if you want what this file says: `toprope trust /~/repo/toprope.toml`
    warning: /~/repo/toprope.toml:3:1: `protected_branches` leaves out `master`, `trunk`, `release/*`: a project's file may add here, not take away, so nothing goes
    hint: if you want what this file says: `toprope trust /~/repo/toprope.toml`
    "#);
}

#[test]
fn what_all_projects_share_is_not_set_for_one_even_if_trusted() {
    let desk = Desk::new().with(PROJECT, "log.max_mib = 64\n");
    let loaded = load(&desk.places, &everybody);
    assert_eq!(loaded.settings.log.max_mib, 512);
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml:1:5: `log.max_mib` is one value for all projects, so it cannot be set for one
    hint: `toprope config set log.max_mib 64 --scope user`
    ");
    let own = Desk::new().with(USER, "log.max_mib = 64\n");
    assert_eq!(own.loaded().settings.log.max_mib, 64);
}

#[test]
fn the_users_file_is_where_the_environment_says() {
    let file = |pairs: &[(&str, &str)]| user_file(&Environment::of(pairs));
    let both = [("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")];
    assert_eq!(file(&both), Some(PathBuf::from("/x/toprope/config.toml")));
    assert_eq!(
        file(&[("HOME", "/h")]),
        Some(PathBuf::from("/h/.config/toprope/config.toml"))
    );
    assert_eq!(
        file(&[("XDG_CONFIG_HOME", "relative"), ("HOME", "/h")]),
        Some(PathBuf::from("/h/.config/toprope/config.toml"))
    );
    assert_eq!(file(&[]), None);
}

fn is_sound(loaded: &LoadedSettings) -> bool {
    KEYS.iter()
        .all(|key| key.kind.accepts(&key.value(&loaded.settings)))
}

/// Lines that are nearly settings, so that many files get past the parser.
fn line() -> impl Strategy<Value = String> {
    let names: Vec<String> = KEYS
        .iter()
        .map(|key| key.name.to_owned())
        .chain(["structure", "log", "project", "project.\"/x\"", "", "\"\u{7f}\""].map(str::to_owned))
        .collect();
    let value = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<bool>().prop_map(|value| value.to_string()),
        "'[a-z*/ ]{0,9}'",
        "\\['[a-z]{0,3}', ?('[a-z]')?\\]",
        prop_oneof![
            Just("'observe'"),
            Just("'off'"),
            Just("{ mode = 'off', x.y = [[]] }"),
            Just("1e9")
        ]
        .prop_map(str::to_owned),
        "\\PC{0,12}",
    ];
    (prop::sample::select(names), value, any::<bool>()).prop_map(|(name, value, is_header)| {
        if is_header {
            format!("[{name}]")
        } else {
            format!("{name} = {value}")
        }
    })
}

proptest! {
    #[test]
    fn whatever_the_files_hold_the_settings_are_sound(
        user in prop::collection::vec(line(), 0..6),
        project in prop::collection::vec(line(), 0..6),
        local in prop::collection::vec(any::<u8>(), 0..200),
        trusted: bool,
    ) {
        let desk = Desk::new().with(USER, user.join("\n")).with(PROJECT, project.join("\n")).with(LOCAL, local);
        let loaded = load(&desk.places, &|_, _| trusted);
        prop_assert!(is_sound(&loaded));
    }

    #[test]
    fn whatever_an_untrusted_project_says_the_person_is_protected_no_less(
        user in prop::collection::vec(line(), 0..4),
        project in prop::collection::vec(line(), 0..4),
        local in prop::collection::vec(line(), 0..4),
    ) {
        let desk = Desk::new().with(USER, user.join("\n"));
        let alone = desk.loaded().settings;
        let desk = desk.with(PROJECT, project.join("\n")).with(LOCAL, local.join("\n"));
        let together = desk.loaded().settings;
        for key in KEYS.iter().filter(|key| key.restraint != Restraint::Free) {
            prop_assert!(!key.loosens(&key.value(&alone), &key.value(&together)), "{}", key.name);
        }
    }
}
