//! Killed while files change hands: all of it happened or nothing, and the next try does the rest (scenario 17).

use crate::stage::{Stage, WAIT, Who, main_of};
use crate::{Store, fault};
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

/// Somebody holds a file and another waits for it.
fn before() -> (Stage, Who) {
    let mut stage = Stage::new();
    let (holder, other) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&holder, "toolu_1", "a.rs");
    stage.prompts(&other, "go");
    stage.waits(&other, "a.rs");
    (stage, holder)
}

type Act = fn(&mut Stage, &Who);

fn takes(stage: &mut Stage, who: &Who) {
    stage.edits(who, "toolu_2", "b.rs");
}

fn gives_up(stage: &mut Stage, who: &Who) {
    stage.stops(who);
}

/// All that says whose a file is, without moments.
fn rows(stage: &Stage) -> Vec<String> {
    let mut rows = stage.held();
    rows.extend(stage.over());
    rows.extend(stage.line());
    rows.extend(stage.told());
    rows
}

/// The files as a kill at the first hit of this point would leave them; false if it is never met.
fn left_at(point: &'static str, stage: &mut Stage, folder: &Path, act: impl FnOnce(&mut Stage)) -> bool {
    let (from, to, met) = (stage.path(), folder.join("toprope.db"), Rc::new(Cell::new(false)));
    let seen = Rc::clone(&met);
    fault::watch(move |name| {
        if name == point && !seen.replace(true) {
            for end in ["", "-wal"] {
                let file = |path: &Path| format!("{}{end}", path.display());
                if Path::new(&file(&from)).exists() {
                    fs_err::copy(file(&from), file(&to)).unwrap();
                }
            }
        }
    });
    act(stage);
    fault::unwatch();
    met.get()
}

#[test]
fn a_kill_while_files_change_hands_leaves_all_of_it_or_nothing() {
    let acts: [(&str, Act); 2] = [("take", takes), ("give up", gives_up)];
    let mut tried = Vec::new();
    for (act_name, act) in acts {
        for point in fault::OF_LEASES
            .into_iter()
            .chain(["after-effects", "before-commit"])
        {
            let folder = tempfile::tempdir().unwrap();
            let (mut stage, holder) = before();
            let early = rows(&stage);
            if !left_at(point, &mut stage, folder.path(), |stage| act(stage, &holder)) {
                continue;
            }
            tried.push(format!("{act_name}: {point}"));
            let late = rows(&stage);
            assert_ne!(early, late);
            stage.store = Store::open(&folder.path().join("toprope.db"), WAIT).unwrap();
            assert!(
                stage
                    .store
                    .examine(crate::Depth::Whole)
                    .unwrap()
                    .damage
                    .is_empty()
            );
            assert_eq!(rows(&stage), early, "{act_name} at {point}");
            act(&mut stage, &holder);
            assert_eq!(rows(&stage), late, "{act_name} at {point}, tried again");
        }
    }
    assert_eq!(
        tried,
        [
            "take: lease-take",
            "take: after-effects",
            "take: before-commit",
            "give up: lease-end",
            "give up: lease-offer",
            "give up: after-effects",
            "give up: before-commit"
        ]
    );
}
