//! A big file is looked at in a sample of the same size as any other, and damage of its pages is found in all of it.

use super::*;
use crate::stage::{Stage, main_of};
use std::io::{Seek, SeekFrom, Write};

/// A log with so many more events, each with a payload of this size.
fn with_events(stage: &mut Stage, events: i64, bytes: i64) {
    stage.prompts(&main_of("7c1e"), "go");
    stage.write(|db| {
        let insert = |sql: &str| db.execute(sql, rusqlite::named_params! { ":events": events });
        insert(
            "WITH RECURSIVE n (seq) AS (VALUES (1000) UNION ALL SELECT seq + 1 FROM n WHERE seq < 999 + :events)
             INSERT INTO events (seq, at, event, delivery) SELECT seq, 1, 'Noise', 'd' || seq FROM n",
        )?;
        db.execute(
            "INSERT INTO payloads (event, form, length, head, body)
             SELECT seq, 'raw', 1, 1, zeroblob(:bytes) FROM events WHERE seq >= 1000",
            rusqlite::named_params! { ":bytes": bytes },
        )
    });
}

#[test]
fn a_sample_of_a_big_file_is_no_bigger_than_its_tables_are_many() {
    let mut rows = Vec::new();
    for events in [20_000, 40_000] {
        let mut stage = Stage::new();
        with_events(&mut stage, events, 3_000);
        stage.read().spent();
        let found = stage.store.examine(Depth::Bounded).unwrap();
        let spent = stage.read().spent();
        assert!(spent.steps < 40_000 && spent.scanned < 4_000, "{spent:?}");
        assert_eq!(found.damage, Vec::<String>::new());
        rows.push(found.sample.expect("more than a few pages"));
        assert_eq!(stage.store.examine(Depth::Whole).unwrap(), Examined::default());
    }
    assert!(rows.iter().all(|rows| (512..1024).contains(rows)), "{rows:?}");
    assert_eq!(rows[0], rows[1], "twice the events, the same sample");
}

#[test]
fn damage_in_many_places_is_found_by_a_sample_and_damage_anywhere_by_the_whole() {
    let mut stage = Stage::new();
    with_events(&mut stage, 20_000, 3_000);
    stage.store.checkpoint().unwrap();
    let path = stage.path();
    let pages = fs_err::metadata(&path).unwrap().len() / 4096;
    let damaged = |every: u64| {
        let copy = path.with_extension(format!("every-{every}"));
        fs_err::copy(&path, &copy).unwrap();
        let mut file = fs_err::OpenOptions::new().write(true).open(&copy).unwrap();
        for page in (pages / 2..pages).step_by(usize::try_from(every).unwrap()) {
            file.seek(SeekFrom::Start(page * 4096)).unwrap();
            file.write_all(&[0xee; 4096]).unwrap();
        }
        crate::Store::open_existing(&copy, std::time::Duration::ZERO).unwrap()
    };
    let found = damaged(8).examine(Depth::Bounded).unwrap();
    assert!(found.sample.is_some() && !found.damage.is_empty(), "{found:?}");
    let found = damaged(pages).examine(Depth::Whole).unwrap();
    assert!(found.sample.is_none() && !found.damage.is_empty(), "{found:?}");
}
