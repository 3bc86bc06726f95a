//! The paths a log is asked for, as the whole paths that events are about.

use crate::StoreError;
use crate::db::Db;
use crate::table::worktrees;
use engine::id::ProjectId;
use engine::lease::pattern::Pattern;
use rusqlite::named_params;
use std::collections::BTreeSet;

/// More different paths than this are not looked through.
const MOST: i64 = 100_000;

/// Which paths are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFilter {
    /// A file, or a folder with everything in it: by its whole path, and in every other worktree by its path there.
    At {
        /// From the root of all folders.
        whole: String,
        /// From the root of its worktree; `None` outside all of them.
        inside: Option<String>,
    },
    /// Every file whose path from the root of its worktree fits.
    Like(Pattern),
}

/// What events of these projects are about that one of the filters means.
pub fn targets(
    db: &Db,
    places: &[Option<ProjectId>],
    filters: &[PathFilter],
) -> Result<BTreeSet<(Option<ProjectId>, String)>, StoreError> {
    let mut found = BTreeSet::new();
    for place in places {
        let roots = roots(db, *place)?;
        for filter in filters {
            let paths = match filter {
                PathFilter::At { whole, inside } => at(db, *place, &roots, whole, inside.as_deref())?,
                PathFilter::Like(pattern) => like(db, *place, &roots, pattern)?,
            };
            found.extend(paths.into_iter().map(|path| (*place, path)));
        }
    }
    Ok(found)
}

fn roots(db: &Db, place: Option<ProjectId>) -> Result<Vec<String>, StoreError> {
    let Some(project) = place else {
        return Ok(Vec::new());
    };
    let worktrees = worktrees::of(db, project)?.into_iter();
    Ok(worktrees
        .map(|worktree| worktree.root.to_string_lossy().trim_end_matches('/').to_owned())
        .collect())
}

fn at(
    db: &Db,
    place: Option<ProjectId>,
    roots: &[String],
    whole: &str,
    inside: Option<&str>,
) -> Result<Vec<String>, StoreError> {
    let elsewhere = roots.iter().filter_map(|root| {
        Some(match inside? {
            "" => root.clone(),
            inside => format!("{root}/{inside}"),
        })
    });
    let mut wanted: BTreeSet<String> = elsewhere.collect();
    wanted.insert(whole.trim_end_matches('/').to_owned());
    let mut found = Vec::new();
    for path in wanted {
        found.extend(below(db, place, &path)?);
        found.push(path);
    }
    Ok(found)
}

fn like(
    db: &Db,
    place: Option<ProjectId>,
    roots: &[String],
    pattern: &Pattern,
) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    for root in roots {
        let paths = below(db, place, root)?.into_iter();
        found.extend(paths.filter(|path| innermost(roots, path).is_some_and(|inside| pattern.fits(inside))));
    }
    Ok(found)
}

/// The path from the root of the worktree that holds it.
fn innermost<'a>(roots: &[String], path: &'a str) -> Option<&'a str> {
    let inside = roots
        .iter()
        .filter_map(|root| path.strip_prefix(root.as_str())?.strip_prefix('/'));
    inside.min_by_key(|inside| inside.len())
}

/// Every path below a folder that an event is about. Each costs one step, however many events there are.
fn below(db: &Db, place: Option<ProjectId>, folder: &str) -> Result<Vec<String>, StoreError> {
    db.values(
        "WITH RECURSIVE found (path) AS (
             SELECT MIN(target) FROM events
                 WHERE substr(target, 1, 1) = '/' AND project_id IS :project AND target > :from AND target < :to
             UNION ALL SELECT (SELECT MIN(target) FROM events
                     WHERE substr(target, 1, 1) = '/' AND project_id IS :project
                         AND target > found.path AND target < :to)
                 FROM found WHERE found.path IS NOT NULL)
         SELECT path FROM found WHERE path IS NOT NULL LIMIT :most",
        named_params! {
            ":project": place.map(|id| id.0),
            ":from": format!("{folder}/"),
            // The character after the slash.
            ":to": format!("{folder}0"),
            ":most": MOST,
        },
    )
}
