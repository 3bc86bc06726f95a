//! A repository as plain values: files, index, commits, two branches. What git would do is said a second time here.

use super::step::Edit;
use super::tree::{self, NAMES, Node, Tree, differing, excludes, is_below, is_ignored, put, set};

pub const BRANCHES: [&str; 2] = ["main", "other"];
const CONTENTS: [&[u8]; 3] = [b"1\n", b"2\n", b"3\n"];

#[derive(Debug, Clone)]
pub struct Repo {
    pub files: Tree,
    pub index: Tree,
    pub commits: Vec<Tree>,
    /// The commit that each was made from.
    pub parents: Vec<Option<usize>>,
    pub branches: [usize; 2],
    /// Which branch is checked out.
    pub on: usize,
}

/// What is to be done to a real repository, so that it is like the plain one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    Files { old: Tree, new: Tree },
    Git(Vec<Vec<Vec<u8>>>),
}

pub fn file(content: u8) -> Node {
    Node::File {
        bytes: CONTENTS[usize::from(content)].to_vec(),
        exec: false,
    }
}

/// What is in the repository before anything happens: two branches, and work that nobody committed.
pub fn beginnings() -> [Tree; 2] {
    let ignoring = Node::File {
        bytes: b"*.log\n".to_vec(),
        exec: false,
    };
    let of = |leaves: &[(&[u8], u8)]| {
        let files = leaves
            .iter()
            .map(|(name, content)| (name.to_vec(), file(*content)));
        files
            .chain([(b".gitignore".to_vec(), ignoring.clone())])
            .collect()
    };
    [
        of(&[(b"a", 0), (b"b", 0), (b"d/x", 0)]),
        of(&[(b"a", 1), (b"d", 1), (b"e/f/g", 1)]),
    ]
}

impl Repo {
    pub fn new() -> Self {
        let [main, other] = beginnings();
        Self {
            files: main.clone(),
            index: main.clone(),
            commits: vec![main, other],
            parents: vec![None, Some(0)],
            branches: [0, 1],
            on: 0,
        }
    }

    pub fn head(&self) -> usize {
        self.branches[self.on]
    }

    /// Whether the commit checked out is this one, or was made from it.
    pub fn goes_on_from(&self, commit: usize) -> bool {
        std::iter::successors(Some(self.head()), |at| self.parents[*at]).any(|at| at == commit)
    }

    /// Changes the plain repository, and says how to change a real one.
    pub fn apply(&mut self, edit: &Edit) -> Option<Deed> {
        let old = self.files.clone();
        match edit {
            Edit::Write(name, content) => self.write(NAMES[*name], *content),
            Edit::Delete(name) => drop(self.files.remove(NAMES[*name])),
            Edit::Rename(from, to) => {
                // A folder does not move into itself.
                if !excludes(NAMES[*from], NAMES[*to])
                    && let Some(node) = self.files.remove(NAMES[*from])
                {
                    put(&mut self.files, NAMES[*to], node);
                }
            }
            Edit::Exec(name) => {
                if let Some(Node::File { exec, .. }) = self.files.get_mut(NAMES[*name]) {
                    *exec = !*exec;
                }
            }
            Edit::Link(name, dangles) => {
                let target: &[u8] = if *dangles { b"nowhere" } else { b"a" };
                put(&mut self.files, NAMES[*name], Node::Link(target.to_vec()));
            }
            Edit::Commit(None) => return self.commit_all(),
            Edit::Commit(Some(name)) => {
                let mut deed = self.stage(NAMES[*name])?;
                deed.extend(self.commit());
                return Some(Deed::Git(deed));
            }
            Edit::Stage(name) => return self.stage(NAMES[*name]).map(Deed::Git),
            Edit::Checkout => return self.check_out(),
        }
        let new = self.files.clone();
        (old != new).then_some(Deed::Files { old, new })
    }

    /// New content; the exec bit of a file that is there stays.
    fn write(&mut self, name: &[u8], content: u8) {
        let was_exec = matches!(self.files.get(name), Some(Node::File { exec: true, .. }));
        let Node::File { bytes, .. } = file(content) else {
            return;
        };
        put(
            &mut self.files,
            name,
            Node::File {
                bytes,
                exec: was_exec,
            },
        );
    }

    /// What a tool writes: no folder or file is removed for it, so it may fail.
    pub fn write_with_tool(&mut self, name: &[u8], content: u8) -> Option<Deed> {
        let old = self.files.clone();
        if old.keys().any(|other| excludes(other, name)) {
            return None;
        }
        self.write(name, content);
        let new = self.files.clone();
        Some(Deed::Files { old, new })
    }

    fn commit_all(&mut self) -> Option<Deed> {
        let index = tree::without_ignored(&self.files);
        if index == self.commits[self.head()] {
            return None;
        }
        self.index = index;
        let mut deed = vec![words(&["add", "-A"])];
        deed.extend(self.commit());
        Some(Deed::Git(deed))
    }

    /// `git add` of a path and of all below it.
    fn stage(&mut self, name: &[u8]) -> Option<Vec<Vec<Vec<u8>>>> {
        let is_meant = |other: &[u8]| (other == name || is_below(other, name)) && !is_ignored(other);
        let meant = differing(&self.index, &self.files);
        let meant: Vec<Vec<u8>> = meant.into_iter().filter(|other| is_meant(other)).collect();
        let is_known = self
            .index
            .keys()
            .chain(self.files.keys())
            .any(|other| is_meant(other));
        // Below a link nothing is git's to add.
        let is_beyond = self
            .files
            .iter()
            .any(|(other, node)| is_below(name, other) && matches!(node, Node::Link(_)));
        if !is_known || is_beyond {
            return None;
        }
        for name in meant {
            set(&mut self.index, &name, self.files.get(&name));
        }
        let mut add = words(&["add", "-A", "--"]);
        add.push(name.to_vec());
        Some(vec![add])
    }

    fn commit(&mut self) -> Vec<Vec<Vec<u8>>> {
        if self.index == self.commits[self.head()] {
            return Vec::new();
        }
        self.commits.push(self.index.clone());
        self.parents.push(Some(self.head()));
        self.branches[self.on] = self.commits.len() - 1;
        vec![words(&["commit", "-q", "-m", "more"])]
    }

    /// Only where nothing stands in the way that git would refuse to lose.
    fn check_out(&mut self) -> Option<Deed> {
        let there = 1 - self.on;
        let old = self.commits[self.head()].clone();
        let new = self.commits[self.branches[there]].clone();
        let moved = differing(&old, &new);
        let is_free = |name: &Vec<u8>| {
            let is_as_committed =
                self.index.get(name) == old.get(name) && self.files.get(name) == old.get(name);
            let mut around = self.files.keys().chain(self.index.keys());
            let is_in_the_way = |other: &Vec<u8>| excludes(other, name) && !old.contains_key(other);
            is_as_committed && !(new.contains_key(name) && around.any(is_in_the_way))
        };
        let stays = |name: &&Vec<u8>| {
            old.get(*name) == new.get(*name) && moved.iter().any(|other| excludes(other, name))
        };
        if !moved.iter().all(is_free) || self.files.keys().any(|name| stays(&name)) {
            return None;
        }
        for name in &moved {
            self.index.remove(name);
            self.files.remove(name);
        }
        for name in &moved {
            set(&mut self.index, name, new.get(name));
            set(&mut self.files, name, new.get(name));
        }
        self.on = there;
        Some(Deed::Git(vec![words(&["checkout", "-q", BRANCHES[there]])]))
    }
}

fn words(words: &[&str]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_bytes().to_vec()).collect()
}
