use super::*;
use crate::stage::{Stage, main_of};

#[test]
fn a_file_is_one_sessions_own_until_another_writes_it() {
    let mut stage = Stage::new();
    let (one, other) = (main_of("7c1e"), main_of("ab31"));
    let seq = stage.prompts(&one, "go").seq;
    stage.prompts(&other, "go");
    let (mine, theirs) = (stage.main(&one), stage.main(&other));
    let script = Path::new("/tmp/x.sh");
    stage.write(|db| note(db, mine, script, true, seq));
    stage.write(|db| note(db, mine, script, false, seq));
    let found = authorship(&stage.read(), mine, script).unwrap();
    assert!(found.wrote && found.created, "an edit of its own changes nothing");
    let found = authorship(&stage.read(), theirs, script).unwrap();
    assert_eq!(found, Authorship::default());

    stage.write(|db| note(db, theirs, script, false, seq));
    let found = authorship(&stage.read(), mine, script).unwrap();
    assert!(found.wrote && !found.created);
    let found = authorship(&stage.read(), theirs, script).unwrap();
    assert!(found.wrote && !found.created);
}

#[test]
fn what_the_log_drops_is_forgotten_here_too() {
    let mut stage = Stage::new();
    let who = main_of("7c1e");
    let first = stage.prompts(&who, "go").seq;
    let (mine, later) = (stage.main(&who), stage.stops(&who).seq);
    stage.write(|db| note(db, mine, Path::new("/tmp/old"), true, first));
    stage.write(|db| note(db, mine, Path::new("/tmp/new"), true, later));
    stage.write(|db| prune(db, first));
    let wrote = |path| authorship(&stage.read(), mine, Path::new(path)).unwrap().wrote;
    assert_eq!((wrote("/tmp/old"), wrote("/tmp/new")), (false, true));
}
