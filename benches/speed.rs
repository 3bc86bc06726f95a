//! `cargo bench -p bench`: the same run as `cargo run --profile dist -p bench`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // `cargo test --all-targets` starts benches too, without this word: time is never a test.
    if std::env::args().any(|argument| argument == "--bench") {
        bench::main()
    } else {
        ExitCode::SUCCESS
    }
}
