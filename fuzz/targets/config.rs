//! Our own settings files.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::config::check(data));
