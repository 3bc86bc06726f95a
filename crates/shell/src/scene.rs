//! What reading starts from: the folder, the person's variables, the limits, and what is known about the world.

use std::collections::BTreeMap;
use std::path::Path;

/// What a text is read against.
#[derive(Clone)]
pub struct Scene<'a> {
    /// The folder the text runs in, absolute.
    pub cwd: Option<String>,
    /// `HOME`.
    pub home: Option<String>,
    /// `USER`.
    pub user: Option<String>,
    /// `TMPDIR`.
    pub tmpdir: Option<String>,
    /// How much work reading may be.
    pub budget: Budget,
    /// The person's own wrapping programs.
    pub wrappers: &'a UserWrappers,
    /// What is known about the world.
    pub known: &'a dyn WorldFacts,
}

impl<'a> Scene<'a> {
    /// Nothing is known but the folder and the person's wrapping programs.
    pub fn at(cwd: Option<&Path>, wrappers: &'a UserWrappers) -> Self {
        Self {
            cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            home: None,
            user: None,
            tmpdir: None,
            budget: Budget::default(),
            wrappers,
            known: &Unasked,
        }
    }
}

/// What reading may ask of the world; a second reading with answers sees more.
pub trait WorldFacts {
    /// The value of `alias.<name>` in the repository around a folder.
    fn git_alias(&self, cwd: &str, name: &str) -> Fact<String>;

    /// The content of a file that is run, if it is to be judged.
    fn script(&self, path: &str) -> Fact<String>;

    /// The root of the worktree around a folder.
    fn root(&self, _cwd: &str) -> Fact<String> {
        Fact::NotAsked
    }
}

/// A world nobody was asked about.
pub struct Unasked;

impl WorldFacts for Unasked {
    fn git_alias(&self, _cwd: &str, _name: &str) -> Fact<String> {
        Fact::NotAsked
    }

    fn script(&self, _path: &str) -> Fact<String> {
        Fact::NotAsked
    }
}

/// One answer of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact<T> {
    /// Nobody asked yet: the reading names it among its wants.
    NotAsked,
    /// There is no such thing, or it is not to be looked at.
    None,
    /// This is it.
    Is(T),
}

/// How much work reading may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of the text.
    pub bytes: usize,
    /// Pieces of syntax that are visited, scripts and unwrapped texts included.
    pub nodes: usize,
    /// How deep syntax may nest.
    pub depth: usize,
    /// Words of one command.
    pub words: usize,
    /// How many texts may lie within texts (`bash -c 'bash -c …'`).
    pub reparse: usize,
    /// Scripts that are read.
    pub scripts: usize,
    /// Bytes of one script.
    pub script_bytes: usize,
    /// How deep functions may call.
    pub calls: usize,
    /// How deep aliases may lead.
    pub aliases: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: 1024 * 1024,
            nodes: 20_000,
            depth: 64,
            words: 4096,
            reparse: 8,
            scripts: 8,
            script_bytes: 64 * 1024,
            calls: 8,
            aliases: 5,
        }
    }
}

/// The person's own wrapping programs: those that only run the command behind them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserWrappers {
    /// By program name.
    pub programs: BTreeMap<String, UserWrapper>,
}

/// How one such program takes its command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserWrapper {
    /// How many of its own operands stand in front of the command.
    pub skip: usize,
}
