//! Holds what the product recorded against what it should have.

use super::plain::{Entry, Model, Owner, Point, Rows};
use super::real::{Real, git, git_with};
use super::step::{ACTORS, Actor};
use super::tree::{Node, Tree, excludes, is_ignored, told, told_node, without_ignored};
use engine::id::ActorId;
use git::object::{EntryMode, Id, TreeLeaf as Leaf};
use git::shadow::{Shadow, ShadowLayout, trailers};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use store::table::checkpoints::{self, Checkpoint};
use store::table::{checkpoint_files, counters};
use store::{FileState, TreePart};

/// How far the product was compared.
#[derive(Default)]
pub struct Seen {
    checkpoints: usize,
    tip: Option<Id>,
    blobs: BTreeMap<Id, Vec<u8>>,
}

impl Seen {
    /// Everything that is new since the last time.
    pub fn compare(&mut self, real: &Real, model: &Model) {
        assert_eq!(told(&real.files()), told(&model.repo.files), "the files");
        let Some(worktree) = real.worktree else { return };
        let troubles = real.read(counters::list);
        let failed = troubles
            .iter()
            .find(|counter| counter.name == "checkpoint-failed");
        assert!(failed.is_none(), "a job failed: {failed:?}");
        let (site, _) = real.site();
        let Some(shadow) = site.shadow().unwrap() else {
            assert!(model.points.is_empty(), "there is no shadow");
            return;
        };
        let line = real.read(|db| checkpoints::line(db, worktree));
        assert_eq!(
            line.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(),
            model.points.iter().map(|point| point.kind).collect::<Vec<_>>(),
            "the checkpoints; the newest has {:?}",
            line.last()
                .map(|row| real.read(|db| checkpoint_files::of(db, &row.id)))
        );
        let from = std::mem::replace(&mut self.checkpoints, line.len());
        for (at, row) in line.iter().enumerate().skip(from) {
            let point = &model.points[at];
            self.compare_point(real, &shadow, row, point);
            let head: Id = row.head.as_ref().unwrap().parse().unwrap();
            let base = self.leaves(&shadow, Some(shadow.tree_of(head).unwrap()));
            assert_eq!(told(&base), told(&model.repo.commits[point.head]), "the commit");
            let last = at.checked_sub(1).map(|last| &model.points[last]);
            let old = last.map_or(&base, |last| &last.files);
            let old_base = last.map_or(&base, |last| &model.repo.commits[last.head]);
            check_rows(point, (old, old_base), &base);
        }
        self.compare_line(&shadow, shadow.tip(&site.line).unwrap(), &line[from..]);
        if let Some(last) = line.last() {
            let layout = layout(&shadow, last);
            assert_eq!(
                told(&self.tree(&shadow, &layout)),
                told(&model.known),
                "the newest checkpoint"
            );
        }
    }

    /// One checkpoint: whose it is, its files, and its changes with their origins.
    fn compare_point(&mut self, real: &Real, shadow: &Shadow, row: &Checkpoint, point: &Point) {
        let whose = |session: Option<Actor>, actor: Option<Actor>, turn: Option<usize>| {
            format!("{} of {session:?} {actor:?} in {turn:?}", row.kind.as_str())
        };
        let turn = row.turn.map(|turn| usize::try_from(turn).unwrap());
        assert_eq!(
            whose(who(real, row.session), who(real, row.actor), turn),
            whose(point.session, point.actor, point.turn),
        );
        assert_eq!(row.trigger_key.starts_with("between-"), point.is_between);
        assert_eq!(row.branch.as_deref(), Some(super::repo::BRANCHES[point.branch]));
        let mut rows = Rows::new();
        for found in real.read(|db| checkpoint_files::of(db, &row.id)) {
            let file = found.file;
            assert_eq!(file.place == TreePart::Ignored, is_ignored(&file.path));
            let session = who(real, file.session);
            let owner = Owner {
                origin: file.origin.as_str(),
                session,
                actor: who(real, file.actor),
                turn: session.and(turn),
            };
            let before = self.state(shadow, file.before.as_ref());
            let after = self.state(shadow, file.after.as_ref());
            rows.insert(file.path, Entry { owner, before, after });
        }
        let kind = point.kind;
        assert_eq!(
            told_rows(&rows),
            told_rows(&point.rows),
            "the changes of a {kind}"
        );
        let layout = layout(shadow, row);
        assert_eq!(layout.files.to_string(), row.files_tree);
        assert_eq!(
            told(&self.tree(shadow, &layout)),
            told(&point.files),
            "the files of a {kind}"
        );
    }

    /// One commit behind the other, each a checkpoint or a seal.
    fn compare_line(&mut self, shadow: &Shadow, tip: Option<Id>, new: &[Checkpoint]) {
        let mut commits = Vec::new();
        let mut at = tip;
        while let Some(commit) = at.filter(|at| Some(*at) != self.tip) {
            let read = shadow.read_commit(commit).unwrap();
            assert!(read.parents.len() <= 1, "the line is not one");
            let kind = trailers(&read.message)
                .into_iter()
                .find(|(name, _)| name == "Toprope-Kind")
                .map(|(_, kind)| kind);
            if kind.as_deref() != Some("seal") {
                commits.push(commit.to_string());
            }
            at = read.parents.first().copied();
        }
        assert!(at == self.tip, "the line moved backwards");
        commits.reverse();
        let rows: Vec<String> = new.iter().map(|row| row.commit.clone()).collect();
        assert_eq!(commits, rows, "the line");
        self.tip = tip;
    }

