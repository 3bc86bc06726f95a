//! Brings what the store knows and what git says together into the values that are judged.

use super::Linker;
use super::material::{Material, SessionMaterial};
use super::movement::Movement;
use git::commit_facts::{self, Signature};
use git::committed::settled;
use git::linking::{Candidate, ExistingLink, LinkContext, LinkedCheckpoint, SessionChange};
use git::object::{EntryMode, Id, TreeLeaf};
use git::patch_id;
use git::path::RepoPath;
use git::run::{Git, GitError};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::FileState;
use store::table::checkpoint_files::FileRow;

/// Open work of more paths is not compared as one change.
const MOST_OPEN: usize = 500;

/// The sessions as they are judged, in the order of the material, row by row and link by link.
pub fn candidates(
    linker: &Linker<'_>,
    movement: &Movement,
    material: &Material,
) -> Result<Vec<Candidate>, GitError> {
    let all_links = material.sessions.iter().flat_map(|session| &session.links);
    let commits: HashSet<Id> = all_links.filter_map(|link| link.commit.parse().ok()).collect();
    let bases: HashSet<Id> = material
        .sessions
        .iter()
        .flat_map(|session| &session.trees)
        .filter_map(|checkpoint| checkpoint.base_commit.parse().ok())
        .collect();
    let asked: Vec<Id> = commits.union(&bases).copied().collect();
    let mut known = Commits::default();
    for facts in commit_facts::read(&linker.git(), &asked, linker.budget)? {
        known.trees.insert(facts.id, facts.tree);
        known.authors.insert(facts.id, facts.author);
    }
    let candidates = material.sessions.iter().map(|session| {
        Ok(Candidate {
            checkpoints: checkpoints(material, session, &known),
            // All of them have a path, so that they keep their places.
            rows: session.rows.iter().filter_map(row).collect(),
            links: links(session, &known),
            superseded: superseded(session),
            open_patch: open_patch(linker, movement, material, session)?,
        })
    });
    candidates.collect()
}

/// What is the case beside that.
pub fn surroundings(
    linker: &Linker<'_>,
    movement: &Movement,
    material: &Material,
) -> Result<LinkContext, GitError> {
    let git = linker.git();
    let links = material.sessions.iter().flat_map(|session| &session.links);
    let rows = || material.sessions.iter().flat_map(|session| &session.rows);
    let asked: HashSet<Id> = links
        .map(|link| &link.commit)
        .chain(rows().filter_map(|row| row.committed_in.as_ref()))
        .filter_map(|commit| commit.parse().ok())
        .chain(movement.commits.iter().map(|commit| commit.facts.id))
        .collect();
    let asked: Vec<Id> = asked.into_iter().collect();
    let abandoned = commit_facts::abandoned(&git, &asked, linker.budget)?;
    let changed: HashSet<&RepoPath> = movement
        .commits
        .iter()
        .flat_map(|commit| commit.facts.changes.iter().flatten())
        .map(|change| &change.path)
        .collect();
    let left: BTreeMap<RepoPath, Option<TreeLeaf>> = rows()
        .filter_map(|row| Some((path_of(row)?, entry_of(row.file.after.as_ref()))))
        .filter(|(path, _)| changed.contains(path))
        .collect();
    let worktree = linker
        .place
        .worktree
        .as_ref()
        .unwrap_or(&linker.place.project.root);
    Ok(LinkContext {
        abandoned: abandoned.into_iter().collect(),
        settled: settled(&git, worktree, &left, linker.budget)?,
        is_under_way: movement.is_under_way,
    })
}

/// What git says of the commits that are spoken of.
#[derive(Default)]
struct Commits {
    trees: HashMap<Id, Id>,
    authors: HashMap<Id, Signature>,
}

