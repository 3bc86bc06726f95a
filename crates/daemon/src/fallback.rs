//! Decides in the hook's own process when no daemon can: the same pipeline against the same database.

use crate::client::said;
use crate::clock;
use crate::environment::Environment;
use crate::frame::reply::Printed;
use crate::frame::request::{Header, Request};
use crate::home::Home;
use crate::judge::Judge;
use crate::pipeline::{Prepared, World, unrecorded};
use crate::writer::Writer;
use engine::policy::ORDER;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::Store;

/// How long another writer may hold the database before an event is decided without it.
const DATABASE_WAIT: Duration = Duration::from_secs(2);

/// Answers one event without a daemon, whatever happens on the way.
pub fn decide(home: &Home, environment: &Environment, header: Header, body: Vec<u8>) -> Printed {
    // What panics is contained and recorded; the agent reads our stderr and must find only our own words there.
    std::panic::set_hook(Box::new(|_| {}));
    catch_unwind(AssertUnwindSafe(|| decide_here(home, environment, header, body)))
        .unwrap_or_else(|_| said("stumbled over this event; it was not judged"))
}

fn decide_here(home: &Home, environment: &Environment, header: Header, body: Vec<u8>) -> Printed {
    let world = World::new(home.clone(), environment);
    let mut prepared = world.prepare(Request { header, body }, clock::now());
    world.answer(&mut prepared);
    let prepared = Arc::new(prepared);
    match open(home).and_then(|store| record(store, &prepared)) {
        Ok(printed) => {
            world.mark_if_disabled(&prepared);
            printed
        }
        Err(trouble) => unrecorded::decide(home, &prepared, &Judge::new(ORDER), &trouble),
    }
}

/// With nobody else in line, the outcome is known when `submit` returns.
fn record(store: Store, prepared: &Arc<Prepared>) -> Result<Printed, String> {
    let outcome = Arc::new(OnceLock::new());
    let told = Arc::clone(&outcome);
    Writer::new(store, Judge::new(ORDER)).submit(Arc::clone(prepared), move |outcome| {
        // Told once: nobody else fills it.
        let _ = told.set(outcome);
    });
    match outcome.get() {
        Some(Ok(recorded)) => Ok(recorded.printed.clone()),
        Some(Err(trouble)) => Err(trouble.to_string()),
        None => Err("the event was lost on the way".to_owned()),
    }
}

fn open(home: &Home) -> Result<Store, String> {
    home.make().map_err(|error| error.to_string())?;
    Store::open(&home.database(), DATABASE_WAIT).map_err(|error| error.to_string())
}
