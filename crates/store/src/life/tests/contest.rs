//! Many want one file at one moment, each over a connection of its own.

use crate::Store;
use crate::leases::{self, TakeResult};
use crate::life;
use crate::stage::{Stage, WAIT, main_of};
use engine::lease::EndReason;
use std::sync::Barrier;
use std::thread;

const CONTENDERS: usize = 20;
const ROUNDS: usize = 15;

#[test]
fn of_twenty_contenders_one_gets_the_file_each_round() {
    let mut stage = Stage::new();
    let takings: Vec<_> = (0..CONTENDERS)
        .map(|number| {
            let sent = stage.calls(
                &main_of(&format!("{number:04}")),
                "Edit",
                "toolu_1",
                serde_json::json!({}),
            );
            stage.taking(&sent)
        })
        .collect();
    let (key, path, now) = (stage.file("a.rs"), stage.path(), stage.hour());
    let start = Barrier::new(CONTENDERS);
    let granted: usize = thread::scope(|scope| {
        let threads: Vec<_> = takings
            .iter()
            .map(|taking| {
                scope.spawn(|| {
                    let mut store = Store::open(&path, WAIT).unwrap();
                    let mut granted = 0;
                    for _ in 0..ROUNDS {
                        start.wait();
                        let mut tx = store.begin().unwrap();
                        let taken = tx.unit(|db| leases::take(db, taking, &key)).unwrap();
                        tx.commit().unwrap();
                        start.wait();
                        if let TakeResult::New(lease) = taken {
                            granted += 1;
                            let mut tx = store.begin().unwrap();
                            tx.unit(|db| life::end_lease(db, lease, EndReason::Released, &now))
                                .unwrap();
                            tx.commit().unwrap();
                        }
                    }
                    granted
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(granted, ROUNDS);
    assert_eq!(stage.over().len(), ROUNDS, "no row is lost");
}
