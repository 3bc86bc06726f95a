//! What arrives on the socket, at either end.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::frame::check(data));
