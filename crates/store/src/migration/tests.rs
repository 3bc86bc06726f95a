//! Every schema ever published still opens, and yesterday's binary still opens today's file.

use super::*;
use crate::checkpoints::{CheckpointKind, Inserted};
use crate::commit_links::{CommitLink, LinkKind};
use crate::stage::{Stage, WAIT, added, by, main_of, state};
use crate::touches::{Image, Naming, PathObservation};
use crate::transcripts::Transcript;
use crate::usage::StoredUsage;
use crate::worktrees::{FinishedScan, GitWorktreeName};
use crate::{
    Store, TreePart, actors, approvals, calls, checkpoint_files, checkpoints, commit_links, counters, events,
    jobs, leases, notices, payloads, seen, session_notes, session_paths, sessions, tickets, tokens, touches,
    transcripts, trusts, turns, usage, verdicts, warnings, worktrees,
};
use engine::effect::{Audience, JobKind, NewJob, Owed};
use engine::event::StartSource;
use engine::id::{ActorId, AgentKind, EventSeq, ToolUseId, WorktreeId};
use engine::lease::{ContentIdentity, ContentStamp, FileKey, Means};
use engine::round::VerdictRecord;
use engine::time::Timestamp;
use engine::usage::Tokens;
use engine::verdict::VerdictKind;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;
use std::path::{Path, PathBuf};

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/schema-{version}.sql"))
}

fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// The statements that make this schema.
fn schema(connection: &Connection) -> String {
    let made = texts(
        connection,
        "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid",
    );
    made.join("\n\n") + "\n"
}

/// The statements that make these rows.
fn rows(connection: &Connection) -> String {
    let mut dump = String::new();
    let tables =
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
    for table in texts(connection, tables) {
        let columns = texts(
            connection,
            &format!("SELECT name FROM pragma_table_info('{table}')"),
        );
        let quoted: Vec<String> = columns.iter().map(|column| format!("quote({column})")).collect();
        let row = quoted.join(" || ', ' || ");
        let sql = format!("SELECT 'INSERT INTO {table} VALUES (' || {row} || ');' FROM {table}");
        for line in texts(connection, &sql) {
            dump.push_str(&line);
            dump.push('\n');
        }
    }
    dump
}

/// A database with at least one row in every table that this version writes.
fn lived_in() -> Stage {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.starts(&main, StartSource::Startup);
    stage.prompts(&main, "add a retry to the client");
    let sent = stage.calls(&main, "Bash", "toolu_1", json!({"command": "ls"}));
    let at = stage.now();
    stage.write(|db| {
        let record = VerdictRecord {
            policy: "guard",
            verdict: VerdictKind::Deny,
            reason: "no".to_owned(),
            applied: true,
            took_us: 7,
        };
        verdicts::insert(db, sent.seq, &record)?;
        let owed = Owed {
            audience: Audience::Actor,
            kind: "lease".to_owned(),
            key: "src/a.rs".to_owned(),
            text: "src/a.rs is yours".to_owned(),
        };
        notices::owe(db, &owed, sent.actor.id, at)?;
        let job = NewJob {
            kind: JobKind::PruneLog,
            key: String::new(),
        };
        jobs::add(db, &job, sent.seq, Some(sent.project), Some(sent.session), at)?;
        trusts::trust(
            db,
            Path::new("/repo/toprope.toml"),
            &trusts::Fingerprint::of(b"x"),
            at,
        )?;
        counters::note(db, "malformed", "not an object", at)
    });
    checkpointed(stage)
}

