//! Any bytes as our own settings files: settings come out, a project never loosens what protects the person, problems
//! can be shown, and `config set` changes one value.

use Sample::{First, Last};
use daemon::config::{
    EditError, EditScope, LOCAL_FILE, LoadedSettings, PROJECT_FILE, SettingsLayer, SettingsPaths, load, set,
    show_json, show_problems, show_text,
};
use engine::settings::{KEYS, SettingKey, SettingValue, ValueKind};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Stands for the project's root in an input, which cannot know it.
const ROOT: &str = "@root";

/// Loads the bytes as every layer, and sets one value in one file that holds them.
///
/// The length of the input chooses the key, the value and the file: a set for each would make every input slow.
///
/// # Panics
///
/// If a promise is broken.
pub fn check(bytes: &[u8]) {
    let (key, choice) = chosen(KEYS, bytes.len());
    let (typed, choice) = chosen(&[First, Last], choice);
    let (scope, _) = chosen(
        &[EditScope::User, EditScope::UserProject, EditScope::Project],
        choice,
    );
    layered(bytes);
    set_in(*scope, bytes, key, *typed);
}

/// One of the options, and what is left of the number for the next choice.
fn chosen<T>(options: &[T], number: usize) -> (&T, usize) {
    let option = options.get(number % options.len()).expect("a rest is smaller");
    (option, number / options.len())
}

/// A home folder and a project.
struct Desk {
    _folder: TempDir,
    root: PathBuf,
    places: SettingsPaths,
}

impl Desk {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let root = folder.path().join("repo");
        fs_err::create_dir(&root).expect("a temporary folder");
        let places = SettingsPaths {
            user: Some(folder.path().join("config.toml")),
            project_root: Some(root.clone()),
            project: Some(root.clone()),
        };
        Self {
            _folder: folder,
            root,
            places,
        }
    }

    fn file(&self, scope: EditScope) -> PathBuf {
        match scope {
            EditScope::User | EditScope::UserProject => self.places.user.clone().expect("set above"),
            EditScope::Project => self.root.join(PROJECT_FILE),
            EditScope::Local => self.root.join(LOCAL_FILE),
        }
    }

    fn write(&self, scope: EditScope, bytes: &[u8]) {
        let root = self.root.to_string_lossy();
        let bytes = match str::from_utf8(bytes) {
            Ok(text) => text.replace(ROOT, &root).into_bytes(),
            Err(_) => bytes.to_vec(),
        };
        fs_err::write(self.file(scope), bytes).expect("a temporary file");
    }

    /// The settings if the person trusts every file.
    fn trusting(&self) -> LoadedSettings {
        load(&self.places, &|_: &Path, _: &[u8; 32]| true)
    }
}

/// The layers above the person's own, untrusted, only tighten.
fn layered(bytes: &[u8]) {
    let desk = Desk::new();
    let nobody = |_: &Path, _: &[u8; 32]| false;
    desk.write(EditScope::User, bytes);
    let own = load(&desk.places, &nobody);
    shown(&own);
    desk.write(EditScope::Project, bytes);
    desk.write(EditScope::Local, bytes);
    let all = load(&desk.places, &nobody);
    shown(&all);
    for key in KEYS {
        let (own, all) = (key.value(&own.settings), key.value(&all.settings));
        assert!(
            !key.loosens(&own, &all),
            "a project made `{}` {all} from {own}",
            key.name
        );
        assert!(key.kind.accepts(&all), "`{}` cannot be {all}", key.name);
    }
}

/// What is told about settings is one line each, and JSON where it says so.
fn shown(loaded: &LoadedSettings) {
    for problem in &loaded.problems {
        for text in [
            Some(&problem.message),
            problem.hint.as_ref(),
            problem.key.as_ref(),
        ] {
            let is_plain = text.is_none_or(|text| !text.contains(char::is_control));
            assert!(is_plain, "text that moves the cursor: {problem:?}");
        }
        assert!(problem.line != Some(0) && problem.column != Some(0));
    }
    assert_eq!(show_text(loaded, true).lines().count(), KEYS.len());
    assert!(show_problems(loaded).lines().count() >= loaded.problems.len());
    let json = show_json(loaded, true);
    assert!(
        serde_json::from_str::<serde_json::Value>(&json).is_ok(),
        "not JSON: {json}"
    );
}

/// The value counts afterwards, no other does differently, and setting it again does nothing.
fn set_in(scope: EditScope, bytes: &[u8], key: &SettingKey, which: Sample) {
    let desk = Desk::new();
    desk.write(scope, bytes);
    let file = || fs_err::read(desk.file(scope)).expect("a temporary file");
    let (original, before) = (file(), desk.trusting());
    let (typed, meant) = which.of(key.kind);
    match set(&desk.places, scope, key.name, &typed) {
        Ok(edited) => assert_eq!(edited.changed, file() != original),
        Err(error) => {
            let is_the_files = matches!(error, EditError::Broken(_) | EditError::InTheWay { .. });
            let is_the_keys = matches!(error, EditError::Shared { .. } | EditError::Person { .. });
            let is_refused = is_the_files || (is_the_keys && scope != EditScope::User);
            assert!(is_refused, "refused without a reason: {error}");
            assert_eq!(file(), original, "refused, but changed");
            return;
        }
    }
    let after = desk.trusting();
    let overruled = scope == EditScope::User
        && before
            .origins
            .get(key.name)
            .is_some_and(|origin| origin.layer() > SettingsLayer::User);
    if !overruled {
        assert_eq!(key.value(&after.settings), meant, "set, but it does not count");
    }
    assert!(
        after.problems.len() <= before.problems.len(),
        "new problems: {:?}",
        after.problems
    );
    for other in KEYS
        .iter()
        .filter(|other| other.name != key.name && key.name != "profile")
    {
        let (before, after) = (other.value(&before.settings), other.value(&after.settings));
        assert_eq!(after, before, "`{}` changed with `{}`", other.name, key.name);
    }
    let written = file();
    let again = set(&desk.places, scope, key.name, &typed).expect("what was set can be set again");
    assert!(
        !again.changed && file() == written,
        "the same value again changes the file"
    );
}

/// One of two values that a key accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sample {
    First,
    Last,
}

impl Sample {
    /// The value as typed and as meant.
    fn of(self, kind: ValueKind) -> (String, SettingValue) {
        let is_first = self == First;
        match kind {
            ValueKind::Bool => (is_first.to_string(), SettingValue::Bool(is_first)),
            ValueKind::Int { min, max } => {
                let number = if is_first { min } else { max };
                (number.to_string(), SettingValue::Int(number.into()))
            }
            ValueKind::Word(words) => {
                let word = if is_first { words.first() } else { words.last() };
                let word = (*word.expect("a kind with words")).to_owned();
                (word.clone(), SettingValue::Word(word))
            }
            ValueKind::Folder => {
                let folder = if is_first { "tmp" } else { "var/scratch" };
                (folder.to_owned(), SettingValue::Word(folder.to_owned()))
            }
            ValueKind::Words
            | ValueKind::Globs
            | ValueKind::Patterns
            | ValueKind::Commands
            | ValueKind::Folders => {
                let words = if is_first {
                    ["main", "next"]
                } else {
                    ["release/*", "main"]
                };
                (
                    words.join(","),
                    SettingValue::Words(words.map(str::to_owned).into()),
                )
            }
        }
    }
}
