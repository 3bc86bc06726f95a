//! The empty process: what starting a static program costs on this machine, and nothing more.

fn main() {}
