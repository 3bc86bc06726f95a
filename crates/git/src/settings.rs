//! What git's settings say about turning a file into what is stored. Git itself is asked, so that includes, conditions
//! and the places of its files are its own; nothing of this process's environment plays a part.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::filter::plumbing::eol;

use crate::run::{Git, GitEnvironment, GitError, Limits};
use crate::shadow::CommitAuthor;
use crate::worktree::GitWorktree;

/// Where a git without settings of its own would look for the attributes of the whole system.
const SYSTEM_ATTRIBUTES: &str = "/etc/gitattributes";

/// The settings that matter to a capture.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are git's own switches, each by itself"
)]
pub struct GitSettings {
    /// `core.fileMode`: the executable bit is taken from the file.
    pub file_mode: bool,
    /// `core.symlinks`: links are links; otherwise they are files with the target in them.
    pub symlinks: bool,
    /// `core.sparseCheckout`: files of the commit may be left out of the working tree.
    pub sparse_checkout: bool,
    /// `core.ignoreCase`: names in attributes match whatever their case.
    pub ignore_case: bool,
    /// `core.autocrlf` and `core.eol`.
    pub(crate) eol: eol::Configuration,
    /// `filter.<name>`, by name.
    pub(crate) drivers: BTreeMap<Vec<u8>, Driver>,
    /// `user.name`.
    name: Option<Vec<u8>>,
    /// `user.email`.
    email: Option<Vec<u8>>,
    /// Files with attributes outside the repository, the weakest first.
    pub(crate) attributes: Vec<PathBuf>,
    /// How to run what the settings name.
    pub(crate) git: Git,
}

/// The commands of one external filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Driver {
    /// Run once per file, from worktree bytes to stored bytes.
    pub clean: Option<OsString>,
    /// Run once, and spoken to in git's protocol.
    pub process: Option<OsString>,
}

impl GitSettings {
    /// Asks git. Outside git the shadow stands in for the repository.
    pub fn read(git: &Git, worktree: &GitWorktree, shadow: &Path, time: Duration) -> Result<Self, GitError> {
        let mut arguments = worktree.address(shadow);
        arguments.extend(["config", "--list", "-z", "--show-scope", "--show-origin"].map(OsString::from));
        let text = git.run(&arguments, Limits::within(time))?;
        Ok(Self::parse(&text, git, &worktree.root))
    }

    fn parse(text: &[u8], git: &Git, root: &Path) -> Self {
        let home = git.environment().home.as_deref();
        let mut persons = home.map(|home| Path::new(home).join(".config/git/attributes"));
        let mut system = None;
        let mut settings = Self {
            file_mode: true,
            symlinks: true,
            sparse_checkout: false,
            ignore_case: false,
            eol: eol::Configuration::default(),
            drivers: BTreeMap::new(),
            name: None,
            email: None,
            attributes: Vec::new(),
            git: git.clone(),
        };
        let mut fields = text.split(|byte| *byte == 0);
        while let (Some(scope), Some(origin), Some(item)) = (fields.next(), fields.next(), fields.next()) {
            if scope == b"system" && system.is_none() {
                system = beside(origin);
            }
            let (key, value) = split(item);
            if key == b"core.attributesfile" {
                persons = value.map(|value| expanded(value, home, root));
            } else {
                settings.set(key, value);
            }
        }
        settings.attributes = [Some(system.unwrap_or_else(|| SYSTEM_ATTRIBUTES.into())), persons]
            .into_iter()
            .flatten()
            .collect();
        settings
    }

    /// The person, where they told git who they are.
    pub fn person(&self) -> Option<CommitAuthor> {
        Some(CommitAuthor {
            name: self.name.clone()?,
            email: self.email.clone()?,
        })
    }

    fn set(&mut self, key: &[u8], value: Option<&[u8]>) {
        match key {
            b"user.name" => self.name = value.map(<[u8]>::to_vec),
            b"user.email" => self.email = value.map(<[u8]>::to_vec),
            b"core.filemode" => self.file_mode = is_true(value),
            b"core.symlinks" => self.symlinks = is_true(value),
            b"core.sparsecheckout" => self.sparse_checkout = is_true(value),
            b"core.ignorecase" => self.ignore_case = is_true(value),
            b"core.autocrlf" => self.eol.auto_crlf = auto_crlf(value),
            b"core.eol" => self.eol.eol = value.and_then(end_of_line),
            _ => self.set_driver(key, value),
        }
    }

    fn set_driver(&mut self, key: &[u8], value: Option<&[u8]>) {
        let Some(rest) = key.strip_prefix(b"filter.") else {
            return;
        };
        let Some(dot) = rest.iter().rposition(|byte| *byte == b'.') else {
            return;
        };
        let (name, what) = rest.split_at(dot);
        let command = value
            .filter(|value| !value.is_empty())
            .map(|value| OsStr::from_bytes(value).to_owned());
        let driver = self.drivers.entry(name.to_vec()).or_default();
        match what {
            b".clean" => driver.clean = command,
            b".process" => driver.process = command,
            _ => {}
        }
    }
}

/// A key, and its value after the first line end; a key alone has none.
fn split(item: &[u8]) -> (&[u8], Option<&[u8]>) {
    match item.iter().position(|byte| *byte == b'\n') {
        Some(end) => (item.get(..end).unwrap_or(item), item.get(end + 1..)),
        None => (item, None),
    }
}

/// The system's attributes are where the system's settings are.
fn beside(origin: &[u8]) -> Option<PathBuf> {
    let file = Path::new(OsStr::from_bytes(origin.strip_prefix(b"file:")?));
    Some(file.parent()?.join("gitattributes"))
}

fn expanded(value: &[u8], home: Option<&OsStr>, root: &Path) -> PathBuf {
    match (value.strip_prefix(b"~/"), home) {
        (Some(rest), Some(home)) => Path::new(home).join(OsStr::from_bytes(rest)),
        _ => root.join(OsStr::from_bytes(value)),
    }
}

fn auto_crlf(value: Option<&[u8]>) -> eol::AutoCrlf {
    if value.is_some_and(|value| value.eq_ignore_ascii_case(b"input")) {
        eol::AutoCrlf::Input
    } else if is_true(value) {
        eol::AutoCrlf::Enabled
    } else {
        eol::AutoCrlf::Disabled
    }
}

fn end_of_line(value: &[u8]) -> Option<eol::Mode> {
    if value.eq_ignore_ascii_case(b"lf") {
        Some(eol::Mode::Lf)
    } else if value.eq_ignore_ascii_case(b"crlf") {
        Some(eol::Mode::CrLf)
    } else {
        None
    }
}

/// A key without a value is true, and so is every number but zero.
fn is_true(value: Option<&[u8]>) -> bool {
    let Some(value) = value else { return true };
    let is_word = [&b"true"[..], b"yes", b"on"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word));
    let number = std::str::from_utf8(value)
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    is_word || number.is_some_and(|number| number != 0)
}

impl GitSettings {
    /// The person's environment, as git gets it.
    pub(crate) fn environment(&self) -> &GitEnvironment {
        self.git.environment()
    }
}

#[cfg(test)]
mod tests;
