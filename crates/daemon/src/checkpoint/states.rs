//! The same states in two vocabularies: the repository's, and the store's, which knows no repository.

use super::chain::Shelf;
use git::object::{Entry, Id, Mode, State};
use store::table::touches::Image;
use store::{FileState, Place};

/// A state as the store keeps it.
pub fn to_row(state: &State) -> Option<FileState> {
    match state {
        State::Absent => None,
        State::Present { entry, raw } => Some(FileState {
            mode: entry.mode.octal().to_owned(),
            id: entry.id.to_string(),
            raw: raw.map(|id| id.to_string()),
        }),
    }
}

/// The state a row holds; nothing if what it holds is no state.
pub fn from_row(row: Option<&FileState>) -> Option<State> {
    let Some(row) = row else {
        return Some(State::Absent);
    };
    let entry = Entry {
        mode: Mode::parse(&row.mode)?,
        id: row.id.parse().ok()?,
    };
    let raw: Option<Id> = match &row.raw {
        Some(id) => Some(id.parse().ok()?),
        None => None,
    };
    Some(State::Present { entry, raw })
}

/// A state that was seen, as the store keeps it.
pub fn to_image(state: &State) -> Image {
    to_row(state).map_or(Image::Absent, Image::Present)
}

/// What was seen, if anybody looked.
pub fn from_image(image: &Image) -> Option<State> {
    from_row(image.state()?)
}

/// Where a path is kept, as the store says it.
pub fn to_place(shelf: Shelf) -> Place {
    match shelf {
        Shelf::Files => Place::Files,
        Shelf::Ignored => Place::Ignored,
    }
}

/// Where a path is kept, as we say it.
pub fn from_place(place: Place) -> Shelf {
    match place {
        Place::Files => Shelf::Files,
        Place::Ignored => Shelf::Ignored,
    }
}
