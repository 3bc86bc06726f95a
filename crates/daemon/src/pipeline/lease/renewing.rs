//! A file is looked at before the transaction. If somebody wrote it meanwhile, what was found is old, and it is looked at
//! again.

use super::content::{hash, stamp};
use super::gathering::Gathering;
use super::looking::{MEBIBYTE, PATIENCE};
use engine::id::EventSeq;
use engine::lease::{ContentIdentity, FileTarget};
use std::path::Path;
use std::time::Instant;
use store::StoreError;
use store::table::seen;

impl Gathering<'_> {
    /// The target as it is now, if an event that tells of a write came after the look at it.
    pub(super) fn renewed(
        &self,
        mut target: FileTarget,
        looked: Option<EventSeq>,
    ) -> Result<FileTarget, StoreError> {
        let Some(looked) = looked else {
            return Ok(target);
        };
        target.key.worktree = self.worktree(target.root.as_deref())?;
        let change = seen::last_change(self.db, &target.key)?;
        if change.is_some_and(|change| change.event > looked) {
            return Ok(self.looked_at_again(target));
        }
        Ok(target)
    }

    fn looked_at_again(&self, target: FileTarget) -> FileTarget {
        let root = target.root.as_deref().unwrap_or(Path::new("/"));
        let path = root.join(&target.key.path);
        let found = path.symlink_metadata().ok();
        let file = found.as_ref().filter(|found| found.is_file() && target.leasable);
        let most = self.subject.map_or(0, |subject| {
            u64::from(subject.loaded.settings.stale_write.max_mib).saturating_mul(MEBIBYTE)
        });
        let content = file.map_or(ContentIdentity::Nothing, |file| {
            hash(&path, file, most, Instant::now() + PATIENCE)
        });
        FileTarget {
            exists: found.is_some(),
            stamp: file.map(stamp),
            content,
            ..target
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::Judge;
    use crate::pipeline::PreparedEvent;
    use crate::pipeline::guard::ground::Ground;
    use engine::policy::ORDER;
    use serde_json::{Value, json};

    /// An event of a session about a write of `src/a.rs`.
    fn write(ground: &Ground, session: &str, event: &str) -> PreparedEvent {
        let path = ground.path("repo/src/a.rs");
        let mut payload = ground.payload(event, "Write", &json!({ "file_path": path, "content": "two" }));
        payload["session_id"] = json!(session);
        payload["tool_use_id"] = json!("toolu_write");
        payload["tool_response"] = json!({ "filePath": path });
        ground.prepared(&payload, &[])
    }

    fn happens(ground: &Ground, mut prepared: PreparedEvent) -> String {
        ground.world.answer(&mut prepared);
        decided(ground, &prepared)
    }

    fn decided(ground: &Ground, prepared: &PreparedEvent) -> String {
        let recorded = ground.judged(prepared, &Judge::new(ORDER));
        String::from_utf8(recorded.printed.stdout).unwrap()
    }

    fn plain(ground: &Ground, session: &str, event: &str, fields: &Value) {
        let mut payload =
            json!({ "hook_event_name": event, "session_id": session, "cwd": ground.path("repo") });
        for (name, value) in fields.as_object().into_iter().flatten() {
            payload[name] = value.clone();
        }
        happens(ground, ground.prepared(&payload, &[]));
    }

    #[test]
    fn what_another_wrote_between_the_look_and_the_decision_is_not_overwritten() {
        let ground = Ground::new();
        let read = json!({
            "tool_name": "Read", "tool_input": { "file_path": ground.path("repo/src/a.rs") }, "tool_use_id": "toolu_read"
        });
        for session in ["mine", "other"] {
            plain(&ground, session, "UserPromptSubmit", &json!({ "prompt": "go" }));
            plain(&ground, session, "PreToolUse", &read);
        }
        let mut mine = write(&ground, "mine", "PreToolUse");
        ground.world.answer(&mut mine);

        assert_eq!(happens(&ground, write(&ground, "other", "PreToolUse")), "");
        ground.write("repo/src/a.rs", "theirs");
        happens(&ground, write(&ground, "other", "PostToolUse"));
        plain(&ground, "other", "Stop", &json!({ "stop_hook_active": false }));

        let answer = decided(&ground, &mine);
        assert!(answer.contains("changed after you last read it"), "{answer:?}");
    }
}
