//! `config set`: changes one value in one file, and leaves every other byte of it alone.

use super::merge::pasteable_value;
use super::problem::{SettingsProblem, shown};
use super::replace::{ReplaceError, replace};
use super::{LOCAL_FILE, PROJECT_FILE, SettingsPaths, document, source, text_edit};
use engine::settings::{KEYS, Restraint, SettingKey, SettingValue, ValueKind, nearest};
use engine::text::one_line;
use std::path::{Path, PathBuf};

/// Characters of a foreign name or value shown in a message.
const LONGEST_SHOWN: usize = 80;

/// Which file, and which part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditScope {
    /// The user's file, for all projects.
    User,
    /// The user's file, in the table for this project.
    UserProject,
    /// `toprope.toml`.
    Project,
    /// `toprope.local.toml`.
    Local,
}

/// What `set` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The file.
    pub path: PathBuf,
    /// The key.
    pub key: &'static str,
    /// What stood there before, as TOML.
    pub before: Option<String>,
    /// What stands there now, as TOML.
    pub after: String,
    /// Whether the file was written; a value that is there already is left alone.
    pub changed: bool,
}

/// Why a value was not set. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// No such key.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// As typed.
        key: String,
        /// The key that was probably meant.
        nearest: Option<&'static str>,
    },
    /// The key does not accept the value.
    #[error("`{key}` cannot be `{value}`, expected {expected}")]
    Unfit {
        /// The key.
        key: &'static str,
        /// As typed.
        value: String,
        /// What it accepts.
        expected: String,
    },
    /// One value serves all projects, so it cannot be set for one.
    #[error("`{key}` is one value for all projects, so it cannot be set for one")]
    Shared {
        /// The key.
        key: &'static str,
        /// The value, for the hint.
        value: String,
    },
    /// It is the person's alone, so no file of a project may hold it.
    #[error("`{key}` is yours alone to set, so no file of a project may hold it")]
    Person {
        /// The key.
        key: &'static str,
        /// The value, for the hint.
        value: String,
    },
    /// There is no project here.
    #[error("there is no project here to set it for")]
    NoProject,
    /// There is no folder for the user's settings.
    #[error("there is no folder for your settings: neither HOME nor XDG_CONFIG_HOME is set")]
    NoUserFile,
    /// The file cannot be read, or is not TOML; a change would lose what is in it.
    #[error("{0}")]
    Broken(SettingsProblem),
    /// Something else stands where the value belongs.
    #[error("`{name}` in {path} is something else than a setting", path = shown(.path))]
    InTheWay {
        /// The file.
        path: PathBuf,
        /// The name of what is in the way.
        name: String,
    },
    /// A project's file that is a link to somewhere outside the project.
    #[error("{path} is a link out of the project", path = shown(.path))]
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

impl EditError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownKey { nearest, .. } => Some(match nearest {
                Some(key) => format!("did you mean `{key}`?"),
                None => "`toprope config show` lists them all".to_owned(),
            }),
            Self::Shared { key, value } | Self::Person { key, value } => {
                Some(format!("`toprope config set {key} {value} --scope user`"))
            }
            Self::NoProject => Some("run it inside the project, or with `--scope user`".to_owned()),
            Self::Broken(_) => Some("mend the file first; nothing was changed".to_owned()),
            Self::InTheWay { .. } | Self::Outside { .. } => Some("edit the file by hand".to_owned()),
            Self::Replace(error) => error.hint(),
            Self::Unfit { .. } | Self::NoUserFile => None,
        }
    }
}

