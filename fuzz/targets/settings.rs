//! A client's settings file that is edited.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::settings::check(data));
