//! Closes sessions whose process is gone: without a daemon nobody else notices.

use ::daemon::pipeline::lease::close_lost;
use ::daemon::process::Process;
use engine::time::Timestamp;
use store::table::sessions;
use store::{ClientProcess, Store, StoreError};

/// Closes what processes left behind. Where it cannot be written down, it is seen next time.
pub fn close(store: &mut Store, at: Timestamp) {
    let gone = sessions::live_processes(&store.read()).unwrap_or_default();
    let gone = gone
        .into_iter()
        .map(|live| live.client)
        .filter(|client| !Process::from(*client).is_alive());
    let gone: Vec<ClientProcess> = gone.collect();
    if !gone.is_empty() {
        let _ = close_all(store, &gone, at);
    }
}

fn close_all(store: &mut Store, gone: &[ClientProcess], at: Timestamp) -> Result<(), StoreError> {
    let mut tx = store.begin()?;
    for client in gone {
        tx.unit(|db| close_lost(db, client, at))?;
    }
    tx.commit()
}
