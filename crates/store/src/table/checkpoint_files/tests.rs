//! Who changed what since when, and what of it is still nobody's commit.

use super::*;
use crate::checkpoints::{CheckpointKind, NewCheckpoint};
use crate::stage::{Stage, added, by, file, main_of, modified, state};
use engine::event::StartSource;

fn told(rows: &[FileRow]) -> Vec<String> {
    rows.iter()
        .map(|row| {
            let path = String::from_utf8_lossy(&row.file.path).into_owned();
            let who = row.label.as_deref().unwrap_or("nobody");
            format!("{} {path} {} by {who}", row.seq, row.file.change.as_str())
        })
        .collect()
}

#[test]
fn history_tells_every_change_after_a_checkpoint_with_its_doer() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let away = main.in_worktree("/repo-wt");
    let child = main.agent("a3f2", "Explore");
    stage.starts(&away, StartSource::Startup);
    stage.starts(&main, StartSource::Startup);
    stage.agent_starts(&child);
    let target = stage.cut(&main, CheckpointKind::Turn, 1, &[added("a")]);
    let files = [by(&stage, &main, modified("a")), by(&stage, &child, added("b"))];
    stage.cut(&main, CheckpointKind::Turn, 2, &files);
    stage.cut(&away, CheckpointKind::Turn, 2, &[added("a")]);
    stage.cut(&main, CheckpointKind::Outside, 3, &[file("a", Some("2"), None)]);
    let (db, worktree) = (stage.read(), target.worktree);
    assert_eq!(
        told(&history(&db, worktree, target.seq).unwrap()),
        [
            "2 a modified by main@7c1e",
            "2 b added by Explore@a3f2",
            "4 a deleted by nobody"
        ]
    );
    assert_eq!(
        told(&history_of(&db, worktree, target.seq, b"a").unwrap()),
        ["2 a modified by main@7c1e", "4 a deleted by nobody"]
    );
    assert_eq!(history_of(&db, worktree, target.seq, b"c").unwrap(), []);
}

#[test]
fn pending_is_what_a_session_did_and_nobody_committed_or_took_back() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let sent = stage.starts(&main, StartSource::Startup);
    let (worktree, session) = (sent.worktree, sent.actor.id);
    let own = |path: &str| by(&stage, &main, added(path));
    let files = [
        own("committed"),
        own("pending"),
        own("rewound"),
        NewFile {
            change: CheckpointFileChange::Skipped,
            ..own("skipped")
        },
        NewFile {
            place: TreePart::Ignored,
            ..own("ignored")
        },
        NewFile {
            origin: ChangeOrigin::Rewind,
            ..own("restored")
        },
        added("somebody"),
    ];
    let cut = stage.cut(&main, CheckpointKind::Turn, 1, &files);
    let rewound = of(&stage.read(), &cut.id).unwrap();
    let rewound: Vec<FileRowId> = rewound
        .iter()
        .filter(|row| row.file.path == b"rewound")
        .map(|row| row.id)
        .collect();
    stage.write(|db| {
        set_committed(db, worktree, b"committed", cut.seq, "9e02")?;
        take_back(db, &rewound, &CheckpointId::from_random([9; 6]))
    });
    let pending = || told(&pending_of(&stage.read(), worktree, session).unwrap());
    assert_eq!(pending(), ["1 pending added by main@7c1e"]);
    assert_eq!(pending_at(&stage.read(), worktree, b"pending").unwrap().len(), 1);
    assert_eq!(pending_at(&stage.read(), worktree, b"committed").unwrap(), []);
    assert_eq!(pending_at(&stage.read(), worktree, b"somebody").unwrap(), []);
}

#[test]
fn a_commit_holds_what_was_there_when_it_was_made() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let worktree = stage.starts(&main, StartSource::Startup).worktree;
    let work = |stage: &Stage| [by(stage, &main, added("a"))];
    let files = work(&stage);
    let first = stage.cut(&main, CheckpointKind::Turn, 1, &files);
    stage.cut(&main, CheckpointKind::Turn, 2, &files);
    assert_eq!(
        stage.write(|db| set_committed(db, worktree, b"a", first.seq, "9e02")),
        1
    );
    let committed = |stage: &Stage| stage.rows("SELECT committed_in FROM checkpoint_files ORDER BY id");
    assert_eq!(committed(&stage), ["9e02", "-"]);
    assert_eq!(stage.write(|db| set_recommitted(db, worktree, "9e02", "77c0")), 1);
    assert_eq!(committed(&stage), ["77c0", "-"]);
    assert_eq!(stage.write(|db| set_uncommitted(db, worktree, "77c0", b"b")), 0);
    assert_eq!(stage.write(|db| set_uncommitted(db, worktree, "77c0", b"a")), 1);
    assert_eq!(committed(&stage), ["-", "-"]);
}

