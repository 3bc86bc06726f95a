//! `cargo run --profile dist -p bench`: what we claim about speed, measured here and now.

fn main() -> std::process::ExitCode {
    bench::main()
}
