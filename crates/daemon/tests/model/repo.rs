//! A repository as plain values: files, index, commits, two branches. What git would do is said a second time here.

use super::step::Edit;
use super::tree::{NAMES, Node, Tree, excludes, put};

pub const BRANCHES: [&str; 2] = ["main", "other"];
const CONTENTS: [&[u8]; 3] = [b"1\n", b"2\n", b"3\n"];

#[derive(Debug, Clone)]
pub struct Repo {
    pub files: Tree,
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
            Edit::Link(name, dangles) => {
                let target: &[u8] = if *dangles { b"nowhere" } else { b"a" };
                put(&mut self.files, NAMES[*name], Node::Link(target.to_vec()));
            }
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
}
