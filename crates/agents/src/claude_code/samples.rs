//! The payloads recorded from the real client, for tests.

use super::ClaudeCode;
use crate::agent::{Agent, Delivery};
use engine::event::Event;
use engine::id::DeliveryId;
use engine::time::Timestamp;
use serde_json::Value;
use std::path::PathBuf;

/// One recorded payload.
pub(super) struct Sample {
    /// The scenario it was recorded in.
    pub scenario: String,
    /// The payload.
    pub input: Value,
}

impl Sample {
    pub fn bytes(&self) -> Vec<u8> {
        self.input.to_string().into_bytes()
    }

    pub fn event(&self) -> Event {
        translated(&self.bytes())
    }
}

/// Where the real-client harness keeps its samples.
pub(super) fn folder() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/real-client/samples"
    ))
}

/// The recorded payloads of one event.
pub(super) fn of(event: &str) -> Vec<Sample> {
    let text = fs_err::read_to_string(folder().join(format!("{event}.json"))).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["event"], event);
    let samples = file["samples"].as_array().unwrap().iter();
    samples
        .map(|sample| Sample {
            scenario: sample["scenario"].as_str().unwrap().to_owned(),
            input: sample["input"].clone(),
        })
        .collect()
}

/// The recorded payloads of all events.
pub(super) fn all() -> Vec<Sample> {
    super::events().flat_map(of).collect()
}

pub(super) fn delivery() -> Delivery {
    Delivery {
        id: DeliveryId::new("d1"),
        at: Timestamp(1_000),
        session_hint: None,
        cwd: None,
    }
}

pub(super) fn translated(payload: &[u8]) -> Event {
    ClaudeCode.translate(payload, &delivery()).unwrap()
}
