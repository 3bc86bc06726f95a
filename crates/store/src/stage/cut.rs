//! Checkpoints on the stage: cut for somebody, with the files a test names.

use super::{Stage, Who};
use crate::checkpoint_files::{ChangeOrigin, CheckpointFileChange, NewFile};
use crate::checkpoints::{
    self, Checkpoint, CheckpointKind, CheckpointSource, Inserted, NewCheckpoint, Trigger,
};
use crate::file_state::{FileState, TreePart};
use crate::{actors, projects, worktrees};
use engine::id::{CheckpointId, WorktreeId};
use std::path::Path;

/// A file with this content.
pub(crate) fn state(content: &str) -> FileState {
    FileState {
        mode: "100644".to_owned(),
        id: format!("blob-{content}"),
        raw: None,
    }
}

/// A change nobody made.
pub(crate) fn file(path: &str, before: Option<&str>, after: Option<&str>) -> NewFile {
    let (before, after) = (before.map(state), after.map(state));
    NewFile {
        path: path.as_bytes().to_vec(),
        place: TreePart::Files,
        change: CheckpointFileChange::between(before.as_ref(), after.as_ref()).unwrap(),
        before,
        after,
        session: None,
        actor: None,
        origin: ChangeOrigin::Outside,
        tool_use_id: None,
        skip_reason: None,
        doubt: None,
    }
}

pub(crate) fn added(path: &str) -> NewFile {
    file(path, None, Some("1"))
}

pub(crate) fn modified(path: &str) -> NewFile {
    file(path, Some("1"), Some("2"))
}

pub(crate) fn deleted(path: &str) -> NewFile {
    file(path, Some("2"), None)
}

/// The same change, made by an actor's edit tool.
pub(crate) fn by(stage: &Stage, who: &Who, file: NewFile) -> NewFile {
    NewFile {
        session: Some(stage.main(who)),
        actor: Some(stage.actor(who).id),
        origin: ChangeOrigin::Tool,
        ..file
    }
}

impl Stage {
    /// The row of the main thread of somebody's session.
    pub fn main(&self, who: &Who) -> engine::id::ActorId {
        actors::by_key(&self.read(), &who.key.main()).unwrap().unwrap().id
    }

    /// The worktree at a folder of the one project there is.
    pub fn worktree(&self, root: &str) -> WorktreeId {
        let project = projects::by_key(&self.read(), Path::new("/repo/.git"))
            .unwrap()
            .unwrap();
        let all = worktrees::of(&self.read(), project.id).unwrap();
        all.iter()
            .find(|worktree| worktree.root == Path::new(root))
            .unwrap()
            .id
    }

    /// A checkpoint that is about to be cut for somebody: blank where a test says nothing.
    pub fn draft(&mut self, who: &Who, kind: CheckpointKind) -> NewCheckpoint {
        self.checkpoints += 1;
        let number = self.checkpoints;
        NewCheckpoint {
            id: CheckpointId::parse(&format!("{number:012x}")).unwrap(),
            trigger: Trigger {
                worktree: self.worktree(who.worktree.to_str().unwrap()),
                session: Some(self.main(who)),
                actor: Some(self.actor(who).id),
                kind,
                key: number.to_string(),
            },
            run: None,
            turn: None,
            label: format!("cut {number}"),
            summary: None,
            tool_use_id: None,
            commit: format!("commit-{number}"),
            files_tree: format!("tree-{number}"),
            base_commit: "base".to_owned(),
            head: Some("head".to_owned()),
            branch: Some("main".to_owned()),
            transcript_end: None,
            degraded: Vec::new(),
            source: CheckpointSource::Local,
            foreign_id: None,
            partner: None,
            undoes: None,
            created_at: self.now(),
            counts: None,
            is_late: false,
        }
    }

    /// Records a draft.
    pub fn keep(&mut self, new: &NewCheckpoint, files: &[NewFile]) -> Checkpoint {
        let inserted = self.write(|db| checkpoints::insert(db, new, files));
        assert!(matches!(inserted, Inserted::New(_)), "{inserted:?}");
        checkpoints::by_id(&self.read(), &new.id).unwrap().unwrap()
    }

    /// Cuts a checkpoint for somebody, in a turn of their session.
    pub fn cut(&mut self, who: &Who, kind: CheckpointKind, turn: u64, files: &[NewFile]) -> Checkpoint {
        let draft = NewCheckpoint {
            turn: Some(turn),
            ..self.draft(who, kind)
        };
        self.keep(&draft, files)
    }
}
