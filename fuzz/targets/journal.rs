//! The journal of a restore that was cut short.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::journal::check(data));