/// The same with what checkpoints leave behind.
fn checkpointed(mut stage: Stage) -> Stage {
    let main = main_of("7c1e");
    let (actor, worktree, at) = (stage.main(&main), stage.worktree("/repo"), stage.now());
    let draft = stage.draft(&main, CheckpointKind::Turn);
    let file = by(&stage, &main, added("src/a.rs"));
    let call = ToolUseId::new("toolu_1");
    let naming = Naming {
        worktree,
        path: b"src/a.rs",
        actor,
        call: &call,
    };
    let finding = PathObservation {
        place: Some(TreePart::Files),
        image: Image::Present(state("1")),
        skip_reason: None,
        dated: None,
    };
    stage.write(|db| {
        let named = GitWorktreeName {
            project: engine::id::ProjectId(1),
            root: Path::new("/repo"),
            name: b"",
            line: "e3b0c44298fc",
        };
        worktrees::ensure_named(db, &named, at)?;
        worktrees::set_head(db, worktree, Some("head"), Some("main"))?;
        let scan = FinishedScan {
            event: EventSeq(3),
            began: at,
            looked: 1,
            took_ms: 4,
        };
        worktrees::scanned(db, worktree, &scan)?;
        actors::fix_alias(db, actor, "2026-11-15")?;
        calls::set_reach(db, EventSeq(3), calls::CallReach::Anything)?;
        let touch = touches::open(db, &naming, EventSeq(3))?;
        touches::set_pre(db, touch, &finding)?;
        checkpoints::insert(db, &draft, &[file])?;
        turns::set_transcript_start(db, actor, EventSeq(1), 0)?;
        commit_links::link(db, &link_to(&draft.id))?;
        usage::count(db, &message())?;
        session_notes::set(db, actor, "batches", "1")?;
        transcripts::keep(db, &transcript())
    });
    guarded(stage)
}

/// The same with what a guard leaves behind.
fn guarded(mut stage: Stage) -> Stage {
    let main = main_of("7c1e");
    let (actor, at) = (stage.main(&main), stage.now());
    let subject = approvals::ApprovalSubject {
        session: &main.key.session,
        command: &trusts::Fingerprint::of(b"ls"),
        cwd: Path::new("/repo"),
    };
    let id = approval();
    let request = approvals::Request {
        id: &id,
        subject,
        project: Some(engine::id::ProjectId(1)),
        agent: None,
        rule_id: "core.filesystem.outside",
        shown: "ls",
        event: EventSeq(3),
        at,
    };
    let yes = approvals::Grant {
        ttl_ms: 60_000,
        times: 2,
        via: approvals::Via::Terminal,
        at,
    };
    let used = approvals::Use {
        approval: &id,
        call: &ToolUseId::new("toolu_1"),
        event: EventSeq(3),
        at,
    };
    let detail = verdicts::Detail {
        rule_id: Some("core.filesystem.outside".to_owned()),
        ..verdicts::Detail::default()
    };
    let warning = warnings::Warning {
        actor: &main.key,
        rule_id: "core.filesystem.rm",
        key: "",
    };
    stage.write(|db| {
        approvals::park(db, &request)?;
        approvals::grant(db, &id, &yes)?;
        approvals::spend(db, &used)?;
        verdicts::set_detail(db, EventSeq(3), "guard", &detail)?;
        warnings::remember(db, &warning, EventSeq(3), at)?;
        session_paths::note(db, actor, Path::new("/tmp/x.sh"), true, EventSeq(3))
    });
    coordinated(stage)
}

/// The same with what agents that share a tree leave behind.
fn coordinated(mut stage: Stage) -> Stage {
    let actor = stage.main(&main_of("7c1e"));
    let (worktree, at) = (stage.worktree("/repo"), stage.moment());
    let taking = leases::Taking {
        actor,
        project: Some(engine::id::ProjectId(1)),
        call: Some(EventSeq(3)),
        means: Means::Tool,
        at,
    };
    let (key, lexer) = (held(worktree, "parser"), held(worktree, "lexer"));
    let queueing = tickets::Queueing {
        actor,
        key: &lexer,
        denied: true,
        at,
    };
    let look = seen::Look {
        actor,
        key: &key,
        content: &ContentIdentity::Hash("2cf2".to_owned()),
        stamp: Some(STAMP),
        way: seen::KnowledgeSource::Wrote {
            by: Means::Tool,
            whole: true,
        },
        event: EventSeq(3),
        at,
    };
    let bearer = tokens::Bearer {
        actor,
        call: EventSeq(3),
    };
    stage.write(|db| {
        leases::take(db, &taking, &key)?;
        tickets::queue(db, &queueing)?;
        seen::note(db, &look)?;
        tokens::issue(db, "5f0c", bearer, at)
    });
    stage
}

