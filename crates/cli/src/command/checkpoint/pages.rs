//! What a checkpoint holds of its session: what was asked, what was said, and the conversation as far as it was read.

use super::place::{CheckpointPlace, unreadable};
use crate::failure::Failure;
use ::daemon::checkpoint::metadata::Metadata;
use ::daemon::checkpoint::people::ActorNames;
use ::daemon::checkpoint::session_part::{chunks_in, folder_of};
use ::daemon::checkpoint::worksite::Borrowed;
use engine::id::ActorId;
use git::object::Id;
use git::path::RepoPath;
use git::shadow::ShadowError;
use store::table::actors;
use store::table::checkpoints::Checkpoint;

/// A page about one checkpoint is never larger, and no chunk of a conversation.
const LARGEST: u64 = 128 * 1024 * 1024;

/// See the module.
pub struct CheckpointPages<'a> {
    shadow: Borrowed<'a>,
    tree: Option<Id>,
}

impl<'a> CheckpointPages<'a> {
    /// The pages of a checkpoint; those of its sealed form where there is one.
    pub fn of(here: &'a CheckpointPlace, checkpoint: &Checkpoint) -> Result<Self, Failure> {
        let shadow = here.shadow()?;
        let commit = checkpoint.sealed_commit.as_ref().unwrap_or(&checkpoint.commit);
        let tree = match commit.parse::<Id>() {
            Ok(commit) => {
                let layout = shadow.tree_of(commit).and_then(|tree| shadow.read_layout(tree));
                layout.map_err(unreadable)?.session
            }
            Err(_) => None,
        };
        Ok(Self { shadow, tree })
    }

    /// What it says about itself.
    pub fn metadata(&self) -> Result<Option<Metadata>, Failure> {
        let page = self.page("metadata.json")?;
        Ok(page.and_then(|page| Metadata::parse(&page)))
    }

    /// What the model said last.
    pub fn summary(&self) -> Result<Option<Vec<u8>>, Failure> {
        self.page("summary.txt")
    }

    /// The parts of an actor's conversation with the byte each begins at, in order; joined they are its transcript as far
    /// as it was kept.
    pub fn chunks(&self, here: &CheckpointPlace, actor: Option<ActorId>) -> Result<Vec<(u64, Id)>, Failure> {
        let Some(tree) = self.tree else {
            return Ok(Vec::new());
        };
        let people = ActorNames {
            actor: match actor {
                Some(actor) => here.read(|db| actors::by_id(db, actor))?,
                None => None,
            },
            ..ActorNames::default()
        };
        chunks_in(&self.shadow, tree, &folder_of(&people)).map_err(unreadable)
    }

    /// The bytes of a chunk.
    pub fn chunk(&self, id: Id) -> Result<Vec<u8>, ShadowError> {
        self.shadow.blob(id, LARGEST)
    }

    fn page(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let (Some(tree), Ok(path)) = (self.tree, RepoPath::new(name)) else {
            return Ok(None);
        };
        let Some(entry) = self.shadow.entry(tree, &path).map_err(unreadable)? else {
            return Ok(None);
        };
        self.shadow.blob(entry.id, LARGEST).map(Some).map_err(unreadable)
    }
}
