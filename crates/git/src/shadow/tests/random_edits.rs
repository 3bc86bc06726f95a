//! Random edits give the trees git writes for the same content, and differences that lead from one to the other.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;

/// Names that sort oddly around the slash, and bytes that are no text.
fn name() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![
        b"a".to_vec(),
        b"a-".to_vec(),
        b"a.b".to_vec(),
        b"a0".to_vec(),
        b"a\xff".to_vec(),
        b"\xfe\n".to_vec(),
        b"a b".to_vec(),
        b"gitx".to_vec(),
        b".gi".to_vec(),
    ])
}

fn any_path() -> impl Strategy<Value = RepoPath> {
    prop::collection::vec(name(), 1..4).prop_map(|names| path(names.join(&b'/')))
}

/// One round of edits: a path, and the mode it gets, or nothing.
fn round() -> impl Strategy<Value = Vec<(RepoPath, Option<(EntryMode, u8)>)>> {
    let mode = prop::sample::select(vec![EntryMode::File, EntryMode::Exec, EntryMode::Link]);
    prop::collection::vec((any_path(), prop::option::of((mode, 0..4_u8))), 0..6)
}

/// The changes of a round, without those that contradict an earlier one.
fn consistent(
    world: &World,
    round: &[(RepoPath, Option<(EntryMode, u8)>)],
) -> BTreeMap<RepoPath, Option<TreeLeaf>> {
    let mut edits: BTreeMap<RepoPath, Option<TreeLeaf>> = BTreeMap::new();
    for (at, change) in round {
        let clashes = |other: &RepoPath| other.is_below(at) || at.is_below(other);
        let is_put = |entry: &Option<TreeLeaf>| entry.is_some() && change.is_some();
        if !edits.iter().any(|(other, entry)| clashes(other) && is_put(entry)) {
            let entry = change.map(|(mode, content)| TreeLeaf {
                mode,
                id: world.file(&content.to_string()).id,
            });
            edits.insert(at.clone(), entry);
        }
    }
    edits
}

/// What the leaves are after the changes, thought out without trees.
fn apply(leaves: &mut BTreeMap<RepoPath, TreeLeaf>, edits: &BTreeMap<RepoPath, Option<TreeLeaf>>) {
    for (at, change) in edits {
        if change.is_none() {
            leaves.remove(at);
        }
    }
    for (at, change) in edits {
        if let Some(entry) = change {
            leaves.retain(|other, _| !other.is_below(at) && !at.is_below(other));
            leaves.insert(at.clone(), *entry);
        }
    }
}

/// The tree real git writes for these leaves.
fn written_by_git(world: &World, leaves: &BTreeMap<RepoPath, TreeLeaf>) -> String {
    let index = world.bench.path("index");
    let _ = fs_err::remove_file(&index);
    let mut input = Vec::new();
    for (at, entry) in leaves {
        input.extend(format!("{} {} 0\t", entry.mode.octal(), entry.id).into_bytes());
        input.extend_from_slice(at.as_bytes());
        input.push(0);
    }
    run_git(world, &index, &["update-index", "-z", "--index-info"], &input);
    run_git(world, &index, &["write-tree", "--missing-ok"], b"")
}

fn run_git(world: &World, index: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut child = Command::new("git")
        .args(arguments)
        .env("GIT_INDEX_FILE", index)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(world.bench.path("repo"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn edits_in_any_order_give_the_trees_git_writes(rounds in prop::collection::vec(round(), 1..6)) {
        let world = World::new();
        let mut leaves = BTreeMap::new();
        let mut tree = None;
        for round in rounds {
            let edits = consistent(&world, &round);
            apply(&mut leaves, &edits);
            let next = world.shadow.edit(tree, None, &edits).unwrap();
            prop_assert_eq!(next.to_string(), written_by_git(&world, &leaves));
            prop_assert_eq!(world.shadow.leaves(next).unwrap(), leaves.clone().into_iter().collect::<Vec<_>>());
            let deltas = world.shadow.diff(tree, Some(next)).unwrap();
            prop_assert!(deltas.iter().all(|delta| delta.before != delta.after));
            let replayed = deltas.into_iter().map(|delta| (delta.path, delta.after)).collect();
            prop_assert_eq!(world.shadow.edit(tree, None, &replayed).unwrap(), next);
            tree = Some(next);
        }
        world.checkpoint(&main_line(), tree.unwrap());
        world.fsck();
    }
}