const STAMP: ContentStamp = ContentStamp {
    size: 7,
    mtime_ns: 8,
    inode: 9,
};

fn held(worktree: WorktreeId, name: &str) -> FileKey {
    FileKey {
        worktree: Some(worktree),
        path: format!("src/{name}.rs"),
        file_id: None,
    }
}

fn approval() -> approvals::ApprovalId {
    approvals::ApprovalId::from_random(5)
}

fn link_to(checkpoint: &engine::id::CheckpointId) -> CommitLink {
    CommitLink {
        project: engine::id::ProjectId(1),
        commit: "9e02".to_owned(),
        checkpoint: checkpoint.clone(),
        session: Some(ActorId(1)),
        how: LinkKind::Tree,
        paths_matched: 1,
        paths_total: 1,
        patch_id: None,
        superseded_by: None,
        linked_at: Timestamp(1),
    }
}

fn message() -> StoredUsage {
    StoredUsage {
        agent_kind: AgentKind::new("claude-code"),
        id: "msg_1".to_owned(),
        request_id: None,
        session: ActorId(1),
        actor: ActorId(1),
        turn: Some(1),
        model: None,
        tokens: Tokens {
            output: 5,
            ..Tokens::default()
        },
        at: Timestamp(1),
    }
}

fn transcript() -> Transcript {
    Transcript {
        path: PathBuf::from("/transcript.jsonl"),
        actor: ActorId(1),
        device: 1,
        inode: 2,
        offset: 3,
        partial_line: Vec::new(),
        state: None,
        read_at: Timestamp(1),
    }
}

#[test]
fn the_newest_schema_has_a_fixture() {
    let path = fixture(known());
    if path.exists() {
        return;
    }
    let stage = lived_in();
    let reader = stage.read();
    let (schema, rows) = (schema(reader.connection()), rows(reader.connection()));
    let version = known();
    fs_err::write(
        &path,
        format!("{schema}\n{rows}\nPRAGMA user_version = {version};\n"),
    )
    .unwrap();
    panic!("wrote {}; look at it and commit it", path.display());
}

#[test]
fn a_published_migration_is_never_edited() {
    for version in 1..=known() {
        let db = Db::new(Connection::open_in_memory().unwrap());
        migrate_to(&db, version).unwrap();
        let published = Connection::open_in_memory().unwrap();
        published
            .execute_batch(&fs_err::read_to_string(fixture(version)).unwrap())
            .unwrap();
        assert_eq!(schema(db.connection()), schema(&published), "schema {version}");
    }
}

#[test]
fn every_historic_database_opens_migrates_and_reads() {
    for version in 1..=known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toprope.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&fs_err::read_to_string(fixture(version)).unwrap())
            .unwrap();
        drop(old);

        let mut store = Store::open(&path, WAIT).unwrap();
        assert!(store.examine(crate::Depth::Whole).unwrap().damage.is_empty());
        let db = store.read();
        assert_eq!(super::version(&db).unwrap(), known());
        assert_eq!(actors::list(&db, None, true).unwrap()[0].label, "main@7c1e");
        assert_eq!(sessions::list(&db, None, true).unwrap()[0].source, "startup");
        assert_eq!(
            events::fired(&db).unwrap(),
            ["PreToolUse", "SessionStart", "UserPromptSubmit"]
        );
        let payload = payloads::of(&db, EventSeq(1)).unwrap().unwrap();
        assert_eq!(payload.bytes().unwrap(), b"{\"a\":1}");
        assert_eq!(
            turns::list(&db, ActorId(1), 1).unwrap()[0].prompt,
            "add a retry to the client"
        );
        assert_eq!(calls::open_of(&db, ActorId(1)).unwrap()[0].tool, "Bash");
        assert_eq!(verdicts::of(&db, EventSeq(3)).unwrap()[0].policy, "guard");
        assert_eq!(
            notices::owed_to(&db, ActorId(1)).unwrap()[0].text,
            "src/a.rs is yours"
        );
        assert_eq!(
            trusts::list(&db).unwrap()[0].path,
            Path::new("/repo/toprope.toml")
        );
        assert_eq!(counters::list(&db).unwrap()[0].count, 1);
        let tx = store.begin().unwrap();
        assert_eq!(
            jobs::take(&tx, "1", Timestamp(9)).unwrap().unwrap().kind,
            JobKind::PruneLog
        );
    }
}