    /// The files of a checkpoint, the ignored ones among them.
    fn tree(&mut self, shadow: &Shadow, layout: &ShadowLayout) -> Tree {
        let mut tree = self.leaves(shadow, Some(layout.files));
        tree.extend(self.leaves(shadow, layout.ignored));
        assert!(layout.raw.is_none(), "nothing is converted here");
        tree
    }

    fn leaves(&mut self, shadow: &Shadow, tree: Option<Id>) -> Tree {
        let leaves = tree.map(|tree| shadow.leaves(tree).unwrap()).unwrap_or_default();
        let each = leaves.into_iter();
        each.map(|(path, leaf)| (path.as_bytes().to_vec(), self.node(shadow, leaf)))
            .collect()
    }

    fn state(&mut self, shadow: &Shadow, state: Option<&FileState>) -> Option<Node> {
        let state = state?;
        assert_eq!(state.raw, None);
        let mode = EntryMode::parse(&state.mode).unwrap();
        Some(self.node(
            shadow,
            Leaf {
                mode,
                id: state.id.parse().unwrap(),
            },
        ))
    }

    fn node(&mut self, shadow: &Shadow, leaf: Leaf) -> Node {
        let blob = self.blobs.entry(leaf.id);
        let bytes = blob
            .or_insert_with(|| shadow.blob(leaf.id, 1 << 20).unwrap())
            .clone();
        match leaf.mode {
            EntryMode::File => Node::File { bytes, exec: false },
            EntryMode::Exec => Node::File { bytes, exec: true },
            EntryMode::Link => Node::Link(bytes),
            EntryMode::Commit => panic!("there are no submodules here"),
        }
    }
}

fn layout(shadow: &Shadow, checkpoint: &Checkpoint) -> ShadowLayout {
    let commit = checkpoint.commit.parse().unwrap();
    shadow.read_layout(shadow.tree_of(commit).unwrap()).unwrap()
}

fn who(real: &Real, id: Option<ActorId>) -> Option<Actor> {
    let id = id?;
    let found = ACTORS.into_iter().find(|actor| real.id(*actor) == Some(id));
    Some(found.expect("an actor of the test"))
}

/// The rows of a checkpoint are what differs between its files and those of the one before it, but for what git moved.
/// This holds in the model, and so in the product, which was compared with it.
fn check_rows(point: &Point, (old, old_base): (&Tree, &Tree), base: &Tree) {
    let mut files = old.clone();
    for (name, row) in &point.rows {
        assert_eq!(row.before.as_ref(), files.get(name), "{}", name.escape_ascii());
        match &row.after {
            Some(node) => drop(files.insert(name.clone(), node.clone())),
            None => drop(files.remove(name)),
        }
    }
    for name in super::tree::differing(&files, &point.files) {
        let is_moved = files.get(&name) == old_base.get(&name) && point.files.get(&name) == base.get(&name);
        // In between, the old commit is still the one that counts; but where git took a folder away and a file came in
        // its place, no tree can have both. If anybody but git had taken it, the row of that would not fit.
        let made_room = |(other, row): (&Vec<u8>, &Entry)| row.after.is_some() && excludes(other, &name);
        let is_displaced = point.is_between && point.rows.iter().any(made_room);
        assert!(
            is_moved || is_displaced,
            "{} changed without a row",
            name.escape_ascii()
        );
    }
}

fn told_rows(rows: &Rows) -> Vec<String> {
    let each = rows.iter().map(|(name, entry)| {
        format!(
            "{}: {} -> {} by {} {} {:?}",
            name.escape_ascii(),
            told_node(entry.before.as_ref()),
            told_node(entry.after.as_ref()),
            entry.owner.origin,
            match (entry.owner.session, entry.owner.actor) {
                (None, None) => "-".to_owned(),
                (Some(session), None) => format!("of {session:?}"),
                (_, Some(actor)) => format!("{actor:?}"),
            },
            entry.owner.turn,
        )
    });
    each.collect()
}

/// The tree that git itself makes of the same files, in an index of its own.
pub fn compare_with_git(real: &Real, model: &Model) {
    let Some(worktree) = real.worktree.filter(|_| model.is_scanned) else {
        return;
    };
    let last = real.read(|db| checkpoints::line(db, worktree)).pop().unwrap();
    if without_ignored(&model.known) != without_ignored(&model.repo.files) {
        return;
    }
    let root = real.root();
    // A copy of the person's index would be newer than its entries, and git would trust their time stamps.
    let index = real.all().join("index");
    let variables = [("GIT_INDEX_FILE", index.as_os_str())];
    git_with(&root, &["add", "-A"].map(OsStr::new), &variables);
    let tree = git_with(&root, &["write-tree"].map(OsStr::new), &variables);
    assert_eq!(last.files_tree, tree, "the tree git makes");
}

/// Nothing is missing or broken in the shadow.
pub fn check_shadow(real: &Real) {
    let shadow = real.root().join(".git/toprope/shadow.git");
    if shadow.exists() {
        git(&shadow, &["fsck", "--full", "--no-dangling"].map(OsStr::new));
    }
}