/// Sets one value, creating the file if there is none.
pub fn set(places: &SettingsPaths, scope: EditScope, key: &str, value: &str) -> Result<Edited, EditError> {
    let (key, value) = checked(key, value)?;
    if key.restraint == Restraint::Shared && scope != EditScope::User {
        return Err(EditError::Shared {
            key: key.name,
            value: pasteable_value(&value),
        });
    }
    if key.restraint == Restraint::Person && matches!(scope, EditScope::Project | EditScope::Local) {
        return Err(EditError::Person {
            key: key.name,
            value: pasteable_value(&value),
        });
    }
    let path = file(places, scope)?;
    let target = target(&path, places, scope)?;
    let original = source::bytes(&target).map_err(EditError::Broken)?;
    let text = sound(&path, original.as_deref().unwrap_or_default(), scope)?;
    let change =
        text_edit::put(text, &sections(places, scope, key), &value).map_err(|name| EditError::InTheWay {
            path: path.clone(),
            name,
        })?;
    let changed = change.text != text;
    if changed {
        replace(&target, original.as_deref(), change.text.as_bytes())?;
    }
    Ok(Edited {
        path,
        key: key.name,
        before: change.before,
        after: value.to_string(),
        changed,
    })
}

fn checked(name: &str, text: &str) -> Result<(&'static SettingKey, SettingValue), EditError> {
    let key = SettingKey::named(name).ok_or_else(|| EditError::UnknownKey {
        key: one_line(name, LONGEST_SHOWN),
        nearest: nearest(name, KEYS.iter().map(|key| key.name)),
    })?;
    let value = value(key.kind, text).ok_or_else(|| EditError::Unfit {
        key: key.name,
        value: one_line(text, LONGEST_SHOWN),
        expected: key.kind.expected(),
    })?;
    Ok((key, value))
}

/// The value a text means, if the kind accepts it. Lists are `a, b` or TOML.
fn value(kind: ValueKind, text: &str) -> Option<SettingValue> {
    let is_list = matches!(
        kind,
        ValueKind::Words | ValueKind::Globs | ValueKind::Patterns | ValueKind::Commands | ValueKind::Folders
    );
    let value = if is_list && text.trim_start().starts_with('[') {
        document::list(text.trim())
    } else {
        kind.read(text)
    };
    value.filter(|value| kind.accepts(value))
}

fn file(places: &SettingsPaths, scope: EditScope) -> Result<PathBuf, EditError> {
    let root = || places.project_root.as_ref().ok_or(EditError::NoProject);
    match scope {
        EditScope::User => places.user.clone().ok_or(EditError::NoUserFile),
        EditScope::UserProject => {
            root()?;
            places.user.clone().ok_or(EditError::NoUserFile)
        }
        EditScope::Project => Ok(root()?.join(PROJECT_FILE)),
        EditScope::Local => Ok(root()?.join(LOCAL_FILE)),
    }
}

/// The file behind links, so that a link is written through, not replaced; a project's link must stay inside it.
fn target(path: &Path, places: &SettingsPaths, scope: EditScope) -> Result<PathBuf, EditError> {
    let Ok(target) = fs_err::canonicalize(path) else {
        return Ok(path.to_owned());
    };
    let root = places.project_root.as_ref().map(fs_err::canonicalize);
    match (scope, root) {
        (EditScope::Project | EditScope::Local, Some(Ok(root))) if !target.starts_with(&root) => {
            Err(EditError::Outside {
                path: path.to_owned(),
            })
        }
        (EditScope::User | EditScope::UserProject | EditScope::Project | EditScope::Local, _) => Ok(target),
    }
}

/// The file's text, if it is TOML. Wrong values in it are no reason to refuse: this may be the one to mend them.
fn sound<'a>(path: &Path, bytes: &'a [u8], scope: EditScope) -> Result<&'a str, EditError> {
    let holder = match scope {
        EditScope::User | EditScope::UserProject => document::Holder::Person,
        EditScope::Project | EditScope::Local => document::Holder::Project,
    };
    document::SettingsDocument::parse(path, bytes, holder).map_err(EditError::Broken)?;
    Ok(std::str::from_utf8(bytes).unwrap_or_default())
}

fn sections(places: &SettingsPaths, scope: EditScope, key: &SettingKey) -> Vec<String> {
    let mut sections = Vec::new();
    let root = places.project.as_ref().or(places.project_root.as_ref());
    if let (EditScope::UserProject, Some(root)) = (scope, root) {
        sections.extend(["project".to_owned(), root.to_string_lossy().into_owned()]);
    }
    sections.extend(key.name.split('.').map(str::to_owned));
    sections
}

#[cfg(test)]
mod tests;
