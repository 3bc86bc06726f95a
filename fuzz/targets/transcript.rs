//! An agent's transcript.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::transcript::check(data));