/// A tree that is merely that of the commit it was laid over holds nobody's work.
fn checkpoints(material: &Material, session: &SessionMaterial, known: &Commits) -> Vec<LinkedCheckpoint> {
    let held = |checkpoint: &store::table::checkpoints::Checkpoint| -> Option<Id> {
        session
            .trees
            .iter()
            .any(|with_work| with_work.id == checkpoint.id)
            .then_some(())?;
        let files: Id = checkpoint.files_tree.parse().ok()?;
        let base: Option<Id> = checkpoint.base_commit.parse().ok();
        let base = base.and_then(|base| known.trees.get(&base));
        (base != Some(&files)).then_some(files)
    };
    let spoken_of = material.of_session(session).into_iter();
    spoken_of
        .map(|checkpoint| LinkedCheckpoint {
            id: checkpoint.id.as_str().to_owned(),
            files: held(checkpoint),
        })
        .collect()
}

fn links(session: &SessionMaterial, known: &Commits) -> Vec<ExistingLink> {
    let live = session.links.iter().filter(|link| link.superseded_by.is_none());
    live.filter_map(|link| {
        let commit: Id = link.commit.parse().ok()?;
        Some(ExistingLink {
            commit,
            checkpoint: link.checkpoint.as_str().to_owned(),
            patch: link.patch_id.as_deref().and_then(|patch| patch.parse().ok()),
            author: known.authors.get(&commit).cloned(),
        })
    })
    .collect()
}

fn superseded(session: &SessionMaterial) -> HashSet<Id> {
    let gone = session.links.iter().filter(|link| link.superseded_by.is_some());
    gone.filter_map(|link| link.commit.parse().ok()).collect()
}

fn row(row: &FileRow) -> Option<SessionChange> {
    Some(SessionChange {
        checkpoint: row.checkpoint.as_str().to_owned(),
        path: path_of(row)?,
        after: entry_of(row.file.after.as_ref()),
        committed_in: row.committed_in.as_deref().and_then(|commit| commit.parse().ok()),
    })
}

fn path_of(row: &FileRow) -> Option<RepoPath> {
    RepoPath::new(row.file.path.clone()).ok()
}

fn entry_of(state: Option<&FileState>) -> Option<TreeLeaf> {
    let state = state?;
    Some(TreeLeaf {
        mode: EntryMode::parse(&state.mode)?,
        id: state.id.parse().ok()?,
    })
}

/// The name of a session's open work as one change, if a new commit may be that very change.
fn open_patch(
    linker: &Linker<'_>,
    movement: &Movement,
    material: &Material,
    session: &SessionMaterial,
) -> Result<Option<Id>, GitError> {
    let open: Vec<&FileRow> = session
        .rows
        .iter()
        .filter(|row| row.committed_in.is_none())
        .collect();
    let work: BTreeMap<RepoPath, Option<TreeLeaf>> = open
        .iter()
        .filter_map(|row| Some((path_of(row)?, entry_of(row.file.after.as_ref()))))
        .collect();
    let is_that = |commit: &git::linking::UnlinkedCommit| {
        let changes = commit.facts.changes.iter().flatten();
        commit.patch.is_some()
            && commit.facts.changes.as_ref().map(Vec::len) == Some(work.len())
            && changes.into_iter().all(|change| work.contains_key(&change.path))
    };
    let newest = open
        .last()
        .and_then(|row| material.checkpoint(row.checkpoint.as_str()));
    let (Some(shadow), Some(newest)) = (linker.shadow, newest) else {
        return Ok(None);
    };
    if work.len() > MOST_OPEN || !movement.commits.iter().any(is_that) {
        return Ok(None);
    }
    // What cannot be had from the shadow is merely not compared.
    let base = newest
        .base_commit
        .parse()
        .ok()
        .and_then(|base| shadow.tree_of(base).ok());
    let laid = base.and_then(|base| Some((base, shadow.edit(Some(base), Some(base), &work).ok()?)));
    let Some((base, laid)) = laid else {
        return Ok(None);
    };
    let git = Git::new(shadow.folder(), linker.environment);
    patch_id::between(&git, base, laid, linker.budget)
}
