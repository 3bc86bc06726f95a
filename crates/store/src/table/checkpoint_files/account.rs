//! What a whole turn, or a whole run of an agent, changed: its steps taken together.

use super::{CheckpointFileChange, FileRow, NewFile, columns, joins, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::table::checkpoints::{Checkpoint, CheckpointKind};
use engine::id::{ActorId, WorktreeId};
use rusqlite::named_params;
use std::collections::BTreeMap;

/// What a checkpoint stands for: a turn's end for the whole turn, an agent's end for its run, others for themselves.
pub fn account(db: &Db, checkpoint: &Checkpoint) -> Result<Vec<NewFile>, StoreError> {
    let rows = match (checkpoint.kind, checkpoint.session, checkpoint.actor) {
        (CheckpointKind::Turn | CheckpointKind::Interrupted, Some(session), _) => {
            of_turn(db, checkpoint.worktree, session, checkpoint.turn)?
        }
        (CheckpointKind::AgentStop, _, Some(actor)) => {
            of_run(db, checkpoint.worktree, actor, checkpoint.run)?
        }
        _ => super::of(db, &checkpoint.id)?,
    };
    let rows = rows.into_iter().filter(|row| row.seq <= checkpoint.seq);
    Ok(net(rows.map(|row| row.file)))
}

/// What a session changed in one of its turns, oldest first.
pub fn of_turn(
    db: &Db,
    worktree: WorktreeId,
    session: ActorId,
    turn: Option<u64>,
) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints JOIN checkpoint_files AS files ON files.checkpoint_seq = checkpoints.seq",
            joins!(),
            "WHERE checkpoints.session_id = :session AND checkpoints.turn IS :turn
                 AND checkpoints.worktree_id = :worktree AND files.session_id = :session
             ORDER BY checkpoints.seq, files.id"
        ),
        named_params! {
            ":session": session.0,
            ":turn": turn.map(column_of),
            ":worktree": worktree.0,
        },
        read,
    )
}

/// What an agent changed in one of its runs, oldest first.
pub fn of_run(
    db: &Db,
    worktree: WorktreeId,
    actor: ActorId,
    run: Option<u64>,
) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq",
            joins!(),
            "WHERE files.actor_id = :actor AND files.worktree_id = :worktree
                 AND files.checkpoint_seq > COALESCE((SELECT MAX(seq) FROM checkpoints AS began
                     WHERE began.actor_id = :actor AND began.run IS :run AND began.kind = 'agent-start'), 0)
             ORDER BY files.checkpoint_seq, files.id"
        ),
        named_params! { ":actor": actor.0, ":run": run.map(column_of), ":worktree": worktree.0 },
        read,
    )
}

/// Changes taken together: from the first state of each path to its last; what came back to where it was is none.
pub fn net(rows: impl IntoIterator<Item = NewFile>) -> Vec<NewFile> {
    let mut paths: BTreeMap<(Vec<u8>, &'static str), NewFile> = BTreeMap::new();
    for row in rows {
        let key = (row.path.clone(), row.place.as_str());
        match paths.get_mut(&key) {
            Some(known) if row.change == CheckpointFileChange::Skipped => known.skip_reason = row.skip_reason,
            Some(known) => {
                known.after = row.after;
                known.skip_reason = None;
            }
            None => {
                paths.insert(key, row);
            }
        }
    }
    paths
        .into_values()
        .filter_map(|mut file| {
            if file.change != CheckpointFileChange::Skipped || file.skip_reason.is_none() {
                file.change = CheckpointFileChange::between(file.before.as_ref(), file.after.as_ref())?;
            }
            Some(file)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_state::{FileState, TreePart};
    use crate::table::checkpoint_files::ChangeOrigin;

    fn state(id: &str) -> Option<FileState> {
        (id != "-").then(|| FileState {
            mode: "100644".to_owned(),
            id: id.to_owned(),
            raw: None,
        })
    }

    fn file(path: &str, before: &str, after: &str) -> NewFile {
        let (before, after) = (state(before), state(after));
        NewFile {
            path: path.into(),
            place: TreePart::Files,
            change: CheckpointFileChange::between(before.as_ref(), after.as_ref()).unwrap(),
            before,
            after,
            session: None,
            actor: None,
            origin: ChangeOrigin::Tool,
            tool_use_id: None,
            skip_reason: None,
            doubt: None,
        }
    }

    fn told(files: Vec<NewFile>) -> Vec<String> {
        net(files)
            .into_iter()
            .map(|file| format!("{} {}", String::from_utf8_lossy(&file.path), file.change.as_str()))
            .collect()
    }

    #[test]
    fn several_changes_of_a_path_are_one() {
        assert_eq!(
            told(vec![
                file("a", "1", "2"),
                file("b", "-", "3"),
                file("a", "2", "4")
            ]),
            ["a modified", "b added"]
        );
        assert_eq!(told(vec![file("a", "-", "2"), file("a", "2", "3")]), ["a added"]);
        assert_eq!(
            told(vec![file("a", "1", "2"), file("a", "2", "-")]),
            ["a deleted"]
        );
    }

    #[test]
    fn what_came_back_is_no_change() {
        assert!(told(vec![file("a", "1", "2"), file("a", "2", "1")]).is_empty());
        assert!(told(vec![file("a", "-", "2"), file("a", "2", "-")]).is_empty());
    }
}
