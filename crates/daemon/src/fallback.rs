//! Decides in the hook's own process when no daemon can: the same pipeline against the same database.

use crate::client::said;
use crate::clock;
use crate::environment::Environment;
use crate::frame::reply::Printed;
use crate::frame::request::{Header, Request};
use crate::home::Home;
use crate::judge::Judge;
use crate::pipeline::{World, unrecorded};
use crate::writer::Writer;
use engine::policy::ORDER;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use store::Store;

/// How long another writer may hold the database before an event is decided without it.
const DATABASE_WAIT: Duration = Duration::from_secs(3);

/// Answers one event without a daemon, whatever happens on the way.
pub fn decide(home: &Home, environment: &Environment, header: Header, body: Vec<u8>) -> Printed {
    // What panics is contained and recorded; the agent reads our stderr and must find only our own words there.
    std::panic::set_hook(Box::new(|_| {}));
    catch_unwind(AssertUnwindSafe(|| decide_here(home, environment, header, body)))
        .unwrap_or_else(|_| said("stumbled over this event; it was not judged"))
}

fn decide_here(home: &Home, environment: &Environment, header: Header, body: Vec<u8>) -> Printed {
    let judge = Judge::new(ORDER);
    let world = World::new(home.clone(), environment);
    let mut prepared = world.prepare(Request { header, body }, clock::now());
    world.answer(&mut prepared);
    let prepared = Arc::new(prepared);
    match open(home) {
        Ok(store) => match Writer::new(store).submit(&prepared, &judge) {
            Ok(recorded) => {
                world.mark_if_disabled(&prepared);
                recorded.printed
            }
            Err(trouble) => unrecorded::decide(home, &prepared, &judge, &trouble.to_string()),
        },
        Err(trouble) => unrecorded::decide(home, &prepared, &judge, &trouble),
    }
}

fn open(home: &Home) -> Result<Store, String> {
    home.make().map_err(|error| error.to_string())?;
    Store::open(&home.database(), DATABASE_WAIT).map_err(|error| error.to_string())
}
