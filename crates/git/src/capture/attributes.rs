//! Which attributes a path has, by the files git reads them from. None of these files is followed through a link in
//! the working tree, waited for, or read without a limit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;

use crate::nofollow::OpenFolder;
use crate::path::RepoPath;
use crate::settings::GitSettings;
use crate::small_file;
use crate::worktree::GitWorktree;

/// Larger files hold no attributes anybody wrote.
pub const LIMIT: u64 = 8 * 1024 * 1024;
const NAME: &[u8] = b".gitattributes";
const BUILT_IN: &[u8] = b"[attr]binary -diff -merge -text";
/// The attributes that say how a file is stored.
const SELECTED: [&str; 6] = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

/// What is said of one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeState {
    Unspecified,
    Set,
    Unset,
    Value(Vec<u8>),
}

/// What is said of a path, as far as storing it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAttributes {
    pub text: AttributeState,
    pub crlf: AttributeState,
    pub eol: AttributeState,
    pub ident: AttributeState,
    pub filter: AttributeState,
    pub encoding: AttributeState,
}

/// Gives the content of an attribute file that is not in the working tree, though the repository has it.
pub type Stored<'stored> = dyn Fn(&RepoPath) -> Option<Vec<u8>> + 'stored;

/// All attribute files of a working tree, read when a path first needs them.
pub struct Attributes {
    names: MetadataCollection,
    case: Case,
    /// System and person.
    outer: Search,
    /// `info/attributes`, which has the last word.
    own: Option<(PathBuf, Vec<u8>)>,
    /// What applies in a folder, all of the above included.
    folders: BTreeMap<Option<RepoPath>, Search>,
    /// What the files in the working tree say, so that each is read once for all folders below it.
    texts: BTreeMap<RepoPath, Option<Vec<u8>>>,
}

impl Attributes {
    pub fn new(settings: &GitSettings, worktree: &GitWorktree) -> Self {
        let mut names = MetadataCollection::default();
        let mut outer = Search::default();
        let read = |path: &Path| small_file::read(path, LIMIT).ok();
        add(&mut outer, &mut names, BUILT_IN, PathBuf::from("[builtin]"), None);
        for path in &settings.attributes {
            if let Some(text) = read(path) {
                add(&mut outer, &mut names, &text, path.clone(), None);
            }
        }
        let own = worktree.common_dir.as_ref().and_then(|common| {
            let path = common.join("info/attributes");
            read(&path).map(|text| (path, text))
        });
        Self {
            names,
            case: if settings.ignore_case {
                Case::Fold
            } else {
                Case::Sensitive
            },
            outer,
            own,
            folders: BTreeMap::new(),
            texts: BTreeMap::new(),
        }
    }

    /// What is said of a file.
    pub fn of(&mut self, path: &RepoPath, below: &OpenFolder, stored: &Stored<'_>) -> PathAttributes {
        let folder = path.parent();
        if !self.folders.contains_key(&folder) {
            let search = self.search(folder.as_ref(), below, stored);
            self.folders.insert(folder.clone(), search);
        }
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&self.names, SELECTED);
        if let Some(search) = self.folders.get(&folder) {
            let path = BStr::new(path.as_bytes());
            search.pattern_matching_relative_path(path, self.case, Some(false), &mut outcome);
        }
        let mut words = outcome.iter_selected().map(|found| word(found.assignment.state));
        let mut next = || words.next().unwrap_or(AttributeState::Unspecified);
        PathAttributes {
            text: next(),
            crlf: next(),
            eol: next(),
            ident: next(),
            filter: next(),
            encoding: next(),
        }
    }

    fn search(&mut self, folder: Option<&RepoPath>, below: &OpenFolder, stored: &Stored<'_>) -> Search {
        let mut search = self.outer.clone();
        for file in files(folder) {
            let text = self.texts.entry(file.clone());
            let text = text.or_insert_with_key(|file| content(file, below).or_else(|| stored(file)));
            if let Some(text) = text {
                let root = Some(Path::new(""));
                // Macros are for the whole repository, so only its root may define them.
                let text = if file.parent().is_none() {
                    Cow::Borrowed(text.as_slice())
                } else {
                    Cow::Owned(without_macros(text))
                };
                add(
                    &mut search,
                    &mut self.names,
                    &text,
                    file.to_path().to_path_buf(),
                    root,
                );
            }
        }
        if let Some((path, text)) = &self.own {
            add(&mut search, &mut self.names, text, path.clone(), None);
        }
        search
    }
}

/// The attribute files from the root down to a folder.
fn files(folder: Option<&RepoPath>) -> Vec<RepoPath> {
    let mut names = vec![NAME.to_vec()];
    let mut reached = Vec::new();
    for component in folder.into_iter().flat_map(RepoPath::components) {
        reached.extend_from_slice(component);
        reached.push(b'/');
        names.push([reached.as_slice(), NAME].concat());
    }
    names
        .into_iter()
        .filter_map(|name| RepoPath::new(name).ok())
        .collect()
}

/// A regular file's content; a link in its place is no attribute file to git either.
fn content(file: &RepoPath, below: &OpenFolder) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut rest = below.open_file(file).ok()?.take(LIMIT + 1);
    rest.read_to_end(&mut text).ok()?;
    (rest.limit() > 0).then_some(text)
}

fn without_macros(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept = lines.filter(|line| !line.trim_ascii_start().starts_with(b"[attr]"));
    kept.collect::<Vec<_>>().concat()
}

fn add(
    search: &mut Search,
    names: &mut MetadataCollection,
    text: &[u8],
    source: PathBuf,
    root: Option<&Path>,
) {
    // It fails only for a source without a parent folder, and each of ours has one.
    let _ = search.add_patterns_buffer(text, source, root, names, true);
}

fn word(state: StateRef<'_>) -> AttributeState {
    match state {
        StateRef::Unspecified => AttributeState::Unspecified,
        StateRef::Set => AttributeState::Set,
        StateRef::Unset => AttributeState::Unset,
        StateRef::Value(value) => AttributeState::Value(value.as_bstr().as_bytes().to_vec()),
    }
}