#[test]
fn checkpoints_of_a_historic_database_are_read_as_they_were_written() {
    for version in 2..=known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toprope.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&fs_err::read_to_string(fixture(version)).unwrap())
            .unwrap();
        drop(old);

        let store = Store::open(&path, WAIT).unwrap();
        let db = store.read();
        let worktree = worktrees::by_id(&db, WorktreeId(1)).unwrap().unwrap();
        assert_eq!(worktree.line.as_deref(), Some("e3b0c44298fc"));
        let tip = checkpoints::tip(&db, worktree.id).unwrap().unwrap();
        assert_eq!((tip.kind, tip.counts.added), (CheckpointKind::Turn, 1));
        let files = checkpoint_files::pending_of(&db, worktree.id, ActorId(1)).unwrap();
        assert_eq!(files[0].session_alias.as_deref(), Some("2026-11-15-7c1e"));
        assert_eq!(files[0].file.after, Some(state("1")));
        assert_eq!(
            commit_links::of_checkpoint(&db, &tip.id).unwrap(),
            [link_to(&tip.id)]
        );
        let touch = touches::running(&db, worktree.id).unwrap().remove(0);
        assert_eq!(touch.pre, Image::Present(state("1")));
        let writers = calls::writers_since(&db, worktree.id, EventSeq(3)).unwrap();
        assert_eq!(writers[0].reach, calls::CallReach::Anything);
        assert_eq!(
            usage::of_session(&db, ActorId(1)).unwrap().total,
            message().tokens
        );
        let read = transcripts::of(&db, Path::new("/transcript.jsonl")).unwrap();
        assert_eq!(read, Some(transcript()));
        assert_eq!(turns::unsealed(&db, ActorId(1)).unwrap().len(), 1);
        let note = session_notes::get(&db, ActorId(1), "batches").unwrap();
        assert_eq!(note.as_deref(), Some("1"));
    }
}

#[test]
fn what_a_guard_left_in_a_historic_database_still_counts() {
    for version in 3..=known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toprope.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&fs_err::read_to_string(fixture(version)).unwrap())
            .unwrap();
        drop(old);

        let store = Store::open(&path, WAIT).unwrap();
        let db = store.read();
        let granted = approvals::by_id(&db, &approval()).unwrap().unwrap();
        assert_eq!(
            (granted.state, granted.uses_left),
            (approvals::RequestState::Granted, 1)
        );
        let explained = verdicts::explained(&db, EventSeq(3)).unwrap();
        assert_eq!(
            explained[0].detail.rule_id.as_deref(),
            Some("core.filesystem.outside")
        );
        let live = warnings::live_of(&db, &main_of("7c1e").key).unwrap();
        assert_eq!((live[0].hits, live[0].heard_at), (1, None));
        let script = session_paths::authorship(&db, ActorId(1), Path::new("/tmp/x.sh")).unwrap();
        assert!(script.created);
    }
}

