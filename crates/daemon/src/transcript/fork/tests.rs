use super::*;
use agents::claude_code::ClaudeCode;
use fs_err as fs;
use std::os::unix::fs::{MetadataExt, symlink};
use tempfile::TempDir;

const TEXT: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"old"}"#,
    "\n",
    r#"{"type":"last-prompt","leafUuid":"u9","sessionId":"old"}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"old"}"#,
    "\n",
    r#"{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"old"}"#,
    "\n",
);

struct Stage {
    world: TempDir,
    old: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let world = TempDir::new().unwrap();
        let old = world.path().join("old.jsonl");
        fs::write(&old, TEXT).unwrap();
        Self { world, old }
    }

    fn fork(&self, leaf: &str, session: &str) -> Result<PathBuf, ForkError> {
        let mut lines = io::BufReader::new(fs::File::open(&self.old).unwrap());
        fork(
            &ClaudeCode,
            &self.old,
            &mut lines,
            leaf,
            &ClientSessionId::new(session),
        )
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.world.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn the_new_session_holds_the_conversation_up_to_the_leaf_and_the_old_file_stays() {
    let stage = Stage::new();
    let made = stage.fork("u2", "new").unwrap();
    insta::assert_snapshot!(fs::read_to_string(&made).unwrap(), @r#"
    {"type":"user","uuid":"u1","parentUuid":null,"sessionId":"new"}
    {"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"new"}
    "#);
    assert_eq!(fs::metadata(&made).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&stage.old).unwrap(), TEXT);
    assert_eq!(stage.files(), ["new.jsonl", "old.jsonl"]);
}

#[test]
fn a_point_that_is_no_longer_there_makes_no_session() {
    let stage = Stage::new();
    assert!(matches!(stage.fork("u7", "new"), Err(ForkError::NoLeaf)));
    assert_eq!(stage.files(), ["old.jsonl"]);
}

#[test]
fn a_session_that_is_there_is_never_overwritten() {
    let stage = Stage::new();
    assert!(matches!(stage.fork("u2", "old"), Err(ForkError::Io(_))));
    assert_eq!(fs::read_to_string(&stage.old).unwrap(), TEXT);
    assert_eq!(stage.files(), ["old.jsonl"]);
}

#[test]
fn a_link_planted_where_the_draft_goes_is_not_written_through() {
    let stage = Stage::new();
    let victim = stage.world.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, stage.world.path().join(".new.jsonl.toprope")).unwrap();
    assert!(stage.fork("u2", "new").is_err());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
fn an_id_that_is_no_name_makes_no_session() {
    let stage = Stage::new();
    assert!(matches!(stage.fork("u2", "../new"), Err(ForkError::Impossible)));
}

#[test]
fn a_copy_has_an_id_like_the_clients_own_and_the_same_for_the_same_point() {
    let original = ClientSessionId::new("ab31");
    let one = derived_session(&original, "u1", 0);
    assert_eq!(one, derived_session(&original, "u1", 0));
    for other in [
        derived_session(&original, "u2", 0),
        derived_session(&original, "u1", 1),
    ] {
        assert_ne!(one, other);
    }
    let lengths: Vec<usize> = one.as_str().split('-').map(str::len).collect();
    assert_eq!(lengths, [8, 4, 4, 4, 12]);
    assert_eq!(one.as_str().get(14..15), Some("4"));
    assert!(matches!(one.as_str().get(19..20), Some("8" | "9" | "a" | "b")));
}