#[test]
fn a_change_is_what_leads_from_one_state_to_the_other() {
    let exec = FileState {
        mode: "100755".to_owned(),
        ..state("1")
    };
    let link = FileState {
        mode: "120000".to_owned(),
        ..state("1")
    };
    let raw = FileState {
        raw: Some("crlf".to_owned()),
        ..state("1")
    };
    let (one, two) = (state("1"), state("2"));
    let between =
        |before: Option<&FileState>, after: Option<&FileState>| CheckpointFileChange::between(before, after);
    assert_eq!(between(None, None), None);
    assert_eq!(between(Some(&one), Some(&one)), None);
    assert_eq!(between(None, Some(&one)), Some(CheckpointFileChange::Added));
    assert_eq!(between(Some(&one), None), Some(CheckpointFileChange::Deleted));
    assert_eq!(
        between(Some(&one), Some(&two)),
        Some(CheckpointFileChange::Modified)
    );
    assert_eq!(
        between(Some(&one), Some(&raw)),
        Some(CheckpointFileChange::Modified)
    );
    assert_eq!(between(Some(&one), Some(&exec)), Some(CheckpointFileChange::Mode));
    assert_eq!(between(Some(&one), Some(&link)), Some(CheckpointFileChange::Type));
}

#[test]
fn every_word_is_found_again() {
    for change in CheckpointFileChange::ALL {
        assert_eq!(CheckpointFileChange::parse(change.as_str()), change);
    }
    for origin in ChangeOrigin::ALL {
        assert_eq!(ChangeOrigin::parse(origin.as_str()), origin);
    }
    assert_eq!(ChangeOrigin::parse("sung"), ChangeOrigin::Outside);
}

/// Another session's pending work in `/repo`, as one line each.
fn others(stage: &Stage, head: Option<&str>, session: &str) -> Vec<String> {
    let except = stage.main(&main_of(session));
    let found = others_work(&stage.read(), stage.worktree("/repo"), head, except).unwrap();
    found
        .into_iter()
        .map(|other| {
            let paths: Vec<String> = other
                .first_paths
                .iter()
                .map(|path| String::from_utf8_lossy(path).into_owned())
                .collect();
            let alias = other.alias.unwrap_or_default();
            let prompt = other.first_prompt.unwrap_or_default();
            let paths = paths.join(",");
            format!("{alias} {:?} {} {paths} {prompt}", other.activity, other.files)
        })
        .collect()
}

#[test]
fn another_sessions_work_is_told_while_it_is_pending_on_the_same_head() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    let session = stage.prompts(&one, "add a login").actor.id;
    stage.write(|db| fix_alias(db, session));
    stage.prompts(&two, "other things");
    let own = |path: &str| by(&stage, &one, added(path));
    let files = [own("a"), own("b"), own("c"), own("d")];
    let cut = stage.cut(&one, CheckpointKind::Turn, 1, &files);
    let again = by(&stage, &one, modified("a"));
    stage.cut(&one, CheckpointKind::Turn, 2, &[again]);

    let clash = |stage: &Stage| others(stage, Some("head"), "9999");
    assert_eq!(clash(&stage), ["2026-11-15-7c1e Working 4 a,b,c add a login"]);
    assert_eq!(
        others(&stage, Some("head"), "7c1e"),
        Vec::<String>::new(),
        "not its own"
    );
    assert_eq!(others(&stage, Some("moved"), "9999"), Vec::<String>::new());
    assert_eq!(others(&stage, None, "9999"), Vec::<String>::new());

    stage.stops(&one);
    let since = stage.now();
    assert_eq!(
        clash(&stage),
        [format!("2026-11-15-7c1e Idle({since:?}) 4 a,b,c add a login")]
    );
    stage.ends(&one, "other");
    assert_eq!(clash(&stage), ["2026-11-15-7c1e Ended 4 a,b,c add a login"]);

    let (worktree, last) = (cut.worktree, CheckpointSeq(9));
    stage.write(|db| {
        for path in [b"a", b"b", b"c", b"d"] {
            set_committed(db, worktree, path, last, "9e02")?;
        }
        Ok(())
    });
    assert_eq!(clash(&stage), Vec::<String>::new());
}

fn fix_alias(db: &Db, session: ActorId) -> Result<String, StoreError> {
    crate::actors::fix_alias(db, session, "2026-11-15")
}

#[test]
fn a_session_works_as_long_as_one_of_its_agents_does() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    stage.prompts(&one, "go");
    stage.prompts(&two, "go");
    stage.agent_starts(&one.agent("a3f2", "Explore"));
    stage.stops(&one);
    let files = [by(&stage, &one, added("a"))];
    stage.cut(&one, CheckpointKind::Turn, 1, &files);
    assert_eq!(others(&stage, Some("head"), "9999"), [" Working 1 a go"]);
}

#[test]
fn a_question_about_pending_work_reads_pending_work_alone() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    let sent = stage.prompts(&one, "go");
    stage.prompts(&two, "go");
    let work = by(&stage, &one, added("a"));
    let drafts: Vec<NewCheckpoint> = (0..300)
        .map(|_| stage.draft(&one, CheckpointKind::Turn))
        .collect();
    stage.write(|db| {
        for draft in &drafts {
            crate::checkpoints::insert(db, draft, std::slice::from_ref(&work))?;
        }
        set_committed(db, sent.worktree, b"a", CheckpointSeq(299), "9e02")
    });
    let except = stage.main(&two);
    let db = stage.read();
    db.spent();
    assert_eq!(
        others_work(&db, sent.worktree, Some("head"), except).unwrap()[0].files,
        1
    );
    assert_eq!(pending_at(&db, sent.worktree, b"a").unwrap().len(), 1);
    assert_eq!(pending_of(&db, sent.worktree, sent.actor.id).unwrap().len(), 1);
    let cost = db.spent();
    assert_eq!(cost.scanned, 0);
    assert!(cost.steps < 1500, "{cost:?}");
}