#[test]
fn what_agents_held_in_a_historic_database_they_still_hold() {
    for version in 4..=known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toprope.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&fs_err::read_to_string(fixture(version)).unwrap())
            .unwrap();
        drop(old);

        let store = Store::open(&path, WAIT).unwrap();
        let db = store.read();
        let (key, lexer) = (held(WorktreeId(1), "parser"), held(WorktreeId(1), "lexer"));
        let lease = leases::held(&db, &key).unwrap().unwrap();
        assert_eq!((lease.owner, lease.call), (ActorId(1), Some(EventSeq(3))));
        assert_eq!(tickets::waiting(&db, &lexer).unwrap()[0].denials, 1);
        let known = seen::of(&db, ActorId(1), &key).unwrap().unwrap();
        assert_eq!(known.stamp, Some(STAMP));
        assert_eq!(seen::last_change(&db, &key).unwrap().unwrap().actor, ActorId(1));
        assert_eq!(tokens::bearer(&db, "5f0c").unwrap().unwrap().actor, ActorId(1));
    }
}

#[test]
fn work_from_before_there_were_checkpoints_goes_on_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toprope.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(&fs_err::read_to_string(fixture(1)).unwrap())
        .unwrap();
    drop(old);
    let draft = {
        let mut stage = Stage::new();
        stage.prompts(&main_of("7c1e"), "go");
        stage.draft(&main_of("7c1e"), CheckpointKind::Turn)
    };
    let mut store = Store::open(&path, WAIT).unwrap();
    let mut tx = store.begin().unwrap();
    let inserted = tx.unit(|db| {
        let writers = calls::writers_since(db, WorktreeId(1), EventSeq(0))?;
        assert_eq!(writers, [], "nobody knows what its calls may write");
        assert_eq!(
            actors::fix_alias(db, ActorId(1), "2026-11-15")?,
            "2026-11-15-7c1e"
        );
        checkpoints::insert(db, &draft, &[added("a")])
    });
    assert!(matches!(inserted.unwrap(), Inserted::New(_)));
    tx.commit().unwrap();
}

/// What a later version might do to the file.
fn newer(stage: &Stage, oldest_reader: u32) {
    let later = Connection::open(stage.path()).unwrap();
    later
        .execute_batch(&format!(
            "ALTER TABLE events ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
             ALTER TABLE actors ADD COLUMN status TEXT;
             CREATE TABLE fleets (id INTEGER PRIMARY KEY, actor_id INTEGER REFERENCES actors (id)) STRICT;
             UPDATE meta SET value = {oldest_reader} WHERE name = 'oldest_reader';
             PRAGMA user_version = {};",
            known() + 1
        ))
        .unwrap();
}

#[test]
fn an_older_binary_works_with_a_newer_file_that_only_adds() {
    let mut stage = Stage::new();
    stage.starts(&main_of("7c1e"), StartSource::Startup);
    newer(&stage, known());
    stage.store = Store::open(&stage.path(), WAIT).unwrap();
    stage.prompts(&main_of("7c1e"), "go");
    assert_eq!(
        stage.rows("SELECT event, mood FROM events")[1],
        "UserPromptSubmit calm"
    );
    Store::open_existing(&stage.path(), WAIT).unwrap();
    let kept: Value = stage
        .read()
        .connection()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(kept, Value::Integer(i64::from(known() + 1)));
}

#[test]
fn an_older_binary_refuses_a_newer_file_only_when_the_file_says_so() {
    let stage = Stage::new();
    newer(&stage, known() + 1);
    for refused in [
        Store::open(&stage.path(), WAIT),
        Store::open_existing(&stage.path(), WAIT),
    ] {
        let error = refused.unwrap_err().to_string();
        let (found, known) = (known() + 1, known());
        assert_eq!(
            error,
            format!("database is at schema {found}, this binary knows up to {known}")
        );
    }
}

#[test]
fn a_reader_never_migrates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toprope.db");
    fs_err::write(&path, "").unwrap();
    let error = Store::open_existing(&path, WAIT).unwrap_err();
    assert!(matches!(error, StoreError::TooOld { found: 0, .. }), "{error:?}");
    assert_eq!(fs_err::metadata(&path).unwrap().len(), 0);
}
