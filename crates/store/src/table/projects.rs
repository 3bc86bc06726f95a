//! Projects: a repository's common git directory, else a marked folder, else where a session began.

use crate::StoreError;
use crate::db::{Db, RowFields, bytes_of};
use crate::migration::Migration;
use engine::id::ProjectId;
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::{Path, PathBuf};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE projects (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        root BLOB NOT NULL,
        kind TEXT NOT NULL,
        first_seen INTEGER NOT NULL
    ) STRICT;",
}];

/// What makes a folder a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectKind {
    /// A git repository.
    Git,
    /// A folder with our settings file.
    Marker,
    /// The folder a session began in.
    Folder,
}

impl ProjectKind {
    const ALL: [Self; 3] = [Self::Git, Self::Marker, Self::Folder];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Git => "git",
            Self::Marker => "marker",
            Self::Folder => "folder",
        }
    }

    fn parse(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .unwrap_or(Self::Folder)
    }
}

/// Where a project is, and what tells it apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPlace {
    /// The git common directory, or the folder.
    pub key: PathBuf,
    /// The folder people know it by.
    pub root: PathBuf,
    /// What makes it a project.
    pub kind: ProjectKind,
}

/// A row of `projects`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its row.
    pub id: ProjectId,
    /// Where it is.
    pub place: ProjectPlace,
    /// When its first event came.
    pub first_seen: Timestamp,
}

/// The project at this place, if it is known; what is new about the place is recorded.
pub fn known(db: &Db, place: &ProjectPlace) -> Result<Option<ProjectId>, StoreError> {
    let Some(known) = by_key(db, &place.key)? else {
        return Ok(None);
    };
    if known.place != *place {
        db.execute(
            "UPDATE projects SET root = :root, kind = :kind WHERE id = :id",
            named_params! {
                ":root": bytes_of(&place.root), ":kind": place.kind.as_str(), ":id": known.id.0,
            },
        )?;
    }
    Ok(Some(known.id))
}

/// The project at this place, recorded if it is new.
pub fn ensure(db: &Db, place: &ProjectPlace, at: Timestamp) -> Result<ProjectId, StoreError> {
    if let Some(known) = known(db, place)? {
        return Ok(known);
    }
    let id = db.insert(
        "INSERT INTO projects (key, root, kind, first_seen) VALUES (:key, :root, :kind, :at)",
        named_params! {
            ":key": bytes_of(&place.key),
            ":root": bytes_of(&place.root),
            ":kind": place.kind.as_str(),
            ":at": at.0,
        },
    )?;
    Ok(ProjectId(id))
}

/// The project is at another place now; nothing else may be known there.
pub fn move_to(db: &Db, id: ProjectId, place: &ProjectPlace) -> Result<(), StoreError> {
    db.execute(
        "UPDATE projects SET key = :key, root = :root, kind = :kind WHERE id = :id",
        named_params! {
            ":key": bytes_of(&place.key),
            ":root": bytes_of(&place.root),
            ":kind": place.kind.as_str(),
            ":id": id.0,
        },
    )?;
    Ok(())
}

/// The project with this key.
pub fn by_key(db: &Db, key: &Path) -> Result<Option<Project>, StoreError> {
    let sql = "SELECT id, key, root, kind, first_seen FROM projects WHERE key = :key";
    db.one(sql, named_params! { ":key": bytes_of(key) }, read)
}

/// The project in this row.
pub fn by_id(db: &Db, id: ProjectId) -> Result<Option<Project>, StoreError> {
    let sql = "SELECT id, key, root, kind, first_seen FROM projects WHERE id = :id";
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// Every project, oldest first.
pub fn list(db: &Db) -> Result<Vec<Project>, StoreError> {
    db.all(
        "SELECT id, key, root, kind, first_seen FROM projects ORDER BY id",
        &[],
        read,
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: ProjectId(row.take()?),
        place: ProjectPlace {
            key: row.path()?,
            root: row.path()?,
            kind: ProjectKind::parse(&row.take::<String>()?),
        },
        first_seen: Timestamp(row.take()?),
    })
}
