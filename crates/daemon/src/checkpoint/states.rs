//! The same states in two vocabularies: the repository's, and the store's, which knows no repository.

use super::chain::Shelf;
use git::object::{EntryMode, Id, PathState, TreeLeaf};
use store::table::touches::Image;
use store::{FileState, TreePart};

/// A state as the store keeps it.
pub fn to_row(state: &PathState) -> Option<FileState> {
    match state {
        PathState::Absent => None,
        PathState::Present { entry, raw } => Some(FileState {
            mode: entry.mode.octal().to_owned(),
            id: entry.id.to_string(),
            raw: raw.map(|id| id.to_string()),
        }),
    }
}

/// The state a row holds; nothing if what it holds is no state.
pub fn from_row(row: Option<&FileState>) -> Option<PathState> {
    let Some(row) = row else {
        return Some(PathState::Absent);
    };
    let entry = TreeLeaf {
        mode: EntryMode::parse(&row.mode)?,
        id: row.id.parse().ok()?,
    };
    let raw: Option<Id> = match &row.raw {
        Some(id) => Some(id.parse().ok()?),
        None => None,
    };
    Some(PathState::Present { entry, raw })
}

/// A state that was seen, as the store keeps it.
pub fn to_image(state: &PathState) -> Image {
    to_row(state).map_or(Image::Absent, Image::Present)
}

/// What was seen, if anybody looked.
pub fn from_image(image: &Image) -> Option<PathState> {
    from_row(image.state()?)
}

/// Where a path is kept, as the store says it.
pub fn to_place(shelf: Shelf) -> TreePart {
    match shelf {
        Shelf::Files => TreePart::Files,
        Shelf::Ignored => TreePart::Ignored,
    }
}

/// Where a path is kept, as we say it.
pub fn from_place(place: TreePart) -> Shelf {
    match place {
        TreePart::Files => Shelf::Files,
        TreePart::Ignored => Shelf::Ignored,
    }
}
