//! An agent's payload.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::payload::check(data));
