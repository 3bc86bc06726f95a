//! An agent's shell command.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::shell::check(data));
