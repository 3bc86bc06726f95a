//! Files as a plain map, and the same files on a disk.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    File { bytes: Vec<u8>, exec: bool },
    Link(Vec<u8>),
}

/// Files by their path below the worktree.
pub type Tree = BTreeMap<Vec<u8>, Node>;

/// Every path that anybody may touch. One is ignored, one is no text, and `d` is a file or a folder.
pub const NAMES: [&[u8]; 8] = [b"a", b"b", b"d", b"d/x", b"d/y", b"e/f/g", b"d/n.log", b"\xffz"];

pub fn is_ignored(name: &[u8]) -> bool {
    name.ends_with(b".log")
}

/// Whether one of two paths is a folder around the other, so that not both can be files.
pub fn excludes(one: &[u8], other: &[u8]) -> bool {
    is_below(one, other) || is_below(other, one)
}

pub fn is_below(inner: &[u8], folder: &[u8]) -> bool {
    inner
        .strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with(b"/"))
}

/// Puts something at a path; what cannot be there at the same time goes.
pub fn put(tree: &mut Tree, name: &[u8], node: Node) {
    tree.retain(|other, _| !excludes(other, name));
    tree.insert(name.to_vec(), node);
}

pub fn without_ignored(tree: &Tree) -> Tree {
    let kept = tree.iter().filter(|(name, _)| !is_ignored(name));
    kept.map(|(name, node)| (name.clone(), node.clone())).collect()
}

/// The paths at which two trees differ.
pub fn differing(one: &Tree, other: &Tree) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = one.keys().chain(other.keys()).cloned().collect();
    names.sort();
    names.dedup();
    names.retain(|name| one.get(name) != other.get(name));
    names
}

/// The file a tool writes that is given this name: links are followed. Nothing where that leads to no file of the tree.
pub fn followed(tree: &Tree, name: &[u8]) -> Option<Vec<u8>> {
    let is_link = |folder: &[u8]| matches!(tree.get(folder), Some(Node::Link(_)));
    if tree.keys().any(|other| is_below(name, other) && is_link(other)) {
        return None;
    }
    match tree.get(name) {
        None | Some(Node::File { .. }) => Some(name.to_vec()),
        Some(Node::Link(target)) => {
            let folder = name.rsplitn(2, |byte| *byte == b'/').nth(1);
            let target = folder.map_or_else(|| target.clone(), |folder| [folder, b"/", target].concat());
            matches!(tree.get(&target), Some(Node::File { .. })).then_some(target)
        }
    }
}

/// Brings a disk from one tree to another, touching only what differs.
pub fn write(root: &Path, old: &Tree, new: &Tree) {
    let names = differing(old, new);
    for name in &names {
        let is_other_kind =
            |one: &Node, other: &Node| matches!((one, other), (Node::File { .. }, Node::Link(_)));
        let goes = match (old.get(name), new.get(name)) {
            (Some(_), None) => true,
            (Some(one), Some(other)) => is_other_kind(one, other) || matches!(one, Node::Link(_)),
            (None, _) => false,
        };
        if goes {
            fs_err::remove_file(real(root, name)).unwrap();
        }
    }
    for name in &names {
        let path = real(root, name);
        let Some(node) = new.get(name) else { continue };
        if path.is_dir() && !path.is_symlink() {
            // Nothing but folders that became empty.
            remove_empty(&path);
        }
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        match node {
            Node::Link(target) => std::os::unix::fs::symlink(OsStr::from_bytes(target), &path).unwrap(),
            Node::File { bytes, exec } => {
                fs_err::write(&path, bytes).unwrap();
                let mode = if *exec { 0o755 } else { 0o644 };
                fs_err::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            }
        }
    }
}

fn remove_empty(folder: &Path) {
    for entry in fs_err::read_dir(folder).unwrap() {
        remove_empty(&entry.unwrap().path());
    }
    fs_err::remove_dir(folder).unwrap();
}

/// The files on a disk.
pub fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
            let found = fs_err::symlink_metadata(&path).unwrap();
            if name == b".git" {
            } else if found.is_dir() {
                folders.push(path);
            } else if found.is_symlink() {
                let target = fs_err::read_link(&path).unwrap();
                tree.insert(name, Node::Link(target.as_os_str().as_bytes().to_vec()));
            } else {
                let exec = found.permissions().mode() & 0o100 != 0;
                let bytes = fs_err::read(&path).unwrap();
                tree.insert(name, Node::File { bytes, exec });
            }
        }
    }
    tree
}

pub fn real(root: &Path, name: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(name))
}

/// A tree as a person reads it.
pub fn told(tree: &Tree) -> String {
    let lines = tree
        .iter()
        .map(|(name, node)| format!("{} {}", name.escape_ascii(), told_node(Some(node))));
    lines.collect::<Vec<_>>().join(", ")
}

pub fn told_node(node: Option<&Node>) -> String {
    match node {
        None => "-".to_owned(),
        Some(Node::Link(target)) => format!("->{}", target.escape_ascii()),
        Some(Node::File { bytes, exec }) => {
            let text = bytes.trim_ascii_end().escape_ascii();
            format!("{text}{}", if *exec { "*" } else { "" })
        }
    }
}
